#include "api/failures.h"

#include <filesystem>
#include <random>

#include <gtest/gtest.h>

namespace treaty::api::failures_test {
namespace {

std::string path_of_a_store() {
    return (std::filesystem::temp_directory_path() /
            ("treaty-failures-" + std::to_string(std::random_device()())))
        .string();
}

TEST(Failures, AStoreThatIsNotThereHasNone) {
    std::string path = path_of_a_store();
    Workspace workspace;
    FailuresAnswer answer = failures(workspace, {path}, {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_TRUE(answer.failures.empty());
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Failures, ListsWhatIsKept) {
    std::string path = path_of_a_store();
    {
        auto store = campaign::FailureStore::open(path);
        ASSERT_TRUE(store);
        campaign::SavedFailure failure;
        failure.target = "t";
        failure.cause = "c";
        failure.problem = "wrong data";
        failure.reason = "it is 3";
        failure.run = "{}";
        failure.messages = 2;
        ASSERT_TRUE((*store)->add(failure));
    }
    Workspace workspace;
    FailuresAnswer answer = failures(workspace, {path}, {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.failures.size(), 1u);
    EXPECT_EQ(answer.failures.front().problem, "wrong data");
    EXPECT_EQ(answer.failures.front().number, 1);
    std::filesystem::remove(path);
}

TEST(Failures, AFileThatIsNotAStore) {
    std::string path = path_of_a_store();
    ASSERT_TRUE(base::write_file(path, "not a database, but long enough to look like one"));
    Workspace workspace;
    FailuresAnswer answer = failures(workspace, {path}, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_FALSE(answer.diagnostics.ok());
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace treaty::api::failures_test
