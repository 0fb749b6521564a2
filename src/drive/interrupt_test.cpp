// Sessions in which only the component sends: a role that the tester plays may interrupt it, and a component
// that nobody can interrupt is cut off.
#include <gtest/gtest.h>

#include "drive/in_process.h"
#include "drive/tester.h"

namespace treaty::drive {
namespace {

using namespace std::chrono_literals;

// client -> server: start; the server ticks until the client stops it (`interruptible`) or for as long as it
// likes; server -> client: bye.
struct Ticker {
    explicit Ticker(bool interruptible) {
        client = spec.alphabet->role("client"), server = spec.alphabet->role("server");
        model::MessageId start = spec.alphabet->message("start"), tick = spec.alphabet->message("tick"),
                         bye = spec.alphabet->message("bye");
        stop = spec.alphabet->message("stop");
        model::ProtocolBuilder builder("Ticker", {}, {client, server});
        auto ticks_while_it_likes = [&] {
            builder.open_repeat({}, server);
            builder.interaction({}, server, client, tick);
            builder.close();
        };
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, client, server, start);
        if (interruptible) {
            builder.open(model::NodeKind::interrupt, {});
            model::LoopId loop = builder.loop("L");
            builder.open_recursion({}, loop);
            builder.open(model::NodeKind::sequence, {});
            builder.interaction({}, server, client, tick);
            builder.jump({}, loop);
            builder.close();
            builder.close();
            builder.open(model::NodeKind::sequence, {});
            builder.interaction({}, client, server, stop);
            ticks_while_it_likes();  // those that were on their way
            builder.close();
            builder.close();
        } else {
            ticks_while_it_likes();
        }
        builder.interaction({}, server, client, bye);
        builder.close();
        protocol = builder.finish();
        spec.messages.resize(spec.alphabet->message_count());
    }

    Tester tester(InProcess::Program program, const SessionOptions& options) {
        return {std::move(*roles::RolePart::make(spec, *protocol, server, {client}, "")),
                make_in_process_stage(std::move(program), {{client, "client"}}), options};
    }
    bool interrupted(const SessionResult& outcome) const {
        return std::any_of(outcome.exchanges.begin(), outcome.exchanges.end(),
                           [&](const Exchange& e) { return e.message == stop; });
    }

    model::Specification spec;
    model::RoleId client, server;
    model::MessageId stop;
    std::optional<model::Protocol> protocol;
};

// Every pause of the component; none: it sends without pause until it is read.
InProcess::Program ticks_until_stopped(std::chrono::milliseconds pause, std::string last) {
    return [=](InProcess& here) -> Task {
        co_await here.receive("client");
        while (!here.waiting("client")) {
            here.send("client", "{\"message\": \"tick\"}\n");
            co_await here.pause(pause);
        }
        here.send("client", "{\"message\": \"" + last + "\"}\n");
    };
}

TEST(Interrupt, ARoleThatIsPlayedInterruptsBeforeAndAfterTheLengthOfASession) {
    std::size_t early = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Ticker ticker(true);
        InProcess::Program program = ticks_until_stopped(50ms, "bye");
        SessionResult outcome = ticker.tester(program, SessionOptions()).run(seed);
        EXPECT_EQ(outcome.verdict, Verdict::pass) << outcome.reason;
        EXPECT_TRUE(outcome.completed) << outcome.obstacle;
        EXPECT_TRUE(ticker.interrupted(outcome));
        EXPECT_LE(outcome.exchanges.size(), SessionOptions().length + 3);
        early += outcome.exchanges.size() < SessionOptions().length;
    }
    EXPECT_GT(early, 10u);
    EXPECT_LT(early, 40u);
}

TEST(Interrupt, OneThatIsNotSeenYetIsPreferredForCoverage) {
    SessionOptions options;
    options.guided = true;
    Ticker ticker(true);
    InProcess::Program program = ticks_until_stopped(50ms, "bye");
    std::size_t messages = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        messages += Ticker(true).tester(program, options).run(seed).exchanges.size();
    EXPECT_LT(messages, 20 * 8u);
}

TEST(Interrupt, AFaultAfterAnInterruptionIsFoundAndRepeated) {
    Ticker ticker(true);
    InProcess::Program program = ticks_until_stopped(50ms, "stop");
    Tester tester = ticker.tester(program, SessionOptions());
    SessionResult outcome = tester.run(1);
    ASSERT_EQ(outcome.problem, Problem::unexpected_message) << outcome.reason;
    ASSERT_TRUE(ticker.interrupted(outcome));
    Rerun run = rerun_of(outcome);
    EXPECT_EQ(cause_of(tester.replay(run)), cause_of(outcome));
    // As when a failure is shrunk: the interruption does not wait until nothing is due.
    for (Exchange& e : run.exchanges) e.awaited = Exchange::when_nothing_is_due;
    SessionResult shorter = tester.replay(run);
    EXPECT_EQ(cause_of(shorter), cause_of(outcome));
    EXPECT_LE(shorter.exchanges.size(), 4u);
}

TEST(Interrupt, AComponentThatNeverPausesIsInterruptedToo) {
    auto floods = [](InProcess& here) -> Task {
        co_await here.receive("client");
        while (!here.waiting("client")) {
            for (int i = 0; i < 100; ++i) here.send("client", "{\"message\": \"tick\"}\n");
            co_await here.pause(0ms);
        }
        here.send("client", "{\"message\": \"bye\"}\n");
    };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Ticker ticker(true);
        SessionResult outcome = ticker.tester(floods, SessionOptions()).run(seed);
        EXPECT_TRUE(outcome.completed) << outcome.reason << outcome.obstacle;
        EXPECT_TRUE(ticker.interrupted(outcome));
    }
}

TEST(Interrupt, AComponentThatSendsWithoutEndIsCutOffAndUnfinished) {
    for (auto pause : {0ms, 50ms}) {
        Ticker ticker(false);
        InProcess::Program program = ticks_until_stopped(pause, "bye");
        SessionResult outcome = ticker.tester(program, SessionOptions()).run(1);
        EXPECT_EQ(outcome.verdict, Verdict::pass) << outcome.reason;
        EXPECT_FALSE(outcome.completed);
        EXPECT_EQ(outcome.exchanges.size(), 600u);
        EXPECT_EQ(outcome.obstacle, "cut off after 600 messages");
    }
}

}  // namespace
}  // namespace treaty::drive
