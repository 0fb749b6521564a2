// What follows a choice, a loop or a parallel block, for every nesting of the three up to depth three, with
// four roles: each role's projection, and all of them together, against the pomset language.
#include <gtest/gtest.h>

#include "choreo/pomset.h"
#include "choreo/pomset_language.h"
#include "choreo/project.h"
#include "choreo/testing/fifo.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/pomsets.h"
#include "choreo/testing/seeds.h"
#include "choreo/unfold.h"
#include "choreo/well_branched.h"

namespace treaty::choreo {
namespace {

using testing::read;
using testing::TestProtocol;

// One level of nesting. A decides and tells everyone; parallel branches use channels of their own.
std::string nest(const std::string& kinds, bool inner_second) {
    if (kinds.empty()) return "B->C:leaf";
    std::string n = std::to_string(kinds.size());
    auto tell = [&](const std::string& m) {
        return "A->B:" + m + n + " ; A->C:" + m + n + " ; A->D:" + m + n;
    };
    std::string inner =
        nest(kinds.substr(1), inner_second) + " ; " + (kinds.size() > 1 ? "B->A:t" + n : "B->A:v");
    const std::string side[] = {"", "D->C:z", "C->B:z", "B->D:z"};
    switch (kinds[0]) {
        case 'c': {
            std::string x = tell("p") + " ; " + inner, y = tell("q") + " ; D->A:k" + n;
            return "ch A { " + (inner_second ? y : x) + " } { " + (inner_second ? x : y) + " }";
        }
        case 'l': return "rep A { " + tell("r") + " ; " + inner + " } ; " + tell("e");
        default:
            return inner_second ? "par { " + side[kinds.size()] + n + " } { " + inner + " }"
                                : "par { " + inner + " } { " + side[kinds.size()] + n + " }";
    }
}

void for_all_nestings(const std::function<void(const std::string&)>& use) {
    std::vector<std::string> all{""};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].size() < 3)
            for (char kind : {'c', 'l', 'p'}) all.push_back(all[i] + kind);
        for (bool second : {false, true})
            for (const char* follow : {"A->B:f", "B->C:f", "C->D:f", "D->A:f", "D->B:f ; B->A:g"})
                use(nest(all[i], second) + " ; " + follow);
    }
}

// The part of a pomset that belongs to one role, with the order that remains between its events.
Pomset part_of(const Pomset& p, const model::Alphabet& alphabet, model::RoleId role) {
    std::size_t n = p.events.size();
    std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
    for (std::size_t i = n; i-- > 0;)
        for (auto [a, b] : p.order) {
            if (a != i) continue;
            before[a][b] = true;
            for (std::size_t k = 0; k < n; ++k)
                if (before[b][k]) before[a][k] = true;
        }
    Pomset part;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < n; ++i)
        if (alphabet.subject(p.events[i].label) == role) kept.push_back(i);
    for (std::uint32_t i : kept) part.events.push_back(p.events[i]);
    for (std::uint32_t a = 0; a < kept.size(); ++a)
        for (std::uint32_t b = 0; b < kept.size(); ++b)
            if (before[kept[a]][kept[b]]) part.order.push_back({a, b});
    return part;
}

// The machine of a role has exactly the linearisations of its parts of the pomsets.
std::string compare_role(const model::Machine& machine, const std::vector<Pomset>& parts) {
    testing::LinearisationWalk walk(parts);
    std::set<std::pair<testing::LinearisationWalk::State, model::StateId>> seen;
    std::vector<std::pair<testing::LinearisationWalk::State, model::StateId>> todo{
        {walk.start(), machine.initial()}};
    while (!todo.empty()) {
        auto [state, s] = todo.back();
        todo.pop_back();
        if (!seen.insert({state, s}).second) continue;
        if (walk.complete(state) != machine.final(s)) return "the end at state " + std::to_string(s.index);
        auto offers = walk.next(state);
        if (offers.size() != machine.out(s).size())
            return "what state " + std::to_string(s.index) + " offers";
        for (const model::Edge& e : machine.out(s)) {
            if (!offers.contains(e.label)) return machine.alphabet().print(e.label);
            todo.push_back({offers[e.label], e.target});
        }
    }
    return "";
}

TEST(Nesting, EveryRoleIsProjectedToItsPartOfThePomsets) {
    std::size_t count = 0;
    for_all_nestings([&](const std::string& text) {
        auto t = read(text);
        auto flat = unfold(*t.protocol, 1);
        ASSERT_TRUE(flat) << text;
        auto family = enumerate_pomsets(*t.spec, *t.protocol, {.rounds = 1});
        ASSERT_EQ(family.reason, "") << text;
        for (model::RoleId role : t.protocol->roles()) {
            std::vector<Pomset> parts;
            for (const Pomset& p : family.branches) parts.push_back(part_of(p, *t.spec->alphabet, role));
            auto machine = project(*t.spec, *flat.protocol, role);
            ASSERT_TRUE(machine) << machine.reason;
            ASSERT_EQ(compare_role(*machine, parts), "") << text << ", role " << t.spec->alphabet->name(role);
        }
        ++count;
    });
    EXPECT_EQ(count, 400u);
}

TEST(Nesting, TheProjectionsTogetherHaveExactlyTheLanguage) {
    std::size_t decided = 0;
    for_all_nestings([&](const std::string& text) {
        auto t = read(text);
        base::Diagnostics diagnostics;
        auto branching = check_branching(*t.spec, *t.protocol, diagnostics);
        ASSERT_TRUE(branching.well_branched) << text << "\n" << diagnostics.all()[0].message;
        ASSERT_TRUE(branching.separate_channels) << text;
        auto system = make_projected_system(*t.spec, *t.protocol);
        auto language = PomsetLanguage::of(*t.spec, *t.protocol);
        ASSERT_TRUE(system);
        ASSERT_TRUE(language);
        auto verdict = testing::compare_with_language(*system.system, *language, 1, testing::seeds(150));
        decided += verdict.decided;
        ASSERT_EQ(verdict.unsafe, "") << text;
        ASSERT_EQ(verdict.extra, "") << text;
        ASSERT_EQ(verdict.missing, "") << text;
    });
    EXPECT_GT(decided, 15u);
}

}  // namespace
}  // namespace treaty::choreo
