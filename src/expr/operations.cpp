#include "expr/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <re2/re2.h>

#include "expr/collections.h"
#include "expr/digest.h"
#include "expr/parts.h"

namespace treaty::expr {
namespace {

constexpr const char* beyond_int = "the result is beyond 64 bits";
constexpr const char* beyond_real = "the result is beyond the real numbers";
constexpr const char* by_zero = "division by zero";

using Int = std::int64_t;

std::optional<double> number_of(const Value& value) {
    if (auto* x = std::get_if<double>(&value.v)) return *x;
    if (auto* x = std::get_if<Int>(&value.v)) return static_cast<double>(*x);
    return std::nullopt;
}

char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

char ascii_upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

const char* divide_down(Int a, Int b, Int& quotient, Int& remainder) {
    if (b == 0) return by_zero;
    if (b == -1) {
        remainder = 0;
        return __builtin_sub_overflow(Int{0}, a, &quotient) ? beyond_int : nullptr;
    }
    quotient = a / b;
    remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
        --quotient;
        remainder += b;
    }
    return nullptr;
}

const char* integer_arithmetic(Op op, Int a, Int b, Int& result) {
    Int other = 0;
    switch (op) {
        case Op::add: return __builtin_add_overflow(a, b, &result) ? beyond_int : nullptr;
        case Op::subtract: return __builtin_sub_overflow(a, b, &result) ? beyond_int : nullptr;
        case Op::multiply: return __builtin_mul_overflow(a, b, &result) ? beyond_int : nullptr;
        case Op::divide: return divide_down(a, b, result, other);
        default:  // the remainder exists even where the quotient is beyond 64 bits
            const char* fault = divide_down(a, b, other, result);
            return fault == beyond_int ? nullptr : fault;
    }
}

const char* real_arithmetic(Op op, double a, double b, double& result) {
    if ((op == Op::divide || op == Op::modulo) && b == 0) return by_zero;
    switch (op) {
        case Op::add: result = a + b; break;
        case Op::subtract: result = a - b; break;
        case Op::multiply: result = a * b; break;
        case Op::divide: result = a / b; break;
        default:
            result = std::fmod(a, b);
            if (result != 0 && (result < 0) != (b < 0)) result += b;
            break;
    }
    result += 0.0;  // there is one zero
    return std::isfinite(result) ? nullptr : beyond_real;
}

class Application {
public:
    Application(const Pool& pool, ExprId id, std::span<Operand> operands, Work& work, Operand* result)
        : pool_(pool),
          id_(id),
          node_(pool[id]),
          children_(pool.children(id)),
          operands_(operands),
          work_(work),
          result_(result) {}

    std::string run() {
        if (is_over_bytes(node_.op)) return of_bytes();
        if (is_over_collections(node_.op)) return of_collections();
        if (node_.op == Op::with_item && types().kind(node_.type) == TypeKind::map) return with_key_of();
        if (is_over_parts(node_.op)) return of_parts();
        switch (node_.op) {
            case Op::negate:
            case Op::abs: return signed_number();
            case Op::logical_not: return negated_truth();
            case Op::size: return size();
            case Op::lower:
            case Op::upper: return letters();
            case Op::sum: return sum();
            case Op::sorted: return sorted();
            case Op::has: return has();
            case Op::value: return held_value();
            case Op::field: return field();
            case Op::matches: return matches();
            case Op::add:
            case Op::subtract:
            case Op::multiply:
            case Op::divide:
            case Op::modulo: return arithmetic();
            case Op::concat: return concat();
            case Op::equal:
            case Op::not_equal:
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal: return compare();
            case Op::member: return member();
            case Op::permutes: return permutes();
            case Op::at: return at();
            case Op::contains:
            case Op::starts_with:
            case Op::ends_with: return parts_of_text();
            case Op::min:
            case Op::max: return extreme();
            case Op::some:
            case Op::list:
            case Op::record:
            case Op::none: return collect();
            default: return "this has no value";
        }
    }

private:
    const Types& types() const { return pool_.types(); }
    const Value& operand(std::size_t i) const { return operands_[i].get(); }
    TypeId type_of(std::size_t i) const { return pool_[children_[i]].type; }
    bool real() const { return types().kind(node_.type) == TypeKind::real; }

    std::string give(Value value) {
        *result_ = Operand(std::move(value));
        return {};
    }
    std::string fail(const char* reason) const { return reason; }

    // Copies cost work, moves are free.
    bool take(std::size_t i, Value& value) {
        if (operands_[i].elsewhere() && !work_.charge(weight(operand(i)))) return false;
        value = operands_[i].take();
        return true;
    }

    // Makes operands 0 and 1 values of one type: where one of them has reals, so has the other.
    bool align() {
        if (types().base(type_of(0)) == types().base(type_of(1))) return true;
        for (std::size_t i : {0u, 1u}) {
            Value value;
            if (!take(i, value)) return false;
            operands_[i] = Operand(convert(std::move(value), type_of(1 - i), types()));
        }
        return true;
    }

    std::string signed_number() {
        if (auto* x = std::get_if<Int>(&operand(0).v)) {
            if (node_.op == Op::abs && *x >= 0) return give(*x);
            if (*x == std::numeric_limits<Int>::min()) return fail(beyond_int);
            return give(-*x);
        }
        auto* x = std::get_if<double>(&operand(0).v);
        if (!x) return fail(wrong_kind);
        return give(node_.op == Op::abs ? std::fabs(*x) : -*x + 0.0);
    }

    std::string negated_truth() {
        auto* x = std::get_if<bool>(&operand(0).v);
        return x ? give(!*x) : fail(wrong_kind);
    }

    std::string size() {
        if (auto* text = text_of(operand(0))) return give(static_cast<Int>(text->size()));
        auto* items = std::get_if<Sequence>(&operand(0).v);
        return items ? give(static_cast<Int>(items->items.size())) : fail(wrong_kind);
    }

    std::string letters() {
        Value value;
        if (!take(0, value)) return fail(no_work);
        auto* text = std::get_if<std::string>(&value.v);
        if (!text) return fail(wrong_kind);
        std::transform(text->begin(), text->end(), text->begin(),
                       node_.op == Op::lower ? ascii_lower : ascii_upper);
        return give(std::move(value));
    }

    std::string sum() {
        auto* list = std::get_if<Sequence>(&operand(0).v);
        if (!list) return fail(wrong_kind);
        if (!work_.charge(list->items.size())) return fail(no_work);
        bool reals = real() || (!list->items.empty() && std::holds_alternative<double>(list->items[0].v));
        Value total = reals ? Value(0.0) : Value(Int{0});
        for (const Value& item : list->items) {
            if (std::string fault = calculate(Op::add, total, item, reals, total); !fault.empty())
                return fault;
        }
        return give(std::move(total));
    }

    std::string sorted() {
        Value value;
        if (!take(0, value)) return fail(no_work);
        auto* list = std::get_if<Sequence>(&value.v);
        if (!list) return fail(wrong_kind);
        if (!work_.charge(weight(value))) return fail(no_work);
        std::sort(list->items.begin(), list->items.end());
        return give(std::move(value));
    }

    std::string of_bytes() {
        if (!work_.charge(1 + 8 * weight(operand(0)))) return fail(no_work);
        auto result = apply_over_bytes(node_.op, operand(0));
        if (!result) return fmt::format("{} has no value here", about(node_.op).name);
        return give(std::move(*result));
    }

    // Parts become parts of the result's type first; keys and items of sets need no conversion.
    std::string of_collections() {
        const Type& type = types()[node_.type];
        TypeKind whole = type.kind;
        if (node_.op == Op::set || node_.op == Op::map) {
            for (std::size_t i = 0; i < operands_.size(); ++i) {
                TypeId wanted = node_.op == Op::set ? type.element
                                : i % 2 == 0        ? types().key_of(node_.type)
                                                    : types().value_of(node_.type);
                if (!align_item(i, wanted)) return fail(no_work);
            }
        } else if (node_.op == Op::concat) {
            for (std::size_t i : {0u, 1u})
                if (!align_item(i, node_.type)) return fail(no_work);
        } else {
            whole = types().kind(type_of(0));
        }
        for (Operand& operand : operands_)
            if (operand.elsewhere() && !work_.charge(weight(operand.get()))) return fail(no_work);
        Value value;
        std::string fault = apply_over_collections(node_.op, whole, operands_, work_, &value);
        return fault.empty() ? give(std::move(value)) : fault;
    }

    std::string with_key_of() {
        if (!align_item(0, node_.type) || !align_item(2, types().value_of(node_.type))) return fail(no_work);
        Value map, key, value;
        if (!take(0, map) || !take(1, key) || !take(2, value)) return fail(no_work);
        auto* entries = std::get_if<Sequence>(&map.v);
        if (!entries) return fail(wrong_kind);
        return give(with_key(std::move(*entries), std::move(key), std::move(value)));
    }

    // What goes into a list or is looked for in one becomes an item of it first.
    std::string of_parts() {
        if (node_.op == Op::index_of && types().kind(type_of(0)) == TypeKind::list) {
            TypeId element = types()[type_of(0)].element;
            if (!align_item(1, element) || !align_list(0, type_of(1))) return fail(no_work);
        }
        if (node_.op == Op::with_item &&
            (!align_item(2, types()[node_.type].element) || !align_list(0, types()[node_.type].element)))
            return fail(no_work);
        Value value;
        std::string fault = apply_over_parts(node_.op, operands_, work_, &value);
        return fault.empty() ? give(std::move(value)) : fault;
    }

    bool align_item(std::size_t i, TypeId wanted) {
        if (types().base(type_of(i)) == types().base(wanted)) return true;
        Value value;
        if (!take(i, value)) return false;
        operands_[i] = Operand(convert(std::move(value), wanted, types()));
        return true;
    }

    bool align_list(std::size_t i, TypeId element) {
        if (types().base(types()[type_of(i)].element) == types().base(element)) return true;
        Value value;
        if (!take(i, value)) return false;
        for (Value& item : std::get<Sequence>(value.v).items)
            item = convert(std::move(item), element, types());
        operands_[i] = Operand(std::move(value));
        return true;
    }

    std::string has() {
        auto* optional = std::get_if<Sequence>(&operand(0).v);
        return optional ? give(!optional->items.empty()) : fail(wrong_kind);
    }

    // Part i of operand 0; it stays where it is unless the operand is about to vanish.
    std::string part(std::size_t i) {
        if (operands_[0].elsewhere()) {
            *result_ = Operand(&operand(0).items()[i]);
            return {};
        }
        Value whole = operands_[0].take();
        return give(std::move(std::get<Sequence>(whole.v).items[i]));
    }

    std::string held_value() {
        auto* optional = std::get_if<Sequence>(&operand(0).v);
        if (!optional) return fail(wrong_kind);
        if (optional->items.empty()) return fail("there is no value in none");
        return part(0);
    }

    std::string field() {
        auto* record = std::get_if<Sequence>(&operand(0).v);
        if (!record || node_.payload >= record->items.size()) return fail(wrong_kind);
        return part(node_.payload);
    }

    std::string at_key() {
        auto* map = std::get_if<Sequence>(&operand(0).v);
        if (!map) return fail(wrong_kind);
        const Value* found = find_key(*map, operand(1));
        if (!found)
            return fmt::format("the map has no key {}",
                               print(operand(1), type_of(1), types(), pool_.names()));
        if (operands_[0].elsewhere())
            *result_ = Operand(found);
        else
            *result_ = Operand(Value(*found));
        return {};
    }

    std::string at() {
        if (types().kind(type_of(0)) == TypeKind::map) return at_key();
        auto* list = std::get_if<Sequence>(&operand(0).v);
        auto* index = std::get_if<Int>(&operand(1).v);
        if (!list || !index) return fail(wrong_kind);
        if (*index < 0 || static_cast<std::size_t>(*index) >= list->items.size())
            return fmt::format("there is no item {} in a list of {}", *index, list->items.size());
        return part(static_cast<std::size_t>(*index));
    }

    std::string matches() {
        auto* text = text_of(operand(0));
        if (!text) return fail(wrong_kind);
        const re2::RE2* pattern = pool_.pattern_of(id_);
        if (!pattern) return fail("the pattern is not a regular expression");
        if (!work_.charge(text->size() / 8)) return fail(no_work);
        return give(re2::RE2::FullMatch(*text, *pattern));
    }

    static std::string calculate(Op op, const Value& a, const Value& b, bool reals, Value& result) {
        auto* x = std::get_if<Int>(&a.v);
        auto* y = std::get_if<Int>(&b.v);
        const char* fault = nullptr;
        if (x && y && !reals) {
            Int number = 0;
            fault = integer_arithmetic(op, *x, *y, number);
            result = number;
        } else {
            auto u = number_of(a);
            auto v = number_of(b);
            if (!u || !v) return wrong_kind;
            double number = 0;
            fault = real_arithmetic(op, *u, *v, number);
            result = number;
        }
        return fault ? fault : std::string();
    }

    std::string arithmetic() {
        Value value;
        std::string fault = calculate(node_.op, operand(0), operand(1), real(), value);
        return fault.empty() ? give(std::move(value)) : fault;
    }

    std::string concat() {
        Value left;
        Value right;
        if (auto* a = text_of(operand(0)), *b = text_of(operand(1)); a && b) {
            if (operand(0).v.index() != operand(1).v.index()) return fail(wrong_kind);
            if (!work_.charge((a->size() + b->size()) / 32 + 1)) return fail(no_work);
            if (std::holds_alternative<Bytes>(operand(0).v)) return give(Bytes{*a + *b});
            return give(*a + *b);
        }
        if (!std::holds_alternative<Sequence>(operand(0).v) ||
            !std::holds_alternative<Sequence>(operand(1).v))
            return fail(wrong_kind);
        if (types().kind(node_.type) != TypeKind::list) return of_collections();
        if (!take(0, left) || !take(1, right)) return fail(no_work);
        left = fit(std::move(left), type_of(0), node_.type);
        right = fit(std::move(right), type_of(1), node_.type);
        auto& items = std::get<Sequence>(left.v).items;
        auto& more = std::get<Sequence>(right.v).items;
        items.insert(items.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        return give(std::move(left));
    }

    Value fit(Value value, TypeId from, TypeId to) const {
        return types().base(from) == types().base(to) ? std::move(value)
                                                      : convert(std::move(value), to, types());
    }

    std::string compare() {
        if (!align() || !work_.charge(std::min(weight(operand(0)), weight(operand(1))))) return fail(no_work);
        const Value& a = operand(0);
        const Value& b = operand(1);
        switch (node_.op) {
            case Op::equal: return give(a == b);
            case Op::not_equal: return give(!(a == b));
            case Op::less: return give(a < b);
            case Op::less_equal: return give(!(b < a));
            case Op::greater: return give(b < a);
            default: return give(!(a < b));
        }
    }

    std::string member() {
        auto* list = std::get_if<Sequence>(&operand(1).v);
        if (!list) return fail(wrong_kind);
        const Type& type = types()[type_of(1)];
        if (type.kind == TypeKind::set) return give(has_item(*list, operand(0)));
        if (!work_.charge(weight(operand(1)))) return fail(no_work);
        bool same = type.kind != TypeKind::list || types().base(type.element) == types().base(type_of(0));
        if (same)
            return give(std::find(list->items.begin(), list->items.end(), operand(0)) != list->items.end());
        Value wanted = convert(operand(0), type.element, types());
        return give(std::any_of(list->items.begin(), list->items.end(), [&](const Value& item) {
            return convert(item, type_of(0), types()) == wanted;
        }));
    }

    std::string permutes() {
        if (!align()) return fail(no_work);
        Value left;
        Value right;
        if (!take(0, left) || !take(1, right)) return fail(no_work);
        if (!work_.charge(weight(left) + weight(right))) return fail(no_work);
        auto* a = std::get_if<Sequence>(&left.v);
        auto* b = std::get_if<Sequence>(&right.v);
        if (!a || !b) return fail(wrong_kind);
        std::sort(a->items.begin(), a->items.end());
        std::sort(b->items.begin(), b->items.end());
        return give(a->items == b->items);
    }

    std::string parts_of_text() {
        auto* whole = text_of(operand(0));
        auto* part = text_of(operand(1));
        if (!whole || !part || operand(0).v.index() != operand(1).v.index()) return fail(wrong_kind);
        if (!work_.charge(whole->size() / 8)) return fail(no_work);
        if (node_.op == Op::starts_with) return give(whole->starts_with(*part));
        if (node_.op == Op::ends_with) return give(whole->ends_with(*part));
        return give(find_text(*whole, *part).has_value());
    }

    std::string extreme() {
        if (!align()) return fail(no_work);
        bool second = node_.op == Op::min ? operand(1) < operand(0) : operand(0) < operand(1);
        Value value;
        if (!take(second ? 1 : 0, value)) return fail(no_work);
        return give(real() ? convert(std::move(value), node_.type, types()) : std::move(value));
    }

    TypeId part_type(std::size_t i) const {
        const Type& type = types()[node_.type];
        if (type.kind != TypeKind::record) return type.element;
        return i < type.fields.size() ? type.fields[i].type : TypeId();
    }

    std::string collect() {
        Sequence sequence;
        sequence.items.reserve(operands_.size());
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            Value value;
            if (!take(i, value)) return fail(no_work);
            TypeId wanted = part_type(i);
            sequence.items.push_back(wanted ? fit(std::move(value), type_of(i), wanted) : std::move(value));
        }
        return give(std::move(sequence));
    }

    const Pool& pool_;
    ExprId id_;
    const Node& node_;
    std::span<const ExprId> children_;
    std::span<Operand> operands_;
    Work& work_;
    Operand* result_;
};

}  // namespace

const std::string* text_of(const Value& value) {
    if (auto* x = std::get_if<std::string>(&value.v)) return x;
    if (auto* x = std::get_if<Bytes>(&value.v)) return &x->data;
    return nullptr;
}

std::size_t weight(const Value& value) {
    if (auto* text = text_of(value)) return 1 + text->size() / 32;
    auto* sequence = std::get_if<Sequence>(&value.v);
    if (!sequence) return 1;
    // Noted, so that what is copied for nothing is not walked through to learn what it would cost.
    if (std::uint32_t noted = sequence->items.noted()) return noted;
    std::size_t total = 1;
    for (const Value& item : sequence->items) total += weight(item);
    if (total < UINT32_MAX) sequence->items.note(static_cast<std::uint32_t>(total));
    return total;
}

std::string apply(const Pool& pool, ExprId node, std::span<Operand> operands, Work& work, Operand* result) {
    return Application(pool, node, operands, work, result).run();
}

}  // namespace treaty::expr
