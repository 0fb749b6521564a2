// The order of the whole: the five cases of figure 4.6 on its own example, and random conversations judged
// as all orders of their interactions, tried one by one, judge them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/seeded_random.h"
#include "choreo/compile_net.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "watch/monitor.h"

namespace treaty::watch {
namespace {

using base::SeededRandom;
using model::LabelId;
using track::Marking;

Record record_of(const model::Alphabet& alphabet, const char* from, const char* to, const char* name,
                 bool sent, std::int64_t time) {
    Record r;
    r.line = static_cast<std::uint64_t>(time);
    r.time_ns = time;
    r.side = sent ? Side::sent : Side::received;
    r.from = alphabet.find_role(from);
    r.to = alphabet.find_role(to);
    r.name = name;
    r.message = alphabet.find_message(name);
    return r;
}

// c1 from A to B, then c2 from C to D; the letters are the events in the order of their times.
bool conforms(Order order, std::string_view events) {
    auto p = choreo::testing::NotationReader("A->B:c1 ; C->D:c2").read();
    MonitorOptions options;
    options.order = order;
    auto monitor = Monitor::make(*p.spec, *p.protocol, options);
    const model::Alphabet& alphabet = *p.spec->alphabet;
    for (std::size_t i = 0; i + 1 < events.size(); i += 2) {
        bool first = events[i] == '1', sent = events[i + 1] == '!';
        monitor->feed(record_of(alphabet, first ? "A" : "C", first ? "B" : "D", first ? "c1" : "c2", sent,
                                static_cast<std::int64_t>(i)));
    }
    return !monitor->finish()[0].failed;
}

TEST(WholeOrder, TheFiveCasesOfFigure46) {
    struct Row {
        const char* events;
        bool disjoint, both, sending, reception, overlap;
    };
    const Row rows[] = {
        {"1!1?2!2?", true, true, true, true, true},     {"1!2!1?2?", false, true, true, true, true},
        {"1!2!2?1?", false, false, true, false, true},  {"2!1!1?2?", false, false, false, true, true},
        {"2!1!2?1?", false, false, false, false, true}, {"2!2?1!1?", false, false, false, false, false},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.events);
        EXPECT_EQ(conforms(Order::disjoint, row.events), row.disjoint);
        EXPECT_EQ(conforms(Order::both, row.events), row.both);
        EXPECT_EQ(conforms(Order::sending, row.events), row.sending);
        EXPECT_EQ(conforms(Order::reception, row.events), row.reception);
        EXPECT_EQ(conforms(Order::overlap, row.events), row.overlap);
        EXPECT_TRUE(conforms(Order::causal, row.events));
    }
}

// All markings, silent steps taken at once; false where the label is not possible.
class Plain {
public:
    explicit Plain(const model::Net& net) : net_(net) {
        states_.insert(track::initial_marking(net)), close();
    }
    bool step(LabelId label) {
        std::set<Marking> after;
        for (const Marking& m : states_)
            for (const model::Transition& t : net_.transitions())
                if (t.label == label && track::enabled(m, t)) after.insert(track::fired(m, t));
        states_ = std::move(after);
        close();
        return !states_.empty();
    }
    // Some event that is possible, by chance.
    LabelId any(SeededRandom& random) const {
        std::vector<LabelId> labels;
        for (const Marking& m : states_)
            for (const model::Transition& t : net_.transitions())
                if (!t.silent() && track::enabled(m, t)) labels.push_back(t.label);
        return labels.empty() ? LabelId() : labels[random.below(static_cast<std::uint32_t>(labels.size()))];
    }

private:
    void close() {
        std::vector<Marking> work(states_.begin(), states_.end());
        while (!work.empty()) {
            Marking m = std::move(work.back());
            work.pop_back();
            for (const model::Transition& t : net_.transitions())
                if (t.silent() && track::enabled(m, t) && states_.size() < 5000)
                    if (auto next = track::fired(m, t); states_.insert(next).second) work.push_back(next);
        }
    }
    const model::Net& net_;
    std::set<Marking> states_;
};

struct Interaction {
    LabelId label;
    int sent = 0, received = 0;
};

bool is_run(const model::Net& net, const std::vector<Interaction>& all,
            const std::vector<std::size_t>& order) {
    Plain plain(net);
    return std::all_of(order.begin(), order.end(), [&](std::size_t i) { return plain.step(all[i].label); });
}

// By the definitions: sort by the moment, or try all orders whose moments can be named.
bool expected(const model::Net& net, const std::vector<Interaction>& all, Order order) {
    std::vector<std::size_t> by(all.size());
    std::iota(by.begin(), by.end(), 0u);
    auto sorted = [&](auto moment) {
        auto copy = by;
        std::sort(copy.begin(), copy.end(), [&](auto a, auto b) { return moment(all[a]) < moment(all[b]); });
        return is_run(net, all, copy);
    };
    auto sent = [](const Interaction& i) { return i.sent; };
    auto received = [](const Interaction& i) { return i.received; };
    if (order == Order::sending) return sorted(sent);
    if (order == Order::reception) return sorted(received);
    if (order == Order::both) return sorted(sent) && sorted(received);
    do {
        bool possible = true;
        for (std::size_t i = 0; i < by.size(); ++i)
            for (std::size_t k = i + 1; k < by.size(); ++k)
                possible = possible && all[by[i]].sent < all[by[k]].received;
        if (possible && is_run(net, all, by)) return true;
    } while (std::next_permutation(by.begin(), by.end()));
    return false;
}

TEST(WholeOrder, AsAllOrdersTriedOneByOne) {
    std::size_t refused[6] = {}, allowed[6] = {};
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(500); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        model::Specification spec;
        choreo::RandomShape shape;
        shape.roles = 3 + random.below(2);
        shape.messages = 3 + random.below(3);
        shape.steps = 3 + random.below(5);
        shape.depth = 1 + random.below(3);
        auto protocol = choreo::random_protocol(spec, shape, seed);
        auto net = choreo::compile_net(spec, protocol);
        if (!net) continue;
        std::vector<Interaction> all;
        Plain walk(*net);
        int time = 0;
        for (std::size_t n = 0; n < 5; ++n) {
            LabelId label = walk.any(random);
            if (!label || !walk.step(label)) break;
            all.push_back(
                {label, time, time + 2 + static_cast<int>(random.below(seed % 2 == 0 ? 9 : 1)) * 2});
            time += 6 - 4 * static_cast<int>(random.below(4));
        }
        // Distinct times, and of equal messages the first sent is the first received.
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].sent = all[i].sent * 16 + static_cast<int>(i);
            all[i].received = all[i].received * 16 + 8 + static_cast<int>(i);
        }
        bool straight = true;
        for (const Interaction& a : all)
            for (const Interaction& b : all)
                straight = straight && !(a.label == b.label && a.sent < b.sent && a.received > b.received);
        if (!straight || all.size() < 2) continue;
        for (Order order : {Order::sending, Order::reception, Order::both, Order::overlap}) {
            auto whole = WholeNet::make(spec, protocol, order, true, {.asynchronous = false});
            WholeOrder follower(*whole);
            std::vector<std::pair<int, const Interaction*>> events;
            for (const Interaction& i : all) {
                events.emplace_back(i.sent, &i);
                events.emplace_back(i.received, &i);
            }
            std::sort(events.begin(), events.end());
            bool fine = true;
            for (auto [at, i] : events) {
                Labels labels{{}, {}, i->label};
                auto verdict = at == i->sent ? follower.sent(labels, {}) : follower.received(labels, {});
                ASSERT_NE(verdict, track::EventVerdict::lost);
                fine = fine && verdict == track::EventVerdict::allowed;
                if (!fine) break;
            }
            ASSERT_EQ(fine, expected(*net, all, order)) << to_string(order);
            ++(fine ? allowed : refused)[static_cast<std::size_t>(order)];
        }
    }
    for (Order order : {Order::sending, Order::reception, Order::both, Order::overlap}) {
        EXPECT_GT(refused[static_cast<std::size_t>(order)], 20u) << to_string(order);
        EXPECT_GT(allowed[static_cast<std::size_t>(order)], 20u) << to_string(order);
    }
}

}  // namespace
}  // namespace treaty::watch
