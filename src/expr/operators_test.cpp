// The table of operators against what evaluation does.
#include "expr/operators.h"

#include <gtest/gtest.h>

#include <set>

#include "expr/digest.h"
#include "expr/has_value.h"
#include "expr/pool.h"

namespace treaty::expr {
namespace {

TEST(Operators, EachHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const Operator& o : operators()) {
        EXPECT_TRUE(names.insert(o.name).second) << o.name;
        EXPECT_EQ(&about(o.op), &o) << o.name;
        EXPECT_EQ(o.notation == Notation::infix, !o.sign.empty()) << o.name;
        if (is_over_bytes(o.op)) {
            EXPECT_EQ(arity(o.op), 1u) << o.name;
        }
    }
}

// Over all texts of few letters: an operator over bytes lacks a value somewhere exactly if the table says so,
// and has_value() asks for a condition exactly there.
TEST(Operators, OverBytesLackAValueWhereTheTableSaysSo) {
    auto names = std::make_shared<base::Names>();
    auto types = std::make_shared<Types>();
    Pool pool(types, names);
    for (const Operator& o : operators()) {
        if (!is_over_bytes(o.op) || o.op == Op::digits) continue;
        bool lacks = false;
        for (const char* text : {"", "a", "ab", "abc", "abcd", "YQ==", "=", "zz"})
            lacks = lacks || !apply_over_bytes(o.op, Value(std::string(text)));
        EXPECT_EQ(lacks, o.may_lack_value) << o.name;
        TypeId gives = o.gives == TypeKind::integer ? types->integer()
                       : o.gives == TypeKind::bytes ? types->bytes()
                                                    : types->string();
        ExprId operand = pool.var(pool.declare(names->intern("s"), types->string()));
        ExprId made = pool.make(o.op, gives, std::span<const ExprId>(&operand, 1));
        EXPECT_EQ(may_lack_value(pool, made), o.may_lack_value) << o.name;
    }
}

}  // namespace
}  // namespace treaty::expr
