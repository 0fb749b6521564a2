#include "track/configuration.h"

#include <algorithm>

#include "base/hash.h"

namespace treaty::track {

using model::PlaceId;
using model::Transition;

std::uint64_t hash_tokens(const Marking& marking, std::span<const Pending> pending) {
    std::uint64_t h = base::mix(marking.size());
    for (std::uint32_t place : marking) h = base::combine(h, place);
    for (const Pending& p : pending) h = base::combine(h, ~std::uint64_t{p.label.index});
    return h;
}

bool enabled(const Marking& marking, const Transition& transition) {
    auto at = marking.begin();
    for (PlaceId p : transition.from) {
        at = std::lower_bound(at, marking.end(), p.index);
        if (at == marking.end() || *at != p.index) return false;
        ++at;
    }
    return true;
}

Marking fired(const Marking& marking, const Transition& t) {
    Marking next;
    next.reserve(marking.size() + t.to.size());
    auto from = t.from.begin();
    for (std::uint32_t place : marking) {
        if (from != t.from.end() && from->index == place)
            ++from;
        else if (t.clears.empty() || !std::binary_search(t.clears.begin(), t.clears.end(), PlaceId(place)))
            next.push_back(place);
    }
    for (PlaceId p : t.to) next.insert(std::upper_bound(next.begin(), next.end(), p.index), p.index);
    return next;
}

void fire_in_place(Marking& marking, const Transition& t) {
    if (!t.clears.empty()) {
        marking = fired(marking, t);
        return;
    }
    auto from = t.from.begin();
    std::size_t kept = 0;
    for (std::uint32_t place : marking) {
        if (from != t.from.end() && from->index == place)
            ++from;
        else
            marking[kept++] = place;
    }
    marking.resize(kept);
    for (PlaceId p : t.to) marking.insert(std::upper_bound(marking.begin(), marking.end(), p.index), p.index);
}

Marking initial_marking(const model::Net& net) {
    Marking result;
    for (PlaceId p : net.initial()) result.push_back(p.index);
    return result;
}

bool successful(const model::Net& net, const Marking& marking) {
    auto want = net.final().begin();
    for (std::uint32_t place : marking) {
        if (want != net.final().end() && want->index == place)
            ++want;
        else if (!net.places()[place].semaphore)
            return false;
    }
    return want == net.final().end();
}

namespace {

// How expressions are evaluated: each time anew, or made ready.
struct Plainly {
    const expr::Pool& pool;
    bool satisfied(expr::ExprId e, const expr::Environment& known) const {
        return expr::satisfied(pool, e, known);
    }
    expr::Result evaluate(expr::ExprId e, const expr::Environment& known) const {
        return expr::evaluate(pool, e, known);
    }
};

template <class Evaluator>
bool run_data_by(Evaluator& by, const Transition& t, std::optional<std::span<const expr::Value>> values,
                 expr::Environment& environment) {
    if (t.guard && !by.satisfied(t.guard, environment)) return false;
    if (values && !t.data.empty()) {
        if (values->size() != t.data.size()) return false;
        for (std::size_t i = 0; i < t.data.size(); ++i) {
            if (!t.data[i].value) continue;
            auto known = by.evaluate(t.data[i].value, environment);
            auto* value = std::get_if<expr::Value>(&known);
            if (!value || !(*value == (*values)[i])) return false;
        }
        for (std::size_t i = 0; i < t.data.size(); ++i)
            if (t.data[i].bind) environment.set(t.data[i].bind, (*values)[i]);
        if (t.where && !by.satisfied(t.where, environment)) return false;
    } else if (values && t.where && !by.satisfied(t.where, environment)) {
        return false;
    }
    for (const model::Assignment& a : t.assignments) {
        auto result = by.evaluate(a.value, environment);
        auto* value = std::get_if<expr::Value>(&result);
        if (!value) return false;
        environment.set(a.variable, std::move(*value));
    }
    return true;
}

}  // namespace

bool run_data(const expr::Pool& pool, const Transition& t, std::optional<std::span<const expr::Value>> values,
              expr::Environment& environment) {
    Plainly plainly{pool};
    return run_data_by(plainly, t, values, environment);
}

bool run_data(expr::Programs& programs, const Transition& t,
              std::optional<std::span<const expr::Value>> values, expr::Environment& environment) {
    return run_data_by(programs, t, values, environment);
}

namespace {

bool is_known(const expr::Pool& pool, expr::ExprId e, const expr::Environment& environment) {
    auto variables = pool.variables_of(e);
    return std::all_of(variables.begin(), variables.end(),
                       [&](expr::VarId v) { return environment.get(v) != nullptr; });
}

bool may_be_satisfied(const expr::Pool& pool, expr::ExprId condition, const expr::Environment& environment) {
    return !condition || !is_known(pool, condition, environment) ||
           expr::satisfied(pool, condition, environment);
}

}  // namespace

bool may_run_data(const expr::Pool& pool, const Transition& t,
                  std::optional<std::span<const expr::Value>> values, expr::Environment& environment) {
    if (!may_be_satisfied(pool, t.guard, environment)) return false;
    if (values && !t.data.empty() && values->size() != t.data.size()) return false;
    for (std::size_t i = 0; values && i < t.data.size(); ++i) {
        if (!t.data[i].value || !is_known(pool, t.data[i].value, environment)) continue;
        auto known = expr::evaluate(pool, t.data[i].value, environment);
        auto* value = std::get_if<expr::Value>(&known);
        if (!value || !(*value == (*values)[i])) return false;
    }
    for (std::size_t i = 0; i < t.data.size(); ++i) {
        if (!t.data[i].bind) continue;
        if (values)
            environment.set(t.data[i].bind, (*values)[i]);
        else
            environment.clear(t.data[i].bind);
    }
    if (!may_be_satisfied(pool, t.where, environment)) return false;
    for (const model::Assignment& a : t.assignments) {
        if (!is_known(pool, a.value, environment)) {
            environment.clear(a.variable);
            continue;
        }
        auto result = expr::evaluate(pool, a.value, environment);
        auto* value = std::get_if<expr::Value>(&result);
        if (!value) return false;
        environment.set(a.variable, std::move(*value));
    }
    return true;
}

bool ConfigurationSet::enter(const Configuration& configuration) {
    std::uint64_t tokens = hash_tokens(configuration.marking, configuration.pending);
    if (items_.size() < few) {
        for (std::size_t i = 0; i < items_.size(); ++i)
            if (hashes_[i] == tokens && items_[i] == configuration) return false;
        hashes_.push_back(tokens);
        return true;
    }
    auto keep = [&](std::uint64_t h, std::uint32_t place) {
        auto [head, first] = heads_.try_emplace(h, place);
        chain_.push_back(first ? none : head->second);
        head->second = place;
    };
    for (std::size_t i = chain_.size(); i < items_.size(); ++i)
        keep(base::combine(hashes_[i], hash(items_[i].environment)), static_cast<std::uint32_t>(i));
    std::uint64_t h = base::combine(tokens, hash(configuration.environment));
    auto head = heads_.find(h);
    for (std::uint32_t i = head == heads_.end() ? none : head->second; i != none; i = chain_[i])
        if (items_[i] == configuration) return false;
    keep(h, static_cast<std::uint32_t>(items_.size()));
    return true;
}

bool ConfigurationSet::add(Configuration configuration) {
    if (!enter(configuration)) return false;
    tokens_ += configuration.marking.size();
    items_.push_back(std::move(configuration));
    return true;
}

}  // namespace treaty::track
