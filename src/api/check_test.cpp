// What `check` means: its verdicts, its severities, and what it reports for each kind of file.
#include "api/check.h"

#include <gtest/gtest.h>

namespace treaty::api::check_test {
namespace {

struct Checked {
    Workspace workspace{[](const std::string& path) {
        return base::Result<std::string>(base::Fault{path + " is not there"});
    }};
    CheckAnswer answer;

    explicit Checked(const std::string& text, const std::string& name = "p.treaty", bool strict = false) {
        workspace.set_overlay(name, text);
        CheckQuestion question;
        question.files = {name};
        question.strict = strict;
        answer = check(workspace, question, {});
    }
    const CheckedProtocol& protocol() const { return std::get<CheckedProtocol>(answer.checked.front()); }
};

constexpr const char* optional_step =
    "protocol P(a, b) {\n  a -> b: hello\n  optional at a {\n    a -> b: more\n  }\n}\n";
// c cannot know which branch was taken, and must send in one of them only.
constexpr const char* guess =
    "protocol P(a, b, c) {\n  choice at a {\n    a -> b: x\n    c -> b: u\n  } or {\n    a -> b: y\n    c -> "
    "b: v\n  }\n}\n";

TEST(Check, ARoleThatIsNotToldIsANoteWhereNothingGoesWrong) {
    Checked checked(optional_step);
    EXPECT_EQ(checked.answer.verdict, Verdict::holds);
    ASSERT_EQ(checked.answer.diagnostics.all().size(), 1u);
    EXPECT_EQ(checked.answer.diagnostics.all().front().severity, base::Severity::note);
    EXPECT_EQ(checked.protocol().safe, Verdict::holds);
    EXPECT_FALSE(checked.protocol().well_branched);
}

TEST(Check, StrictMakesTheNoteAnError) {
    Checked checked(optional_step, "p.treaty", true);
    EXPECT_EQ(checked.answer.verdict, Verdict::fails);
    EXPECT_EQ(checked.answer.reason, "1 error in P");
    EXPECT_FALSE(checked.answer.witness);
}

TEST(Check, WhatCanGoWrongComesWithARun) {
    Checked checked(guess);
    EXPECT_EQ(checked.answer.verdict, Verdict::fails);
    EXPECT_EQ(checked.answer.reason, "P can go wrong");
    ASSERT_TRUE(checked.answer.witness);
    EXPECT_FALSE(checked.answer.witness->events.empty());
    EXPECT_EQ(checked.protocol().fault, checked.answer.witness->ending);
}

TEST(Check, CountsWhatAProtocolHas) {
    Checked checked("protocol P(a, b) {\n  a -> b: m\n  b -> a: m\n  a -> b: n\n}\n");
    EXPECT_EQ(checked.protocol().messages, 2u);
    EXPECT_EQ(checked.protocol().interactions, 3u);
    EXPECT_EQ(checked.protocol().roles, (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(checked.protocol().data);
}

TEST(Check, StepsThatNoDataAllowsAreCounted) {
    Checked checked(
        "message m(x: int in 0..3)\nprotocol P(a, b) {\n  a -> b: m(let x) where x > 1\n  when x < 1 {\n"
        "    b -> a: m(x)\n  }\n}\n");
    ASSERT_TRUE(checked.protocol().data);
    EXPECT_EQ(checked.protocol().data->unreachable, 1u);
}

TEST(Check, AScribbleFileGetsScribblesWord) {
    Checked checked(
        "module m;\nglobal protocol P(role A, role B, role C) {\n  choice at A {\n    x() from A to B;\n"
        "    u() from C to B;\n  } or {\n    y() from A to B;\n    v() from C to B;\n  }\n}\n",
        "p.scr");
    EXPECT_EQ(checked.answer.verdict, Verdict::fails);
    EXPECT_TRUE(checked.protocol().scribble_kind);
}

TEST(Check, AnUnknownProtocolHasNoVerdict) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", optional_step);
    CheckQuestion question;
    question.files = {"p.treaty"};
    question.protocol = "Q";
    CheckAnswer answer = check(workspace, question, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_EQ(answer.diagnostics.errors(), 1u);
}

}  // namespace
}  // namespace treaty::api::check_test
