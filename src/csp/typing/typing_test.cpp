#include "csp/typing/typing.h"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "csp/testing/scripts.h"
#include "csp/typing/dependencies.h"
#include "csp/typing/solver.h"

namespace treaty::csp::typing {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

TEST(Typing, GroupsComeAfterWhatTheyReach) {
    EXPECT_EQ(groups_of({{1}, {2}, {1}, {0, 3}}), (Groups{{1, 2}, {0}, {3}}));
    EXPECT_EQ(groups_of({{}, {0}, {0, 1}}), (Groups{{0}, {1}, {2}}));
    EXPECT_EQ(groups_of({{1}, {2}, {0}}), (Groups{{0, 1, 2}}));
    // A chain that no stack of calls would hold.
    std::vector<std::vector<std::uint32_t>> chain(1'000'000);
    for (std::uint32_t i = 0; i + 1 < chain.size(); ++i) chain[i] = {i + 1};
    EXPECT_EQ(groups_of(chain).size(), chain.size());
}

class Dots : public testing::Test {
protected:
    base::Names names;
    Solver solver{names};
    TypeId integer = solver.types.basic(Shape::integer), boolean = solver.types.basic(Shape::boolean),
           event = solver.types.basic(Shape::event);

    TypeId channel(std::vector<TypeId> fields) { return solver.types.fields_to(fields, event); }
    TypeId dot(std::vector<TypeId> parts) { return solver.types.dot_of(std::move(parts)); }
    std::string text(TypeId type) { return solver.types.notation(type); }
    std::string reduced(std::vector<TypeId> parts) {
        std::vector<Solver::Part> all(parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i) all[i].type = parts[i];
        Solver::Dot found = solver.reduce(std::move(all));
        return found.failed ? "failed" : text(solver.type_of(found));
    }
};

TEST_F(Dots, PartsFillFields) {
    TypeId datatype = solver.types.numbered(Shape::datatype, 0);
    names.intern("D");
    solver.types.datatype_names.push_back(names.find("D"));
    TypeId fields[] = {integer};
    TypeId constructor = solver.types.fields_to(fields, datatype);
    TypeId c = channel({integer, boolean}), q = channel({datatype, boolean});
    EXPECT_EQ(reduced({c, integer}), "Bool=>Event");
    EXPECT_EQ(reduced({c, integer, boolean}), "Event");
    EXPECT_EQ(reduced({c, integer, boolean, integer}), "Event.Int");
    EXPECT_EQ(reduced({c, boolean}), "failed");
    EXPECT_EQ(reduced({c, dot({integer, boolean})}), "Event");
    EXPECT_EQ(reduced({q, constructor}), "Int=>Bool=>Event");
    EXPECT_EQ(reduced({q, constructor, integer}), "Bool=>Event");
    EXPECT_EQ(reduced({q, dot({constructor, integer}), boolean}), "Event");
    EXPECT_EQ(reduced({integer, c, integer, boolean}), "Int.Event");
}

TEST_F(Dots, TheLastVariableTakesWhatRemains) {
    TypeId c = channel({integer, boolean, integer});
    TypeId x = solver.fresh();
    EXPECT_TRUE(solver.equate(dot({c, x}), event));
    EXPECT_EQ(text(x), "Int.Bool.Int");
    TypeId y = solver.fresh();
    EXPECT_TRUE(solver.equate(dot({c, y, integer}), event));
    EXPECT_EQ(text(y), "Int.Bool");
    TypeId z = solver.fresh();
    EXPECT_TRUE(solver.equate(dot({c, z}), channel({integer})));
    EXPECT_EQ(text(z), "Int.Bool");
    EXPECT_FALSE(solver.equate(dot({c, integer, boolean, integer, integer}), event));
    EXPECT_FALSE(solver.equate(dot({c, solver.fresh()}), integer));
}

TEST_F(Dots, AFailedEquationChangesNothing) {
    TypeId x = solver.fresh(), y = solver.fresh();
    TypeId left = solver.types.make(Shape::tuple, {x, y, integer});
    TypeId right = solver.types.make(Shape::tuple, {integer, boolean, boolean});
    EXPECT_FALSE(solver.equate(left, right));
    EXPECT_EQ(solver.fault(), Fault::mismatch);
    EXPECT_EQ(text(left), "(a, b, Int)");
    EXPECT_FALSE(solver.equate(x, solver.types.set_of(x)));
    EXPECT_EQ(solver.fault(), Fault::infinite);
}

// Whatever its size, a script is answered: checked, or reported as too large.
TEST(Typing, LargeScriptsAreBounded) {
    std::string deep = "x = ";
    for (int i = 0; i < 60; ++i) deep += '(';
    deep += '1';
    for (int i = 0; i < 60; ++i) {
        for (int k = 0; k < 290; ++k) deep += "+1";
        deep += ')';
    }
    EXPECT_EQ(type_errors(deep + "\n"), "not read: T1610 nested more than 2000 deep\n");
    std::string row = "x = 1";
    for (int i = 0; i < 290; ++i) row += "+1";
    for (int i = 0; i < 5; ++i) row = "x = (" + row.substr(4) + ")" + row.substr(row.size() - 580);
    EXPECT_EQ(type_errors(row + "\n"), "");

    std::string nested = "f0 = 1\n";
    for (int i = 1; i < 2000; ++i) nested += fmt::format("f{} = <f{}>\n", i, i - 1);
    EXPECT_EQ(type_errors(nested), "T1622 the types of this script are too large to be checked\n");

    std::string wide = "channel c : {0..1}\n";
    for (int i = 0; i < 3000; ++i) wide += fmt::format("P{}(x, d) = d.x -> P{}(x, d)\n", i, (i + 1) % 3000);
    EXPECT_EQ(type_errors(wide + "Q = P0(1, c)\n"), "");
    EXPECT_NE(type_errors(wide + "Q = P0(true, c)\n"), "");

    std::string doubled = "f0(x) = (x, x)\n";
    for (int i = 1; i < 12; ++i) doubled += fmt::format("f{}(x) = f{}(f{}(x))\n", i, i - 1, i - 1);
    EXPECT_EQ(type_errors(doubled), "T1622 the types of this script are too large to be checked\n");
}

}  // namespace
}  // namespace treaty::csp::typing
