// run: the commands of a SChorA script, or the assertions of a CSPM script, one after the other.
//
// A SChorA script shows components, makes them realizable, projects them and compares them
// (formats/schora/schora.h); its verdict is the worst one of its comparisons, undecided if a command could
// not be carried out to its end. A CSPM script asserts (csp/script.h); its verdict is the worst one of its
// assertions, and it has none if one of them has a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/violation.h"
#include "api/workspace.h"
#include "model/symbolic_graph.h"
#include "symbolic/realizability.h"
#include "symbolic/verify.h"

namespace treaty::api {

struct RunQuestion {
    std::string file;  // .schora or .csp
};

// What a command of a SChorA script finds, piece by piece.

struct TimeShown {
    std::time_t now = 0;
};

struct GraphCounted {
    std::string component;
    std::size_t states = 0, transitions = 0, messages = 0;
};

struct GraphShown {
    std::string title;
    model::SymbolicGraph graph;
};

struct NeverTaken {
    struct Transition {
        std::string text, state;
    };
    std::string component;
    std::vector<Transition> transitions;  // may be none
};

struct GraphRepaired {
    std::string component;
    symbolic::CommunicationMode mode = symbolic::CommunicationMode::sync;
    std::vector<std::string> problems;  // none: it was realizable
    std::vector<std::string> added;     // "A -> B: added_data1(x)"
    bool minimal = false;               // proved that no fewer are enough
};

// Whether the roles of the repaired graph, each for itself, conform.
struct RolesVerified {
    std::string component;
    symbolic::Verified verified = symbolic::Verified::undecided;
};

struct GraphsCompared {
    std::string implementation, specification;
    Verdict verdict = Verdict::undecided;
    std::string condition;   // under which it conforms
    std::string difference;  // where it does not
};

struct LeftOpen {
    std::string why;
};

using CommandFinding = std::variant<TimeShown, GraphCounted, GraphShown, NeverTaken, GraphRepaired,
                                    RolesVerified, GraphsCompared, LeftOpen>;

struct CommandRun {
    std::string command;  // as written
    std::uint32_t line = 0;
    std::vector<CommandFinding> findings;
};

struct AssertionRun {
    std::string assertion;  // as written, on one line
    std::uint32_t line = 0;
    std::optional<Verdict> verdict;  // none: the script has a fault there
    std::string reason;
    std::vector<std::string> trace;  // if it fails: events that show it
    std::optional<RefinementViolation> violation;
    std::uint64_t states = 0;
};

struct RunAnswer : Answer {
    // Of which kind depends on the script; none if it could not be read.
    std::variant<std::monostate, std::vector<CommandRun>, std::vector<AssertionRun>> ran;
};

RunAnswer run(const Workspace& workspace, const RunQuestion& question, const Context& context);

}  // namespace treaty::api
