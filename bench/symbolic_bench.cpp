// How conformance and realizability grow with the size of a graph: random trees as in 001, figure 3.13.
//
// Prints a table: parameter, value, additions by reason, milliseconds, solver queries and how many of them
// were answered without asking Z3; and for each step in states the ratio of time to states, which stays level
// if growth is linear.

#include <chrono>
#include <cstdio>
#include <random>

#include "symbolic/conform.h"
#include "symbolic/import_graph.h"
#include "symbolic/smart.h"

namespace {

using namespace treaty;
using namespace treaty::symbolic;

struct Shape {
    std::uint32_t states = 1000, branches = 5, roles = 5, operations = 20, data = 1;
};

Graph random_tree(const Shape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Meeting meeting = Meeting::fresh();
    Graph g;
    g.pool = meeting.pool;
    g.alphabet = meeting.alphabet;
    g.states.resize(shape.states);
    std::vector<VarId> variables;
    for (std::uint32_t i = 0; i < shape.data + 1; ++i)
        variables.push_back(
            g.pool->declare(g.pool->names().intern("x" + std::to_string(i)), g.pool->types().integer()));
    for (std::uint32_t s = 1; s < shape.states; ++s) {
        GraphEdge edge;
        std::uint32_t from = below(shape.roles), to = (from + 1 + below(shape.roles - 1)) % shape.roles;
        edge.label = g.alphabet->interaction(
            g.alphabet->role("r" + std::to_string(from)), g.alphabet->role("r" + std::to_string(to)),
            g.alphabet->message("o" + std::to_string(below(shape.operations))));
        edge.target = s;
        std::vector<model::Argument> arguments(1);
        arguments[0].bind = variables[below(static_cast<std::uint32_t>(variables.size()))];
        for (std::uint32_t k = 1; k < shape.data; ++k) {
            ExprId parts[] = {g.pool->var(variables[k]), g.pool->integer(below(10))};
            edge.guards.push_back({g.pool->make(expr::Op::less, g.pool->types().boolean(), parts), {}});
        }
        set_data(g, edge, arguments, {}, {});
        g.states[(s - 1) / shape.branches].out.push_back(std::move(edge));
    }
    for (GraphState& state : g.states)
        if (state.out.empty()) state.terminates = g.pool->boolean(true);
    return g;
}

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double measure(const char* parameter, std::uint32_t value, const Shape& shape) {
    Graph graph = random_tree(shape, 1);
    expr::Solver solver(*graph.pool, std::chrono::seconds(1));
    auto start = std::chrono::steady_clock::now();
    Reachability reach = reachability(graph, solver);
    GuardFacts facts = guard_facts(graph, reach, solver);
    auto problems = find_problems(Draft(graph), facts, CommunicationMode::sync);
    double ms = since(start);
    std::size_t kinds[4] = {};
    for (const Problem& p : problems) ++kinds[static_cast<std::size_t>(p.kind)];
    std::printf("%-11s %7u  %7zu %7zu %8zu %10.1f %9zu %10zu\n", parameter, value, kinds[1], kinds[0],
                kinds[2] + kinds[3], ms, solver.query_count(), solver.remembered_count());
    return ms;
}

}  // namespace

int main() {
    std::printf("parameter     value     data   order  branching     ms   queries remembered\n");
    double first = 0;
    for (std::uint32_t n : {1000u, 2000u, 4000u}) {
        Shape shape;
        shape.states = n;
        double ms = measure("states", n, shape);
        if (n == 1000) first = ms;
        std::printf("            time per state against 1000 states: %.2f\n", ms / n / (first / 1000));
    }
    for (std::uint32_t n : {2u, 10u}) {
        Shape shape;
        shape.branches = n;
        measure("branches", n, shape);
    }
    for (std::uint32_t n : {3u, 10u}) {
        Shape shape;
        shape.roles = n;
        measure("roles", n, shape);
    }
    for (std::uint32_t n : {5u, 80u}) {
        Shape shape;
        shape.operations = n;
        measure("operations", n, shape);
    }
    for (std::uint32_t n : {2u, 4u}) {
        Shape shape;
        shape.data = n;
        measure("data", n, shape);
    }
}
