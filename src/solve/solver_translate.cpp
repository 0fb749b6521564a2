#include "solve/solver_translate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expr/item_bodies.h"

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

const std::vector<ExprId>& Translator::bodies_of(ExprId id) {
    if (auto found = bodies_.find(id); found != bodies_.end()) return found->second;
    FunctionId function(pool_[id].payload);
    if (!pool_.function(function).body) throw Untranslatable{"a function without a body"};
    std::vector<ExprId> bodies;
    if (pool_[id].op == Op::call) {
        std::vector<ExprId> arguments(pool_.children(id).begin(), pool_.children(id).end());
        bodies.push_back(apply_function(pool_, function, arguments));
    } else {
        auto items = expr::item_bodies(pool_, id);
        if (!items)
            throw Untranslatable{fmt::format("the solver does not know `{}` of a collection of any size",
                                             expr::about(pool_[id].op).name)};
        bodies = std::move(items->bodies);
        // Of these the items are needed too.
        if (pool_[id].op == Op::select) bodies.insert(bodies.end(), items->items.begin(), items->items.end());
    }
    return bodies_.emplace(id, std::move(bodies)).first->second;
}

// Every item is looked at, whatever the others come to.
Translation Translator::finish_items(ExprId id) {
    const Node node = pool_[id];
    const Function& function = pool_.function(FunctionId(node.payload));
    std::vector<const Translation*> bodies;
    for (ExprId body : bodies_.at(id)) bodies.push_back(&done_.at(body));
    Translation result;
    for (ExprId child : pool_.children(id)) bodies.push_back(&done_.at(child));
    for (const Translation* part : bodies) {
        if (!part->term) throw Untranslatable{part->problem, part->too_large};
        if (result.problem.empty()) result.problem = part->problem;
        result.defined = both(result.defined, part->defined);
        result.bits = std::max(result.bits, part->bits);
    }
    bodies.resize(bodies_.at(id).size());
    auto converted = [&](const Translation* body) {
        return terms_.convert(body->term, pool_[function.body].type, function.result);
    };
    z3::context& context = terms_.context();
    switch (node.op) {
        case Op::for_all:
        case Op::exists: {
            z3::expr_vector all(context);
            for (const Translation* body : bodies) all.push_back(body->term->z.value());
            result.term = terms_.plain(node.op == Op::for_all ? z3::mk_and(all) : z3::mk_or(all));
            return result;
        }
        case Op::each: {
            std::vector<TermPtr> items;
            items.reserve(bodies.size());
            for (const Translation* body : bodies) items.push_back(converted(body));
            result.term = terms_.items(std::move(items));
            return result;
        }
        case Op::fold:
            result.term = bodies.empty() ? terms_.convert(done_.at(pool_.children(id)[1]).term,
                                                          pool_[pool_.children(id)[1]].type, function.result)
                                         : converted(bodies.back());
            return result;
        default: break;
    }
    // The items for which it holds, one after the other.
    std::size_t count = bodies.size() / 2;
    TermPtr none = terms_.items({}), list = none;
    for (std::size_t i = 0; i < count; ++i) {
        TermPtr one =
            terms_.choose(bodies[i]->term->z.value(), terms_.items({bodies[count + i]->term}), none);
        if (i == 0) {
            list = one;
            continue;
        }
        auto sort = terms_.sequence_sort(one);
        if (!sort) throw Untranslatable{"a list whose items have no type"};
        list = terms_.plain(z3::concat(terms_.sequence(list, *sort), terms_.sequence(one, *sort)));
    }
    result.term = list;
    return result;
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
    if (has_function(node.op) && node.op != Op::call) return finish_items(id);
    std::vector<const Translation*> operands;
    for (ExprId child : pool_.children(id)) operands.push_back(&done_.at(child));
    if (node.op == Op::call) operands.push_back(&done_.at(bodies_.at(id)[0]));
    std::string problem;
    for (const Translation* operand : operands) {
        if (!operand->term) throw Untranslatable{operand->problem, operand->too_large};
        if (problem.empty()) problem = operand->problem;
    }
    if (node.op != Op::call) {
        Translation result = translate_operator(pool_, terms_, id, operands);
        if (result.bits > max_bits) throw Untranslatable{"numbers that grow without measure", true};
        result.problem = std::move(problem);
        return result;
    }
    // Arguments are evaluated first, whether the body needs them or not.
    Translation result{operands.back()->term, std::nullopt, std::move(problem), operands.back()->bits};
    for (const Translation* operand : operands) result.defined = both(result.defined, operand->defined);
    const Function& function = pool_.function(FunctionId(node.payload));
    result.term = terms_.convert(result.term, pool_[bodies_.at(id)[0]].type, function.result);
    return result;
}

Translation Translator::any_value(ExprId id, const Untranslatable& fault) {
    Translation result;
    result.problem = fault.reason;
    result.too_large = fault.too_large;
    if (pool_[id].op == Op::var || fault.too_large) return result;
    try {
        result.term = terms_.declare(pool_[id].type, fmt::format("e{}", id.index)).term;
        result.bits = 64;
        // Most operations have a value wherever their operands have one.
        bool total = !expr::about(pool_[id].op).may_lack_value;
        for (ExprId child : pool_.children(id)) {
            const Translation& operand = done_.at(child);
            total = total && operand.term;
            result.defined = both(result.defined, operand.defined);
        }
        if (!total)
            result.defined = terms_.context().bool_const(fmt::format("e{}.defined", id.index).c_str());
    } catch (const Untranslatable&) {
    }
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
                throw Untranslatable{"an expression that is too large with its functions unfolded", true};
            if (pending.size() == before && has_function(pool_[id].op))
                for (ExprId body : bodies_of(id))
                    if (!done_.contains(body)) pending.push_back(body);
            if (pending.size() != before) continue;
            translation = finish(id);
        } catch (const Untranslatable& fault) {
            translation = any_value(id, fault);
        } catch (const std::exception& fault) {  // Z3 refuses what is not well typed
            translation = any_value(id, {fmt::format("the solver refused an expression: {}", fault.what())});
        }
        pending.resize(before - 1);
        done_.emplace(id, std::move(translation));
    }
    return done_.at(root);
}

}  // namespace treaty::solve::smt
