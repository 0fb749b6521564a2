#include "api/program/saved_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treaty::api {
namespace {

using testing::HasSubstr;

constexpr const char* all_types = R"(
enum Color { red, green }
record Point { x: int, y: real }
message all(b: bool, i: int in 0..9, r: real, t: string, h: bytes, c: Color, p: Point, l: list<int>, o: optional<string>)
protocol All(A, B) { A -> B: all }
)";

struct Saved : testing::Test {
    Workspace workspace;
    Context context;
    Answer answer;
    Inquiry inquiry{workspace, context, answer};

    std::optional<ProtocolInput> load() {
        workspace.set_overlay("all.treaty", all_types);
        return load_protocol(inquiry, "all.treaty", "");
    }

    std::string fault() const {
        return answer.diagnostics.all().empty() ? "" : answer.diagnostics.all()[0].message;
    }
};

drive::SessionResult one_message(const ProtocolInput& input) {
    const model::Alphabet& names = *input.specification.alphabet;
    drive::Exchange e;
    e.to_component = true;
    e.from = names.find_role("A");
    e.to = names.find_role("B");
    e.message = names.find_message("all");
    e.values = {true,
                std::int64_t{7},
                0.5,
                std::string("a\xff"),
                expr::Bytes{std::string("\x00\x9f", 2)},
                expr::EnumMember{1},
                expr::Sequence{{std::int64_t{-1}, 2.0}},
                expr::Sequence{{std::int64_t{1}, std::int64_t{2}}},
                expr::Sequence{}};
    drive::SessionResult outcome;
    outcome.exchanges = {e};
    return outcome;
}

TEST_F(Saved, ValuesOfEveryTypeComeBack) {
    auto input = load();
    ASSERT_TRUE(input) << fault();
    drive::SessionResult outcome = one_message(*input);
    TestRequest request;
    request.file = "all.treaty";
    request.cut = "B";
    request.via = {"stdio:"};
    request.linger_ms = 7;
    request.surroundings = {{"LOG=debug", "EMPTY="}, "server"};
    request.companion_surroundings["db"] = {{"DATA={tmp}"}, ""};
    auto saved = parse_saved(inquiry, "a run", saved_text(request, input->specification, outcome));
    ASSERT_TRUE(saved) << fault();
    EXPECT_EQ(saved->request.via, request.via);
    EXPECT_EQ(saved->request.linger_ms, 7u);
    EXPECT_EQ(saved->request.surroundings, request.surroundings);
    EXPECT_EQ(saved->request.companion_surroundings, request.companion_surroundings);
    auto run = rerun_of(inquiry, *saved, input->specification);
    ASSERT_TRUE(run) << fault();
    ASSERT_EQ(run->exchanges.size(), 1u);
    EXPECT_TRUE(run->exchanges[0].to_component);
    EXPECT_EQ(run->exchanges[0].values, outcome.exchanges[0].values);
}

TEST_F(Saved, OnlyWhatIsWrongOnPurposeMayBeOutsideItsRange) {
    auto input = load();
    ASSERT_TRUE(input) << fault();
    drive::SessionResult outcome = one_message(*input);
    outcome.exchanges[0].values[1] = std::int64_t{10};
    TestRequest request;
    request.file = "all.treaty";
    request.cut = "B";
    for (bool wrong : {true, false}) {
        outcome.exchanges[0].wrong = wrong;
        auto saved = parse_saved(inquiry, "a run", saved_text(request, input->specification, outcome));
        ASSERT_TRUE(saved) << fault();
        EXPECT_EQ(rerun_of(inquiry, *saved, input->specification).has_value(), wrong);
    }
    EXPECT_THAT(fault(), HasSubstr("message 1 of the run is not one of the protocol"));
}

TEST_F(Saved, WhatIsNotARunIsADiagnostic) {
    std::string deep(100'000, '[');
    for (const std::string& text :
         {std::string("protocol"), std::string("[]"), std::string("{\"treaty_run\": 99}"),
          std::string("{\"treaty_run\": 2, \"file\": \"f\", \"cut\": \"B\", \"exchanges\": 3}"),
          std::string("{\"treaty_run\": 2, \"file\": \"f\", \"cut\": \"B\", \"sessions\": 0}")}) {
        answer.diagnostics = {};
        EXPECT_FALSE(parse_saved(inquiry, "f", text)) << text;
        EXPECT_EQ(answer.diagnostics.errors(), 1u);
    }
    std::string nested = "{\"treaty_run\": 2, \"file\": \"f\", \"cut\": \"B\", \"exchanges\": [{\"data\": [" +
                         deep + std::string(100'000, ']') + "]}]}";
    EXPECT_TRUE(parse_saved(inquiry, "f", nested)) << "however deep it is nested";
}

}  // namespace
}  // namespace treaty::api
