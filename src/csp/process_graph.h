// What a process can do, state by state, on the fly: CSP's operational semantics as a graph.
//
// A state is a process term. What a term can do is computed once, also where it is an operand of many others,
// so a component of a parallel composition is worked out once whatever its partners do. Ending (tick) of an
// operand of a parallel composition is a silent step, and the composition ends when both have. The fault or
// limit that stops the graph is returned by why(); faults are also in the diagnostics.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "csp/evaluator.h"
#include "explore/refine_graph.h"
#include "explore/search_limits.h"

namespace treaty::csp {

struct Move {
    model::LabelId label;  // 0: silent
    ValueId target;
    friend auto operator<=>(const Move&, const Move&) = default;
};

// The moves of process terms, shared by all graphs of one script.
class Moves {
public:
    Moves(Evaluator& evaluator, std::shared_ptr<model::Alphabet> alphabet)
        : evaluator_(evaluator), alphabet_(std::move(alphabet)) {}

    struct Of {
        std::vector<Move> moves;  // sorted, each once
        bool ends = false;
    };
    const Of& of(ValueId process);  // stays valid
    Evaluator& evaluator() { return evaluator_; }
    const std::shared_ptr<model::Alphabet>& alphabet() const { return alphabet_; }
    model::LabelId label(ValueId event);

private:
    void compute(ValueId process, Of& into);
    void external(std::span<const ValueId> parts, Of& into);
    void sequential(std::span<const ValueId> parts, Of& into);
    void sliding(std::span<const ValueId> parts, Of& into);
    void interrupt(std::span<const ValueId> parts, Of& into);
    void exception(std::span<const ValueId> parts, Of& into);
    void parallel(Term op, std::span<const ValueId> parts, Of& into);
    void linked(std::span<const ValueId> parts, Of& into);
    void hide(std::span<const ValueId> parts, Of& into);
    void rename(std::span<const ValueId> parts, Of& into);
    bool in(ValueId set, model::LabelId label) const;
    using Relation = absl::flat_hash_map<ValueId, std::vector<ValueId>>;
    struct Related {
        Relation forth, back;
    };
    const Related& relation(ValueId pairs);

    Evaluator& evaluator_;
    std::shared_ptr<model::Alphabet> alphabet_;
    absl::flat_hash_map<ValueId, Of*> known_;
    std::deque<Of> all_;
    absl::flat_hash_map<ValueId, model::LabelId> labels_;
    std::vector<ValueId> events_;  // by label
    absl::flat_hash_map<ValueId, std::unique_ptr<Related>> relations_;
};

class ProcessGraph final : public explore::Graph {
public:
    // The process may still be `later`; a fault in looking at it breaks the graph.
    ProcessGraph(Moves& moves, ValueId process, const explore::Limits& limits);

    const model::Alphabet& alphabet() const override { return *moves_.alphabet(); }
    std::span<const model::Edge> out(model::StateId s) override;
    bool final(model::StateId s) override;
    std::size_t known_states() const { return states_.size(); }

private:
    struct State {
        ValueId process;
        std::vector<model::Edge> edges;
        bool expanded = false;
        bool ends = false;
    };
    model::StateId state(ValueId process);
    void expand(model::StateId s);

    Moves& moves_;
    explore::Limits limits_;
    std::deque<State> states_;
    absl::flat_hash_map<ValueId, model::StateId> ids_;
};

}  // namespace treaty::csp
