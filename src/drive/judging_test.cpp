// What a failure is called, which step it is about, and what the report may claim about it.
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "drive/in_process.h"
#include "drive/tester.h"

namespace treaty::drive {
namespace {

using namespace std::chrono_literals;
using expr::Op;

std::int64_t number_in(const std::string& line) {
    return std::stoll(line.substr(line.find_last_of(':') + 1));
}

std::string message(std::string_view name) {
    return fmt::format("{{\"message\": \"{}\"}}\n", name);
}
std::string message(std::string_view name, std::int64_t x) {
    return fmt::format("{{\"message\": \"{}\", \"x\": {}}}\n", name, x);
}

struct Judged {
    // Of messages that have one number, 0 to 9, called x.
    model::MessageId with_number(const char* name) {
        model::MessageId m = spec.alphabet->message(name);
        spec.messages.resize(spec.alphabet->message_count());
        spec.messages[m.index].fields = {{spec.names->intern("x"), spec.types->integer(0, 9)}};
        return m;
    }
    expr::VarId variable(const char* name) {
        return spec.pool->declare(spec.names->intern(name), spec.types->integer(0, 9));
    }
    Tester tester(model::ProtocolBuilder& builder, model::RoleId cut, std::vector<model::RoleId> others,
                  InProcess::Program program) {
        protocol = builder.finish();
        spec.messages.resize(spec.alphabet->message_count());
        std::map<model::RoleId, std::string> names;
        for (model::RoleId role : others) names[role] = spec.alphabet->name(role);
        return {std::move(*roles::RolePart::make(spec, *protocol, cut, others, "")),
                make_in_process_stage(std::move(program), names), SessionOptions()};
    }

    model::Specification spec;
    std::optional<model::Protocol> protocol;
};

// A -> B: m(let x)  B -> C: m(x)  B -> A: m(x + 0): what goes to A is wrong, and is there first.
TEST(Judging, WrongDataThatOvertakesAMessageOnAnotherConnectionIsWrongData) {
    Judged one;
    model::RoleId a = one.spec.alphabet->role("A"), b = one.spec.alphabet->role("B"),
                  c = one.spec.alphabet->role("C");
    model::MessageId m = one.with_number("m");
    expr::VarId x = one.variable("x");
    expr::Pool& pool = *one.spec.pool;
    std::array<expr::ExprId, 2> sides{pool.var(x), pool.integer(0)};
    expr::ExprId sum = pool.make(Op::add, one.spec.types->integer(), sides);
    model::ProtocolBuilder builder("P", {}, {a, b, c});
    builder.open(model::NodeKind::sequence, {});
    builder.interaction({}, a, b, m, {{x, {}, {}}});
    model::NodeId to_c = builder.interaction({}, b, c, m, {{{}, pool.var(x), {}}});
    model::NodeId to_a = builder.interaction({}, b, a, m, {{{}, sum, {}}});
    builder.close();
    auto program = [](InProcess& here) -> Task {
        auto line = co_await here.receive("A");
        if (!line) co_return;
        here.send("A", message("m", (number_in(*line) + 1) % 10));
        co_await here.pause(5ms);
        here.send("C", message("m", number_in(*line)));
        co_await here.receive("A");
    };
    Tester tester = one.tester(builder, b, {a, c}, program);
    SessionResult outcome = tester.run(1);
    EXPECT_EQ(outcome.problem, Problem::wrong_data) << outcome.reason;
    EXPECT_NE(outcome.reason.find("the protocol requires x == "), std::string::npos) << outcome.reason;
    EXPECT_EQ(outcome.exchanges.back().node, to_a);
    EXPECT_EQ(outcome.expected, std::vector{to_a});
    for (const roles::Coverage::Step& step : tester.coverage().steps) {
        if (step.to_component) continue;
        EXPECT_EQ(step.seen, 0u);
        EXPECT_EQ(step.wrong, step.node == to_a);
        EXPECT_EQ(step.unread, step.node == to_c);
    }
}

// rec X { choice at C { C -> B: first(1)  C -> A: more  X } or { C -> B: last(2)  C -> A: end } }: `more` is
// there, so that `first` must come next to B. The data of `last` is right; it is `last` that is not allowed.
TEST(Judging, WhatAnEarlierMessageExcludesIsNotWrongData) {
    Judged one;
    model::RoleId a = one.spec.alphabet->role("A"), b = one.spec.alphabet->role("B"),
                  c = one.spec.alphabet->role("C");
    model::MessageId first = one.with_number("first"), last = one.with_number("last");
    expr::Pool& pool = *one.spec.pool;
    model::ProtocolBuilder builder("P", {}, {a, b, c});
    model::LoopId loop = builder.loop("X");
    builder.open_recursion({}, loop);
    builder.open_choice({}, c);
    builder.open(model::NodeKind::sequence, {});
    model::NodeId expected = builder.interaction({}, c, b, first, {{{}, pool.integer(1), {}}});
    builder.interaction({}, c, a, one.spec.alphabet->message("more"));
    builder.jump({}, loop);
    builder.close();
    builder.open(model::NodeKind::sequence, {});
    builder.interaction({}, c, b, last, {{{}, pool.integer(2), {}}});
    builder.interaction({}, c, a, one.spec.alphabet->message("end"));
    builder.close();
    builder.close();
    builder.close();
    auto program = [](InProcess& here) -> Task {
        here.send("A", message("more"));
        co_await here.pause(5ms);
        here.send("B", message("last", 2));
        co_await here.receive("A");
    };
    SessionResult outcome = one.tester(builder, c, {a, b}, program).run(1);
    EXPECT_EQ(outcome.problem, Problem::unexpected_message) << outcome.reason;
    EXPECT_EQ(outcome.reason, "B received last(x = 2); expected first to B");
    EXPECT_EQ(outcome.expected, std::vector{expected});
}

// Two branches begin with the same message, and its data tells which.
TEST(Judging, ARepeatedMessageIsTheStepThatItsDataAllows) {
    std::size_t failed = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Judged one;
        model::RoleId client = one.spec.alphabet->role("client"), desk = one.spec.alphabet->role("desk");
        model::MessageId show = one.with_number("show"), missing = one.spec.alphabet->message("missing"),
                         denied = one.spec.alphabet->message("denied");
        expr::VarId bad = one.variable("bad");
        expr::Pool& pool = *one.spec.pool;
        std::array<expr::ExprId, 2> sides{pool.var(bad), pool.integer(5)};
        model::ProtocolBuilder builder("P", {}, {client, desk});
        builder.open_choice({}, client);
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, client, desk, show, {{{}, pool.integer(5), {}}});
        builder.interaction({}, desk, client, missing);
        builder.close();
        builder.open(model::NodeKind::sequence, {});
        model::NodeId second =
            builder.interaction({}, client, desk, show, {{bad, {}, {}}},
                                pool.make(Op::not_equal, one.spec.types->boolean(), sides));
        builder.interaction({}, desk, client, denied);
        builder.close();
        builder.close();
        auto program = [](InProcess& here) -> Task {
            while (co_await here.receive("client")) here.send("client", message("missing"));
        };
        Tester tester = one.tester(builder, desk, {client}, program);
        SessionResult outcome = tester.run(seed);
        if (outcome.problem == Problem::none) continue;
        ++failed;
        EXPECT_EQ(outcome.exchanges.front().node, second);
        EXPECT_EQ(tester.replay(rerun_of(outcome)).exchanges.front().node, second);
    }
    EXPECT_GT(failed, 3u);
}

// The client polls until it is done, and once more. The component answers running, done, running: not late.
TEST(Judging, AnswersAreLateOnlyIfTheOnesBeforeAreLateToo) {
    std::size_t failed = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Judged one;
        model::RoleId client = one.spec.alphabet->role("client"), store = one.spec.alphabet->role("store");
        model::MessageId poll = one.spec.alphabet->message("poll"),
                         running = one.spec.alphabet->message("running"),
                         done = one.spec.alphabet->message("done");
        model::ProtocolBuilder builder("P", {}, {client, store});
        builder.open(model::NodeKind::sequence, {});
        model::LoopId polling = builder.loop("polling");
        builder.open_recursion({}, polling);
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, client, store, poll);
        builder.open_choice({}, store);
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, store, client, running);
        builder.jump({}, polling);
        builder.close();
        builder.interaction({}, store, client, done);
        builder.close();
        builder.close();
        builder.close();
        builder.interaction({}, client, store, poll);
        builder.interaction({}, store, client, done);
        builder.close();
        auto program = [](InProcess& here) -> Task {
            for (int i = 0; co_await here.receive("client"); ++i)
                here.send("client", message(i % 3 == 1 ? "done" : "running"));
        };
        SessionResult outcome = one.tester(builder, store, {client}, program).run(seed);
        failed += outcome.problem == Problem::unexpected_message;
        EXPECT_FALSE(outcome.answers) << outcome.reason;
        EXPECT_EQ(outcome.reason.find("too late"), std::string::npos) << outcome.reason;
    }
    EXPECT_GT(failed, 10u);
}

TEST(Judging, WhatIsWrittenAfterTheConnectionsAreClosedIsNotPartOfTheFailure) {
    for (bool before : {true, false}) {
        Judged one;
        model::RoleId client = one.spec.alphabet->role("client"), server = one.spec.alphabet->role("server");
        model::ProtocolBuilder builder("P", {}, {client, server});
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, client, server, one.spec.alphabet->message("ask"));
        builder.interaction({}, server, client, one.spec.alphabet->message("tell"));
        builder.close();
        auto program = [before](InProcess& here) -> Task {
            co_await here.receive("client");
            here.send("client", message("ask"));
            if (!before) co_await here.pause(5ms);
            throw std::runtime_error("broken pipe");
        };
        SessionResult outcome = one.tester(builder, server, {client}, program).run(1);
        EXPECT_NE(outcome.problem, Problem::none);
        EXPECT_EQ(outcome.errors.empty(), !before) << outcome.errors;
    }
}

}  // namespace
}  // namespace treaty::drive
