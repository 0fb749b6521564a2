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
    std::string websocket;
    line.option("--pause", "TIME", pause,
                "check a file once it has not changed for this long (default: 250ms)");
    line.option("--websocket", "HOST:PORT", websocket,
                "serve clients over WebSocket there instead; port 0: a free one");
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
    if (!websocket.empty()) {
        auto address = net::parse_host_and_port(websocket, true);
        if (!address) {
            session.report(api::codes::bad_usage,
                           fmt::format("--websocket {}: {}", websocket, address.error()));
            return session.finish();
        }
        auto served = lsp::serve_websocket(*address, options, [](const net::Address& at) {
            fmt::print("listening on ws://{}\n", net::host_and_port(at));
            std::fflush(stdout);
        });
        if (served) return 0;
        session.environment_failed(api::codes::component_failed, served.error());
        return session.finish();
    }
    // The protocol defines these exit codes.
    return lsp::serve(STDIN_FILENO, STDOUT_FILENO, options) ? 0 : 1;
}

}  // namespace treaty::cli
