#include "api/decode.h"

#include <gtest/gtest.h>

namespace treaty::api::decode_test {
namespace {

constexpr const char* text = R"(
message set(key: string, value: int in 0..99)
message get(key: string)
wire W over lines "\n" {
  set(key, value) = "SET " key:/[a-z]+/ "=" value:/[0-9]+/
  get(key) = "GET " key:/[a-z]+/
}
)";

DecodeAnswer ask(const std::string& bytes, std::vector<std::string> expected = {},
                 const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay("w.treaty", text);
    workspace.set_overlay("bytes", bytes);
    return decode(workspace, {"w.treaty", "", "bytes", false, std::move(expected), {}}, context);
}

TEST(Decode, EveryByteBelongsToAMessage) {
    DecodeAnswer answer = ask("SET a=12\nGET b\n");
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.wire, "W");
    ASSERT_EQ(answer.messages.size(), 2u);
    const DecodedMessage& set = answer.messages[0];
    EXPECT_EQ(set.name, "set");
    EXPECT_EQ(set.end, 9u);
    ASSERT_EQ(set.fields.size(), 2u);
    EXPECT_EQ(set.fields[0].value, expr::Datum("a"));
    EXPECT_EQ(set.fields[1].value, expr::Datum(12));
    EXPECT_TRUE(set.same_bytes);
    EXPECT_FALSE(set.pieces.empty());
    EXPECT_EQ(answer.messages[1].begin, 9u);
}

TEST(Decode, TheFirstByteThatDoesNotFitIsShownWithItsNeighbours) {
    DecodeAnswer answer = ask("GET b\nGET b c\n");
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.messages.size(), 1u);
    ASSERT_TRUE(answer.fault);
    EXPECT_EQ(answer.fault->offset, 11u);
    EXPECT_EQ(answer.fault->nearby_begin, 3u);
    EXPECT_EQ(answer.fault->nearby, " b\nGET b c\n");
}

TEST(Decode, BytesThatEndTooEarlyAreNotAMessage) {
    DecodeAnswer answer = ask("GET b");
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.fault->offset, 5u);
}

TEST(Decode, OnlyExpectedMessagesMayCome) {
    EXPECT_EQ(ask("GET b\n", {"set"}).verdict, Verdict::fails);
    DecodeAnswer unknown = ask("GET b\n", {"put"});
    EXPECT_FALSE(unknown.verdict);
    EXPECT_EQ(unknown.exit(), base::Exit::bad_input);
}

TEST(Decode, BytesThatCannotBeReadAreBadInput) {
    Workspace workspace;
    workspace.set_overlay("w.treaty", text);
    DecodeAnswer answer = decode(workspace, {"w.treaty", "", "no/such/file", false, {}, {}}, {});
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
}

TEST(Decode, CanBeStopped) {
    base::StopSource stop;
    stop.request();
    Context context;
    context.deadline = context.deadline.with(stop.token());
    DecodeAnswer answer = ask("GET a\nGET b\n", {}, context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_EQ(answer.messages.size(), 1u);
}

}  // namespace
}  // namespace treaty::api::decode_test
