#include "choreo/untold_branches.h"

#include <gtest/gtest.h>

#include "choreo/project_net.h"
#include "choreo/testing/data.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"

namespace treaty::choreo {
namespace {

// How many states the role may be in after these steps of its own: more than one means that what it takes
// next depends on something it was not told.
std::size_t states_after(const model::Net& net, const std::vector<std::string>& labels) {
    auto steps = testing::net_steps(net);
    std::set<testing::StateText> states{steps.initial};
    for (const std::string& label : labels) {
        // Silent steps are taken only before the next label: they may be taken later, too.
        std::set<testing::StateText> after;
        std::vector<testing::StateText> stack(states.begin(), states.end());
        std::set<testing::StateText> seen = states;
        while (!stack.empty()) {
            testing::StateText s = stack.back();
            stack.pop_back();
            for (auto& [l, target] : steps.next(s)) {
                if (l == label) after.insert(target);
                if (l.empty() && seen.insert(target).second) stack.push_back(target);
            }
        }
        states = std::move(after);
    }
    return states.size();
}

struct Parts {
    model::Net plain, merged;
};

Parts parts(const std::string& text, std::string_view role) {
    auto t = testing::read(text);
    auto plain = project_net(*t.spec, *t.protocol, t.role(role));
    return {*plain, merge_untold_branches(*plain, *t.protocol, t.role(role))};
}

TEST(UntoldBranches, WhatIsTheSameInBothBranchesLeadsToOnePlace) {
    for (auto [text, label] : std::vector<std::pair<std::string, std::string>>{
             {"ch A { A->C:x ; C->B:m ; C->B:go } { A->C:y ; C->B:m ; C->B:stop }", "C B?m"},
             {"ch A { A->C:x ; B->C:m ; C->B:go } { A->C:y ; B->C:m ; C->B:stop }", "B C!m"},
             // B's own decision shows in what it sends.
             {"ch A { A->C:x ; ch B { B->C:m ; C->B:go } { B->C:n } } "
              "{ A->C:y ; ch B { B->C:m } { B->C:n ; C->B:e } }",
              "B C!m"},
             {"rep A { A->C:x ; B->C:m ; C->B:go } ; A->C:y ; B->C:m ; C->B:stop", "B C!m"},
         }) {
        Parts both = parts(text, "B");
        EXPECT_EQ(states_after(both.plain, {label}), 2u) << text;
        EXPECT_EQ(states_after(both.merged, {label}), 1u) << text;
    }
}

TEST(UntoldBranches, AlsoWhereItGoesOnForSeveralSteps) {
    Parts both = parts(
        "ch A { A->C:x ; B->C:m ; C->B:n ; B->C:o ; C->B:go } "
        "{ A->C:y ; B->C:m ; C->B:n ; B->C:o ; C->B:stop }",
        "B");
    EXPECT_EQ(states_after(both.plain, {"B C!m", "C B?n", "B C!o"}), 2u);
    EXPECT_EQ(states_after(both.merged, {"B C!m", "C B?n", "B C!o"}), 1u);
}

TEST(UntoldBranches, WhatTheRoleDecidesItselfStaysApart) {
    for (const char* text : {"ch B { B->C:m ; C->B:go } { B->C:m ; C->B:stop }",
                             "rep B { B->C:m ; C->B:go } ; B->C:m ; C->B:stop",
                             "ch - { B->C:m ; C->B:go } { B->C:m ; C->B:stop }"}) {
        Parts both = parts(text, "B");
        EXPECT_EQ(states_after(both.plain, {"B C!m"}), 2u) << text;
        EXPECT_EQ(states_after(both.merged, {"B C!m"}), 2u) << text;
    }
}

TEST(UntoldBranches, KeepsStepsTracesAndEnds) {
    int decided = 0, merged = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(1500); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 8;
        shape.messages = 1 + seed % 2;
        shape.recursion = shape.interrupts = true;
        auto protocol = random_protocol(spec, shape, seed);
        for (model::RoleId role : protocol.roles()) {
            auto net = project_net(spec, protocol, role);
            ASSERT_TRUE(net);
            model::Net after = merge_untold_branches(*net, protocol, role);
            auto nodes = [](const model::Net& n) {
                std::multiset<std::uint32_t> all;
                for (const auto& t : n.transitions())
                    if (!t.silent()) all.insert(t.node.index);
                return all;
            };
            ASSERT_EQ(nodes(*net), nodes(after)) << "seed " << seed;
            if (after.places().size() == net->places().size()) continue;
            ++merged;
            auto outcome =
                testing::same_weak_traces(testing::net_steps(*net), testing::net_steps(after), 4, 150);
            decided += outcome.decided;
            ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference << "\n"
                                      << testing::write(spec, protocol);
        }
    }
    EXPECT_GT(merged, 100);
    EXPECT_GT(decided, 80);
}

// Branches that begin with the same message and bind its values to variables of their own.
TEST(UntoldBranches, KeepsTracesWithData) {
    int decided = 0, merged = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(9000); ++seed) {
        model::Specification spec;
        model::Protocol protocol = testing::RandomData(spec, seed, true).with_deciders().make(6);
        for (model::RoleId role : protocol.roles()) {
            auto net = project_net(spec, protocol, role);
            ASSERT_TRUE(net);
            model::Net after = merge_untold_branches(*net, protocol, role);
            if (after.places().size() == net->places().size()) continue;
            ++merged;
            auto outcome = testing::same_weak_traces(testing::data_net_steps(*net, *spec.pool),
                                                     testing::data_net_steps(after, *spec.pool), 4, 300);
            decided += outcome.decided;
            ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference << "\n"
                                      << testing::write(spec, protocol);
        }
    }
    EXPECT_GT(merged, 30);
    EXPECT_GT(decided, 20);
}

}  // namespace
}  // namespace treaty::choreo
