#include "api/diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace treaty::api::diff_test {
namespace {

constexpr const char* withdraw = R"(
protocol Withdraw(C, A, B) {
  C -> A: withdraw
  choice at B {
    B -> A: deny
    A -> C: bye
  } or {
    B -> A: allow
    A -> C: money
  }
}
)";

constexpr const char* with_part = R"(
protocol Withdraw(C, A, B) {
  C -> A: withdraw
  choice at B {
    B -> A: deny
    A -> C: bye
  } or {
    B -> A: allow
    A -> C: money
  } or {
    B -> A: allowPart
    A -> C: money
  }
}
)";

DiffAnswer ask(const char* before, const char* after, std::string role = {}, const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay("old.treaty", before);
    workspace.set_overlay("new.treaty", after);
    return diff(workspace, {"old.treaty", "new.treaty", std::move(role)}, context);
}

const RoleChange& role(const DiffAnswer& answer, std::string_view name) {
    for (const ProtocolChange& protocol : answer.protocols)
        for (const RoleChange& one : protocol.roles)
            if (one.role == name) return one;
    static const RoleChange none{};
    ADD_FAILURE() << "no role " << name;
    return none;
}

TEST(Diff, NothingChanged) {
    DiffAnswer answer = ask(withdraw, withdraw);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.reason, "nothing changed");
    EXPECT_TRUE(answer.changes.empty());
}

TEST(Diff, ShowsWhatOnlyTheNewVersionAllows) {
    DiffAnswer answer = ask(withdraw, with_part);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_FALSE(role(answer, "C").change);
    const RoleChange& machine = role(answer, "A");
    EXPECT_EQ(machine.change, Change::changed);
    EXPECT_FALSE(machine.part.only_before);
    ASSERT_TRUE(machine.part.only_after);
    ASSERT_EQ(machine.part.only_after->events.size(), 2U);
    EXPECT_EQ(machine.part.only_after->events[0].line, 3U);
    EXPECT_EQ(machine.part.only_after->events[1].message, "allowPart");
    EXPECT_EQ(machine.part.only_after->events[1].line, 11U);
    EXPECT_EQ(machine.part.only_after->failing, 1U);
    ASSERT_TRUE(answer.witness);
    ASSERT_EQ(answer.changes.size(), 2U);
    EXPECT_EQ(answer.changes[0].name, "allowPart");
    EXPECT_EQ(answer.changes[0].change, Change::added);
    EXPECT_EQ(answer.changes[1].kind, "protocol");
}

TEST(Diff, TheOtherWayRoundTheOldVersionAllowsMore) {
    DiffAnswer answer = ask(with_part, withdraw, "B");
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_TRUE(role(answer, "B").part.only_before);
    EXPECT_FALSE(role(answer, "B").part.only_after);
}

TEST(Diff, OneRoleIsAskedAbout) {
    EXPECT_EQ(ask(withdraw, with_part, "C").verdict, Verdict::holds);
    EXPECT_EQ(ask(withdraw, with_part, "A").verdict, Verdict::fails);
    DiffAnswer unknown = ask(withdraw, with_part, "D");
    EXPECT_FALSE(unknown.verdict);
    EXPECT_EQ(unknown.exit(), base::Exit::bad_input);
}

TEST(Diff, WhereARoleMayEndCounts) {
    DiffAnswer answer = ask("protocol P(a, b) {\n  a -> b: m\n}\n",
                            "protocol P(a, b) {\n  optional at a {\n    a -> b: m\n  }\n}\n", "b");
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_TRUE(role(answer, "b").part.only_after);
    EXPECT_TRUE(role(answer, "b").part.only_after->events.empty());
    EXPECT_FALSE(role(answer, "b").part.only_after->failing);
}

constexpr const char* order = R"(
message order(n: int)
message bill(total: int)
protocol Shop(buyer, vendor, bank) {
  buyer -> vendor: order(let n)
  vendor -> bank: bill(n * 2)
}
)";

TEST(Diff, ConditionsAreComparedByTheirMeaning) {
    DiffAnswer answer = ask(order, R"(
message order(n: int)
message bill(total: int)
protocol Shop(buyer, vendor, bank) {
  buyer -> vendor: order(let n)
  vendor -> bank: bill(n + n)
}
)");
    EXPECT_EQ(answer.verdict, Verdict::holds) << answer.reason;
    EXPECT_EQ(answer.changes.size(), 1U);
}

TEST(Diff, ARunHasTheValuesThatOneVersionRefuses) {
    DiffAnswer answer = ask(order, R"(
message order(n: int)
message bill(total: int)
protocol Shop(buyer, vendor, bank) {
  buyer -> vendor: order(let n)
  vendor -> bank: bill(n * 3)
}
)");
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_FALSE(role(answer, "buyer").change);
    EXPECT_EQ(role(answer, "vendor").change, Change::changed);
    ASSERT_TRUE(answer.witness);
    ASSERT_EQ(answer.witness->events.size(), 2U);
    EXPECT_FALSE(answer.witness->events[1].data.empty());
}

TEST(Diff, TheConditionOfADeclarationConcernsWhoUsesTheMessage) {
    DiffAnswer answer = ask(order, R"(
message order(n: int) where n > 0
message bill(total: int)
protocol Shop(buyer, vendor, bank) {
  buyer -> vendor: order(let n)
  vendor -> bank: bill(n * 2)
}
)");
    EXPECT_EQ(role(answer, "buyer").change, Change::changed);
    EXPECT_EQ(role(answer, "vendor").change, Change::changed);
    EXPECT_FALSE(role(answer, "bank").change);
}

TEST(Diff, OtherFieldsAreAnotherMessage) {
    DiffAnswer answer = ask(order, R"(
message order(n: int)
message bill(total: int, currency: string)
protocol Shop(buyer, vendor, bank) {
  buyer -> vendor: order(let n)
  vendor -> bank: bill(n * 2, "EUR")
}
)");
    EXPECT_FALSE(role(answer, "buyer").change);
    const RoleChange& bank = role(answer, "bank");
    EXPECT_EQ(bank.change, Change::changed);
    const auto& run = bank.part.only_after ? bank.part.only_after : bank.part.only_before;
    ASSERT_TRUE(run);
    EXPECT_EQ(run->events.back().message, "bill");
}

TEST(Diff, TimeLimitsConcernBothEnds) {
    DiffAnswer answer = ask("protocol P(a, b, c) {\n  a -> b: m within 5s\n  b -> c: n\n}\n",
                            "protocol P(a, b, c) {\n  a -> b: m within 2s\n  b -> c: n\n}\n");
    EXPECT_EQ(role(answer, "a").change, Change::changed);
    EXPECT_EQ(role(answer, "b").change, Change::changed);
    EXPECT_FALSE(role(answer, "c").change);
}

TEST(Diff, AProtocolThatIsCalledIsNotOneOfItsOwn) {
    DiffAnswer answer = ask(withdraw, R"(
protocol Answer(m, c, b) {
  choice at b {
    b -> m: deny
    m -> c: bye
  } or {
    b -> m: allow
    m -> c: money
  }
}
protocol Withdraw(C, A, B) {
  C -> A: withdraw
  do Answer(A, C, B)
}
)");
    EXPECT_EQ(answer.verdict, Verdict::holds) << answer.reason;
    ASSERT_EQ(answer.changes.size(), 1U);
    EXPECT_EQ(answer.changes[0].name, "Answer");
}

TEST(Diff, AnUnfinishedComparisonIsUndecided) {
    Context context;
    context.states = 1;
    DiffAnswer answer = ask(withdraw, with_part, "C", context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.reason.empty());
}

TEST(Diff, AWireConcernsEverybody) {
    auto with_wire = [](std::string_view word) {
        return fmt::format("{}wire W over lines \"\\n\" {{\n  order(n) = \"{} \" n:/[0-9]+/\n}}\n", order,
                           word);
    };
    std::string before = with_wire("o"), after = with_wire("order");
    EXPECT_EQ(ask(before.c_str(), after.c_str()).verdict, Verdict::fails);
    EXPECT_EQ(ask(order, after.c_str()).verdict, Verdict::holds);
}

}  // namespace
}  // namespace treaty::api::diff_test
