#include "api/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treaty::api::show_test {
namespace {

using testing::HasSubstr;

constexpr const char* choice =
    "protocol P(A, B) {\n  choice at A {\n    A -> B: yes\n  } or {\n    A -> B: no\n  }\n}\n";

class Show : public testing::Test {
protected:
    Show() { workspace.set_overlay("p.treaty", choice); }
    ShowAnswer ask(ShowQuestion question) { return show(workspace, question, context); }

    Workspace workspace;
    Context context;
};

TEST_F(Show, AChartIsOfAProtocol) {
    ShowAnswer answer = ask({.file = "p.treaty", .kind = ShowKind::msc});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_TRUE(answer.chart);
    EXPECT_EQ(answer.chart->protocol->name(), "P");
    EXPECT_TRUE(answer.dot.empty());
}

TEST_F(Show, EveryOtherKindIsAGraph) {
    for (ShowKind kind :
         {ShowKind::graph, ShowKind::net, ShowKind::machine, ShowKind::pomset, ShowKind::space}) {
        ShowAnswer answer = ask({.file = "p.treaty", .kind = kind});
        EXPECT_EQ(answer.verdict, Verdict::holds) << to_string(kind);
        EXPECT_THAT(answer.dot, HasSubstr("digraph")) << to_string(kind);
        EXPECT_FALSE(answer.chart);
    }
}

TEST_F(Show, PomsetsAreCountedByBranch) {
    EXPECT_EQ(ask({.file = "p.treaty", .kind = ShowKind::pomset}).branches, 2u);
}

TEST_F(Show, ARoleThatIsNotThereIsReported) {
    ShowAnswer answer = ask({.file = "p.treaty", .kind = ShowKind::machine, .role = "C"});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1u);
}

TEST_F(Show, AMachineHasNoSequenceChart) {
    workspace.set_overlay("m.aut", "des (0, 1, 2)\n(0, \"a\", 1)\n");
    EXPECT_EQ(ask({.file = "m.aut", .kind = ShowKind::machine}).verdict, Verdict::holds);
    ShowAnswer answer = ask({.file = "m.aut", .kind = ShowKind::msc});
    EXPECT_FALSE(answer.verdict);
    ASSERT_EQ(answer.diagnostics.errors(), 1u);
    EXPECT_EQ(answer.diagnostics.all()[0].message, "m.aut contains a machine, which cannot be shown as msc");
}

TEST_F(Show, ASpaceThatIsTooLargeIsUndecided) {
    workspace.set_overlay("p.treaty", "protocol P(A, B) {\n  repeat at A {\n    A -> B: m\n  }\n}\n");
    ShowAnswer answer = ask({.file = "p.treaty", .kind = ShowKind::space});
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.bound.empty());
    EXPECT_EQ(ask({.file = "p.treaty", .kind = ShowKind::space, .bound = 1}).verdict, Verdict::holds);
}

}  // namespace
}  // namespace treaty::api::show_test
