// A depth-first search over silent edges. A state that meets one that is still open closes a cycle; whatever
// leads to such a state diverges too, which is known when the search comes back to it.

#include "explore/refine/divergence.h"

namespace treaty::explore {

using model::StateId;

Divergence::Mark& Divergence::mark(StateId s) {
    if (marks_.size() <= s.index) marks_.resize(std::max<std::size_t>(s.index + 1, marks_.size() * 2));
    return marks_[s.index];
}

bool Divergence::operator()(StateId start) {
    if (mark(start) != Mark::unknown) return mark(start) == Mark::yes;
    struct Frame {
        StateId state;
        std::size_t next;
        bool diverges;
    };
    std::vector<Frame> stack{{start, 0, false}};
    mark(start) = Mark::open;
    while (!stack.empty()) {
        Frame& top = stack.back();
        auto edges = graph_.out(top.state);
        // Silent edges come first: their label is 0.
        if (top.next < edges.size() && edges[top.next].label == graph_.alphabet().silent()) {
            StateId target = edges[top.next++].target;
            Mark known = mark(target);
            if (known == Mark::open || known == Mark::yes) top.diverges = true;
            if (known != Mark::unknown) continue;
            mark(target) = Mark::open;
            stack.push_back({target, 0, false});
            continue;
        }
        bool diverges = top.diverges;
        mark(top.state) = diverges ? Mark::yes : Mark::no;
        stack.pop_back();
        if (diverges && !stack.empty()) stack.back().diverges = true;
    }
    return mark(start) == Mark::yes;
}

}  // namespace treaty::explore
