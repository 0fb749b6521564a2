#include "expr/print.h"

#include <cctype>
#include <charconv>
#include <utility>

#include <gtest/gtest.h>

#include "expr/parts.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

// A second reader of the expression syntax, one function a level of precedence. It knows the names of the
// small world; anything else than a well-formed text is thrown out.
class Reader {
public:
    Reader(SmallWorld& world, std::string_view text) : w_(world), rest_(text) {}

    struct Malformed {};

    ExprId whole() {
        try {
            ExprId e = conditional();
            skip();
            return rest_.empty() ? e : ExprId();
        } catch (Malformed) {
            return {};
        }
    }

private:
    static bool word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

    static void require(bool fine) {
        if (!fine) throw Malformed();
    }
    void skip() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    bool take(std::string_view token) {
        skip();
        if (!rest_.starts_with(token)) return false;
        bool is_word = word_part(token.back());
        if (is_word && rest_.size() > token.size() && word_part(rest_[token.size()])) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    std::string word() {
        skip();
        std::size_t n = 0;
        while (n < rest_.size() && word_part(rest_[n])) ++n;
        std::string result(rest_.substr(0, n));
        rest_.remove_prefix(n);
        return result;
    }

    TypeKind kind(ExprId e) { return w_.types->kind((*w_.pool)[e].type); }
    TypeId type(ExprId e) { return w_.types->base((*w_.pool)[e].type); }
    ExprId make(Op op, TypeId result, std::vector<ExprId> children, std::uint32_t payload = 0) {
        return w_.make(op, result, std::move(children), payload);
    }
    TypeId number(ExprId a, ExprId b) {
        return kind(a) == TypeKind::real || kind(b) == TypeKind::real ? w_.real : w_.integer;
    }

    ExprId conditional() {
        if (!take("if")) return implication();
        ExprId c = conditional();
        require(take("then"));
        bool outer = std::exchange(else_ends_, true);
        ExprId a = conditional();
        else_ends_ = outer;
        require(take("else"));
        ExprId b = conditional();
        TypeId joined = w_.types->join(type(a), type(b));
        require(joined.valid());
        return make(Op::if_else, joined, {c, a, b});
    }
    ExprId implication() {
        ExprId a = disjunction();
        return take("implies") ? make(Op::implies, w_.boolean, {a, implication()}) : a;
    }
    ExprId disjunction() {
        ExprId a = conjunction();
        while (take("or")) a = make(Op::logical_or, w_.boolean, {a, conjunction()});
        return a;
    }
    ExprId conjunction() {
        ExprId a = negation();
        while (take("and")) a = make(Op::logical_and, w_.boolean, {a, negation()});
        return a;
    }
    ExprId negation() { return take("not") ? make(Op::logical_not, w_.boolean, {negation()}) : comparison(); }

    // What is between brackets.
    ExprId inside() {
        bool outer = std::exchange(else_ends_, false);
        ExprId e = conditional();
        else_ends_ = outer;
        return e;
    }

    ExprId update() {
        ExprId a = sum();
        while (true) {
            if (take("with")) {
                bool record = kind(a) == TypeKind::record;
                ExprId at = record ? ExprId() : sum();
                bool x = record && word() == "x";
                require(take("="));
                ExprId v = sum();
                if (!record) {
                    a = make(Op::with_item, w_.list, {a, at, v});
                } else {
                    ExprId kept = make(Op::field, x ? w_.boolean : w_.integer, {a}, x ? 1 : 0);
                    a = make(Op::record, w_.point, x ? std::vector{v, kept} : std::vector{kept, v});
                }
            } else if (!else_ends_ && take("else")) {
                ExprId v = sum();
                a = make(Op::if_else, w_.integer,
                         {make(Op::has, w_.boolean, {a}), make(Op::value, w_.integer, {a}), v});
            } else {
                return a;
            }
        }
    }

    ExprId comparison() {
        ExprId a = update();
        constexpr std::pair<std::string_view, Op> ops[] = {
            {"==", Op::equal}, {"!=", Op::not_equal}, {"<=", Op::less_equal}, {">=", Op::greater_equal},
            {"<", Op::less},   {">", Op::greater},    {"in", Op::member},     {"permutes", Op::permutes}};
        for (auto [text, op] : ops)
            if (take(text)) return make(op, w_.boolean, {a, update()});
        return take("matches") ? w_.pool->matches(a, pattern()) : a;
    }

    std::string pattern() {
        skip();
        std::string text;
        bool in_class = false;
        for (rest_.remove_prefix(1); in_class || rest_[0] != '/'; rest_.remove_prefix(1)) {
            if (rest_[0] == '\\' && rest_[1] == '/') rest_.remove_prefix(1);
            if (rest_[0] == '[') in_class = true;
            if (rest_[0] == ']') in_class = false;
            text += rest_[0];
        }
        rest_.remove_prefix(1);
        return take("i") ? "(?i)" + text : text;
    }

    ExprId sum() {
        ExprId a = product();
        while (true) {
            if (take("+")) {
                ExprId b = product();
                bool numbers = kind(a) == TypeKind::integer || kind(a) == TypeKind::real;
                a = numbers ? make(Op::add, number(a, b), {a, b}) : make(Op::concat, type(a), {a, b});
            } else if (take("-")) {
                ExprId b = product();
                a = make(Op::subtract, number(a, b), {a, b});
            } else {
                return a;
            }
        }
    }
    ExprId product() {
        ExprId a = sign();
        constexpr std::pair<std::string_view, Op> ops[] = {
            {"*", Op::multiply}, {"/", Op::divide}, {"mod", Op::modulo}};
        for (std::size_t i = 0; i < 3; ++i) {
            if (!take(ops[i].first)) continue;
            ExprId b = sign();
            a = make(ops[i].second, number(a, b), {a, b});
            i = std::size_t(-1);
        }
        return a;
    }
    ExprId sign() {
        if (!take("-")) return postfix();
        if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]))) return number_literal("-");
        ExprId x = sign();
        return make(Op::negate, type(x), {x});
    }
    ExprId postfix() {
        ExprId a = primary();
        while (true) {
            if (take("[")) {
                ExprId i = inside();
                if (take("..")) {
                    ExprId end = inside();
                    require(take("]"));
                    a = make(Op::slice, type(a), {a, i, end});
                    continue;
                }
                require(take("]"));
                a = make(Op::at, w_.integer, {a, i});
            } else if (!rest_.starts_with("..") && take(".")) {
                bool x = word() == "x";
                a = make(Op::field, x ? w_.integer : w_.boolean, {a}, x ? 0 : 1);
            } else {
                return a;
            }
        }
    }

    ExprId number_literal(std::string text) {
        while (!rest_.empty() && !rest_.starts_with("..") &&
               (std::isdigit(static_cast<unsigned char>(rest_[0])) || rest_[0] == '.')) {
            text += rest_[0];
            rest_.remove_prefix(1);
        }
        if (text.find('.') != std::string::npos) return w_.pool->literal(std::stod(text), w_.real);
        std::int64_t value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return w_.pool->integer(value);
    }
    std::string quoted() {
        std::string text(rest_.substr(1, rest_.find('"', 1) - 1));
        rest_.remove_prefix(text.size() + 2);
        return text;
    }

    ExprId primary() {
        skip();
        require(!rest_.empty());
        if (take("(")) {
            ExprId e = inside();
            require(take(")"));
            return e;
        }
        if (rest_.starts_with("0x\"")) {
            rest_.remove_prefix(2);
            std::string hex = quoted(), data;
            for (std::size_t i = 0; i < hex.size(); i += 2)
                data += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
            return w_.pool->literal(Bytes{data}, w_.bytes);
        }
        if (rest_.starts_with('"')) return w_.pool->literal(quoted(), w_.string);
        if (std::isdigit(static_cast<unsigned char>(rest_[0]))) return number_literal("");
        if (take("[")) return make(Op::list, w_.list, arguments("]"));
        return named(word());
    }

    std::vector<ExprId> arguments(std::string_view closing) {
        std::vector<ExprId> result;
        while (!take(closing)) {
            if (take("x =") || take("on =")) {
            }
            result.push_back(inside());
            take(",");
        }
        return result;
    }

    ExprId named(const std::string& name) {
        if (name == "true" || name == "false") return w_.pool->boolean(name == "true");
        for (std::uint32_t i = 0; i < 3; ++i)
            if (w_.names->text((*w_.types)[w_.color].members[i]) == name)
                return w_.pool->literal(EnumMember{i}, w_.color);
        if (!take("(")) {
            require(w_.var(name).valid());
            return w_.var(name);
        }
        std::vector<ExprId> a = arguments(")");
        if (a.size() == 1 && (name == "min" || name == "max"))
            return make(name == "min" ? Op::least : Op::greatest, w_.integer, a);
        for (const Operator& o : operators())
            if (is_over_parts(o.op) && name == o.name) require(a.size() == o.operands);
        require(name != "digits" || a.size() == 1);
        for (Op op : {Op::take, Op::drop, Op::reverse, Op::repeated, Op::replace})
            if (name == about(op).name) return make(op, type(a[0]), a);
        if (name == "index_of") return make(Op::index_of, w_.maybe, a);
        if (name == "split") return make(Op::split, w_.types->list(type(a[0])), a);
        if (name == "join") return make(Op::join, type(a[1]), a);
        for (Op op : {Op::to_int, Op::from_hex})
            if (name == about(op).name) return make(op, w_.integer, a);
        for (Op op : {Op::to_hex, Op::digits})
            if (name == about(op).name) return make(op, w_.string, a);
        bool binary = name == "close" || name == "Point" || name == "min" || name == "max" ||
                      name == "contains" || name == "starts_with" || name == "ends_with";
        require(a.size() == (binary ? 2 : 1));
        if (name == "twice") return make(Op::call, w_.integer, a, w_.twice.index);
        if (name == "close") return make(Op::call, w_.boolean, a, w_.close.index);
        if (name == "half") return make(Op::call, w_.real, a, w_.half.index);
        if (name == "Point") return make(Op::record, w_.point, a);
        const std::pair<const char*, std::pair<Op, TypeId>> functions[] = {
            {"size", {Op::size, w_.integer}},
            {"abs", {Op::abs, w_.integer}},
            {"lower", {Op::lower, w_.string}},
            {"upper", {Op::upper, w_.string}},
            {"sum", {Op::sum, w_.integer}},
            {"sorted", {Op::sorted, w_.list}},
            {"some", {Op::some, w_.maybe}},
            {"has", {Op::has, w_.boolean}},
            {"value", {Op::value, w_.integer}},
            {"contains", {Op::contains, w_.boolean}},
            {"starts_with", {Op::starts_with, w_.boolean}},
            {"ends_with", {Op::ends_with, w_.boolean}}};
        for (const auto& [text, what] : functions)
            if (name == text) return make(what.first, what.second, a);
        require(name == "min" || name == "max");
        return make(name == "min" ? Op::min : Op::max, number(a[0], a[1]), a);
    }

    SmallWorld& w_;
    std::string_view rest_;
    bool else_ends_ = false;
};

TEST(PrintTest, ReadingWhatIsPrintedGivesTheSameExpression) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    RandomExpressions random(w, seed);
    random.untyped = false;
    random.collections = false;  // the reader of this test does not know them
    for (int n = 0; n < 20'000; ++n) {
        ExprId e = random.expression(w.boolean, 5);
        std::string text = print(*w.pool, e);
        ASSERT_EQ(text, print(*w.pool, e));
        ExprId read = Reader(w, text).whole();
        ASSERT_TRUE(read.valid()) << "TREATY_SEED=" << seed << " case " << n << ": " << text;
        ASSERT_EQ(read, e) << "TREATY_SEED=" << seed << " case " << n << ": " << text << " read as "
                           << print(*w.pool, read);
    }
}

TEST(PrintTest, EveryPairOfParenthesesIsNeeded) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    RandomExpressions random(w, seed + 1);
    random.untyped = false;
    random.collections = false;  // the reader of this test does not know them
    for (int n = 0; n < 3000; ++n) {
        ExprId e = random.expression(w.boolean, 4);
        std::string text = print(*w.pool, e);
        if (text.find('"') != std::string::npos || text.find("matches") != std::string::npos) continue;
        for (std::size_t open = 0; open < text.size(); ++open) {
            bool grouping =
                text[open] == '(' && (open == 0 || !std::isalnum(static_cast<unsigned char>(text[open - 1])));
            if (open > 0 && text[open - 1] == '_') grouping = false;
            if (!grouping) continue;
            std::size_t closing = open, depth = 0;
            do depth += text[closing] == '(' ? 1u : text[closing] == ')' ? std::size_t(-1) : 0u;
            while (depth > 0 && ++closing < text.size());
            std::string without = text;
            without[open] = without[closing] = ' ';
            // -(-x) is read the same without; the parentheses are there for the reader's eyes.
            if (open > 0 && text[open - 1] == '-' && text[open + 1] == '-') continue;
            ASSERT_NE(Reader(w, without).whole(), e)
                << "TREATY_SEED=" << seed << " case " << n << ": " << text << " is also " << without;
        }
    }
}

struct PrintExamples : testing::Test {
    SmallWorld w;
    ExprId b = w.var("b"), c = w.var("c"), i = w.var("i"), j = w.var("j");

    std::string text(Op op, TypeId type, std::vector<ExprId> children, std::uint32_t payload = 0) {
        return print(*w.pool, w.make(op, type, std::move(children), payload));
    }
    ExprId sub(ExprId x, ExprId y) { return w.make(Op::subtract, w.integer, {x, y}); }
    ExprId implies(ExprId x, ExprId y) { return w.make(Op::implies, w.boolean, {x, y}); }
};

TEST_F(PrintExamples, Precedence) {
    EXPECT_EQ(print(*w.pool, sub(i, sub(j, i))), "i - (j - i)");
    EXPECT_EQ(print(*w.pool, sub(sub(i, j), i)), "i - j - i");
    EXPECT_EQ(text(Op::multiply, w.integer, {sub(i, j), i}), "(i - j) * i");
    EXPECT_EQ(text(Op::negate, w.integer, {sub(i, j)}), "-(i - j)");
    EXPECT_EQ(text(Op::negate, w.integer, {w.make(Op::negate, w.integer, {i})}), "-(-i)");
    EXPECT_EQ(print(*w.pool, sub(i, w.pool->integer(-3))), "i - -3");
    EXPECT_EQ(print(*w.pool, implies(implies(b, c), implies(c, b))), "(b implies c) implies c implies b");
    EXPECT_EQ(text(Op::logical_not, w.boolean, {w.pool->equal(i, j)}), "not i == j");
    EXPECT_EQ(text(Op::equal, w.boolean, {w.pool->logical_not(b), c}), "(not b) == c");
    EXPECT_EQ(text(Op::equal, w.boolean, {w.pool->equal(i, j), c}), "(i == j) == c");
    EXPECT_EQ(print(*w.pool, w.pool->logical_and(b, w.pool->logical_and(c, b))), "b and (c and b)");
    ExprId choice = w.make(Op::if_else, w.integer, {b, i, j});
    EXPECT_EQ(print(*w.pool, sub(choice, i)), "(if b then i else j) - i");
    EXPECT_EQ(text(Op::if_else, w.integer, {c, i, choice}), "if c then i else if b then i else j");
    EXPECT_EQ(text(Op::abs, w.integer, {choice}), "abs(if b then i else j)");
}

TEST_F(PrintExamples, EveryForm) {
    EXPECT_EQ(text(Op::at, w.integer, {w.var("xs"), sub(i, j)}), "xs[i - j]");
    EXPECT_EQ(text(Op::at, w.integer, {w.make(Op::concat, w.list, {w.var("xs"), w.var("ys")}), i}),
              "(xs + ys)[i]");
    EXPECT_EQ(text(Op::field, w.boolean, {w.var("p")}, 1), "p.on");
    EXPECT_EQ(text(Op::record, w.point, {i, b}), "Point(x = i, on = b)");
    EXPECT_EQ(text(Op::list, w.list, {i, w.pool->integer(2)}), "[i, 2]");
    EXPECT_EQ(text(Op::list, w.list, {}), "[]");
    EXPECT_EQ(text(Op::none, w.maybe, {}), "none");
    EXPECT_EQ(text(Op::some, w.maybe, {i}), "some(i)");
    EXPECT_EQ(text(Op::call, w.boolean, {i, j}, w.close.index), "close(i, j)");
    EXPECT_EQ(text(Op::member, w.boolean, {i, w.var("xs")}), "i in xs");
    EXPECT_EQ(text(Op::modulo, w.integer, {i, j}), "i mod j");
    EXPECT_EQ(text(Op::starts_with, w.boolean, {w.var("s"), w.pool->literal("a\"", w.string)}),
              "starts_with(s, \"a\\\"\")");
    EXPECT_EQ(text(Op::equal, w.boolean, {w.var("e"), w.pool->literal(EnumMember{2}, w.color)}), "e == Blue");
}

TEST_F(PrintExamples, Patterns) {
    auto pattern = [&](const char* re) { return print(*w.pool, w.pool->matches(w.var("s"), re)); };
    EXPECT_EQ(pattern("a+"), "s matches /a+/");
    EXPECT_EQ(pattern("(?i)helo"), "s matches /helo/i");
    EXPECT_EQ(pattern("a/b"), "s matches /a\\/b/");
    EXPECT_EQ(pattern("a\\/b"), "s matches /a\\/b/");
    EXPECT_EQ(pattern("[/]\\\\"), "s matches /[/]\\\\/");
    EXPECT_EQ(pattern("a\nb"), "s matches /a\\nb/");
    EXPECT_EQ(pattern(""), "s matches /(?:)/");
}

TEST_F(PrintExamples, DepthAndSharingAreBounded) {
    ExprId deep = i;
    for (int n = 0; n < 100'000; ++n) deep = sub(w.pool->integer(1), deep);
    EXPECT_EQ(print(*w.pool, deep).size(), 6u * 100'000 - 1);
    ExprId shared = i;
    for (int n = 0; n < 100; ++n) shared = sub(shared, shared);
    std::string text = print(*w.pool, shared);
    EXPECT_EQ(text.size(), max_printed + 3);
    EXPECT_TRUE(text.ends_with("..."));
}

}  // namespace
}  // namespace treaty::expr
