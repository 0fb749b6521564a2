// Files through one function, overlays, and documents that are shared until a text changes.
#include "api/workspace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "api/check.h"
#include "api/explore.h"

namespace treaty::api::workspace_test {
namespace {

constexpr const char* one = "protocol P(a, b) {\n  a -> b: hello\n}\n";
constexpr const char* other = "protocol Q(a, b) {\n  a -> b: hello\n  b -> a: bye\n}\n";

base::Result<std::string> nothing(const std::string& path) {
    return base::Fault{path + " is not there"};
}

std::string name_of(const Document& document) {
    auto* specification = document.loaded.get<model::Specification>();
    return specification ? std::string(specification->main_protocol()->name()) : "";
}

TEST(Workspace, AnOverlayStandsForTheFile) {
    Workspace workspace([](const std::string&) { return base::Result<std::string>(std::string(one)); });
    EXPECT_EQ(name_of(*workspace.open("p.treaty")), "P");
    workspace.set_overlay("p.treaty", other);
    EXPECT_EQ(name_of(*workspace.open("p.treaty")), "Q");
    workspace.drop_overlay("p.treaty");
    EXPECT_EQ(name_of(*workspace.open("p.treaty")), "P");
}

TEST(Workspace, ADocumentIsSharedUntilATextChanges) {
    Workspace workspace(nothing);
    workspace.set_overlay("p.treaty", one);
    auto first = workspace.open("p.treaty");
    EXPECT_EQ(first, workspace.open("p.treaty"));
    workspace.set_overlay("p.treaty", std::string(one) + "\n");
    auto second = workspace.open("p.treaty");
    EXPECT_NE(first, second);
    EXPECT_NE(first->digest, second->digest);
    // Texts of the old one are there as long as it is.
    EXPECT_EQ(workspace.sources().text(first->sources.front()), one);
}

TEST(Workspace, AnImportThatChangesMakesANewDocument) {
    Workspace workspace(nothing);
    workspace.set_overlay("m.treaty", "message hello(x: int)\n");
    workspace.set_overlay("p.treaty", std::string("import \"m.treaty\"\n") + one);
    auto first = workspace.open("p.treaty");
    ASSERT_EQ(first->sources.size(), 2u);
    workspace.set_overlay("m.treaty", "message hello(y: int)\n");
    EXPECT_NE(first, workspace.open("p.treaty"));
}

TEST(Workspace, AFileThatIsNotThereIsADiagnosticOfTheAnswer) {
    Workspace workspace(nothing);
    CheckQuestion question;
    question.files = {"p.treaty"};
    CheckAnswer answer = check(workspace, question, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1u);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
}

// What an answer points at outlives the text in the editor.
TEST(Workspace, AnAnswerKeepsItsTexts) {
    Workspace workspace(nothing);
    workspace.set_overlay("p.treaty", "protocol P(a, b) {\n  a -> c: hello\n}\n");
    CheckQuestion question;
    question.files = {"p.treaty"};
    CheckAnswer answer = check(workspace, question, {});
    workspace.set_overlay("p.treaty", one);
    check(workspace, question, {});
    ASSERT_FALSE(answer.diagnostics.all().empty());
    EXPECT_EQ(workspace.sources().begin(answer.diagnostics.all().front().span).line, 2u);
}

TEST(Workspace, ManyThreadsAskWhileTheTextChanges) {
    Workspace workspace(nothing);
    workspace.set_overlay("p.treaty", one);
    std::atomic<bool> wrong = false;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            CheckQuestion question;
            question.files = {"p.treaty"};
            for (int i = 0; i < 20; ++i)
                if (check(workspace, question, {}).verdict != Verdict::holds) wrong = true;
        });
    for (int i = 0; i < 20; ++i) workspace.set_overlay("p.treaty", i % 2 == 0 ? other : one);
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace treaty::api::workspace_test
