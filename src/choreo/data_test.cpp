// Data through the whole chain: nets, reduced nets and projected machines, run on concrete values.
#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/fold_silent_data.h"
#include "choreo/net_compiler.h"
#include "choreo/net_machine.h"
#include "choreo/project.h"
#include "choreo/project_net.h"
#include "choreo/reduce_net.h"
#include "choreo/remove_silent.h"
#include "choreo/testing/data.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/seeds.h"
#include "expr/print.h"

namespace treaty::choreo {
namespace {

using model::Argument;
using model::NodeKind;

// client -> server: buy(let b)   let books = books + [b]   server -> client: basket(books)
struct BookShop {
    model::Specification spec;
    model::RoleId client = spec.alphabet->role("client"), server = spec.alphabet->role("server");
    expr::VarId b = spec.pool->declare(spec.names->intern("b"), spec.types->integer());
    expr::VarId books =
        spec.pool->declare(spec.names->intern("books"), spec.types->list(spec.types->integer()));
    expr::VarId bs = spec.pool->declare(spec.names->intern("bs"), spec.types->list(spec.types->integer()));
    expr::ExprId more, permutes;
    model::Protocol protocol = make();

    model::Protocol make() {
        expr::Pool& pool = *spec.pool;
        expr::TypeId list = spec.types->list(spec.types->integer());
        expr::ExprId item[] = {pool.var(b)};
        expr::ExprId both[] = {pool.var(books), pool.make(expr::Op::list, list, item)};
        more = pool.make(expr::Op::concat, list, both);
        expr::ExprId two[] = {pool.var(bs), pool.var(books)};
        permutes = pool.make(expr::Op::permutes, spec.types->boolean(), two);
        auto message = [&](const char* name) { return spec.alphabet->message(name); };
        model::ProtocolBuilder builder("BookShop", {}, {client, server});
        model::LoopId loop = builder.loop("shopping");
        builder.open(NodeKind::sequence, {});
        builder.assign({}, books, pool.make(expr::Op::list, list, {}));
        builder.open_recursion({}, loop);
        builder.open_choice({}, client);
        builder.open(NodeKind::sequence, {});
        builder.interaction({}, client, server, message("buy"), {Argument{b, {}}});
        builder.assign({}, books, more);
        builder.jump({}, loop);
        builder.close();
        builder.open(NodeKind::sequence, {});
        builder.interaction({}, client, server, message("request"));
        builder.interaction({}, server, client, message("basket"), {Argument{bs, {}}}, permutes);
        builder.jump({}, loop);
        builder.close();
        builder.interaction({}, client, server, message("stop"));
        builder.close();
        builder.close();
        builder.close();
        spec.messages.resize(spec.alphabet->message_count());
        return *builder.finish();
    }
};

TEST(Data, TheBookShopKeepsItsComputationsOnBothSides) {
    BookShop shop;
    for (model::RoleId role : {shop.client, shop.server}) {
        auto machine = project(shop.spec, shop.protocol, role);
        ASSERT_TRUE(machine) << machine.reason;
        std::size_t computed = 0, checked = 0;
        for (std::size_t s = 0; s < machine->state_count(); ++s)
            for (std::size_t i = 0; i < machine->out(model::StateId(s)).size(); ++i) {
                const auto& d = machine->data(model::StateId(s), i);
                for (const auto& a : d.assignments) computed += a.value == shop.more;
                checked += d.where == shop.permutes;
            }
        EXPECT_GE(computed, 1u);
        EXPECT_EQ(checked, 1u);
    }
}

// buyer -> vendor: req(let x)   vendor -> depot: sell(x)   depot -> vendor: info(let y)
TEST(Data, AReceiverLearnsWhatItDoesNotKnowAndChecksWhatItDoes) {
    model::Specification spec;
    auto buyer = spec.alphabet->role("buyer"), vendor = spec.alphabet->role("vendor"),
         depot = spec.alphabet->role("depot");
    auto x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
    expr::ExprId sum[] = {spec.pool->var(x), spec.pool->integer(1)};
    auto next = spec.pool->make(expr::Op::add, spec.types->integer(), sum);
    model::ProtocolBuilder builder("Shop", {}, {buyer, vendor, depot});
    builder.open(NodeKind::sequence, {});
    builder.interaction({}, buyer, vendor, spec.alphabet->message("req"), {Argument{x, {}}});
    builder.interaction({}, vendor, depot, spec.alphabet->message("next"), {Argument{{}, next}});
    builder.interaction({}, vendor, depot, spec.alphabet->message("sell"), {Argument{{}, spec.pool->var(x)}});
    builder.interaction({}, depot, vendor, spec.alphabet->message("echo"), {Argument{{}, spec.pool->var(x)}});
    builder.close();
    auto protocol = builder.finish();
    ASSERT_TRUE(protocol);
    auto at_depot = project(spec, *protocol, depot);
    ASSERT_TRUE(at_depot);
    const auto& unknown = at_depot->data(model::StateId(0u), 0).data[0];
    EXPECT_TRUE(unknown.bind.valid());
    EXPECT_NE(unknown.bind, x);  // x + 1 tells it nothing it could name
    EXPECT_EQ(at_depot->data(model::StateId(1u), 0).data[0].bind, x);
    EXPECT_EQ(at_depot->data(model::StateId(2u), 0).data[0].value, spec.pool->var(x));
    auto at_vendor = project(spec, *protocol, vendor);
    ASSERT_TRUE(at_vendor);
    EXPECT_EQ(at_vendor->data(model::StateId(3u), 0).data[0].value, spec.pool->var(x));
}

// if x > 0 { A -> B: yes } else { A -> C: no }, where only A knows x
TEST(Data, GuardsStayWithTheRolesThatKnowTheirValues) {
    model::Specification spec;
    auto a = spec.alphabet->role("A"), b = spec.alphabet->role("B"), c = spec.alphabet->role("C");
    auto x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
    expr::ExprId two[] = {spec.pool->var(x), spec.pool->integer(0)};
    auto positive = spec.pool->make(expr::Op::greater, spec.types->boolean(), two);
    model::ProtocolBuilder builder("If", {}, {a, b, c});
    builder.open(NodeKind::sequence, {});
    builder.interaction({}, a, c, spec.alphabet->message("x"), {Argument{x, {}}});
    builder.open_conditional({}, positive);
    builder.interaction({}, a, b, spec.alphabet->message("yes"));
    builder.interaction({}, a, c, spec.alphabet->message("no"));
    builder.close();
    builder.close();
    auto protocol = builder.finish();
    ASSERT_TRUE(protocol);
    auto at_a = project(spec, *protocol, a);
    ASSERT_TRUE(at_a);
    ASSERT_EQ(at_a->out(model::StateId(1u)).size(), 2u);
    EXPECT_EQ(expr::print(*spec.pool, at_a->data(model::StateId(1u), 0).guard), "x > 0");
    auto at_b = project(spec, *protocol, b);
    ASSERT_TRUE(at_b);
    EXPECT_FALSE(at_b->has_data());
    EXPECT_TRUE(at_b->final(model::StateId(0u)));
}

// C knows x when the block is entered; A may have chosen another x in it, of which C has not heard.
TEST(Data, AfterAnInterruptionARoleKnowsWhatItKnewAtEveryPoint) {
    model::Specification spec;
    model::RoleId a = spec.alphabet->role("A"), b = spec.alphabet->role("B"), c = spec.alphabet->role("C");
    expr::VarId x = spec.pool->declare(spec.names->intern("x"), spec.types->integer());
    model::MessageId m = spec.alphabet->message("m");
    model::Argument chosen, told;
    chosen.bind = x;
    told.value = spec.pool->var(x);
    model::ProtocolBuilder builder("P", {}, {a, b, c});
    builder.open(model::NodeKind::sequence, {});
    builder.interaction({}, a, c, m, {chosen});
    builder.open(model::NodeKind::interrupt, {});
    builder.interaction({}, a, b, m, {chosen});
    model::NodeId handler = builder.interaction({}, a, c, m, {told});
    builder.close();
    builder.close();
    model::Protocol protocol = *builder.finish();
    std::size_t position = protocol[handler].first_argument;
    EXPECT_FALSE(knowledge_of(protocol, *spec.pool, c).knows_argument(position));
    EXPECT_FALSE(knowledge_of(protocol, *spec.pool, b).knows_argument(position));
    EXPECT_TRUE(knowledge_of(protocol, *spec.pool, a).knows_argument(position));
}

TEST(Data, ReductionKeepsGuardsAndAssignments) {
    int decided = 0;
    std::size_t before = 0, after = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(400); ++seed) {
        model::Specification spec;
        auto protocol = testing::RandomData(spec, seed, seed % 3 == 0).make(4);
        auto net = compile_net(spec, protocol);
        ASSERT_TRUE(net);
        auto smaller = reduce_net(*net);
        before += net->transitions().size();
        after += smaller.transitions().size();
        auto outcome = testing::same_weak_traces(testing::data_net_steps(*net, *spec.pool),
                                                 testing::data_net_steps(smaller, *spec.pool), 4, 150);
        decided += outcome.decided;
        ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference;
    }
    EXPECT_GT(decided, 300);
    EXPECT_LT(after, before);
}

TEST(Data, ProjectedMachinesDoWhatTheNetsOfTheRolesDo) {
    int decided = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(200); ++seed) {
        model::Specification spec;
        auto protocol = testing::RandomData(spec, seed, seed % 3 == 0).with_values().make(4);
        for (model::RoleId role : protocol.roles()) {
            RoleView view{role, knowledge_of(protocol, *spec.pool, role)};
            auto net = compile_view(spec, protocol, &view);
            auto machine = project(spec, protocol, role);
            ASSERT_TRUE(net);
            ASSERT_TRUE(machine) << machine.reason;
            auto outcome =
                testing::same_weak_traces(testing::data_net_steps(*net, *spec.pool),
                                          testing::data_machine_steps(*machine, *spec.pool), 4, 150, true);
            decided += outcome.decided;
            ASSERT_TRUE(outcome.same) << "seed " << seed << ", role " << spec.alphabet->name(role) << ": "
                                      << outcome.difference << "\n"
                                      << testing::write(spec, protocol);
        }
    }
    EXPECT_GT(decided, 300);
}

}  // namespace
}  // namespace treaty::choreo
