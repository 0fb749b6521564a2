// A compiler of one pass, and the loop that runs what it makes.
//
// Every sub-expression has a register. What kind of value a register holds is known when the code is made,
// and is checked whenever a value is read from the environment or from another value; anything unexpected
// ends the run, and evaluate.h decides. So does a fault: its reason is the business of evaluate.h alone.
#include "expr/program.h"

#include <algorithm>
#include <optional>
#include <span>

#include <re2/re2.h>

#include "expr/collections.h"
#include "expr/operations.h"

namespace treaty::expr {
namespace {

using Int = std::int64_t;
using Register = std::uint32_t;

enum class Do : std::uint8_t {
    number,    // to = b as it is
    literal,   // to = the literal `id`
    variable,  // to = the variable b
    copy,      // to = a
    add,
    subtract,
    multiply,
    negate,
    invert,  // truth values
    equal,   // numbers
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    same,  // any values: equal, and so on
    not_same,
    before,
    not_after,
    after,
    not_before,
    jump,     // to `to`
    jump_if,  // a, to `to`
    jump_unless,
    field,  // to = part b of a
    held,   // to = what the optional a holds
    has,
    at_place,  // to = a[b]
    at_key,
    in_list,  // to = a in b
    in_set,
    in_keys,  // to = a in keys(b)
    size,
    matches,
    apply,   // to = the operator of `id`, of the operands from a on, b of them
    charge,  // the cost of copying a
    begin,   // to = the collection to be made, or the truth value b, and its position is 0
    next,    // to = the next item of the collection a, whose position is in register a + 1; else go on at b
    next_key,
    add_item,   // a to the list in `to`
    keep_item,  // b to the list in `to` if a holds
    all,        // to = to and a
    any,
    accumulate,  // to = a, in memory of its own
};

struct Step {
    Do what;
    TypeKind kind = TypeKind::unknown;  // of the result
    Register to = 0, a = 0;
    Int b = 0;
    ExprId id = {};
};

bool in_register(TypeKind kind) {
    return kind == TypeKind::boolean || kind == TypeKind::integer || kind == TypeKind::enumeration;
}

struct Program {
    bool compiled = false;
    std::vector<Step> steps;
    std::vector<std::pair<Register, TypeKind>> operands;  // of `apply`
    std::uint32_t registers = 0;
    Register result = 0;
    TypeKind kind = TypeKind::unknown;
};

class Compiler {
public:
    explicit Compiler(const Pool& pool) : pool_(pool) {}

    Program run(ExprId root) {
        program_.kind = kind_of(root);
        program_.result = compile(root);
        program_.compiled = possible_;
        return std::move(program_);
    }

private:
    static constexpr std::size_t most_steps = 3000;
    static constexpr unsigned deepest = 200, most_calls = 20;

    struct Held {
        VarId variable;
        Register place;
        TypeKind kind;
    };
    using Scope = std::vector<Held>;

    TypeKind kind_of(ExprId e) const { return pool_.types().kind(pool_[e].type); }

    // Whether a value of the first type is the same where the second is wanted: integers are not yet reals.
    bool same_values(TypeId from, TypeId to) const {
        return pool_.types().base(from) == pool_.types().base(to) || !may_hold_reals(to, 0);
    }
    bool may_hold_reals(TypeId id, unsigned depth) const {
        const Type& type = pool_.types()[id];
        if (type.kind == TypeKind::real || depth > 16) return true;
        if (type.kind == TypeKind::record)
            return std::any_of(type.fields.begin(), type.fields.end(),
                               [&](const Field& f) { return may_hold_reals(f.type, depth + 1); });
        return type.element && may_hold_reals(type.element, depth + 1);
    }

    Register fresh(std::uint32_t count = 1) {
        Register first = program_.registers;
        program_.registers += count;
        return first;
    }
    std::size_t emit(Step step) {
        program_.steps.push_back(step);
        if (program_.steps.size() > most_steps) possible_ = false;
        return program_.steps.size() - 1;
    }
    std::uint32_t here() const { return static_cast<std::uint32_t>(program_.steps.size()); }
    void land(std::size_t jump) { program_.steps[jump].to = here(); }
    Register give_up() {
        possible_ = false;
        return 0;
    }

    Register compile(ExprId e) {
        if (pool_[e].op == Op::var)
            if (const Held* held = find(pool_.var_of(e)))
                return in_register(held->kind) == in_register(kind_of(e)) ? held->place : give_up();
        Register to = fresh();
        compile(e, to);
        return to;
    }

    const Held* find(VarId v) const {
        auto held =
            std::find_if(scope_.begin(), scope_.end(), [&](const Held& h) { return h.variable == v; });
        return held == scope_.end() ? nullptr : &*held;
    }

    void compile(ExprId e, Register to) {
        if (!possible_ || ++depth_ > deepest) {
            possible_ = false;
            return;
        }
        compile_node(e, to);
        --depth_;
    }

    void compile_node(ExprId e, Register to) {
        const Node& node = pool_[e];
        TypeKind kind = kind_of(e);
        std::vector<ExprId> c(pool_.children(e).begin(), pool_.children(e).end());
        switch (node.op) {
            case Op::literal: emit({Do::literal, kind, to, 0, 0, e}); return;
            case Op::var: return variable(e, kind, to);
            case Op::logical_and: return both(c, Do::jump_unless, to);
            case Op::logical_or: return both(c, Do::jump_if, to);
            case Op::implies: return implies(c, to);
            case Op::if_else: return choose(e, c, to);
            case Op::call: return call(e, c, to);
            case Op::for_all:
            case Op::exists:
            case Op::each:
            case Op::select:
            case Op::fold: return items(e, c, to);
            case Op::logical_not: return unary(Do::invert, c, kind, to);
            case Op::negate:
                if (kind == TypeKind::integer) return unary(Do::negate, c, kind, to);
                break;
            case Op::has: return unary(Do::has, c, kind, to);
            case Op::value: return unary(Do::held, c, kind, to);
            case Op::size: return unary(Do::size, c, kind, to);
            case Op::field: {
                Register a = compile(c[0]);
                emit({Do::field, kind, to, a, node.payload, e});
                return;
            }
            case Op::matches: {
                Register a = compile(c[0]);
                emit({Do::matches, kind, to, a, 0, e});
                return;
            }
            case Op::add:
            case Op::subtract:
            case Op::multiply:
                if (kind == TypeKind::integer && kind_of(c[0]) == kind && kind_of(c[1]) == kind)
                    return binary(node.op == Op::add        ? Do::add
                                  : node.op == Op::subtract ? Do::subtract
                                                            : Do::multiply,
                                  c, kind, to);
                break;
            case Op::equal:
            case Op::not_equal:
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal:
                if (compare(node.op, c, to)) return;
                break;
            case Op::at:
                if (kind_of(c[0]) == TypeKind::map || kind_of(c[1]) == TypeKind::integer)
                    return binary(kind_of(c[0]) == TypeKind::map ? Do::at_key : Do::at_place, c, kind, to);
                break;
            case Op::member:
                if (member(c, to)) return;
                break;
            default: break;
        }
        apply_to(e, c, kind, to);
    }

    void variable(ExprId e, TypeKind kind, Register to) {
        const Held* held = find(pool_.var_of(e));
        if (!held) {
            emit({Do::variable, pool_.types().kind(pool_.variable(pool_.var_of(e)).type), to, 0,
                  pool_.var_of(e).index, e});
        } else if (in_register(held->kind) == in_register(kind)) {
            emit({Do::copy, kind, to, held->place, 0, e});
        } else {
            possible_ = false;
        }
    }

    void unary(Do what, const std::vector<ExprId>& c, TypeKind kind, Register to) {
        Register a = compile(c[0]);
        emit({what, kind, to, a, 0, c[0]});
    }
    void binary(Do what, const std::vector<ExprId>& c, TypeKind kind, Register to) {
        Register a = compile(c[0]);
        Register b = compile(c[1]);
        emit({what, kind, to, a, b, c[1]});
    }

    void both(const std::vector<ExprId>& c, Do decided, Register to) {
        compile(c[0], to);
        std::size_t jump = emit({decided, TypeKind::boolean, 0, to});
        compile(c[1], to);
        land(jump);
    }

    void implies(const std::vector<ExprId>& c, Register to) {
        compile(c[0], to);
        std::size_t jump = emit({Do::jump_if, TypeKind::boolean, 0, to});
        emit({Do::number, TypeKind::boolean, to, 0, 1});
        std::size_t end = emit({Do::jump});
        land(jump);
        compile(c[1], to);
        land(end);
    }

    void choose(ExprId e, const std::vector<ExprId>& c, Register to) {
        for (std::size_t i : {1u, 2u})
            if (!same_values(pool_[c[i]].type, pool_[e].type) ||
                in_register(kind_of(c[i])) != in_register(kind_of(e)))
                possible_ = false;
        Register condition = compile(c[0]);
        std::size_t otherwise = emit({Do::jump_unless, TypeKind::boolean, 0, condition});
        compile(c[1], to);
        std::size_t end = emit({Do::jump});
        land(otherwise);
        compile(c[2], to);
        land(end);
    }

    bool compare(Op op, const std::vector<ExprId>& c, Register to) {
        TypeKind kind = kind_of(c[0]);
        bool numbers = in_register(kind) && kind_of(c[1]) == kind;
        bool same_type = pool_.types().base(pool_[c[0]].type) == pool_.types().base(pool_[c[1]].type);
        if (!numbers && (!same_type || in_register(kind))) return false;
        static constexpr Do of_numbers[] = {Do::equal,      Do::not_equal, Do::less,
                                            Do::less_equal, Do::greater,   Do::greater_equal};
        static constexpr Do of_values[] = {Do::same,      Do::not_same, Do::before,
                                           Do::not_after, Do::after,    Do::not_before};
        auto which = static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::equal);
        binary(numbers ? of_numbers[which] : of_values[which], c, TypeKind::boolean, to);
        return true;
    }

    bool member(const std::vector<ExprId>& c, Register to) {
        const Type& type = pool_.types()[pool_[c[1]].type];
        if (type.kind == TypeKind::set && pool_[c[1]].op == Op::keys) {
            Register a = compile(c[0]);
            Register b = compile(pool_.children(c[1])[0]);
            emit({Do::in_keys, TypeKind::boolean, to, a, b, c[0]});
            return true;
        }
        bool list = type.kind == TypeKind::list;
        if (!list && type.kind != TypeKind::set) return false;
        if (list && pool_.types().base(type.element) != pool_.types().base(pool_[c[0]].type)) return false;
        Register a = compile(c[0]);
        Register b = compile(c[1]);
        emit({list ? Do::in_list : Do::in_set, TypeKind::boolean, to, a, b, c[0]});
        return true;
    }

    void apply_to(ExprId e, const std::vector<ExprId>& c, TypeKind kind, Register to) {
        std::vector<std::pair<Register, TypeKind>> operands;
        for (ExprId child : c) {
            Register place = compile(child);
            operands.emplace_back(place, kind_of(child));
        }
        auto first = static_cast<Register>(program_.operands.size());
        program_.operands.insert(program_.operands.end(), operands.begin(), operands.end());
        emit({Do::apply, kind, to, first, static_cast<Int>(operands.size()), e});
    }

    // The arguments for the parameters from this one on.
    Scope arguments(const Function& function, std::size_t first, std::span<const ExprId> given) {
        Scope inner;
        for (std::size_t i = 0; i < given.size(); ++i) {
            TypeId wanted = pool_.variable(function.parameters[first + i]).type;
            if (!same_values(pool_[given[i]].type, wanted)) possible_ = false;
            Register place = compile(given[i]);
            TypeKind kind = kind_of(given[i]);
            if (!in_register(kind)) emit({Do::charge, kind, 0, place});
            inner.push_back({function.parameters[first + i], place, kind});
        }
        return inner;
    }

    void inside(Scope inner, ExprId body, Register to) {
        std::swap(scope_, inner);
        compile(body, to);
        std::swap(scope_, inner);
    }

    void call(ExprId e, const std::vector<ExprId>& c, Register to) {
        const Function& function = pool_.function(FunctionId(pool_[e].payload));
        if (!function.body || ++calls_ > most_calls ||
            !same_values(pool_[function.body].type, function.result) ||
            in_register(kind_of(function.body)) != in_register(kind_of(e))) {
            possible_ = false;
            return;
        }
        inside(arguments(function, 0, c), function.body, to);
        --calls_;
    }

    void items(ExprId e, const std::vector<ExprId>& c, Register to) {
        Op op = pool_[e].op;
        const Function& function = pool_.function(FunctionId(pool_[e].payload));
        TypeKind of_collection = kind_of(c[0]);
        bool map = of_collection == TypeKind::map;
        if (!function.body || !same_values(pool_[function.body].type, function.result) ||
            ++calls_ > most_calls ||
            (of_collection != TypeKind::list && of_collection != TypeKind::set && !map)) {
            possible_ = false;
            return;
        }
        Register collection = fresh(2);  // and the position in it
        compile(c[0], collection);
        Scope inner = arguments(function, 1, std::span(c).subspan(1));
        TypeKind item_kind = pool_.types().kind(pool_.variable(function.parameters[0]).type);
        Register item = fresh(), made = fresh();
        inner.insert(inner.begin(), {function.parameters[0], item, item_kind});
        TypeKind result_kind = kind_of(e), body_kind = kind_of(function.body);
        if (op == Op::fold) {
            if (in_register(body_kind) != in_register(inner[1].kind) ||
                in_register(result_kind) != in_register(body_kind)) {
                possible_ = false;
                return;
            }
            emit({Do::accumulate, body_kind, made, inner[1].place});
            emit({Do::begin, TypeKind::unknown, collection + 1, 0});
            inner[1].place = made;
        } else {
            bool list = op == Op::each || op == Op::select;
            emit({Do::begin, list ? TypeKind::list : TypeKind::boolean, made, collection + 1,
                  op == Op::for_all});
        }
        std::uint32_t again = here();
        std::size_t next = emit({map ? Do::next_key : Do::next, item_kind, item, collection});
        Register result = fresh();
        inside(inner, function.body, result);
        switch (op) {
            case Op::fold: emit({Do::accumulate, body_kind, made, result}); break;
            case Op::each: emit({Do::add_item, body_kind, made, result}); break;
            case Op::select: emit({Do::keep_item, item_kind, made, result, item}); break;
            default: emit({op == Op::for_all ? Do::all : Do::any, TypeKind::boolean, made, result}); break;
        }
        emit({Do::jump, TypeKind::unknown, again});
        program_.steps[next].b = here();
        emit({Do::copy, result_kind, to, made});
        --calls_;
    }

    const Pool& pool_;
    Program program_;
    Scope scope_;
    unsigned depth_ = 0, calls_ = 0;
    bool possible_ = true;
};

struct Cell {
    Int number = 0;
    const Value* value = nullptr;
};

Value value_of_number(TypeKind kind, Int n) {
    if (kind == TypeKind::boolean) return n != 0;
    if (kind == TypeKind::enumeration) return EnumMember{static_cast<std::uint32_t>(n)};
    return n;
}

// Runs programs one after the other, in memory that is kept.
class Machine {
public:
    explicit Machine(const Pool& pool) : pool_(pool) {}

    // False: evaluate.h has to be asked.
    bool run(const Program& program, const Environment& environment) {
        if (cells_.size() < program.registers) cells_.resize(program.registers);
        if (own_.size() < program.registers) own_.resize(program.registers);
        environment_ = &environment;
        work_ = Work(most_work);
        for (std::size_t at = 0; at < program.steps.size();) {
            if (!work_.charge(1)) return false;
            const Step& step = program.steps[at++];
            if (!execute(program, step, at)) return false;
        }
        return true;
    }

    Int number(Register r) const { return cells_[r].number; }
    Value value(Register r, TypeKind kind) const {
        return in_register(kind) ? value_of_number(kind, cells_[r].number) : *cells_[r].value;
    }

private:
    static constexpr std::size_t most_work = 400'000;  // a tenth of evaluate.h's: it decides beyond

    bool load(Register to, const Value& from, TypeKind kind) {
        Cell& cell = cells_[to];
        switch (kind) {
            case TypeKind::boolean:
                if (auto* x = std::get_if<bool>(&from.v)) return cell.number = *x, true;
                return false;
            case TypeKind::integer:
                if (auto* x = std::get_if<Int>(&from.v)) return cell.number = *x, true;
                return false;
            case TypeKind::enumeration:
                if (auto* x = std::get_if<EnumMember>(&from.v)) return cell.number = x->index, true;
                return false;
            case TypeKind::real:
                if (!std::holds_alternative<double>(from.v)) return false;
                break;
            case TypeKind::string:
                if (!std::holds_alternative<std::string>(from.v)) return false;
                break;
            case TypeKind::bytes:
                if (!std::holds_alternative<Bytes>(from.v)) return false;
                break;
            case TypeKind::unknown: break;
            default:
                if (!std::holds_alternative<Sequence>(from.v)) return false;
        }
        cell.value = &from;
        return true;
    }
    bool give(Register to, Value value, TypeKind kind) {
        own_[to] = std::move(value);
        return load(to, own_[to], kind);
    }
    bool truth(Register to, bool value) {
        cells_[to].number = value;
        return true;
    }
    const Sequence* sequence(Register r) const { return std::get_if<Sequence>(&cells_[r].value->v); }

    // The register as a value, whatever kind it is of.
    const Value& as_value(Register r, TypeKind kind, Value& room) const {
        if (!in_register(kind)) return *cells_[r].value;
        room = value_of_number(kind, cells_[r].number);
        return room;
    }

    bool compare(const Step& step) {
        const Value& a = *cells_[step.a].value;
        const Value& b = *cells_[static_cast<Register>(step.b)].value;
        if (!work_.charge(std::min(weight(a), weight(b)))) return false;
        switch (step.what) {
            case Do::same: return truth(step.to, a == b);
            case Do::not_same: return truth(step.to, !(a == b));
            case Do::before: return truth(step.to, a < b);
            case Do::not_after: return truth(step.to, !(b < a));
            case Do::after: return truth(step.to, b < a);
            default: return truth(step.to, !(a < b));
        }
    }

    bool in(const Step& step) {
        const Sequence* held = sequence(static_cast<Register>(step.b));
        if (!held) return false;
        Value room;
        const Value& wanted = as_value(step.a, pool_.types().kind(pool_[step.id].type), room);
        if (step.what == Do::in_keys) return truth(step.to, find_key(*held, wanted) != nullptr);
        if (step.what == Do::in_set) return truth(step.to, has_item(*held, wanted));
        if (!work_.charge(held->items.size())) return false;
        return truth(step.to, std::find(held->items.begin(), held->items.end(), wanted) != held->items.end());
    }

    bool at(const Step& step) {
        const Sequence* held = sequence(step.a);
        if (!held) return false;
        auto b = static_cast<Register>(step.b);
        if (step.what == Do::at_key) {
            Value room;
            const Value* found = find_key(*held, as_value(b, pool_.types().kind(pool_[step.id].type), room));
            return found && load(step.to, *found, step.kind);
        }
        Int index = cells_[b].number;
        if (index < 0 || static_cast<std::size_t>(index) >= held->items.size()) return false;
        return load(step.to, held->items[static_cast<std::size_t>(index)], step.kind);
    }

    bool size(const Step& step) {
        const Value& of = *cells_[step.a].value;
        if (auto* text = text_of(of)) return cells_[step.to].number = static_cast<Int>(text->size()), true;
        auto* held = std::get_if<Sequence>(&of.v);
        return held && (cells_[step.to].number = static_cast<Int>(held->items.size()), true);
    }

    bool apply(const Program& program, const Step& step) {
        auto count = static_cast<std::size_t>(step.b);
        operands_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            auto [place, kind] = program.operands[step.a + i];
            if (in_register(kind))
                operands_.emplace_back(value_of_number(kind, cells_[place].number));
            else
                operands_.emplace_back(cells_[place].value);
        }
        Operand result;
        if (!expr::apply(pool_, step.id, operands_, work_, &result).empty()) return false;
        if (const Value* elsewhere = result.elsewhere()) return load(step.to, *elsewhere, step.kind);
        return give(step.to, result.take(), step.kind);
    }

    bool next(const Step& step, std::size_t& at) {
        const Sequence* held = sequence(step.a);
        if (!held) return false;
        auto position = static_cast<std::size_t>(cells_[step.a + 1].number);
        if (position >= held->items.size()) {
            at = static_cast<std::size_t>(step.b);
            return true;
        }
        ++cells_[step.a + 1].number;
        const Value& item = held->items[position];
        const Value& given = step.what == Do::next_key ? item.items()[0] : item;
        return work_.charge(weight(given)) && load(step.to, given, step.kind);
    }

    bool execute(const Program& program, const Step& step, std::size_t& at) {
        Int& to = cells_[step.to < cells_.size() ? step.to : 0].number;
        Int a = cells_[step.a < cells_.size() ? step.a : 0].number;
        switch (step.what) {
            case Do::number: to = step.b; return true;
            case Do::literal: return load(step.to, pool_.literal_of(step.id), step.kind);
            case Do::variable: {
                const Value* value = environment_->get(VarId(static_cast<std::uint32_t>(step.b)));
                return value && load(step.to, *value, step.kind);
            }
            case Do::copy: cells_[step.to] = cells_[step.a]; return true;
            case Do::add: return !__builtin_add_overflow(a, second(step), &to);
            case Do::subtract: return !__builtin_sub_overflow(a, second(step), &to);
            case Do::multiply: return !__builtin_mul_overflow(a, second(step), &to);
            case Do::negate: return !__builtin_sub_overflow(Int{0}, a, &to);
            case Do::invert: to = !a; return true;
            case Do::equal: to = a == second(step); return true;
            case Do::not_equal: to = a != second(step); return true;
            case Do::less: to = a < second(step); return true;
            case Do::less_equal: to = a <= second(step); return true;
            case Do::greater: to = a > second(step); return true;
            case Do::greater_equal: to = a >= second(step); return true;
            case Do::same:
            case Do::not_same:
            case Do::before:
            case Do::not_after:
            case Do::after:
            case Do::not_before: return compare(step);
            case Do::jump: at = step.to; return true;
            case Do::jump_if:
                if (a != 0) at = step.to;
                return true;
            case Do::jump_unless:
                if (a == 0) at = step.to;
                return true;
            case Do::field: {
                const Sequence* held = sequence(step.a);
                auto part = static_cast<std::size_t>(step.b);
                return held && part < held->items.size() && load(step.to, held->items[part], step.kind);
            }
            case Do::held: {
                const Sequence* held = sequence(step.a);
                return held && !held->items.empty() && load(step.to, held->items[0], step.kind);
            }
            case Do::has: {
                const Sequence* held = sequence(step.a);
                return held && truth(step.to, !held->items.empty());
            }
            case Do::at_place:
            case Do::at_key: return this->at(step);
            case Do::in_list:
            case Do::in_set:
            case Do::in_keys: return in(step);
            case Do::size: return size(step);
            case Do::matches: {
                const std::string* text = text_of(*cells_[step.a].value);
                const re2::RE2* pattern = pool_.pattern_of(step.id);
                if (!text || !pattern || !work_.charge(text->size() / 8)) return false;
                return truth(step.to, re2::RE2::FullMatch(*text, *pattern));
            }
            case Do::apply: return apply(program, step);
            case Do::charge: return work_.charge(weight(*cells_[step.a].value));
            case Do::begin: return begin(step);
            case Do::next:
            case Do::next_key: return next(step, at);
            case Do::add_item: return add_item(step.to, step.a, step.kind);
            case Do::keep_item: return a == 0 || add_item(step.to, static_cast<Register>(step.b), step.kind);
            case Do::all: to = to && a; return true;
            case Do::any: to = to || a; return true;
            case Do::accumulate:
                if (in_register(step.kind)) return to = a, true;
                if (cells_[step.a].value == &own_[step.to]) return true;
                if (!work_.charge(weight(*cells_[step.a].value))) return false;
                return give(step.to, Value(*cells_[step.a].value), step.kind);
        }
        return false;
    }

    Int second(const Step& step) const { return cells_[static_cast<Register>(step.b)].number; }

    bool begin(const Step& step) {
        if (step.kind == TypeKind::unknown) return cells_[step.to].number = 0, true;
        cells_[step.a].number = 0;
        if (step.kind == TypeKind::boolean) return cells_[step.to].number = step.b, true;
        return give(step.to, Value(Sequence{}), TypeKind::list);
    }

    bool add_item(Register list, Register item, TypeKind kind) {
        if (!in_register(kind) && !work_.charge(weight(*cells_[item].value))) return false;
        std::get<Sequence>(own_[list].v).items.push_back(value(item, kind));
        return true;
    }

    const Pool& pool_;
    const Environment* environment_ = nullptr;
    std::vector<Cell> cells_;
    std::vector<Value> own_;  // what was made for a register
    std::vector<Operand> operands_;
    Work work_{0};
};

}  // namespace

struct Programs::Impl {
    const Pool& pool;
    Machine machine;
    absl::flat_hash_map<ExprId, std::unique_ptr<const Program>> known;
    std::size_t plain = 0;

    explicit Impl(const Pool& p) : pool(p), machine(p) {}

    const Program& program(ExprId e) {
        constexpr std::size_t most = 50'000;
        auto found = known.find(e);
        if (found != known.end()) return *found->second;
        if (known.size() >= most) known.clear();
        return *(known[e] = std::make_unique<const Program>(Compiler(pool).run(e)));
    }
    bool run(const Program& program, const Environment& environment) {
        if (program.compiled && machine.run(program, environment)) return true;
        ++plain;
        return false;
    }
};

Programs::Programs(const Pool& pool) : impl_(std::make_unique<Impl>(pool)) {}
Programs::~Programs() = default;
Programs::Programs(Programs&&) noexcept = default;

Result Programs::evaluate(ExprId expression, const Environment& environment) {
    const Program& program = impl_->program(expression);
    if (!impl_->run(program, environment)) return expr::evaluate(impl_->pool, expression, environment);
    return impl_->machine.value(program.result, program.kind);
}

bool Programs::satisfied(ExprId condition, const Environment& environment) {
    const Program& program = impl_->program(condition);
    if (program.kind != TypeKind::boolean || !impl_->run(program, environment))
        return expr::satisfied(impl_->pool, condition, environment);
    return impl_->machine.number(program.result) != 0;
}

std::size_t Programs::plain_count() const {
    return impl_->plain;
}

}  // namespace treaty::expr
