#include "testgen/follow.h"

namespace treaty::testgen {

using model::StateId;

namespace {

Fixing choices_in(const model::Machine& machine, std::size_t number, const explore::Run& run) {
    Fixing fixing{std::vector<std::uint32_t>(machine.state_count(), Fixing::free)};
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        if (auto options = options_of(machine, StateId(s)); !options.empty())
            fixing.kept[s] = options.front();
    StateId at = machine.initial();
    for (const explore::Step& step : run) {
        if (step.machine != number) continue;
        auto edges = machine.out(at);
        bool send = machine.alphabet().event(step.label).kind == model::EventKind::send;
        for (std::uint32_t i = 0; i < edges.size(); ++i)
            if (edges[i].label == step.label && fixing.kept[at.index] != Fixing::free)
                fixing.kept[at.index] = send ? i : machine.final(at) ? Fixing::stop : Fixing::wait;
        at = step.target;
    }
    if (fixing.kept[at.index] != Fixing::free && machine.final(at)) fixing.kept[at.index] = Fixing::stop;
    return fixing;
}

}  // namespace

TestCase follow(const TestCase& whole, const explore::Run& run) {
    TestCase result;
    result.index = -1;
    for (std::size_t m = 0; m < whole.machines.size(); ++m) {
        const TestMachine& test = whole.machines[m];
        Fixing fixing = choices_in(test.machine, m + 1, run);
        SplitMachine split = apply(test.machine, fixing, Keep::reachable);
        std::vector<bool> success;
        for (StateId origin : split.origin) success.push_back(test.success[origin.index]);
        result.machines.push_back({std::move(split.machine), std::move(success), std::move(split.waits)});
        Fixing made{std::vector<std::uint32_t>(fixing.kept.size(), Fixing::free)};
        for (StateId origin : split.origin) made.kept[origin.index] = fixing.kept[origin.index];
        TestSuite::describe_choices(test.machine, made, result.choices);
    }
    return result;
}

}  // namespace treaty::testgen
