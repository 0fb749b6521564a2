// What docs/semantics.md states about data, compared with trying all values: random protocols, each question
// answered by the engines and by tests/data_reference.h. Every failure prints its seed and the protocol.
#include "data_reference.h"

#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/reduce_net.h"
#include "choreo/testing/seeds.h"
#include "expr/value.h"
#include "lang/read.h"
#include "random_data_protocol.h"
#include "symbolic/coherence.h"
#include "symbolic/conform.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/reach.h"
#include "track/tracker.h"

namespace treaty {
namespace {

using testing::Payload;
using testing::RandomDataProtocol;
using testing::Reference;

struct Read {
    explicit Read(const std::string& text) {
        base::FileId file = sources.add("random.treaty", text);
        specification = lang::read(sources, file, diagnostics);
    }
    const model::Protocol& protocol() const { return specification->protocols.back(); }
    Reference reference() const {
        return Reference(*specification, protocol(), RandomDataProtocol::domains(*specification));
    }

    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::optional<model::Specification> specification;
};

// Some texts are refused, for a number outside of its range, say; they count as unread.
constexpr std::size_t place_limit = 3000;

TEST(DataSemantics, WhatCanHappenAndWhoIsStuckAgreeWithTryingAllValues) {
    std::size_t unread = 0, never = 0, stuck = 0, undecided = 0, asked = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(400); ++seed) {
        RandomDataProtocol random(seed);
        std::string text = random.text();
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
        Read read(text);
        if (!read.specification) {
            ++unread;
            continue;
        }
        const model::Protocol& protocol = read.protocol();
        Reference reference = read.reference();
        auto places = reference.reached(place_limit);
        if (places.empty()) continue;
        std::vector<bool> happens(protocol.size());
        bool stops = false;
        for (const auto& place : places) {
            auto next = reference.next(place);
            bool any = !next.ends.empty();
            for (const auto& move : next.moves) {
                if (move.after.empty()) continue;
                happens[move.node.index] = any = true;
            }
            stops = stops || !any;
        }
        auto made = symbolic::protocol_graph(*read.specification, protocol);
        ASSERT_TRUE(made) << made.error();
        solve::Solver solver(*made->pool);
        auto reach = symbolic::reachability(*made, solver);
        std::vector<bool> yes(protocol.size()), open(protocol.size());
        for (model::GraphStateId s : made->states.ids())
            for (model::GraphEdgeId e : made->states[s].out.ids()) {
                std::size_t node = made->states[s].out[e].node.index;
                if (reach.edges[s][e] == symbolic::Reach::reachable) yes[node] = true;
                if (reach.edges[s][e] == symbolic::Reach::unknown) open[node] = true;
            }
        auto step = [&](std::size_t n) { return text.substr(protocol[model::NodeId(n)].span.begin, 40); };
        for (std::size_t n = 0; n < protocol.size(); ++n) {
            if (protocol[model::NodeId(n)].kind != model::NodeKind::interaction) continue;
            ++asked;
            never += !happens[n];
            undecided += !yes[n] && open[n];
            if (yes[n]) {
                EXPECT_TRUE(happens[n]) << "it cannot happen: " << step(n);
            }
            if (!yes[n] && !open[n]) {
                EXPECT_FALSE(happens[n]) << "it can happen: " << step(n);
            }
        }
        auto coherent = symbolic::coherence(*made, reach, solver);
        ++asked;
        stuck += stops;
        undecided += coherent.answer == base::Answer::undecided;
        if (coherent.answer == base::Answer::holds) {
            EXPECT_FALSE(stops) << "somebody is stuck";
        }
        if (coherent.answer == base::Answer::fails) {
            EXPECT_TRUE(stops) << "nobody is ever stuck";
        }
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_LT(unread, choreo::testing::seeds(400) / 3);
    EXPECT_GT(never, 50u);
    EXPECT_GT(stuck, 50u);
    EXPECT_LT(undecided * 20, asked);
    RecordProperty("undecided", std::to_string(undecided));
}

// The places of a run that an observer cannot tell apart.
using Possible = std::set<Reference::Place>;

Possible after(Reference& reference, const model::Protocol& protocol, const Possible& before,
               const model::Node& event, const Payload& payload) {
    Possible result;
    for (const auto& place : before)
        for (const auto& move : reference.next(place).moves) {
            const model::Node& node = protocol[move.node];
            auto found = move.after.find(payload);
            if (node.role == event.role && node.to == event.to && node.message == event.message &&
                found != move.after.end())
                result.insert(found->second);
        }
    return result;
}

TEST(DataSemantics, LogsAreFollowedAsTryingAllValuesSays) {
    std::size_t unread = 0, refused = 0, taken = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(1500); ++seed) {
        RandomDataProtocol random(seed + 100'000);
        std::string text = random.text();
        SCOPED_TRACE("seed " + std::to_string(seed + 100'000) + "\n" + text);
        Read read(text);
        if (!read.specification) {
            ++unread;
            continue;
        }
        const model::Protocol& protocol = read.protocol();
        Reference reference = read.reference();
        auto compiled = choreo::compile_net(*read.specification, protocol);
        ASSERT_TRUE(compiled);
        model::Net net = choreo::reduce_net(*compiled);
        track::TrackOptions options;
        options.asynchronous = false;
        auto tracked = std::make_shared<track::TrackedNet>(net, model::RoleId(), options);
        track::Tracker tracker(tracked);
        Possible now{reference.start()};
        std::string log;
        for (int step = 0; step < 12; ++step) {
            bool ends = false;
            for (const auto& place : now) ends = ends || !reference.next(place).ends.empty();
            ASSERT_EQ(tracker.may_end(), ends) << log;
            std::vector<std::pair<model::NodeId, Payload>> possible;
            for (std::size_t n = 0; n < protocol.size(); ++n) {
                const model::Node& node = protocol[model::NodeId(n)];
                if (node.kind != model::NodeKind::interaction) continue;
                for (const Payload& payload : reference.payloads(node.message)) {
                    bool allowed = !after(reference, protocol, now, node, payload).empty();
                    track::Tracker copy = tracker;
                    auto label = read.specification->alphabet->interaction(node.role, node.to, node.message);
                    bool accepted = copy.observe(label, payload) == track::EventVerdict::allowed;
                    ASSERT_EQ(accepted, allowed) << log << " then node " << n;
                    (allowed ? taken : refused) += 1;
                    if (allowed) possible.emplace_back(model::NodeId(n), payload);
                }
            }
            if (possible.empty()) break;
            const auto& [node, payload] = possible[random.below(static_cast<std::uint32_t>(possible.size()))];
            const model::Node& event = protocol[node];
            now = after(reference, protocol, now, event, payload);
            tracker.observe(read.specification->alphabet->interaction(event.role, event.to, event.message),
                            payload);
            log += " " + std::string(read.specification->alphabet->name(event.message));
            for (std::size_t f = 0; f < payload.size(); ++f)
                log +=
                    " " + expr::print(payload[f], read.specification->message(event.message).fields[f].type,
                                      *read.specification->types, *read.specification->names);
        }
    }
    EXPECT_LT(unread, choreo::testing::seeds(1500) / 3);
    EXPECT_GT(refused, 1000u);
    EXPECT_GT(taken, 1000u);
}

// Which event matches another may depend on the data.
class Bisimulation {
public:
    Bisimulation(Read& mine, Read& theirs)
        : mine_(mine),
          theirs_(theirs),
          my_reference_(mine.reference()),
          their_reference_(theirs.reference()) {}

    // Nothing if there are too many places.
    std::optional<bool> run() {
        auto my_places = my_reference_.reached(place_limit / 10),
             their_places = their_reference_.reached(place_limit / 10);
        if (my_places.empty() || their_places.empty()) return std::nullopt;
        for (const auto& p : my_places) next_[0].emplace(p, my_reference_.next(p));
        for (const auto& p : their_places) next_[1].emplace(p, their_reference_.next(p));
        for (const auto& p : my_places)
            for (const auto& q : their_places) related_.emplace(p, q);
        while (std::erase_if(related_, [&](const auto& pair) { return !good(pair.first, pair.second); }) >
               0) {
        }
        return related_.contains({my_reference_.start(), their_reference_.start()});
    }

private:
    bool good(const Reference::Place& p, const Reference::Place& q) {
        const auto &a = next_[0].at(p), &b = next_[1].at(q);
        if (a.ends.empty() != b.ends.empty()) return false;
        auto related = [&](const Reference::Place& x, const Reference::Place& y) {
            return related_.contains({x, y});
        };
        auto reversed = [&](const Reference::Place& y, const Reference::Place& x) {
            return related_.contains({x, y});
        };
        return matched(a, b, mine_, theirs_, related) && matched(b, a, theirs_, mine_, reversed);
    }

    template <typename Related>
    static bool matched(const Reference::Next& from, const Reference::Next& by, const Read& first,
                        const Read& second, Related related) {
        auto same = [&](model::NodeId x, model::NodeId y) {
            const model::Node &m = first.protocol()[x], &n = second.protocol()[y];
            const auto &a = *first.specification->alphabet, &b = *second.specification->alphabet;
            return a.name(m.role) == b.name(n.role) && a.name(m.message) == b.name(n.message);
        };
        return std::all_of(from.moves.begin(), from.moves.end(), [&](const Reference::Move& move) {
            return std::all_of(move.after.begin(), move.after.end(), [&](const auto& one) {
                return std::any_of(by.moves.begin(), by.moves.end(), [&](const Reference::Move& other) {
                    auto found = other.after.find(one.first);
                    return same(move.node, other.node) && found != other.after.end() &&
                           related(one.second, found->second);
                });
            });
        });
    }

    Read& mine_;
    Read& theirs_;
    Reference my_reference_, their_reference_;
    std::map<Reference::Place, Reference::Next> next_[2];
    std::set<std::pair<Reference::Place, Reference::Place>> related_;
};

// The protocol with one thing changed, or as it is.
std::string variant(RandomDataProtocol& random, std::string text) {
    static const std::pair<const char*, const char*> changes[] = {
        {" / ", " mod "}, {" < ", " <= "}, {"not ", "true and "}, {" == ", " >= "},
        {" + ", " - "},   {"0", "1"},      {" and ", " or "},     {"A -> B: p", "A -> B: q"},
    };
    if (random.percent(30)) return text;
    std::vector<std::size_t> found;
    std::string from, to;
    for (int attempt = 0; attempt < 4 && found.empty(); ++attempt) {
        std::tie(from, to) = changes[random.below(8)];
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
            found.push_back(at);
    }
    if (!found.empty())
        text.replace(found[random.below(static_cast<std::uint32_t>(found.size()))], std::string(from).size(),
                     to);
    return text;
}

TEST(DataSemantics, ConformanceAgreesWithTryingAllValues) {
    std::size_t unread = 0, holds = 0, fails = 0, undecided = 0, asked = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(150); ++seed) {
        RandomDataProtocol random(seed + 200'000);
        std::string first = random.protocol(), second = variant(random, first);
        SCOPED_TRACE("seed " + std::to_string(seed + 200'000) + "\n" + first + second);
        Read mine(RandomDataProtocol::declarations() + first),
            theirs(RandomDataProtocol::declarations() + second);
        if (!mine.specification || !theirs.specification) {
            ++unread;
            continue;
        }
        auto expected = Bisimulation(mine, theirs).run();
        if (!expected) continue;
        auto a = symbolic::protocol_graph(*mine.specification, mine.protocol());
        auto b = symbolic::protocol_graph(*theirs.specification, theirs.protocol());
        ASSERT_TRUE(a && b);
        symbolic::ConformanceLimits limits;
        limits.deadline = base::Deadline::after_work(std::chrono::seconds(3));
        auto report = symbolic::conform(*a, *b, limits);
        ASSERT_EQ(report.incomparable, "");
        ++asked;
        base::Answer answer = report.conformance.answer;
        undecided += answer == base::Answer::undecided;
        (*expected ? holds : fails) += 1;
        EXPECT_NE(answer, base::Answer::conditional);
        if (answer == base::Answer::holds) {
            EXPECT_TRUE(*expected);
        }
        if (answer == base::Answer::fails) {
            EXPECT_FALSE(*expected) << report.conformance.mismatch.what;
        }
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_LT(unread, choreo::testing::seeds(150) / 3);
    EXPECT_GT(holds, 30u);
    EXPECT_GT(fails, 5u);
    EXPECT_LT(undecided * 10, asked);
}

}  // namespace
}  // namespace treaty
