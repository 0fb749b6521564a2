#include "campaign/missing.h"

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/project_net.h"
#include "choreo/testing/random_protocol.h"

namespace treaty::campaign {
namespace {

using base::SeededRandom;
using model::NodeId;
using model::NodeKind;

// Looked for one by one: whether some step below the node was seen.
bool seen_below(const model::Protocol& protocol, const roles::Coverage& coverage, NodeId node) {
    for (const roles::Coverage::Step& s : coverage.steps)
        for (NodeId n = s.node;; n = protocol[n].parent) {
            if (n == node && s.seen > 0) return true;
            if (n == protocol.root()) break;
        }
    return false;
}

// The blocks above a step that decide, the outermost first, each with the branch that leads to the step.
std::vector<std::pair<NodeId, NodeId>> decisions(const model::Protocol& protocol, NodeId step) {
    std::vector<std::pair<NodeId, NodeId>> result;
    for (NodeId n = step; n != protocol.root(); n = protocol[n].parent) {
        NodeId block = protocol[n].parent;
        NodeKind kind = protocol[block].kind;
        bool decides = kind == NodeKind::choice || kind == NodeKind::repeat ||
                       (kind == NodeKind::interrupt && protocol.children(block)[1] == n);
        if (decides) result.insert(result.begin(), {block, n});
    }
    return result;
}

TEST(Missing, EachStepIsTracedToTheOutermostDecisionThatNeverWentItsWay) {
    std::size_t traced = 0, not_reached = 0, interrupts = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        model::Specification spec;
        choreo::RandomShape shape;
        shape.steps = 14;
        shape.interrupts = true;
        model::Protocol protocol = choreo::random_protocol(spec, shape, seed);
        spec.messages.resize(spec.alphabet->message_count());
        model::RoleId cut = protocol.roles()[0];
        auto net = choreo::project_net(spec, protocol, cut);
        ASSERT_TRUE(net);
        roles::Coverage coverage(*net);
        SeededRandom random(seed);
        for (roles::Coverage::Step& s : coverage.steps)
            if (random.percent(40)) coverage.note(s.node, s.to_component);
        std::size_t unseen = 0;
        for (const roles::Coverage::Step& s : coverage.steps) unseen += s.seen == 0 && s.node;
        auto missing = missing_steps(protocol, coverage);
        EXPECT_EQ(missing.size(), unseen);
        for (const Missing& m : missing) {
            auto all = decisions(protocol, m.step);
            auto first = std::find_if(all.begin(), all.end(), [&](const auto& one) {
                return !seen_below(protocol, coverage, one.second);
            });
            if (first == all.end()) {
                EXPECT_EQ(m.cause, Missing::Cause::not_reached);
                ++not_reached;
                continue;
            }
            EXPECT_EQ(m.at, first->first);
            ++traced;
            roles::Coverage failed = coverage;
            failed.note_due(m.step);
            for (const Missing& due : missing_steps(protocol, failed))
                if (due.step == m.step && !m.to_component) {
                    EXPECT_EQ(due.cause, Missing::Cause::not_reached);
                }
            if (m.cause == Missing::Cause::interruption)
                ++interrupts;
            else
                EXPECT_EQ(m.by, protocol[first->first].role);
        }
        Measures measured = measures(protocol, cut, coverage);
        std::size_t with_peers = 0, seen = 0;
        for (const auto& [role, measure] : measured.peers) {
            with_peers += measure.total;
            seen += measure.covered;
        }
        EXPECT_EQ(with_peers, coverage.steps.size());
        EXPECT_EQ(seen, coverage.covered());
        EXPECT_LE(measured.messages.covered, measured.messages.total);
        EXPECT_LE(measured.branches.covered, measured.branches.total);
    }
    EXPECT_GT(traced, 200u);
    EXPECT_GT(not_reached, 100u);
    EXPECT_GT(interrupts, 10u);
}

}  // namespace
}  // namespace treaty::campaign
