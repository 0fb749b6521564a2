// Questions side by side in one process, each stopped alone.
#include <gtest/gtest.h>

#include <thread>

#include "api/check.h"
#include "api/explore.h"
#include "api/test_component.h"
#include "drive/in_process.h"
#include "explore/testing/families.h"
#include "formats/load.h"

namespace treaty::api::concurrency_test {
namespace {

// Fourteen independent pairs: far more configurations than anybody waits for.
std::string endless_work() {
    base::Diagnostics unused;
    formats::Loaded loaded{*explore::named_family("pairs14")};
    return formats::write(loaded, "fsa", unused, formats::LossPolicy::allow).text.value();
}

drive::Task answers_bye(drive::InProcess& here) {
    for (;;) {
        auto hello = co_await here.receive("a");
        if (!hello) co_return;
        here.send("a", "{\"message\": \"bye\"}\n");
    }
}

// check, explore and test at the same time, of the same workspace; the one that would not end is stopped.
TEST(Concurrency, OneQuestionIsStoppedAndTheOthersGoOn) {
    Workspace workspace([](const std::string& path) {
        return base::Result<std::string>(base::Fault{path + " is not there"});
    });
    workspace.set_overlay("long.fsa", endless_work());
    workspace.set_overlay("short.treaty", "protocol P(a, b) {\n  a -> b: hello\n  b -> a: bye\n}\n");
    base::StopSource user;
    std::optional<ExploreAnswer> stopped;
    std::thread exploring([&] {
        Context context;
        context.deadline = base::Deadline().with(user.token());
        ExploreQuestion question;
        question.file = "long.fsa";
        question.reduce = false;
        stopped = explore(workspace, question, context);
    });
    std::optional<TestAnswer> tested;
    std::thread testing([&] {
        TestQuestion question;
        question.test.file = "short.treaty";
        question.test.cut = "b";
        question.component.program = answers_bye;
        question.sessions = 200;
        question.store = ":memory:";
        tested = test_component(workspace, question, {});
    });
    CheckQuestion question;
    question.files = {"short.treaty"};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(check(workspace, question, {}).verdict, Verdict::holds);
    user.request();
    exploring.join();
    testing.join();
    EXPECT_EQ(stopped->verdict, Verdict::undecided);
    ASSERT_FALSE(stopped->bound.empty());
    EXPECT_EQ(std::get<std::string>(stopped->bound.reached.front().second), "interrupted");
    EXPECT_EQ(tested->verdict, Verdict::holds) << tested->reason;
    EXPECT_EQ(tested->numbers->completed, 200u);
    // The token belongs to that question alone.
    EXPECT_EQ(check(workspace, question, {}).verdict, Verdict::holds);
}

// A test is stopped while a check goes on.
TEST(Concurrency, ATestIsStoppedAlone) {
    Workspace workspace;
    workspace.set_overlay("short.treaty", "protocol P(a, b) {\n  a -> b: hello\n  b -> a: bye\n}\n");
    base::StopSource user;
    std::optional<TestAnswer> stopped;
    std::thread testing([&] {
        Context context;
        context.deadline = base::Deadline().with(user.token());
        TestQuestion question;
        question.test.file = "short.treaty";
        question.test.cut = "b";
        question.component.program = answers_bye;
        question.sessions = 1'000'000'000;
        question.store = ":memory:";
        stopped = test_component(workspace, question, context);
    });
    CheckQuestion question;
    question.files = {"short.treaty"};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(check(workspace, question, {}).verdict, Verdict::holds);
    user.request();
    testing.join();
    EXPECT_EQ(stopped->verdict, Verdict::undecided);
    EXPECT_LT(stopped->numbers->sessions, 1'000'000'000u);
    EXPECT_EQ(check(workspace, question, {}).verdict, Verdict::holds);
}

TEST(Concurrency, ProgressAndSeedBelongToTheQuestion) {
    Workspace workspace;
    Context one, other;
    one.seed = 1;
    one.progress = [](const Progress&) {};
    EXPECT_EQ(other.seed, 0u);
    EXPECT_FALSE(other.progress);
}

}  // namespace
}  // namespace treaty::api::concurrency_test
