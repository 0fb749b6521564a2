#include "formats/gc/gc.h"

#include <gtest/gtest.h>

#include "formats/gc/expand.h"
#include "formats/gc/parser.h"
#include "formats/testing/reading.h"

namespace treaty::formats::gc_test {
namespace {

using testing::mutated;
using testing::tree;
using testing::written;

auto read(std::string text) {
    return testing::read<model::Specification>(read_gc, "shop.gc", std::move(text));
}

std::string tree_of(std::string text) {
    auto r = read(std::move(text));
    if (!r->model) return testing::listing(r->sources, r->diagnostics);
    return tree(*r->model);
}

std::string faults(std::string text) {
    auto r = read(std::move(text));
    EXPECT_EQ(r->model.has_value(), r->diagnostics.ok());
    return testing::listing(r->sources, r->diagnostics);
}

TEST(gc_reader, an_order) {
    EXPECT_EQ(tree_of(".. an order\n"
                      "Buyer -> Shop : order;\n"
                      "sel Shop { Shop -> Buyer : accepted; Shop -> Depot : ship\n"
                      "         + Shop -> Buyer : refused;  Shop -> Depot : idle }\n"),
              ";(Buyer>Shop:order +Shop(;(Shop>Buyer:accepted Shop>Depot:ship) "
              ";(Shop>Buyer:refused Shop>Depot:idle)))");
}

TEST(gc_reader, a_loop_then_a_fork) {
    EXPECT_EQ(tree_of("[[ a loop, then a fork ]]\n"
                      "repeat Mon { Mon -> Probe : poll; Probe -> Mon : sample };\n"
                      "{ Mon -> Probe : halt | Mon -> Store : flush }\n"),
              ";(*Mon(;(Mon>Probe:poll Probe>Mon:sample)) |(;(Mon>Probe:halt) ;(Mon>Store:flush)))");
}

TEST(gc_reader, definitions_with_parameters_and_a_hole) {
    EXPECT_EQ(tree_of("let Rpc @ X Y = X -> Y : req ; Y -> X : rep & Twice = do Rpc with A B ; [] in\n"
                      "do Twice[ do Rpc with A C ] | D => E F : note\n"),
              ";(|(;(A>B:req B>A:rep A>C:req C>A:rep) ;(D>E:note D>F:note)))");
}

TEST(gc_reader, names_and_precedence) {
    EXPECT_EQ(tree_of("A -> B : x=y&z>"), ";(A>B:x=y&z>)");
    EXPECT_EQ(tree_of("A->B:m;C->D:n|E->F:o"), ";(|(;(A>B:m C>D:n) ;(E>F:o)))");
    EXPECT_EQ(tree_of("(o)"), ";()");
    EXPECT_EQ(tree_of("(o); A -> B : m; {(o); {B -> A : n}}"), ";(A>B:m B>A:n)");
    EXPECT_EQ(tree_of("A -> B : m // rest\n .. more\n [[ x ; ]] ; B -> A : n"), ";(A>B:m B>A:n)");
    EXPECT_EQ(tree_of("branch { A -> B : m + A -> B : n }"), ";(+A(;(A>B:m) ;(A>B:n)))");
    EXPECT_EQ(tree_of("sel { A -> B : m + C -> B : n }"), ";(+_(;(A>B:m) ;(C>B:n)))");
    EXPECT_EQ(tree_of("sel { A -> B : m + (o) }"), ";(+_(;(A>B:m) ;()))");
    EXPECT_EQ(tree_of("* A -> B : m ; B -> C : n @ B"), ";(*B(;(A>B:m B>C:n)))");
    EXPECT_EQ(tree_of("repeat { A -> B : m }"), ";(*A(;(A>B:m)))");
    EXPECT_EQ(tree_of("A -> B : m {sqos f(x) < 2} ; B -> A : n {rqos }"), ";(A>B:m B>A:n)");
    EXPECT_EQ(tree_of("repeat A { A -> B : m unless A % \"x y\" unless B % ok }"), ";(*A(;(A>B:m)))");
}

TEST(gc_reader, scopes) {
    // A parameter may stand for a message; a filler does not see the parameters of what it fills.
    EXPECT_EQ(tree_of("let F @ X m = X -> B : m ; [] in let X = C -> D : m in do F[do X] with A hello"),
              ";(A>B:hello C>D:m)");
    EXPECT_EQ(tree_of("let G @ X = A -> X : in1 ; [] in do G[ X -> A : back ] with B"),
              ";(A>B:in1 X>A:back)");
    // A definition inside another sees the outer parameters.
    EXPECT_EQ(tree_of("let F @ X = { let G @ Y = X -> Y : m in do G with B ; do G with C } in do F with A"),
              ";(A>B:m A>C:m)");
    // The nearest definition counts, and a let ends with its file.
    EXPECT_EQ(tree_of("let F = A -> B : x in { let F = A -> B : y in do F } ; do F"), ";(A>B:y A>B:x)");
    EXPECT_EQ(tree_of("let F = A -> B : x in do F | do F"), ";(|(;(A>B:x) ;(A>B:x)))");
}

TEST(gc_reader, the_protocol_is_named_after_its_file) {
    auto r = testing::read<model::Specification>(read_gc, "a/two-buyers.v2.gc", "A -> B : m");
    ASSERT_TRUE(r->model);
    EXPECT_EQ(r->model->protocols[0].name(), "Two_buyers_v2");
    EXPECT_EQ(r->model->messages.size(), 1u);
    const model::Protocol& p = r->model->protocols[0];
    EXPECT_EQ(r->sources.text(p[model::NodeId(1u)].span), "A -> B : m");
}

// The same protocol in both notations.
void expect_same(std::string sgg, std::string gc) {
    auto one = testing::read<model::Specification>(read_sgg, "shop.sgg", std::move(sgg));
    auto other = testing::read<model::Specification>(read_gc, "shop.gc", std::move(gc));
    ASSERT_TRUE(one->model) << testing::listing(one->sources, one->diagnostics);
    ASSERT_TRUE(other->model) << testing::listing(other->sources, other->diagnostics);
    EXPECT_EQ(tree(*one->model), tree(*other->model));
}

TEST(sgg_reader, is_gc_with_other_brackets_and_commas) {
    expect_same("A -> B : m ; [ a comment ] { A -> B : x + A -> B : y }",
                "A -> B : m ; sel { A -> B : x + A -> B : y }");
    expect_same("A => B, C : m; (A -> B : x | A -> C : y)", "A => B C : m; { A -> B : x | A -> C : y }");
    expect_same("a => b,c : m", "a => b c : m");
    expect_same("sel A { A -> B : x; (o) + A -> B : y } .. done", "sel A { A -> B : x; (o) + A -> B : y }");
    expect_same("* A -> B : m @ A", "repeat A { A -> B : m }");
    expect_same("repeat A { ( A -> B : m ) }", "repeat A { A -> B : m }");
    expect_same("{ (A -> B : x ; {B -> A : y + B -> A : z}) }",
                "A -> B : x ; sel { B -> A : y + B -> A : z }");
}

TEST(sgg_reader, guards_and_exit_marks_have_no_meaning) {
    auto r = testing::read<model::Specification>(
        read_sgg, "t.sgg", "{ A -> B : x unless A % e, B % f + A -> B : y };\nrepeat A { A -> B : z; (o) }");
    EXPECT_TRUE(r->model);
    EXPECT_EQ(testing::listing(r->sources, r->diagnostics),
              "T0622 1:14 `unless` guards have no effect and are left out\n"
              "T0622 2:24 `(o)` inside a loop is read as an empty step\n");
}

TEST(sgg_reader, faults) {
    auto told = [](std::string text) {
        auto r = testing::read<model::Specification>(read_sgg, "t.sgg", std::move(text));
        return testing::listing(r->sources, r->diagnostics);
    };
    EXPECT_EQ(told("( A -> B : x }"), "T0603 1:14 expected `)`, found `}`\n");
    EXPECT_EQ(told("A -> B : x + A -> B : y"), "T0609 1:12 `+` outside a choice\n");
    EXPECT_EQ(told("A -> B : x [ open"), "T0601 1:12 this comment is not closed\n");
    EXPECT_EQ(told("1 -> B : x"), "T0604 1:1 role `1` does not begin with a letter\n");
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "(";
    EXPECT_NE(told(deep).find("T0620"), std::string::npos);
}

TEST(gc_reader, roles_begin_with_any_letter) {
    EXPECT_EQ(tree_of("repeat a { a -> B : m ; sel B { B -> a : x + B -> a : y } }"),
              ";(*a(;(a>B:m +B(;(B>a:x) ;(B>a:y)))))");
}

TEST(gc_reader, every_misuse_has_its_message) {
    EXPECT_EQ(faults("1 -> B : m"), "T0604 1:1 role `1` does not begin with a letter\n");
    EXPECT_EQ(faults("A -> A : m"), "T0605 1:6 `A` sends to itself\n");
    EXPECT_EQ(faults("A => B A : m"), "T0605 1:8 `A` sends to itself\n");
    EXPECT_EQ(faults("A => B C B : m"), "T0606 1:10 `B` receives this message twice\n");
    EXPECT_EQ(faults("A=>B : m"), "T0607 1:1 `A=>B` is one name, not an interaction\n");
    EXPECT_EQ(faults("A -> B : m;"), "T0608 1:11 nothing follows this `;`\n");
    EXPECT_EQ(faults("{ A -> B : m; }; B -> A : n"), "T0608 1:13 nothing follows this `;`\n");
    EXPECT_EQ(faults("A -> B : m + A -> B : n"), "T0609 1:12 `+` outside a choice\n");
    EXPECT_EQ(faults("sel A { A -> B : m }"), "T0610 1:1 `sel` with only one branch\n");
    EXPECT_EQ(faults("sel A { A -> B : m | A -> C : x + A -> B : n }"),
              "T0611 1:20 a `|` in a branch needs braces\n");
    EXPECT_EQ(faults("repeat C { A -> B : m }"),
              "T0612 1:8 `C` controls this loop but takes no part in it\n");
    EXPECT_EQ(faults("repeat { A -> B : m | B -> A : n }"),
              "T0613 1:1 no role is known to control this loop\n");
    EXPECT_EQ(faults("do F"), "T0614 1:4 `F` is not defined\n");
    EXPECT_EQ(faults("let F = do F in A -> B : m"), "T0614 1:12 `F` is not defined\n");
    EXPECT_EQ(faults("let F = A -> B : m & F = A -> B : n in do F"), "T0615 1:22 `F` is defined twice\n");
    EXPECT_EQ(faults("let F @ X X = X -> B : m in do F with A A"),
              "T0615 1:11 parameter `X` is named twice\n");
    EXPECT_EQ(faults("let F @ X = X -> B : m in do F with A C"), "T0616 1:27 `F` takes 1 argument, not 2\n");
    EXPECT_EQ(faults("A -> B : m ; []"), "T0617 1:14 a hole outside a definition\n");
    EXPECT_EQ(faults("let F = [] in do F"), "T0618 1:15 `F` has a hole that nothing fills\n");
    EXPECT_EQ(faults("let F = A -> B : m in do F[(o)]"), "T0619 1:23 `F` has no hole to fill\n");
    EXPECT_EQ(faults("A -> B : m ^ "), "T0600 1:12 unexpected `^`\n");
    EXPECT_EQ(faults("A -> B : m [[ tail"), "T0601 1:12 this comment is not closed\n");
    EXPECT_EQ(faults("A -> B : m {sqos tail"),
              "T0602 1:12 this `sqos` note is not closed\n"
              "T0622 1:12 quality notes have no effect and are left out\n");
    EXPECT_EQ(faults("A -> B : m B -> A : n"), "T0603 1:12 expected `;` between two steps, found `B`\n");
    EXPECT_EQ(faults("A -> B C : m"), "T0603 1:8 expected `:` and a message, found `C`\n");
    EXPECT_EQ(faults("A B : m"), "T0603 1:3 expected `->`, found `B`\n");
    EXPECT_EQ(faults("A -> B : "), "T0603 1:10 expected a message, found the end of the file\n");
    EXPECT_EQ(faults("A -> : m"), "T0603 1:6 expected a receiving role, found `:`\n");
    EXPECT_EQ(faults(""),
              "T0603 1:1 expected an interaction, `sel`, `repeat`, `do`, `{` or `(o)`, found the end of "
              "the file\n");
    EXPECT_EQ(faults("{ A -> B : m"), "T0603 1:13 expected `}`, found the end of the file\n");
    EXPECT_EQ(faults("A -> B : m }"), "T0603 1:12 expected the end of the file, found `}`\n");
    EXPECT_EQ(faults("let F@X Y=X -> Y : m in do F with A B"), "T0603 1:13 expected `=`, found `->`\n");
    EXPECT_EQ(faults("* A -> B : m"), "T0603 1:13 expected `@`, found the end of the file\n");
    // What only the arguments make wrong.
    EXPECT_EQ(faults("let F @ X Y = X -> Y : m in do F with A A"), "T0605 1:15 `A` sends to itself\n");
    EXPECT_EQ(faults("let F @ X = X -> B : m in do F with 1"),
              "T0604 1:37 role `1` does not begin with a letter\n");
    EXPECT_EQ(faults("let F @ X = repeat X { A -> B : m } in do F with C"),
              "T0612 1:20 `C` controls this loop but takes no part in it\n");
}

TEST(gc_reader, all_faults_of_a_file_and_none_of_their_consequences) {
    EXPECT_EQ(faults("1 -> B : one;\n"
                     "B -> B : two;\n"
                     "B C : three;\n"
                     "sel A { A -> B : four };\n"
                     "repeat Z { A -> B : five };\n"
                     "repeat Z { A -> A : five };\n"
                     "do Nothing;\n"
                     "A=>B : six;\n"
                     "A -> B seven;\n"
                     "{ A -> B : eight + B -> A : nine };\n"
                     "A -> B : ten ;\n"),
              "T0604 1:1 role `1` does not begin with a letter\n"
              "T0605 2:6 `B` sends to itself\n"
              "T0603 3:3 expected `->`, found `C`\n"
              "T0610 4:1 `sel` with only one branch\n"
              "T0612 5:8 `Z` controls this loop but takes no part in it\n"
              "T0605 6:17 `A` sends to itself\n"
              "T0614 7:4 `Nothing` is not defined\n"
              "T0607 8:1 `A=>B` is one name, not an interaction\n"
              "T0603 9:8 expected `:` and a message, found `seven`\n"
              "T0609 10:18 `+` outside a choice\n"
              "T0608 11:14 nothing follows this `;`\n");
}

TEST(gc_reader, depth_and_expansion_are_bounded) {
    auto nest = [](std::string open, std::string close, std::size_t times) {
        std::string text;
        for (std::size_t i = 0; i < times; ++i) text += open;
        text += "A -> B : m";
        for (std::size_t i = 0; i < times; ++i) text += close;
        return text;
    };
    EXPECT_TRUE(read(nest("{", "}", gc::max_nesting - 1))->model);
    EXPECT_TRUE(read(nest("sel A {A -> B : x + ", "}", gc::max_nesting - 1))->model);
    for (const std::string& text :
         {nest("{", "}", 100000), nest("sel A {A -> B : x + ", "}", 100000), nest("* ", " @ A", 100000),
          nest("let F = ", " in do F", 100000), nest("repeat A { ", "}", 100000)}) {
        auto r = read(text);
        ASSERT_EQ(r->diagnostics.errors(), 1u);
        EXPECT_EQ(r->diagnostics.all()[0].code->number, 620);
    }
    // Definitions that double, with and without anything in them, and a long chain of them.
    for (std::string start : {"A -> B : m", "(o)"}) {
        std::string text = "let F0 = " + start;
        for (int i = 1; i < 60; ++i) text += fmt::format(" & F{} = do F{} ; do F{}", i, i - 1, i - 1);
        auto r = read(text + " in do F59");
        ASSERT_EQ(r->diagnostics.errors(), 1u);
        EXPECT_EQ(r->diagnostics.all()[0].code->number, 621);
    }
    std::string chain = "let F0 = A -> B : m";
    for (int i = 1; i < 5000; ++i) chain += fmt::format(" & F{} = do F{}", i, i - 1);
    auto r = read(chain + " in do F4999");
    ASSERT_EQ(r->diagnostics.errors(), 1u);
    EXPECT_EQ(r->diagnostics.all()[0].code->number, 620);
}

// --- writing

std::string again(std::string text, LossPolicy policy = LossPolicy::refuse) {
    auto r = read(std::move(text));
    EXPECT_TRUE(r->model);
    std::string report;
    auto out = written([&](Conversion& c) { return write_gc(*r->model, c); }, policy, &report);
    return out ? *out : report;
}

TEST(gc_writer, looks_like_this) {
    EXPECT_EQ(
        again("Buyer -> Shop : order; sel Shop { Shop -> Buyer : accepted; Shop -> Depot : ship + (o) };"
              "{ A -> B : x | repeat A { A -> B : y } }"),
        "Buyer -> Shop : order;\n"
        "sel Shop {\n"
        "  Shop -> Buyer : accepted;\n"
        "  Shop -> Depot : ship\n"
        "+\n"
        "  (o)\n"
        "};\n"
        "{\n"
        "  A -> B : x\n"
        "|\n"
        "  repeat A {\n"
        "    A -> B : y\n"
        "  }\n"
        "}\n");
    EXPECT_EQ(again("(o)"), "(o)\n");
}

using model::NodeKind;

struct Small {
    model::Specification s;
    model::RoleId a, b;
    model::MessageId m, n;
    std::optional<model::ProtocolBuilder> builder;

    explicit Small(std::string first = "A", std::string second = "B") {
        a = s.alphabet->role(first);
        b = s.alphabet->role(second);
        m = s.alphabet->message("m");
        n = s.alphabet->message("n");
        s.messages.resize(2);
        builder.emplace("P", base::Span{}, std::vector{a, b});
    }
    std::string write(LossPolicy policy = LossPolicy::refuse, std::string* told = nullptr) {
        auto p = builder->finish();
        EXPECT_TRUE(p) << builder->fault();
        s.protocols.push_back(std::move(*p));
        std::string report;
        auto out = written([&](Conversion& c) { return write_gc(s, c); }, policy, &report);
        if (told) *told = report;
        return out ? *out : report;
    }
};

TEST(gc_writer, a_recursion_that_is_a_loop) {
    Small t;
    auto loop = t.builder->loop("L");
    t.builder->open_recursion({}, loop);
    t.builder->open_choice({}, t.a);
    for (int i = 0; i < 2; ++i) {
        t.builder->open(NodeKind::sequence, {});
        t.builder->interaction({}, t.a, t.b, i == 0 ? t.m : t.n);
        if (i == 0) t.builder->jump({}, loop);
        t.builder->close();
    }
    t.builder->close();
    t.builder->close();
    EXPECT_EQ(t.write(), "repeat A {\n  A -> B : m\n};\nA -> B : n\n");
}

TEST(gc_writer, a_recursion_that_is_not) {
    Small t;
    auto loop = t.builder->loop("L");
    t.builder->open_recursion({}, loop);
    t.builder->open(NodeKind::sequence, {});
    t.builder->interaction({}, t.a, t.b, t.m);
    t.builder->jump({}, loop);
    t.builder->close();
    t.builder->close();
    EXPECT_EQ(t.write(LossPolicy::allow), "T0804 .gc cannot express the loop `rec L`\n");
}

TEST(gc_writer, several_branches_of_a_recursion) {
    Small t;
    auto loop = t.builder->loop("L");
    t.builder->open_recursion({}, loop);
    t.builder->open_choice({}, t.a);
    for (int i = 0; i < 4; ++i) {
        t.builder->open(NodeKind::sequence, {});
        t.builder->interaction({}, t.a, t.b, i % 2 == 0 ? t.m : t.n);
        if (i < 2) t.builder->jump({}, loop);
        t.builder->close();
    }
    t.builder->close();
    t.builder->close();
    EXPECT_EQ(t.write(),
              "repeat A {\n  sel A {\n    A -> B : m\n  +\n    A -> B : n\n  }\n};\n"
              "sel A {\n  A -> B : m\n+\n  A -> B : n\n}\n");
}

TEST(gc_writer, roles_begin_with_a_letter) {
    std::string told;
    Small t("client", "Server");
    t.builder->interaction({}, t.a, t.b, t.m);
    EXPECT_EQ(t.write(LossPolicy::refuse, &told), "client -> Server : m\n");
    EXPECT_EQ(told, "");
    Small u("_x", "B");
    u.builder->interaction({}, u.a, u.b, u.m);
    EXPECT_EQ(u.write(LossPolicy::refuse, &told), "P_x -> B : m\n");
    EXPECT_EQ(told, "T0805 role `_x` becomes `P_x`: roles of .gc begin with a letter\n");
    Small v("_x", "P_x");
    v.builder->interaction({}, v.a, v.b, v.m);
    EXPECT_EQ(v.write(LossPolicy::allow), "T0804 role `_x` would become `P_x` in .gc, as role `P_x` does\n");
}

TEST(gc_writer, what_it_cannot_carry) {
    Small t;
    auto x = t.s.pool->declare(t.s.names->intern("x"), t.s.types->integer());
    auto yes = t.s.pool->boolean(true);
    t.builder->open(NodeKind::sequence, {});
    t.builder->interaction({}, t.a, t.b, t.m, {{x, {}, {}}}, yes, 5);
    t.builder->assign({}, x, t.s.pool->integer(1));
    auto semaphore = t.builder->semaphore("s");
    t.builder->open_conditional({}, yes);
    t.builder->signal({}, semaphore);
    t.builder->wait({}, semaphore);
    t.builder->close();
    t.builder->open_while({}, yes);
    t.builder->interaction({}, t.a, t.b, t.m);
    t.builder->close();
    t.builder->open(NodeKind::interrupt, {});
    t.builder->interaction({}, t.a, t.b, t.m);
    t.builder->interaction({}, t.b, t.a, t.m);
    t.builder->close();
    t.builder->close();
    EXPECT_EQ(t.write(),
              "T0802 .gc cannot express the data of message `m`\n"
              "T0802 .gc cannot express the condition on message `m`\n"
              "T0802 .gc cannot express the time limit of message `m`\n"
              "T0802 .gc cannot express computed values\n"
              "T0804 .gc cannot express `if` and `match`, which depend on data\n"
              "T0804 .gc cannot express `signal` and `wait`\n"
              "T0804 .gc cannot express `signal` and `wait`\n"
              "T0804 .gc cannot express `while`, which depends on data\n"
              "T0804 .gc cannot express interrupts\n");
    Small u;
    u.builder->interaction({}, u.a, u.b, u.m, {{x, {}, {}}});
    std::string told;
    EXPECT_EQ(u.write(LossPolicy::allow, &told), "A -> B : m\n");
    EXPECT_EQ(told, "T0803 .gc cannot express the data of message `m`\n");
}

// What reads also writes, and what was written reads back to the same tree and the same text.
TEST(gc_property, broken_texts_never_crash_and_good_ones_are_stable) {
    const std::string seeds[] = {
        ".. an order\nBuyer -> Shop : order;\nsel Shop { Shop -> Buyer : accepted; Shop -> Depot : ship\n"
        "         + Shop -> Buyer : refused;  Shop -> Depot : idle }\n",
        "[[ a loop, then a fork ]]\nrepeat Mon { Mon -> Probe : poll; Probe -> Mon : sample };\n"
        "{ Mon -> Probe : halt | Mon -> Store : flush }\n",
        "let Rpc @ X Y = X -> Y : req ; Y -> X : rep & Twice = do Rpc with A B ; [] in\n"
        "do Twice[ do Rpc with A C ] | D => E F : note\n",
        "* {A -> B : m {sqos q} | sel {A -> C : k unless A % \"g\" + (o)} } @ A ; repeat { B -> A : n }",
    };
    const std::string_view alphabet = "AB ab:;+|{}[]()*@%=>-&.\n\"odlet";
    std::size_t good = 0;
    for (std::uint32_t seed = 0; seed < 8000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::string text = mutated(seeds[seed % 4], random, alphabet);
        auto r = read(text);
        ASSERT_EQ(r->model.has_value(), r->diagnostics.ok());
        if (!r->model) continue;
        ++good;
        auto once = written([&](Conversion& c) { return write_gc(*r->model, c); });
        ASSERT_TRUE(once) << text;
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once;
        ASSERT_EQ(tree(*back->model), tree(*r->model)) << *once;
        ASSERT_EQ(*written([&](Conversion& c) { return write_gc(*back->model, c); }), *once);
    }
    EXPECT_GT(good, 600u);
}

}  // namespace
}  // namespace treaty::formats::gc_test
