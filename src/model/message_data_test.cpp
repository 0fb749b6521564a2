#include "model/message_data.h"

#include <gtest/gtest.h>

#include <array>

namespace treaty::model {
namespace {

using expr::Op;
using expr::Value;

// message m(x: int in 0..5, y: real, z: bool) where x < 4, sent as m(let v, w + 1, _) where v > w
struct MessageData : testing::Test {
    Specification specification;
    expr::Pool& pool = *specification.pool;
    expr::VarId v = declare("v", pool.types().integer()), w = declare("w", pool.types().integer());
    MessageId m = specification.alphabet->message("m");
    EdgeData edge;
    expr::Environment known;

    MessageData() {
        expr::TypeId types[] = {pool.types().integer(0, 5), pool.types().real(), pool.types().boolean()};
        specification.messages.resize(specification.alphabet->message_count());
        Message& message = specification.messages[m.index];
        const char* names[] = {"x", "y", "z"};
        for (std::size_t f = 0; f < 3; ++f) {
            message.fields.push_back({specification.names->intern(names[f]), types[f]});
            message.variables.push_back(declare(names[f], types[f]));
        }
        message.where = make(Op::less, {pool.var(message.variables[0]), pool.integer(4)});
        edge.data.resize(3);
        edge.data[0].bind = v;
        edge.data[1].value =
            pool.make(Op::add, pool.types().integer(), std::array{pool.var(w), pool.integer(1)});
        edge.where = make(Op::greater, {pool.var(v), pool.var(w)});
        known.set(w, std::int64_t{1});
    }
    expr::VarId declare(const char* name, expr::TypeId type) {
        return pool.declare(specification.names->intern(name), type);
    }
    expr::ExprId make(Op op, std::vector<expr::ExprId> children) {
        return pool.make(op, pool.types().boolean(), children);
    }
    bool carried(std::int64_t x, double y) {
        expr::Environment variables = known;
        bool yes = carries(specification, m, edge, std::array<std::size_t, 2>{0, 1}, {x, y}, variables);
        if (yes) {
            EXPECT_EQ(*variables.get(v), Value(x));
        }
        return yes;
    }
};

TEST_F(MessageData, IsAllowedByTypesGivenValuesAndConditions) {
    EXPECT_TRUE(carried(2, 2.0));
    EXPECT_TRUE(carried(3, 2.0));
    EXPECT_FALSE(carried(1, 2.0));  // v > w
    EXPECT_FALSE(carried(4, 2.0));  // x < 4
    EXPECT_FALSE(carried(6, 2.0));  // 0..5
    EXPECT_FALSE(carried(2, 3.0));  // w + 1
    known.clear(w);
    EXPECT_FALSE(carried(2, 2.0));  // w + 1 has no value
    EXPECT_FALSE(given_value(specification, m, edge, 1, known));
}

TEST_F(MessageData, IsPrintedWithWhatIsThere) {
    EXPECT_EQ(print_message(specification, m, std::array<std::size_t, 2>{0, 2}, {std::int64_t{3}, true}),
              "m(3, _, true)");
    EXPECT_EQ(print_message(specification, m, {}, {}), "m");
    EXPECT_TRUE(fields_of(specification, specification.alphabet->message("later")).empty());
}

}  // namespace
}  // namespace treaty::model
