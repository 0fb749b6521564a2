#include "explore/refine/refine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "explore/refine/freedom.h"
#include "explore/testing/random_lts.h"

namespace treaty::explore {
namespace {

using base::Answer;
using model::LabelId;
using model::Machine;
using model::StateId;
using Trace = std::vector<std::uint32_t>;
constexpr std::uint32_t tick = 0;  // as an event of a trace or a refusal; label 0 is silent elsewhere

// What a machine can do, by the definitions and nothing else, for traces of up to `length` events.
struct Behaviour {
    std::map<Trace, std::set<std::uint32_t>> after;  // every trace without tick, and the states it leads to
    std::set<Trace> ends;                            // traces after which tick is possible
    std::map<Trace, std::set<std::set<std::uint32_t>>> offers;  // of stable states, {tick} of those that end
    std::set<Trace> diverges;                                   // not closed under longer traces
};

std::set<std::uint32_t> closed(const Machine& m, std::set<std::uint32_t> states) {
    for (bool more = true; more;) {
        more = false;
        for (std::uint32_t s : std::set(states))
            for (const auto& e : m.out(StateId(std::size_t(s))))
                if (e.label.index == 0) more |= states.insert(e.target.index).second;
    }
    return states;
}

// By following silent steps as often as there are states.
bool runs_silently(const Machine& m, std::uint32_t state) {
    std::set<std::uint32_t> at{state};
    for (std::size_t i = 0; i <= m.state_count(); ++i) {
        std::set<std::uint32_t> next;
        for (std::uint32_t s : at)
            for (const auto& e : m.out(StateId(std::size_t(s))))
                if (e.label.index == 0) next.insert(e.target.index);
        at = std::move(next);
    }
    return !at.empty();
}

Behaviour behaviour(const Machine& m, std::size_t length) {
    Behaviour b;
    std::vector<Trace> level{{}};
    b.after[{}] = closed(m, {0});
    for (std::size_t n = 0; !level.empty(); ++n) {
        std::vector<Trace> next;
        for (const Trace& t : level) {
            std::map<std::uint32_t, std::set<std::uint32_t>> successors;
            for (std::uint32_t s : b.after[t]) {
                std::set<std::uint32_t> offered;
                for (const auto& e : m.out(StateId(std::size_t(s)))) {
                    offered.insert(e.label.index);
                    if (e.label.index != 0) successors[e.label.index].insert(e.target.index);
                }
                bool stable = !offered.contains(0);
                if (m.final(StateId(std::size_t(s)))) {
                    b.ends.insert(t);
                    b.offers[t].insert({tick});
                } else if (stable) {
                    b.offers[t].insert(offered);
                }
                if (runs_silently(m, s)) b.diverges.insert(t);
            }
            if (n == length) continue;
            for (auto& [label, states] : successors) {
                Trace longer = t;
                longer.push_back(label);
                b.after[longer] = closed(m, states);
                next.push_back(std::move(longer));
            }
        }
        level = std::move(next);
    }
    return b;
}

bool diverged_before(const Behaviour& b, const Trace& t) {
    for (std::size_t n = 0; n <= t.size(); ++n)
        if (b.diverges.contains(Trace(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(n)))) return true;
    return false;
}

// Whether some stable state offers nothing outside `offered`, so that all else can be refused.
bool can_offer_only(const Behaviour& b, const Trace& t, const std::set<std::uint32_t>& offered) {
    auto found = b.offers.find(t);
    if (found == b.offers.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const auto& o) {
        return std::includes(offered.begin(), offered.end(), o.begin(), o.end());
    });
}

// The length of a shortest counterexample of at most `length` visible events, or none.
std::optional<std::size_t> brute(const Behaviour& spec, const Behaviour& impl, Observation o) {
    std::optional<std::size_t> best;
    auto wrong = [&](std::size_t n) { best = std::min(best.value_or(n), n); };
    for (const auto& [t, states] : impl.after) {
        bool free = o == Observation::failures_divergences && diverged_before(spec, t);
        if (free) continue;
        if (!spec.after.contains(t)) wrong(t.size());
        if (impl.ends.contains(t) && !spec.ends.contains(t)) wrong(t.size());
        if (o == Observation::traces || !spec.after.contains(t)) continue;
        if (o == Observation::failures_divergences && impl.diverges.contains(t)) wrong(t.size());
        auto offers = impl.offers.find(t);
        if (offers == impl.offers.end()) continue;
        for (const auto& offered : offers->second)
            if (!can_offer_only(spec, t, offered)) wrong(t.size());
    }
    return best;
}

// A counterexample is one: the implementation does it, the specification does not.
void expect_real(const Machine& spec, const Machine& impl, const Counterexample& c) {
    Behaviour s = behaviour(spec, c.trace.size()), i = behaviour(impl, c.trace.size());
    Trace t;
    for (LabelId l : c.trace) t.push_back(l.index);
    ASSERT_TRUE(i.after.contains(t));
    switch (c.violation) {
        case Violation::event: EXPECT_FALSE(s.after.contains(t)); break;
        case Violation::ending: EXPECT_TRUE(i.ends.contains(t) && !s.ends.contains(t)); break;
        case Violation::divergence: EXPECT_TRUE(i.diverges.contains(t) && !diverged_before(s, t)); break;
        case Violation::refusal: {
            std::set<std::uint32_t> offered;
            for (LabelId l : c.accepted) offered.insert(l.index);
            EXPECT_TRUE(i.offers[t].contains(offered));
            EXPECT_FALSE(can_offer_only(s, t, offered));
        }
    }
}

RefineReport ask(const Machine& spec, const Machine& impl, Observation o, bool antichain = true) {
    MachineGraph s(spec), i(impl);
    RefineOptions options;
    options.observation = o;
    options.antichain = antichain;
    return refines(s, i, options);
}

constexpr Observation observations[] = {Observation::traces, Observation::failures,
                                        Observation::failures_divergences};

TEST(Refine, AgreesWithTheDefinitions) {
    constexpr std::size_t length = 6;
    std::size_t holds = 0, fails = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        alphabet->plain("a");
        alphabet->plain("b");
        RandomLts shape{1 + random() % 4, 2, 2 + random() % 8, 25, 15};
        Machine spec = random_lts(random, shape, alphabet);
        shape.edges = random() % 6;
        Machine impl = random_lts(random, shape, alphabet);
        Behaviour s = behaviour(spec, length), i = behaviour(impl, length);
        for (Observation o : observations) {
            RefineReport report = ask(spec, impl, o);
            ASSERT_NE(report.answer, Answer::undecided);
            ASSERT_EQ(ask(spec, impl, o, false).answer, report.answer);
            auto expected = brute(s, i, o);
            (report.answer == Answer::holds ? holds : fails)++;
            if (report.answer == Answer::holds) {
                ASSERT_FALSE(expected) << to_string(o);
            } else {
                expect_real(spec, impl, *report.counterexample);
                std::size_t found = report.counterexample->trace.size();
                if (expected || found <= length) {
                    ASSERT_EQ(found, expected.value_or(SIZE_MAX)) << to_string(o);
                }
            }
        }
    }
    EXPECT_GT(holds, 800u);
    EXPECT_GT(fails, 800u);
}

// Leaving out pairs that a stricter one covers changes neither the answer nor how long the counterexample is.
TEST(Refine, AntichainsAgreeWithAllPairs) {
    std::size_t saved = 0, holds = 0, fails = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        Machine spec = random_lts(random, {3 + random() % 10, 2, 12 + random() % 30, 10, 30}, alphabet);
        Machine impl = random_lts(random, {2 + random() % 8, 2, 3 + random() % 14, 10, 10}, alphabet);
        for (Observation o : observations) {
            RefineReport with = ask(spec, impl, o), without = ask(spec, impl, o, false);
            ASSERT_EQ(with.answer, without.answer);
            if (with.answer == Answer::fails) {
                ASSERT_EQ(with.counterexample->trace.size(), without.counterexample->trace.size());
            } else {
                ASSERT_LE(with.pairs, without.pairs);
                saved += with.pairs < without.pairs;
            }
            (with.answer == Answer::holds ? holds : fails)++;
        }
    }
    EXPECT_GT(saved, 50u);
    EXPECT_GT(holds, 200u);
    EXPECT_GT(fails, 200u);
}

TEST(Refine, NormalFormKeepsTracesAndRefusals) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        Machine m = random_lts(random, {1 + random() % 5, 2, random() % 10, 30, 20}, alphabet);
        MachineGraph graph(m);
        NormalForm normal(graph);
        Behaviour b = behaviour(m, 5);
        for (const auto& [t, states] : b.after) {
            NormalId at = normal.initial();
            for (std::uint32_t l : t) at = at ? normal.after(at, LabelId(std::size_t(l))) : at;
            ASSERT_TRUE(at);
            std::set<std::uint32_t> members;
            for (StateId s : normal.members(at)) members.insert(s.index);
            ASSERT_EQ(members, states);
            ASSERT_EQ(normal.final(at), b.ends.contains(t));
            ASSERT_EQ(normal.diverges(at), b.diverges.contains(t));
            std::size_t longer = 0;
            for (std::uint32_t l : {1u, 2u}) {
                Trace next = t;
                next.push_back(l);
                longer += b.after.contains(next) ? 1 : 0;
            }
            if (t.size() < 5) {
                ASSERT_EQ(normal.steps(at).size(), longer);
            }
            for (unsigned bits = 0; bits < 8; ++bits) {
                std::set<std::uint32_t> offered;
                Acceptance set;
                for (std::uint32_t l = 0; l < 3; ++l)
                    if (bits >> l & 1) offered.insert(l), set.push_back(LabelId(std::size_t(l)));
                const auto& least = normal.acceptances(at);
                bool can = std::any_of(least.begin(), least.end(),
                                       [&](const Acceptance& a) { return within(a, set); });
                ASSERT_EQ(can, can_offer_only(b, t, offered));
            }
        }
    }
}

TEST(Refine, FreedomsAgreeWithTheDefinitions) {
    constexpr std::size_t length = 6;
    std::size_t positive = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        Machine m = random_lts(random, {1 + random() % 4, 2, random() % 8, 20, 30}, alphabet);
        MachineGraph graph(m);
        Behaviour b = behaviour(m, length);
        std::optional<std::size_t> stuck, diverges, unsure;
        auto note = [](std::optional<std::size_t>& best, std::size_t n) {
            best = std::min(best.value_or(n), n);
        };
        for (const auto& [t, sets] : b.offers)
            if (sets.contains({})) note(stuck, t.size());
        for (const Trace& t : b.diverges) note(diverges, t.size());
        for (const auto& [t, states] : b.after) {
            std::set<std::uint32_t> possible;
            if (b.ends.contains(t)) possible.insert(tick);
            for (std::uint32_t s : states)
                for (const auto& e : m.out(StateId(std::size_t(s))))
                    if (e.label.index != 0) possible.insert(e.label.index);
            for (std::uint32_t l : possible) {
                std::set<std::uint32_t> without = possible;
                without.erase(l);
                if (can_offer_only(b, t, without)) note(unsure, t.size());
            }
        }
        auto compare = [&](const FreedomReport& report, std::optional<std::size_t> expected) {
            ASSERT_NE(report.answer, Answer::undecided);
            if (report.answer == Answer::holds) {
                ASSERT_FALSE(expected);
            } else if (expected || report.trace.size() <= length) {
                ASSERT_EQ(report.trace.size(), expected.value_or(99));
            }
            positive += report.answer == Answer::holds;
        };
        compare(deadlock_free(graph), stuck);
        compare(divergence_free(graph), diverges);
        compare(deterministic(graph, Observation::failures), unsure);
        if (diverges) note(unsure, *diverges);
        compare(deterministic(graph, Observation::failures_divergences), unsure);
    }
    EXPECT_GT(positive, 500u);
}

TEST(Refine, ComparesByTextAcrossAlphabets) {
    auto one = std::make_shared<model::Alphabet>(), other = std::make_shared<model::Alphabet>();
    auto make = [](const std::shared_ptr<model::Alphabet>& alphabet, std::vector<std::string> names) {
        model::MachineBuilder b("m", alphabet);
        b.state();
        for (const std::string& n : names) b.edge(StateId(0u), alphabet->plain(n), StateId(0u));
        return b.finish().value();
    };
    Machine spec = make(one, {"x", "y", "z"}), good = make(other, {"z", "x"}), bad = make(other, {"z", "w"});
    EXPECT_EQ(ask(spec, good, Observation::traces).answer, Answer::holds);
    RefineReport refused = ask(spec, good, Observation::failures);
    EXPECT_EQ(refused.answer, Answer::fails);
    EXPECT_EQ(refused.counterexample->refused, std::vector<std::string>{"y"});
    RefineReport report = ask(spec, bad, Observation::traces);
    EXPECT_EQ(report.answer, Answer::fails);
    EXPECT_EQ(report.reason, "event 1, w, is not allowed here");
}

TEST(Refine, MessagesBetweenRolesAreEventsOfScripts) {
    auto roles = std::make_shared<model::Alphabet>(), plain = std::make_shared<model::Alphabet>();
    model::RoleId a = roles->role("A"), b = roles->role("B");
    LabelId labels[] = {roles->send(a, b, roles->message("m")), roles->receive(a, b, roles->message("m")),
                        roles->interaction(a, b, roles->message("m"))};
    LabelId events[] = {plain->plain("send.A.B.m"), plain->plain("receive.A.B.m"),
                        plain->plain("message.A.B.m")};
    LabelId other = plain->plain("send.A.B.n"), odd = plain->plain("tau");
    LabelMap there(*roles, *plain), back(*plain, *roles);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(there(labels[i]), events[i]);
        EXPECT_EQ(back(events[i]), labels[i]);
    }
    EXPECT_FALSE(back(other));
    EXPECT_FALSE(back(odd));  // a name, not the silent step
}

// What is reported as refused explains the failure: of everything that the specification may offer, some is
// refused, the end among it.
TEST(Refine, WhatIsRefusedMeetsWhatIsWanted) {
    std::size_t refusals = 0, only_ends = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        Machine spec = random_lts(random, {1 + random() % 4, 2, random() % 8, 20, 40}, alphabet);
        Machine impl = random_lts(random, {1 + random() % 4, 2, random() % 6, 20, 20}, alphabet);
        RefineReport report = ask(spec, impl, Observation::failures);
        if (report.answer != Answer::fails || report.counterexample->violation != Violation::refusal)
            continue;
        ++refusals;
        const std::vector<std::string>& refused = report.counterexample->refused;
        for (const auto& offer : report.counterexample->wanted)
            EXPECT_TRUE(std::any_of(offer.begin(), offer.end(), [&](const std::string& event) {
                return std::find(refused.begin(), refused.end(), event) != refused.end();
            })) << report.reason;
        only_ends += refused == std::vector<std::string>{"tick"} ? 1 : 0;
    }
    EXPECT_GT(refusals, 100u);
    EXPECT_GT(only_ends, 10u);
}

// What may end may refuse everything, also where ends cannot be seen.
TEST(Refine, WithoutEndsToEndIsToStop) {
    auto alphabet = std::make_shared<model::Alphabet>();
    auto make = [&](bool ends, bool goes_on) {
        model::MachineBuilder b("m", alphabet);
        for (int i = 0; i < 3; ++i) b.state(ends && i == 1);
        b.edge(StateId(0u), alphabet->plain("a"), StateId(1u));
        if (goes_on) b.edge(StateId(1u), alphabet->plain("b"), StateId(2u));
        return b.finish().value();
    };
    Machine may_end = make(true, true), goes_on = make(false, true), stops = make(false, false);
    RefineOptions failures;
    failures.observation = Observation::failures;
    EXPECT_EQ(refines(may_end, stops, failures).answer, Answer::holds);
    EXPECT_EQ(refines(may_end, goes_on, failures).answer, Answer::holds);
    EXPECT_EQ(refines(goes_on, stops, failures).answer, Answer::fails);
    RefineReport report = refines(goes_on, may_end, failures);
    EXPECT_EQ(report.answer, Answer::fails);
    EXPECT_EQ(report.reason, "it refuses {b} and offers only {}");
    EXPECT_EQ(refines(stops, may_end).answer, Answer::fails);
}

TEST(Refine, LimitsAreHonest) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::MachineBuilder b("long", alphabet);
    for (int i = 0; i < 5000; ++i) b.state();
    for (std::size_t i = 0; i + 1 < 5000; ++i) b.edge(StateId(i), alphabet->plain("a"), StateId(i + 1));
    Machine m = b.finish().value();
    MachineGraph s(m), i(m);
    RefineOptions options;
    options.limits.states = 2000;
    RefineReport report = refines(s, i, options);
    EXPECT_EQ(report.answer, Answer::undecided);
    EXPECT_EQ(report.stopped, base::StopReason::states);
}

}  // namespace
}  // namespace treaty::explore
