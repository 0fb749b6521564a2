// Conditions narrow a domain (solve/narrow.h); where that is not enough, the alternatives of a disjunction
// are looked at one after the other.
#include "symbolic/value_sets.h"

#include <algorithm>
#include <set>

#include "solve/domain.h"
#include "solve/narrow.h"

namespace treaty::symbolic {
namespace {

using expr::ExprId;
using expr::TypeKind;
using expr::Value;

using Many = std::optional<std::vector<Value>>;

constexpr std::size_t most_cases = 100;

// By cases: one of the alternatives of each disjunction holds.
class Cases {
public:
    Cases(expr::Pool& pool, expr::TypeId type, const expr::Environment& known, std::size_t limit)
        : pool_(pool), type_(type), known_(known), limit_(limit) {}

    bool add_all(std::vector<NamedCondition> conjuncts) {
        std::vector<std::vector<NamedCondition>> pending{std::move(conjuncts)};
        for (std::size_t cases = 0; !pending.empty(); ++cases) {
            if (cases == most_cases) return false;
            std::vector<NamedCondition> now = std::move(pending.back());
            pending.pop_back();
            if (!add(now) && !split(now, pending)) return false;
            if (values_.size() > limit_) return false;
        }
        return true;
    }
    std::vector<Value> values() const { return std::vector<Value>(values_.begin(), values_.end()); }

private:
    bool add(const std::vector<NamedCondition>& conjuncts) {
        solve::Domain domain = solve::Domain::of(pool_.types(), type_);
        for (const NamedCondition& c : conjuncts) solve::narrow(pool_, domain, c.value, c.condition, known_);
        auto all = domain.all(limit_);
        if (all) values_.insert(all->begin(), all->end());
        return all.has_value();
    }

    bool split(const std::vector<NamedCondition>& now, std::vector<std::vector<NamedCondition>>& into) {
        for (std::size_t i = 0; i < now.size(); ++i) {
            std::vector<ExprId> alternatives = solve::alternatives_of(pool_, now[i].condition);
            if (alternatives.size() < 2 || alternatives.size() > most_cases || !mentions(now[i])) continue;
            for (ExprId alternative : alternatives) {
                std::vector<NamedCondition> one = now;
                one.erase(one.begin() + static_cast<std::ptrdiff_t>(i));
                for (ExprId c : solve::conjuncts_of(pool_, alternative)) one.push_back({now[i].value, c});
                into.push_back(std::move(one));
            }
            return true;
        }
        return false;
    }

    bool mentions(const NamedCondition& c) const {
        auto variables = pool_.variables_of(c.condition);
        return std::find(variables.begin(), variables.end(), c.value) != variables.end();
    }

    expr::Pool& pool_;
    expr::TypeId type_;
    const expr::Environment& known_;
    std::size_t limit_;
    std::set<Value> values_;
};

Many some_texts(TypeKind kind, std::int64_t size, std::size_t most) {
    std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (most > letters.size()) return std::nullopt;
    std::vector<Value> values;
    for (std::size_t k = 0; k < (size == 0 ? 1 : most); ++k) {
        std::string text(static_cast<std::size_t>(size), 'a');
        if (size > 0) text.back() = letters[k];
        values.push_back(kind == TypeKind::bytes ? Value(expr::Bytes{text}) : Value(text));
    }
    return values;
}

Many some_integers(const expr::Type& type, std::size_t most) {
    std::int64_t low = type.low.value_or(INT64_MIN), high = type.high.value_or(INT64_MAX);
    std::int64_t first = std::clamp<std::int64_t>(0, low, high);
    std::vector<Value> values;
    for (std::int64_t n = first; values.size() < most; ++n) {
        values.emplace_back(n);
        if (n == high) break;
    }
    for (std::int64_t n = first; n > low && values.size() < most;) values.emplace_back(--n);
    return values;
}

Many some_elements(const expr::Types& types, expr::TypeId id, std::size_t most);

// Counts: the elements are the digits, the last one changes first.
Many some_lists(const expr::Types& types, expr::TypeId element, std::int64_t size, std::size_t most) {
    auto digits = size > 0 ? some_elements(types, element, most) : std::vector<Value>();
    if (!digits) return std::nullopt;
    std::vector<Value> values;
    if (size > 0 && digits->empty()) return values;
    for (std::size_t k = 0; k < most; ++k) {
        expr::Sequence list;
        std::size_t rest = k;
        for (std::int64_t i = 0; i < size; ++i, rest /= digits->size())
            list.items.push_back((*digits)[rest % digits->size()]);
        if (rest > 0) break;  // that was all
        std::reverse(list.items.begin(), list.items.end());
        values.emplace_back(std::move(list));
    }
    return values;
}

Many some_elements(const expr::Types& types, expr::TypeId id, std::size_t most) {
    if (auto all = solve::Domain::of(types, id).all(most)) return all;
    switch (types.kind(id)) {
        case TypeKind::integer: return some_integers(types[id], most);
        case TypeKind::string:
        case TypeKind::bytes: return some_texts(types.kind(id), 1, most);
        default: return std::nullopt;
    }
}

}  // namespace

Many some_values(const expr::Types& types, expr::TypeId id, std::int64_t size, std::size_t most) {
    constexpr std::int64_t longest = 5000;
    if (size > longest) return std::nullopt;
    std::vector<Value> values;
    switch (types.kind(id)) {
        case TypeKind::string:
        case TypeKind::bytes: return some_texts(types.kind(id), size, most);
        case TypeKind::list: return some_lists(types, types[id].element, size, most);
        case TypeKind::real:
            for (std::size_t k = 0; k < most; ++k) values.emplace_back(static_cast<double>(k));
            return values;
        default: return std::nullopt;
    }
}

Many values_within(expr::Pool& pool, expr::TypeId type, std::span<const NamedCondition> conditions,
                   const expr::Environment& known, std::size_t limit) {
    std::vector<NamedCondition> conjuncts;
    for (const NamedCondition& c : conditions)
        if (c.value && c.condition)
            for (ExprId one : solve::conjuncts_of(pool, c.condition)) conjuncts.push_back({c.value, one});
    Cases cases(pool, type, known, limit);
    if (!cases.add_all(std::move(conjuncts))) return std::nullopt;
    return cases.values();
}

}  // namespace treaty::symbolic
