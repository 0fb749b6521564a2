// Random well-typed expressions and values over a small fixed world, for property tests.
//
// The same seed gives the same expressions. Values are small, so that equal ones meet, indices hit and
// divisors are often zero; a few extreme integers provoke overflow.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "expr/collections.h"
#include "expr/evaluate.h"
#include "expr/pool.h"

namespace treaty::expr {

// The seed of a property test: the same every time, unless TREATY_SEED says another. Print it on failure.
inline std::uint64_t property_seed() {
    const char* text = std::getenv("TREATY_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 20240611;
}

// Types, two variables of each, and three functions.
struct SmallWorld {
    std::shared_ptr<base::Names> names = std::make_shared<base::Names>();
    std::shared_ptr<Types> types = std::make_shared<Types>();
    std::shared_ptr<Pool> pool = std::make_shared<Pool>(types, names);
    TypeId boolean = types->boolean();
    TypeId integer = types->integer();
    TypeId ranged = types->integer(-2, 3);
    TypeId real = types->real();
    TypeId string = types->string();
    TypeId bytes = types->bytes();
    TypeId color = types->enumeration(name("Color"), {name("Red"), name("Green"), name("Blue")});
    TypeId point;
    TypeId list = types->list(integer);
    TypeId maybe = types->optional(integer);
    TypeId set = types->set(integer);
    TypeId map = types->map(integer, integer);
    std::vector<VarId> variables;
    FunctionId twice;  // twice(n) = n + n
    FunctionId close;  // close(n, m) = abs(n - m) < 2
    FunctionId half;   // half(r) = r / 2.0, on reals

    // Where values are enumerated, the variables' types have few of them.
    explicit SmallWorld(bool enumerable = false) {
        TypeId number = enumerable ? ranged : integer;
        TypeId digit = enumerable ? types->integer(0, 1) : integer;
        point = types->record(name("Point"), {{name("x"), digit}, {name("on"), boolean}});
        declare_all({"b", "c"}, boolean);
        declare_all({"i", "j"}, number);
        declare_all({"k", "l"}, ranged);
        declare_all({"r", "q"}, real);
        declare_all({"s", "t"}, string);
        declare_all({"u", "v"}, bytes);
        declare_all({"e", "f"}, color);
        declare_all({"p", "o"}, point);
        declare_all({"xs", "ys"}, types->list(digit));
        declare_all({"m", "n"}, types->optional(digit));
        declare_all({"zs", "ws"}, types->set(digit));
        declare_all({"g", "h"}, types->map(digit, digit));
        declare_functions();
    }

    NameId name(std::string_view text) { return names->intern(text); }
    ExprId make(Op op, TypeId type, std::vector<ExprId> children, std::uint32_t payload = 0) {
        return pool->make(op, type, children, payload);
    }
    ExprId var(std::string_view text) {
        for (VarId id : variables)
            if (names->text(pool->variable(id).name) == text) return pool->var(id);
        return {};
    }

private:
    void declare_all(std::vector<std::string> texts, TypeId type) {
        for (const std::string& text : texts) variables.push_back(pool->declare(name(text), type));
    }
    void declare_functions() {
        VarId a = pool->declare(name("a"), integer);
        VarId d = pool->declare(name("d"), integer);
        VarId w = pool->declare(name("w"), real);
        twice = pool->declare_function(name("twice"), {a}, integer);
        pool->define(twice, make(Op::add, integer, {pool->var(a), pool->var(a)}));
        close = pool->declare_function(name("close"), {a, d}, boolean);
        ExprId distance = make(Op::abs, integer, {make(Op::subtract, integer, {pool->var(a), pool->var(d)})});
        pool->define(close, make(Op::less, boolean, {distance, pool->integer(2)}));
        half = pool->declare_function(name("half"), {w}, real);
        pool->define(half, make(Op::divide, real, {pool->var(w), pool->literal(2.0, real)}));
    }
};

class RandomExpressions {
public:
    RandomExpressions(SmallWorld& world, std::uint64_t seed) : w_(world), random_(seed) {}

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
    bool chance(unsigned percent) { return below(100) < percent; }

    bool extremes = true;       // integers near the ends of 64 bits
    bool translatable = false;  // only what the solver promises to understand
    bool untyped = true;        // [] and none, whose type the text does not say
    bool reals = true;
    bool collections = true;  // sets, maps and what is done for each item of a collection

    Value value(TypeId type) {
        switch (w_.types->kind(type)) {
            case TypeKind::boolean: return chance(50);
            case TypeKind::integer: return integer_value(type);
            case TypeKind::real: return static_cast<double>(below(9)) / 2 - 2;
            case TypeKind::string: return text();
            case TypeKind::bytes: return Bytes{text()};
            case TypeKind::enumeration: return EnumMember{static_cast<std::uint32_t>(below(3))};
            case TypeKind::list: return items(w_.integer, untyped ? below(4) : below(3) + 1);
            case TypeKind::optional: return items(w_.integer, untyped ? below(2) : 1);
            case TypeKind::set: return set_of(items(w_.integer, untyped ? below(4) : below(3) + 1).items);
            case TypeKind::map:
                return map_of(items(w_.integer, 2 * (untyped ? below(3) : below(2) + 1)).items);
            default: return Sequence{{integer_value(w_.integer), chance(50)}};
        }
    }

    Environment environment(unsigned percent_set = 100) {
        Environment result;
        for (VarId id : w_.variables)
            if (chance(percent_set)) result.set(id, value(w_.pool->variable(id).type));
        return result;
    }

    ExprId expression(TypeId type, int depth) {
        if (depth <= 0 || chance(10)) return leaf(type);
        if (chance(8)) return general(type, depth - 1);
        switch (w_.types->kind(type)) {
            case TypeKind::boolean: return boolean(depth - 1);
            case TypeKind::integer: return integer(depth - 1);
            case TypeKind::real: return real(depth - 1);
            case TypeKind::string:
            case TypeKind::bytes: return text(type, depth - 1);
            case TypeKind::list: return list(depth - 1);
            case TypeKind::set: return set(depth - 1);
            case TypeKind::map: return map(depth - 1);
            case TypeKind::optional:
                if (!translatable && chance(30)) {
                    TypeId of = chance(50) ? w_.list : w_.string;
                    return make(
                        Op::index_of, type,
                        {expression(of, depth - 1), expression(of == w_.list ? w_.integer : of, depth - 1)});
                }
                return make(Op::some, type, {expression(w_.integer, depth - 1)});
            case TypeKind::record:
                return make(Op::record, type,
                            {expression(w_.integer, depth - 1), expression(w_.boolean, depth - 1)});
            default: return leaf(type);
        }
    }

private:
    ExprId make(Op op, TypeId type, std::vector<ExprId> children, std::uint32_t payload = 0) {
        return w_.make(op, type, std::move(children), payload);
    }

    Value integer_value(TypeId type) {
        constexpr std::int64_t ends[] = {std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::int64_t>::max(), 1ll << 40, -(1ll << 40)};
        if (extremes && type == w_.integer && chance(3)) return ends[below(4)];
        return static_cast<std::int64_t>(below(6)) - 2;
    }

    std::string text() {
        std::string result;
        for (std::size_t n = below(4); n > 0; --n) result += "abA"[below(3)];
        return result;
    }

    Sequence items(TypeId type, std::size_t n) {
        Sequence result;
        while (n-- > 0) result.items.push_back(integer_value(type));
        return result;
    }

    ExprId leaf(TypeId type) {
        std::vector<VarId> fitting;
        for (VarId id : w_.variables)
            if (w_.types->base(w_.pool->variable(id).type) == type) fitting.push_back(id);
        if (type == w_.integer)  // what is done for each item looks at the item
            for (VarId item : items_)
                for (int times = 0; times < 4; ++times) fitting.push_back(item);
        if (chance(60)) return w_.pool->var(fitting[below(fitting.size())]);
        return w_.pool->literal(value(type), type);
    }

    ExprId general(TypeId type, int depth) {
        if (type == w_.point && chance(50)) {  // p with x = i
            ExprId whole = expression(w_.point, depth);
            return make(Op::record, type,
                        {expression(w_.integer, depth), make(Op::field, w_.boolean, {whole}, 1)});
        }
        if (type == w_.integer && chance(20)) {  // o else i
            ExprId held = expression(w_.maybe, depth);
            return make(
                Op::if_else, type,
                {make(Op::has, w_.boolean, {held}), make(Op::value, type, {held}), expression(type, depth)});
        }
        if (type == w_.integer && chance(50)) {
            if (chance(50)) return make(Op::value, type, {expression(w_.maybe, depth)});
            return make(Op::field, type, {expression(w_.point, depth)}, 0);
        }
        return make(Op::if_else, type,
                    {expression(w_.boolean, depth), expression(type, depth), expression(type, depth)});
    }

    TypeId any_type() {
        std::array types{w_.boolean, w_.integer, w_.integer, w_.real,  w_.string, w_.bytes,
                         w_.color,   w_.point,   w_.list,    w_.maybe, w_.set,    w_.map};
        TypeId type = types[below(collections ? types.size() : types.size() - 2)];
        return type == w_.real && !reals ? w_.integer : type;
    }

    ExprId comparison(int depth) {
        constexpr Op ops[] = {Op::equal,      Op::not_equal, Op::less,
                              Op::less_equal, Op::greater,   Op::greater_equal};
        Op op = ops[below(6)];
        TypeId type = any_type();
        bool ordered = type == w_.integer || type == w_.real || type == w_.string || type == w_.color;
        if (!ordered) op = ops[below(2)];
        TypeId other = type == w_.real && chance(20) ? w_.integer : type;
        return make(op, w_.boolean, {expression(type, depth), expression(other, depth)});
    }

    ExprId boolean(int d) {
        if (collections && chance(15)) return about_collections(d);
        switch (below(translatable ? 10 : 12)) {
            case 0: return make(Op::logical_not, w_.boolean, {expression(w_.boolean, d)});
            case 1:
                return make(Op::logical_and, w_.boolean,
                            {expression(w_.boolean, d), expression(w_.boolean, d)});
            case 2:
                return make(Op::logical_or, w_.boolean,
                            {expression(w_.boolean, d), expression(w_.boolean, d)});
            case 3:
                return make(Op::implies, w_.boolean, {expression(w_.boolean, d), expression(w_.boolean, d)});
            case 4: return make(Op::member, w_.boolean, {expression(w_.integer, d), expression(w_.list, d)});
            case 5: return make(Op::has, w_.boolean, {expression(w_.maybe, d)});
            case 6: {
                constexpr Op ops[] = {Op::contains, Op::starts_with, Op::ends_with};
                TypeId type = chance(70) ? w_.string : w_.bytes;
                return make(ops[below(3)], w_.boolean, {expression(type, d), expression(type, d)});
            }
            case 7:
                return make(Op::call, w_.boolean, {expression(w_.integer, d), expression(w_.integer, d)},
                            w_.close.index);
            case 10: return make(Op::permutes, w_.boolean, {expression(w_.list, d), expression(w_.list, d)});
            case 11: {
                constexpr const char* patterns[] = {"a*", "(?i)ab?", "[^/]+", "a/b|b"};
                return w_.pool->matches(expression(w_.string, d), patterns[below(4)]);
            }
            default: return comparison(d);
        }
    }

    ExprId integer(int d) {
        if (collections && chance(15)) return number_of_collections(d);
        switch (below(translatable ? 10 : 13)) {
            case 0: return make(Op::negate, w_.integer, {expression(w_.integer, d)});
            case 1: return make(Op::abs, w_.integer, {expression(w_.integer, d)});
            case 2: {
                std::array types{w_.string, w_.bytes, w_.list};
                return make(Op::size, w_.integer, {expression(types[below(3)], d)});
            }
            case 3: return make(Op::at, w_.integer, {expression(w_.list, d), expression(w_.integer, d)});
            case 4: return make(Op::call, w_.integer, {expression(w_.integer, d)}, w_.twice.index);
            case 5: {
                Op op = chance(50) ? Op::min : Op::max;
                return make(op, w_.integer, {expression(w_.integer, d), expression(w_.integer, d)});
            }
            case 10: return make(Op::sum, w_.integer, {expression(w_.list, d)});
            case 11: return make(chance(50) ? Op::least : Op::greatest, w_.integer, {expression(w_.list, d)});
            case 12: return make(chance(50) ? Op::to_int : Op::from_hex, w_.integer, {number_text(d)});
            default: return arithmetic(w_.integer, d);
        }
    }

    ExprId arithmetic(TypeId type, int d) {
        constexpr Op ops[] = {Op::add, Op::subtract, Op::multiply, Op::divide, Op::modulo};
        Op op = ops[below(type == w_.real ? 4 : 5)];
        return make(op, type, {expression(type, d), expression(type, d)});
    }

    ExprId real(int d) {
        switch (below(6)) {
            case 0: return make(Op::negate, w_.real, {expression(w_.real, d)});
            case 1: return make(Op::add, w_.real, {expression(w_.real, d), expression(w_.integer, d)});
            case 2:
                return make(Op::call, w_.real, {expression(chance(50) ? w_.real : w_.integer, d)},
                            w_.half.index);
            case 3:
                return make(chance(50) ? Op::min : Op::max, w_.real,
                            {expression(w_.integer, d), expression(w_.real, d)});
            default: return arithmetic(w_.real, d);
        }
    }

    ExprId number_text(int d) {
        if (chance(50)) return expression(w_.string, d);
        if (chance(30)) return make(Op::to_hex, w_.string, {expression(w_.integer, d)});
        return make(Op::digits, w_.string, {expression(w_.integer, d)});
    }

    // Operators that work alike on lists, strings and bytes.
    ExprId part(TypeId type, int d) {
        switch (below(translatable ? 3 : 5)) {
            case 0:
                return make(Op::slice, type,
                            {expression(type, d), expression(w_.integer, d), expression(w_.integer, d)});
            case 1:
            case 2:
                return make(chance(50) ? Op::take : Op::drop, type,
                            {expression(type, d), expression(w_.integer, d)});
            case 3: return make(Op::reverse, type, {expression(type, d)});
            default:
                return make(Op::repeated, type,
                            {expression(type, d), w_.pool->integer(static_cast<std::int64_t>(below(4)) - 1)});
        }
    }

    ExprId text(TypeId type, int d) {
        if (chance(25)) return part(type, d);
        if (!translatable && chance(15))
            return make(Op::replace, type, {expression(type, d), expression(type, d), expression(type, d)});
        if (!translatable && chance(15))
            return make(Op::join, type,
                        {make(Op::split, w_.types->list(type), {expression(type, d), expression(type, d)}),
                         expression(type, d)});
        if (!translatable && type == w_.string && chance(30))
            return make(chance(50) ? Op::lower : Op::upper, type, {expression(type, d)});
        return make(Op::concat, type, {expression(type, d), expression(type, d)});
    }

    TypeId any_collection() {
        std::array types{w_.list, w_.set, w_.map};
        return types[below(3)];
    }

    // An operator that is applied to each item of a collection. The function's parameters are the item, what
    // a fold has so far, and every variable that its body needs.
    ExprId for_each(Op op, TypeId type, TypeId result, int d) {
        TypeId collection_type = any_collection();
        ExprId collection = expression(collection_type, d);
        VarId item = w_.pool->item_variable(w_.name(items_.size() % 2 == 0 ? "x" : "y"), w_.integer);
        std::vector<VarId> parameters{item};
        std::vector<ExprId> arguments{collection};
        if (op == Op::fold) {
            parameters.push_back(w_.pool->item_variable(w_.name("so_far"), result));
            arguments.push_back(expression(result, d));
        }
        std::vector<VarId> outside = items_;
        items_ = parameters;
        ExprId body = expression(result, d);
        items_ = std::move(outside);
        for (VarId v : w_.pool->variables_of(body)) {
            if (std::find(parameters.begin(), parameters.end(), v) != parameters.end()) continue;
            parameters.push_back(v);
            arguments.push_back(w_.pool->var(v));
        }
        return make(op, type, arguments, w_.pool->lift(parameters, result, body).index);
    }

    ExprId about_collections(int d) {
        switch (below(3)) {
            case 0: return make(Op::member, w_.boolean, {expression(w_.integer, d), expression(w_.set, d)});
            case 1: return for_each(Op::for_all, w_.boolean, w_.boolean, d);
            default: return for_each(Op::exists, w_.boolean, w_.boolean, d);
        }
    }

    ExprId number_of_collections(int d) {
        switch (below(3)) {
            case 0: return make(Op::at, w_.integer, {expression(w_.map, d), expression(w_.integer, d)});
            case 1: return make(Op::size, w_.integer, {expression(chance(50) ? w_.set : w_.map, d)});
            default: return for_each(Op::fold, w_.integer, w_.integer, d);
        }
    }

    ExprId set(int d) {
        switch (below(5)) {
            case 0: return make(Op::without, w_.set, {expression(w_.set, d), expression(w_.integer, d)});
            case 1:
                return make(chance(50) ? Op::concat : Op::difference, w_.set,
                            {expression(w_.set, d), expression(w_.set, d)});
            case 2: return make(Op::keys, w_.set, {expression(w_.map, d)});
            case 3:
                if (!translatable) return make(Op::to_set, w_.set, {expression(w_.list, d)});
                [[fallthrough]];
            default: return make(Op::set, w_.set, some_integers(below(3) + (untyped ? 0 : 1), d));
        }
    }

    ExprId map(int d) {
        switch (below(5)) {
            case 0: return make(Op::without, w_.map, {expression(w_.map, d), expression(w_.integer, d)});
            case 1: return make(Op::difference, w_.map, {expression(w_.map, d), expression(w_.set, d)});
            case 2: return make(Op::concat, w_.map, {expression(w_.map, d), expression(w_.map, d)});
            case 3:
                return make(Op::with_item, w_.map,
                            {expression(w_.map, d), expression(w_.integer, d), expression(w_.integer, d)});
            default: return make(Op::map, w_.map, some_integers(2 * (below(2) + (untyped ? 0 : 1)), d));
        }
    }

    std::vector<ExprId> some_integers(std::size_t n, int d) {
        std::vector<ExprId> all;
        while (n-- > 0) all.push_back(expression(w_.integer, d));
        return all;
    }

    ExprId list(int d) {
        if (collections && chance(10)) {
            if (chance(30)) return make(Op::values, w_.list, {expression(w_.map, d)});
            return chance(50) ? for_each(Op::each, w_.list, w_.integer, d)
                              : for_each(Op::select, w_.list, w_.boolean, d);
        }
        if (chance(20)) return part(w_.list, d);
        if (chance(10))
            return make(Op::with_item, w_.list,
                        {expression(w_.list, d), expression(w_.integer, d), expression(w_.integer, d)});
        if (!translatable && chance(20)) return make(Op::sorted, w_.list, {expression(w_.list, d)});
        if (chance(50)) return make(Op::concat, w_.list, {expression(w_.list, d), expression(w_.list, d)});
        std::vector<ExprId> children;
        for (std::size_t n = below(3) + (untyped ? 0 : 1); n > 0; --n)
            children.push_back(expression(w_.integer, d));
        return make(Op::list, w_.list, children);
    }

    SmallWorld& w_;
    std::mt19937_64 random_;
    std::vector<VarId> items_;  // of the innermost collection that is gone through
};

}  // namespace treaty::expr
