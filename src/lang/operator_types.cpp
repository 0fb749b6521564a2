// The types that operators give.
#include "lang/operator_types.h"

namespace treaty::lang {
namespace {

using expr::Op;
using expr::TypeId;
using expr::TypeKind;

bool is_number(const expr::Types& types, TypeId type) {
    return types.kind(type) == TypeKind::integer || types.kind(type) == TypeKind::real;
}

// Of the operators on parts of lists, strings and bytes.
TypeId part_result(expr::Types& types, Op op, std::span<const TypeId> given) {
    TypeId first = types.base(given[0]);
    TypeKind k = types.kind(first);
    bool text = k == TypeKind::string || k == TypeKind::bytes;
    bool list = k == TypeKind::list;
    auto alike = [&](std::size_t i) { return types.kind(given[i]) == k; };
    auto when = [&](bool fine, TypeId result) { return fine ? result : TypeId(); };
    switch (op) {
        case Op::take:
        case Op::drop:
        case Op::repeated: return when((text || list) && types.kind(given[1]) == TypeKind::integer, first);
        case Op::reverse: return when(text || list, first);
        case Op::index_of: {
            bool fits =
                list ? types.join(types[first].element, types.base(given[1])).valid() : text && alike(1);
            return when(fits, types.optional(types.integer()));
        }
        case Op::least:
        case Op::greatest: {
            bool items = list || k == TypeKind::set;
            TypeId item = items ? types[first].element : TypeId();
            TypeKind inner = items ? types.kind(item) : TypeKind::unknown;
            return when(inner == TypeKind::integer || inner == TypeKind::real || inner == TypeKind::string ||
                            inner == TypeKind::enumeration,
                        item);
        }
        case Op::split: return when(text && alike(1), types.list(first));
        case Op::join: {
            TypeKind inner = list ? types.kind(types[first].element) : TypeKind::unknown;
            TypeKind between = types.kind(given[1]);
            bool texts = between == TypeKind::string || between == TypeKind::bytes;
            return when(list && texts && (inner == between || inner == TypeKind::unknown), given[1]);
        }
        case Op::replace: return when(text && alike(1) && alike(2), first);
        case Op::to_int:
        case Op::from_hex: return when(k == TypeKind::string, types.integer());
        case Op::to_hex: return when(k == TypeKind::integer, types.string());
        default: return {};
    }
}

}  // namespace

TypeId result_of(expr::Types& types, Op op, std::span<const TypeId> given) {
    TypeId first = given[0];
    TypeKind k = types.kind(first);
    bool text = k == TypeKind::string || k == TypeKind::bytes;
    if (expr::is_over_bytes(op)) {
        const expr::Operator& form = expr::about(op);
        if (form.takes == TypeKind::unknown ? !text : k != form.takes) return {};
        return form.gives == TypeKind::integer ? types.integer()
               : form.gives == TypeKind::bytes ? types.bytes()
                                               : types.string();
    }
    bool items = k == TypeKind::list || k == TypeKind::set;
    switch (op) {
        case Op::size: return text || types.item_of(first) ? types.integer() : TypeId();
        case Op::keys: return k == TypeKind::map ? types.set(types.base(types.key_of(first))) : TypeId();
        case Op::values: return k == TypeKind::map ? types.list(types.base(types.value_of(first))) : TypeId();
        case Op::to_set: return k == TypeKind::list ? types.set(types.base(types[first].element)) : TypeId();
        case Op::abs: return is_number(types, given[0]) ? types.base(first) : TypeId();
        case Op::lower:
        case Op::upper: return k == TypeKind::string ? first : TypeId();
        case Op::sum: {
            if (!items) return {};
            TypeKind inner = types.kind(types[first].element);
            if (inner == TypeKind::unknown) return types.integer();
            return inner == TypeKind::integer || inner == TypeKind::real ? types.base(types[first].element)
                                                                         : TypeId();
        }
        case Op::sorted: return items ? types.list(types[first].element) : TypeId();
        case Op::some: return types.optional(first);
        case Op::has: return k == TypeKind::optional ? types.boolean() : TypeId();
        case Op::value: return k == TypeKind::optional ? types[first].element : TypeId();
        case Op::min:
        case Op::max:
            if (!is_number(types, given[0]) || !is_number(types, given[1])) return {};
            return k == TypeKind::real || types.kind(given[1]) == TypeKind::real ? types.real()
                                                                                 : types.integer();
        case Op::contains:
        case Op::starts_with:
        case Op::ends_with: return text && types.kind(given[1]) == k ? types.boolean() : TypeId();
        default: return part_result(types, op, given);
    }
}

std::pair<Op, TypeId> result_of(expr::Types& types, TokenKind op, TypeId a, TypeId b) {
    bool numbers = is_number(types, a) && is_number(types, b);
    TypeId number =
        types.kind(a) == TypeKind::real || types.kind(b) == TypeKind::real ? types.real() : types.integer();
    bool booleans = types.kind(a) == TypeKind::boolean && types.kind(b) == TypeKind::boolean;
    TypeId joined = types.join(types.base(a), types.base(b));
    auto arithmetic = [&](Op o) { return std::pair(o, numbers ? number : TypeId()); };
    auto logical = [&](Op o) { return std::pair(o, booleans ? types.boolean() : TypeId()); };
    auto equality = [&](Op o) { return std::pair(o, joined ? types.boolean() : TypeId()); };
    // An item of a set or a key of a map, which are not converted.
    auto same_item = [&](TypeId collection, TypeId item) {
        return types.fits(types.set(item), types.set(types.item_of(collection)));
    };
    auto order = [&](Op o) {
        bool ordered =
            numbers ||
            (joined && (types.kind(a) == TypeKind::string || types.kind(a) == TypeKind::enumeration));
        return std::pair(o, ordered ? types.boolean() : TypeId());
    };
    switch (op) {
        case TokenKind::plus: {
            bool sequence = types.kind(a) == TypeKind::string || types.kind(a) == TypeKind::bytes ||
                            types.item_of(a).valid();
            if (sequence) return {Op::concat, joined};
            return arithmetic(Op::add);
        }
        case TokenKind::minus:
            if (types.kind(b) == TypeKind::set && types.item_of(a) && types.kind(a) != TypeKind::list)
                return {Op::difference, same_item(a, types[b].element) ? types.base(a) : TypeId()};
            return arithmetic(Op::subtract);
        case TokenKind::star: return arithmetic(Op::multiply);
        case TokenKind::slash: return arithmetic(Op::divide);
        case TokenKind::kw_mod:
            return {Op::modulo, types.kind(a) == TypeKind::integer && types.kind(b) == TypeKind::integer
                                    ? types.integer()
                                    : TypeId()};
        case TokenKind::kw_and: return logical(Op::logical_and);
        case TokenKind::kw_or: return logical(Op::logical_or);
        case TokenKind::kw_implies: return logical(Op::implies);
        case TokenKind::equal: return equality(Op::equal);
        case TokenKind::not_equal: return equality(Op::not_equal);
        case TokenKind::less: return order(Op::less);
        case TokenKind::less_equal: return order(Op::less_equal);
        case TokenKind::greater: return order(Op::greater);
        case TokenKind::greater_equal: return order(Op::greater_equal);
        case TokenKind::kw_in:
            if (types.kind(b) == TypeKind::set || types.kind(b) == TypeKind::map)
                return {Op::member, same_item(b, a) ? types.boolean() : TypeId()};
            return {Op::member,
                    types.kind(b) == TypeKind::list && types.join(types.base(a), types.base(types[b].element))
                        ? types.boolean()
                        : TypeId()};
        case TokenKind::kw_permutes:
            return {Op::permutes, types.kind(a) == TypeKind::list && joined ? types.boolean() : TypeId()};
        default: return {Op::equal, TypeId()};
    }
}

}  // namespace treaty::lang
