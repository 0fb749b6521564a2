#include "report/project_report.h"

#include <fmt/format.h>

#include "base/wording.h"
#include "report/machine_text.h"

namespace treaty::report {
namespace {

using base::counted;

void add_machine(Own& own, const api::ProjectAnswer& answer, const draw::Style* listing) {
    if (!answer.machine) return;
    own.quiet = answer.verdict == api::Verdict::holds;
    own.fields["role"] = answer.roles;
    own.fields["machine"] = to_json(*answer.machine);
    if (!listing) return;
    own.text += fmt::format("{}: {}, {}\n", answer.roles, counted(answer.machine->state_count(), "state"),
                            counted(answer.machine->edge_count(), "transition"));
    own.text += to_text(*answer.machine, *listing);
}

void add_problem(Own& own, const api::RealizabilityProblem& problem) {
    std::string place;
    if (!problem.lines.empty())
        place = fmt::format("{} {}: ", problem.lines.size() == 1 ? "line" : "lines",
                            fmt::join(problem.lines, ", "));
    own.text += fmt::format("    {}{}\n", place, problem.what);
    Json entry = {{"problem", problem.what},
                  {"lines", problem.lines},
                  {"line", problem.lines.empty() ? 0 : problem.lines.back()}};
    if (!problem.role.empty()) entry["role"] = problem.role;
    own.fields["problems"].push_back(std::move(entry));
}

std::string place_of(const api::AddedInteraction& added) {
    std::string_view side = added.after ? "after" : "before";
    if (!added.neighbour.empty()) return fmt::format("    {} {}", side, added.neighbour);
    if (added.at_end) return "    at the end";
    if (added.line == 0) return {};
    return fmt::format("    {} line {}{}", side, added.line,
                       added.each_round ? ", and after each round" : "");
}

void add_addition(Own& own, const api::AddedInteraction& added) {
    own.text += fmt::format("  + {}{}\n", added.interaction, place_of(added));
    own.fields["added"].push_back({{"interaction", added.interaction},
                                   {"line", added.line},
                                   {"position", added.after ? "after" : "before"}});
}

std::string_view word(symbolic::Verified verified) {
    switch (verified) {
        case symbolic::Verified::yes: return "holds";
        case symbolic::Verified::with_additions: return "with additions";
        case symbolic::Verified::no: return "fails";
        case symbolic::Verified::undecided: return "undecided";
    }
    return "";
}

}  // namespace

Own own_part(const api::ProjectAnswer& answer, const draw::Style* listing) {
    Own own;
    add_machine(own, answer, listing);
    if (answer.machine) own.fields["added"] = Json::array();
    return own;
}

Own own_part(const api::RepairAnswer& answer, const draw::Style* listing) {
    Own own;
    if (!answer.examined) return own;
    own.text = fmt::format("{}: {} in {} mode\n", answer.protocol,
                           answer.problems.empty() ? "realizable" : "not realizable",
                           symbolic::to_string(answer.mode));
    own.fields["problems"] = Json::array();
    for (const api::RealizabilityProblem& problem : answer.problems) add_problem(own, problem);
    own.fields["added"] = Json::array();
    for (const api::AddedInteraction& added : answer.added) add_addition(own, added);
    own.fields["minimal"] = answer.minimal;
    if (!answer.added.empty())
        own.text += fmt::format("{} added{}\n", counted(answer.added.size(), "interaction"),
                                answer.minimal ? ", fewest possible" : "");
    if (answer.verified) {
        own.fields["verified"] = word(*answer.verified);
        own.text += fmt::format("{}\n", symbolic::describe(*answer.verified));
    }
    if (answer.graph)
        own.text += "the additions cannot be written into the text\n" + model::to_text(*answer.graph);
    add_machine(own, answer, listing);
    return own;
}

}  // namespace treaty::report
