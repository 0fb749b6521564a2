// One protocol, one verdict: however a protocol is spelled and whichever notation carries it, check, explore,
// conform, test and watch answer the same, and no two of them contradict each other.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choreo/project.h"
#include "choreo/testing/seeds.h"
#include "explore/judge_safety.h"
#include "formats/fsa/fsa.h"
#include "generate.h"
#include "play.h"
#include "print.h"
#include "reading.h"
#include "spellings.h"
#include "symbolic/conform.h"
#include "symbolic/protocol_graph.h"
#include "verify/protocol_safety.h"

namespace treaty::verdicts {
namespace {

using base::Answer;

// 2,000 protocols usually, 100,000 where twenty times as many random cases are asked for.
std::uint64_t protocols(std::uint64_t share = 1) {
    std::uint64_t scale = choreo::testing::seeds(1);
    return (scale == 1 ? 2'000 : 5'000 * scale) / share;
}

Answer check(const model::Specification& specification) {
    return verify::protocol_safety(specification, *specification.main_protocol()).answer;
}

bool contradict(Answer a, Answer b) {
    return (a == Answer::holds && b == Answer::fails) || (a == Answer::fails && b == Answer::holds);
}

std::string both(const std::string& text, const Spelling& other) {
    return fmt::format("{}\n--- {}:\n{}", text, other.what, other.text);
}

// Those that protocols are written in.
constexpr const char* notations[] = {"gc", "scr", "json", "treaty", "mmd", "puml"};

// A protocol with some of its other spellings.
struct Case {
    std::uint64_t seed;
    File file;
    std::string text;
    std::optional<model::Specification> specification;
    std::vector<Spelling> others;

    Case(std::uint64_t s, const Shape& shape, std::map<std::string, int>* carried = nullptr) : seed(s) {
        file = random_file(seed, shape);
        text = print(file);
        if (interactions_of(file.tested().body) > 14)
            return;  // takes long and shows no more than smaller ones
        specification = read(text);
        if (!specification) return;
        Random random(seed);
        if (auto spelling = rewritten(file, random)) others.push_back(std::move(*spelling));
        std::string extension = notations[random.below(std::size(notations))];
        if (auto spelling = carried_over(text, extension)) {
            if (carried) ++(*carried)[extension];
            others.push_back(std::move(*spelling));
        }
    }
    bool usable() const { return specification && !others.empty(); }
};

TEST(Metamorphic, CheckAnswersTheSame) {
    std::map<std::string, int> carried;
    std::uint64_t compared = 0, lost = 0;
    for (std::uint64_t seed = 0, used = 0; used < protocols(); ++seed) {
        Case c(seed, {}, &carried);
        if (!c.usable()) continue;
        ++used;
        Answer before = check(*c.specification);
        for (const Spelling& other : c.others) {
            if (!other.specification.main_protocol()) {
                ADD_FAILURE() << "seed " << seed << "\n" << both(c.text, other);
                continue;
            }
            Answer after = check(other.specification);
            ++compared;
            lost += before != after;
            EXPECT_FALSE(contradict(before, after))
                << "seed " << seed << ": " << to_string(before) << " and " << to_string(after) << "\n"
                << both(c.text, other);
        }
    }
    for (const char* extension : notations)
        EXPECT_GT(carried[extension], 20) << "hardly anything is carried over as ." << extension;
    fmt::print("{} spellings compared; decided in one and not in the other: {}\n", compared, lost);
    EXPECT_LT(lost * 100, compared) << "the spelling matters for what can be decided";
}

// explore's judgement of the projected machines, and the same machines as .fsa.
TEST(Metamorphic, ExploreAgreesWithCheck) {
    std::uint64_t as_fsa = 0;
    for (std::uint64_t seed = 0, used = 0; used < protocols(8); ++seed) {
        Case c(seed, {.data = false});
        if (!c.usable()) continue;
        ++used;
        auto made = choreo::make_projected_system(*c.specification, *c.specification->main_protocol());
        ASSERT_TRUE(made) << made.reason << "\n" << c.text;
        auto explored = explore::judge_safety(*made.system).report;
        if (check(*c.specification) == Answer::holds) {
            EXPECT_NE(explored.answer, Answer::fails) << "seed " << seed << ": " << explored.reason << "\n"
                                                      << c.text;
        }
        for (const Spelling& other : c.others) {
            auto again =
                choreo::make_projected_system(other.specification, *other.specification.main_protocol());
            ASSERT_TRUE(again) << again.reason << "\n" << both(c.text, other);
            EXPECT_FALSE(contradict(explored.answer, explore::judge_safety(*again.system).report.answer))
                << "seed " << seed << "\n"
                << both(c.text, other);
        }
        base::Diagnostics diagnostics;
        formats::Conversion conversion("fsa", diagnostics, formats::LossPolicy::refuse);
        auto text = formats::write_fsa(*made.system, conversion);
        if (!text) continue;
        base::SourceMap sources;
        auto system = formats::read_fsa(sources, sources.add("p.fsa", *text), diagnostics);
        ASSERT_TRUE(system) << *text;
        ++as_fsa;
        EXPECT_EQ(explore::judge_safety(*system).report.answer, explored.answer) << "seed " << seed << "\n"
                                                                                 << c.text << "\n"
                                                                                 << *text;
    }
    EXPECT_GT(as_fsa, 20u);
}

Answer conforms(const model::Specification& implementation, const model::Specification& specification) {
    symbolic::GraphLimits limits;
    limits.states = 2'000;
    auto a = symbolic::protocol_graph(implementation, *implementation.main_protocol(), limits);
    auto b = symbolic::protocol_graph(specification, *specification.main_protocol(), limits);
    if (!a || !b) return Answer::undecided;
    symbolic::ConformanceLimits bounds;
    bounds.pairs = 2'000;
    auto report = symbolic::conform(*a, *b, bounds);
    return report.incomparable.empty() ? report.conformance.answer : Answer::undecided;
}

TEST(Metamorphic, SpellingsConformToEachOther) {
    std::uint64_t compared = 0, decided = 0;
    for (std::uint64_t seed = 0, used = 0; used < protocols(8); ++seed) {
        Case c(seed, {});
        if (!c.usable()) continue;
        ++used;
        for (const Spelling& other : c.others) {
            if (!other.same_order || !other.same_names) continue;
            for (bool turned : {false, true}) {
                Answer answer = turned ? conforms(*c.specification, other.specification)
                                       : conforms(other.specification, *c.specification);
                ++compared;
                decided += answer == Answer::holds;
                EXPECT_TRUE(answer == Answer::holds || answer == Answer::undecided)
                    << "seed " << seed
                    << (turned ? ": the first does not conform to the second\n"
                               : ": the second does not conform to the first\n")
                    << both(c.text, other);
            }
        }
    }
    fmt::print("{} questions to conform, {} of them decided\n", compared, decided);
    EXPECT_GT(decided * 10, compared * 8);
}

// Logs of what the roles do, and the same logs with one mistake in them.
TEST(Metamorphic, WatchJudgesTheSameLogsAlike) {
    std::uint64_t accepted = 0, refused = 0;
    for (std::uint64_t seed = 0, used = 0; used < protocols(2); ++seed) {
        Case c(seed, {});
        if (!c.usable()) continue;
        SlowJudge judge(c.file);
        if (judge.projections().machines.empty()) continue;
        ++used;
        Random random(seed);
        for (int times = 0; times < 3; ++times) {
            std::vector<Event> log = judge.random_run(random, 12);
            if (log.empty()) break;
            if (times > 0) {
                std::size_t at = random.below(static_cast<unsigned>(log.size()));
                if (times == 1)
                    log.erase(log.begin() + static_cast<std::ptrdiff_t>(at));
                else
                    std::swap(log[at], log[(at + 1) % log.size()]);
            }
            std::string before = watched(*c.specification, judge, log);
            (before.find("refused") == std::string::npos ? accepted : refused) += 1;
            if (times == 0) {
                EXPECT_EQ(before.find("failed"), std::string::npos)
                    << "seed " << seed << ": " << before << "\n"
                    << c.text << judge.print(log);
            }
            for (const Spelling& other : c.others) {
                if (!other.same_names) continue;
                EXPECT_EQ(watched(other.specification, judge, log), before)
                    << "seed " << seed << "\n"
                    << both(c.text, other) << judge.print(log);
            }
        }
    }
    EXPECT_GT(accepted, 100u);
    EXPECT_GT(refused, 100u);
}

void expect_fair(const Session& session, const std::string& where) {
    if (session.said_before) return;  // it may have passed, or not
    if (session.fell_silent) {
        EXPECT_NE(session.outcome.verdict, drive::Verdict::pass) << "the component fell silent and passed\n"
                                                                 << where;
    } else {
        EXPECT_NE(session.outcome.verdict, drive::Verdict::fail)
            << "the component did its part: " << session.outcome.reason << "\n"
            << where;
    }
}

// Components that do their part pass; one that stops sending where it must send does not.
TEST(Metamorphic, TestJudgesTheSameComponentsAlike) {
    std::uint64_t passed = 0, failed = 0;
    for (std::uint64_t seed = 0, used = 0; used < protocols(4); ++seed) {
        Case c(seed, {.data = false});
        if (!c.usable() || check(*c.specification) != Answer::holds) continue;
        SlowJudge judge(c.file);
        if (judge.projections().machines.empty()) continue;
        Random random(seed);
        Role role = random.below(static_cast<unsigned>(c.file.tested().roles.size()));
        if (!can_always_stop(judge.projections().machines[role])) continue;
        ++used;
        for (unsigned lazy : {0u, 1u + random.below(2)}) {
            auto session = play(*c.specification, judge, role, lazy, seed);
            if (!session) continue;
            std::string which =
                fmt::format("seed {}, role {}, lazy {}\n", seed, c.file.tested().roles[role], lazy);
            expect_fair(*session, which + c.text);
            passed += session->outcome.verdict == drive::Verdict::pass;
            failed += session->outcome.verdict == drive::Verdict::fail;
            for (Spelling& other : c.others) {
                if (!other.same_names) continue;
                auto again = play(other.specification, judge, role, lazy, seed);
                if (again) expect_fair(*again, which + both(c.text, other));
            }
        }
    }
    fmt::print("{} sessions passed, {} failed\n", passed, failed);
    EXPECT_GT(passed, 50u);
    EXPECT_GT(failed, 20u);
}

// In a protocol that is safe, whatever a role may send can be sent: the tester leaves hardly any of it out.
// It does not send what a component need not take after a decision that it has not shown to anybody.
TEST(Metamorphic, EverythingThatMayBeSentIsSent) {
    constexpr std::uint64_t sessions = 60;
    std::uint64_t steps = 0, never = 0;
    std::string examples;
    for (std::uint64_t seed = 0, used = 0; used < protocols(10); ++seed) {
        Case c(seed, {.data = false});
        if (!c.usable() || interactions_of(c.file.tested().body) > 6) continue;
        if (check(*c.specification) != Answer::holds) continue;
        SlowJudge judge(c.file);
        if (judge.projections().machines.empty()) continue;
        Role role = Random(seed).below(static_cast<unsigned>(c.file.tested().roles.size()));
        if (!can_always_stop(judge.projections().machines[role])) continue;
        const model::Protocol& protocol = *c.specification->main_protocol();
        model::RoleId cut = c.specification->alphabet->find_role(c.file.tested().roles[role]);
        std::set<model::NodeId> unsent;
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            const model::Node& node = protocol[model::NodeId(i)];
            if (node.kind == model::NodeKind::interaction && node.to == cut) unsent.insert(model::NodeId(i));
        }
        if (unsent.empty()) continue;
        ++used;
        steps += unsent.size();
        for (std::uint64_t session = 0; session < sessions && !unsent.empty(); ++session)
            if (auto played = play(*c.specification, judge, role, 0, seed * sessions + session))
                for (const drive::Exchange& one : played->outcome.exchanges) unsent.erase(one.node);
        never += unsent.size();
        if (!unsent.empty())
            examples += fmt::format("seed {}, role {}:\n{}", seed, c.file.tested().roles[role], c.text);
    }
    fmt::print("{} steps, {} of them never sent\n", steps, never);
    EXPECT_LE(never * 100, steps) << examples;
    EXPECT_GT(steps, 100u);
}

int exit_code(const std::string& command) {
    // NOLINTNEXTLINE(cert-env33-c): a command that the test has made
    int status = std::system((command + " > /dev/null 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A sample through the program itself: check answers as the library does, and explore does not contradict it.
TEST(Metamorphic, TheProgramSaysTheSame) {
    auto folder = std::filesystem::temp_directory_path() / fmt::format("treaty-metamorphic-{}", ::getpid());
    std::filesystem::create_directory(folder);
    for (std::uint64_t seed = 0, used = 0; used < 12; ++seed) {
        Case c(seed, {.data = false});
        if (!c.usable()) continue;
        Answer answer = check(*c.specification);
        if (answer == Answer::undecided) continue;
        ++used;
        auto in_program = [&](const std::string& verb, const std::string& text,
                              const std::string& extension) {
            std::string path = (folder / ("p." + extension)).string();
            std::ofstream(path) << text;
            return exit_code(fmt::format("{} {} {}", TREATY_PROGRAM, verb, path));
        };
        int expected = static_cast<int>(base::exit_of(answer));
        EXPECT_EQ(in_program("check", c.text, "treaty"), expected) << "seed " << seed << "\n" << c.text;
        int explored = in_program("explore", c.text, "treaty");
        EXPECT_TRUE(explored == expected || explored == static_cast<int>(base::Exit::undecided))
            << "explore: " << explored << ", seed " << seed << "\n"
            << c.text;
        for (const Spelling& other : c.others) {
            std::string extension = other.what.starts_with("as .") ? other.what.substr(4) : "treaty";
            EXPECT_EQ(in_program("check", other.text, extension), expected) << "seed " << seed << "\n"
                                                                            << both(c.text, other);
        }
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace treaty::verdicts
