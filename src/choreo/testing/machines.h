// For tests: random machines, and what distinguishes two states, by brute force.
#pragma once

#include <memory>
#include <string>

#include "base/seeded_random.h"
#include "model/machine.h"

namespace treaty::choreo::testing {

// Up to six states over three labels and silent steps.
inline model::Machine random_machine(std::uint64_t seed, bool silent,
                                     std::shared_ptr<model::Alphabet> alphabet) {
    base::SeededRandom random(seed);
    model::MachineBuilder builder("M", alphabet);
    std::uint32_t states = 1 + random.below(6);
    for (std::uint32_t i = 0; i < states; ++i) builder.state(random.percent(40));
    std::uint32_t edges = random.below(3 * states);
    for (std::uint32_t i = 0; i < edges; ++i) {
        model::LabelId label =
            silent && random.percent(35)
                ? alphabet->silent()
                : alphabet->plain(std::string(1, static_cast<char>('a' + random.below(3))));
        builder.edge(model::StateId(random.below(states)), label, model::StateId(random.below(states)),
                     model::NodeId(random.below(9)));
    }
    return *builder.finish();
}

// The same machine, started elsewhere.
inline model::Machine from_state(const model::Machine& machine, model::StateId start) {
    model::MachineBuilder builder("M", machine.alphabet_ptr());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(model::StateId(s)));
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& e : machine.out(model::StateId(s)))
            builder.edge(model::StateId(s), e.label, e.target);
    builder.set_initial(start);
    return *builder.finish();
}

}  // namespace treaty::choreo::testing
