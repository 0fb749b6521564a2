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

// By state: the fewest events to where the machine may end. As many as there are states if nowhere.
std::vector<std::size_t> way_to_end(const model::Machine& machine) {
    std::vector<std::size_t> way(machine.state_count(), machine.state_count());
    for (std::size_t s = 0; s < way.size(); ++s)
        if (machine.final(StateId(s)) || machine.out(StateId(s)).empty()) way[s] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t s = 0; s < way.size(); ++s)
            for (const model::Edge& edge : machine.out(StateId(s)))
                if (way[edge.target.index] + 1 < way[s]) {
                    way[s] = way[edge.target.index] + 1;
                    changed = true;
                }
    }
    return way;
}

// Every decision for the shortest way to an end.
Fixing shortest(const model::Machine& machine) {
    std::vector<std::size_t> way = way_to_end(machine);
    Fixing fixing{std::vector<std::uint32_t>(machine.state_count(), Fixing::free)};
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(StateId(s));
        std::size_t best = SIZE_MAX;
        for (std::uint32_t option : options_of(machine, StateId(s))) {
            std::size_t length = option == Fixing::stop ? 0 : way[edges[option].target.index] + 1;
            if (length >= best) continue;
            best = length;
            fixing.kept[s] = option;
        }
    }
    return fixing;
}

// The machine with its decisions fixed, and before it the states of the run, one after the other.
class Unrolled {
public:
    explicit Unrolled(const TestMachine& test)
        : test_(test),
          machine_(test.machine),
          fixing_(shortest(machine_)),
          builder_(machine_.name(), machine_.alphabet_ptr(), machine_.role()) {}

    TestMachine along(std::size_t number, const explore::Run& run) {
        StateId at = machine_.initial();
        for (const explore::Step& step : run) {
            if (step.machine != number) continue;
            StateId here = state(at);
            taken_.push_back({at, here, step});
            at = step.target;
        }
        for (std::size_t s = 0; s < machine_.state_count(); ++s) state(StateId(s));
        for (std::size_t i = 0; i < taken_.size(); ++i) add_taken(i);
        for (std::size_t s = 0; s < machine_.state_count(); ++s) add_fixed(StateId(s));
        return {builder_.finish().value(), std::move(success_), std::move(waits_)};
    }

    void describe(std::vector<FixedChoice>& into) const {
        for (const Taken& taken : taken_) {
            if (options_of(machine_, taken.origin).empty()) continue;
            Fixing one{std::vector<std::uint32_t>(machine_.state_count(), Fixing::free)};
            auto edges = machine_.out(taken.origin);
            for (std::uint32_t i = 0; i < edges.size(); ++i)
                if (edges[i].label == taken.step.label)
                    one.kept[taken.origin.index] = sends(taken.step.label)        ? i
                                                   : machine_.final(taken.origin) ? Fixing::stop
                                                                                  : Fixing::wait;
            TestSuite::describe_choices(machine_, one, into);
        }
    }

private:
    struct Taken {
        StateId origin, here;
        explore::Step step;
    };

    bool sends(model::LabelId label) const {
        return machine_.alphabet().event(label).kind == model::EventKind::send;
    }

    StateId state(StateId origin) {
        success_.push_back(test_.success[origin.index]);
        waits_.push_back(false);
        return builder_.state(machine_.final(origin), std::to_string(success_.size() - 1));
    }

    StateId fixed(StateId origin) const { return StateId(taken_.size() + origin.index); }

    void add_taken(std::size_t i) {
        const Taken& taken = taken_[i];
        StateId next = i + 1 < taken_.size() ? taken_[i + 1].here : fixed(taken.step.target);
        bool could_send = false;
        for (const model::Edge& edge : machine_.out(taken.origin)) {
            bool own = edge.label == taken.step.label;
            could_send = could_send || sends(edge.label);
            if (own || (!sends(edge.label) && !sends(taken.step.label)))
                builder_.edge(taken.here, edge.label, own ? next : fixed(edge.target));
        }
        waits_[taken.here.index] = could_send && !sends(taken.step.label) && !machine_.final(taken.origin);
    }

    void add_fixed(StateId origin) {
        std::uint32_t kept = fixing_.kept[origin.index];
        auto edges = machine_.out(origin);
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (kept == Fixing::free || kept == i || (kept == Fixing::stop && !sends(edges[i].label)))
                builder_.edge(fixed(origin), edges[i].label, fixed(edges[i].target));
    }

    const TestMachine& test_;
    const model::Machine& machine_;
    Fixing fixing_;
    model::MachineBuilder builder_;
    std::vector<Taken> taken_;
    std::vector<bool> success_, waits_;
};

}  // namespace

TestCase follow_loops(const TestCase& whole, const explore::Run& run) {
    TestCase result;
    result.index = -1;
    for (std::size_t m = 0; m < whole.machines.size(); ++m) {
        Unrolled unrolled(whole.machines[m]);
        result.machines.push_back(unrolled.along(m + 1, run));
        unrolled.describe(result.choices);
    }
    return result;
}

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
