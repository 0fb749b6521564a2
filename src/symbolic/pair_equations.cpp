// The cases of definition 4, for a pair (i, s):
//
//   1  each silent step of i leads to a state that conforms to s;
//   2  where i may end, s may end;
//   3, 4  each event of i is matched by one of s with the same data, to a pair that conforms;
//   5  where s may end, i may end, perhaps after silent steps through states that conform to s;
//   6, 7  each event of s is matched by one of i, perhaps after such silent steps.
//
// Bound and free events are one case, since both are conditions on the payload. Unlike there, which event
// matches may depend on the payload: conformance.h explains why.

#include "symbolic/pair_equations.h"

#include <algorithm>

#include "expr/simplify.h"

namespace treaty::symbolic {
namespace {

constexpr std::size_t max_paths = 200;

bool silent(const GraphEdge& edge) {
    return edge.label.index == 0;
}

}  // namespace

PairEquations::PairEquations(const SymbolicGraph& implementation, const SymbolicGraph& specification,
                             Logic& logic)
    : implementation_(implementation), specification_(specification), logic_(logic) {
    paths_.resize(implementation.states.size());
    for (GraphStateId s : implementation.states.ids()) find_paths(s);
}

// Depth first, each state at most once on a path. Going round a silent cycle changes nothing unless it
// computes something: then longer paths exist that are not looked at.
void PairEquations::find_paths(GraphStateId start) {
    expr::Pool& pool = *implementation_.pool;
    std::vector<SilentPath>& paths = paths_[start];
    paths.push_back({start, logic_.yes(), {}, {}});
    std::vector<std::vector<GraphStateId>> visited{{start}};
    for (std::size_t p = 0; p < paths.size(); ++p) {
        const SilentPath path = paths[p];
        for (const GraphEdge& edge : implementation_.states[path.end].out) {
            if (!silent(edge)) continue;
            if (std::find(visited[p].begin(), visited[p].end(), edge.target) != visited[p].end()) {
                if (!edge.updates.empty() || !path.values.empty()) paths_cut_ = true;
                continue;
            }
            if (paths.size() >= max_paths) {
                paths_cut_ = true;
                return;
            }
            SilentPath next = path;
            next.end = edge.target;
            // The values chosen on this path are its own.
            absl::flat_hash_map<VarId, ExprId> with = path.values;
            for (VarId v : edge.chosen) {
                VarId own = pool.declare(pool.variable(v).name, pool.variable(v).type);
                with[v] = pool.var(own);
                next.chosen.push_back(own);
            }
            next.condition = logic_.all_of({path.condition,
                                            expr::substitute(pool, guard(implementation_, edge), path.values),
                                            expr::substitute(pool, data(edge), with)});
            for (const auto& u : edge.updates)
                next.values[u.variable] = expr::substitute(pool, u.value, with);
            paths.push_back(std::move(next));
            visited.push_back(visited[p]);
            visited.back().push_back(edge.target);
        }
    }
}

std::vector<StatePair> PairEquations::successors(StatePair pair) const {
    std::vector<StatePair> all;
    const GraphState& s = specification_.states[pair.specification];
    for (const SilentPath& path : paths_[pair.implementation]) {
        if (&path != &paths_[pair.implementation].front()) all.push_back({path.end, pair.specification});
        for (const GraphEdge& mine : implementation_.states[path.end].out)
            for (const GraphEdge& theirs : s.out)
                if (!silent(mine) && mine.label == theirs.label) all.push_back({mine.target, theirs.target});
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

ExprId PairEquations::after(ExprId condition, const GraphEdge* implementation,
                            const GraphEdge* specification) {
    absl::flat_hash_map<VarId, ExprId> by;
    for (const GraphEdge* edge : {implementation, specification})
        if (edge)
            for (const auto& u : edge->updates) by[u.variable] = u.value;
    return logic_.negation_free(expr::substitute(logic_.pool(), condition, by));
}

std::optional<ExprId> PairEquations::for_all_payload(LabelId label, ExprId e) {
    std::vector<VarId> carried;
    for (const SymbolicGraph* graph : {&implementation_, &specification_})
        for (VarId z : graph->payload_of(label)) carried.push_back(z);
    for (VarId z : carried) {
        auto without = logic_.for_all(z, e);
        if (!without) {
            fail();
            return std::nullopt;
        }
        e = *without;
    }
    return e;
}

std::optional<ExprId> PairEquations::evaluate(StatePair pair, const Known& known) {
    std::vector<ExprId> all;
    using Case = std::optional<ExprId> (PairEquations::*)(StatePair, const Known&);
    for (Case one :
         {Case(&PairEquations::silent_steps), Case(&PairEquations::ends),
          Case(&PairEquations::implementation_events), Case(&PairEquations::specification_events)}) {
        auto part = (this->*one)(pair, known);
        if (!part) return std::nullopt;
        if (logic_.pool().is_false(*part)) return part;
        all.push_back(*part);
    }
    return logic_.all_of(all);
}

std::optional<ExprId> PairEquations::silent_steps(StatePair pair, const Known& known) {
    std::vector<ExprId> all;
    for (const GraphEdge& edge : implementation_.states[pair.implementation].out) {
        if (!silent(edge)) continue;
        ExprId then = after(known({edge.target, pair.specification}), &edge, nullptr);
        ExprId taken = logic_.all_of({guard(implementation_, edge), data(edge)});
        ExprId part = logic_.implies(taken, then);
        for (VarId z : edge.chosen) {
            auto without = logic_.for_all(z, part);
            if (!without) {
                fail();
                return std::nullopt;
            }
            part = *without;
        }
        all.push_back(part);
    }
    return logic_.all_of(all);
}

std::optional<ExprId> PairEquations::ends(StatePair pair, const Known& known) {
    ExprId mine = implementation_.states[pair.implementation].terminates;
    ExprId theirs = specification_.states[pair.specification].terminates;
    std::vector<ExprId> all;
    if (mine) all.push_back(logic_.implies(mine, theirs ? theirs : logic_.no()));
    if (!theirs) return logic_.all_of(all);
    std::vector<ExprId> ways;
    for (const SilentPath& path : paths_[pair.implementation]) {
        ExprId end = implementation_.states[path.end].terminates;
        if (!end) continue;
        auto way = along(path, pair, {end}, known);
        if (!way) return std::nullopt;
        ways.push_back(*way);
    }
    all.push_back(logic_.implies(theirs, logic_.any_of(ways)));
    return logic_.all_of(all);
}

std::optional<ExprId> PairEquations::implementation_events(StatePair pair, const Known& known) {
    std::vector<ExprId> all;
    for (const GraphEdge& mine : implementation_.states[pair.implementation].out) {
        if (silent(mine)) continue;
        std::vector<ExprId> ways;
        for (const GraphEdge& theirs : specification_.states[pair.specification].out) {
            if (theirs.label != mine.label) continue;
            ExprId then = after(known({mine.target, theirs.target}), &mine, &theirs);
            ways.push_back(logic_.all_of({guard(specification_, theirs), data(theirs), then}));
        }
        auto matched = for_all_payload(mine.label, logic_.implies(data(mine), logic_.any_of(ways)));
        if (!matched) return std::nullopt;
        all.push_back(logic_.implies(guard(implementation_, mine), *matched));
    }
    return logic_.all_of(all);
}

std::optional<ExprId> PairEquations::specification_events(StatePair pair, const Known& known) {
    std::vector<ExprId> all;
    for (const GraphEdge& theirs : specification_.states[pair.specification].out) {
        auto ways = counterparts(pair, theirs, known);
        if (!ways) return std::nullopt;
        auto matched = for_all_payload(theirs.label, logic_.implies(data(theirs), logic_.any_of(*ways)));
        if (!matched) return std::nullopt;
        all.push_back(logic_.implies(guard(specification_, theirs), *matched));
    }
    return logic_.all_of(all);
}

std::optional<ExprId> PairEquations::along(const SilentPath& path, StatePair pair, std::vector<ExprId> at_end,
                                           const Known& known) {
    if (path.end != pair.implementation) at_end.push_back(known({path.end, pair.specification}));
    ExprId way =
        logic_.all_of({path.condition, expr::substitute(logic_.pool(), logic_.all_of(at_end), path.values)});
    for (VarId z : path.chosen) {
        auto without = logic_.exists(z, way);
        if (!without) {
            fail();
            return std::nullopt;
        }
        way = *without;
    }
    return way;
}

std::optional<std::vector<ExprId>> PairEquations::counterparts(StatePair pair, const GraphEdge& theirs,
                                                               const Known& known) {
    std::vector<ExprId> ways;
    for (const SilentPath& path : paths_[pair.implementation]) {
        for (const GraphEdge& mine : implementation_.states[path.end].out) {
            if (mine.label != theirs.label) continue;
            ExprId then = after(known({mine.target, theirs.target}), &mine, &theirs);
            auto way = along(path, pair, {guard(implementation_, mine), data(mine), then}, known);
            if (!way) return std::nullopt;
            ways.push_back(*way);
        }
    }
    return ways;
}

}  // namespace treaty::symbolic
