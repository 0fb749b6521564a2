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
            case Op::size: return (text(a_[0]) || is(a_[0], TypeKind::list)) && is(type_, TypeKind::integer);
            case Op::lower:
            case Op::upper: return is(a_[0], TypeKind::string) && is(type_, TypeKind::string);
            case Op::sum: return is(a_[0], TypeKind::list) && number(element(a_[0])) && number(type_);
            case Op::sorted: return is(a_[0], TypeKind::list) && same(type_, a_[0]);
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
            case Op::member: return is(a_[1], TypeKind::list) && alike(a_[0], element(a_[1])) && truth(type_);
            case Op::permutes:
                return is(a_[0], TypeKind::list) && is(a_[1], TypeKind::list) && alike(a_[0], a_[1]) &&
                       truth(type_);
            case Op::at:
                return is(a_[0], TypeKind::list) && is(a_[1], TypeKind::integer) &&
                       same(type_, element(a_[0]));
            case Op::contains:
            case Op::starts_with:
            case Op::ends_with: return text(a_[0]) && text(a_[1]) && alike(a_[0], a_[1]) && truth(type_);
            case Op::if_else: return truth(a_[0]) && types_.fits(a_[1], type_) && types_.fits(a_[2], type_);
            case Op::list: return is(type_, TypeKind::list) && all_fit(element(type_));
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
    bool ordered(TypeId t) const { return number(t) || text(t) || is(t, TypeKind::enumeration); }
    bool same(TypeId a, TypeId b) const { return types_.fits(a, b) && types_.fits(b, a); }
    bool alike(TypeId a, TypeId b) { return types_.join(types_.base(a), types_.base(b)).valid(); }
    TypeId element(TypeId t) const { return types_[t].element ? types_[t].element : types_.unknown(); }

    bool arithmetic() const {
        bool real = types_.kind(a_[0]) == TypeKind::real || types_.kind(a_[1]) == TypeKind::real;
        return number(a_[0]) && number(a_[1]) && number(type_) && (!real || is(type_, TypeKind::real));
    }

    bool concat() const {
        bool sequence = text(a_[0]) || is(a_[0], TypeKind::list);
        return sequence && types_.fits(a_[0], type_) && types_.fits(a_[1], type_) &&
               (text(type_) || is(type_, TypeKind::list));
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
