// Builders: what they build, and what they refuse.
#include <gtest/gtest.h>

#include "model/alphabet.h"
#include "model/machine.h"
#include "model/net.h"
#include "model/protocol.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::model {
namespace {

TEST(Alphabet, LabelsAreInternedAndPrinted) {
    Alphabet a;
    RoleId x = a.role("X"), y = a.role("Y");
    MessageId m = a.message("m");
    EXPECT_EQ(a.print(a.silent()), "tau");
    EXPECT_EQ(a.print(a.interaction(x, y, m)), "X -> Y: m");
    EXPECT_EQ(a.print(a.send(x, y, m)), "X Y!m");
    EXPECT_EQ(a.print(a.receive(x, y, m)), "X Y?m");
    EXPECT_EQ(a.print(a.plain("click")), "click");
    EXPECT_EQ(a.send(x, y, m), a.send(x, y, m));
    EXPECT_NE(a.send(x, y, m), a.send(y, x, m));
    EXPECT_EQ(a.subject(a.send(x, y, m)), x);
    EXPECT_EQ(a.subject(a.receive(x, y, m)), y);
    EXPECT_FALSE(a.subject(a.interaction(x, y, m)));
    EXPECT_FALSE(a.find_role("Z"));
    EXPECT_FALSE(a.find_label({EventKind::receive, y, x, m}));
}

class Protocols : public ::testing::Test {
protected:
    RoleId a{0u}, b{1u};
    MessageId m{0u};
    ProtocolBuilder builder{"P", {}, {a, b}};
};

TEST_F(Protocols, NodesAreInPreOrder) {
    NodeId root = builder.open(NodeKind::sequence, {});
    NodeId choice = builder.open_choice({}, a);
    builder.interaction({}, a, b, m);
    NodeId second = builder.interaction({}, b, a, m);
    builder.close();
    NodeId last = builder.interaction({}, a, b, m);
    builder.close();
    auto p = builder.finish();
    ASSERT_TRUE(p) << builder.fault();
    EXPECT_EQ(root, p->root());
    EXPECT_EQ(p->children(root).size(), 2u);
    EXPECT_EQ(p->children(root)[1], last);
    EXPECT_EQ((*p)[choice].subtree_end, second.index + 1);
    EXPECT_EQ((*p)[second].parent, choice);
    EXPECT_FALSE(p->has_data());
    for (std::size_t i = 1; i < p->size(); ++i) EXPECT_LT((*p)[NodeId(i)].parent.index, i);
}

TEST_F(Protocols, RefusesASelfMessage) {
    builder.interaction({}, a, a, m);
    EXPECT_FALSE(builder.finish());
    EXPECT_EQ(builder.fault(), "a role sends to itself");
}

TEST_F(Protocols, RefusesAnUndeclaredRole) {
    builder.interaction({}, a, RoleId(7u), m);
    EXPECT_FALSE(builder.finish());
}

TEST_F(Protocols, RefusesWhatIsStillOpen) {
    builder.open(NodeKind::sequence, {});
    EXPECT_FALSE(builder.finish());
}

TEST_F(Protocols, RefusesTwoRoots) {
    builder.interaction({}, a, b, m);
    builder.interaction({}, a, b, m);
    EXPECT_FALSE(builder.finish());
}

TEST_F(Protocols, RefusesAnEmptyChoiceAndABodilessLoop) {
    builder.open_choice({}, a);
    builder.close();
    EXPECT_FALSE(builder.finish());
    ProtocolBuilder other{"P", {}, {a, b}};
    other.open_repeat({}, a);
    other.close();
    EXPECT_FALSE(other.finish());
}

TEST_F(Protocols, RefusesAJumpOutsideItsRecursion) {
    LoopId loop = builder.loop("L");
    builder.open(NodeKind::sequence, {});
    builder.open_recursion({}, loop);
    builder.interaction({}, a, b, m);
    builder.close();
    builder.jump({}, loop);
    builder.close();
    EXPECT_FALSE(builder.finish());
}

TEST_F(Protocols, RefusesARoleListedTwice) {
    ProtocolBuilder other{"P", {}, {a, a}};
    other.open(NodeKind::sequence, {});
    other.close();
    EXPECT_FALSE(other.finish());
}

TEST_F(Protocols, RefusesWhatIsTooDeep) {
    for (std::uint32_t i = 0; i <= Protocol::max_depth; ++i) builder.open(NodeKind::sequence, {});
    for (std::uint32_t i = 0; i <= Protocol::max_depth; ++i) builder.close();
    EXPECT_FALSE(builder.finish());
}

class Machines : public ::testing::Test {
protected:
    std::shared_ptr<Alphabet> alphabet = std::make_shared<Alphabet>();
    RoleId a = alphabet->role("A"), b = alphabet->role("B");
    MessageId m = alphabet->message("m"), n = alphabet->message("n");
    LabelId send_m = alphabet->send(a, b, m), send_n = alphabet->send(a, b, n);
};

TEST_F(Machines, EdgesAreSortedAndUniqueWhateverTheOrder) {
    auto build = [&](bool reversed) {
        MachineBuilder builder("M", alphabet, a);
        StateId s = builder.state(), t = builder.state(true);
        if (reversed)
            builder.edge(s, send_n, t), builder.edge(s, send_m, t), builder.edge(s, send_m, s);
        else
            builder.edge(s, send_m, s), builder.edge(s, send_m, t), builder.edge(s, send_n, t);
        builder.edge(s, send_m, t);
        return *builder.finish();
    };
    Machine x = build(false), y = build(true);
    EXPECT_EQ(x.edge_count(), 3u);
    EXPECT_TRUE(same_machine(x, y));
    EXPECT_TRUE(std::is_sorted(x.out(StateId(0u)).begin(), x.out(StateId(0u)).end()));
    EXPECT_TRUE(x.final(StateId(1u)));
}

TEST_F(Machines, TheInitialStateBecomesZero) {
    MachineBuilder builder("M", alphabet, a);
    StateId s = builder.state(true, "end"), t = builder.state(false, "start");
    builder.edge(t, send_m, s);
    builder.set_initial(t);
    Machine x = *builder.finish();
    EXPECT_EQ(x.state_name(StateId(0u)), "start");
    EXPECT_EQ(x.out(StateId(0u)).size(), 1u);
    EXPECT_TRUE(x.final(StateId(1u)));
    EXPECT_FALSE(x.final(StateId(0u)));
}

TEST_F(Machines, RefusesWhatDangles) {
    MachineBuilder none("M", alphabet, a);
    EXPECT_FALSE(none.finish());
    MachineBuilder dangling("M", alphabet, a);
    StateId s = dangling.state();
    dangling.edge(s, send_m, StateId(5u));
    EXPECT_FALSE(dangling.finish());
    MachineBuilder label("M", alphabet, a);
    s = label.state();
    label.edge(s, LabelId(99u), s);
    EXPECT_FALSE(label.finish());
}

TEST_F(Machines, DataIsKeptOnItsEdge) {
    MachineBuilder builder("M", alphabet, a);
    StateId s = builder.state(), t = builder.state();
    EdgeData guarded;
    guarded.guard = expr::ExprId(3u);
    builder.edge(s, send_n, t);
    builder.edge(s, send_m, t, {}, guarded);
    Machine x = *builder.finish();
    ASSERT_TRUE(x.has_data());
    EXPECT_EQ(x.data(s, 0).guard, expr::ExprId(3u));
    EXPECT_TRUE(x.data(s, 1).empty());
}

TEST_F(Machines, SystemsRefuseForeignEventsAndTwoMachinesOfARole) {
    auto machine = [&](RoleId role, LabelId label) {
        MachineBuilder builder("M", alphabet, role);
        StateId s = builder.state();
        builder.edge(s, label, s);
        return *builder.finish();
    };
    std::string fault;
    EXPECT_TRUE(make_system("S", {machine(a, send_m), machine(b, alphabet->receive(a, b, m))}, {}, &fault))
        << fault;
    EXPECT_FALSE(make_system("S", {machine(b, send_m)}, {}, &fault));
    EXPECT_NE(fault.find("not its own event"), std::string::npos);
    EXPECT_FALSE(make_system("S", {machine(a, send_m), machine(a, send_n)}, {}, &fault));
    EXPECT_FALSE(make_system("S", {}, {}, &fault));
    EXPECT_FALSE(make_system("S", {machine({}, alphabet->silent())}, {}, &fault));
}

TEST(Nets, RowsAreIndexedBothWays) {
    auto alphabet = std::make_shared<Alphabet>();
    NetBuilder builder("N", alphabet);
    PlaceId p = builder.place(), q = builder.place(), r = builder.place();
    builder.initial(p);
    builder.final(r);
    auto add = [&](std::vector<PlaceId> from, std::vector<PlaceId> to) {
        Transition t;
        t.label = alphabet->plain("e");
        t.from = std::move(from);
        t.to = std::move(to);
        return builder.transition(t);
    };
    TransitionId fork = add({p}, {r, q, q}), join = add({q, r}, {r});
    auto net = builder.finish();
    ASSERT_TRUE(net) << builder.fault();
    EXPECT_EQ(net->transitions()[0].to, (std::vector{q, q, r}));  // an arc of weight 2
    EXPECT_EQ(counted(net->transitions()[0].to), (std::vector<Tokens>{{q, 2}, {r, 1}}));
    EXPECT_EQ(net->consumers(p).size(), 1u);
    EXPECT_EQ(net->consumers(r)[0], join);
    EXPECT_EQ(net->producers(q).size(), 1u);
    EXPECT_EQ(net->producers(q)[0], fork);
    EXPECT_EQ(net->producers(r).size(), 2u);
}

TEST(Nets, RefusesWhatDangles) {
    auto alphabet = std::make_shared<Alphabet>();
    NetBuilder unmarked("N", alphabet);
    unmarked.place();
    EXPECT_FALSE(unmarked.finish());
    NetBuilder sourceless("N", alphabet);
    sourceless.initial(sourceless.place());
    sourceless.transition(Transition{});
    EXPECT_FALSE(sourceless.finish());
    NetBuilder dangling("N", alphabet);
    dangling.initial(dangling.place());
    Transition t;
    t.label = alphabet->silent();
    t.from = {PlaceId(0u)};
    t.to = {PlaceId(9u)};
    dangling.transition(t);
    EXPECT_FALSE(dangling.finish());
}

TEST(Mode, NamesReadBack) {
    for (Mode mode : {Mode::sync, Mode::fifo, Mode::bag, Mode::mailbox})
        EXPECT_EQ(parse_mode(to_string(mode)), mode);
    EXPECT_FALSE(parse_mode("lifo"));
}

}  // namespace
}  // namespace treaty::model
