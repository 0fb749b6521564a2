#include "campaign/campaign.h"

#include <cmath>

#include <gtest/gtest.h>

#include "drive/in_process.h"

namespace treaty::campaign {
namespace {

// A protocol with a secret at its far end: the tester chooses left or right six times; only left all the way
// leads there.
struct Maze {
    static constexpr int depth = 6;

    explicit Maze(drive::InProcess::Program program, bool guided = false, std::size_t length = 20) {
        player = spec.alphabet->role("player"), maze = spec.alphabet->role("maze");
        auto left = spec.alphabet->message("left"), right = spec.alphabet->message("right");
        auto secret = spec.alphabet->message("secret"), wall = spec.alphabet->message("wall");
        model::ProtocolBuilder builder("Maze", {}, {player, maze});
        for (int i = 0; i < depth; ++i) {
            builder.open_choice({}, player);
            builder.open(model::NodeKind::sequence, {});
            builder.interaction({}, player, maze, right);
            builder.interaction({}, maze, player, wall);
            builder.close();
            builder.open(model::NodeKind::sequence, {});
            builder.interaction({}, player, maze, left);
        }
        builder.interaction({}, maze, player, secret);
        for (int i = 0; i < depth; ++i) {
            builder.close();
            builder.close();
        }
        protocol = builder.finish();
        EXPECT_TRUE(protocol) << builder.fault();
        spec.messages.resize(spec.alphabet->message_count());
        auto part = std::move(*roles::RolePart::make(spec, *protocol, maze, {player}, ""));
        drive::SessionOptions options;
        options.guided = guided;
        options.length = length;
        tester = std::make_unique<drive::Tester>(
            std::move(part), drive::make_in_process_stage(std::move(program), {{player, "player"}}), options);
    }

    model::Specification spec;
    model::RoleId player, maze;
    std::optional<model::Protocol> protocol;
    std::unique_ptr<drive::Tester> tester;
};

std::string message(const char* name) {
    return std::string("{\"message\": \"") + name + "\"}\n";
}

drive::Task right_maze(drive::InProcess& here) {
    for (int lefts = 0; lefts < Maze::depth;) {
        auto line = co_await here.receive("player");
        if (!line) co_return;
        if (line->find("right") != std::string::npos) {
            here.send("player", message("wall"));
            co_return;
        }
        ++lefts;
    }
    here.send("player", message("secret"));
}

// Wrong in two ways: the first wall is called secret, the second wall is never told.
drive::Task wrong_maze(drive::InProcess& here) {
    int lefts = 0;
    while (auto line = co_await here.receive("player")) {
        if (line->find("right") != std::string::npos) {
            if (lefts == 0) here.send("player", message("secret"));
            if (lefts > 1) here.send("player", message("wall"));
            if (lefts != 1) co_return;
            co_await here.pause(std::chrono::hours(1));
        }
        if (++lefts == Maze::depth) here.send("player", message("secret"));
    }
}

CampaignResult run(std::vector<std::unique_ptr<Maze>>& mazes, const CampaignOptions& options) {
    std::vector<std::unique_ptr<drive::Tester>> testers;
    testers.reserve(mazes.size());
    for (auto& maze : mazes) testers.push_back(std::move(maze->tester));
    return run_campaign(testers, options, [](const CampaignResult&) {});
}

std::vector<std::unique_ptr<Maze>> mazes_of(std::size_t count, drive::InProcess::Program program,
                                            bool guided = false) {
    std::vector<std::unique_ptr<Maze>> mazes;
    for (std::size_t i = 0; i < count; ++i) mazes.push_back(std::make_unique<Maze>(program, guided));
    return mazes;
}

TEST(Campaign, FailuresWithTheSameCauseAreOneFinding) {
    auto mazes = mazes_of(1, wrong_maze);
    CampaignOptions options;
    options.sessions = 200;
    options.keep_going = true;
    CampaignResult result = run(mazes, options);
    EXPECT_EQ(result.sessions, 200u);
    ASSERT_EQ(result.findings.size(), 2u);
    EXPECT_EQ(result.findings[0].count + result.findings[1].count, result.fail);
    EXPECT_EQ(result.fail + result.completed, 200u);
    EXPECT_LT(result.findings[0].session, result.findings[1].session);
}

TEST(Campaign, WithoutKeepingGoingTheFirstFailureEndsIt) {
    auto mazes = mazes_of(1, wrong_maze);
    CampaignOptions options;
    options.sessions = 200;
    CampaignResult result = run(mazes, options);
    EXPECT_EQ(result.fail, 1u);
    EXPECT_EQ(result.findings.size(), 1u);
    EXPECT_LT(result.sessions, 200u);
}

// Who runs a session changes nothing: the same seeds, the same findings.
TEST(Campaign, SeveralAtOnceFindTheSame) {
    CampaignOptions options;
    options.sessions = 300;
    options.keep_going = true;
    auto one = mazes_of(1, wrong_maze), four = mazes_of(4, wrong_maze);
    CampaignResult alone = run(one, options), together = run(four, options);
    EXPECT_EQ(alone.fail, together.fail);
    EXPECT_EQ(alone.completed, together.completed);
    EXPECT_EQ(alone.messages, together.messages);
    ASSERT_EQ(alone.findings.size(), together.findings.size());
    for (std::size_t i = 0; i < alone.findings.size(); ++i) {
        EXPECT_EQ(alone.findings[i].session, together.findings[i].session);
        EXPECT_EQ(alone.findings[i].count, together.findings[i].count);
    }
    ASSERT_EQ(alone.coverage.steps.size(), together.coverage.steps.size());
    for (std::size_t i = 0; i < alone.coverage.steps.size(); ++i)
        EXPECT_EQ(alone.coverage.steps[i].seen, together.coverage.steps[i].seen);
}

// What is sent in each session, in order.
std::vector<std::string> sessions_of(std::uint64_t seed) {
    std::vector<std::string> all;
    auto listen = [&all](drive::InProcess& here) -> drive::Task {
        all.emplace_back();
        std::size_t own = all.size() - 1;
        for (int lefts = 0; lefts < Maze::depth; ++lefts) {
            auto line = co_await here.receive("player");
            if (!line) co_return;
            bool right = line->find("right") != std::string::npos;
            all[own] += right ? 'r' : 'l';
            if (!right) continue;
            here.send("player", message("wall"));
            co_return;
        }
        here.send("player", message("secret"));
    };
    auto mazes = mazes_of(1, listen);
    CampaignOptions options;
    options.sessions = 200;
    options.seed = seed;
    EXPECT_EQ(run(mazes, options).sessions, 200u);
    return all;
}

// Not even shifted: of two hundred sessions that are independent about a third are alike by chance.
TEST(Campaign, SessionsOfConsecutiveSeedsAreOthers) {
    std::vector<std::string> one = sessions_of(7), next = sessions_of(8);
    ASSERT_EQ(one.size(), 200u);
    ASSERT_EQ(next.size(), 200u);
    for (int shift : {-2, -1, 0, 1, 2}) {
        int alike = 0;
        for (std::ptrdiff_t i = 2; i < 198; ++i)
            alike += one[static_cast<std::size_t>(i)] == next[static_cast<std::size_t>(i + shift)];
        EXPECT_LT(alike, 120) << "shifted by " << shift;
    }
}

// By chance the secret takes 64 sessions on average; a search for what is new finds it far sooner.
TEST(Campaign, TheGuideLeadsToWhatWasNotSeen) {
    std::uint64_t guided = 0, random = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        for (bool with_guide : {true, false}) {
            auto mazes = mazes_of(1, right_maze, with_guide);
            CampaignOptions options;
            options.seed = seed;
            options.sessions = 1000;
            options.coverage = 100;
            CampaignResult result = run(mazes, options);
            EXPECT_EQ(result.fail, 0u);
            EXPECT_TRUE(result.coverage_reached || !with_guide);
            (with_guide ? guided : random) += result.sessions;
        }
    EXPECT_LT(guided * 2, random);
}

TEST(Campaign, TheCurveOnlyRises) {
    auto mazes = mazes_of(1, right_maze);
    CampaignResult result = run(mazes, CampaignOptions());
    ASSERT_FALSE(result.curve.empty());
    for (std::size_t i = 1; i < result.curve.size(); ++i) {
        EXPECT_GT(result.curve[i].first, result.curve[i - 1].first);
        EXPECT_GT(result.curve[i].second, result.curve[i - 1].second);
    }
    EXPECT_EQ(result.curve.back().second, result.coverage.covered());
}

// If the rate were at the bound, n clean sessions would have been as unlikely as the confidence leaves.
TEST(Campaign, TheBoundOnTheFailureRate) {
    EXPECT_DOUBLE_EQ(failure_bound(0, 0.95), 1);
    for (std::uint64_t n : {1u, 10u, 59u, 1000u, 100'000u})
        EXPECT_NEAR(std::pow(1 - failure_bound(n, 0.95), static_cast<double>(n)), 0.05, 1e-9);
    EXPECT_LT(failure_bound(59, 0.95), 0.05);
    EXPECT_GT(failure_bound(58, 0.95), 0.05);
}

}  // namespace
}  // namespace treaty::campaign
