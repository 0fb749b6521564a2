#include "roles/value_class.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace treaty::roles {
namespace {

using expr::ExprId;
using expr::Op;
using expr::TypeKind;

// Members beyond these are one class.
constexpr std::array<std::string_view, 32> members{"#0",  "#1",  "#2",  "#3",  "#4",  "#5",  "#6",  "#7",
                                                   "#8",  "#9",  "#10", "#11", "#12", "#13", "#14", "#15",
                                                   "#16", "#17", "#18", "#19", "#20", "#21", "#22", "#23",
                                                   "#24", "#25", "#26", "#27", "#28", "#29", "#30", "more"};

// Where lengths and counters of programs change their size: each power, and one less.
constexpr std::array<std::int64_t, 13> edges{
    127,        128,        255,          256, 32767, 32768, 65535, 65536, INT32_MAX, std::int64_t{1} << 31,
    4294967295, 4294967296, INT64_MAX - 1};

bool at_edge(std::int64_t n) {
    return n == INT64_MAX || std::find(edges.begin(), edges.end(), n) != edges.end();
}

std::string_view size_class(std::size_t size) {
    if (size == 0) return "empty";
    if (size == 1) return "one";
    return size <= 100 ? "some" : "more than 100";
}

std::string_view number_class(std::int64_t n) {
    if (n == 0) return "0";
    if (n < 0) return n >= -1000 ? "negative" : "below -1000";
    if (n == 1) return "1";
    if (at_edge(n)) return "at a power of two";
    return n <= 1000 ? "up to 1000" : "above 1000";
}

class Conditions {
public:
    Conditions(expr::Pool& pool, ExprId x) : pool_(pool), x_(x) {}

    ExprId number(std::string_view name) const {
        if (name == "0") return compare(Op::equal, 0);
        if (name == "1") return compare(Op::equal, 1);
        if (name == "negative") return both(compare(Op::less, 0), compare(Op::greater_equal, -1000));
        if (name == "below -1000") return compare(Op::less, -1000);
        ExprId edge = compare(Op::equal, INT64_MAX);
        for (std::int64_t n : edges) edge = pool_.logical_or(edge, compare(Op::equal, n));
        if (name == "at a power of two") return edge;
        ExprId rest = pool_.logical_not(edge);
        if (name == "above 1000") return both(compare(Op::greater, 1000), rest);
        return both(both(compare(Op::greater, 1), compare(Op::less_equal, 1000)), rest);
    }

    ExprId size(std::string_view name) const {
        Conditions of_size(pool_, pool_.make(Op::size, pool_.types().integer(), std::array{x_}));
        if (name == "empty") return of_size.compare(Op::equal, 0);
        if (name == "one") return of_size.compare(Op::equal, 1);
        if (name == "more than 100") return of_size.compare(Op::greater, 100);
        return both(of_size.compare(Op::greater, 1), of_size.compare(Op::less_equal, 100));
    }

    ExprId real(std::string_view name) const {
        auto with_zero = [&](Op op) {
            return pool_.make(op, pool_.types().boolean(),
                              std::array{x_, pool_.literal(expr::Value(0.0), pool_.types().real())});
        };
        return with_zero(name == "0" ? Op::equal : name == "negative" ? Op::less : Op::greater);
    }

    ExprId member(std::string_view name, expr::TypeId type) const {
        auto is = [&](std::uint32_t i) {
            return pool_.equal(x_, pool_.literal(expr::Value(expr::EnumMember{i}), type));
        };
        auto at =
            static_cast<std::uint32_t>(std::find(members.begin(), members.end(), name) - members.begin());
        if (at + 1 < members.size()) return is(at);
        ExprId any = is(at);
        for (std::uint32_t i = at + 1; i < pool_.types()[type].members.size(); ++i)
            any = pool_.logical_or(any, is(i));
        return any;
    }

private:
    ExprId compare(Op op, std::int64_t n) const {
        return pool_.make(op, pool_.types().boolean(), std::array{x_, pool_.integer(n)});
    }
    ExprId both(ExprId a, ExprId b) const { return pool_.logical_and(a, b); }

    expr::Pool& pool_;
    ExprId x_;
};

// Whether a range leaves something of the class.
bool in_range(std::string_view name, const expr::Type& type) {
    std::int64_t low = type.low.value_or(INT64_MIN), high = type.high.value_or(INT64_MAX);
    auto meets = [&](std::int64_t from, std::int64_t to) { return from <= high && low <= to; };
    if (name == "0") return meets(0, 0);
    if (name == "1") return meets(1, 1);
    if (name == "negative") return meets(-1000, -1);
    if (name == "below -1000") return meets(INT64_MIN, -1001);
    if (name == "at a power of two")
        return high == INT64_MAX ||
               std::any_of(edges.begin(), edges.end(), [&](std::int64_t n) { return meets(n, n); });
    // Few numbers are at edges: a neighbour of one is near.
    bool small = name == "up to 1000";
    std::int64_t from = std::max(low, std::int64_t{small ? 2 : 1001}),
                 to = std::min(high, small ? std::int64_t{1000} : INT64_MAX);
    for (std::int64_t n = from, looked = 0; n <= to && looked < 4; ++n, ++looked) {
        if (!at_edge(n)) return true;
        if (n == INT64_MAX) break;
    }
    return false;
}

}  // namespace

std::string_view value_class(const expr::Value& value) {
    if (const auto* n = std::get_if<std::int64_t>(&value.v)) return number_class(*n);
    if (const auto* flag = std::get_if<bool>(&value.v)) return *flag ? "true" : "false";
    if (const auto* text = std::get_if<std::string>(&value.v)) return size_class(text->size());
    if (const auto* bytes = std::get_if<expr::Bytes>(&value.v)) return size_class(bytes->data.size());
    if (const auto* list = std::get_if<expr::Sequence>(&value.v)) return size_class(list->items.size());
    if (const auto* real = std::get_if<double>(&value.v))
        return *real == 0 ? "0" : *real < 0 ? "negative" : "positive";
    if (const auto* member = std::get_if<expr::EnumMember>(&value.v))
        return members[std::min<std::size_t>(member->index, members.size() - 1)];
    return "any";
}

std::vector<std::string_view> value_classes(const expr::Types& types, expr::TypeId id) {
    const expr::Type& type = types[id];
    switch (type.kind) {
        case TypeKind::boolean: return {"false", "true"};
        case TypeKind::real: return {"negative", "0", "positive"};
        case TypeKind::string:
        case TypeKind::bytes:
        case TypeKind::set:
        case TypeKind::map:
        case TypeKind::list: return {"empty", "one", "some", "more than 100"};
        case TypeKind::optional: return {"empty", "one"};
        case TypeKind::enumeration:
            return {members.begin(), members.begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(type.members.size(), members.size()))};
        case TypeKind::integer: break;
        default: return {};
    }
    std::vector<std::string_view> all{"below -1000", "negative",          "0",         "1",
                                      "up to 1000",  "at a power of two", "above 1000"};
    std::erase_if(all, [&](std::string_view name) { return !in_range(name, type); });
    return all;
}

expr::ExprId class_condition(expr::Pool& pool, expr::ExprId x, expr::TypeId type, std::string_view name) {
    Conditions conditions(pool, x);
    switch (pool.types().kind(type)) {
        case TypeKind::boolean: return name == "true" ? x : pool.logical_not(x);
        case TypeKind::integer: return conditions.number(name);
        case TypeKind::real: return conditions.real(name);
        case TypeKind::string:
        case TypeKind::bytes:
        case TypeKind::set:
        case TypeKind::map:
        case TypeKind::list: return conditions.size(name);
        case TypeKind::enumeration: return conditions.member(name, type);
        case TypeKind::optional: {
            ExprId has = pool.make(Op::has, pool.types().boolean(), std::array{x});
            return name == "empty" ? pool.logical_not(has) : has;
        }
        default: return pool.boolean(true);
    }
}

std::string class_text(std::string_view name, const expr::Types& types, expr::TypeId id,
                       const base::Names& names) {
    const expr::Type& type = types[id];
    std::size_t at = 0;
    if (type.kind != TypeKind::enumeration || !name.starts_with('#')) return std::string(name);
    std::from_chars(name.data() + 1, name.data() + name.size(), at);
    return at < type.members.size() ? std::string(names.text(type.members[at])) : std::string(name);
}

}  // namespace treaty::roles
