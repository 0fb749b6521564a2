#include "api/proxy.h"

#include <gtest/gtest.h>

#include "api/testing/logs.h"

namespace treaty::api::proxy_test {
namespace {

ProxyQuestion question_for(const std::string& log) {
    ProxyQuestion question;
    question.links = {{"127.0.0.1:0", "127.0.0.1:9", "buyer", "vendor"}};
    question.log = log;
    return question;
}

TEST(Proxy, GoesOnUntilItIsStopped) {
    LogFile log("");
    base::StopSource stop;
    Context context;
    context.deadline = context.deadline.with(stop.token());
    ProxyQuestion question = question_for(log.path());
    std::vector<std::string> where;
    question.listening = [&](const std::vector<std::string>& addresses) {
        where = addresses;
        stop.request();
        return true;
    };
    ProxyAnswer answer = proxy(Workspace(), question, context);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.counts.connections, 0u);
    ASSERT_EQ(where.size(), 1u);
    EXPECT_NE(where[0], "127.0.0.1:0");
}

TEST(Proxy, EndsIfItsAddressIsNotWanted) {
    LogFile log("");
    ProxyQuestion question = question_for(log.path());
    question.listening = [](const std::vector<std::string>&) { return false; };
    EXPECT_EQ(proxy(Workspace(), question, {}).verdict, Verdict::holds);
}

TEST(Proxy, ALogThatCannotBeWrittenIsAFailureOfTheEnvironment) {
    EXPECT_EQ(proxy(Workspace(), question_for("no/such/folder/log"), {}).exit(), base::Exit::world_failed);
}

TEST(Proxy, NamesThatBreakRecordsAreRefused) {
    LogFile log("");
    ProxyQuestion question = question_for(log.path());
    question.links[0].client = "a\"b";
    EXPECT_EQ(proxy(Workspace(), question, {}).exit(), base::Exit::bad_input);
    question.links[0].client = "";
    EXPECT_EQ(proxy(Workspace(), question, {}).exit(), base::Exit::bad_input);
}

}  // namespace
}  // namespace treaty::api::proxy_test
