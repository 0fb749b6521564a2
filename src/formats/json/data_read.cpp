#include <cmath>

#include <fmt/format.h>

#include "expr/collections.h"
#include "formats/codes.h"
#include "formats/json/data.h"
#include "formats/json/ops.h"

namespace treaty::formats {

using expr::ExprId;
using expr::Op;
using expr::TypeId;
using expr::TypeKind;
using expr::VarId;

void JsonDataReader::read(Json object) {
    read_types(in_.maybe_array(object, "types"));
    if (!in_.ok()) return;
    if (Json list = in_.maybe_array(object, "variables")) {
        for (Json v : list.items()) {
            if (!in_.is(v, JsonKind::object)) continue;
            base::NameId id = name(in_.need(v, "name"));
            expr::TypeId t = type(in_.need(v, "type"));
            Json item = v["item"];
            std::size_t before = pool_->variable_count();
            if (item && in_.boolean(item))
                pool_->item_variable(id, t);
            else
                pool_->declare(id, t);
            if (pool_->variable_count() == before)
                in_.report(codes::json_twice, v, "two variables for items with the same name and type");
        }
    }
    Json functions = in_.maybe_array(object, "functions");
    read_functions(functions);
    if (!in_.ok()) return;
    if (Json list = in_.maybe_array(object, "expressions"))
        for (Json e : list.items()) shared_.push_back(expression(e));
    define_functions(functions);
}

void JsonDataReader::read_functions(Json array) {
    if (!array) return;
    for (Json f : array.items()) {
        if (!in_.is(f, JsonKind::object)) continue;
        base::NameId id = f["name"] ? name(f["name"]) : base::NameId();
        std::vector<VarId> parameters = variables(in_.need_array(f, "parameters"));
        pool_->declare_function(id, std::move(parameters), type(in_.need(f, "result")));
    }
}

void JsonDataReader::define_functions(Json array) {
    if (!array || !in_.ok()) return;
    std::size_t at = 0;
    for (Json f : array.items()) {
        expr::FunctionId id(at++);
        Json body = in_.need(f, "body");
        if (!body) continue;
        ExprId e = expression(body, pool_->function(id).result);
        if (e) pool_->define(id, e);
    }
    if (in_.ok() && !functions_terminate()) in_.report(codes::json_model, array, "a function calls itself");
}

// One walk over functions and expressions together: an expression leads to its parts and to what it calls.
bool JsonDataReader::functions_terminate() const {
    enum class Mark : std::uint8_t { fresh, open, done };
    std::size_t functions = pool_->function_count();
    std::vector<Mark> marks(functions + pool_->size(), Mark::fresh);
    auto place = [&](ExprId e) { return functions + e.index; };
    for (std::size_t start = 0; start < functions; ++start) {
        std::vector<std::size_t> pending{start};
        while (!pending.empty()) {
            std::size_t at = pending.back();
            if (marks[at] != Mark::fresh) {
                marks[at] = Mark::done;
                pending.pop_back();
                continue;
            }
            marks[at] = Mark::open;
            std::vector<std::size_t> next;
            if (at < functions) {
                next.push_back(place(pool_->function(expr::FunctionId(at)).body));
            } else {
                ExprId e(at - functions);
                for (ExprId child : pool_->children(e)) next.push_back(place(child));
                if (expr::has_function((*pool_)[e].op)) next.push_back((*pool_)[e].payload);
            }
            for (std::size_t n : next) {
                if (marks[n] == Mark::open) return false;
                if (marks[n] == Mark::fresh) pending.push_back(n);
            }
        }
    }
    return true;
}

// Values, by their type.

expr::Value JsonDataReader::value(Json v, TypeId type_id) {
    const expr::Type& t = (*types_)[type_id];
    if (!v) return {};
    switch (t.kind) {
        case TypeKind::unknown:
            if (v.kind() == JsonKind::array && v.size() == 0) return expr::Sequence{};
            in_.report(codes::json_expression, v, "the type of this value is not known");
            return {};
        case TypeKind::boolean: return in_.boolean(v);
        case TypeKind::integer: return in_.integer(v);
        case TypeKind::real:
            if (v.kind() == JsonKind::integer || v.kind() == JsonKind::real) return v.real();
            if (v.kind() == JsonKind::string && v.string() == "nan") return std::nan("");
            if (v.kind() == JsonKind::string && v.string() == "inf") return HUGE_VAL;
            if (v.kind() == JsonKind::string && v.string() == "-inf") return -HUGE_VAL;
            in_.report(codes::json_type, v, "expected a number");
            return 0.0;
        case TypeKind::string: return in_.text(v);
        case TypeKind::bytes: return expr::Bytes{in_.bytes(v)};
        case TypeKind::enumeration: {
            if (!in_.is_text(v)) return {};
            auto member = members_.find({type_id, names_->find(in_.text(v))});
            if (member != members_.end()) return expr::EnumMember{member->second};
            in_.report(codes::json_reference, v, "unknown member");
            return {};
        }
        default: break;
    }
    if (!in_.is(v, JsonKind::array)) return {};
    bool fits = t.kind == TypeKind::list || t.kind == TypeKind::set || t.kind == TypeKind::map ||
                (t.kind == TypeKind::optional && v.size() <= 1) ||
                (t.kind == TypeKind::record && v.size() == t.fields.size());
    if (!fits) {
        in_.report(codes::json_type, v,
                   t.kind == TypeKind::record ? "expected one value for each field"
                                              : "expected at most one value for an optional");
        return {};
    }
    expr::Sequence sequence;
    for (Json item : v.items())
        sequence.items.push_back(
            value(item, t.kind == TypeKind::record ? t.fields[sequence.items.size()].type : t.element));
    bool ascending = t.kind == TypeKind::set   ? is_set(sequence)
                     : t.kind == TypeKind::map ? is_map(sequence)
                                               : true;
    if (!ascending && in_.ok())
        in_.report(codes::json_type, v, "the items of a set and the keys of a map must be ascending");
    return sequence;
}

// Whether the function fits what an operator does with it for each item.
bool JsonDataReader::fits_function(Op op, TypeId type, const expr::Function& f,
                                   const std::vector<TypeId>& operands) const {
    const expr::Types& types = *types_;
    std::size_t own = op == Op::fold ? 2 : 1;
    TypeId item = operands.empty() ? TypeId() : types.item_of(operands[0]);
    if (!item || operands.size() < own || f.parameters.size() != operands.size()) return false;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (!types.fits(i == 0 ? item : operands[i], pool_->variable(f.parameters[i]).type)) return false;
    bool condition = types.kind(f.result) == TypeKind::boolean;
    switch (op) {
        case Op::for_all:
        case Op::exists: return condition && types.kind(type) == TypeKind::boolean;
        case Op::select:
            return condition && types.kind(type) == TypeKind::list && types.fits(item, types[type].element);
        case Op::each: return types.kind(type) == TypeKind::list && types.fits(f.result, types[type].element);
        default: return f.result == type && types.fits(type, pool_->variable(f.parameters[1]).type);
    }
}

// Expressions.

ExprId JsonDataReader::expression(Json v) {
    if (!v) return {};
    if (v.kind() == JsonKind::integer) {
        std::uint32_t i = in_.index(v, shared_.size(), "expressions before this one");
        return i == JsonReader::none_index ? ExprId() : shared_[i];
    }
    if (!in_.is(v, JsonKind::object)) return {};
    if (depth_ >= max_nesting) {
        in_.report(codes::json_too_large, v,
                   fmt::format("expressions are nested deeper than {} levels", max_nesting));
        return {};
    }
    ++depth_;
    ExprId e = node(v);
    --depth_;
    return e;
}

ExprId JsonDataReader::node(Json v) {
    if (Json var = v["var"]) {
        VarId id = variable(var);
        return id ? pool_->var(id) : ExprId();
    }
    if (Json literal = v["literal"]) {
        TypeId t = type(in_.need(v, "type"));
        expr::Value constant = value(literal, t);
        return in_.ok() ? pool_->literal(std::move(constant), t) : ExprId();
    }
    return operation(v);
}

ExprId JsonDataReader::operation(Json v) {
    Json op_value = in_.need(v, "op");
    if (!in_.is(op_value, JsonKind::string)) return {};
    auto op = parse_op(op_value.string());
    if (!op || *op == Op::literal || *op == Op::var) {
        in_.report(codes::json_expression, op_value, "unknown operation");
        return {};
    }
    TypeId t = type(in_.need(v, "type"));
    std::vector<ExprId> args;
    std::vector<TypeId> arg_types;
    if (Json list = in_.maybe_array(v, "args")) {
        for (Json arg : list.items()) {
            args.push_back(expression(arg));
            if (args.back()) arg_types.push_back((*pool_)[args.back()].type);
        }
    }
    if (arg_types.size() != args.size() || !in_.ok()) return {};
    auto wrong = [&](std::string_view what) {
        in_.report(codes::json_expression, v, what);
        return ExprId();
    };
    auto wanted = expr::arity(*op);
    if (wanted && *wanted != args.size())
        return wrong(fmt::format("`{}` takes {} operands", op_name(*op), *wanted));
    const expr::Types& types = *types_;
    if (*op == Op::field) {
        const expr::Type& record = types[arg_types[0]];
        if (record.kind != TypeKind::record) return wrong("only records have fields");
        std::uint32_t field = in_.index(in_.need(v, "field"), record.fields.size(), "fields");
        if (field == JsonReader::none_index) return {};
        if (types.base(record.fields[field].type) != types.base(t))
            return wrong("the field has another type");
        return pool_->make(Op::field, t, args, field);
    }
    if (*op == Op::call) {
        std::uint32_t id = in_.index(in_.need(v, "function"), pool_->function_count(), "functions");
        if (id == JsonReader::none_index) return {};
        const expr::Function& f = pool_->function(expr::FunctionId(id));
        if (f.parameters.size() != args.size())
            return wrong("expected one argument for each parameter of the function");
        for (std::size_t i = 0; i < args.size(); ++i)
            if (!types.fits(arg_types[i], pool_->variable(f.parameters[i]).type))
                return wrong("an argument has another type than its parameter");
        if (f.result != t) return wrong("the function's result has another type");
        return pool_->make(Op::call, t, args, id);
    }
    if (expr::has_function(*op)) {
        std::uint32_t id = in_.index(in_.need(v, "function"), pool_->function_count(), "functions");
        if (id == JsonReader::none_index) return {};
        if (!fits_function(*op, t, pool_->function(expr::FunctionId(id)), arg_types))
            return wrong(fmt::format("the function does not fit `{}`", op_name(*op)));
        return pool_->make(*op, t, args, id);
    }
    if (!well_typed(*types_, *op, t, arg_types))
        return wrong(fmt::format("`{}` does not take operands of these types", op_name(*op)));
    if (*op != Op::matches) return pool_->make(*op, t, args);
    ExprId e = pool_->matches(args[0], in_.need_text(v, "pattern"));
    if (!pool_->pattern_of(e)) return wrong("the pattern is not a regular expression");
    return e;
}

ExprId JsonDataReader::expression(Json v, TypeId wanted) {
    ExprId e = expression(v);
    if (!e || types_->fits((*pool_)[e].type, wanted)) return e;
    in_.report(codes::json_expression, v, fmt::format("expected {}", types_->print(wanted, *names_)));
    return {};
}

ExprId JsonDataReader::condition(Json object, std::string_view key) {
    Json v = in_.maybe(object, key);
    return v ? expression(v, types_->boolean()) : ExprId();
}

VarId JsonDataReader::variable(Json v) {
    std::uint32_t i = in_.index(v, pool_->variable_count(), "variables");
    return i == JsonReader::none_index ? VarId() : VarId(i);
}

VarId JsonDataReader::variable(Json v, TypeId wanted) {
    VarId id = variable(v);
    if (!id || types_->fits(wanted, pool_->variable(id).type)) return id;
    in_.report(codes::json_expression, v, fmt::format("expected {}", types_->print(wanted, *names_)));
    return {};
}

std::vector<VarId> JsonDataReader::variables(Json array) {
    std::vector<VarId> all;
    if (!array) return all;
    for (Json v : array.items())
        if (VarId id = variable(v)) all.push_back(id);
    return all;
}

std::vector<model::Argument> JsonDataReader::arguments(Json array, std::span<const expr::Field> fields,
                                                       bool fields_known) {
    std::vector<model::Argument> all;
    if (!array) return all;
    if (fields_known && array.size() != fields.size()) {
        in_.report(codes::json_model, array,
                   fmt::format("the message carries {} fields, not {}", fields.size(), array.size()));
        return all;
    }
    for (Json v : array.items()) {
        model::Argument argument;
        argument.span = v.span();
        TypeId wanted = fields_known ? fields[all.size()].type : types_->unknown();
        if (v.kind() == JsonKind::object && v["let"]) {
            argument.bind = variable(v["let"], wanted);
        } else if (v.kind() != JsonKind::null) {
            argument.value = expression(v, wanted);
        }
        all.push_back(argument);
    }
    return all;
}

std::vector<model::Assignment> JsonDataReader::assignments(Json array) {
    std::vector<model::Assignment> all;
    if (!array) return all;
    for (Json a : array.items()) {
        if (!in_.is(a, JsonKind::object)) continue;
        VarId id = variable(in_.need(a, "variable"));
        ExprId e = expression(in_.need(a, "value"));
        if (!id || !e) continue;
        if (!types_->fits((*pool_)[e].type, pool_->variable(id).type)) {
            in_.report(codes::json_expression, a, "the value has another type than its variable");
            continue;
        }
        all.push_back({id, e});
    }
    return all;
}

}  // namespace treaty::formats
