#include <unistd.h>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/limits.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "lsp/serve.h"

namespace treaty::cli {

int verb_lsp(Arguments arguments) {
    Session session("lsp");
    CommandLine line(session);
    std::string pause = "250ms";
    bool stdio = false;
    line.option("--pause", "TIME", pause,
                "check a file once it has not changed for this long (default: 250ms)");
    line.flag("--stdio", stdio, "use standard input and output, as always; some editors add this");
    if (auto done = line.parse(arguments)) return *done;
    lsp::ServeOptions options;
    auto waited = base::parse_duration(pause);
    if (!waited) {
        session.report(api::codes::bad_usage, fmt::format("--pause {} is not a time", pause))
            .help("for example 250ms or 1s");
        return session.finish();
    }
    options.pause = std::chrono::duration_cast<std::chrono::milliseconds>(*waited);
    options.stop = interrupt().token();
    // The protocol defines these exit codes.
    return lsp::serve(STDIN_FILENO, STDOUT_FILENO, options) ? 0 : 1;
}

}  // namespace treaty::cli
