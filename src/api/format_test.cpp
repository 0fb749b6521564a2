#include "api/format.h"

#include <gtest/gtest.h>

namespace treaty::api::format_test {
namespace {

constexpr const char* canonical = "protocol P(A, B) {\n  A -> B: ping\n}\n";
constexpr const char* crowded = "protocol P(A,B){A->B:ping}";

FormatAnswer ask(const Workspace& workspace, FormatQuestion question) {
    return format(workspace, question, Context{});
}

TEST(Format, GivesTheCanonicalTextAndSaysWhatWouldChange) {
    Workspace workspace;
    workspace.set_overlay("crowded.treaty", crowded);
    workspace.set_overlay("canonical.treaty", canonical);
    FormatAnswer answer = ask(workspace, {{"crowded.treaty", "canonical.treaty"}, false});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.files.size(), 2u);
    EXPECT_EQ(answer.files[0].text, canonical);
    EXPECT_TRUE(answer.files[0].changed);
    EXPECT_EQ(answer.files[1].text, canonical);
    EXPECT_FALSE(answer.files[1].changed);
    EXPECT_TRUE(answer.diagnostics.all().empty());
}

TEST(Format, AFileThatIsNotCanonicalFailsACheck) {
    Workspace workspace;
    workspace.set_overlay("crowded.treaty", crowded);
    workspace.set_overlay("canonical.treaty", canonical);
    FormatAnswer answer = ask(workspace, {{"crowded.treaty", "canonical.treaty"}, true});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.reason, "1 of 2 files would change");
    EXPECT_EQ(answer.diagnostics.errors(), 1u);
    EXPECT_EQ(ask(workspace, {{"canonical.treaty"}, true}).verdict, Verdict::holds);
}

TEST(Format, OneFaultyFileDoesNotHideTheOthers) {
    Workspace workspace;
    workspace.set_overlay("faulty.treaty", "protocol P(A, B) { A -> }");
    workspace.set_overlay("crowded.treaty", crowded);
    FormatAnswer answer = ask(workspace, {{"faulty.treaty", "crowded.treaty"}, false});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
    ASSERT_EQ(answer.files.size(), 1u);
    EXPECT_EQ(answer.files[0].file, "crowded.treaty");
}

}  // namespace
}  // namespace treaty::api::format_test
