// Evaluation with an explicit stack.
//
// A frame is an expression whose operands are being evaluated; finished operands wait on a second stack.
// An operator that needs only some of its operands looks at the first before it asks for the next. A call
// opens a scope with its arguments and evaluates the body in it. What is done for each item of a collection
// is such a body too: its scope stays open, and the item in it changes. An expression may share parts so
// heavily that visiting it as a tree never ends; after a number of steps that ordinary conditions do not
// reach, results are remembered by scope and expression, and from then on every part is evaluated at most
// once a scope.

#include "expr/evaluate.h"

#include <algorithm>
#include <memory>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include "base/hash.h"
#include "expr/operations.h"
#include "expr/quick.h"

namespace treaty::expr {
namespace {

constexpr std::size_t steps_before_remembering = 500;

bool of_kind(const Value& value, TypeKind kind) {
    switch (kind) {
        case TypeKind::unknown: return true;
        case TypeKind::boolean: return std::holds_alternative<bool>(value.v);
        case TypeKind::integer: return std::holds_alternative<std::int64_t>(value.v);
        case TypeKind::real: return std::holds_alternative<double>(value.v);
        case TypeKind::string: return std::holds_alternative<std::string>(value.v);
        case TypeKind::bytes: return std::holds_alternative<Bytes>(value.v);
        case TypeKind::enumeration: return std::holds_alternative<EnumMember>(value.v);
        case TypeKind::record:
        case TypeKind::list:
        case TypeKind::optional:
        case TypeKind::set:
        case TypeKind::map: return std::holds_alternative<Sequence>(value.v);
    }
    return false;
}

auto directly(const Pool& pool, const Environment& environment) {
    return Quick(pool, [&](VarId id) { return environment.get(id); });
}

class Evaluation {
public:
    Evaluation(const Pool& pool, const Environment& environment, std::size_t work)
        : pool_(pool), environment_(environment), work_(work) {}

    Result run(ExprId root) {
        enter(root);
        while (!fault_ && !frames_.empty()) step();
        if (fault_) return std::move(*fault_);
        return operands_.back().take();
    }

private:
    struct Frame {
        ExprId id;
        std::uint32_t next;  // which child to evaluate next
        std::size_t base;    // its operands begin here
    };
    struct Scope {
        FunctionId function;
        std::vector<Value> arguments;
        std::uint32_t serial;
    };
    struct Remembered {
        const Value* elsewhere;
        std::unique_ptr<Value> own;
    };

    void fail(std::string reason, ExprId at) { fault_ = Fault{std::move(reason), at}; }

    std::uint32_t serial() const { return scopes_.empty() ? 0 : scopes_.back()->serial; }
    Operand& top() { return operands_.back(); }

    bool truth(ExprId at) {
        auto* x = std::get_if<bool>(&top().get().v);
        if (!x) fail("a condition is neither true nor false", at);
        return x && *x;
    }

    void enter(ExprId id) {
        if (!work_.charge(1)) return fail(no_work, id);
        ++steps_;
        const Node& node = pool_[id];
        if (node.op == Op::literal) {
            operands_.emplace_back(&pool_.literal_of(id));
        } else if (node.op == Op::var) {
            read(id);
        } else if (!recall(id)) {
            frames_.push_back({id, 0, operands_.size()});
        }
    }

    const Value* find(VarId id) const {
        if (!scopes_.empty()) {
            const Scope& scope = *scopes_.back();
            const auto& parameters = pool_.function(scope.function).parameters;
            auto found = std::find(parameters.begin(), parameters.end(), id);
            if (found != parameters.end())
                return &scope.arguments[static_cast<std::size_t>(found - parameters.begin())];
        }
        return environment_.get(id);
    }

    void read(ExprId id) {
        const Variable& variable = pool_.variable(pool_.var_of(id));
        const Value* value = find(pool_.var_of(id));
        if (!value) return fail(fmt::format("{} has no value", pool_.names().text(variable.name)), id);
        TypeKind kind = pool_.types().kind(variable.type);
        if (of_kind(*value, kind)) {
            operands_.emplace_back(value);
        } else if (kind == TypeKind::real && of_kind(*value, TypeKind::integer)) {
            operands_.emplace_back(Value(static_cast<double>(value->integer())));
        } else {
            fail(fmt::format("the value of {} is not of its type", pool_.names().text(variable.name)), id);
        }
    }

    bool recall(ExprId id) {
        if (steps_ < steps_before_remembering) return false;
        auto found = remembered_.find({serial(), id});
        if (found == remembered_.end()) return false;
        const Remembered& result = found->second;
        operands_.emplace_back(result.elsewhere ? result.elsewhere : result.own.get());
        return true;
    }

    void remember(ExprId id) {
        if (steps_ < steps_before_remembering) return;
        Remembered result{top().elsewhere(), nullptr};
        if (!result.elsewhere) {
            result.own = std::make_unique<Value>(top().take());
            top() = Operand(result.own.get());
        }
        remembered_.insert_or_assign({serial(), id}, std::move(result));
    }

    // The result of the topmost frame is the topmost operand.
    void leave() {
        ExprId id = frames_.back().id;
        frames_.pop_back();
        remember(id);
    }

    void step() {
        Frame& frame = frames_.back();
        const Node& node = pool_[frame.id];
        switch (node.op) {
            case Op::logical_and:
            case Op::logical_or:
            case Op::implies: return step_logic(frame, node.op);
            case Op::if_else: return step_if(frame, node);
            case Op::call: return step_call(frame, node);
            case Op::for_all:
            case Op::exists:
            case Op::each:
            case Op::select:
            case Op::fold: return step_items(frame, node);
            default: break;
        }
        if (frame.next < node.child_count) return enter(pool_.children(frame.id)[frame.next++]);
        Operand result;
        std::string fault =
            apply(pool_, frame.id, std::span<Operand>(operands_).subspan(frame.base), work_, &result);
        if (!fault.empty()) return fail(std::move(fault), frame.id);
        operands_.resize(frame.base);
        operands_.push_back(std::move(result));
        leave();
    }

    void step_logic(Frame& frame, Op op) {
        auto children = pool_.children(frame.id);
        if (frame.next == 0) {
            frame.next = 1;
            return enter(children[0]);
        }
        bool value = truth(children[frame.next - 1]);
        if (fault_) return;
        bool decided = op == Op::logical_or ? value : !value;
        if (frame.next == 1 && !decided) {
            operands_.pop_back();
            frame.next = 2;
            return enter(children[1]);
        }
        if (frame.next == 1 && op == Op::implies) top() = Operand(Value(true));
        leave();
    }

    void step_if(Frame& frame, const Node& node) {
        auto children = pool_.children(frame.id);
        if (frame.next == 0) {
            frame.next = 1;
            return enter(children[0]);
        }
        if (frame.next == 1) {
            bool value = truth(children[0]);
            if (fault_) return;
            operands_.pop_back();
            frame.next = value ? 2 : 3;
            return enter(children[value ? 1 : 2]);
        }
        fit(pool_[children[frame.next - 1]].type, node.type, frame.id);
        if (!fault_) leave();
    }

    void step_call(Frame& frame, const Node& node) {
        FunctionId id(node.payload);
        const Function& function = pool_.function(id);
        if (frame.next < node.child_count) {
            ExprId child = pool_.children(frame.id)[frame.next++];
            return enter(child);
        }
        if (frame.next == node.child_count) {
            if (!function.body) return fail("the function has no body", frame.id);
            ++frame.next;
            open_scope(frame, id, function);
            if (!fault_) enter(function.body);
            return;
        }
        // The result must not refer to the arguments, which end here.
        if (top().elsewhere() && !work_.charge(weight(top().get()))) return fail(no_work, frame.id);
        top() = Operand(top().take());
        scopes_.pop_back();
        fit(pool_[function.body].type, function.result, frame.id);
        if (!fault_) leave();
    }

    // Operands first; after them what has been collected (fold: nothing, the second argument is it). Then one
    // round per item: frame.next counts on.
    void step_items(Frame& frame, const Node& node) {
        std::uint32_t children = node.child_count;
        if (frame.next < children) return enter(pool_.children(frame.id)[frame.next++]);
        const Function& function = pool_.function(FunctionId(node.payload));
        if (frame.next == children) {
            if (!open_items(frame, node, function)) return;
        } else if (!collect(frame, node.op, function)) {
            return;
        }
        const Value& collection = operands_[frame.base].get();
        std::size_t round = frame.next - children;
        if (round == collection.items().size()) return close_items(frame, node.op);
        Scope& scope = *scopes_.back();
        const Value& item = collection.items()[round];
        bool map = pool_.types().kind(pool_[pool_.children(frame.id)[0]].type) == TypeKind::map;
        const Value& given = map ? item.items()[0] : item;
        if (!work_.charge(weight(given))) return fail(no_work, frame.id);
        scope.arguments[0] = given;
        scope.serial = ++last_serial_;
        ++frame.next;
        enter(function.body);
    }

    bool open_items(const Frame& frame, const Node& node, const Function& function) {
        if (!function.body || !std::holds_alternative<Sequence>(operands_[frame.base].get().v)) {
            fail(wrong_kind, frame.id);
            return false;
        }
        auto scope = std::make_unique<Scope>(Scope{FunctionId(node.payload), {Value()}, ++last_serial_});
        for (std::size_t i = 1; i < node.child_count; ++i) {
            const Value& argument = operands_[frame.base + i].get();
            if (!work_.charge(weight(argument))) {
                fail(no_work, frame.id);
                return false;
            }
            TypeId given = pool_[pool_.children(frame.id)[i]].type;
            scope->arguments.push_back(
                converted(argument, given, pool_.variable(function.parameters[i]).type));
        }
        scopes_.push_back(std::move(scope));
        bool list = node.op == Op::each || node.op == Op::select;
        if (node.op != Op::fold)
            operands_.emplace_back(list ? Value(Sequence{}) : Value(node.op == Op::for_all));
        return true;
    }

    // The result of one round is the topmost operand.
    bool collect(const Frame& frame, Op op, const Function& function) {
        if (top().elsewhere() && !work_.charge(weight(top().get()))) {
            fail(no_work, frame.id);
            return false;
        }
        Value result = converted(top().take(), pool_[function.body].type, function.result);
        operands_.pop_back();
        Scope& scope = *scopes_.back();
        if (op == Op::fold) {
            scope.arguments[1] = std::move(result);
            return true;
        }
        Value all = top().take();
        if (op == Op::each) {
            std::get<Sequence>(all.v).items.push_back(std::move(result));
        } else if (auto* truth = std::get_if<bool>(&result.v); !truth) {
            fail(wrong_kind, frame.id);
            return false;
        } else if (op == Op::select) {
            if (*truth) std::get<Sequence>(all.v).items.push_back(std::move(scope.arguments[0]));
        } else if (*truth == (op == Op::exists)) {
            all = *truth;
        }
        top() = Operand(std::move(all));
        return true;
    }

    void close_items(const Frame& frame, Op op) {
        Value result = op == Op::fold ? std::move(scopes_.back()->arguments[1]) : top().take();
        scopes_.pop_back();
        operands_.resize(frame.base);
        operands_.emplace_back(std::move(result));
        leave();
    }

    void open_scope(const Frame& frame, FunctionId id, const Function& function) {
        auto scope = std::make_unique<Scope>(Scope{id, {}, ++last_serial_});
        auto children = pool_.children(frame.id);
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            Operand& argument = operands_[frame.base + i];
            if (argument.elsewhere() && !work_.charge(weight(argument.get()))) return fail(no_work, frame.id);
            TypeId wanted = pool_.variable(function.parameters[i]).type;
            scope->arguments.push_back(converted(argument.take(), pool_[children[i]].type, wanted));
        }
        operands_.resize(frame.base);
        scopes_.push_back(std::move(scope));
    }

    Value converted(Value value, TypeId from, TypeId to) const {
        const Types& types = pool_.types();
        return types.base(from) == types.base(to) ? std::move(value) : convert(std::move(value), to, types);
    }

    // Makes the topmost operand a value of the wanted type.
    void fit(TypeId from, TypeId to, ExprId at) {
        const Types& types = pool_.types();
        if (types.base(from) == types.base(to)) return;
        if (!work_.charge(weight(top().get()))) return fail(no_work, at);
        top() = Operand(convert(top().take(), to, types));
    }

    const Pool& pool_;
    const Environment& environment_;
    Work work_;
    std::size_t steps_ = 0;
    std::uint32_t last_serial_ = 0;
    absl::InlinedVector<Frame, 16> frames_;
    absl::InlinedVector<Operand, 16> operands_;
    std::vector<std::unique_ptr<Scope>> scopes_;  // of the calls under way; operands refer to their arguments
    absl::flat_hash_map<std::pair<std::uint32_t, ExprId>, Remembered> remembered_;
    std::optional<Fault> fault_;
};

}  // namespace

namespace {

std::size_t place_of(const base::SharedVector<std::pair<VarId, Value>>& values, VarId id) {
    auto at = std::lower_bound(values.begin(), values.end(), id,
                               [](const auto& entry, VarId wanted) { return entry.first < wanted; });
    return static_cast<std::size_t>(at - values.begin());
}

}  // namespace

void Environment::set(VarId id, Value value) {
    std::size_t at = place_of(values_, id);
    if (at < values_.size() && std::as_const(values_)[at].first == id)
        values_[at].second = std::move(value);
    else
        values_.insert(std::as_const(values_).begin() + at, {id, std::move(value)});
}

void Environment::clear(VarId id) {
    std::size_t at = place_of(values_, id);
    if (at < values_.size() && std::as_const(values_)[at].first == id)
        values_.erase(std::as_const(values_).begin() + at);
}

const Value* Environment::get(VarId id) const {
    std::size_t at = place_of(values_, id);
    return at < values_.size() && values_[at].first == id ? &values_[at].second : nullptr;
}

bool operator==(const Environment& a, const Environment& b) {
    return a.values_ == b.values_;
}

std::uint64_t hash(const Environment& environment) {
    std::uint64_t h = base::mix(environment.values_.size());
    for (const auto& [variable, value] : environment.values_)
        h = base::combine(base::combine(h, variable.index), hash(value));
    return h;
}

Result evaluate(const Pool& pool, ExprId expression, const Environment& environment, std::size_t work) {
    std::int64_t quick = 0;
    TypeKind kind = pool.types().kind(pool[expression].type);
    bool simple = (kind == TypeKind::integer || kind == TypeKind::boolean) && work >= quick_steps;
    if (simple && directly(pool, environment).find(expression, kind, quick))
        return kind == TypeKind::integer ? Value(quick) : Value(quick != 0);
    return Evaluation(pool, environment, work).run(expression);
}

bool satisfied(const Pool& pool, ExprId condition, const Environment& environment, Fault* fault) {
    std::int64_t quick = 0;
    if (directly(pool, environment).find(condition, TypeKind::boolean, quick)) return quick != 0;
    Result result = evaluate(pool, condition, environment);
    if (auto* found = std::get_if<Fault>(&result)) {
        if (fault) *fault = std::move(*found);
        return false;
    }
    auto* truth = std::get_if<bool>(&std::get<Value>(result).v);
    return truth && *truth;
}

}  // namespace treaty::expr
