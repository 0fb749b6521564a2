// What goes on beside a loop that never ends: the net of the rewritten protocol does what each role does.
#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/net_machine.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/seeds.h"
#include "model/endings.h"
#include "model/testing/endless.h"

namespace treaty::choreo {
namespace {

std::set<std::string> messages_of(const model::Machine& machine) {
    std::set<std::string> names;
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& e : machine.out(model::StateId(s)))
            if (e.label.index != 0)
                names.insert(std::string(machine.alphabet().name(machine.alphabet().event(e.label).message)));
    return names;
}

TEST(Endless, TheNetDoesWhatTheRolesDo) {
    std::size_t rewritten = 0, complete = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(12000); ++seed) {
        model::Specification spec;
        model::Protocol protocol = model::testing::EndlessProtocols(spec, seed).make();
        auto apart = model::beside_endless(protocol);
        if (!apart) continue;
        ++rewritten;
        ASSERT_EQ(apart->protocol.size(), apart->source.size());
        auto net = compile_net(spec, apart->protocol);
        ASSERT_TRUE(net) << "seed " << seed;
        auto machine = net_machine(*net, {.states = 20000, .deadline = {}});
        if (!machine) continue;
        model::testing::PlainRuns runs(protocol);
        bool all = runs.everything_happens();
        std::set<std::string> possible = runs.happens(*spec.alphabet), found = messages_of(*machine);
        for (const std::string& m : found) ASSERT_TRUE(possible.count(m)) << "seed " << seed << ": " << m;
        if (!all) continue;  // a step is never reached: lang refuses such a protocol
        ++complete;
        ASSERT_EQ(found, possible) << "seed " << seed << "\n" << testing::write(spec, protocol);
    }
    EXPECT_GT(complete, 100u);
    EXPECT_GT(rewritten, 200u);
}

}  // namespace
}  // namespace treaty::choreo
