// Shrinking against components in this process: it stays with the bug it began with, tries only what the
// protocol allows, and what it leaves is what it takes to see the bug again.
#include "campaign/shrink_run.h"

#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "campaign/retry.h"
#include "drive/in_process.h"
#include "drive/tester.h"

namespace treaty::campaign {
namespace {

using namespace std::chrono_literals;

std::int64_t number_in(const std::string& line) {
    std::size_t at = line.find("\"x\":");
    return at == std::string::npos ? 0 : std::stoll(line.substr(at + 4));
}

std::string message(const char* name, std::int64_t x) {
    return fmt::format("{{\"message\": \"{}\", \"x\": {}}}\n", name, x);
}

// A client and a server, all messages with one number.
struct Numbers {
    // greeted: the server begins, with a 0.
    explicit Numbers(bool greeted = false) {
        client = spec.alphabet->role("client"), server = spec.alphabet->role("server");
        x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
        y = spec.pool->declare(spec.names->intern("y"), spec.types->integer());
        builder.emplace("Numbers", base::Span{}, std::vector{client, server});
        builder->open(model::NodeKind::sequence, {});
        if (greeted)
            step(false, "hello", {{}, spec.pool->literal(std::int64_t{0}, spec.types->integer()), {}});
        builder->open_repeat({}, client);
    }

    void step(bool to_server, const char* name, model::Argument argument, expr::ExprId where = {}) {
        builder->interaction({}, to_server ? client : server, to_server ? server : client,
                             spec.alphabet->message(name), {argument}, where);
    }
    // A number, which comes back.
    void ask_and_tell() {
        builder->open(model::NodeKind::sequence, {});
        step(true, "ask", {x, {}, {}});
        step(false, "tell", the(x));
        builder->close();
    }
    model::Argument the(expr::VarId variable) const { return {{}, spec.pool->var(variable), {}}; }

    using Around = std::function<std::unique_ptr<drive::Stage>(std::unique_ptr<drive::Stage>)>;
    // around: the component is kept, on a stage around that of single sessions.
    std::unique_ptr<drive::Tester> tester(drive::InProcess::Program program, const Around& around = {}) {
        builder->close();
        builder->close();
        protocol = builder->finish();
        EXPECT_TRUE(protocol) << builder->fault();
        spec.messages.resize(spec.alphabet->message_count());
        for (model::Message& m : spec.messages) m.fields = {{spec.names->intern("x"), spec.types->integer()}};
        auto part = std::move(*roles::RolePart::make(spec, *protocol, server, {client}, ""));
        auto stage = drive::make_in_process_stage(std::move(program), {{client, "client"}});
        if (around) stage = around(std::move(stage));
        return std::make_unique<drive::Tester>(std::move(part), std::move(stage), drive::SessionOptions(),
                                               static_cast<bool>(around));
    }

    std::string written(const drive::SessionResult& outcome) const {
        std::string text;
        for (const drive::Exchange& e : outcome.exchanges)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec.alphabet->name(e.message),
                                e.values[0].integer());
        return text;
    }

    model::Specification spec;
    model::RoleId client, server;
    expr::VarId x, y;
    std::optional<model::ProtocolBuilder> builder;
    std::optional<model::Protocol> protocol;
};

// Wrong in two places, and both times with wrong data: large numbers are sent back as 0, and small ones
// summed up to 9.
drive::Task two_bugs(drive::InProcess& here) {
    while (auto line = co_await here.receive("client")) {
        std::int64_t x = number_in(*line);
        if (line->find("ask") != std::string::npos)
            here.send("client", message("tell", x > 1000 ? 0 : x));
        else
            here.send("client", message("sum", x >= 0 && x < 4 ? 9 : x));
    }
}

TEST(ShrinkRun, StaysWithTheBugItBeganWith) {
    std::size_t asked = 0, slipped = 0, added = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        Numbers numbers;
        numbers.builder->open_choice({}, numbers.client);
        for (auto [question, answer] : {std::pair{"ask", "tell"}, std::pair{"add", "sum"}}) {
            numbers.builder->open(model::NodeKind::sequence, {});
            numbers.step(true, question, {numbers.x, {}, {}});
            numbers.step(false, answer, numbers.the(numbers.x));
            numbers.builder->close();
        }
        numbers.builder->close();
        auto tester = numbers.tester(two_bugs);
        drive::SessionResult outcome = tester->run(seed);
        if (outcome.verdict != drive::Verdict::fail) continue;
        ASSERT_EQ(outcome.problem, drive::Problem::wrong_data) << outcome.reason;
        bool ask = numbers.spec.alphabet->name(outcome.exchanges.back().message) == "tell";
        // Where the other bug is only one step of shrinking away.
        slipped += ask && std::any_of(outcome.exchanges.begin(), outcome.exchanges.end(),
                                      [&](const drive::Exchange& e) {
                                          return numbers.spec.alphabet->name(e.message) == "add";
                                      });
        Shrunk small = shrink_run(*tester, outcome, ShrinkLimits());
        EXPECT_EQ(cause_of(small.outcome), cause_of(outcome));
        EXPECT_EQ(numbers.written(small.outcome), ask ? "ask 1001, tell 0" : "add 0, sum 9");
        EXPECT_EQ(small.failed, small.repeated);
        ++(ask ? asked : added);
    }
    EXPECT_GT(asked, 20u);
    EXPECT_GT(slipped, 10u);
    EXPECT_GT(added, 10u);
}

TEST(ShrinkRun, WhatDataForbidsIsNeverTried) {
    std::size_t found = 0, tries = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Numbers numbers;
        expr::Pool& pool = *numbers.spec.pool;
        expr::ExprId larger[] = {pool.var(numbers.x), pool.var(numbers.y)};
        numbers.builder->open(model::NodeKind::sequence, {});
        numbers.step(true, "lower", {numbers.x, {}, {}});
        numbers.step(false, "low", numbers.the(numbers.x));
        numbers.step(true, "upper", {numbers.y, {}, {}},
                     pool.make(expr::Op::less, numbers.spec.types->boolean(), larger));
        numbers.step(false, "high", numbers.the(numbers.y));
        numbers.builder->close();
        // What the component gets, a list for each session. Its bug: 100 and more is too high.
        std::vector<std::vector<std::int64_t>> sessions;
        auto tester = numbers.tester([&sessions](drive::InProcess& here) -> drive::Task {
            sessions.emplace_back();
            while (auto line = co_await here.receive("client")) {
                std::int64_t x = number_in(*line);
                sessions.back().push_back(x);
                bool lower = line->find("lower") != std::string::npos;
                here.send("client", message(lower ? "low" : "high", !lower && x >= 100 ? 99 : x));
            }
        });
        drive::SessionResult outcome = tester->run(seed);
        if (outcome.verdict != drive::Verdict::fail) continue;
        ++found;
        sessions.clear();
        Shrunk small = shrink_run(*tester, outcome, ShrinkLimits());
        EXPECT_EQ(numbers.written(small.outcome), "lower 0, low 0, upper 100, high 99");
        EXPECT_EQ(sessions.size(), small.tries + small.repeated);
        tries += small.tries;
        EXPECT_EQ(small.given_up, 0u);
        for (const auto& got : sessions)
            for (std::size_t i = 1; i < got.size(); i += 2) EXPECT_LT(got[i - 1], got[i]);
    }
    EXPECT_GT(found, 20u);
    EXPECT_GT(tries, 20 * found / 4);
}

// One component for all sessions, until it is renewed: what it remembers is the test's.
class KeptStage final : public drive::Stage {
public:
    KeptStage(std::unique_ptr<drive::Stage> inner, std::function<void()> forget)
        : inner_(std::move(inner)), forget_(std::move(forget)) {}

    base::Result<void> begin() override {
        fresh_ = renew_;
        if (renew_) forget_();
        renew_ = false;
        return inner_->begin();
    }
    base::Result<std::unique_ptr<drive::Transport>> open(model::RoleId role, drive::Time deadline) override {
        return inner_->open(role, deadline);
    }
    void wait(std::span<drive::Transport* const> transports, drive::Time until) override {
        inner_->wait(transports, until);
    }
    drive::Time now() const override { return inner_->now(); }
    const drive::Ending& ending() const override { return inner_->ending(); }
    const std::string& errors() const override { return inner_->errors(); }
    void look() override { inner_->look(); }
    void end(drive::Time until) override { inner_->end(until); }
    void renew() override { renew_ = true; }
    bool fresh() const override { return fresh_; }

private:
    std::unique_ptr<drive::Stage> inner_;
    std::function<void()> forget_;
    bool renew_ = true, fresh_ = true;
};

// A negative number in one session makes it answer numbers above 100 wrongly in the ones after.
TEST(ShrinkRun, SessionsThatItTakesBelongToTheRunAndOthersDoNot) {
    std::size_t found = 0, earlier = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Numbers numbers;
        numbers.ask_and_tell();
        bool broken = false;
        auto program = [&broken](drive::InProcess& here) -> drive::Task {
            bool breaks = false;
            while (auto line = co_await here.receive("client")) {
                std::int64_t x = number_in(*line);
                here.send("client", message("tell", broken && x > 100 ? 0 : x));
                breaks = breaks || x < 0;
            }
            broken = broken || breaks;
        };
        auto tester = numbers.tester(program, [&](std::unique_ptr<drive::Stage> stage) {
            return std::make_unique<KeptStage>(std::move(stage), [&broken] { broken = false; });
        });
        drive::SessionResult outcome;
        for (std::uint64_t session = 0; session < 12 && outcome.verdict != drive::Verdict::fail; ++session)
            outcome = tester->run(seed * 100 + session);
        if (outcome.verdict != drive::Verdict::fail) continue;
        ++found;
        earlier += outcome.before.size() > 1;
        Shrunk small = shrink_run(*tester, outcome, ShrinkLimits());
        EXPECT_EQ(numbers.written(small.outcome), "ask -1, tell -1, ask 101, tell 0");
        ASSERT_EQ(small.outcome.exchanges.size(), 4u);
        EXPECT_EQ(small.outcome.exchanges[1].session, 0u);
        EXPECT_EQ(small.outcome.exchanges[2].session, 1u);
        EXPECT_EQ(small.failed, small.repeated);
    }
    EXPECT_GT(found, 10u);
    EXPECT_GE(earlier, 2u);
}

// Sessions with one component until one fails.
drive::SessionResult first_failure(drive::Tester& tester, std::uint64_t seed, std::uint64_t sessions) {
    drive::SessionResult outcome;
    for (std::uint64_t i = 0; i < sessions && outcome.verdict != drive::Verdict::fail; ++i)
        outcome = tester.run(seed * 1000 + i);
    return outcome;
}

// A server that greets, is kept, and breaks: what it has seen is here.
struct Greeter {
    std::size_t sessions = 0;
    bool spoilt = false, mended = false;
    std::function<bool(const Greeter&)> breaks;

    std::unique_ptr<drive::Tester> tester(Numbers& numbers, bool says_hello_then) {
        numbers.ask_and_tell();
        auto program = [this, says_hello_then](drive::InProcess& here) -> drive::Task {
            ++sessions;
            bool broken = !mended && breaks(*this);
            if (broken && !says_hello_then) co_return;
            here.send("client", message("hello", broken ? 1 : 0));
            while (auto line = co_await here.receive("client")) {
                std::int64_t x = number_in(*line);
                here.send("client", message("tell", x));
                spoilt = spoilt || x < 0;
            }
        };
        return numbers.tester(program, [this](std::unique_ptr<drive::Stage> stage) {
            return std::make_unique<KeptStage>(std::move(stage), [this] {
                sessions = 0;
                spoilt = false;
            });
        });
    }
};

// It breaks before anything is sent in its session: by a wrong greeting, or by leaving without one.
TEST(ShrinkRun, AFailureBeforeAnythingIsSentTakesTheSessionsBeforeIt) {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (bool hello : {true, false}) {
            SCOPED_TRACE(seed);
            Numbers numbers(true);
            Greeter greeter;
            greeter.breaks = [](const Greeter& g) { return g.spoilt; };
            auto tester = greeter.tester(numbers, hello);
            drive::SessionResult outcome = first_failure(*tester, seed, 12);
            if (outcome.verdict != drive::Verdict::fail) continue;
            ++found;
            Shrunk small = shrink_run(*tester, outcome, ShrinkLimits());
            EXPECT_EQ(numbers.written(small.outcome),
                      hello ? "hello 0, ask -1, tell -1, hello 1" : "hello 0, ask -1, tell -1");
            EXPECT_EQ(small.outcome.sessions, 2u);
            EXPECT_EQ(small.failed, small.repeated);
            for (const drive::SessionResult& one :
                 {small.outcome, outcome}) {  // as it is kept: small, and as it was found
                drive::Rerun run = rerun_of(one);
                EXPECT_TRUE(run.complete);
                EXPECT_EQ(retry(*tester, run, 3).outcome.verdict, drive::Verdict::fail);
            }
            greeter.mended = true;
            EXPECT_EQ(retry(*tester, rerun_of(small.outcome), 3).outcome.verdict, drive::Verdict::pass);
        }
    EXPECT_GT(found, 20u);
}

// What breaks it is only that there were sessions, whatever was said in them.
TEST(ShrinkRun, SessionsWithoutAMessageCount) {
    Numbers numbers(true);
    Greeter greeter;
    greeter.breaks = [](const Greeter& g) { return g.sessions == 5; };
    auto tester = greeter.tester(numbers, false);
    drive::SessionResult outcome = first_failure(*tester, 1, 5);
    ASSERT_EQ(outcome.problem, drive::Problem::closed_early) << outcome.reason;
    EXPECT_EQ(outcome.before.size(), 4u);
    Shrunk small = shrink_run(*tester, outcome, ShrinkLimits());
    EXPECT_EQ(numbers.written(small.outcome), "hello 0, hello 0, hello 0, hello 0");
    EXPECT_EQ(small.outcome.sessions, 5u);
    EXPECT_EQ(small.failed, small.repeated);
    EXPECT_EQ(retry(*tester, rerun_of(small.outcome), 1).outcome.verdict, drive::Verdict::fail);
}

// Whether a failure comes each time is asked also if the time for smaller runs is up.
TEST(ShrinkRun, IsRepeatedWhateverTimeTheTriesTook) {
    Numbers numbers(true);
    Greeter greeter;
    greeter.breaks = [](const Greeter& g) { return g.sessions == 5; };
    auto tester = greeter.tester(numbers, false);
    drive::SessionResult outcome = first_failure(*tester, 1, 5);
    ShrinkLimits limits;
    limits.time = std::chrono::nanoseconds(0);
    Shrunk small = shrink_run(*tester, outcome, limits);
    EXPECT_EQ(small.repeated, limits.repeats);
    EXPECT_EQ(small.failed, small.repeated);
}

// More sessions than are remembered: that it passes without them does not make it fixed.
TEST(ShrinkRun, WhatIsNotKnownAnyMoreIsNeverFixed) {
    for (bool shrunk : {true, false}) {
        Numbers numbers(true);
        Greeter greeter;
        greeter.breaks = [](const Greeter& g) { return g.sessions >= 80; };
        auto tester = greeter.tester(numbers, true);
        drive::SessionResult outcome = first_failure(*tester, 1, 80);
        ASSERT_EQ(outcome.problem, drive::Problem::wrong_data) << outcome.reason;
        EXPECT_EQ(outcome.before.size() + outcome.forgotten, 79u);
        if (shrunk) outcome = shrink_run(*tester, outcome, ShrinkLimits()).outcome;
        Retried again = retry(*tester, rerun_of(outcome), 2);
        EXPECT_EQ(again.outcome.problem, drive::Problem::not_repeatable);
        EXPECT_EQ(again.outcome.verdict, drive::Verdict::inconclusive);
    }
}

// Numbers above 100 are sent back wrong, but only every other time.
TEST(ShrinkRun, AFlakyFailureIsMadeSmallAndSaidToBeFlaky) {
    std::size_t found = 0, flaky = 0, small_enough = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Numbers numbers;
        numbers.ask_and_tell();
        std::mt19937_64 dice(seed);
        auto tester = numbers.tester([&dice](drive::InProcess& here) -> drive::Task {
            while (auto line = co_await here.receive("client")) {
                std::int64_t x = number_in(*line);
                here.send("client", message("tell", x > 100 && dice() % 2 == 0 ? 0 : x));
            }
        });
        drive::SessionResult outcome = tester->run(seed);
        if (outcome.verdict != drive::Verdict::fail) continue;
        ++found;
        Shrunk small = shrink_run(*tester, outcome, ShrinkLimits());
        EXPECT_EQ(cause_of(small.outcome), cause_of(outcome));
        flaky += small.failed < small.repeated && small.failed > 0;
        small_enough +=
            small.outcome.exchanges.size() == 2 && small.outcome.exchanges[0].values[0].integer() < 120;
    }
    EXPECT_GT(found, 10u);
    EXPECT_GE(flaky + 3, found);
    EXPECT_GE(small_enough + 3, found);
}

// Two parallel segments: questions of one may cross answers of the other.
struct Beside {
    Beside() {
        client = spec.alphabet->role("client"), server = spec.alphabet->role("server");
        model::ProtocolBuilder builder("Beside", {}, {client, server});
        builder.open(model::NodeKind::parallel, {});
        for (const char* names : {"ask", "ping"}) {
            builder.open_repeat({}, client);
            builder.open(model::NodeKind::sequence, {});
            builder.interaction({}, client, server, spec.alphabet->message(names));
            builder.interaction({}, server, client, spec.alphabet->message(std::string(names) + "ed"));
            builder.close();
            builder.close();
        }
        builder.close();
        protocol = builder.finish();
        spec.messages.resize(spec.alphabet->message_count());
    }
    model::Specification spec;
    model::RoleId client, server;
    std::optional<model::Protocol> protocol;
};

// Answers after a while; breaks when a ping came in that while.
drive::Task no_crossing(drive::InProcess& here) {
    while (auto line = co_await here.receive("client")) {
        bool ping = line->find("ping") != std::string::npos;
        drive::Time came = here.now();
        if (!ping) co_await here.pause(5ms);
        here.send("client", ping ? "{\"message\": \"pinged\"}\n" : "{\"message\": \"asked\"}\n");
        if (ping) continue;
        // What is in the queue already came while it was busy.
        while (here.waiting("client")) {
            line = co_await here.receive("client");
            if (here.now() - came < 6ms && line->find("ping") != std::string::npos)
                throw std::runtime_error("crossed");
            here.send("client", "{\"message\": \"asked\"}\n");
        }
    }
}

TEST(ShrinkRun, MessagesOfParallelSegmentsCrossEachOther) {
    std::size_t found = 0, shrunk = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Beside beside;
        auto part = std::move(
            *roles::RolePart::make(beside.spec, *beside.protocol, beside.server, {beside.client}, ""));
        drive::Tester tester(std::move(part),
                             drive::make_in_process_stage(no_crossing, {{beside.client, "client"}}),
                             drive::SessionOptions());
        drive::SessionResult outcome = tester.run(seed);
        EXPECT_EQ(outcome.possibilities, 1u);
        if (outcome.verdict != drive::Verdict::fail) continue;
        ++found;
        EXPECT_EQ(outcome.problem, drive::Problem::crashed) << outcome.reason;
        Shrunk small = shrink_run(tester, outcome, ShrinkLimits());
        EXPECT_EQ(small.failed, small.repeated);
        shrunk += small.outcome.exchanges.size() <= 3;
    }
    EXPECT_GT(found, 10u);
    EXPECT_EQ(shrunk, found);
}

}  // namespace
}  // namespace treaty::campaign
