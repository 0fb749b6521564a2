// Symbolic graphs against the nets of the same protocols: the token game of choreo, an independent way.

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/testing/data.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"
#include "expr/simplify.h"
#include "symbolic/protocol_graph.h"

namespace treaty::symbolic {
namespace {

using choreo::testing::StateText;
using choreo::testing::Steps;

// A graph run on values 0, 1 and 2, as the nets are: a state holds the variables' values, '.' where there is
// none; an event shows what it carries.
Steps graph_steps(const SymbolicGraph& graph) {
    auto environment = [&graph](const std::string& known) {
        expr::Environment env;
        for (std::size_t i = 0; i < known.size(); ++i)
            if (known[i] != '.') env.set(VarId(i), expr::Value(std::int64_t{known[i] - '0'}));
        (void)graph;
        return env;
    };
    auto split = [](const StateText& s) { return s.substr(s.find(' ') + 1); };
    Steps steps;
    steps.initial = "0 " + std::string(graph.pool->variable_count(), '.');
    steps.next = [&graph, environment, split](const StateText& s) {
        std::vector<std::pair<std::string, StateText>> result;
        for (const GraphEdge& edge : graph.states[GraphStateId(std::stoul(s))].out)
            for (std::int64_t z = 0; z < 3; ++z) {
                expr::Environment env = environment(split(s));
                if (!expr::satisfied(*graph.pool, graph.guard(edge), env)) continue;
                auto payload = graph.payload_of(edge.label);
                if (edge.data.empty() && z > 0) continue;
                if (!edge.data.empty()) env.set(payload[0], expr::Value(z));
                if (edge.condition && !expr::satisfied(*graph.pool, edge.condition, env)) continue;
                std::string after = split(s);
                for (const auto& u : edge.updates) {
                    auto value = expr::evaluate(*graph.pool, u.value, env);
                    if (auto* v = std::get_if<expr::Value>(&value))
                        after[u.variable.index] = static_cast<char>('0' + v->integer());
                }
                std::string shown = edge.data.empty() ? "" : std::to_string(z);
                result.push_back({graph.alphabet->print(edge.label) + "(" + shown + ")",
                                  std::to_string(edge.target.index) + " " + after});
            }
        return result;
    };
    steps.successful = [&graph, environment, split](const StateText& s) {
        ExprId end = graph.states[GraphStateId(std::stoul(s))].terminates;
        return end && expr::satisfied(*graph.pool, end, environment(split(s)));
    };
    return steps;
}

// Expects the graph to do what the net does, for so many steps; false if that cannot be told.
bool compared_with_the_net(const model::Specification& spec, const model::Protocol& protocol,
                           std::size_t length) {
    auto made = protocol_graph(spec, protocol);
    if (!made) return false;
    auto net = choreo::compile_net(spec, protocol);
    EXPECT_TRUE(net);
    if (!net) return false;
    Steps graph = graph_steps(*made), tokens = choreo::testing::data_net_steps(*net, *spec.pool);
    auto same = choreo::testing::same_weak_traces(graph, tokens, length, 4000);
    EXPECT_TRUE(!same.decided || same.same) << same.difference;
    return same.decided;
}

TEST(ProtocolGraph, RunsAreThoseOfTheNet) {
    std::size_t compared = 0, with_semaphores = 0, with_interrupts = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(1000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        model::Specification spec;
        choreo::RandomShape shape;
        shape.roles = 3;
        shape.messages = 3;
        shape.steps = 5;
        shape.branches = 2;
        shape.recursion = seed % 3 == 0;
        shape.interrupts = seed % 4 == 1;
        shape.semaphores = seed % 2 == 0;
        model::Protocol protocol = choreo::random_protocol(spec, shape, seed);
        spec.messages.resize(spec.alphabet->message_count());
        if (!compared_with_the_net(spec, protocol, 6)) continue;
        ++compared;
        with_semaphores += protocol.semaphore_count() > 0;
        for (std::size_t i = 0; i < protocol.size(); ++i)
            if (protocol[model::NodeId(i)].kind == model::NodeKind::interrupt) {
                ++with_interrupts;
                break;
            }
    }
    EXPECT_GT(compared, 600u);
    EXPECT_GT(with_semaphores, 80u);
    EXPECT_GT(with_interrupts, 40u);
}

struct Uses {
    std::set<expr::VarId> read, written;
    void add(const Uses& other) {
        read.insert(other.read.begin(), other.read.end());
        written.insert(other.written.begin(), other.written.end());
    }
    bool changes_what_is_used_in(const Uses& other) const {
        return std::any_of(written.begin(), written.end(), [&](expr::VarId v) {
            return other.read.contains(v) || other.written.contains(v);
        });
    }
};

// What a step and everything in it does with variables; sets `race` where a segment changes what another one
// uses, which the language does not allow.
Uses uses_of(const expr::Pool& pool, const model::Protocol& protocol, model::NodeId id, bool& race) {
    Uses uses;
    auto reads = [&](expr::ExprId e) {
        if (e)
            for (expr::VarId v : pool.variables_of(e)) uses.read.insert(v);
    };
    const model::Node& node = protocol[id];
    reads(node.guard);
    if (node.kind == model::NodeKind::assign) uses.written.insert(node.variable);
    if (node.kind == model::NodeKind::interaction)
        for (const model::Argument& a : protocol.arguments(id)) {
            reads(a.value);
            if (a.bind) uses.written.insert(a.bind);
        }
    std::vector<Uses> parts;
    for (model::NodeId child : protocol.children(id)) parts.push_back(uses_of(pool, protocol, child, race));
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (i != k && node.kind == model::NodeKind::parallel)
                race = race || parts[i].changes_what_is_used_in(parts[k]);
    for (const Uses& part : parts) uses.add(part);
    return uses;
}

TEST(ProtocolGraph, DataMeansWhatItMeansInTheNet) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(1000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        model::Specification spec;
        choreo::testing::RandomData make(spec, seed, true);
        model::Protocol protocol = make.make(3);
        // A value that is used before there is one is a fault, which the language does not let happen.
        if (protocol[protocol.children(protocol.root())[0]].kind != model::NodeKind::assign) continue;
        bool race = false;
        uses_of(*spec.pool, protocol, protocol.root(), race);
        if (race) continue;
        if (!compared_with_the_net(spec, protocol, 5)) continue;
        ++compared;
    }
    EXPECT_GT(compared, 200u);
}

// What a step demands of its data is in the machine, too.
TEST(ProtocolGraph, PredicatesAreKeptInMachines) {
    model::Specification spec;
    expr::Pool& pool = *spec.pool;
    auto a = spec.alphabet->role("A"), b = spec.alphabet->role("B");
    auto message = spec.alphabet->message("m");
    expr::VarId x = pool.declare(spec.names->intern("x"), spec.types->integer());
    expr::ExprId sides[] = {pool.integer(0), pool.var(x)};
    expr::ExprId positive = pool.make(expr::Op::less, spec.types->boolean(), sides);
    model::ProtocolBuilder builder("P", {}, {a, b});
    builder.open(model::NodeKind::sequence, {});
    builder.interaction({}, a, b, message, {{x, {}}}, positive);
    builder.interaction({}, b, a, message, {{{}, pool.var(x)}}, {});
    builder.close();
    model::Protocol protocol = *builder.finish();
    spec.messages.resize(spec.alphabet->message_count());
    auto graph = protocol_graph(spec, protocol);
    ASSERT_TRUE(graph) << graph.error();
    auto machine = to_machine(*graph);
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->data(machine->initial(), 0).where, expr::simplify(pool, positive));
    model::StateId next = machine->out(machine->initial())[0].target;
    EXPECT_FALSE(machine->data(next, 0).where) << "the value is given, nothing else is demanded";
}

}  // namespace
}  // namespace treaty::symbolic
