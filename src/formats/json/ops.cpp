#include "formats/json/ops.h"

#include <algorithm>

#include "expr/operators.h"

namespace treaty::formats {

using expr::Op;
using expr::TypeId;
using expr::TypeKind;

namespace {

// The rules, with an unknown type as a wildcard.
class Rules {
public:
    Rules(expr::Types& types, TypeId type, std::span<const TypeId> operands)
        : types_(types), type_(type), a_(operands) {}

    bool check(Op op) {
        if (expr::is_over_bytes(op)) {
            const expr::Operator& form = expr::about(op);
            bool fits = form.takes == TypeKind::unknown ? text(a_[0]) : is(a_[0], form.takes);
            return fits && is(type_, form.gives);
        }
        switch (op) {
            case Op::negate:
            case Op::abs: return number(a_[0]) && same(type_, a_[0]);
            case Op::logical_not: return truth(a_[0]) && truth(type_);
            case Op::size: return (text(a_[0]) || collection(a_[0])) && is(type_, TypeKind::integer);
            case Op::lower:
            case Op::upper: return is(a_[0], TypeKind::string) && is(type_, TypeKind::string);
            case Op::sum: return items(a_[0]) && number(element(a_[0])) && number(type_);
            case Op::sorted:
                return items(a_[0]) && is(type_, TypeKind::list) && same(element(type_), element(a_[0]));
            case Op::some: return is(type_, TypeKind::optional) && types_.fits(a_[0], element(type_));
            case Op::has: return is(a_[0], TypeKind::optional) && truth(type_);
            case Op::value: return is(a_[0], TypeKind::optional) && same(type_, element(a_[0]));
            case Op::matches: return text(a_[0]) && truth(type_);
            case Op::add:
            case Op::subtract:
            case Op::multiply:
            case Op::divide:
            case Op::modulo:
            case Op::min:
            case Op::max: return arithmetic();
            case Op::concat: return concat();
            case Op::equal:
            case Op::not_equal: return alike(a_[0], a_[1]) && truth(type_);
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal: return ordered(a_[0]) && alike(a_[0], a_[1]) && truth(type_);
            case Op::logical_and:
            case Op::logical_or:
            case Op::implies: return truth(a_[0]) && truth(a_[1]) && truth(type_);
            case Op::member: return items(a_[1]) && alike(a_[0], element(a_[1])) && truth(type_);
            case Op::permutes:
                return is(a_[0], TypeKind::list) && is(a_[1], TypeKind::list) && alike(a_[0], a_[1]) &&
                       truth(type_);
            case Op::at:
                if (types_.kind(a_[0]) == TypeKind::map)
                    return alike(a_[1], types_.key_of(a_[0])) && same(type_, types_.value_of(a_[0]));
                return is(a_[0], TypeKind::list) && is(a_[1], TypeKind::integer) &&
                       same(type_, element(a_[0]));
            case Op::contains:
            case Op::starts_with:
            case Op::ends_with: return text(a_[0]) && text(a_[1]) && alike(a_[0], a_[1]) && truth(type_);
            case Op::slice:
                return sequence(a_[0]) && is(a_[1], TypeKind::integer) && is(a_[2], TypeKind::integer) &&
                       same(type_, a_[0]);
            case Op::with_item:
                if (types_.kind(type_) == TypeKind::map)
                    return types_.fits(a_[0], type_) && alike(a_[1], types_.key_of(type_)) &&
                           types_.fits(a_[2], types_.value_of(type_));
                return is(a_[0], TypeKind::list) && is(a_[1], TypeKind::integer) &&
                       types_.fits(a_[0], type_) && types_.fits(a_[2], element(type_));
            case Op::take:
            case Op::drop:
            case Op::repeated: return sequence(a_[0]) && is(a_[1], TypeKind::integer) && same(type_, a_[0]);
            case Op::reverse: return sequence(a_[0]) && same(type_, a_[0]);
            case Op::index_of:
                return is(type_, TypeKind::optional) && is(element(type_), TypeKind::integer) &&
                       (is(a_[0], TypeKind::list) ? alike(element(a_[0]), a_[1])
                                                  : text(a_[0]) && alike(a_[0], a_[1]));
            case Op::least:
            case Op::greatest: return items(a_[0]) && ordered(type_) && same(type_, element(a_[0]));
            case Op::split:
                return text(a_[0]) && alike(a_[0], a_[1]) && is(type_, TypeKind::list) &&
                       same(element(type_), a_[0]);
            case Op::join:
                return is(a_[0], TypeKind::list) && text(a_[1]) && alike(element(a_[0]), a_[1]) &&
                       same(type_, a_[1]);
            case Op::replace:
                return text(a_[0]) && alike(a_[0], a_[1]) && alike(a_[0], a_[2]) && same(type_, a_[0]);
            case Op::to_int:
            case Op::from_hex: return is(a_[0], TypeKind::string) && is(type_, TypeKind::integer);
            case Op::to_hex: return is(a_[0], TypeKind::integer) && is(type_, TypeKind::string);
            case Op::if_else: return truth(a_[0]) && types_.fits(a_[1], type_) && types_.fits(a_[2], type_);
            case Op::list: return is(type_, TypeKind::list) && all_fit(element(type_));
            case Op::set: return types_.kind(type_) == TypeKind::set && all_fit(element(type_));
            case Op::map: return map();
            case Op::without:
                return keyed(a_[0]) && alike(a_[1], types_.item_of(a_[0])) && same(type_, a_[0]);
            case Op::difference:
                return keyed(a_[0]) && types_.kind(a_[1]) == TypeKind::set &&
                       alike(element(a_[1]), types_.item_of(a_[0])) && same(type_, a_[0]);
            case Op::keys:
                return types_.kind(a_[0]) == TypeKind::map && types_.kind(type_) == TypeKind::set &&
                       same(element(type_), types_.key_of(a_[0]));
            case Op::values:
                return types_.kind(a_[0]) == TypeKind::map && types_.kind(type_) == TypeKind::list &&
                       same(element(type_), types_.value_of(a_[0]));
            case Op::to_set:
                return is(a_[0], TypeKind::list) && types_.kind(type_) == TypeKind::set &&
                       same(element(type_), element(a_[0]));
            case Op::record: return record();
            case Op::none: return is(type_, TypeKind::optional);
            default: return false;
        }
    }

private:
    bool is(TypeId t, TypeKind kind) const {
        return types_.kind(t) == kind || types_.kind(t) == TypeKind::unknown;
    }
    bool truth(TypeId t) const { return is(t, TypeKind::boolean); }
    bool number(TypeId t) const { return is(t, TypeKind::integer) || is(t, TypeKind::real); }
    bool text(TypeId t) const { return is(t, TypeKind::string) || is(t, TypeKind::bytes); }
    bool sequence(TypeId t) const { return text(t) || is(t, TypeKind::list); }
    bool items(TypeId t) const { return is(t, TypeKind::list) || is(t, TypeKind::set); }
    bool collection(TypeId t) const { return items(t) || is(t, TypeKind::map); }
    bool keyed(TypeId t) const { return types_.kind(t) == TypeKind::set || types_.kind(t) == TypeKind::map; }
    bool map() const {
        if (types_.kind(type_) != TypeKind::map || a_.size() % 2 != 0) return false;
        for (std::size_t i = 0; i < a_.size(); ++i)
            if (!types_.fits(a_[i], i % 2 == 0 ? types_.key_of(type_) : types_.value_of(type_))) return false;
        return true;
    }
    bool ordered(TypeId t) const { return number(t) || text(t) || is(t, TypeKind::enumeration); }
    bool same(TypeId a, TypeId b) const { return types_.fits(a, b) && types_.fits(b, a); }
    bool alike(TypeId a, TypeId b) { return types_.join(types_.base(a), types_.base(b)).valid(); }
    TypeId element(TypeId t) const { return types_[t].element ? types_[t].element : types_.unknown(); }

    bool arithmetic() const {
        bool real = types_.kind(a_[0]) == TypeKind::real || types_.kind(a_[1]) == TypeKind::real;
        return number(a_[0]) && number(a_[1]) && number(type_) && (!real || is(type_, TypeKind::real));
    }

    bool concat() const {
        return (sequence(a_[0]) || collection(a_[0])) && types_.fits(a_[0], type_) &&
               types_.fits(a_[1], type_) && (text(type_) || collection(type_));
    }

    bool all_fit(TypeId wanted) const {
        return std::all_of(a_.begin(), a_.end(), [&](TypeId t) { return types_.fits(t, wanted); });
    }

    bool record() const {
        const auto& fields = types_[type_].fields;
        if (types_.kind(type_) != TypeKind::record || fields.size() != a_.size()) return false;
        for (std::size_t i = 0; i < a_.size(); ++i)
            if (!types_.fits(a_[i], fields[i].type)) return false;
        return true;
    }

    expr::Types& types_;
    TypeId type_;
    std::span<const TypeId> a_;
};

}  // namespace

std::string_view op_name(Op op) {
    return expr::about(op).name;
}

std::optional<Op> parse_op(std::string_view text) {
    for (const expr::Operator& o : expr::operators())
        if (o.name == text) return o.op;
    return std::nullopt;
}

bool well_typed(expr::Types& types, Op op, TypeId type, std::span<const TypeId> operands) {
    return Rules(types, type, operands).check(op);
}

}  // namespace treaty::formats
