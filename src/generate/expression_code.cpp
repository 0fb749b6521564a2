#include "generate/expression_code.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "generate/literals.h"
#include "generate/pattern_rows.h"

namespace treaty::generate {

using expr::ExprId;
using expr::Op;
using expr::TypeId;
using expr::TypeKind;

namespace {

constexpr int max_depth = 400;

// What is in no runtime.
bool has_no_code(Op op) {
    switch (op) {
        case Op::base64:
        case Op::unbase64:
        case Op::unhex:
        case Op::sha1:
        case Op::sha256:
        case Op::repeated:
        case Op::split:
        case Op::join:
        case Op::replace:
        case Op::to_int:
        case Op::to_hex:
        case Op::from_hex: return true;
        default: return expr::is_checksum(op);
    }
}

// What === compares by value.
bool is_scalar(TypeKind kind) {
    return kind == TypeKind::boolean || kind == TypeKind::integer || kind == TypeKind::real ||
           kind == TypeKind::string || kind == TypeKind::enumeration;
}

}  // namespace

const std::string& PatternTable::name(const std::string& pattern) {
    auto [entry, added] = names_.try_emplace(pattern);
    if (added) entry->second = prefix_ + std::to_string(names_.size());
    return entry->second;
}

// One expression; recursion is bounded by max_depth.
class ExpressionCode::Printer {
public:
    Printer(ExpressionCode& code, const VariableName& variable)
        : code_(code), pool_(code.pool_), types_(code.types_), variable_(variable) {}

    std::string print(ExprId id, TypeId wanted) {
        TypeKind want = types_.types().kind(wanted);
        if (pool_.is_literal(id)) return types_.literal(pool_.literal_of(id), wanted);
        if (pool_[id].op == Op::none || pool_[id].op == Op::list || pool_[id].op == Op::set ||
            pool_[id].op == Op::map)
            return literal_of_parts(id, wanted);
        std::string text = print(id);
        TypeKind have = kind(id);
        if (want == have || want == TypeKind::unknown) return text;
        if (want == TypeKind::real && have == TypeKind::integer) return to_real(text);
        return refuse("a conversion between collections");
    }

    std::string print(ExprId id) {
        if (++depth_ > max_depth) return refuse("an expression that is nested too deeply");
        std::string text = print_node(id);
        --depth_;
        return text;
    }

private:
    bool cpp() const { return types_.language() == Language::cpp; }
    bool python() const { return types_.language() == Language::python; }
    TypeId type(ExprId id) const { return pool_[id].type; }
    TypeKind kind(ExprId id) const { return types_.types().kind(type(id)); }

    std::string refuse(std::string what) {
        if (code_.refusal_.empty()) code_.refusal_ = std::move(what);
        return "?";
    }

    std::string to_real(const std::string& text) const {
        if (cpp()) return fmt::format("static_cast<double>({})", text);
        return fmt::format("{}({})", python() ? "float" : "Number", text);
    }

    std::string call(std::string_view name, const std::vector<std::string>& arguments) const {
        return fmt::format("{}{}({})", cpp() ? "treaty::" : "rt.", name, fmt::join(arguments, ", "));
    }

    // The children as arguments, all of one type where they are compared or computed with each other.
    std::vector<std::string> arguments(ExprId id, TypeId common = {}) {
        std::vector<std::string> result;
        for (ExprId child : pool_.children(id))
            result.push_back(common ? print(child, common) : print(child));
        return result;
    }

    // The more precise type of both sides: of `[]` and a list of numbers, the list of numbers.
    TypeId joined(ExprId a, ExprId b) const {
        TypeId x = types_.types().base(type(a)), y = types_.types().base(type(b));
        if (x == y) return x;
        if (kind(a) == TypeKind::real || kind(b) == TypeKind::real) return kind(a) == TypeKind::real ? x : y;
        return unknown_inside(x) ? y : x;
    }

    bool unknown_inside(TypeId id) const {
        const expr::Type& t = types_.types()[id];
        if (t.kind == TypeKind::unknown) return true;
        return t.element && unknown_inside(t.element);
    }

    std::string print_node(ExprId id) {
        const expr::Node& node = pool_[id];
        if (has_no_code(node.op)) return refuse(fmt::format("the function {}", expr::about(node.op).name));
        switch (node.op) {
            case Op::literal: return types_.literal(pool_.literal_of(id), node.type);
            case Op::var: return variable(pool_.var_of(id));
            case Op::logical_not: return fmt::format(fmt::runtime(python() ? "(not {})" : "!{}"), first(id));
            case Op::logical_and: return infix(id, python() ? "and" : "&&");
            case Op::logical_or: return infix(id, python() ? "or" : "||");
            case Op::implies: return implication(id);
            case Op::equal: return comparison(id, python() || cpp() ? "==" : "===");
            case Op::not_equal: return comparison(id, python() || cpp() ? "!=" : "!==");
            case Op::less: return comparison(id, "<");
            case Op::less_equal: return comparison(id, "<=");
            case Op::greater: return comparison(id, ">");
            case Op::greater_equal: return comparison(id, ">=");
            case Op::if_else: return conditional(id);
            case Op::field: return field(id);
            case Op::matches: return matches(id);
            case Op::record: return record(id);
            case Op::some: return some(id);
            case Op::has: return has(id);
            case Op::list:
            case Op::none:
            case Op::set:
            case Op::map: return literal_of_parts(id, node.type);
            case Op::call: return user_call(id);
            default: break;
        }
        return expr::has_function(node.op) ? over_items(id) : runtime_call(id);
    }

    std::string first(ExprId id) { return print(pool_.children(id)[0]); }

    std::string variable(expr::VarId id) {
        for (auto scope = locals_.rbegin(); scope != locals_.rend(); ++scope)
            if (auto known = scope->find(id); known != scope->end()) return known->second;
        return variable_(id);
    }

    std::string infix(ExprId id, std::string_view sign) {
        auto sides = pool_.children(id);
        return fmt::format("({} {} {})", print(sides[0]), sign, print(sides[1]));
    }

    std::string implication(ExprId id) {
        auto sides = pool_.children(id);
        return fmt::format(fmt::runtime(python() ? "(not {} or {})" : "(!{} || {})"), print(sides[0]),
                           print(sides[1]));
    }

    // A literal text needs no std::string for being compared.
    std::string side(ExprId id, TypeId common) {
        if (cpp() && pool_.is_literal(id) && kind(id) == TypeKind::string &&
            pool_.literal_of(id).string().find('\0') == std::string::npos)
            return *text_literal(pool_.literal_of(id).string(), Language::cpp);
        return print(id, common);
    }

    std::string comparison(ExprId id, std::string_view sign) {
        auto sides = pool_.children(id);
        TypeId common = joined(sides[0], sides[1]);
        bool both_literals = pool_.is_literal(sides[0]) && pool_.is_literal(sides[1]);
        std::string a = both_literals ? print(sides[0], common) : side(sides[0], common);
        std::string b = both_literals ? print(sides[1], common) : side(sides[1], common);
        TypeKind compared = types_.types().kind(common);
        if (types_.language() == Language::typescript)
            return typescript_comparison(sign, a, b, compared, common);
        return fmt::format("({} {} {})", a, sign, b);
    }

    std::string typescript_comparison(std::string_view sign, const std::string& a, const std::string& b,
                                      TypeKind compared, TypeId common) {
        if (sign == "===" || sign == "!==") {
            if (is_scalar(compared)) return fmt::format("({} {} {})", a, sign, b);
            return (sign == "===" ? "" : "!") + call("equal", {a, b});
        }
        if (compared == TypeKind::integer || compared == TypeKind::real)
            return fmt::format("({} {} {})", a, sign, b);
        if (compared == TypeKind::enumeration)
            return fmt::format("({0}Order.indexOf({1}) {2} {0}Order.indexOf({3}))", types_.print(common), a,
                               sign, b);
        return fmt::format("({} {} 0)", call("compare", {a, b}), sign);
    }

    std::string conditional(ExprId id) {
        auto parts = pool_.children(id);
        TypeId wanted = type(id);
        std::string condition = print(parts[0]), yes = print(parts[1], wanted), no = print(parts[2], wanted);
        if (python()) return fmt::format("({} if {} else {})", yes, condition, no);
        return fmt::format("({} ? {} : {})", condition, yes, no);
    }

    std::string field(ExprId id) {
        ExprId record = pool_.children(id)[0];
        const expr::Type& t = types_.types()[type(record)];
        return fmt::format("{}.{}", print(record), types_.field_name(t.fields[pool_[id].payload].name));
    }

    std::string matches(ExprId id) {
        const std::string& pattern = pool_.literal_of(id).string();
        auto rows = pattern_rows(pattern);
        if (!rows) return refuse(fmt::format("the pattern /{}/, which is too large,", pattern));
        if (kind(pool_.children(id)[0]) == TypeKind::string && !rows->ascii())
            return refuse(fmt::format("the pattern /{}/, with characters beyond ASCII,", pattern));
        const std::string& name = code_.patterns_.name(pattern);
        return call("matches", {first(id), name});
    }

    std::string record(ExprId id) {
        const expr::Type& t = types_.types()[type(id)];
        std::string items;
        auto parts = pool_.children(id);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            items += i == 0 ? "" : ", ";
            if (types_.language() == Language::typescript)
                items += types_.field_name(t.fields[i].name) + ": ";
            items += print(parts[i], t.fields[i].type);
        }
        if (types_.language() == Language::typescript) return fmt::format("{{ {} }}", items);
        return fmt::format(fmt::runtime(cpp() ? "{}{{{}}}" : "{}({})"), types_.print(type(id)), items);
    }

    std::string some(ExprId id) {
        if (!cpp()) {
            types_.print(type(id));  // refuses an optional of an optional
            return first(id);
        }
        return fmt::format("{}({})", types_.print(type(id)), first(id));
    }

    std::string has(ExprId id) {
        if (cpp()) return fmt::format("{}.has_value()", first(id));
        return fmt::format("({} {})", first(id), python() ? "is not None" : "!== null");
    }

    std::string literal_of_parts(ExprId id, TypeId wanted) {
        const expr::Type& t = types_.types()[wanted];
        Op op = pool_[id].op;
        if (op == Op::none) return cpp() ? types_.print(wanted) + "()" : python() ? "None" : "null";
        if (op == Op::map) return refuse("a map that is written down");
        std::string items;
        for (ExprId part : pool_.children(id)) items += (items.empty() ? "" : ", ") + print(part, t.element);
        if (cpp()) return fmt::format("{}{{{}}}", types_.print(wanted), items);
        types_.print(wanted);  // refused where the language has no sets
        return types_.sequence(op == Op::list ? TypeKind::list : TypeKind::set, items,
                               pool_.children(id).size());
    }

    std::string user_call(ExprId id) {
        expr::FunctionId function(pool_[id].payload);
        const expr::Function& f = pool_.function(function);
        auto parts = pool_.children(id);
        std::string items;
        for (std::size_t i = 0; i < parts.size(); ++i)
            items += (i == 0 ? "" : ", ") + print(parts[i], pool_.variable(f.parameters[i]).type);
        return fmt::format("{}({})", code_.function_name(function), items);
    }

    std::string runtime_call(ExprId id) {
        Op op = pool_[id].op;
        std::string_view name = expr::about(op).name;
        if (op == Op::member) name = "member";
        auto parts = pool_.children(id);
        bool arithmetic = op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide ||
                          op == Op::modulo || op == Op::min || op == Op::max || op == Op::negate ||
                          op == Op::abs || op == Op::concat;
        if (arithmetic) return call(name, arguments(id, types_.types().base(type(id))));
        if (op == Op::permutes) return call(name, arguments(id, joined(parts[0], parts[1])));
        if (op == Op::member)
            return call(name, {print(parts[0], types_.types()[type(parts[1])].element), print(parts[1])});
        if (types_.language() == Language::typescript &&
            (op == Op::without || op == Op::difference || op == Op::keys || op == Op::values ||
             op == Op::to_set))
            return refuse("sets and maps");
        return call(name, arguments(id));
    }

    // all, any, each, select and fold: the function becomes a lambda expression. Its other parameters get
    // their values once, before the first item.
    std::string over_items(ExprId id) {
        Op op = pool_[id].op;
        const expr::Function& f = pool_.function(expr::FunctionId(pool_[id].payload));
        auto parts = pool_.children(id);
        std::size_t own = op == Op::fold ? 2 : 1;  // parameters of the lambda expression
        std::string collection = print(parts[0]);
        std::string start = op == Op::fold ? print(parts[1], f.result) : "";
        std::vector<std::string> captured;
        for (std::size_t i = own; i < parts.size(); ++i)
            captured.push_back(print(parts[i], pool_.variable(f.parameters[i]).type));
        auto& scope = locals_.emplace_back();
        std::vector<std::string> names;
        for (expr::VarId parameter : f.parameters) {
            names.push_back(fmt::format(
                "{}_{}", identifier(pool_.names().text(pool_.variable(parameter).name)), ++local_count_));
            scope[parameter] = names.back();
        }
        std::string body = print(f.body, f.result);
        locals_.pop_back();
        std::string lambda = lambda_of(f, names, own, captured, body);
        std::vector<std::string> all{collection};
        if (op == Op::fold) all.push_back(start);
        all.push_back(lambda);
        std::string name(expr::about(op).name);
        if (op == Op::fold && cpp()) name += fmt::format("<{}>", types_.print(f.result));
        return call(name, all);
    }

    std::string lambda_of(const expr::Function& f, const std::vector<std::string>& names, std::size_t own,
                          const std::vector<std::string>& captured, const std::string& body) {
        std::string parameters, more;
        for (std::size_t i = 0; i < own; ++i) {
            std::string t = types_.print(pool_.variable(f.parameters[i]).type);
            parameters += i == 0 ? "" : ", ";
            if (cpp())
                parameters += fmt::format("const {}& {}", t, names[i]);
            else if (python())
                parameters += names[i];
            else
                parameters += fmt::format("{}: {}", names[i], t);
        }
        for (std::size_t i = own; i < names.size(); ++i) {
            const std::string& value = captured[i - own];
            if (cpp())
                more += fmt::format(", {} = {}", names[i], value);
            else if (python())
                more += fmt::format(", {}={}", names[i], value);
            else
                more += fmt::format("{}const {} = {};", more.empty() ? "" : " ", names[i], value);
        }
        if (cpp())
            return fmt::format("[&{}]({}) -> {} {{ return {}; }}", more, parameters, types_.print(f.result),
                               body);
        if (python()) return fmt::format("lambda {}{}: {}", parameters, more, body);
        if (more.empty()) return fmt::format("({}) => {}", parameters, body);
        return fmt::format("(() => {{ {} return ({}) => {}; }})()", more, parameters, body);
    }

    ExpressionCode& code_;
    const expr::Pool& pool_;
    TypeCode& types_;
    const VariableName& variable_;
    std::vector<std::map<expr::VarId, std::string>> locals_;
    int local_count_ = 0;
    int depth_ = 0;
};

ExpressionCode::ExpressionCode(const expr::Pool& pool, TypeCode& types, PatternTable& patterns,
                               Scope& declared, std::string functions)
    : pool_(pool),
      types_(types),
      patterns_(patterns),
      declared_(declared),
      functions_(std::move(functions)) {}

std::string ExpressionCode::function_name(expr::FunctionId function) const {
    return functions_ + declared_.name({Declared::function, function.index},
                                       pool_.names().text(pool_.function(function).name));
}

std::string ExpressionCode::print(ExprId expression, TypeId wanted, const VariableName& variable) {
    return Printer(*this, variable).print(expression, wanted);
}

}  // namespace treaty::generate
