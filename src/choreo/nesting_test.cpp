// What follows a choice, a loop or a parallel block, for every nesting of the three up to depth three, with
// four roles: each role's projection against the pomset language. All of them together:
// verify/realization_test.cpp.
#include <gtest/gtest.h>

#include "choreo/pomset.h"
#include "choreo/project.h"
#include "choreo/testing_nestings.h"
#include "choreo/testing_notation.h"
#include "choreo/testing_pomsets.h"
#include "choreo/unfold.h"

namespace treaty::choreo {
namespace {

using testing::read;

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
    testing::for_all_nestings([&](const std::string& text) {
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

}  // namespace
}  // namespace treaty::choreo
