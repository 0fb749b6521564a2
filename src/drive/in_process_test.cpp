// Whole sessions with components in this process: none of them waits in real time.
#include "drive/in_process.h"

#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "drive/tester.h"
#include "track/testing/component.h"

namespace treaty::drive {
namespace {

using base::SeededRandom;
using namespace std::chrono_literals;

// client -> server: ask(x); server -> client: tell(x) within 3 s; over and over, then bye.
struct Echo {
    Echo() {
        expr::VarId x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
        client = spec.alphabet->role("client"), server = spec.alphabet->role("server");
        model::MessageId ask = spec.alphabet->message("ask"), tell = spec.alphabet->message("tell"),
                         bye = spec.alphabet->message("bye");
        model::ProtocolBuilder builder("Echo", {}, {client, server});
        builder.open(model::NodeKind::sequence, {});
        builder.open_repeat({}, client);
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, client, server, ask, {{x, {}, {}}});
        builder.interaction({}, server, client, tell, {{{}, spec.pool->var(x), {}}}, {}, 3'000'000'000);
        builder.close();
        builder.close();
        builder.interaction({}, client, server, bye);
        builder.close();
        protocol = builder.finish();
        spec.messages.resize(spec.alphabet->message_count());
        for (model::MessageId m : {ask, tell})
            spec.messages[m.index].fields = {{spec.names->intern("x"), spec.types->integer()}};
    }

    SessionResult run(InProcess::Program program, std::uint64_t seed = 1) {
        auto part = std::move(*roles::RolePart::make(spec, *protocol, server, {client}, ""));
        Tester tester(std::move(part), make_in_process_stage(std::move(program), {{client, "client"}}),
                      SessionOptions());
        return tester.run(seed);
    }

    model::Specification spec;
    model::RoleId client, server;
    std::optional<model::Protocol> protocol;
};

std::string told(std::string line) {
    line.replace(line.find("ask"), 3, "tell");
    return line;
}

Task right(InProcess& here) {
    while (auto line = co_await here.receive("client"))
        if (line->find("ask") != std::string::npos) here.send("client", told(*line));
}

Task slow_but_in_time(InProcess& here) {
    while (auto line = co_await here.receive("client")) {
        co_await here.pause(2999ms);
        if (line->find("ask") != std::string::npos) here.send("client", told(*line));
    }
}

Task too_slow(InProcess& here) {
    while (auto line = co_await here.receive("client")) {
        co_await here.pause(3500ms);
        here.send("client", told(*line));
    }
}

Task one_behind(InProcess& here) {
    std::string before;
    while (auto line = co_await here.receive("client")) {
        if (line->find("ask") == std::string::npos) co_return;
        here.send("client", told(before.empty() ? *line : before));
        before = *line;
    }
}

Task throws(InProcess& here) {
    co_await here.receive("client");
    throw std::runtime_error("out of paper");
}

Task goes_on_for_ever(InProcess& here) {
    for (;;) co_await here.pause(0ms);
}

TEST(InProcess, ARightComponentPasses) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        EXPECT_EQ(Echo().run(right, seed).verdict, Verdict::pass) << seed;
}

TEST(InProcess, TimeBelongsToTheStepAndCostsNothing) {
    SessionResult late = Echo().run(too_slow);
    EXPECT_EQ(late.problem, Problem::silence) << late.reason;
    SessionResult outcome = Echo().run(slow_but_in_time);
    EXPECT_EQ(outcome.verdict, Verdict::pass) << outcome.reason;
}

// A program that breaks: its connection is closed some milliseconds before it is gone.
class GoneLater final : public Stage {
public:
    explicit GoneLater(std::map<model::RoleId, std::string> names)
        : inner_(make_in_process_stage(
              [this](InProcess& here) -> Task {
                  co_await here.receive("client");
                  here.close("client");
                  closed_ = here.now();
              },
              std::move(names))) {}

    base::Result<void> begin() override { return inner_->begin(); }
    base::Result<std::unique_ptr<Transport>> open(model::RoleId role, Time deadline) override {
        return inner_->open(role, deadline);
    }
    void wait(std::span<Transport* const> transports, Time until) override {
        inner_->wait(transports, until);
        look();
    }
    Time now() const override { return inner_->now(); }
    const Ending& ending() const override { return ending_; }
    const std::string& errors() const override { return inner_->errors(); }
    void look() override {
        ending_.ended = closed_ && now() >= *closed_ + 10ms;
        ending_.status = 1;
    }
    void end(Time until) override { inner_->end(until); }

private:
    std::unique_ptr<Stage> inner_;
    std::optional<Time> closed_;
    Ending ending_;
};

TEST(InProcess, AProgramThatBreaksHasCrashedAndNotOnlyClosed) {
    std::size_t broke = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Echo echo;
        auto part =
            std::move(*roles::RolePart::make(echo.spec, *echo.protocol, echo.server, {echo.client}, ""));
        std::map<model::RoleId, std::string> names{{echo.client, "client"}};
        Tester tester(std::move(part), std::make_unique<GoneLater>(names), SessionOptions());
        SessionResult outcome = tester.run(seed);
        if (outcome.exchanges.empty() || outcome.ended) continue;
        EXPECT_EQ(outcome.problem, Problem::crashed) << outcome.reason;
        ++broke;
    }
    EXPECT_GT(broke, 15u);
}

TEST(InProcess, AConversationThatHasSlippedIsNamed) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SessionResult outcome = Echo().run(one_behind, seed);
        if (outcome.verdict == Verdict::pass) continue;  // equal values hide it
        EXPECT_EQ(outcome.problem, Problem::wrong_data);
        ASSERT_TRUE(outcome.answers) << outcome.reason;
        const Exchange& answered = outcome.exchanges[*outcome.answers];
        EXPECT_TRUE(answered.to_component);
        EXPECT_EQ(answered.values, outcome.exchanges.back().values);
        EXPECT_NE(outcome.reason.find("the same came after message"), std::string::npos) << outcome.reason;
    }
}

TEST(InProcess, AnExceptionIsACrash) {
    SessionResult outcome = Echo().run(throws);
    EXPECT_EQ(outcome.problem, Problem::crashed);
    EXPECT_NE(outcome.reason.find("out of paper"), std::string::npos) << outcome.reason;
}

// What comes after the end counts as long as the component has not closed its side.
TEST(InProcess, TheEndIsWaitedFor) {
    auto says_more = [](InProcess& here) -> Task {
        std::string last;
        while (auto line = co_await here.receive("client"))
            if (line->find("ask") != std::string::npos) here.send("client", last = told(*line));
        co_await here.pause(1s);
        if (!last.empty()) here.send("client", last);
    };
    auto breaks = [](InProcess& here) -> Task {
        while (auto line = co_await here.receive("client"))
            if (line->find("ask") != std::string::npos) here.send("client", told(*line));
        co_await here.pause(1s);
        throw std::runtime_error("out of paper");
    };
    auto closes_and_breaks = [](InProcess& here) -> Task {
        while (auto line = co_await here.receive("client"))
            if (line->find("ask") != std::string::npos) here.send("client", told(*line));
        here.close("client");
        co_await here.pause(1s);
        throw std::runtime_error("out of paper");
    };
    std::size_t said = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SessionResult more = Echo().run(says_more, seed);
        EXPECT_EQ(more.problem, more.exchanges.size() > 1 ? Problem::unexpected_message : Problem::none);
        said += more.problem == Problem::unexpected_message;
        EXPECT_EQ(Echo().run(breaks, seed).problem, Problem::crashed);
        EXPECT_EQ(Echo().run(closes_and_breaks, seed).problem, Problem::crashed);
    }
    EXPECT_GT(said, 3u);
}

TEST(InProcess, OneThatNeverWaitsDoesNotStopTheClock) {
    EXPECT_EQ(Echo().run(goes_on_for_ever).problem, Problem::silence);
}

// Klomp 2018, section 2.4: what came wrongly may have been sent before or after the question was taken.
TEST(InProcess, BothExplanationsAreGiven) {
    model::Specification spec;
    model::RoleId a = spec.alphabet->role("A"), b = spec.alphabet->role("B");
    model::MessageId ask = spec.alphabet->message("ask"), news = spec.alphabet->message("news"),
                     tell = spec.alphabet->message("tell"), odd = spec.alphabet->message("odd");
    // B may bring news at any time; A asks, B tells; odd is for later.
    model::ProtocolBuilder builder("News", {}, {a, b});
    builder.open(model::NodeKind::sequence, {});
    builder.open(model::NodeKind::parallel, {});
    builder.open_repeat({}, b);
    builder.interaction({}, b, a, news);
    builder.close();
    builder.open(model::NodeKind::sequence, {});
    builder.interaction({}, a, b, ask);
    builder.interaction({}, b, a, tell);
    builder.close();
    builder.close();
    builder.interaction({}, b, a, odd);
    builder.close();
    auto protocol = builder.finish();
    ASSERT_TRUE(protocol) << builder.fault();
    spec.messages.resize(spec.alphabet->message_count());
    auto part = std::move(*roles::RolePart::make(spec, *protocol, b, {a}, ""));
    auto program = [](InProcess& here) -> Task {
        co_await here.receive("A");
        here.send("A", "{\"message\": \"odd\"}\n");
    };
    Tester tester(std::move(part), make_in_process_stage(program, {{a, "A"}}), SessionOptions());
    SessionResult outcome;
    for (std::uint64_t seed = 0; seed < 20 && outcome.exchanges.size() < 2; ++seed)
        outcome = tester.run(seed);
    EXPECT_EQ(outcome.problem, Problem::unexpected_message) << outcome.reason;
    ASSERT_EQ(outcome.explanations.size(), 2u);
    EXPECT_EQ(outcome.explanations[0], "if it had not received ask yet: expected news to A");
    EXPECT_EQ(outcome.explanations[1],
              "if it had received everything sent to it: expected news to A or tell to A");
}

// A component that does what its part says, in a random order with random delays, one message at a time.
InProcess::Program random_component(const roles::RolePart& part, std::uint64_t seed, bool& gave_up) {
    return [&part, &gave_up, seed](InProcess& here) -> Task {
        track::testing::PatientComponent component(part.net, part.cut);
        SeededRandom random(seed);
        auto take = [&](const std::string& role, const std::string& line) {
            std::size_t begin =
                line.find(": \"") == std::string::npos ? line.find(":\"") + 2 : line.find(": \"") + 3;
            model::MessageId m =
                part.specification.alphabet->find_message(line.substr(begin, line.find('"', begin) - begin));
            model::RoleId peer = part.specification.alphabet->find_role(role);
            component.push(peer, *part.input(peer, m));
        };
        for (int turns = 0; turns < 400; ++turns) {
            std::optional<model::LabelId> sent;
            if (!component.step(random, sent)) {
                auto piece = co_await here.receive_any();
                if (!piece) co_return;
                take(piece->first, piece->second);
                continue;
            }
            if (sent)
                here.send(std::string(part.name(part.event(*sent).to)),
                          "{\"message\": \"" + std::string(part.name(part.event(*sent).message)) + "\"}\n");
            if (random.percent(30)) co_await here.pause(std::chrono::milliseconds(random.below(25)));
        }
        gave_up = true;  // round and round on its own
    };
}

TEST(InProcess, ARandomComponentThatDoesItsPartIsNeverBlamed) {
    std::size_t ended = 0, exchanges = 0, partly = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(600); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed * 77);
        choreo::RandomShape shape;
        shape.roles = 2 + random.below(3);
        shape.messages = 2 + random.below(3);
        shape.steps = 3 + random.below(8);
        shape.depth = 1 + random.below(3);
        shape.recursion = random.percent(30);
        shape.interrupts = random.percent(30);
        shape.announced = true;
        model::Specification spec;
        model::Protocol protocol = choreo::random_protocol(spec, shape, seed);
        spec.messages.resize(spec.alphabet->message_count());
        model::RoleId cut =
            protocol.roles()[random.below(static_cast<std::uint32_t>(protocol.roles().size()))];
        std::vector<model::RoleId> others;
        std::map<model::RoleId, std::string> names;
        for (model::RoleId role : protocol.roles())
            if (role != cut && (shape.roles < 4 || random.percent(80)))
                others.push_back(role), names[role] = spec.alphabet->name(role);
        if (others.empty()) continue;
        auto made = roles::RolePart::make(spec, protocol, cut, others, "");
        if (!made) continue;
        auto part = std::move(*made);
        partly += others.size() + 1 < protocol.roles().size();
        const roles::RolePart& known = *part;
        bool gave_up = false;
        Tester tester(std::move(part), make_in_process_stage(random_component(known, seed, gave_up), names),
                      SessionOptions());
        for (std::uint64_t session = 0; session < 3; ++session) {
            SessionResult outcome = tester.run(session);
            if (gave_up) break;
            std::string told;
            for (const Exchange& e : outcome.exchanges)
                told += fmt::format("{} -> {}: {}\n", spec.alphabet->name(e.from), spec.alphabet->name(e.to),
                                    spec.alphabet->name(e.message));
            ASSERT_NE(outcome.verdict, Verdict::fail) << outcome.reason << " after\n" << told;
            ended += outcome.ended;
            exchanges += outcome.exchanges.size();
        }
    }
    EXPECT_GT(ended, 300u);
    EXPECT_GT(exchanges, 3000u);
    EXPECT_GT(partly, 20u);
}

// Two questions side by side, then a choice of the client's, then one of the server's.
TEST(InProcess, ChoicesBehindParallelSegmentsAreExplored) {
    for (bool guided : {false, true}) {
        model::Specification spec;
        model::RoleId client = spec.alphabet->role("client"), server = spec.alphabet->role("server");
        model::ProtocolBuilder builder("Behind", {}, {client, server});
        auto branch = [&](const char* asked, const char* said) {
            builder.open(model::NodeKind::sequence, {});
            if (asked) builder.interaction({}, client, server, spec.alphabet->message(asked));
            builder.interaction({}, server, client, spec.alphabet->message(said));
            builder.close();
        };
        builder.open(model::NodeKind::sequence, {});
        builder.open(model::NodeKind::parallel, {});
        branch("a", "aa"), branch("b", "bb");
        builder.close();
        builder.open_choice({}, client);
        branch("c", "cc"), branch("d", "dd");
        builder.close();
        builder.open_choice({}, server);
        branch(nullptr, "e"), branch(nullptr, "f");
        builder.close();
        builder.close();
        auto protocol = builder.finish();
        spec.messages.resize(spec.alphabet->message_count());
        auto part = std::move(*roles::RolePart::make(spec, *protocol, server, {client}, ""));
        const roles::RolePart& known = *part;
        bool gave_up = false;
        std::uint64_t session = 0;
        std::deque<InProcess::Program> programs;  // a coroutine needs the one it came from
        SessionOptions options;
        options.guided = guided;
        auto another = [&](InProcess& here) {
            return programs.emplace_back(random_component(known, session, gave_up))(here);
        };
        Tester tester(std::move(part), make_in_process_stage(another, {{client, "client"}}), options);
        for (; session < 40; ++session) {
            SessionResult outcome = tester.run(session);
            EXPECT_EQ(outcome.verdict, Verdict::pass) << outcome.reason;
            EXPECT_TRUE(outcome.ended);
        }
        EXPECT_EQ(tester.coverage().covered(), tester.coverage().steps.size());
        EXPECT_EQ(tester.coverage().steps.size(), 10u);
    }
}

}  // namespace
}  // namespace treaty::drive
