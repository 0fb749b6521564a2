#include "csp/process_graph.h"

#include <algorithm>

#include "csp/codes.h"

namespace treaty::csp {

using model::LabelId;
using model::StateId;

namespace {

constexpr LabelId silent{0u};

}  // namespace

LabelId Moves::label(ValueId event) {
    auto [found, added] = labels_.try_emplace(event, LabelId());
    if (added) {
        found->second = alphabet_->plain(evaluator_.print(event));
        if (events_.size() <= found->second.index) events_.resize(found->second.index + 1);
        events_[found->second.index] = event;
    }
    return found->second;
}

bool Moves::in(ValueId set, LabelId label) const {
    return evaluator_.values().contains(set, events_[label.index]);
}

const Moves::Of& Moves::of(ValueId process) {
    if (auto known = known_.find(process); known != known_.end()) return *known->second;
    if (evaluator_.deep())
        throw Limit{base::StopReason::states, "the operators of the process are nested too deeply"};
    Of made;
    compute(process, made);
    std::sort(made.moves.begin(), made.moves.end());
    made.moves.erase(std::unique(made.moves.begin(), made.moves.end()), made.moves.end());
    all_.push_back(std::move(made));
    known_.emplace(process, &all_.back());
    return all_.back();
}

void Moves::compute(ValueId process, Of& into) {
    Term op = evaluator_.op(process);
    auto parts = evaluator_.values().parts(process);
    auto events = [&] {
        for (ValueId e : evaluator_.values().parts(parts[0])) into.moves.push_back({label(e), process});
    };
    switch (op) {
        case Term::stop:
        case Term::ended: return;
        case Term::skip: into.ends = true; return;
        case Term::diverge: into.moves.push_back({silent, process}); return;
        case Term::later: into.moves.push_back({silent, evaluator_.head(process)}); return;
        case Term::prefix:
            evaluator_.offered(process, [&](ValueId event, ValueId next) {
                into.moves.push_back({label(event), next});
            });
            return;
        case Term::internal:
            for (ValueId p : parts) into.moves.push_back({silent, evaluator_.head(p)});
            return;
        case Term::run: events(); return;
        case Term::chaos:
            events();
            into.moves.push_back({silent, evaluator_.term(Term::stop, {})});
            return;
        case Term::external: return external(parts, into);
        case Term::sequential: return sequential(parts, into);
        case Term::sliding: return sliding(parts, into);
        case Term::interrupt: return interrupt(parts, into);
        case Term::exception: return exception(parts, into);
        case Term::parallel:
        case Term::alphabetised: return parallel(op, parts, into);
        case Term::linked: return linked(parts, into);
        case Term::hide: return hide(parts, into);
        case Term::rename: return rename(parts, into);
    }
}

// A silent step of one side leaves the choice open; anything else makes it.
void Moves::external(std::span<const ValueId> parts, Of& into) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Of& one = of(parts[i]);
        into.ends = into.ends || one.ends;
        for (const Move& m : one.moves) {
            if (m.label != silent) {
                into.moves.push_back(m);
                continue;
            }
            std::vector<ValueId> changed(parts.begin(), parts.end());
            changed[i] = m.target;
            into.moves.push_back({silent, evaluator_.term(Term::external, changed)});
        }
    }
}

void Moves::sequential(std::span<const ValueId> parts, Of& into) {
    const Of& first = of(parts[0]);
    for (const Move& m : first.moves) {
        ValueId next[] = {m.target, parts[1]};
        into.moves.push_back({m.label, evaluator_.term(Term::sequential, next)});
    }
    if (first.ends) into.moves.push_back({silent, evaluator_.head(parts[1])});
}

void Moves::sliding(std::span<const ValueId> parts, Of& into) {
    const Of& first = of(parts[0]);
    into.ends = first.ends;
    for (const Move& m : first.moves) {
        ValueId next[] = {m.target, parts[1]};
        into.moves.push_back({m.label, m.label == silent ? evaluator_.term(Term::sliding, next) : m.target});
    }
    into.moves.push_back({silent, evaluator_.head(parts[1])});
}

void Moves::interrupt(std::span<const ValueId> parts, Of& into) {
    const Of& first = of(parts[0]);
    const Of& second = of(parts[1]);
    into.ends = first.ends || second.ends;
    for (const Move& m : first.moves) {
        ValueId next[] = {m.target, parts[1]};
        into.moves.push_back({m.label, evaluator_.term(Term::interrupt, next)});
    }
    for (const Move& m : second.moves) {
        ValueId next[] = {parts[0], m.target};
        into.moves.push_back(
            {m.label, m.label == silent ? evaluator_.term(Term::interrupt, next) : m.target});
    }
}

void Moves::exception(std::span<const ValueId> parts, Of& into) {
    const Of& first = of(parts[0]);
    into.ends = first.ends;
    for (const Move& m : first.moves) {
        if (m.label != silent && in(parts[2], m.label)) {
            into.moves.push_back({m.label, evaluator_.head(parts[1])});
            continue;
        }
        ValueId next[] = {m.target, parts[1], parts[2]};
        into.moves.push_back({m.label, evaluator_.term(Term::exception, next)});
    }
}

void Moves::parallel(Term op, std::span<const ValueId> parts, Of& into) {
    bool alphabets = op == Term::alphabetised;
    const Of& left = of(parts[0]);
    const Of& right = of(parts[1]);
    auto both = [&](ValueId p, ValueId q) {
        std::vector<ValueId> next(parts.begin(), parts.end());
        next[0] = p;
        next[1] = q;
        return evaluator_.term(op, next);
    };
    // Whether both sides must take part, and whether this side may take part at all.
    auto shared = [&](LabelId l) { return in(parts[2], l) && (!alphabets || in(parts[3], l)); };
    auto allowed = [&](LabelId l, std::size_t side) { return !alphabets || in(parts[2 + side], l); };
    for (const Move& m : left.moves) {
        if (m.label == silent || (allowed(m.label, 0) && !shared(m.label))) {
            into.moves.push_back({m.label, both(m.target, parts[1])});
        } else if (allowed(m.label, 0)) {
            auto first = std::lower_bound(right.moves.begin(), right.moves.end(), Move{m.label, ValueId(0u)});
            for (auto at = first; at != right.moves.end() && at->label == m.label; ++at)
                into.moves.push_back({m.label, both(m.target, at->target)});
        }
    }
    for (const Move& m : right.moves)
        if (m.label == silent || (allowed(m.label, 1) && !shared(m.label)))
            into.moves.push_back({m.label, both(parts[0], m.target)});
    ValueId ended = evaluator_.term(Term::ended, {});
    if (left.ends) into.moves.push_back({silent, both(ended, parts[1])});
    if (right.ends) into.moves.push_back({silent, both(parts[0], ended)});
    into.ends = parts[0] == ended && parts[1] == ended;
}

void Moves::hide(std::span<const ValueId> parts, Of& into) {
    const Of& first = of(parts[0]);
    into.ends = first.ends;
    for (const Move& m : first.moves) {
        ValueId next[] = {m.target, parts[1]};
        bool hidden = m.label == silent || in(parts[1], m.label);
        into.moves.push_back({hidden ? silent : m.label, evaluator_.term(Term::hide, next)});
    }
}

const Moves::Related& Moves::relation(ValueId pairs) {
    auto& made = relations_[pairs];
    if (!made) {
        made = std::make_unique<Related>();
        for (ValueId pair : evaluator_.values().parts(pairs)) {
            auto both = evaluator_.values().parts(pair);
            made->forth[both[0]].push_back(both[1]);
            made->back[both[1]].push_back(both[0]);
        }
    }
    return *made;
}

// Linked events happen on both sides at once, and are hidden; the others are interleaved.
void Moves::linked(std::span<const ValueId> parts, Of& into) {
    const Of& left = of(parts[0]);
    const Of& right = of(parts[1]);
    const Related& links = relation(parts[2]);
    auto both = [&](ValueId p, ValueId q) {
        ValueId next[] = {p, q, parts[2]};
        return evaluator_.term(Term::linked, next);
    };
    for (const Move& m : left.moves) {
        auto found = m.label == silent ? links.forth.end() : links.forth.find(events_[m.label.index]);
        if (found == links.forth.end()) {
            into.moves.push_back({m.label, both(m.target, parts[1])});
            continue;
        }
        for (ValueId event : found->second) {
            LabelId wanted = label(event);
            auto first = std::lower_bound(right.moves.begin(), right.moves.end(), Move{wanted, ValueId(0u)});
            for (auto at = first; at != right.moves.end() && at->label == wanted; ++at)
                into.moves.push_back({silent, both(m.target, at->target)});
        }
    }
    for (const Move& m : right.moves)
        if (m.label == silent || !links.back.contains(events_[m.label.index]))
            into.moves.push_back({m.label, both(parts[0], m.target)});
    ValueId ended = evaluator_.term(Term::ended, {});
    if (left.ends) into.moves.push_back({silent, both(ended, parts[1])});
    if (right.ends) into.moves.push_back({silent, both(parts[0], ended)});
    into.ends = parts[0] == ended && parts[1] == ended;
}

void Moves::rename(std::span<const ValueId> parts, Of& into) {
    const Of& first = of(parts[0]);
    const Relation& names = relation(parts[1]).forth;
    into.ends = first.ends;
    for (const Move& m : first.moves) {
        ValueId next[] = {m.target, parts[1]};
        ValueId target = evaluator_.term(Term::rename, next);
        auto found = m.label == silent ? names.end() : names.find(events_[m.label.index]);
        if (found == names.end()) {
            into.moves.push_back({m.label, target});
        } else {
            for (ValueId event : found->second) into.moves.push_back({label(event), target});
        }
    }
}

ProcessGraph::ProcessGraph(Moves& moves, ValueId process, const explore::Limits& limits)
    : moves_(moves), limits_(limits) {
    moves_.evaluator().enter();
    moves_.evaluator().set_deadline(limits.time);
    try {
        state(moves_.evaluator().head(process));
    } catch (const Fault&) {
        moves_.evaluator().recover();
        give_up(base::StopReason::none, "the script has an error");
    } catch (const Limit& limit) {
        moves_.evaluator().recover();
        give_up(limit.reason, limit.why);
    }
    if (states_.empty()) states_.push_back({process, {}, true, false});
}

StateId ProcessGraph::state(ValueId process) {
    auto [found, added] = ids_.try_emplace(process, StateId(states_.size()));
    if (added) states_.push_back({process, {}, false, false});
    return found->second;
}

std::span<const model::Edge> ProcessGraph::out(StateId s) {
    if (!states_[s.index].expanded) expand(s);
    return states_[s.index].edges;
}

bool ProcessGraph::final(StateId s) {
    if (!states_[s.index].expanded) expand(s);
    return states_[s.index].ends;
}

void ProcessGraph::expand(StateId s) {
    states_[s.index].expanded = true;
    if (broken()) return;
    moves_.evaluator().enter();
    if (states_.size() > limits_.states) return give_up(base::StopReason::states, {});
    try {
        const Moves::Of& of = moves_.of(states_[s.index].process);
        std::vector<model::Edge> edges;
        edges.reserve(of.moves.size());
        for (const Move& m : of.moves) edges.push_back({m.label, state(m.target)});
        std::sort(edges.begin(), edges.end());
        states_[s.index].edges = std::move(edges);
        states_[s.index].ends = of.ends;
    } catch (const Fault&) {
        moves_.evaluator().recover();
        give_up(base::StopReason::none, "the script has an error");
    } catch (const Limit& limit) {
        moves_.evaluator().recover();
        give_up(limit.reason, limit.why);
    }
}

}  // namespace treaty::csp
