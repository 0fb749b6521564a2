#include "explore/system_space.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/hash.h"
#include "explore/random_system.h"

namespace treaty::explore {
namespace {

using model::Channels;
using model::Mode;

std::vector<std::uint32_t> by_group(const Semantics& semantics) {
    std::vector<std::uint32_t> machines(semantics.system().machines().size());
    std::iota(machines.begin(), machines.end(), 0u);
    std::stable_sort(machines.begin(), machines.end(),
                     [&](auto a, auto b) { return semantics.groups()[a] < semantics.groups()[b]; });
    return machines;
}

Run run_of(const std::vector<std::pair<Run, Configuration>>& all) {
    Run joined;
    for (const auto& [run, c] : all) joined.insert(joined.end(), run.begin(), run.end());
    return joined;
}

// Walks at random through the packed space and compares every state's successors with the plain semantics.
template <int W>
void walk(const model::System& system, const SystemProgram& program, std::uint64_t seed,
          std::uint32_t capacity, std::size_t& compared) {
    const Semantics& semantics = program.layout().semantics();
    SystemSpace<W> space(program);
    Batch<W> batch(space.max_successors());
    State<W> state = space.initial();
    for (std::uint64_t step = 0; step < 60; ++step) {
        Configuration c = program.layout().unpack(state.data());
        batch.clear();
        ASSERT_EQ(space.expand({&state, 1}, batch), 1u);
        std::vector<std::pair<Run, Configuration>> mine, expected;
        auto moves = space.moves(state);
        ASSERT_EQ(moves.size(), batch.size());
        for (std::size_t i = 0; i < moves.size(); ++i) {
            ASSERT_EQ(batch.states()[i][0] & table_bits, 0u);
            mine.emplace_back(program.events(moves[i]), program.layout().unpack(batch.states()[i].data()));
        }
        bool overflow = false;
        for (const Run& run : semantics.steps(c)) {
            Configuration next = *semantics.after(c, run);
            bool fits =
                std::ranges::all_of(next.contents, [&](const auto& q) { return q.size() <= capacity; });
            overflow |= !fits;
            if (fits) expected.emplace_back(run, next);
        }
        std::sort(mine.begin(), mine.end());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(mine, expected) << print(system.alphabet(), run_of(mine));
        EXPECT_EQ((batch.flags(0) & flag::overflow) != 0, overflow);
        compared += mine.size();
        if (batch.size() == 0) return;
        state = batch.states()[base::combine(seed, step) % batch.size()];
    }
}

TEST(SystemSpace, has_the_steps_of_the_semantics) {
    std::map<std::pair<Mode, bool>, std::size_t> compared;  // by mode and whether there is a bound
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(seed);
        Mode mode = static_cast<Mode>(seed % 4);
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed / 4 % 4);
        shape.messages = 1 + static_cast<std::uint32_t>(seed % 3);
        shape.states = 2 + static_cast<std::uint32_t>(seed / 16 % 5);
        // Small capacities are coded; large ones are stored message by message, over several words.
        std::uint32_t capacity = std::array<std::uint32_t, 4>{1, 3, 12, 100}[seed / 4 % 4];
        bool bounded = seed / 64 % 2 == 0;
        Channels channels{mode, bounded ? std::optional(capacity) : std::nullopt};
        model::System system = random_system(seed, shape, channels);
        Semantics semantics(system);
        SystemLayout layout(semantics, by_group(semantics),
                            std::vector<std::uint32_t>(semantics.channels().size(), capacity));
        SystemProgram program(layout, std::vector<bool>(semantics.channels().size(), bounded));
        bool fits = with_width(layout.words(), [&]<int W>() {
            walk<W>(system, program, seed, capacity, compared[{mode, bounded}]);
        });
        ASSERT_TRUE(fits || capacity == 100);
        if (HasFailure()) return;
    }
    EXPECT_EQ(compared.size(), 8u);
    for (const auto& [kind, steps] : compared) EXPECT_GT(steps, 300u) << to_string(kind.first);
}

}  // namespace
}  // namespace treaty::explore
