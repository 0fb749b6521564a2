// Pairs of a mutant's state and the original's state it represents, from the two initial ones on. The
// original is deterministic, so a pair and an event determine the next pair, and every pair that is met must
// be fit; if one is not, the mutant does something else.

#include <deque>
#include <set>

#include "testgen/mutants.h"

namespace treaty::testgen {
namespace {

using model::EventKind;
using model::StateId;

class Refinement {
public:
    Refinement(const model::Machine& mutant, const model::Machine& original, const TakenEdges* taken)
        : mutant_(mutant), original_(original), taken_(taken) {}

    bool run() {
        meet(mutant_.initial(), original_.initial());
        for (; !waiting_.empty(); waiting_.pop_front())
            if (!fits(waiting_.front().first, waiting_.front().second)) return false;
        return true;
    }

private:
    void meet(StateId m, StateId o) {
        if (seen_.insert({m, o}).second) waiting_.emplace_back(m, o);
    }

    EventKind kind(const model::Edge& edge) const { return mutant_.alphabet().event(edge.label).kind; }
    static bool may_end(const model::Machine& machine, StateId s) {
        return machine.final(s) || machine.out(s).empty();
    }

    bool fits(StateId m, StateId o) {
        std::size_t sends = 0, original_sends = 0;
        std::set<model::LabelId> received;
        auto edges = mutant_.out(m);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const model::Edge& edge = edges[i];
            const model::Edge* match = nullptr;
            for (const model::Edge& other : original_.out(o))
                if (other.label == edge.label) match = &other;
            if (!match && taken_ && !(*taken_)[m.index][i]) continue;
            if (!match || kind(edge) == EventKind::silent) return false;
            if (kind(edge) == EventKind::send)
                ++sends;
            else
                received.insert(edge.label);
            meet(edge.target, match->target);
        }
        for (const model::Edge& other : original_.out(o)) {
            if (kind(other) == EventKind::send)
                ++original_sends;
            else if (!received.contains(other.label))
                return false;
        }
        bool ends = may_end(original_, o);
        if (!ends && original_sends > 0 && sends == 0) return false;
        if (!ends && may_end(mutant_, m)) return false;
        return !(ends && sends == 0 && !may_end(mutant_, m));
    }

    const model::Machine& mutant_;
    const model::Machine& original_;
    const TakenEdges* taken_;
    std::set<std::pair<StateId, StateId>> seen_;
    std::deque<std::pair<StateId, StateId>> waiting_;
};

}  // namespace

bool refines(const model::Machine& mutant, const model::Machine& original, const TakenEdges* taken) {
    return Refinement(mutant, original, taken).run();
}

}  // namespace treaty::testgen
