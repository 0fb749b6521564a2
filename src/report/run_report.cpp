#include "report/run_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/wording.h"
#include "report/violation_text.h"

namespace treaty::report {
namespace {

using base::counted;

// One finding of a command: its text, and its fields in the entry of the command.
struct FindingWriter {
    std::string& text;
    Json& entry;

    void operator()(const api::TimeShown& shown) const {
        text += fmt::format("time: {:%Y-%m-%d %H:%M:%S} UTC\n", fmt::gmtime(shown.now));
    }

    void operator()(const api::GraphCounted& graph) const {
        text += fmt::format("{}: {}, {}, {}\n", graph.component, counted(graph.states, "state"),
                            counted(graph.transitions, "transition"), counted(graph.messages, "message"));
        entry["states"] = graph.states;
        entry["transitions"] = graph.transitions;
        entry["messages"] = graph.messages;
    }

    void operator()(const api::GraphShown& shown) const {
        text += fmt::format("{}: {}, {}\n", shown.title, counted(shown.graph.states.size(), "state"),
                            counted(shown.graph.edge_count(), "transition"));
        text += model::to_text(shown.graph);
    }

    void operator()(const api::NeverTaken& never) const {
        for (const auto& transition : never.transitions)
            text += fmt::format("{}: `{}` in state {} can never happen\n", never.component, transition.text,
                                transition.state);
        entry["unreachable"] = never.transitions.size();
    }

    void operator()(const api::GraphRepaired& repaired) const {
        bool realizable = repaired.problems.empty();
        entry["realizable"] = realizable;
        entry["added"] = repaired.added.size();
        entry["minimal"] = repaired.minimal;
        text += fmt::format("{}: {} in {} mode", repaired.component,
                            realizable ? "realizable" : "not realizable", symbolic::to_string(repaired.mode));
        if (!realizable)
            text += fmt::format(", {} added{}", counted(repaired.added.size(), "interaction"),
                                repaired.minimal ? " (fewest possible)" : "");
        text += "\n";
        for (const std::string& problem : repaired.problems) text += fmt::format("    {}\n", problem);
        for (const std::string& added : repaired.added) text += fmt::format("  + {}\n", added);
    }

    void operator()(const api::RolesVerified& roles) const {
        bool yes = roles.verified == symbolic::Verified::yes;
        entry["verified"] = yes;
        entry["verified_with_additions"] = yes || roles.verified == symbolic::Verified::with_additions;
        text += fmt::format("{}: {}\n", roles.component, symbolic::describe(roles.verified));
    }

    void operator()(const api::GraphsCompared& compared) const {
        entry["answer"] = base::to_string(compared.verdict);
        if (!compared.condition.empty()) entry["condition"] = compared.condition;
        std::string found;
        switch (compared.verdict) {
            case api::Verdict::holds: found = "conforms"; break;
            case api::Verdict::conditional: found = "conforms exactly when " + compared.condition; break;
            case api::Verdict::fails: found = "does not conform: " + compared.difference; break;
            case api::Verdict::undecided: return;  // why follows as a finding of its own
        }
        text += fmt::format("{} against {}: {}\n", compared.implementation, compared.specification, found);
    }

    void operator()(const api::LeftOpen& open) const { text += open.why + "\n"; }
};

struct RunWriter {
    Own& own;

    void operator()(std::monostate) const {}

    void operator()(const std::vector<api::CommandRun>& commands) const {
        own.fields["commands"] = Json::array();
        for (const api::CommandRun& command : commands) {
            Json entry = {{"command", command.command}, {"line", command.line}};
            for (const api::CommandFinding& finding : command.findings)
                std::visit(FindingWriter{own.text, entry}, finding);
            own.fields["commands"].push_back(std::move(entry));
        }
    }

    void operator()(const std::vector<api::AssertionRun>& assertions) const {
        own.fields["assertions"] = Json::array();
        for (const api::AssertionRun& assertion : assertions) {
            add_text(assertion);
            Json entry = {
                {"line", assertion.line}, {"assertion", assertion.assertion}, {"states", assertion.states}};
            entry["answer"] = assertion.verdict ? Json(base::to_string(*assertion.verdict)) : Json(nullptr);
            entry["reason"] = assertion.reason;
            if (assertion.violation) entry["counterexample"] = to_json(*assertion.violation);
            own.fields["assertions"].push_back(std::move(entry));
        }
    }

    void add_text(const api::AssertionRun& assertion) const {
        own.text += fmt::format("line {}: {}: {}\n", assertion.line,
                                assertion.verdict ? base::to_string(*assertion.verdict) : "fault",
                                assertion.assertion);
        if (!assertion.verdict || *assertion.verdict == api::Verdict::holds) return;
        own.text += *assertion.verdict == api::Verdict::fails
                        ? fmt::format("    after {}: {}\n", print_trace(assertion.trace), assertion.reason)
                        : fmt::format("    {}\n", assertion.reason);
    }
};

}  // namespace

Own own_part(const api::RunAnswer& answer) {
    Own own;
    std::visit(RunWriter{own}, answer.ran);
    return own;
}

}  // namespace treaty::report
