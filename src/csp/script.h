// A CSPM script that was read: its processes as graphs, its assertions checked.
//
// Everything a script's graphs are made of is shared, so a process that two assertions look at is worked out
// once; the graphs live no longer than the script, and one thread uses it at a time. A fault that shows only
// when something is evaluated is reported to the diagnostics given to read(), which must outlive the script.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/answer.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "csp/process_graph.h"
#include "explore/refine/refine.h"
#include "model/machine.h"

namespace treaty::csp {

// What came of one assertion.
struct Checked {
    std::string text;  // as it is written, on one line
    base::Span span;
    std::optional<base::Answer> answer;  // none: the script has a fault there
    std::string reason;
    std::vector<model::LabelId> trace;                      // if it fails: visible events that show it
    std::optional<explore::Counterexample> counterexample;  // of a refinement
    std::uint64_t states = 0;
};

// The events that a script declares, channel by channel in the order of the script.
struct DeclaredEvents {
    struct LeftOut {
        std::string channel;
        std::string why;  // its events are not listed, as in "carries infinitely many values"
    };
    std::vector<model::LabelId> labels;
    std::vector<LeftOut> left_out;
};

class Script {
public:
    // Nothing if an error was reported.
    static std::unique_ptr<Script> read(base::SourceMap& sources, base::FileId file,
                                        base::Diagnostics& diagnostics);
    ~Script();

    // Reports every type error. Nothing else depends on types.
    void check_types(base::Diagnostics& diagnostics) const;

    // A process by an expression, as in "COUNT(0)". Nothing if that was reported as a fault.
    std::unique_ptr<ProcessGraph> graph(const std::string& process, const explore::Limits& limits);
    bool defines(std::string_view name) const;  // whether a definition has this name
    std::vector<std::string_view> definitions() const;
    bool declares_channel(std::string_view name) const;
    // Whether the word occurs as a name anywhere in the script or in what it includes: a new declaration of
    // it would clash, or change what a pattern means.
    bool mentions(std::string_view name) const;
    const std::shared_ptr<model::Alphabet>& alphabet() const { return alphabet_; }

    // All of them, but no more than `most`: a channel whose events are infinitely many, or would be too many
    // beside those of the smaller ones, is left out as a whole. A fault in a channel's type is reported.
    DeclaredEvents declared_events(std::size_t most);
    // The events of a set written as an expression, as in "{|a, b|}". Nothing if that was reported as a
    // fault.
    std::optional<std::vector<model::LabelId>> event_set(const std::string& set);

    std::size_t assertion_count() const { return syntax_.assertions.size(); }
    Checked check(std::size_t assertion, const explore::Limits& limits);

private:
    Script(base::SourceMap& sources, base::Diagnostics& diagnostics);
    AstId expression(const char* what, const std::string& text);
    std::unique_ptr<ProcessGraph> graph_of(AstId expression, const explore::Limits& limits);
    void check_refinement(const Assertion& assertion, const explore::Limits& limits, Checked& into);
    void check_trace(const Assertion& assertion, const explore::Limits& limits, Checked& into);

    base::SourceMap& sources_;
    base::Diagnostics& diagnostics_;
    Syntax syntax_;
    std::unique_ptr<Scopes> scopes_;
    std::unique_ptr<Evaluator> evaluator_;
    std::shared_ptr<model::Alphabet> alphabet_;
    std::unique_ptr<Moves> moves_;
};

// All states of a graph as a machine. Nothing if the graph broke or the limits were reached.
std::optional<model::Machine> compile(ProcessGraph& graph, const std::shared_ptr<model::Alphabet>& alphabet,
                                      const std::string& name);

}  // namespace treaty::csp
