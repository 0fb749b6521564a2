#include "api/check_properties.h"

#include <gtest/gtest.h>

namespace treaty::api::check_properties_test {
namespace {

CheckPropertiesAnswer ask(const std::string& properties) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", "protocol P(A, B) { A -> B: a  B -> A: b  A -> B: c }\n" + properties);
    return check_properties(workspace, {"p.treaty", ""}, {});
}

constexpr const char* right = "property Right at A { after A -> B: a  expect B -> A: b }\n";
constexpr const char* wrong = "property Wrong at A { after A -> B: a  expect A -> B: c }\n";

TEST(CheckProperties, CorrectWithARunThatPasses) {
    CheckPropertiesAnswer answer = ask(right);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.properties.size(), 1u);
    EXPECT_EQ(answer.properties[0].status, watch::PropertyStatus::correct);
    EXPECT_FALSE(answer.properties[0].run.events.empty());
    EXPECT_FALSE(answer.witness);
}

TEST(CheckProperties, TheFirstViolationIsTheWitness) {
    CheckPropertiesAnswer answer = ask(std::string(right) + wrong);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.properties[1].status, watch::PropertyStatus::violated);
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->ending, "Wrong is violated here");
}

// No property at all is not "every property is correct".
TEST(CheckProperties, AFileWithoutPropertiesHasNoVerdict) {
    CheckPropertiesAnswer answer = ask("");
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.exit(), base::Exit::bad_input);
}

}  // namespace
}  // namespace treaty::api::check_properties_test
