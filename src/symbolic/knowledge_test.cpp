// Who knows what, found on graphs, against the walk over the tree (model/knowledge.h): two ways that share
// nothing.
#include "symbolic/knowledge.h"

#include <map>

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "model/knowledge.h"
#include "symbolic/protocol_graph.h"

namespace treaty::symbolic {
namespace {

using model::NodeKind;

// Values are chosen, told by their names and chosen anew, in choices, loops and tries. Nothing is computed: a
// graph computes with the next event, a tree before it.
class Tellings {
public:
    Tellings(model::Specification& spec, std::uint64_t seed)
        : spec_(spec), random_(seed), builder_("T", {}, roles()) {
        for (const char* name : {"x", "y"})
            variables_.push_back(spec.pool->declare(spec.names->intern(name), spec.types->integer()));
    }

    model::Protocol make() {
        builder_.open(NodeKind::sequence, {});
        for (expr::VarId v : variables_) {
            model::Argument chosen;
            chosen.bind = v;
            interaction(chosen);
        }
        block(4, 3);
        builder_.close();
        spec_.messages.resize(spec_.alphabet->message_count());
        return *builder_.finish();
    }

private:
    std::vector<model::RoleId> roles() {
        return {spec_.alphabet->role("A"), spec_.alphabet->role("B"), spec_.alphabet->role("C")};
    }

    void interaction() {
        expr::VarId v = variables_[random_.below(2)];
        model::Argument argument;
        if (random_.percent(40))
            argument.bind = v;
        else
            argument.value = spec_.pool->var(v);
        interaction(argument);
    }

    void interaction(const model::Argument& argument) {
        std::uint32_t from = random_.below(3), to = (from + 1 + random_.below(2)) % 3;
        builder_.interaction({}, roles()[from], roles()[to], spec_.alphabet->message("m"), {argument});
    }

    void block(std::uint32_t steps, std::uint32_t depth) {
        builder_.open(NodeKind::sequence, {});
        interaction();
        for (std::uint32_t i = 0; i < steps; ++i) {
            switch (depth == 0 ? 0 : random_.below(7)) {
                case 1:
                case 2: composite(NodeKind::choice, 2, depth); break;
                case 3: composite(NodeKind::repeat, 1, depth); break;
                case 4: composite(NodeKind::interrupt, 2, depth); break;
                case 5: recursion(depth); break;
                default: interaction();
            }
        }
        builder_.close();
    }

    void composite(NodeKind kind, int parts, std::uint32_t depth) {
        if (kind == NodeKind::choice)
            builder_.open_choice({}, {});
        else if (kind == NodeKind::repeat)
            builder_.open_repeat({}, {});
        else
            builder_.open(kind, {});
        for (int i = 0; i < parts; ++i) block(random_.below(2), depth - 1);
        builder_.close();
    }

    void recursion(std::uint32_t depth) {
        model::LoopId loop = builder_.loop("L");
        builder_.open_recursion({}, loop);
        builder_.open(NodeKind::sequence, {});
        block(1, depth - 1);
        builder_.open_choice({}, {});
        builder_.open(NodeKind::sequence, {});
        interaction();
        builder_.jump({}, loop);
        builder_.close();
        block(0, 0);
        builder_.close();
        builder_.close();
        builder_.close();
    }

    model::Specification& spec_;
    base::SeededRandom random_;
    model::ProtocolBuilder builder_;
    std::vector<expr::VarId> variables_;
};

// Before each interaction: the role and variable pairs that are known.
using Known = std::map<std::uint32_t, std::vector<bool>>;

class Before : public model::KnowledgeWatcher {
public:
    Before(const model::Protocol& protocol, std::size_t variables)
        : protocol_(protocol), variables_(variables) {}

    void sends(model::Knowledge& known, model::NodeId id) override {
        std::vector<bool> facts;
        for (model::RoleId r : protocol_.roles())
            for (std::size_t v = 0; v < variables_; ++v) facts.push_back(known.knows(r, expr::VarId(v)));
        result[id.index] = facts;
    }

    Known result;

private:
    const model::Protocol& protocol_;
    std::size_t variables_;
};

Known on_graph(const model::Protocol& protocol, const SymbolicGraph& graph, std::size_t variables) {
    Knowledge knowledge(graph, protocol.roles());
    Known result;
    for (GraphStateId s : graph.states.ids())
        for (const GraphEdge& edge : graph.states[s].out) {
            auto& facts =
                result.try_emplace(edge.node.index, protocol.roles().size() * variables, true).first->second;
            for (std::size_t r = 0; r < protocol.roles().size(); ++r)
                for (std::size_t v = 0; v < variables; ++v)
                    facts[r * variables + v] =
                        facts[r * variables + v] && knowledge.knows(s, r, expr::VarId(v));
        }
    return result;
}

TEST(GraphKnowledge, AgreesWithTheWalkOverTheTree) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(1500); ++seed) {
        model::Specification spec;
        model::Protocol protocol = Tellings(spec, seed).make();
        GraphResult graph = protocol_graph(spec, protocol);
        ASSERT_TRUE(graph) << "seed " << seed << ": " << graph.error();
        Before before(protocol, 2);
        model::Knowledge(protocol, *spec.pool).walk(before);
        Known states = on_graph(protocol, *graph, 2);
        for (const auto& [node, facts] : states) {
            ++compared;
            ASSERT_EQ(facts, before.result.at(node)) << "seed " << seed << ", node " << node;
        }
    }
    EXPECT_GT(compared, 8000u);
}

}  // namespace
}  // namespace treaty::symbolic
