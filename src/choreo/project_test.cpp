#include "choreo/project.h"

#include <gtest/gtest.h>

#include "choreo/project_net.h"
#include "choreo/testing/compare_traces.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"

namespace treaty::choreo {
namespace {

using testing::read;
using testing::TestProtocol;

// "0 CA?withdraw 1, 1 AB!authW 2; final 2", events without blanks.
std::string text_of(const model::Machine& m) {
    std::string text, finals;
    for (std::size_t s = 0; s < m.state_count(); ++s) {
        for (const model::Edge& e : m.out(model::StateId(s))) {
            std::string label = m.alphabet().print(e.label);
            std::erase(label, ' ');
            text += (text.empty() ? "" : ", ") + std::to_string(s) + " " + label + " " +
                    std::to_string(e.target.index);
        }
        if (m.final(model::StateId(s))) finals += " " + std::to_string(s);
    }
    return text + "; final" + finals;
}

std::string projected(const TestProtocol& t, std::string_view role) {
    auto result = project(*t.spec, *t.protocol, t.role(role));
    return result ? text_of(*result) : result.reason;
}

TEST(Project, Example2_7_OneInteraction) {
    auto t = read("A->B:authW");
    EXPECT_EQ(projected(t, "A"), "0 AB!authW 1; final 1");
    EXPECT_EQ(projected(t, "B"), "0 AB?authW 1; final 1");
}

TEST(Project, Example2_8_Sequence) {
    auto t = read("C->A:withdraw ; A->B:authW");
    EXPECT_EQ(projected(t, "A"), "0 CA?withdraw 1, 1 AB!authW 2; final 2");
    EXPECT_EQ(projected(t, "B"), "0 AB?authW 1; final 1");
    EXPECT_EQ(projected(t, "C"), "0 CA!withdraw 1; final 1");
}

TEST(Project, Example2_9_Choice) {
    auto t = read("ch B { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }");
    EXPECT_EQ(projected(t, "A"), "0 BA?deny 1, 0 BA?allow 2, 1 AC!bye 3, 2 AC!money 3; final 3");
    EXPECT_EQ(projected(t, "B"), "0 BA!deny 1, 0 BA!allow 1; final 1");
    EXPECT_EQ(projected(t, "C"), "0 AC?bye 1, 0 AC?money 1; final 1");
}

TEST(Project, Example2_6_Withdraw) {
    auto t = read("C->A:withdraw ; A->B:authW ; ch B { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }");
    EXPECT_EQ(projected(t, "A"),
              "0 CA?withdraw 1, 1 AB!authW 2, 2 BA?deny 3, 2 BA?allow 4, 3 AC!bye 5, 4 AC!money 5; final 5");
    EXPECT_EQ(projected(t, "B"), "0 AB?authW 1, 1 BA!deny 2, 1 BA!allow 2; final 2");
    EXPECT_EQ(projected(t, "C"), "0 CA!withdraw 1, 1 AC?bye 2, 1 AC?money 2; final 2");
}

TEST(Project, WhatFollowsAChoiceALoopAndAParallelBlock) {
    EXPECT_EQ(projected(read("ch A { A->B:x } { A->B:y } ; A->B:z"), "A"),
              "0 AB!x 1, 0 AB!y 1, 1 AB!z 2; final 2");
    EXPECT_EQ(projected(read("rep A { A->B:x } ; A->B:z"), "B"), "0 AB?x 0, 0 AB?z 1; final 1");
    EXPECT_EQ(projected(read("par { A->B:x } { A->B:y } ; A->B:z"), "A"),
              "0 AB!x 1, 0 AB!y 2, 1 AB!y 3, 2 AB!x 3, 3 AB!z 4; final 4");
    EXPECT_EQ(projected(read("ch A { A->B:x } { A->C:x } ; B->C:z"), "B"),
              "0 AB?x 1, 0 BC!z 2, 1 BC!z 2; final 2");
}

TEST(Project, ARoleWithNoPartHasFinished) {
    auto t = read("A->B:x ; C->D:y");
    EXPECT_EQ(projected(t, "C"), "0 CD!y 1; final 1");
    EXPECT_EQ(projected(read("rep A { A->B:x } ; C->D:y"), "D"), "0 CD?y 1; final 1");
}

TEST(Project, SomeoneElsesEndlessLoopLetsARoleFinish) {
    auto t = read("A->B:x ; rec L { B->C:y ; cont L }");
    EXPECT_EQ(projected(t, "A"), "0 AB!x 1; final 1");
    EXPECT_EQ(projected(t, "C"), "0 BC?y 0; final");
}

TEST(Project, RecursionIsMinimal) {
    auto t = read("rec L { A->B:x ; ch B { B->A:more ; cont L } { B->A:stop } }");
    EXPECT_EQ(projected(t, "A"), "0 AB!x 1, 1 BA?more 0, 1 BA?stop 2; final 2");
}

TEST(Project, EdgesKeepTheirSource) {
    auto t = read("A->B:x ; C->A:y");
    auto m = project(*t.spec, *t.protocol, t.role("A"));
    ASSERT_TRUE(m);
    EXPECT_EQ(t.at((*t.protocol)[m->node(model::StateId(0u), 0)].span), "A->B:x");
    EXPECT_EQ(t.at((*t.protocol)[m->node(model::StateId(1u), 0)].span), "C->A:y");
}

TEST(Project, AGroupIsTheProductOfItsMembers) {
    auto t = read("A->B:x ; B->C:y");
    std::vector<model::RoleId> group{t.role("A"), t.role("B"), t.role("A")};
    auto m = project(*t.spec, *t.protocol, group);
    ASSERT_TRUE(m);
    EXPECT_EQ(m->name(), "A+B");
    EXPECT_FALSE(m->role());
    EXPECT_EQ(text_of(*m), "0 AB!x 1, 0 AB?x 2, 1 AB?x 3, 2 AB!x 3, 2 BC!y 4, 3 BC!y 5, 4 AB!x 5; final 5");
    auto net = project_net(*t.spec, *t.protocol, group);
    ASSERT_TRUE(net);
    EXPECT_EQ(net->transitions().size(), 3u);
}

TEST(Project, TenParallelPairsNeedNoProduct) {
    std::string text = "par";
    for (int i = 0; i < 10; ++i)
        text += " { A->B:x" + std::to_string(i) + " ; B->A:y" + std::to_string(i) + " }";
    auto t = read(text);
    auto net = project_net(*t.spec, *t.protocol, t.role("A"));
    ASSERT_TRUE(net);
    EXPECT_EQ(net->transitions().size(), 20u);
    EXPECT_EQ(net->places().size(), 30u);
    auto refused = project(*t.spec, *t.protocol, t.role("A"), {.states = 1000, .deadline = {}});
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.stopped, base::StopReason::states);
}

TEST(Project, AMachineOfParallelPairsIsTheirProduct) {
    std::string text = "par";
    for (int i = 0; i < 6; ++i)
        text += " { A->B:x" + std::to_string(i) + " ; B->A:y" + std::to_string(i) + " }";
    auto t = read(text);
    auto whole = project(*t.spec, *t.protocol, t.role("A"));
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->state_count(), 729u);  // three states a pair
}

TEST(Project, NestedChoiceOfDepthTwelve) {
    std::function<std::string(int)> nest = [&](int depth) -> std::string {
        if (depth == 0) return "B->A:done";
        std::string rest = nest(depth - 1);
        return "ch A { A->B:l ; " + rest + " } { A->B:r ; " + rest + " }";
    };
    auto t = read(nest(12));
    auto m = project(*t.spec, *t.protocol, t.role("B"));
    ASSERT_TRUE(m);
    EXPECT_EQ(m->state_count(), 14u);
}

TEST(Project, UnboundedSemaphoreIsReported) {
    auto t = read("rep A { A->B:x ; sig s }");
    auto m = project(*t.spec, *t.protocol, t.role("A"));
    EXPECT_FALSE(m);
    EXPECT_NE(m.reason.find("any number"), std::string::npos) << m.reason;
}

TEST(Project, SystemOfAllRoles) {
    auto t = read("A->B:x ; B->C:y");
    auto system = make_projected_system(*t.spec, *t.protocol);
    ASSERT_TRUE(system) << system.reason;
    EXPECT_EQ(system.system->machines().size(), 3u);
}

// Against the tree with everything hidden that is not the role's own.
TEST(Project, AgreesWithTheTreeOnRandomProtocols) {
    int decided = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(250); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 7;
        shape.recursion = shape.interrupts = true;
        auto protocol = random_protocol(spec, shape, seed);
        for (model::RoleId role : protocol.roles()) {
            auto view = [&](const model::Node& n) -> std::string {
                if (n.role == role) return spec.alphabet->print(spec.alphabet->send(n.role, n.to, n.message));
                if (n.to == role)
                    return spec.alphabet->print(spec.alphabet->receive(n.role, n.to, n.message));
                return "";
            };
            auto machine = project(spec, protocol, role);
            ASSERT_TRUE(machine) << "seed " << seed << ": " << machine.reason;
            testing::TreeSteps tree(protocol, view);
            auto outcome =
                testing::same_weak_traces(tree.steps(), testing::machine_steps(*machine), 4, 80, true);
            decided += outcome.decided;
            ASSERT_TRUE(outcome.same) << "seed " << seed << ", role " << spec.alphabet->name(role) << ": "
                                      << outcome.difference << "\n"
                                      << testing::write(spec, protocol);
        }
    }
    EXPECT_GT(decided, 400);
}

}  // namespace
}  // namespace treaty::choreo
