// Dotted patterns against trying all ways to cut a value into whole values, on random datatypes.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "csp/testing/scripts.h"

namespace treaty::csp {
namespace {

using Tokens = std::vector<std::string>;

std::string dotted(const Tokens& tokens) {
    return fmt::format("{}", fmt::join(tokens, "."));
}

// Datatypes T0, T1, T2, each with the constructors A, B and C and random fields, the later ones of earlier
// types; and a channel q. Values are lists of tokens.
class RandomTypes {
public:
    explicit RandomTypes(std::mt19937_64& random) : random_(random) {
        for (std::size_t level = 0; level < 3; ++level) {
            text_ += fmt::format("datatype T{0} = A{0}", level);
            std::vector<Tokens> all{{fmt::format("A{}", level)}};
            for (char constructor : {'B', 'C'}) {
                std::string name = fmt::format("{}{}", constructor, level);
                auto more = with_fields(name, level, level == 2 ? 3 : 2);
                all.insert(all.end(), more.begin(), more.end());
            }
            text_ += '\n';
            types_.push_back(all);
            whole_.insert(all.begin(), all.end());
        }
        for (const char* value : {"0", "1", "2", "true", "false"}) whole_.insert({value});
        text_ += "channel go\nchannel q : T2";
        std::vector<Tokens> second = with_fields("", 2, 2);
        for (const Tokens& first : types_[2])
            for (const Tokens& rest : second) {
                Tokens event{"q"};
                event.insert(event.end(), first.begin(), first.end());
                event.insert(event.end(), rest.begin(), rest.end());
                events_.push_back(event);
            }
        text_ += '\n';
    }

    const std::string& text() const { return text_; }
    const std::vector<Tokens>& events() const { return events_; }
    // A value of one field: a number, a truth value, or a constructor with all its fields.
    bool whole(const Tokens& tokens) const { return whole_.contains(tokens); }

private:
    // Every value of the constructor (or of none) with random fields, which are added to the text.
    std::vector<Tokens> with_fields(const std::string& name, std::size_t level, std::size_t most) {
        std::vector<Tokens> all{name.empty() ? Tokens{} : Tokens{name}};
        if (!name.empty()) text_ += " | " + name;
        for (std::size_t n = random_() % most; n > 0; --n) {
            std::vector<Tokens> field;
            std::size_t what = random_() % 3;
            if (what == 0 && level > 0) {
                std::size_t below = random_() % level;
                text_ += fmt::format(".T{}", below);
                field = types_[below];
            } else if (what == 1) {
                text_ += ".Bool";
                field = {{"false"}, {"true"}};
            } else {
                text_ += ".{0..1}";
                field = {{"0"}, {"1"}};
            }
            std::vector<Tokens> longer;
            for (const Tokens& one : all)
                for (const Tokens& value : field) {
                    longer.push_back(one);
                    longer.back().insert(longer.back().end(), value.begin(), value.end());
                }
            all = std::move(longer);
        }
        return all;
    }

    std::mt19937_64& random_;
    std::string text_;
    std::vector<std::vector<Tokens>> types_;
    std::set<Tokens> whole_;
    std::vector<Tokens> events_;
};

// A part of a dotted pattern: a constant, a name for a value, _, or a constructor with its fields in
// brackets.
struct Item {
    enum Kind { constant, name, any, bracketed } kind = any;
    std::string text;
    std::vector<Item> inside;
};
using Pattern = std::vector<Item>;

std::string print(const Pattern& pattern) {
    std::vector<std::string> parts;
    for (const Item& item : pattern)
        parts.push_back(item.kind == Item::bracketed ? "(" + print(item.inside) + ")" : item.text);
    return fmt::format("{}", fmt::join(parts, "."));
}

using Bindings = std::map<std::string, std::string>;

// Tries every way to cut the tokens: a name that is not the last takes a whole value, the last one anything.
bool matches(const RandomTypes& types, std::span<const Item> pattern, std::span<const std::string> tokens,
             Bindings& found) {
    if (pattern.empty() || tokens.empty()) return pattern.empty() && tokens.empty();
    const Item& item = pattern[0];
    for (std::size_t n = 1; n <= tokens.size(); ++n) {
        Tokens value(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
        bool last = pattern.size() == 1;
        Bindings more = found;
        bool fits = false;
        if (item.kind == Item::constant) fits = n == 1 && value[0] == item.text;
        if (item.kind == Item::any || item.kind == Item::name)
            fits = last ? n == tokens.size() : types.whole(value);
        if (item.kind == Item::name) more[item.text] = dotted(value);
        if (item.kind == Item::bracketed)
            fits = types.whole(value) && matches(types, item.inside, value, more);
        if (fits && matches(types, pattern.subspan(1), tokens.subspan(n), more)) {
            found = std::move(more);
            return true;
        }
    }
    return false;
}

class RandomPattern {
public:
    RandomPattern(std::mt19937_64& random, const RandomTypes& types) : random_(random), types_(types) {}

    // Of this event, and so perhaps of others.
    Pattern of(const Tokens& event) {
        Pattern made{{Item::constant, "q", {}}};
        append(std::span(event).subspan(1), made);
        return made;
    }
    const std::vector<std::string>& names() const { return names_; }

private:
    void append(std::span<const std::string> tokens, Pattern& into) {
        while (!tokens.empty()) {
            if (random_() % 8 == 0) return into.push_back(free_item());  // takes all that is left
            std::size_t n = 1;
            while (!types_.whole(Tokens(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n))))
                ++n;
            auto value = tokens.first(n);
            tokens = tokens.subspan(n);
            switch (random_() % 4) {
                case 0: into.push_back(free_item()); break;
                case 1:
                    if (n > 1) {
                        Pattern inside{{Item::constant, value[0], {}}};
                        append(value.subspan(1), inside);
                        into.push_back({Item::bracketed, "", std::move(inside)});
                        break;
                    }
                    [[fallthrough]];
                default: into.push_back({Item::constant, value[0], {}}); fields(value.subspan(1), into);
            }
        }
    }
    // The fields of a constructor without brackets, each a part of its own.
    void fields(std::span<const std::string> tokens, Pattern& into) {
        while (!tokens.empty()) {
            std::size_t n = 1;
            while (!types_.whole(Tokens(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n))))
                ++n;
            if (random_() % 2 == 0) {
                into.push_back(free_item());
            } else {
                into.push_back({Item::constant, tokens[0], {}});
                fields(tokens.subspan(1, n - 1), into);
            }
            tokens = tokens.subspan(n);
        }
    }
    Item free_item() {
        if (random_() % 4 == 0) return {Item::any, "_", {}};
        names_.push_back(fmt::format("x{}", names_.size()));
        return {Item::name, names_.back(), {}};
    }

    std::mt19937_64& random_;
    const RandomTypes& types_;
    std::vector<std::string> names_;
};

std::vector<std::string> texts(Read& read, const std::string& set) {
    std::vector<std::string> out;
    auto labels = read.script->event_set(set);
    EXPECT_TRUE(labels) << set << '\n' << read.faults();
    for (model::LabelId l : labels.value_or(std::vector<model::LabelId>()))
        out.push_back(read.script->alphabet()->print(l));
    std::sort(out.begin(), out.end());
    return out;
}

TEST(CspPatterns, AgreeWithTryingAllValues) {
    std::size_t patterns = 0, hits = 0, misses = 0, inside = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        std::mt19937_64 random(seed);
        RandomTypes types(random);
        if (types.events().size() > 150) continue;
        std::string text = types.text();
        std::vector<Pattern> all;
        std::vector<std::string> expected;
        std::vector<std::vector<std::string>> matched;
        for (std::size_t k = 0; k < 6; ++k) {
            RandomPattern maker(random, types);
            all.push_back(maker.of(types.events()[random() % types.events().size()]));
            text += fmt::format("f{0}({1}) = (true, <{2}>)\nf{0}(_) = (false, <>)\n", k, print(all[k]),
                                fmt::join(maker.names(), ", "));
            std::vector<std::string> table;
            matched.emplace_back();
            for (const Tokens& event : types.events()) {
                Bindings found;
                bool hit = matches(types, all[k], event, found);
                std::vector<std::string> values;
                for (const std::string& name : maker.names()) values.push_back(hit ? found.at(name) : "");
                table.push_back(
                    hit ? fmt::format("({}, (true, <{}>))", dotted(event), fmt::join(values, ", "))
                        : fmt::format("({}, (false, <>))", dotted(event)));
                if (hit) matched.back().push_back(dotted(event));
                ++(hit ? hits : misses);
            }
            std::sort(matched.back().begin(), matched.back().end());
            expected.push_back(fmt::format("{{{}}}", fmt::join(table, ", ")));
            for (const Item& item : all[k]) inside += item.kind == Item::bracketed;
        }
        Read read(text + "P = STOP\n");
        ASSERT_TRUE(read.script) << read.faults() << text;
        ASSERT_EQ(texts(read, "{| q |}").size(), types.events().size()) << text;
        for (std::size_t k = 0; k < all.size(); ++k) {
            SCOPED_TRACE(fmt::format("seed {}, pattern {}\n{}", seed, print(all[k]), text));
            ++patterns;
            std::string asked = fmt::format(
                "if {{ (v, f{}(v)) | v <- {{| q |}} }} == {} then {{go}} else {{}}", k, expected[k]);
            ASSERT_EQ(texts(read, asked), std::vector<std::string>{"go"});
            ASSERT_EQ(texts(read, fmt::format("{{ e | e@@({}) <- {{| q |}} }}", print(all[k]))), matched[k]);
            // As an input: the same events are offered.
            std::string input = "q?" + print(all[k]).substr(2) + " -> STOP";
            auto graph = read.script->graph(input, {});
            ASSERT_TRUE(graph) << input << '\n' << read.faults();
            std::vector<std::string> offered;
            for (const model::Edge& e : graph->out(model::StateId(0u)))
                offered.push_back(read.script->alphabet()->print(e.label));
            std::sort(offered.begin(), offered.end());
            ASSERT_EQ(offered, matched[k]) << input << '\n' << read.faults();
        }
    }
    EXPECT_GT(patterns, 300u);
    EXPECT_GT(hits, 1000u);
    EXPECT_GT(misses, 1000u);
    EXPECT_GT(inside, 50u);
}

TEST(CspPatterns, ConstructorsInsideDots) {
    expect_all_hold_untyped(R"(
        datatype M = R | P.{0..1} | N.M2.{0..1}
        datatype M2 = K | L.{0..1}.Bool
        channel c : M.{0..3}
        channel d : {0..1}.M
        channel go, no
        is(b) = if b then go -> STOP else no -> STOP
        f(c.P.x.y) = <x, y>
        f(c.N.L.x.b.y.z) = if b then <x, y, z> else <>
        f(c.N.m.y.z) = <z>
        f(c.R.y) = <y>
        assert go -> STOP [FD= is(f(c.P.1.3) == <1, 3> and f(c.R.2) == <2> and f(c.N.K.1.2) == <2>)
        assert go -> STOP [FD= is(f(c.N.L.1.true.0.2) == <1, 0, 2> and f(c.N.L.1.false.0.2) == <>)
        g(x.(P.y)) = <x, y>
        g(x.N.(L.p).y) = <x, p, y>
        g(x.m) = <m>
        assert go -> STOP [FD= is(g(1.P.0) == <1, 0> and g(1.R) == <R> and g(0.N.K.1) == <N.K.1>)
        assert go -> STOP [FD= is(g(1.N.L.0.true.1) == <1, 0.true, 1>)
        h((x.y).z) = <x, y, z>
        assert go -> STOP [FD= is(h(1.P.0.2) == <1, P.0, 2> and h(c.P.1.3) == <c, P.1, 3>)
        assert go -> STOP [FD= is({ x | c.P.x._ <- {| c.P |} } == {0, 1})
        assert go -> STOP [FD= is(< x | d.x.N.L.1.true._ <- <d.0.N.L.1.true.0, d.1.R, d.1.N.L.1.true.1> > == <0, 1>)
        assert go -> STOP [FD= is((\ c.P.x.y @ x + y)(c.P.1.2) == 3)
        assert [] x : {0..1}, y : {0..3} @ c.P.x.y -> d.x!R -> STOP [FD= c?(P.x)?y -> d.x!R -> STOP
        assert [] x : {0..1}, y : {0..3} @ c.P.x.y -> d.x!R -> STOP [FD= c?P.x?y -> d.x!R -> STOP
        assert [] x : {0..1} @ d.x.R -> STOP [] d.x.P.1 -> STOP [FD= d?(x.m):{0.R, 1.R, 0.P.1, 1.P.1} -> STOP
        assert d?x?m -> STOP [FD= d?(x.m) -> STOP
    )");
}

// What a constructor or a channel does not carry is a fault wherever it is written.
TEST(CspPatterns, ValuesOutsideTheirTypeAreFaults) {
    for (const char* wrong :
         {"(X.2) == (X.2)", "member(X.2, T)", "card({X.0, X.2}) == 2", "(U.X.2.0) == (U.X.0.0)",
          "(c.2) == (c.0)", "(c.0.1) == (c.0)", "<X.x | x <- <0..2>> == <>"}) {
        Read read(
            "datatype T = X.{0..1}\ndatatype W = U.T.{0..1}\nchannel c : {0..1}\nchannel go\nP = STOP\n");
        ASSERT_TRUE(read.script);
        EXPECT_FALSE(read.script->event_set(fmt::format("if {} then {{go}} else {{}}", wrong))) << wrong;
        EXPECT_EQ(read.faults().substr(0, 5), "T1607") << wrong << read.faults();
    }
    Read read(
        "datatype T = X.{0..1}\ndatatype W = U.T.{0..1}\nchannel c : {0..1}.{0..1}\nchannel go\nP = STOP\n");
    for (const char* right :
         {"(X.1) == (X.1)", "(U.X) == (U.X)", "(U.X.1) == (U.X.1)", "(c.0) == (c.0)", "(X.1.5) == (X.1.5)",
          "(5.X.0) == (5.X.0)", "productions(U.X.1) == {U.X.1.0, U.X.1.1}"})
        EXPECT_TRUE(read.script->event_set(fmt::format("if {} then {{go}} else {{}}", right)))
            << right << read.faults();
}

// Of a datatype that contains itself nothing is listed, so nothing is checked either: its values can be used.
TEST(CspPatterns, DatatypesThatContainThemselves) {
    expect_all_hold(R"(
        datatype List = Nil | Cons.{0..1}.List
        datatype Tree = Leaf | Fork.Two
        nametype Two = Tree.Tree
        channel go
        len(Nil) = 0
        len(Cons.x.rest) = 1 + len(rest)
        last(Cons.x.Nil) = x
        last(Cons._.Cons.x.rest) = last(Cons.x.rest)
        count(Leaf) = 1
        count(Fork.l.r) = count(l) + count(r)
        assert go -> STOP [FD= if len(Cons.1.Cons.0.Nil) == 2 and last(Cons.0.Cons.0.Cons.1.Nil) == 1 then go -> STOP else STOP
        assert go -> STOP [FD= if count(Fork.(Fork.Leaf.Leaf).Leaf) == 3 and count(Fork.Leaf.Leaf) == 2 then go -> STOP else STOP
    )");
}

TEST(CspPatterns, TypesDefinedByThemselvesAreFaults) {
    for (const char* type : {"nametype N = N", "nametype N = Bool.N", "nametype N = N.N",
                             "nametype N = M.Bool\nnametype M = N.Bool"}) {
        Read read(std::string(type) + "\nchannel c : N\nP = c?x -> STOP\nQ = c.true -> STOP\n");
        ASSERT_TRUE(read.script) << read.faults();
        for (const char* process : {"P", "Q"}) {
            auto graph = read.script->graph(process, {});
            if (graph) graph->out(model::StateId(0u));
        }
        EXPECT_EQ(read.faults().substr(0, 5), "T1610") << type << read.faults();
    }
}

// The names of a replicated operator are known in its process and in what belongs to each process.
TEST(CspPatterns, NamesOfReplicatedOperators) {
    expect_all_hold(R"(
        channel a, b, c : {0..2}
        channel s
        P(i) = b?x -> a!x -> c.i -> P(i)
        Chain = P(0) [a <-> b] (P(1) [a <-> b] P(2))
        assert Chain [FD= [a <-> b] i : <0..2> @ P(i)
        assert [a <-> b] i : <0..2> @ P(i) [FD= Chain
        Q(i) = b.i -> a.i -> c.i -> Q(i)
        Some = Q(0) [a.0 <-> b.1] (Q(1) [a.1 <-> b.2] Q(2))
        assert Some [FD= [a.i <-> b.i + 1] i : <0, 1, 2> @ (if i < 2 then Q(i) else Q(2))
        Two = Q(0) [a.0 <-> b.0] Q(0)
        assert Two [FD= [a.i <-> b.i] i : <0, 1> @ Q(0)
        assert Two [FD= [a.j <-> b.j | j <- {i}] i : <0, 1> @ Q(0)
        assert [a.i <-> b.i] i : <0, 1> @ Q(0) [FD= Two
        assert (c.0 -> STOP [{c.0, s} || {c.1, s}] c.1 -> STOP) [FD= || i : {0..1} @ [{c.i, s}] c.i -> STOP
        assert c.0 -> c.1 -> SKIP [FD= ; i : <0..1> @ c.i -> SKIP
        assert c.0 -> STOP [] c.1 -> STOP [FD= [] i : {0..1} @ c.i -> STOP
        assert c.0 -> STOP |~| c.1 -> STOP [FD= |~| i : {0..1} @ c.i -> STOP
        assert c.0 -> STOP ||| c.1 -> STOP [FD= ||| i : {0..1} @ c.i -> STOP
        assert c.0 -> s -> STOP [|{s}|] c.1 -> s -> STOP [FD= [|{s}|] i : {0..1} @ c.i -> s -> STOP
        assert c.0 -> STOP [FD= (b.0 -> STOP) [[b.i <- c.i | i <- {0..2}]]
    )");
    Read shared("channel c : {0..1}\nP = [|{c.i}|] i : {0..1} @ c.i -> STOP\nassert P :[deadlock free]\n");
    EXPECT_EQ(shared.faults(), "T1603 i is not declared\n");
}

// Where the order of the processes matters a set does not say it.
TEST(CspPatterns, ChainsAndSequencesHaveAnOrder) {
    for (const char* process : {"; i : {0..1} @ c.i -> SKIP", "[c <-> c] i : {0..1} @ c.i -> STOP"}) {
        Read read("channel c : {0..1}\nP = STOP\n");
        auto graph = read.script->graph(process, {});
        if (graph) graph->out(model::StateId(0u));
        EXPECT_EQ(read.faults().substr(0, 5), "T1605") << process << read.faults();
    }
    // Other tools want a sequence here.
    expect_all_hold_untyped(
        "channel c : {0..1}\nassert c.1 -> SKIP [FD= ; i : {1} @ c.i -> SKIP\nassert SKIP [FD= ; i : {} @ "
        "STOP\n");
}

}  // namespace
}  // namespace treaty::csp
