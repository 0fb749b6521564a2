#include "report/machine_text.h"

#include <gtest/gtest.h>

namespace treaty::report {
namespace {

model::Machine withdraw() {
    auto alphabet = std::make_shared<model::Alphabet>();
    auto a = alphabet->role("A"), b = alphabet->role("B");
    model::MachineBuilder builder("A", alphabet, a);
    auto s0 = builder.state();
    auto s1 = builder.state(false, "waiting");
    auto s2 = builder.state(true);
    builder.edge(s0, alphabet->send(a, b, alphabet->message("ask")), s1);
    builder.edge(s1, alphabet->receive(b, a, alphabet->message("yes")), s2);
    builder.edge(s1, alphabet->receive(b, a, alphabet->message("perhaps")), s0);
    return builder.finish().value();
}

TEST(MachineText, ShowsEveryStateAndEdge) {
    EXPECT_EQ(to_text(withdraw(), draw::Style{}), R"(state 0, initial
    A B!ask  -> 1
state 1 (waiting)
    B A?yes      -> 2
    B A?perhaps  -> 0
state 2, final
)");
}

TEST(MachineText, AsJson) {
    EXPECT_EQ(to_json(withdraw()).dump(),
              R"({"states":3,"initial":0,"final":[2],"transitions":[{"from":0,"to":1,"event":"A B!ask"},)"
              R"({"from":1,"to":2,"event":"B A?yes"},{"from":1,"to":0,"event":"B A?perhaps"}]})");
}

TEST(MachineText, DataStandsWithItsEdge) {
    auto names = std::make_shared<base::Names>();
    auto pool = std::make_shared<expr::Pool>(std::make_shared<expr::Types>(), names);
    auto alphabet = std::make_shared<model::Alphabet>();
    auto a = alphabet->role("A"), b = alphabet->role("B");
    auto x = pool->declare(names->intern("x"), pool->types().integer());
    auto y = pool->declare(names->intern("y"), pool->types().integer());
    model::MachineBuilder builder("A", alphabet, a, pool);
    auto s0 = builder.state(), s1 = builder.state(true);
    model::EdgeData data;
    data.guard = pool->equal(pool->var(y), pool->integer(1));
    data.data = {{x, {}}, {{}, pool->integer(7)}};
    data.where = pool->equal(pool->var(x), pool->integer(3));
    data.assignments = {{y, pool->var(x)}};
    builder.edge(s0, alphabet->send(a, b, alphabet->message("req")), s1, {}, data);
    auto machine = builder.finish().value();
    EXPECT_EQ(print_edge(machine, s0, 0), "[y == 1] A B!req(let x, 7) where x == 3; let y = x");
    EXPECT_EQ(to_json(machine)["transitions"][0].dump(),
              R"({"from":0,"to":1,"event":"A B!req","guard":"y == 1","data":"let x, 7","where":"x == 3",)"
              R"("assignments":"y = x"})");
}

}  // namespace
}  // namespace treaty::report
