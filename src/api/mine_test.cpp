#include "api/mine.h"

#include <gtest/gtest.h>

#include "api/testing/logs.h"
#include "api/watch.h"

namespace treaty::api::mine_test {
namespace {

constexpr const char* traffic =
    R"({"from": "buyer", "to": "shop", "dir": "->", "message": "ask", "session": "1"}
{"from": "shop", "to": "buyer", "dir": "->", "message": "offer", "session": "1"}
{"from": "buyer", "to": "shop", "dir": "->", "message": "ask", "session": "2"}
{"from": "shop", "to": "buyer", "dir": "->", "message": "sold_out", "session": "2"}
this is not a record
)";

TEST(Mine, TheGuessAcceptsTheTraffic) {
    LogFile log(traffic);
    Workspace workspace;
    MineAnswer answer = mine(workspace, {{log.path()}, {}, "session", "Shop", {}}, {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.messages, 4u);
    EXPECT_EQ(answer.sessions, 2u);
    EXPECT_EQ(answer.garbled, 1u);
    EXPECT_EQ(answer.diagnostics.warnings(), 1u);
    workspace.set_overlay("guess.treaty", answer.protocol);
    WatchQuestion again;
    again.file = "guess.treaty";
    again.protocol = "Shop";
    again.logs = {log.path()};
    EXPECT_EQ(watch(workspace, again, {}).verdict, Verdict::holds);
}

TEST(Mine, NothingIsGuessedFromNothing) {
    Workspace workspace;
    LogFile empty("");
    EXPECT_FALSE(mine(workspace, {{empty.path()}, {}, "session", "Guess", {}}, {}).verdict);
    EXPECT_FALSE(mine(workspace, {{"no/such/log"}, {}, "session", "Guess", {}}, {}).verdict);
}

TEST(Mine, FieldsDoNotTellSessionsApart) {
    LogFile log(traffic);
    Workspace workspace;
    MineAnswer answer = mine(workspace, {{log.path()}, {}, "field:x", "Guess", {}}, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
}

}  // namespace
}  // namespace treaty::api::mine_test
