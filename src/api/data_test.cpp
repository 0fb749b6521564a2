#include "api/data.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treaty::api::data_test {
namespace {

constexpr const char* text = R"(
message transfer(amount: int in 0..1000, fee: int) where fee >= 0 and fee < amount
message login(name: string) where name matches /[a-z]{3}/
message never(n: int) where n > 5 and n < 5
message ping
message signal(red: bool, green: bool) where red or green
message byte(n: int in 0..255)
message flag(on: bool) where on
wire W over lines "\n" {
  login(name) = "LOGIN " name:/[a-z0-9]+/
}
)";

DataAnswer ask(DataQuestion question, const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay("d.treaty", text);
    workspace.set_overlay(
        "profile.json",
        R"({"messages": {"transfer": 1, "login": 1, "never": 0, "ping": 0, "signal": 0, "byte": 0, "flag": 0}})");
    question.file = "d.treaty";
    return data(workspace, question, context);
}

std::int64_t number(const FieldValue& field) {
    return std::get<std::int64_t>(field.value.v);
}

TEST(Data, ValidMessagesSatisfyTheirConditions) {
    DataQuestion question;
    question.message = "transfer";
    question.count = 20;
    DataAnswer answer = ask(question);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.messages.size(), 20u);
    for (const MadeMessage& one : answer.messages) {
        EXPECT_TRUE(number(one.fields[1]) >= 0 && number(one.fields[1]) < number(one.fields[0]));
        EXPECT_FALSE(one.bytes);
        EXPECT_EQ(one.how.size(), one.fields.size());
    }
}

TEST(Data, TheSeedDecides) {
    DataQuestion question;
    question.message = "login";
    Context one, other;
    other.seed = 1;
    EXPECT_EQ(bytes_of(ask(question, one)), bytes_of(ask(question, one)));
    EXPECT_NE(bytes_of(ask(question, one)), bytes_of(ask(question, other)));
    EXPECT_EQ(ask(question, other).seed, 1u);
}

TEST(Data, BytesStandOneAfterTheOther) {
    DataQuestion question;
    question.message = "login";
    question.count = 3;
    DataAnswer answer = ask(question);
    std::string all;
    for (const MadeMessage& one : answer.messages) all += one.bytes.value();
    EXPECT_EQ(bytes_of(answer), all);
    EXPECT_EQ(all.size(), 3 * std::string("LOGIN abc\n").size());
}

// The messages made, each as its values, and the note on how many there are.
struct Made {
    std::vector<std::string> messages;
    std::string note;
};

Made made(std::string message, std::uint64_t count, bool invalid = false) {
    DataQuestion question;
    question.message = std::move(message);
    question.count = count;
    question.invalid = invalid;
    DataAnswer answer = ask(question);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    Made result;
    for (const MadeMessage& one : answer.messages) {
        std::string values;
        for (const FieldValue& field : one.fields) values += field.written + " ";
        result.messages.push_back(values);
    }
    for (const auto& d : answer.diagnostics.all()) result.note += d.message;
    return result;
}

TEST(Data, NoMessageIsMadeTwice) {
    Made ping = made("ping", 10);
    EXPECT_EQ(ping.messages.size(), 1u);
    EXPECT_EQ(ping.note, "there is only 1 message ping; 10 were asked for");
    EXPECT_EQ(made("ping", 1).note, "");
    Made signal = made("signal", 10);
    std::sort(signal.messages.begin(), signal.messages.end());
    EXPECT_EQ(signal.messages, (std::vector<std::string>{"false true ", "true false ", "true true "}));
    EXPECT_EQ(signal.note, "there are only 3 different messages signal; 10 were asked for");
    EXPECT_EQ(made("signal", 3).note, "");
    Made byte = made("byte", 300);
    EXPECT_EQ(std::set<std::string>(byte.messages.begin(), byte.messages.end()).size(), byte.messages.size());
    EXPECT_GT(byte.messages.size(), 200u);
    EXPECT_THAT(byte.note, ::testing::MatchesRegex(".* only [0-9]+ different messages byte; 300 were .*"));
    Made flag = made("flag", 5, true);
    EXPECT_EQ(flag.messages, std::vector<std::string>{"false "});
    EXPECT_EQ(flag.note, "found only 1 invalid message flag; 5 were asked for");
}

TEST(Data, InvalidMessagesNameWhatTheyBreak) {
    DataQuestion question;
    question.message = "transfer";
    question.invalid = true;
    DataAnswer answer = ask(question);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    for (const MadeMessage& one : answer.messages) EXPECT_FALSE(one.breaks.empty());
}

TEST(Data, AProfileChoosesMessages) {
    DataQuestion question;
    question.profile = "profile.json";
    question.count = 30;
    DataAnswer answer = ask(question);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.kinds, (std::vector<std::string>{"transfer", "login"}));
    question.profile.clear();
    EXPECT_FALSE(ask(question).verdict);  // which message?
}

TEST(Data, ContradictionsAreErrorsOfTheFile) {
    DataQuestion question;
    question.message = "never";
    DataAnswer answer = ask(question);
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
    ASSERT_EQ(answer.diagnostics.errors(), 1u);
    EXPECT_TRUE(answer.diagnostics.all()[0].span.valid());
}

TEST(Data, CanBeStopped) {
    base::StopSource stop;
    Context context;
    context.deadline = context.deadline.with(stop.token());
    context.progress = [&](const Progress&) { stop.request(); };
    DataQuestion question;
    question.message = "transfer";
    question.count = 100'000;
    DataAnswer answer = ask(question, context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_LT(answer.messages.size(), 100'000u);
    EXPECT_FALSE(answer.bound.empty());
}

}  // namespace
}  // namespace treaty::api::data_test
