#include "testgen/adherence.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "testgen/mutants.h"

namespace treaty::testgen {
namespace {

using model::StateId;

// Each pair of edges q -a-> r -b-> s, where r has no other way in or out, with a and b exchanged.
std::vector<Mutant> exchanges(const model::Machine& machine) {
    std::vector<std::size_t> incoming(machine.state_count(), 0);
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& e : machine.out(StateId(s))) ++incoming[e.target.index];
    std::vector<Mutant> mutants;
    for (std::size_t q = 0; q < machine.state_count(); ++q) {
        auto edges = machine.out(StateId(q));
        for (std::uint32_t i = 0; i < edges.size(); ++i) {
            StateId middle = edges[i].target;
            if (incoming[middle.index] != 1 || machine.out(middle).size() != 1 || machine.final(middle))
                continue;
            const model::Edge second = machine.out(middle)[0];
            if (second.label == edges[i].label) continue;
            model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
            for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(StateId(s)));
            for (std::size_t s = 0; s < machine.state_count(); ++s) {
                auto out = machine.out(StateId(s));
                for (std::uint32_t e = 0; e < out.size(); ++e) {
                    model::LabelId label = out[e].label;
                    if (s == q && e == i) label = second.label;
                    if (StateId(s) == middle) label = edges[i].label;
                    builder.edge(StateId(s), label, out[e].target, machine.node(StateId(s), e));
                }
            }
            const model::Alphabet& alphabet = machine.alphabet();
            mutants.push_back({Operator::swap, builder.finish().value(),
                               fmt::format("does {} before {}", alphabet.print(second.label),
                                           alphabet.print(edges[i].label)),
                               machine.node(StateId(q), i), StateId(q), i, false});
        }
    }
    return mutants;
}

}  // namespace

std::optional<explore::Run> leaves_protocol(const model::Machine& component, const TestSuite& suite,
                                            const model::Channels& channels, std::size_t limit) {
    std::vector<const model::Machine*> mine{&component}, theirs{&suite.component()};
    for (const model::Machine* other : suite.others()) mine.push_back(other), theirs.push_back(other);
    Composition here(mine, channels), there(theirs, channels);
    struct Node {
        Position at, reference;
        std::size_t parent;
        Composition::Move move;
    };
    std::vector<Node> nodes{{here.initial(), there.initial(), 0, {}}};
    absl::flat_hash_set<std::pair<Position, Position>> known{{nodes[0].at, nodes[0].reference}};
    auto run_to = [&](std::size_t i, const Composition::Move& last) {
        std::vector<explore::Run> parts{here.events(nodes[i].at, last)};
        for (; i > 0; i = nodes[i].parent)
            parts.push_back(here.events(nodes[nodes[i].parent].at, nodes[i].move));
        explore::Run run;
        for (std::size_t k = parts.size(); k-- > 0;) run.insert(run.end(), parts[k].begin(), parts[k].end());
        return run;
    };
    std::vector<Composition::Move> moves, references;
    for (std::size_t i = 0; i < nodes.size() && nodes.size() < limit; ++i) {
        Position at = nodes[i].at, reference = nodes[i].reference;
        here.moves(at, moves);
        there.moves(reference, references);
        for (const auto& move : moves) {
            model::LabelId label = here.label(at, move);
            auto same = std::find_if(references.begin(), references.end(),
                                     [&](const auto& r) { return there.label(reference, r) == label; });
            if (same == references.end()) return run_to(i, move);
            Position next = here.after(at, move), next_reference = there.after(reference, *same);
            if (known.insert({next, next_reference}).second)
                nodes.push_back({std::move(next), std::move(next_reference), i, move});
        }
    }
    return std::nullopt;
}

Adherence find_wrong_passer(const TestSuite& suite, const ComplianceOptions& options) {
    Adherence result;
    Observer observer(suite.projections(), suite.cut(), options.channels);
    TestCase whole = suite.whole();
    std::vector<Mutant> candidates = exchanges(suite.component());
    for (Mutant& mutant : mutate_machine(suite.component())) candidates.push_back(std::move(mutant));
    for (Mutant& candidate : candidates) {
        ++result.tried;
        if (comply(candidate.machine, whole.machines, &observer, options).answer != base::Answer::holds)
            continue;
        auto run = leaves_protocol(candidate.machine, suite, options.channels);
        if (!run) continue;
        result.answer = base::Answer::fails;
        result.wrong = WrongPasser{std::move(candidate.machine), std::move(candidate.what), std::move(*run)};
        return result;
    }
    return result;
}

}  // namespace treaty::testgen
