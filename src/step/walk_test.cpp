// Walks against what others say a run is: the tracker, the machine of the net, the explorer.
#include "step/walk.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "choreo/compile_net.h"
#include "choreo/net_machine.h"
#include "choreo/project.h"
#include "choreo/project_net.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "step/net_walk.h"
#include "step/system_walk.h"
#include "track/tracker.h"

namespace treaty::step {
namespace {

using Trace = std::vector<model::LabelId>;

choreo::RandomShape small_shape(std::mt19937_64& random) {
    choreo::RandomShape shape;
    shape.roles = 2 + random() % 2;
    shape.messages = 2 + random() % 3;
    shape.steps = 3 + random() % 5;
    shape.depth = 1 + random() % 3;
    shape.recursion = random() % 3 == 0;
    shape.interrupts = random() % 3 == 0;
    shape.semaphores = random() % 4 == 0;
    return shape;
}

// Everything that one can see of a position.
struct Sight {
    Standing standing;
    std::vector<std::string> options, where;
    std::vector<Taken> taken;
    friend bool operator==(const Sight&, const Sight&) = default;
};

Sight sight_of(const Walk& walk) {
    Sight sight{walk.standing(), {}, walk.where(), {walk.taken().begin(), walk.taken().end()}};
    for (const Option& option : walk.options())
        sight.options.push_back(walk.alphabet().print(option.label) + " at " +
                                std::to_string(option.node.index));
    return sight;
}

// Takes steps forwards and back at random; what was seen at each depth must be there again after going back.
std::size_t go_to_and_fro(Walk& walk, std::mt19937_64& random, const std::string& about) {
    std::size_t undone = 0;
    std::vector<Sight> seen{sight_of(walk)};
    for (int turn = 0; turn < 30; ++turn) {
        bool back = random() % 3 == 0 || walk.options().empty();
        if (back) {
            EXPECT_EQ(walk.back(), seen.size() > 1) << about;
            if (seen.size() == 1) continue;
            seen.pop_back();
            ++undone;
        } else {
            std::size_t option = random() % walk.options().size();
            Values values = *walk.options()[option].proposal;
            EXPECT_TRUE(walk.take(option, values)) << about;
            seen.push_back(sight_of(walk));
        }
        EXPECT_TRUE(sight_of(walk) == seen.back()) << about << ", turn " << turn;
    }
    return undone;
}

// All label sequences up to a length that a walk offers, with where they may end.
void collect(Walk& walk, std::size_t length, Trace& trace, std::map<Trace, bool>& all) {
    bool ends = walk.standing() == Standing::may_end || walk.standing() == Standing::over;
    auto [place, added] = all.try_emplace(trace, ends);
    place->second = place->second || ends;
    if (trace.size() == length) return;
    for (std::size_t i = 0; i < walk.options().size(); ++i) {
        trace.push_back(walk.options()[i].label);
        ASSERT_TRUE(walk.take(i, *walk.options()[i].proposal));
        collect(walk, length, trace, all);
        ASSERT_TRUE(walk.back());
        trace.pop_back();
    }
}

// The same of a machine: sets of states, silent edges taken at once.
using States = std::set<std::uint32_t>;

States closed(const model::Machine& machine, States states) {
    std::vector<std::uint32_t> waiting(states.begin(), states.end());
    while (!waiting.empty()) {
        model::StateId s(waiting.back());
        waiting.pop_back();
        for (const model::Edge& edge : machine.out(s))
            if (edge.label.index == 0 && states.insert(edge.target.index).second)
                waiting.push_back(edge.target.index);
    }
    return states;
}

// at_rest: a state without edges is an end too.
void collect(const model::Machine& machine, const States& states, std::size_t length, Trace& trace,
             std::map<Trace, bool>& all, bool at_rest = false) {
    bool ends = false;
    std::map<model::LabelId, States> next;
    for (std::uint32_t s : states) {
        ends =
            ends || machine.final(model::StateId(s)) || (at_rest && machine.out(model::StateId(s)).empty());
        for (const model::Edge& edge : machine.out(model::StateId(s)))
            if (edge.label.index != 0) next[edge.label].insert(edge.target.index);
    }
    all[trace] = ends;
    if (trace.size() == length) return;
    for (auto& [label, targets] : next) {
        trace.push_back(label);
        collect(machine, closed(machine, targets), length, trace, all, at_rest);
        trace.pop_back();
    }
}

struct Compared {
    std::size_t protocols = 0, traces = 0, undone = 0;
};

void compare(const model::Net& net, model::RoleId subject, std::mt19937_64& random, const std::string& about,
             Compared& compared) {
    auto machine = choreo::net_machine(net);
    if (!machine || machine.machine->state_count() > 300) return;
    NetWalk walk(net, subject, nullptr, 1);
    Trace trace;
    std::map<Trace, bool> offered, wanted;
    collect(walk, 4, trace, offered);
    collect(*machine.machine, closed(*machine.machine, {0}), 4, trace, wanted);
    EXPECT_TRUE(offered == wanted) << about << ": " << offered.size() << " offered, " << wanted.size()
                                   << " wanted";
    ++compared.protocols;
    compared.traces += offered.size();
    compared.undone += go_to_and_fro(walk, random, about);
}

TEST(Walk, OffersTheRunsOfTheNetAndNoOthers) {
    Compared global, local;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(150); ++seed) {
        std::mt19937_64 random(seed);
        model::Specification specification;
        model::Protocol protocol = choreo::random_protocol(specification, small_shape(random), seed);
        std::string about = "seed " + std::to_string(seed);
        if (auto net = choreo::compile_net(specification, protocol)) compare(*net, {}, random, about, global);
        for (model::RoleId role : protocol.roles())
            if (auto net = choreo::project_net(specification, protocol, role))
                compare(*net, role, random, about + ", a role", local);
        if (HasFailure()) return;
    }
    EXPECT_GT(global.protocols, 100u);
    EXPECT_GT(global.traces, 2000u);
    EXPECT_GT(global.undone, 1000u);
    EXPECT_GT(local.protocols, 200u);
}

// Every configuration of a system within some steps, by the explorer's own successors.
void reach(const explore::Semantics& semantics, const explore::Configuration& configuration,
           std::size_t depth, explore::Run& run, std::set<explore::Run>& all) {
    all.insert(run);
    if (depth == 0) return;
    for (const explore::Run& step : semantics.steps(configuration)) {
        run.insert(run.end(), step.begin(), step.end());
        reach(semantics, *semantics.after(configuration, step), depth - 1, run, all);
        run.resize(run.size() - step.size());
    }
}

std::size_t count(SystemWalk& walk, std::size_t depth, std::set<std::vector<std::uint32_t>>& ends) {
    std::vector<std::uint32_t> states;
    for (model::StateId s : walk.configuration().states) states.push_back(s.index);
    ends.insert(states);
    std::size_t paths = 1;
    for (std::size_t i = 0; depth > 0 && i < walk.options().size(); ++i) {
        EXPECT_TRUE(walk.take(i, {}));
        paths += count(walk, depth - 1, ends);
        EXPECT_TRUE(walk.back());
    }
    return paths;
}

TEST(Walk, OverChannelsItTakesTheStepsOfTheExplorer) {
    std::size_t systems = 0, stuck = 0, over = 0, undone = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(120); ++seed) {
        std::mt19937_64 random(seed);
        model::Specification specification;
        model::Protocol protocol = choreo::random_protocol(specification, small_shape(random), seed);
        model::Channels channels;
        channels.mode = static_cast<model::Mode>(seed % 4);
        channels.bound = 2;
        auto system = choreo::make_projected_system(specification, protocol, channels);
        if (!system) continue;
        ++systems;
        std::string about = "seed " + std::to_string(seed);
        SystemWalk walk(*system.system);
        explore::Semantics semantics(*system.system);
        explore::Run run;
        std::set<explore::Run> all;
        reach(semantics, semantics.initial(), 3, run, all);
        std::set<std::vector<std::uint32_t>> ends, wanted;
        EXPECT_EQ(count(walk, 3, ends), all.size()) << about;
        for (const explore::Run& one : all) {
            std::vector<std::uint32_t> states;
            auto end = semantics.replay(one);
            ASSERT_TRUE(end) << about;
            for (model::StateId s : end->states) states.push_back(s.index);
            wanted.insert(states);
        }
        EXPECT_TRUE(ends == wanted) << about;
        undone += go_to_and_fro(walk, random, about);
        for (int i = 0; i < 40 && !walk.options().empty(); ++i)
            walk.take(random() % walk.options().size(), {});
        stuck += walk.standing() == Standing::stuck;
        over += walk.standing() == Standing::over;
        if (HasFailure()) return;
    }
    EXPECT_GT(systems, 80u);
    EXPECT_GT(undone, 500u);
    EXPECT_GT(stuck, 3u);
    EXPECT_GT(over, 20u);
}

TEST(Walk, AMachineIsWalkedAsANet) {
    std::size_t machines = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(60); ++seed) {
        std::mt19937_64 random(seed);
        model::Specification specification;
        model::Protocol protocol = choreo::random_protocol(specification, small_shape(random), seed);
        auto projected = choreo::project(specification, protocol, protocol.roles()[0]);
        if (!projected || projected.machine->state_count() > 300) continue;
        ++machines;
        model::Net net = net_of(*projected.machine);
        NetWalk walk(net, projected.machine->role(), nullptr, seed);
        Trace trace;
        std::map<Trace, bool> offered, wanted;
        collect(walk, 4, trace, offered);
        collect(*projected.machine, closed(*projected.machine, {0}), 4, trace, wanted, true);
        EXPECT_TRUE(offered == wanted) << "seed " << seed;
    }
    EXPECT_GT(machines, 40u);
}

// A -> B: ask(let n) where n > 2; then, as long as n > 0, A -> B: less(n) and n goes down by one.
struct Countdown {
    model::Specification specification;
    model::RoleId a = specification.alphabet->role("A"), b = specification.alphabet->role("B");
    expr::VarId n =
        specification.pool->declare(specification.names->intern("n"), specification.types->integer());
    model::MessageId ask = message("ask"), less = message("less");

    model::MessageId message(std::string_view name) {
        model::MessageId id = specification.alphabet->message(name);
        model::Message declared;
        declared.fields = {{specification.names->intern("number"), specification.types->integer()}};
        specification.messages.resize(specification.alphabet->message_count());
        specification.messages[id.index] = declared;
        return id;
    }

    model::Net net() {
        expr::Pool& pool = *specification.pool;
        auto more = [&](expr::Op op, std::int64_t than) {
            return pool.make(op, specification.types->boolean(), std::array{pool.var(n), pool.integer(than)});
        };
        model::ProtocolBuilder builder("Countdown", {}, {a, b});
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, a, b, ask, {{.bind = n}}, more(expr::Op::greater, 2));
        builder.open_while({}, more(expr::Op::greater, 0));
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, a, b, less, {{.value = pool.var(n)}});
        builder.assign({}, n,
                       pool.make(expr::Op::subtract, specification.types->integer(),
                                 std::array{pool.var(n), pool.integer(1)}));
        builder.close();
        builder.close();
        builder.close();
        auto protocol = builder.finish();
        EXPECT_TRUE(protocol) << builder.fault();
        return *choreo::compile_net(specification, *protocol);
    }
};

TEST(Walk, DataIsProposedCheckedAndDecides) {
    Countdown countdown;
    model::Net net = countdown.net();
    NetWalk walk(net, {}, &countdown.specification, 7);
    ASSERT_EQ(walk.options().size(), 1u);
    ASSERT_TRUE(walk.options()[0].proposal);
    EXPECT_GT((*walk.options()[0].proposal)[0].integer(), 2);
    EXPECT_FALSE(walk.options()[0].fixed[0]);
    EXPECT_FALSE(walk.take(0, {expr::Value(std::int64_t{2})})) << "breaks the condition";
    EXPECT_FALSE(walk.take(0, {})) << "a value is missing";
    EXPECT_FALSE(walk.take(0, {expr::Value("3")})) << "another type";
    EXPECT_TRUE(walk.taken().empty());
    ASSERT_TRUE(walk.take(0, {expr::Value(std::int64_t{3})}));
    EXPECT_EQ(walk.where(), std::vector<std::string>{"n = 3"});
    for (std::int64_t left = 3; left > 0; --left) {
        EXPECT_EQ(walk.standing(), Standing::going);
        ASSERT_EQ(walk.options().size(), 1u);
        ASSERT_TRUE(walk.options()[0].fixed[0]);
        EXPECT_EQ(walk.options()[0].fixed[0]->integer(), left);
        EXPECT_FALSE(walk.take(0, {expr::Value(left + 1)}));
        ASSERT_TRUE(walk.take(0, *walk.options()[0].proposal));
    }
    EXPECT_EQ(walk.standing(), Standing::over);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(walk.back());
    EXPECT_FALSE(walk.back());
    EXPECT_TRUE(walk.where().empty());
}

TEST(Walk, ProposalsAreAFunctionOfSeedAndPath) {
    Countdown countdown;
    model::Net net = countdown.net();
    std::set<std::int64_t> proposed;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        NetWalk one(net, {}, &countdown.specification, seed), other(net, {}, &countdown.specification, seed);
        EXPECT_EQ(*one.options()[0].proposal, *other.options()[0].proposal);
        proposed.insert((*one.options()[0].proposal)[0].integer());
    }
    EXPECT_GT(proposed.size(), 2u);
}

}  // namespace
}  // namespace treaty::step
