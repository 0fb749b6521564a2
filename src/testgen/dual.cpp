#include "testgen/dual.h"

namespace treaty::testgen {

using model::StateId;

model::Machine dual_of(const model::Machine& machine) {
    model::Alphabet& alphabet = *machine.alphabet_ptr();
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(StateId(s)));
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(StateId(s));
        for (std::size_t i = 0; i < edges.size(); ++i) {
            model::Event event = alphabet.event(edges[i].label);
            if (event.kind == model::EventKind::send)
                event.kind = model::EventKind::receive;
            else if (event.kind == model::EventKind::receive)
                event.kind = model::EventKind::send;
            builder.edge(StateId(s), alphabet.label(event), edges[i].target, machine.node(StateId(s), i));
        }
    }
    return builder.finish().value();
}

std::optional<std::vector<TestCase>> dual_tests(const model::Machine& component, Keep keep, std::size_t most,
                                                std::uint64_t seed) {
    model::Machine dual = dual_of(component);
    Splitting splitting(dual, keep);
    if (!splitting.counted()) return std::nullopt;
    std::vector<TestCase> cases;
    for (const Count& number : sample_cases(splitting.count(), most, seed)) {
        SplitMachine split = apply(dual, splitting.at(number), keep);
        std::vector<bool> success;
        for (StateId origin : split.origin) success.push_back(dual.final(origin) || dual.out(origin).empty());
        TestCase test;
        test.index = number;
        test.machines.push_back({std::move(split.machine), std::move(success)});
        cases.push_back(std::move(test));
    }
    return cases;
}

}  // namespace treaty::testgen
