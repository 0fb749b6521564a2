#include "complete/domains.h"

#include <algorithm>

namespace treaty::complete {

using model::Edge;
using model::LabelId;
using model::Machine;
using model::MachineBuilder;
using model::StateId;

Machine any_process(const std::shared_ptr<model::Alphabet>& alphabet, std::span<const LabelId> events,
                    explore::Observation observation, Ends ends) {
    MachineBuilder builder("any", alphabet);
    StateId run = builder.state(ends == Ends::seen);
    for (LabelId event : events) builder.edge(run, event, run);
    if (observation != explore::Observation::traces) builder.edge(run, alphabet->silent(), builder.state());
    return builder.finish().value();
}

std::optional<Machine> mutants(const Machine& spec, std::span<const LabelId> events, std::size_t max_states,
                               Ends ends) {
    std::size_t n = spec.state_count();
    std::size_t changes = spec.edge_count() * (events.size() + n + 1) + n * events.size() * n + n;
    if (n == 0 || changes >= max_states / n) return std::nullopt;
    MachineBuilder builder("mutants", spec.alphabet_ptr());
    StateId choice = builder.state();
    struct Change {
        StateId from;
        std::optional<Edge> without, with;
        bool end = false;  // it ends where it did not, or the other way round
    };
    auto copy = [&](const Change& change) {
        std::size_t first = builder.state_count();
        for (std::size_t s = 0; s < n; ++s) {
            bool other = change.end && StateId(s) == change.from;
            builder.state(ends == Ends::seen && spec.final(StateId(s)) != other);
        }
        auto edge = [&](StateId from, const Edge& e) {
            builder.edge(StateId(first + from.index), e.label, StateId(first + e.target.index));
        };
        for (std::size_t s = 0; s < n; ++s)
            for (const Edge& e : spec.out(StateId(s)))
                if (StateId(s) != change.from || e != change.without) edge(StateId(s), e);
        if (change.with) edge(change.from, *change.with);
        builder.edge(choice, spec.alphabet().silent(), StateId(first));
    };
    copy({});
    for (std::size_t s = 0; s < n; ++s) {
        StateId from(s);
        for (const Edge& e : spec.out(from)) {
            copy({from, e, {}});
            for (LabelId l : events)
                if (l != e.label) copy({from, e, Edge{l, e.target}});
            for (std::size_t t = 0; t < n; ++t)
                if (StateId(t) != e.target) copy({from, e, Edge{e.label, StateId(t)}});
        }
        for (LabelId l : events)
            for (std::size_t t = 0; t < n; ++t) copy({from, {}, Edge{l, StateId(t)}});
        if (ends == Ends::seen) copy({from, {}, {}, true});
    }
    return builder.finish();
}

Events events_of(explore::Graph& graph, std::size_t max_states) {
    std::vector<StateId> work{StateId(0u)};
    std::vector<bool> known{true};
    Events events;
    std::vector<LabelId>& found = events.labels;
    for (std::size_t i = 0; i < work.size() && events.all; ++i) {
        if (work.size() > max_states) events.all = false;
        events.ends = events.ends || graph.final(work[i]);
        for (const Edge& e : graph.out(work[i])) {
            if (e.label.index != 0 && (found.empty() || found.back() != e.label)) found.push_back(e.label);
            if (known.size() <= e.target.index)
                known.resize(std::max<std::size_t>(e.target.index + 1, known.size() * 2));
            if (known[e.target.index]) continue;
            known[e.target.index] = true;
            work.push_back(e.target);
        }
        if (graph.broken()) events.all = false;
        if (found.size() > 4096) {
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return events;
}

}  // namespace treaty::complete
