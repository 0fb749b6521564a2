// Random protocols: logs of correct runs conform in every order that causality allows; changed logs are
// judged as a plain search over all states judges them.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/seeded_random.h"
#include "choreo/project_net.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "watch/monitor.h"
#include "watch/testing/records.h"

namespace treaty::watch {
namespace {

using base::SeededRandom;
using model::LabelId;
using testing::Logs;
using testing::run_roles;
using track::Marking;

std::uint32_t below(SeededRandom& random, std::size_t bound) {
    return random.below(static_cast<std::uint32_t>(bound));
}

Record record_of(const model::Alphabet& alphabet, LabelId label, std::uint64_t line) {
    Record r = testing::record_of(alphabet, label);
    r.line = line;
    return r;
}

// The whole set of markings, silent steps taken at once.
struct Plain {
    explicit Plain(const model::Net& n) : net(n), states{track::initial_marking(n)} { close(); }
    void close() {
        std::vector<Marking> work(states.begin(), states.end());
        while (!work.empty()) {
            Marking m = std::move(work.back());
            work.pop_back();
            for (const model::Transition& t : net.transitions())
                if (t.silent() && track::enabled(m, t) && states.size() < 20000)
                    if (auto next = track::fired(m, t); states.insert(next).second) work.push_back(next);
        }
    }
    bool step(LabelId label) {
        std::set<Marking> after;
        for (const Marking& m : states)
            for (const model::Transition& t : net.transitions())
                if (t.label == label && track::enabled(m, t)) after.insert(track::fired(m, t));
        states = std::move(after);
        close();
        return !states.empty();
    }
    bool ended() const {
        return std::any_of(states.begin(), states.end(),
                           [&](const Marking& m) { return track::successful(net, m); });
    }
    const model::Net& net;
    std::set<Marking> states;
};

struct Case {
    model::Specification spec;
    std::optional<model::Protocol> protocol;
    std::vector<model::Net> nets;

    explicit Case(SeededRandom& random, std::uint64_t seed) {
        choreo::RandomShape shape;
        shape.roles = 2 + random.below(3);
        shape.messages = 2 + random.below(3);
        shape.steps = 4 + random.below(8);
        shape.depth = 1 + random.below(3);
        shape.interrupts = random.percent(20);
        shape.announced = random.percent(70);
        protocol = choreo::random_protocol(spec, shape, seed);
        for (model::RoleId role : protocol->roles()) {
            auto net = choreo::project_net(spec, *protocol, role);
            if (net) nets.push_back(std::move(*net));
        }
    }
    bool usable() const { return nets.size() == protocol->roles().size(); }
};

// An order of the records that agrees with every log and with causality.
std::vector<std::pair<std::size_t, std::size_t>> some_order(const Logs& logs, const model::Alphabet& alphabet,
                                                            SeededRandom& random) {
    std::vector<std::size_t> at(logs.size());
    std::map<std::tuple<model::RoleId, model::RoleId, model::MessageId>, int> on_the_way;
    std::vector<std::pair<std::size_t, std::size_t>> result;
    while (true) {
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < logs.size(); ++i) {
            if (at[i] == logs[i].size()) continue;
            const model::Event& e = alphabet.event(logs[i][at[i]]);
            if (e.kind == model::EventKind::send || on_the_way[{e.from, e.to, e.message}] > 0)
                ready.push_back(i);
        }
        if (ready.empty()) return result;
        std::size_t i = ready[below(random, ready.size())];
        const model::Event& e = alphabet.event(logs[i][at[i]]);
        on_the_way[{e.from, e.to, e.message}] += e.kind == model::EventKind::send ? 1 : -1;
        result.push_back({i, at[i]++});
    }
}

TEST(Conformance, CorrectRunsConformInEveryOrder) {
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(300); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        Case c(random, seed);
        if (!c.usable()) continue;
        std::vector<LabelId> events;
        Logs logs = run_roles(c.nets, *c.spec.alphabet, random, events);
        for (int again = 0; again < 3; ++again) {
            auto monitor = Monitor::make(c.spec, *c.protocol, {});
            ASSERT_TRUE(monitor);
            auto order = some_order(logs, *c.spec.alphabet, random);
            ASSERT_EQ(order.size(), events.size());
            for (auto [role, position] : order)
                monitor->feed(record_of(*c.spec.alphabet, logs[role][position], position));
            for (const SessionReport& r : monitor->finish()) {
                EXPECT_FALSE(r.failed)
                    << (r.deviations.empty() ? "" : r.deviations[0].event + r.deviations[0].reason);
                EXPECT_FALSE(r.lost);
            }
        }
        if (HasFailure()) return;
    }
}

TEST(Conformance, ChangedLogsAreJudgedAsByPlainSearch) {
    std::size_t failures = 0, complete = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(400); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        Case c(random, seed);
        if (!c.usable()) continue;
        std::vector<LabelId> events;
        Logs logs = run_roles(c.nets, *c.spec.alphabet, random, events);
        std::size_t role = below(random, logs.size());
        auto& log = logs[role];
        if (log.size() >= 2) {
            std::size_t at = below(random, log.size() - 1);
            if (random.percent(40))
                log.erase(log.begin() + static_cast<std::ptrdiff_t>(at));
            else if (random.percent(60))
                std::swap(log[at], log[at + 1]);
            else
                log.insert(log.begin() + static_cast<std::ptrdiff_t>(at), log[at + 1]);
        }
        auto monitor = Monitor::make(c.spec, *c.protocol, {});
        for (std::size_t i = 0; i < logs.size(); ++i)
            for (std::size_t k = 0; k < logs[i].size(); ++k)
                monitor->feed(record_of(*c.spec.alphabet, logs[i][k], k));
        auto reports = monitor->finish();
        if (reports.empty()) continue;
        for (std::size_t i = 0; i < logs.size(); ++i) {
            Plain plain(c.nets[i]);
            std::optional<std::size_t> wrong;
            for (std::size_t k = 0; k < logs[i].size() && !wrong; ++k)
                if (!plain.step(logs[i][k])) wrong = k;
            const RoleState& state = reports[0].roles[i];
            EXPECT_EQ(state.failed, wrong.has_value());
            EXPECT_EQ(!wrong && state.incomplete, !wrong && !plain.ended());
            failures += wrong.has_value();
            complete += !wrong && plain.ended();
            for (const Deviation& d : reports[0].deviations)
                EXPECT_TRUE(!wrong || d.role != c.protocol->roles()[i] || d.at.line == *wrong);
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(failures, 20u);
    EXPECT_GT(complete, 20u);
}

// Ten parallel branches: more traces than could be listed, one pass over the log.
TEST(Conformance, ManyParallelBranches) {
    std::string text = "par";
    for (int i = 0; i < 40; ++i) {
        std::string m = "m" + std::to_string(i);
        text += " { A->B:" + m + " ; B->A:" + m + "r }";
    }
    auto p = choreo::testing::NotationReader(text).read();
    auto monitor = Monitor::make(*p.spec, *p.protocol, {});
    ASSERT_TRUE(monitor);
    const model::Alphabet& alphabet = *p.spec->alphabet;
    for (bool answers : {false, true})
        for (int i = 40; i-- > 0;) {
            Record r;
            r.side = Side::both;
            r.name = "m" + std::to_string(i) + (answers ? "r" : "");
            r.message = alphabet.find_message(r.name);
            r.from = p.role(answers ? "B" : "A");
            r.to = p.role(answers ? "A" : "B");
            monitor->feed(r);
        }
    auto reports = monitor->finish();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_FALSE(reports[0].failed);
    EXPECT_FALSE(reports[0].incomplete);
}

}  // namespace
}  // namespace treaty::watch
