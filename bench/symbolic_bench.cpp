// Conformance of the rows of Nguyen 2013, table 3.4 and chapter 5, and how smart projection grows with the
// size of a protocol: random trees as in figure 3.13 there.
//
//   symbolic_bench            a table for people
//   symbolic_bench --tsv      parameter, value, data, order, branching, additions, ms, solver ms, queries,
//                             remembered, with tabs: what bench/plot_symbolic.py draws
//
// "own" is the time outside of Z3 and of the translation for it. Times are the best of several runs for the
// rows, of one for the trees; each tree's line is the mean of a few seeds.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include "base/file.h"
#include "formats/schora/schora.h"
#include "repair/repair.h"
#include "symbolic/conform.h"
#include "symbolic/import_graph.h"
#include "symbolic/machine_graph.h"
#include "symbolic/product.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/restrict.h"

namespace {

using namespace treaty;
using namespace treaty::symbolic;
using model::GraphEdge;
using model::GraphState;
using model::GraphStateId;
using repair::Repair;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double ms_in_z3(const solve::Solver& solver) {
    return std::chrono::duration<double, std::milli>(solver.time_in_z3()).count();
}

// Rows: a script's components, compared.

struct Script {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::optional<formats::SchoraScript> script;
};

GraphResult graph_of(const formats::SchoraScript& script, std::size_t c) {
    const formats::SchoraComponent& component = script.components[c];
    if (component.machine) return machine_graph(*component.machine, &script.specification);
    if (component.protocol)
        return protocol_graph(script.specification, *component.protocol, {}, component.role);
    Meeting meeting = Meeting::fresh();
    std::vector<SymbolicGraph> parts;
    for (std::size_t part : component.parts) {
        GraphResult made = graph_of(script, part);
        parts.push_back(*import_graph(*made, meeting));
    }
    for (SymbolicGraph& part : parts) part.payload = meeting.payload;
    return product(parts, {});
}

void row(const formats::SchoraScript& script, const char* name, std::size_t mine, std::size_t theirs) {
    SymbolicGraph implementation = *graph_of(script, mine), specification = *graph_of(script, theirs);
    // A run's solver is there before its questions are: making it is not part of a row.
    Meeting meeting = Meeting::fresh();
    SymbolicGraph spec = *import_graph(specification, meeting);
    SymbolicGraph impl = *import_graph(implementation, meeting);
    spec.payload = meeting.payload;
    double best = 1e9, own = 0;
    std::size_t queries = 0, remembered = 0;
    base::Answer answer = base::Answer::undecided;
    for (int i = 0; i < 20; ++i) {
        solve::Solver solver(*meeting.pool, std::chrono::seconds(5));
        auto compare = [&] {
            auto start = Clock::now();
            Logic logic(*meeting.pool, solver);
            std::string reason;
            SymbolicGraph hidden = *restricted(impl, labels_of(spec), logic, &reason);
            answer = conformance(hidden, spec, solver).answer;
            return ms_since(start);
        };
        double ms = compare();
        std::size_t asked = solver.query_count(), known = solver.remembered_count();
        if (ms >= best) continue;
        best = ms;
        own = ms - ms_in_z3(solver);
        queries = asked;
        remembered = known;
    }
    std::printf("%-28s %-12s %9.3f %9.3f %8.0f%% %9zu %11zu\n", name,
                std::string(base::to_string(answer)).c_str(), best, own, 100 * (best - own) / best, queries,
                remembered);
}

void rows() {
    std::printf(
        "row                          verdict             ms    own ms   in solver   queries  remembered\n");
    for (const char* file : {"online_shopping/online.schora", "shop/shop.schora"}) {
        Script s;
        std::string path = std::string(TREATY_SOURCE_DIR) + "/examples/" + file;
        base::Result<std::string> text = base::read_file(path);
        if (!text) continue;
        base::FileId id = s.sources.add(path, std::move(*text));
        s.script = formats::read_script(s.sources, id, s.diagnostics);
        if (!s.script) continue;
        for (const formats::SchoraCommand& command : s.script->commands)
            if (command.kind == formats::SchoraCommand::Kind::conformance) {
                std::string name = s.script->components[command.components[0]].name + " against " +
                                   s.script->components[command.components[1]].name;
                row(*s.script, name.c_str(), command.components[0], command.components[1]);
            }
    }
}

// Example 6: what is added in each mode, and whether it is known to be the fewest.
void mended() {
    Script s;
    std::string path = std::string(TREATY_SOURCE_DIR) + "/examples/online_shopping/shopping.schora";
    base::Result<std::string> text = base::read_file(path);
    if (!text) return;
    base::FileId id = s.sources.add(path, std::move(*text));
    s.script = formats::read_script(s.sources, id, s.diagnostics);
    if (!s.script) return;
    std::printf("\nmode         additions  fewest         ms\n");
    for (auto mode : {CommunicationMode::sync, CommunicationMode::sending, CommunicationMode::reception,
                      CommunicationMode::disjoint}) {
        SymbolicGraph graph = *graph_of(*s.script, 0).graph;
        solve::Solver solver(*graph.pool, std::chrono::seconds(1));
        auto start = Clock::now();
        Repair result = repair::repair(graph, reachability(graph, solver), mode, solver);
        std::printf("%-12s %9zu  %-6s %10.1f\n", std::string(to_string(mode)).c_str(),
                    result.additions.size(), result.minimal ? "proved" : "open", ms_since(start));
    }
}

// Trees.

struct Shape {
    std::uint32_t states = 1000, branches = 5, roles = 5, operations = 20, data = 1;
};

SymbolicGraph random_tree(const Shape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Meeting meeting = Meeting::fresh();
    SymbolicGraph g;
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
        edge.target = GraphStateId(s);
        std::vector<model::Argument> arguments(1);
        // Every variable has a value before a guard asks for one: the first steps, in a row, bind them.
        bool first_steps = s <= variables.size();
        arguments[0].bind =
            variables[first_steps ? s - 1 : below(static_cast<std::uint32_t>(variables.size()))];
        for (std::uint32_t k = 1; k < shape.data && !first_steps; ++k) {
            ExprId parts[] = {g.pool->var(variables[k]), g.pool->integer(below(10))};
            edge.guards.push_back({g.pool->make(expr::Op::less, g.pool->types().boolean(), parts), {}});
        }
        set_data(g, edge, arguments, {}, {});
        std::size_t row = variables.size();
        std::size_t parent = first_steps ? s - 1 : row + (s - 1 - row) / shape.branches;
        g.states[GraphStateId(parent)].out.push_back(std::move(edge));
    }
    for (GraphState& state : g.states)
        if (state.out.empty()) state.terminates = g.pool->boolean(true);
    return g;
}

struct Measured {
    double kinds[3] = {};  // data, order, branching
    double ms = 0, solver_ms = 0;
    double queries = 0, remembered = 0;
};

Measured measure(const Shape& shape, std::uint32_t seeds) {
    Measured all;
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        SymbolicGraph graph = random_tree(shape, seed);
        solve::Solver solver(*graph.pool, std::chrono::seconds(1));
        Repair result;
        // The search is measured, not the proof that the roles of a tree with thousands of branches conform.
        repair::RepairHooks hooks;
        hooks.verify = [](const SymbolicGraph&) { return Verification{}; };
        auto mend = [&] {
            auto start = Clock::now();
            SymbolicGraph part = reachable_part(graph, reachability(graph, solver));
            Reachability reach = reachability(part, solver);
            result = repair::repair(part, reach, CommunicationMode::sync, solver, {}, hooks);
            return ms_since(start);
        };
        double ms = mend();
        all.queries += static_cast<double>(solver.query_count()) / seeds;
        all.remembered += static_cast<double>(solver.remembered_count()) / seeds;
        all.ms += ms / seeds;
        all.solver_ms += ms_in_z3(solver) / seeds;
        if (!result.found) std::fprintf(stderr, "not mended: %u states, seed %u\n", shape.states, seed);
        for (const repair::Addition& a : result.additions) {
            std::size_t kind = a.why == Problem::Kind::data ? 0 : a.why == Problem::Kind::order ? 1 : 2;
            all.kinds[kind] += 1.0 / seeds;
        }
    }
    return all;
}

void print(const char* parameter, std::uint32_t value, const Measured& m, bool tsv) {
    const char* format = tsv ? "%s\t%u\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.0f\t%.0f\n"
                             : "%-11s %7u %8.0f %8.0f %9.0f %9.0f %10.1f %9.1f %8.0f %10.0f\n";
    std::printf(format, parameter, value, m.kinds[0], m.kinds[1], m.kinds[2],
                m.kinds[0] + m.kinds[1] + m.kinds[2], m.ms, m.solver_ms, m.queries, m.remembered);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a long run shows what it has
    bool tsv = argc > 1 && std::strcmp(argv[1], "--tsv") == 0;
    if (!tsv) {
        rows();
        mended();
        std::printf(
            "\nparameter     value     data    order branching additions         ms solver ms  queries "
            "remembered\n");
    }
    constexpr std::uint32_t seeds = 3;
    double first = 0, last = 0;
    for (std::uint32_t n = 1000; n <= 10'000; n += 1000) {
        Shape shape;
        shape.states = n;
        Measured m = measure(shape, seeds);
        print("states", n, m, tsv);
        (n == 1000 ? first : last) = m.ms / n;
    }
    struct Varied {
        const char* name;
        std::uint32_t Shape::*field;
        std::vector<std::uint32_t> values;
    };
    for (const Varied& v : {Varied{"branches", &Shape::branches, {2, 5, 10, 15, 20, 25, 30, 35, 40, 45}},
                            Varied{"roles", &Shape::roles, {3, 5, 10, 15, 20, 25, 30}},
                            Varied{"operations", &Shape::operations, {5, 20, 40, 60, 80, 100}},
                            Varied{"data", &Shape::data, {1, 2, 3, 4, 5, 6, 7, 8}}})
        for (std::uint32_t value : v.values) {
            Shape shape;
            shape.*v.field = value;
            print(v.name, value, measure(shape, seeds), tsv);
        }
    if (!tsv) std::printf("\ntime a state at 10,000 states against 1,000: %.2f\n", last / first);
}
