#include <array>

#include <fmt/format.h>

#include "base/suggest.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/run_csp.h"
#include "cli/run_schora.h"
#include "cli/verbs.h"
#include "formats/codes.h"
#include "formats/names.h"

namespace treaty::cli {
namespace {

// Notations that hold commands of their own, and who runs them.
struct Script {
    std::string_view extension;
    void (*run)(Session& session, const std::string& path);
};

constexpr auto scripts = std::to_array<Script>({
    {"schora", run_schora},
    {"csp", run_csp},
});

}  // namespace

int verb_run(Arguments arguments) {
    Session session("run");
    CommandLine line(session);
    std::string file;
    line.positional("FILE", file, "a script: .schora, .csp");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    std::string extension = formats::extension_of(file);
    for (const Script& script : scripts) {
        if (script.extension != extension) continue;
        script.run(session, file);
        return session.finish();
    }
    std::vector<std::string> known;
    for (const Script& script : scripts) known.push_back(fmt::format(".{}", script.extension));
    session.report(formats::codes::unknown_extension, fmt::format("`{}` holds no commands to run", file))
        .help(fmt::format("scripts are {}", fmt::join(known, ", ")));
    return session.finish();
}

}  // namespace treaty::cli
