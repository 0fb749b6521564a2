#include "solve/solver_translate.h"

#include <cmath>

#include <fmt/format.h>

#include "solve/solver_operations.h"

namespace treaty::solve::smt {
namespace {

using expr::ExprId;
using expr::Function;
using expr::FunctionId;
using expr::Node;
using expr::Op;
using expr::Value;
using expr::Variable;
using expr::VarId;

// How many expressions one question may newly translate: functions that call functions can unfold without
// end.
constexpr std::size_t max_new_parts = 100'000;
constexpr double max_bits = 2048;

double literal_bits(const Value& value) {
    if (auto* x = std::get_if<std::int64_t>(&value.v))
        return std::log2(std::fabs(static_cast<double>(*x)) + 1);
    if (auto* x = std::get_if<double>(&value.v)) {
        int exponent = 0;
        std::frexp(*x, &exponent);
        return 53 + std::abs(exponent - 53);
    }
    return 64;
}

}  // namespace

const Declared* Translator::variable(VarId id) {
    auto [entry, fresh] = variables_.try_emplace(id);
    if (fresh) {
        try {
            entry->second = terms_.declare(pool_.variable(id).type, fmt::format("v{}", id.index));
        } catch (const Untranslatable&) {
        }
    }
    return entry->second ? &*entry->second : nullptr;
}

ExprId Translator::body_of(ExprId call) {
    if (auto found = bodies_.find(call); found != bodies_.end()) return found->second;
    const Function& function = pool_.function(FunctionId(pool_[call].payload));
    ExprId body;
    if (function.body) {
        absl::flat_hash_map<VarId, ExprId> by;
        auto arguments = pool_.children(call);
        for (std::size_t i = 0; i < arguments.size(); ++i) by.emplace(function.parameters[i], arguments[i]);
        body = substitute(pool_, function.body, by);
    }
    bodies_.emplace(call, body);
    return body;
}

Translation Translator::finish(ExprId id) {
    const Node node = pool_[id];
    if (node.op == Op::literal)
        return {terms_.literal(pool_.literal_of(id), node.type),
                std::nullopt,
                {},
                literal_bits(pool_.literal_of(id))};
    if (node.op == Op::var) {
        const Declared* declared = variable(pool_.var_of(id));
        if (declared) return {declared->term, std::nullopt, {}, 64};
        const Variable& v = pool_.variable(pool_.var_of(id));
        throw Untranslatable{fmt::format("the solver cannot represent {}, which is {}",
                                         pool_.names().text(v.name),
                                         pool_.types().print(v.type, pool_.names()))};
    }
    std::vector<const Translation*> operands;
    for (ExprId child : pool_.children(id)) operands.push_back(&done_.at(child));
    if (node.op == Op::call) operands.push_back(&done_.at(bodies_.at(id)));
    for (const Translation* operand : operands)
        if (!operand->problem.empty()) throw Untranslatable{operand->problem};
    if (node.op != Op::call) {
        Translation result = translate_operator(pool_, terms_, id, operands);
        if (result.bits > max_bits) throw Untranslatable{"numbers that grow without measure"};
        return result;
    }
    // Arguments are evaluated first, whether the body needs them or not.
    Translation result{operands.back()->term, std::nullopt, {}, operands.back()->bits};
    for (const Translation* operand : operands) result.defined = both(result.defined, operand->defined);
    const Function& function = pool_.function(FunctionId(node.payload));
    result.term = terms_.convert(result.term, pool_[bodies_.at(id)].type, function.result);
    return result;
}

const Translation& Translator::translate(ExprId root) {
    std::vector<ExprId> pending{root};
    std::size_t limit = done_.size() + max_new_parts;
    while (!pending.empty()) {
        ExprId id = pending.back();
        if (done_.contains(id)) {
            pending.pop_back();
            continue;
        }
        std::size_t before = pending.size();
        for (ExprId child : pool_.children(id))
            if (!done_.contains(child)) pending.push_back(child);
        Translation translation;
        try {
            if (done_.size() >= limit)
                throw Untranslatable{"an expression that is too large with its functions unfolded"};
            if (pending.size() == before && pool_[id].op == Op::call) {
                ExprId body = body_of(id);
                if (!body) throw Untranslatable{"a function without a body"};
                if (!done_.contains(body)) pending.push_back(body);
            }
            if (pending.size() != before) continue;
            translation = finish(id);
        } catch (const Untranslatable& fault) {
            translation.problem = fault.reason;
        } catch (const std::exception& fault) {  // Z3 refuses what is not well typed
            translation.problem = fmt::format("the solver refused an expression: {}", fault.what());
        }
        pending.resize(before - 1);
        done_.emplace(id, std::move(translation));
    }
    return done_.at(root);
}

}  // namespace treaty::solve::smt
