// Properties checked against protocols (Nguyen 2013, algorithm 9), mining, and that a log is followed in as
// many steps as it has messages, however many traces the protocol has.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/seeded_random.h"
#include "choreo/compile_net.h"
#include "choreo/project_net.h"
#include "choreo/reduce_net.h"
#include "choreo/testing/random_protocol.h"
#include "track/tracker.h"
#include "watch/mine.h"
#include "watch/monitor.h"
#include "watch/property_check.h"
#include "watch/testing/records.h"
#include "watch_setup.h"

namespace treaty::watch {
namespace {

using base::SeededRandom;
using model::LabelId;
using track::Marking;

std::string shipping() {
    return read(std::string(TREATY_SOURCE_DIR) + "/examples/shipping/shipping.treaty");
}

std::map<std::string, PropertyCheckResult> check_all(const model::Specification& spec) {
    std::map<std::string, PropertyCheckResult> result;
    for (std::uint32_t i = 0; i < spec.properties.size(); ++i)
        result[std::string(spec.names->text(spec.properties[i].name))] =
            check_property(spec, *spec.main_protocol(), i);
    return result;
}

// P1s, P2s, P1a, the negative of P1s and the global one, as section 4.2 has them, and some that are wrong.
TEST(PropertyCheck, ThePropertiesOfTheShippingServices) {
    model::Specification spec = specification(shipping() + R"(
property P1s at sq {
  after c -> sq: Request
  expect sq -> c: Response
  within 1
}
property P1a at ad {
  after sq -> ad: Commit(card = k, weight = w)
  expect ad -> bc: Withdraw(card = j, amount = a) where j == k and (a == w * 2 or a == w * 3)
  within 1
}
property Light at sq {
  after c -> sq: Request(weight = w) where w < 5
  expect sq -> c: Response(price = 3)
  within 1
}
property Heavy at sq {
  after c -> sq: Request(weight = w) where w > 1000
  expect sq -> c: Response
  within 1
}
property Late at sq {
  after c -> sq: Request
  expect sq -> ad: Commit or sq -> ad: Close
  within 2
}
property Soon at sq {
  after c -> sq: Request
  expect sq -> ad: Commit or sq -> ad: Close
  within 3
}
property Dear at c {
  after c -> sq: Request(weight = w)
  forbid sq -> c: Response(price = p) where p == 3 and w == 4
  within 1
}
property Other: Quoted2 implies not Withdrawn2
)");
    auto found = check_all(spec);
    auto is = [&](const char* name, PropertyStatus status) {
        EXPECT_EQ(found[name].status, status) << name << ": " << found[name].reason;
    };
    is("P1s", PropertyStatus::correct);
    is("Quoted", PropertyStatus::correct);         // P2s
    is("P1a", PropertyStatus::correct);            // P1a
    is("NoEarlyCommit", PropertyStatus::correct);  // the negative one
    is("SamePrice", PropertyStatus::correct);      // P1, global
    is("Light", PropertyStatus::correct);
    is("Soon", PropertyStatus::correct);
    is("Quoted2", PropertyStatus::violated);
    is("Withdrawn2", PropertyStatus::violated);
    is("Late", PropertyStatus::violated);
    is("Dear", PropertyStatus::violated);
    is("Other", PropertyStatus::violated);
    is("Heavy", PropertyStatus::vacuous);
    // The run that breaks it really does: a weight below five.
    const auto& run = found["Quoted2"].run;
    ASSERT_GE(run.size(), 2u);
    ASSERT_EQ(run[0].values.size(), 1u);
    EXPECT_LT(run[0].values[0].integer(), 5);
    ASSERT_EQ(found["Dear"].run.size(), 2u);
    EXPECT_EQ(found["Dear"].run[0].values[0].integer(), 4);
}

TEST(PropertyCheck, LoopsOfAnyLength) {
    model::Specification spec = specification(R"(
message put(n: int)
message got(n: int)
protocol P(a, b) {
  rec again {
    choice at a {
      a -> b: put(let n) where n > 0
      b -> a: got(n + 1)
      continue again
    } or {
      a -> b: stop
    }
  }
}
property Answered at b {
  after a -> b: put(n = x)
  expect b -> a: got(n = y) where y > x
  within 1
}
property Twice at b {
  after a -> b: put
  after b -> a: got
  expect a -> b: put
  within 1
}
property Never at b {
  after a -> b: put(n = x) where x < 0
  expect b -> a: got
  within 1
}
)");
    auto found = check_all(spec);
    EXPECT_EQ(found["Answered"].status, PropertyStatus::correct) << found["Answered"].reason;
    EXPECT_EQ(found["Twice"].status, PropertyStatus::violated) << found["Twice"].reason;
    EXPECT_NE(found["Never"].status, PropertyStatus::correct);
    EXPECT_NE(found["Never"].status, PropertyStatus::violated);
}

TEST(Mine, AGuessAcceptsWhatItSaw) {
    std::size_t guesses = 0, loops = 0, parallel = 0, smaller = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        model::Specification spec;
        choreo::RandomShape shape;
        shape.roles = 2 + random.below(3);
        shape.messages = 2 + random.below(3);
        shape.steps = 4 + random.below(6);
        shape.depth = 1 + random.below(3);
        shape.announced = random.percent(70);
        auto protocol = choreo::random_protocol(spec, shape, seed);
        std::vector<model::Net> nets;
        for (model::RoleId role : protocol.roles())
            if (auto net = choreo::project_net(spec, protocol, role)) nets.push_back(std::move(*net));
        if (nets.size() != protocol.roles().size()) continue;
        Miner miner(*spec.alphabet);
        std::vector<Record> records;
        for (int s = 0; s < 6; ++s) {
            std::vector<LabelId> order;
            testing::run_roles(nets, *spec.alphabet, random, order);
            for (LabelId label : order) {
                records.push_back(testing::record_of(*spec.alphabet, label));
                records.back().session = std::to_string(s);
            }
        }
        if (records.empty()) continue;
        for (const Record& r : records) miner.add(r);
        MineOptions options;
        options.k = random.below(4);
        options.step_limit = random.percent(30) ? 20 : 400;
        Guess guess = miner.guess(options);
        ++guesses;
        loops += guess.text.find("rec ") != std::string::npos;
        parallel += guess.text.find("par ") != std::string::npos;
        smaller += guess.k < options.k;
        model::Specification guessed = specification(guess.text);
        ASSERT_FALSE(guessed.protocols.empty());
        auto monitor = Monitor::make(guessed, *guessed.main_protocol(), {});
        ASSERT_TRUE(monitor);
        for (Record r : records) {
            r.from = guessed.alphabet->find_role(spec.alphabet->name(r.from));
            r.to = guessed.alphabet->find_role(spec.alphabet->name(r.to));
            r.message = guessed.alphabet->find_message(r.name);
            ASSERT_TRUE(r.from && r.to && r.message);
            monitor->feed(r);
        }
        EXPECT_EQ(monitor->counts().filtered, 0u);
        for (const SessionReport& report : monitor->finish())
            ASSERT_FALSE(report.failed)
                << report.deviations[0].event << ": " << report.deviations[0].reason << "\n"
                << guess.text;
    }
    EXPECT_GT(guesses, 80u);
    EXPECT_GT(loops, 10u);
    EXPECT_GT(parallel, 3u);
    EXPECT_GT(smaller, 3u);
}

// How many words a net has, by the sets of markings that words lead to.
std::uint64_t words(const model::Net& net, const std::set<Marking>& states,
                    std::map<std::set<Marking>, std::uint64_t>& known) {
    std::set<Marking> closed = states;
    std::vector<Marking> work(states.begin(), states.end());
    while (!work.empty()) {
        Marking m = std::move(work.back());
        work.pop_back();
        for (const model::Transition& t : net.transitions())
            if (t.silent() && track::enabled(m, t))
                if (auto next = track::fired(m, t); closed.insert(next).second) work.push_back(next);
    }
    auto found = known.find(closed);
    if (found != known.end()) return found->second;
    std::map<LabelId, std::set<Marking>> after;
    bool ends = false;
    for (const Marking& m : closed) {
        ends = ends || track::successful(net, m);
        for (const model::Transition& t : net.transitions())
            if (!t.silent() && track::enabled(m, t)) after[t.label].insert(track::fired(m, t));
    }
    std::uint64_t count = ends;
    for (const auto& [label, next] : after) count += words(net, next, known);
    return known[closed] = count;
}

// Three parallel pairs of interactions, then four times two pairs: 90 * 6^4 = 116,640 traces, among seven
// roles.
TEST(Linear, AChoreographyWith116640Traces) {
    std::string text = "protocol Big(r1, r2, r3, r4, r5, r6, r7) {\n";
    int message = 0;
    auto block = [&](std::initializer_list<std::pair<const char*, const char*>> pairs) {
        bool first = true;
        for (auto [a, b] : pairs) {
            text += fmt::format("{}  {} -> {}: m{}\n  {} -> {}: m{}\n", first ? " par {\n" : " } and {\n", a,
                                b, message, b, a, message + 1);
            message += 2;
            first = false;
        }
        text += " }\n";
    };
    block({{"r1", "r2"}, {"r3", "r4"}, {"r5", "r6"}});
    for (int i = 0; i < 4; ++i) block({{"r1", "r7"}, {"r2", "r3"}});
    model::Specification spec = specification(text + "}\n");
    const model::Protocol& protocol = *spec.main_protocol();
    auto net = choreo::compile_net(spec, protocol);
    ASSERT_TRUE(net);
    std::map<std::set<Marking>, std::uint64_t> known;
    EXPECT_EQ(words(*net, {track::initial_marking(*net)}, known), 116'640u);
    // Any order of it is followed with one configuration at a time: a step a message, and no more.
    model::Net reduced = choreo::reduce_net(*net);
    SeededRandom random(1);
    std::size_t messages = 0, configurations = 0;
    for (int again = 0; again < 200; ++again) {
        auto tracked = std::make_shared<track::TrackedNet>(reduced, model::RoleId(),
                                                           track::TrackOptions{.asynchronous = false});
        track::Tracker tracker(tracked);
        while (true) {
            std::vector<LabelId> ways;
            for (const track::Configuration& c : tracker.configurations())
                for (const track::EnabledTransition& enabled : tracked->inference().next(c))
                    ways.push_back(reduced.transitions()[enabled.transition.index].label);
            if (ways.empty()) break;
            ASSERT_EQ(tracker.observe(ways[random.below(static_cast<std::uint32_t>(ways.size()))]),
                      track::EventVerdict::allowed);
            ++messages;
            configurations += tracker.configurations().size();
        }
        EXPECT_TRUE(tracker.may_end());
    }
    EXPECT_EQ(messages, 200u * 22u);
    EXPECT_EQ(configurations, messages);
}

// The same with any number of parallel branches: one configuration, whatever the order.
TEST(Linear, AnyNumberOfParallelBranches) {
    for (std::size_t n : {10u, 100u, 400u}) {
        std::string text = "protocol P(a, b) {\n par {\n";
        for (std::size_t i = 0; i < n; ++i)
            text += fmt::format("{}  a -> b: m{}\n  b -> a: r{}\n", i == 0 ? "" : " } and {\n", i, i);
        model::Specification spec = specification(text + " }\n}\n");
        const model::Alphabet& alphabet = *spec.alphabet;
        SeededRandom random(n);
        for (std::size_t position : {0u, 1u}) {
            auto net =
                choreo::project_net(spec, *spec.main_protocol(), spec.main_protocol()->roles()[position]);
            ASSERT_TRUE(net);
            auto tracked = std::make_shared<track::TrackedNet>(*net, spec.main_protocol()->roles()[position],
                                                               track::TrackOptions{.asynchronous = false});
            for (int again = 0; again < 5; ++again) {
                track::Tracker tracker(tracked);
                std::vector<std::size_t> left;
                for (std::size_t i = 0; i < n; ++i) left.insert(left.end(), {i, i});
                for (std::size_t i = left.size(); i > 1; --i)
                    std::swap(left[i - 1], left[random.below(static_cast<std::uint32_t>(i))]);
                std::vector<bool> asked(n);
                for (std::size_t i : left) {
                    bool first = !asked[i];
                    asked[i] = true;
                    model::Event e{
                        first == (position == 0) ? model::EventKind::send : model::EventKind::receive,
                        alphabet.find_role(first ? "a" : "b"), alphabet.find_role(first ? "b" : "a"),
                        alphabet.find_message(fmt::format("{}{}", first ? "m" : "r", i))};
                    ASSERT_EQ(tracker.observe(*alphabet.find_label(e)), track::EventVerdict::allowed);
                    ASSERT_EQ(tracker.configurations().size(), 1u);
                }
                EXPECT_TRUE(tracker.may_end());
            }
        }
    }
}

}  // namespace
}  // namespace treaty::watch
