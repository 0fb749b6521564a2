// From the leaves up: for each part the condition under which it has a value, the conditions of its operands
// first, so that each is evaluated only where the ones before it hold. `and`, `or`, `implies` and `if` need
// an operand only where the first one does not decide.
#include "expr/has_value.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "expr/parts.h"
#include "expr/simplify.h"

namespace treaty::expr {
namespace {

// What encoding writes, and nothing else: in the last letter, the bits that no byte needs are zero.
constexpr const char* base64_text =
    "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?";
constexpr const char* hex_text = "([0-9a-f][0-9a-f])*";

VarId presence_in(const Pool& pool, ExprId variable, Variables variables) {
    return variables == Variables::may_lack ? pool.presence(pool.var_of(variable)) : VarId();
}

class Definedness {
public:
    Definedness(Pool& pool, Variables variables)
        : pool_(pool), variables_(variables), yes_(pool.boolean(true)) {}

    ExprId of(ExprId root) {
        for (ExprId part : pool_.parts_of(root))
            if (!known_.contains(part)) known_[part] = at(part);
        return known_.at(root);
    }

    ExprId yes() const { return yes_; }

private:
    ExprId known(ExprId part) const { return known_.at(part); }

    ExprId at(ExprId part) {
        const Node node = pool_[part];
        std::vector<ExprId> c(pool_.children(part).begin(), pool_.children(part).end());
        switch (node.op) {
            case Op::literal: return yes_;
            case Op::var: {
                VarId presence = presence_in(pool_, part, variables_);
                return presence ? pool_.var(presence) : yes_;
            }
            case Op::logical_and:
            case Op::implies: return both(known(c[0]), implied(c[0], known(c[1])));
            case Op::logical_or: return both(known(c[0]), unless(c[0], known(c[1])));
            case Op::if_else:
                return both(known(c[0]), both(implied(c[0], known(c[1])), unless(c[0], known(c[2]))));
            default: break;
        }
        ExprId all = yes_;
        for (ExprId child : c) all = both(all, known(child));
        if (!about(node.op).may_lack_value) return all;
        // Simple, so that it is known again after conditions were made simple.
        return both(all, simplify(pool_, own_condition(part, c)));
    }

    // Where the operands have values: whether the operation has one.
    ExprId own_condition(ExprId part, const std::vector<ExprId>& c) {
        const Node node = pool_[part];
        switch (node.op) {
            case Op::divide:
            case Op::modulo: return non_zero(c[1]);
            case Op::value: return make(Op::has, {c[0]});
            case Op::at:
                if (is_map(c[0])) return make(Op::member, {c[1], keys(c[0])});
                return both(make(Op::greater_equal, {c[1], pool_.integer(0)}),
                            make(Op::less, {c[1], size(c[0])}));
            case Op::slice:
                return both(
                    make(Op::greater_equal, {c[1], pool_.integer(0)}),
                    both(make(Op::less_equal, {c[1], c[2]}), make(Op::less_equal, {c[2], size(c[0])})));
            case Op::with_item:
                if (is_map(c[0])) return yes_;
                return both(make(Op::greater_equal, {c[1], pool_.integer(0)}),
                            make(Op::less, {c[1], size(c[0])}));
            case Op::least:
            case Op::greatest: return make(Op::greater, {size(c[0]), pool_.integer(0)});
            case Op::split:
            case Op::replace: return make(Op::greater, {size(c[1]), pool_.integer(0)});
            case Op::to_int: return pool_.matches(c[0], decimal_numbers());
            case Op::from_hex: return pool_.matches(c[0], hexadecimal_numbers());
            case Op::call: return called(node, c);
            case Op::for_all:
            case Op::exists:
            case Op::each:
            case Op::select: return for_each_item(node, c);
            case Op::fold: return folded(node, c);
            default: return pool_.matches(c[0], node.op == Op::unhex ? hex_text : base64_text);
        }
    }

    ExprId keys(ExprId map) {
        std::array of{map};
        TypeId key = pool_.types().base(pool_.types().key_of(pool_[map].type));
        return pool_.make(Op::keys, pool_.types().set(key), of);
    }

    bool is_map(ExprId e) const { return pool_.types().kind(pool_[e].type) == TypeKind::map; }

    // Where the function has a value. Its arguments have one, or it is not evaluated.
    ExprId inside(const Function& function) {
        return function.body ? Definedness(pool_, Variables::all_present).of(function.body)
                             : pool_.boolean(false);
    }

    // The function has a value for every item.
    ExprId for_each_item(const Node& node, const std::vector<ExprId>& arguments) {
        const Function function = pool_.function(FunctionId(node.payload));
        ExprId fine = inside(function);
        if (pool_.is_true(fine)) return yes_;
        FunctionId test = pool_.lift(function.parameters, pool_.types().boolean(), fine);
        return pool_.make(Op::for_all, pool_.types().boolean(), arguments, test.index);
    }

    // The same fold over an optional, which holds nothing once the function had no value.
    ExprId folded(const Node& node, const std::vector<ExprId>& arguments) {
        const Function function = pool_.function(FunctionId(node.payload));
        ExprId fine = inside(function);
        if (pool_.is_true(fine)) return yes_;
        Types& types = pool_.types();
        TypeId result = types.optional(function.result);
        std::vector<VarId> parameters = function.parameters;
        VarId total = pool_.item_variable(
            pool_.names().intern(fmt::format("optional({})", pool_.variable(parameters[1]).name.index)),
            result);
        std::array holder{pool_.var(total)};
        ExprId held = pool_.make(Op::value, function.result, holder);
        absl::flat_hash_map<VarId, ExprId> by{{parameters[1], held}};
        std::array body{substitute(pool_, function.body, by)};
        std::array parts{pool_.logical_and(make(Op::has, {holder[0]}), substitute(pool_, fine, by)),
                         pool_.make(Op::some, result, body), pool_.make(Op::none, result, {})};
        ExprId next = pool_.make(Op::if_else, result, parts);
        parameters[1] = total;
        FunctionId step = pool_.lift(std::move(parameters), result, next);
        std::vector<ExprId> changed = arguments;
        std::array start{arguments[1]};
        changed[1] = pool_.make(Op::some, result, start);
        return make(Op::has, {pool_.make(Op::fold, result, changed, step.index)});
    }

    ExprId size(ExprId of) {
        std::array sized{of};
        return pool_.make(Op::size, pool_.types().integer(), sized);
    }

    ExprId non_zero(ExprId divisor) {
        bool real = pool_.types().kind(pool_[divisor].type) == TypeKind::real;
        return make(Op::not_equal,
                    {divisor, real ? pool_.literal(0.0, pool_.types().real()) : pool_.integer(0)});
    }

    ExprId called(const Node& node, const std::vector<ExprId>& arguments) {
        const Function function = pool_.function(FunctionId(node.payload));
        if (!function.body) return pool_.boolean(false);
        ExprId body = of(function.body);
        absl::flat_hash_map<VarId, ExprId> by;
        for (std::size_t i = 0; i < arguments.size(); ++i) by[function.parameters[i]] = arguments[i];
        return substitute(pool_, body, by);
    }

    ExprId make(Op op, std::vector<ExprId> children) {
        return pool_.make(op, pool_.types().boolean(), children);
    }

    ExprId both(ExprId a, ExprId b) {
        if (pool_.is_true(a)) return b;
        if (pool_.is_true(b) || a == b || stated(a, b)) return a;
        return pool_.logical_and(a, b);
    }
    ExprId implied(ExprId condition, ExprId then) {
        if (pool_.is_true(then) || stated(condition, then)) return yes_;
        return make(Op::implies, {condition, then});
    }
    ExprId unless(ExprId condition, ExprId otherwise) {
        if (pool_.is_true(otherwise)) return yes_;
        return pool_.logical_or(condition, otherwise);
    }

    // Whether every part of `what` is a part of the conjunction.
    bool stated(ExprId conjunction, ExprId what) const {
        std::vector<ExprId> there = conjuncts(conjunction), wanted = conjuncts(what);
        return std::all_of(wanted.begin(), wanted.end(),
                           [&](ExprId w) { return std::find(there.begin(), there.end(), w) != there.end(); });
    }
    std::vector<ExprId> conjuncts(ExprId e) const {
        std::vector<ExprId> out, pending{e};
        while (!pending.empty()) {
            ExprId id = pending.back();
            pending.pop_back();
            if (pool_[id].op != Op::logical_and) {
                out.push_back(id);
                continue;
            }
            for (ExprId child : pool_.children(id)) pending.push_back(child);
        }
        return out;
    }

    Pool& pool_;
    Variables variables_;
    ExprId yes_;
    absl::flat_hash_map<ExprId, ExprId> known_;
};

// Nearly all expressions have nothing in them that may lack a value; that is seen at once.
bool plainly_has_value(const Pool& pool, ExprId expression, Variables variables) {
    for (ExprId part : pool.parts_of(expression)) {
        const Node& node = pool[part];
        if (node.op == Op::var && presence_in(pool, part, variables)) return false;
        if (!about(node.op).may_lack_value) continue;
        if (node.op != Op::divide && node.op != Op::modulo) return false;
        ExprId divisor = pool.children(part)[1];
        if (!pool.is_literal(divisor)) return false;
        const Value& value = pool.literal_of(divisor);
        if (value == Value(std::int64_t{0}) || value == Value(0.0)) return false;
    }
    return true;
}

}  // namespace

ExprId has_value(Pool& pool, ExprId expression, Variables variables) {
    if (plainly_has_value(pool, expression, variables)) return pool.boolean(true);
    return Definedness(pool, variables).of(expression);
}

bool may_lack_value(Pool& pool, ExprId expression, Variables variables) {
    return !pool.is_true(has_value(pool, expression, variables));
}

ExprId holds(Pool& pool, ExprId condition) {
    ExprId present = has_value(pool, condition);
    return pool.is_true(present) ? condition : pool.logical_and(present, condition);
}

ExprId does_not_hold(Pool& pool, ExprId condition) {
    return pool.logical_not(holds(pool, condition));
}

ExprId value_or_default(Pool& pool, ExprId expression, Variables variables) {
    ExprId present = has_value(pool, expression, variables);
    if (pool.is_true(present)) return expression;
    TypeId type = pool.types().base(pool[expression].type);
    std::array parts{present, expression, pool.literal(default_value(type, pool.types()), type)};
    return pool.make(Op::if_else, type, parts);
}

// From the root down: what is inside a replaced part is evaluated only where all of it has a value.
ExprId total_parts(Pool& pool, ExprId expression, Variables variables) {
    if (!may_lack_value(pool, expression, variables)) return expression;
    absl::flat_hash_map<ExprId, ExprId> by;
    std::vector<ExprId> pending{expression};
    while (!pending.empty()) {
        ExprId part = pending.back();
        pending.pop_back();
        if (by.contains(part)) continue;
        bool own = about(pool[part].op).may_lack_value ||
                   (pool[part].op == Op::var && presence_in(pool, part, variables));
        if (own) {
            by[part] = value_or_default(pool, part, variables);
            continue;
        }
        if (!may_lack_value(pool, part, variables)) continue;
        for (ExprId child : pool.children(part)) pending.push_back(child);
    }
    return by.empty() ? expression : replace_parts(pool, expression, by);
}

Value default_value(TypeId id, const Types& types) {
    const Type& type = types[id];
    switch (type.kind) {
        case TypeKind::boolean: return false;
        case TypeKind::real: return 0.0;
        case TypeKind::string: return std::string();
        case TypeKind::bytes: return Bytes{};
        case TypeKind::enumeration: return EnumMember{};
        case TypeKind::list:
        case TypeKind::set:
        case TypeKind::map:
        case TypeKind::optional: return Sequence{};
        case TypeKind::record: {
            Sequence fields;
            for (const Field& field : type.fields) fields.items.push_back(default_value(field.type, types));
            return fields;
        }
        default:
            return std::clamp<std::int64_t>(0, type.low.value_or(INT64_MIN), type.high.value_or(INT64_MAX));
    }
}

}  // namespace treaty::expr
