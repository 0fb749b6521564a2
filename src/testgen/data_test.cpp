// Changes of data: built, judged with values, and each fate is right.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "choreo/project.h"
#include "testgen/concrete.h"
#include "testgen/mutation.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {
namespace {

using expr::ExprId;
using expr::Op;

// B -> A: req(let x); if CONDITION { A -> B: big(x) } else { A -> B: small }
struct Request {
    model::Specification spec;
    expr::VarId x;
    std::optional<model::Protocol> protocol;
    std::optional<Projections> projections;

    ExprId number(std::int64_t n) { return spec.pool->integer(n); }
    ExprId compare(Op op, ExprId a, ExprId b) {
        ExprId parts[] = {a, b};
        return spec.pool->make(op, spec.types->boolean(), parts);
    }
    ExprId more_than(std::int64_t n) { return compare(Op::greater, spec.pool->var(x), number(n)); }
    model::RoleId role(const char* name) { return spec.alphabet->role(name); }
    model::MessageId message(const char* name) { return spec.alphabet->message(name); }

    template <class Condition>
    explicit Request(Condition condition) {
        expr::TypeId integer = spec.types->integer();
        x = spec.pool->declare(spec.names->intern("x"), integer);
        model::RoleId a = role("A"), b = role("B");
        model::MessageId req = message("req"), big = message("big"), small = message("small");
        spec.messages.resize(spec.alphabet->message_count());
        for (model::MessageId m : {req, big}) {
            spec.messages[m.index].fields = {{spec.names->intern("amount"), integer}};
            spec.messages[m.index].variables = {spec.pool->declare(spec.names->intern("amount"), integer)};
        }
        model::ProtocolBuilder builder("P", {}, {a, b});
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, b, a, req, {{x, {}, {}}});
        builder.open_conditional({}, condition(*this));
        builder.interaction({}, a, b, big, {{{}, spec.pool->var(x), {}}});
        builder.interaction({}, a, b, small);
        builder.close();
        builder.close();
        protocol = builder.finish();
        projections = make_projections(spec, *protocol, 2).projections;
    }

    std::map<std::string, MutantVerdict> judge(const char* cut) {
        std::map<std::string, MutantVerdict> out;
        auto mutants = mutate_data(*projections, role(cut));
        TestSuite suite(*projections, role(cut), Keep::reachable, final_states(*projections));
        std::vector<TestCase> tests;
        for (const Count& i : first_cases(suite.size(), 100)) tests.push_back(suite.at(i));
        MutationOptions options;
        options.jobs = 2;
        auto verdicts = judge_mutants(*projections, role(cut), mutants, tests, suite.whole(), options);
        for (std::size_t i = 0; i < mutants.size(); ++i) out.emplace(mutants[i].what, verdicts[i]);
        return out;
    }
};

TEST(DataMutants, AreKilledByTheValuesThatTellThemApart) {
    Request request([](Request& r) { return r.more_than(10); });
    ASSERT_TRUE(request.projections);
    for (const char* cut : {"A", "B"}) {
        auto verdicts = request.judge(cut);
        for (const char* what :
             {"x > 10 becomes x >= 10", "x > 10 becomes x > 11", "x > 10 becomes not x > 10"}) {
            ASSERT_TRUE(verdicts.contains(what)) << what << " of " << cut;
            EXPECT_EQ(verdicts.at(what).fate, Fate::killed) << what << ": " << verdicts.at(what).explanation;
            ASSERT_TRUE(verdicts.at(what).own_test);
            EXPECT_FALSE(verdicts.at(what).failure->run.empty());
        }
    }
    // What is sent back is changed, too: its first sender notices.
    auto verdicts = request.judge("A");
    ASSERT_TRUE(verdicts.contains("x becomes x + 1"));
    EXPECT_EQ(verdicts.at("x becomes x + 1").fate, Fate::killed);
}

TEST(DataMutants, ThatAlwaysMeanTheSameAreEquivalent) {
    Request request([](Request& r) { return r.spec.pool->logical_and(r.more_than(10), r.more_than(5)); });
    auto verdicts = request.judge("A");
    ASSERT_TRUE(verdicts.contains("x > 10 and x > 5 becomes x > 10 and x >= 5"));
    EXPECT_EQ(verdicts.at("x > 10 and x > 5 becomes x > 10 and x >= 5").fate, Fate::equivalent);
    EXPECT_EQ(verdicts.at("x > 10 and x > 5 becomes x > 10 or x > 5").fate, Fate::killed);
}

// A that answers before it knows the amount: without data it just chooses, and nobody can tell.
TEST(DataMutants, AConditionIsNoChoice) {
    Request request([](Request& r) { return r.more_than(10); });
    for (bool data : {false, true}) {
        auto mutants = mutate_protocol(*request.projections, request.role("A"));
        std::erase_if(mutants, [](const Mutant& m) { return m.op != Operator::swap; });
        ASSERT_EQ(mutants.size(), 1u);
        ASSERT_TRUE(mutants[0].with_data);
        if (!data) mutants[0].with_data.reset();
        TestSuite suite(*request.projections, request.role("A"), Keep::reachable,
                        final_states(*request.projections));
        std::vector<TestCase> tests{suite.at(0)};
        MutationOptions options;
        options.every_case = true;
        auto verdicts =
            judge_mutants(*request.projections, request.role("A"), mutants, tests, suite.whole(), options);
        EXPECT_EQ(verdicts[0].setting != nullptr, data);
        EXPECT_EQ(verdicts[0].fate, data ? Fate::killed : Fate::undecided) << verdicts[0].explanation;
        if (!data) {
            EXPECT_NE(verdicts[0].explanation.find("conditions ignored"), std::string::npos)
                << verdicts[0].explanation;
        }
    }
}

TEST(DataMutants, NeverClaimMoreThanWasTried) {
    // Whether a difference that no value showed is there at all is not known.
    Request request([](Request& r) { return r.more_than(10); });
    ChosenValues values(request.spec);
    values.add(request.spec.types->integer(), std::int64_t{3});
    EXPECT_FALSE(values.all_of(request.spec.types->integer()));
    EXPECT_TRUE(values.all_of(request.spec.types->boolean()));
}

TEST(Concrete, MachinesFitEachOtherForTheChosenValues) {
    Request request([](Request& r) { return r.more_than(10); });
    ChosenValues values(request.spec);
    values.add(request.spec.types->integer(), std::int64_t{10});
    values.add(request.spec.types->integer(), std::int64_t{11});
    auto a = choreo::project(request.spec, *request.protocol, request.role("A"));
    auto b = choreo::project(request.spec, *request.protocol, request.role("B"));
    std::size_t work = 1000, little = 3;
    solve::Solver solver(*request.spec.pool);
    EXPECT_NE(make_concrete(request.spec, {&*a.machine, &*b.machine}, values, solver, little).reason, "");
    auto made = make_concrete(request.spec, {&*a.machine, &*b.machine}, values, solver, work);
    ASSERT_EQ(made.reason, "");
    EXPECT_LT(work, 1000u);
    std::set<std::string> labels;
    for (const model::Machine& machine : made.machines)
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            for (const model::Edge& edge : machine.out(model::StateId(s)))
                labels.insert(machine.alphabet().print(edge.label));
    EXPECT_EQ(labels, (std::set<std::string>{"B A!req(10)", "B A!req(11)", "B A?req(10)", "B A?req(11)",
                                             "A B!big(11)", "A B?big(11)", "A B!small", "A B?small"}));
}

}  // namespace
}  // namespace treaty::testgen
