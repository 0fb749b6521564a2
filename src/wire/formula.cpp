#include "wire/formula.h"

#include <algorithm>

#include "expr/evaluate.h"

namespace treaty::wire {

using expr::ExprId;
using expr::Op;
using expr::TypeKind;

expr::Value value_of(const expr::Types& types, expr::TypeId type, const Cell& cell) {
    switch (types.kind(type)) {
        case TypeKind::boolean: return cell.number != 0;
        case TypeKind::integer: return cell.number;
        case TypeKind::enumeration: return expr::EnumMember{static_cast<std::uint32_t>(cell.number)};
        case TypeKind::string: return std::string(cell.text);
        case TypeKind::bytes: return expr::Bytes{std::string(cell.text)};
        default: return cell.value ? *cell.value : expr::Value(expr::Sequence{});
    }
}

Formula::Formula(const expr::Pool& pool, ExprId expression, const CellMap& cells)
    : pool_(&pool), expression_(expression) {
    if (!expression) return;
    for (expr::VarId v : pool.variables_of(expression))
        if (auto it = cells.find(v); it != cells.end()) {
            variables_.emplace_back(v, it->second);
            uses_.push_back(it->second);
        }
    if (pool[expression].op == Op::var && !uses_.empty()) plain_cell_ = uses_[0];
    is_cases_ = find_cases(cells);
    compiled_ = compile(expression, cells, 0);
    if (!compiled_) program_.clear();
}

bool Formula::leaf(ExprId e, const CellMap& cells, Leaf& out) const {
    const expr::Node& n = (*pool_)[e];
    TypeKind kind = pool_->types().kind(n.type);
    if (kind != TypeKind::integer && kind != TypeKind::boolean && kind != TypeKind::enumeration) return false;
    if (n.op == Op::literal) {
        const expr::Value& v = pool_->literal_of(e);
        if (auto i = std::get_if<std::int64_t>(&v.v))
            out = {Leaf::Kind::constant, *i};
        else if (auto b = std::get_if<bool>(&v.v))
            out = {Leaf::Kind::constant, *b ? 1 : 0};
        else if (auto m = std::get_if<expr::EnumMember>(&v.v))
            out = {Leaf::Kind::constant, static_cast<std::int64_t>(m->index)};
        else
            return false;
        return true;
    }
    bool sized = n.op == Op::size;
    ExprId of = sized ? pool_->children(e)[0] : e;
    if ((*pool_)[of].op != Op::var) return false;
    auto it = cells.find(pool_->var_of(of));
    if (it == cells.end()) return false;
    bool list = sized && pool_->types().kind((*pool_)[of].type) == TypeKind::list;
    out = {sized && !list ? Leaf::Kind::size : Leaf::Kind::number, it->second};
    return true;
}

bool Formula::comparison(ExprId e, const CellMap& cells, Case& out) const {
    switch ((*pool_)[e].op) {
        case Op::equal: out.compare = Code::equal; break;
        case Op::not_equal: out.compare = Code::not_equal; break;
        case Op::less: out.compare = Code::less; break;
        case Op::less_equal: out.compare = Code::less_equal; break;
        case Op::greater: out.compare = Code::greater; break;
        case Op::greater_equal: out.compare = Code::greater_equal; break;
        default: return false;
    }
    Leaf right;
    auto children = pool_->children(e);
    if (!leaf(children[0], cells, out.left) || !leaf(children[1], cells, right)) return false;
    out.right = right.value;
    return right.kind == Leaf::Kind::constant;
}

bool Formula::find_cases(const CellMap& cells) {
    ExprId e = expression_;
    Case one;
    if (comparison(e, cells, one)) {
        one.result.value = 1;
        cases_.push_back(one);
        return true;
    }
    while ((*pool_)[e].op == Op::if_else && cases_.size() < 8) {
        auto children = pool_->children(e);
        if (!comparison(children[0], cells, one) || !leaf(children[1], cells, one.result)) break;
        cases_.push_back(one);
        e = children[2];
    }
    return leaf(e, cells, otherwise_);
}

// Postfix code; false for what only evaluate() can do.
bool Formula::compile(ExprId e, const CellMap& cells, unsigned depth) {
    constexpr unsigned deepest = 24;  // of the stack that number() runs on
    const expr::Node& n = (*pool_)[e];
    TypeKind kind = pool_->types().kind(n.type);
    bool scalar = kind == TypeKind::integer || kind == TypeKind::boolean || kind == TypeKind::enumeration;
    if (!scalar || depth > deepest || program_.size() > 500) return false;
    auto children = pool_->children(e);
    auto emit = [&](Code code, std::int64_t operand = 0) { program_.push_back({code, operand}); };
    auto two = [&](Code code) {
        for (std::size_t i = 0; i < 2; ++i) {
            TypeKind k = pool_->types().kind((*pool_)[children[i]].type);
            if (k != TypeKind::integer && k != TypeKind::boolean && k != TypeKind::enumeration) return false;
        }
        if (!compile(children[0], cells, depth) || !compile(children[1], cells, depth + 1)) return false;
        emit(code);
        return true;
    };
    auto one = [&](Code code) {
        if (!compile(children[0], cells, depth)) return false;
        emit(code);
        return true;
    };
    // a and b: a, stop if false, else b.
    auto lazy = [&](Code stop, bool negate_first) {
        if (!compile(children[0], cells, depth)) return false;
        if (negate_first) emit(Code::logical_not);
        std::size_t at = program_.size();
        emit(stop);
        if (!compile(children[1], cells, depth)) return false;
        program_[at].operand = static_cast<std::int64_t>(program_.size());
        return true;
    };
    switch (n.op) {
        case Op::literal: {
            const expr::Value& v = pool_->literal_of(e);
            if (auto i = std::get_if<std::int64_t>(&v.v))
                emit(Code::constant, *i);
            else if (auto b = std::get_if<bool>(&v.v))
                emit(Code::constant, *b ? 1 : 0);
            else if (auto m = std::get_if<expr::EnumMember>(&v.v))
                emit(Code::constant, m->index);
            else
                return false;
            return true;
        }
        case Op::var: {
            auto it = cells.find(pool_->var_of(e));
            if (it == cells.end()) return false;
            emit(Code::cell, it->second);
            return true;
        }
        case Op::size: {
            if ((*pool_)[children[0]].op != Op::var) return false;
            auto it = cells.find(pool_->var_of(children[0]));
            if (it == cells.end()) return false;
            TypeKind of = pool_->types().kind((*pool_)[children[0]].type);
            emit(of == TypeKind::list ? Code::cell : Code::size_of, it->second);
            return true;
        }
        case Op::add: return two(Code::add);
        case Op::subtract: return two(Code::subtract);
        case Op::multiply: return two(Code::multiply);
        case Op::divide: return two(Code::divide);
        case Op::modulo: return two(Code::modulo);
        case Op::min: return two(Code::min);
        case Op::max: return two(Code::max);
        case Op::equal: return two(Code::equal);
        case Op::not_equal: return two(Code::not_equal);
        case Op::less: return two(Code::less);
        case Op::less_equal: return two(Code::less_equal);
        case Op::greater: return two(Code::greater);
        case Op::greater_equal: return two(Code::greater_equal);
        case Op::negate: return one(Code::negate);
        case Op::abs: return one(Code::abs);
        case Op::logical_not: return one(Code::logical_not);
        case Op::logical_and: return lazy(Code::jump_if_false, false);
        case Op::logical_or: return lazy(Code::jump_if_true, false);
        case Op::implies: return lazy(Code::jump_if_true, true);
        case Op::if_else: {
            if (!compile(children[0], cells, depth)) return false;
            std::size_t otherwise = program_.size();
            emit(Code::to_bool);  // pops; jumps to after the first branch if false
            if (!compile(children[1], cells, depth)) return false;
            std::size_t leave = program_.size();
            emit(Code::jump);
            program_[otherwise].operand = static_cast<std::int64_t>(program_.size());
            if (!compile(children[2], cells, depth)) return false;
            program_[leave].operand = static_cast<std::int64_t>(program_.size());
            return true;
        }
        default: return false;
    }
}

std::optional<expr::Value> Formula::evaluate(const Scratch& scratch) const {
    expr::Environment environment;
    for (auto [variable, cell] : variables_)
        environment.set(variable,
                        value_of(pool_->types(), pool_->variable(variable).type, scratch.cells[cell]));
    expr::Result result = expr::evaluate(*pool_, expression_, environment);
    if (auto value = std::get_if<expr::Value>(&result)) return std::move(*value);
    return std::nullopt;
}

std::optional<std::int64_t> Formula::computed(const Scratch& scratch) const {
    if (!compiled_) {
        auto value = evaluate(scratch);
        if (!value) return std::nullopt;
        if (auto i = std::get_if<std::int64_t>(&value->v)) return *i;
        if (auto b = std::get_if<bool>(&value->v)) return *b ? 1 : 0;
        if (auto m = std::get_if<expr::EnumMember>(&value->v)) return m->index;
        return std::nullopt;
    }
    std::int64_t stack[32];
    std::size_t top = 0;  // the next free one
    for (std::size_t pc = 0; pc < program_.size(); ++pc) {
        const Instruction& i = program_[pc];
        switch (i.code) {
            case Code::constant: stack[top++] = i.operand; continue;
            case Code::cell:
                stack[top++] = scratch.cells[static_cast<std::size_t>(i.operand)].number;
                continue;
            case Code::size_of:
                stack[top++] =
                    static_cast<std::int64_t>(scratch.cells[static_cast<std::size_t>(i.operand)].text.size());
                continue;
            case Code::negate:
                if (__builtin_sub_overflow(std::int64_t{0}, stack[top - 1], &stack[top - 1]))
                    return std::nullopt;
                continue;
            case Code::abs:
                if (stack[top - 1] < 0 &&
                    __builtin_sub_overflow(std::int64_t{0}, stack[top - 1], &stack[top - 1]))
                    return std::nullopt;
                continue;
            case Code::logical_not: stack[top - 1] = stack[top - 1] == 0; continue;
            case Code::jump: pc = static_cast<std::size_t>(i.operand) - 1; continue;
            case Code::to_bool:
                if (stack[--top] == 0) pc = static_cast<std::size_t>(i.operand) - 1;
                continue;
            case Code::jump_if_false:
            case Code::jump_if_true:
                if ((stack[top - 1] != 0) == (i.code == Code::jump_if_true))
                    pc = static_cast<std::size_t>(i.operand) - 1;
                else
                    --top;
                continue;
            default: break;
        }
        std::int64_t b = stack[--top];
        std::int64_t& a = stack[top - 1];
        switch (i.code) {
            case Code::add:
                if (__builtin_add_overflow(a, b, &a)) return std::nullopt;
                break;
            case Code::subtract:
                if (__builtin_sub_overflow(a, b, &a)) return std::nullopt;
                break;
            case Code::multiply:
                if (__builtin_mul_overflow(a, b, &a)) return std::nullopt;
                break;
            case Code::divide:
            case Code::modulo: {
                if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
                std::int64_t quotient = a / b, rest = a % b;
                bool down = rest != 0 && ((rest < 0) != (b < 0));
                a = i.code == Code::divide ? quotient - (down ? 1 : 0) : rest + (down ? b : 0);
                break;
            }
            case Code::min: a = std::min(a, b); break;
            case Code::max: a = std::max(a, b); break;
            case Code::equal: a = a == b; break;
            case Code::not_equal: a = a != b; break;
            case Code::less: a = a < b; break;
            case Code::less_equal: a = a <= b; break;
            case Code::greater: a = a > b; break;
            case Code::greater_equal: a = a >= b; break;
            default: return std::nullopt;
        }
    }
    return stack[0];
}

std::optional<std::string_view> Formula::text(Scratch& scratch) const {
    if (plain_cell_) return scratch.cells[*plain_cell_].text;
    if (pool_->is_literal(expression_)) {
        const expr::Value& v = pool_->literal_of(expression_);
        if (auto b = std::get_if<expr::Bytes>(&v.v)) return std::string_view(b->data);
        if (auto s = std::get_if<std::string>(&v.v)) return std::string_view(*s);
    }
    auto value = evaluate(scratch);
    if (!value) return std::nullopt;
    std::string& kept = scratch.text();
    if (auto b = std::get_if<expr::Bytes>(&value->v))
        kept = std::move(b->data);
    else if (auto s = std::get_if<std::string>(&value->v))
        kept = std::move(*s);
    else
        return std::nullopt;
    return std::string_view(kept);
}

}  // namespace treaty::wire
