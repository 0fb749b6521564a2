#include "explore/testing/random_system.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"

namespace treaty::explore {
namespace {

using model::EventKind;

class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(base::mix(seed + 1)) {}
    std::uint32_t below(std::uint32_t n) {
        state_ += 0x9e3779b97f4a7c15ull;
        return static_cast<std::uint32_t>((base::mix(state_) >> 32) * n >> 32);
    }
    bool chance(std::uint32_t percent) { return below(100) < percent; }

private:
    std::uint64_t state_;
};

}  // namespace

model::System random_system(std::uint64_t seed, const RandomShape& shape, model::Channels channels) {
    Dice dice(seed);
    auto alphabet = std::make_shared<model::Alphabet>();
    std::vector<model::RoleId> roles;
    for (std::uint32_t i = 0; i <= shape.machines; ++i)
        roles.push_back(alphabet->role(fmt::format("R{}", i)));
    std::vector<model::MessageId> messages;
    for (std::uint32_t i = 0; i < shape.messages; ++i)
        messages.push_back(alphabet->message(fmt::format("m{}", i)));

    std::vector<model::MachineBuilder> builders;
    for (std::uint32_t i = 0; i < shape.machines; ++i) {
        builders.emplace_back(fmt::format("R{}", i), alphabet, roles[i]);
        std::uint32_t states = 1 + dice.below(shape.states);
        for (std::uint32_t s = 0; s < states; ++s) builders[i].state(dice.chance(30));
    }
    auto any_state = [&](std::uint32_t m) {
        return model::StateId(std::size_t(dice.below(static_cast<std::uint32_t>(builders[m].state_count()))));
    };
    // Some systems talk in pairs only and so fall into groups.
    bool pairs = shape.groups == 0 && shape.machines >= 4 && dice.chance(25);
    std::uint32_t groups = std::max(1u, shape.groups);
    // The next machine of the same group: group g has the machines g, g + groups, and so on.
    auto next_of = [&](std::uint32_t m) { return m + groups < shape.machines ? m + groups : m % groups; };
    auto partner_of = [&](std::uint32_t m) {
        std::uint32_t members = (shape.machines - m % groups + groups - 1) / groups;
        return m % groups + groups * dice.below(members);
    };
    std::uint32_t received = 40 + dice.below(60);
    for (std::uint32_t i = 0; i < shape.machines * shape.edges; ++i) {
        std::uint32_t from = dice.below(shape.machines), to = pairs ? from ^ 1u : partner_of(from);
        if (shape.odd && dice.chance(4)) {
            builders[from].edge(any_state(from), alphabet->silent(), any_state(from));
            continue;
        }
        if (to == from && !(shape.odd && dice.chance(20))) to = next_of(from);
        if (to >= shape.machines || (shape.odd && !pairs && dice.chance(2))) to = shape.machines;
        model::MessageId message = messages[dice.below(shape.messages)];
        if (dice.chance(90))
            builders[from].edge(any_state(from), alphabet->send(roles[from], roles[to], message),
                                any_state(from));
        if (to < shape.machines && dice.chance(received))
            builders[to].edge(any_state(to), alphabet->receive(roles[from], roles[to], message),
                              any_state(to));
    }
    // A message that goes around in each group for ever, next to whatever else there is.
    for (std::uint32_t m = 0; shape.endless && m < shape.machines; ++m) {
        model::StateId first = model::StateId(0u), second = any_state(m);
        model::LabelId out = alphabet->send(roles[m], roles[next_of(m)], messages[0]);
        for (std::uint32_t before = 0; before < shape.machines; ++before) {
            if (next_of(before) != m || before == m) continue;
            model::LabelId in = alphabet->receive(roles[before], roles[m], messages[0]);
            bool starts = m < groups;
            builders[m].edge(first, starts ? out : in, second);
            builders[m].edge(second, starts ? in : out, first);
        }
    }
    std::vector<model::Machine> machines;
    for (model::MachineBuilder& b : builders) {
        auto machine = b.finish();
        TREATY_CHECK(machine);
        machines.push_back(std::move(*machine));
    }
    auto system = model::make_system(fmt::format("random {}", seed), std::move(machines), channels);
    TREATY_CHECK(system);
    return std::move(*system);
}

}  // namespace treaty::explore
