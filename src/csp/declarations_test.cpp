// Declarations: modules and their instances, definitions by patterns, comprehensions with several elements,
// channels over dotted values.
#include <gtest/gtest.h>

#include "csp/testing_scripts.h"

namespace treaty::csp {
namespace {

TEST(Modules, AModuleWithoutParametersIsItsOwnInstance) {
    expect_all_hold(R"(
channel done
module M
  datatype Colour = Red | Green
  step = 1
  -- a parameter hides the definition of the same name
  twice(step) = step + step
exports
  channel c : Colour
  P(n) = if n == 0 then c.Green -> done -> STOP else c.Red -> P(n - step)
  value = twice(21) + (let step = 100 within step) - 100
endmodule
Q = M::c.M::Red -> M::c.M::Green -> done -> STOP
assert Q [FD= M::P(1)
assert M::P(1) [FD= Q
assert (if M::value == 42 then done -> STOP else STOP) [FD= done -> STOP
)");
}

TEST(Modules, InstancesHaveTheirOwnNames) {
    expect_all_hold(R"(
channel a, b
module Buffer(in, out, size)
  module Inner
  exports
    nothing = 0
  endmodule
exports
  B = Room(Inner::nothing)
  Room(n) = n < size & in -> Room(n + 1) [] n > Inner::nothing & out -> Room(n - 1)
endmodule
instance One = Buffer(a, b, 1)
instance Other = Buffer(b, a, 2)
P = a -> b -> P
Q = b -> (a -> Q [] b -> a -> a -> Q [] STOP)
assert P [FD= One::B
assert One::B [FD= P
assert not P [T= Other::B
)");
}

TEST(Modules, Faults) {
    EXPECT_EQ(Read("instance I = M(1)").faults(), "T1615 unknown module `M`\n");
    EXPECT_EQ(Read("module M(x)\nexports\nP = STOP\nendmodule\ninstance I = M").faults(),
              "T1615 `M` takes 1 arguments, not 0\n");
    EXPECT_EQ(Read("module M\nP = STOP\n").faults(),
              "T1601 expected `endmodule`, found the end of the file\n");
    EXPECT_EQ(Read("module M\nP = Q\nendmodule\n").faults(), "T1603 Q is not declared\n");
    EXPECT_EQ(Read("exports\nP = STOP\n").faults(), "T1601 expected a declaration, found `exports`\n");
    // Each instance makes another one.
    EXPECT_EQ(Read("module M(x)\ninstance N = M(x)\nendmodule\ninstance I = M(1)\n").faults(),
              "T1610 instances of modules are nested too deeply\n");
}

TEST(Declarations, ByPatterns) {
    expect_all_hold(R"(
datatype D = L.{0..2} | R
channel a : {0..2}
L.x = L.2
{y} = {1}
(L.z, _) = (L.0, R)
P = a.x -> a.y -> a.z -> STOP
assert P [FD= a.2 -> a.1 -> a.0 -> STOP
assert a.2 -> a.1 -> a.0 -> STOP [FD= P
)");
}

TEST(Declarations, ComprehensionsWithSeveralElements) {
    expect_all_hold(R"(
channel a, b : {0..2}
channel yes
S = {a.x, b.y | x <- {0..2}, y <- {0..1}, x > y}
check(c) = if c then yes -> STOP else STOP
assert check(S == {a.1, b.0, a.2, b.1}) [FD= yes -> STOP
assert check(<x, -x | x <- <1, 2>> == <1, -1, 2, -2>) [FD= yes -> STOP
assert check({x, 0 | x <- {}} == {}) [FD= yes -> STOP
)");
}

TEST(Declarations, ChannelsOverDottedValues) {
    expect_all_hold(R"(
datatype D = L.{0..1} | R
N = {0..1}
channel c : {x.y | x <- N, y <- N}
channel d : {0.L.0, 1.L.0, 0.R, 1.R}
P = c?x!1 -> d.x?y -> P
Q = c.0.1 -> d.0.L.0 -> STOP [] c.1.1 -> STOP
assert P [T= Q
assert P :[deadlock free]
assert not P [T= c.0.0 -> STOP
)");
    Read uneven("channel c : {0.1, 1.2}\nP = c?x -> P\nassert P :[deadlock free]\n");
    ASSERT_TRUE(uneven.script);
    uneven.script->check(0, {});
    EXPECT_EQ(uneven.faults(),
              "T1602 a channel such as c, whose fields depend on each other, is not supported\n");
}

TEST(Declarations, WhatIsLeftOutAndWhatIsRefused) {
    Read shown(
        "channel a\nprint 1 + 2\nP = a -> P\nf::Int -> Int\nf(x) = x\ng :: Int\ng = 1\nassert P :[deadlock "
        "free]\n");
    ASSERT_TRUE(shown.script);
    EXPECT_EQ(shown.faults(), "T1614 `print` shows a value and is left out\n");
    EXPECT_EQ(Read("Timed(f) {\n  P = {1}\n  Q = {| c |}\n}\nR = STOP\n").faults(),
              "T1602 a timed section (`Timed`) is not supported\n");
}

}  // namespace
}  // namespace treaty::csp
