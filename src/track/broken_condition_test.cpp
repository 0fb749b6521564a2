// Which condition refused data breaks, in the words of the protocol and with what it computes.
#include "track/broken_condition.h"

#include <gtest/gtest.h>

#include "choreo/project_net.h"

namespace treaty::track {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Value;

// A asks B for n pieces; B answers with a bill, by the conditions of each test.
class BrokenConditions : public testing::Test {
protected:
    BrokenConditions() {
        n_ = pool().declare(name("n"), spec_.types->integer());
        amount_ = pool().declare(name("a"), spec_.types->integer());
        ask_ = spec_.alphabet->message("ask");
        bill_ = spec_.alphabet->message("bill");
        spec_.messages.resize(spec_.alphabet->message_count());
        spec_.messages[ask_.index].fields = {{name("n"), spec_.types->integer()}};
        spec_.messages[bill_.index].fields = {{name("amount"), spec_.types->integer()},
                                              {name("note"), spec_.types->string()}};
    }

    expr::Pool& pool() { return *spec_.pool; }
    base::NameId name(std::string_view text) { return spec_.names->intern(text); }
    ExprId number(std::int64_t value) { return pool().integer(value); }
    ExprId var(expr::VarId v) { return pool().var(v); }
    ExprId both(Op op, ExprId a, ExprId b, expr::TypeId type) {
        std::array<ExprId, 2> sides{a, b};
        return pool().make(op, type, sides);
    }
    ExprId ten_times_n() { return both(Op::multiply, var(n_), number(10), spec_.types->integer()); }

    // What B breaks by sending this bill after n = 10 was asked for.
    std::vector<std::string> broken(std::vector<model::Argument> arguments, ExprId where, Values bill) {
        model::ProtocolBuilder builder("Bill", {}, {a_, b_});
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, a_, b_, ask_, {{n_, {}, {}}});
        builder.interaction({}, b_, a_, bill_, std::move(arguments), where);
        builder.close();
        auto protocol = builder.finish();
        auto net = choreo::project_net(spec_, *protocol, b_);
        Tracker tracker(std::make_shared<TrackedNet>(*net, b_));
        EXPECT_EQ(
            tracker.observe_input(spec_.alphabet->receive(a_, b_, ask_), Values{Value(std::int64_t{10})}),
            EventVerdict::allowed);
        model::LabelId label = spec_.alphabet->send(b_, a_, bill_);
        Tracker probe = tracker;
        bool refused = probe.observe_output(label, bill) == EventVerdict::refused;
        std::vector<std::string> texts;
        for (const BrokenCondition& one : broken_conditions(spec_, tracker, label, bill)) {
            EXPECT_TRUE(one.node.valid());
            texts.push_back(one.text);
        }
        EXPECT_EQ(refused, !texts.empty());
        return texts;
    }
    Values bill(std::int64_t amount, std::string note = "") {
        return {Value(amount), Value(std::move(note))};
    }
    std::vector<model::Argument> bound() { return {{amount_, {}, {}}, {}}; }

    model::Specification spec_;
    model::RoleId a_ = spec_.alphabet->role("A"), b_ = spec_.alphabet->role("B");
    model::MessageId ask_, bill_;
    expr::VarId n_, amount_;
};

using Texts = std::vector<std::string>;

TEST_F(BrokenConditions, AFieldThatMustHaveAComputedValue) {
    EXPECT_EQ(broken({{{}, ten_times_n(), {}}, {}}, {}, bill(99)), Texts{"amount == n * 10 = 100"});
    EXPECT_EQ(broken({{{}, ten_times_n(), {}}, {}}, {}, bill(100)), Texts{});
    EXPECT_EQ(broken({{{}, number(7), {}}, {}}, {}, bill(8)), Texts{"amount == 7"});
}

TEST_F(BrokenConditions, AComparisonNamesTheFieldAndNotTheVariable) {
    auto where = both(Op::less_equal, var(amount_), ten_times_n(), spec_.types->boolean());
    EXPECT_EQ(broken(bound(), where, bill(101)), Texts{"amount <= n * 10 = 100"});
    EXPECT_EQ(broken(bound(), where, bill(100)), Texts{});
}

TEST_F(BrokenConditions, OnlyTheBrokenPartOfAConjunctionIsShown) {
    auto positive = both(Op::greater, var(amount_), number(0), spec_.types->boolean());
    auto twice = both(Op::multiply, var(amount_), number(2), spec_.types->integer());
    auto fair = both(Op::equal, twice, ten_times_n(), spec_.types->boolean());
    auto where = pool().logical_and(positive, fair);
    EXPECT_EQ(broken(bound(), where, bill(-1)), Texts{"amount > 0"});
    EXPECT_EQ(broken(bound(), where, bill(3)), Texts{"amount * 2 == n * 10 (6 and 100)"});
    EXPECT_EQ(broken(bound(), where, bill(50)), Texts{});
}

TEST_F(BrokenConditions, OtherConditionsShowTheKnownValues) {
    auto where = pool().logical_or(both(Op::greater, var(n_), number(20), spec_.types->boolean()),
                                   both(Op::greater, var(amount_), number(0), spec_.types->boolean()));
    EXPECT_EQ(broken(bound(), where, bill(0)), Texts{"n > 20 or amount > 0 (n = 10)"});
}

// The field is `amount`; so is a variable of the protocol, and `a` is bound to the field.
TEST_F(BrokenConditions, AVariableWithTheNameOfAFieldIsShownByItsValue) {
    n_ = pool().declare(name("amount"), spec_.types->integer());
    auto same = both(Op::equal, var(amount_), var(n_), spec_.types->boolean());
    EXPECT_EQ(broken(bound(), same, bill(9)), Texts{"amount == 10 (10 is the earlier amount)"});
    auto ten_times = both(Op::less_equal, var(amount_), ten_times_n(), spec_.types->boolean());
    EXPECT_EQ(broken(bound(), ten_times, bill(101)),
              Texts{"amount <= 10 * 10 = 100 (10 is the earlier amount)"});
    auto twice = both(Op::multiply, var(amount_), number(2), spec_.types->integer());
    auto fair = both(Op::equal, twice, ten_times_n(), spec_.types->boolean());
    EXPECT_EQ(broken(bound(), fair, bill(3)),
              Texts{"amount * 2 == 10 * 10 (6 and 100, 10 is the earlier amount)"});
    auto either = pool().logical_or(both(Op::greater, var(n_), number(20), spec_.types->boolean()),
                                    both(Op::greater, var(amount_), number(0), spec_.types->boolean()));
    EXPECT_EQ(broken(bound(), either, bill(0)), Texts{"10 > 20 or amount > 0 (10 is the earlier amount)"});
}

TEST_F(BrokenConditions, AConditionWithoutAValueSaysWhy) {
    auto quotient = both(Op::divide, number(100), var(amount_), spec_.types->integer());
    auto where = both(Op::equal, quotient, number(1), spec_.types->boolean());
    // The net asks first whether there is a value.
    EXPECT_EQ(broken(bound(), where, bill(0)), Texts{"amount != 0"});
    model::Message& declared = spec_.messages[bill_.index];
    declared.variables = {amount_, pool().declare(name("note"), spec_.types->string())};
    declared.where = where;
    EXPECT_EQ(broken_declaration(spec_, bill_, bill(0)),
              "100 / amount == 1, which has no value: division by zero");
}

TEST_F(BrokenConditions, AComputedTruthValueIsInParentheses) {
    spec_.messages[bill_.index].fields[0].type = spec_.types->boolean();
    auto many = both(Op::greater, var(n_), number(5), spec_.types->boolean());
    EXPECT_EQ(broken({{{}, many, {}}, {}}, {}, {Value(false), Value(std::string())}),
              Texts{"amount == (n > 5) = true"});
}

TEST_F(BrokenConditions, LongValuesAreCut) {
    ExprId note = pool().literal(Value(std::string(500, 'x')), spec_.types->string());
    Texts texts = broken({{}, {{}, note, {}}}, {}, bill(1, "y"));
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_LT(texts[0].size(), 200u);
    EXPECT_NE(texts[0].find("..."), std::string::npos);
}

TEST_F(BrokenConditions, TheDeclarationOfTheMessage) {
    model::Message& declared = spec_.messages[bill_.index];
    declared.fields[0].type = spec_.types->integer(0, 50);
    EXPECT_EQ(broken_declaration(spec_, bill_, bill(51)), "amount: int in 0..50");
    declared.variables = {amount_, pool().declare(name("note"), spec_.types->string())};
    declared.where = both(Op::not_equal, var(amount_), number(13), spec_.types->boolean());
    EXPECT_EQ(broken_declaration(spec_, bill_, bill(13)), "amount != 13");
    EXPECT_EQ(broken_declaration(spec_, bill_, bill(14)), "");
}

}  // namespace
}  // namespace treaty::track
