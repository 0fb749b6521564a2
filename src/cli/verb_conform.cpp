#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/graphs.h"
#include "cli/verbs.h"
#include "symbolic/codes.h"

namespace treaty::cli {

int verb_conform(Arguments arguments) {
    Session session("conform");
    CommandLine line(session);
    std::string implementation, specification, mine, theirs;
    line.positional("IMPL", implementation, "a protocol, a machine, or machines that step together");
    line.positional("SPEC", specification, "what it should conform to");
    line.option("-p,--protocol", "NAME", theirs, "which protocol of SPEC (default: the last)");
    line.option("--impl", "NAME", mine, "which protocol of IMPL (default: the last)");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {implementation, specification};
    auto impl = load_graph(session, implementation, mine);
    auto spec = load_graph(session, specification, theirs);
    if (!impl || !spec) {
        if (!session.diagnostics.ok()) session.result.answer.reset();
        return session.finish();
    }
    symbolic::ConformReport report =
        symbolic::conform(impl->graph, spec->graph, session.options.conformance_limits());
    if (!report.incomparable.empty()) {
        const base::Code& code = report.silent_specification ? symbolic::codes::silent_specification
                                                             : symbolic::codes::not_comparable;
        session.report(code, fmt::format("{}: {}", specification, report.incomparable));
        return session.finish();
    }
    fill_conformance(session, report, impl->protocol ? impl->protocol->protocol : nullptr,
                     spec->protocol ? spec->protocol->protocol : nullptr);
    return session.finish();
}

}  // namespace treaty::cli
