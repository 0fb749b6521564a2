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

DualSuite::DualSuite(const model::Machine& component, Keep keep)
    : dual_(dual_of(component)), keep_(keep), splitting_(dual_, keep) {}

TestCase DualSuite::at(const Count& index) const {
    Fixing fixing = splitting_.at(index);
    SplitMachine split = apply(dual_, fixing, keep_);
    std::vector<bool> success;
    for (StateId origin : split.origin) success.push_back(dual_.final(origin) || dual_.out(origin).empty());
    TestCase test;
    test.index = index;
    test.machines.push_back({std::move(split.machine), std::move(success)});
    TestSuite::describe_choices(dual_, fixing, test.choices);
    return test;
}

}  // namespace treaty::testgen
