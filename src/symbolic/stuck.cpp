#include "symbolic/stuck.h"

#include <algorithm>
#include <optional>

#include "expr/has_value.h"
#include "expr/simplify.h"
#include "solve/mentioned.h"
#include "symbolic/linear.h"
#include "symbolic/stopping.h"

namespace treaty::symbolic {
namespace {

using expr::Environment;
using expr::Op;
using expr::TypeKind;
using expr::Value;
using solve::Satisfiable;
using solve::SolverAnswer;

constexpr int max_rounds = 60;
constexpr std::size_t max_terms = 12;       // looked at for one choice
constexpr std::int64_t max_distance = 100;  // between a choice and the term it is compared with
constexpr std::int64_t max_element = 3;
constexpr std::size_t max_simple = 12, max_guesses = 300;

bool contains(const std::vector<VarId>& variables, VarId v) {
    return std::find(variables.begin(), variables.end(), v) != variables.end();
}

bool reads_any(const expr::Pool& pool, ExprId e, const std::vector<VarId>& variables) {
    auto read = pool.variables_of(e);
    return std::any_of(read.begin(), read.end(), [&](VarId v) { return contains(variables, v); });
}

}  // namespace

StuckSearch::StuckSearch(Logic& logic, std::vector<Offer> offers, const base::Deadline& deadline)
    : logic_(logic),
      pool_(logic.pool()),
      generator_(logic.pool(), {.solver = false, .seen = {}, .elements = {}}),
      offers_(std::move(offers)),
      deadline_(deadline) {
    std::vector<ExprId> conditions;
    for (Offer& offer : offers_) {
        // Said in the condition itself, so that it may be taken apart; but eliminating from it is slow.
        ExprId present = expr::has_value(pool_, offer.condition, expr::Variables::all_present);
        if (!pool_.is_true(present))
            offer.condition = pool_.logical_and(present, offer.condition);
        else if (!deadline_.passed())
            eliminate(offer);
        conditions.push_back(offer.condition);
        for (VarId v : pool_.variables_of(offer.condition))
            if (!contains(offer.chosen, v) && !contains(given_, v)) given_.push_back(v);
    }
    for (VarId v : given_) {
        expr::TypeId type = pool_.variable(v).type;
        for (Value& value : solve::mentioned_values(pool_, conditions, type))
            if (belongs(value, type, pool_.types())) simple_[v].push_back(std::move(value));
        if (pool_.types().kind(type) == TypeKind::integer)
            for (std::int64_t power : {10, 100, 1000})
                if (belongs(power, type, pool_.types())) simple_[v].emplace_back(power);
        simple_[v].resize(std::min(simple_[v].size(), max_simple));
    }
}

// If this works, it decides the question at once.
void StuckSearch::eliminate(const Offer& offer) {
    ExprId some = offer.condition;
    for (VarId z : offer.chosen) {
        auto without = logic_.exists(z, some);
        if (!without) return;
        some = *without;
    }
    possible_.push_back(some);
}

SolverAnswer StuckSearch::find(ExprId condition) {
    for (int round = 0; round < max_rounds && !deadline_.passed(); ++round) {
        SolverAnswer proposed = logic_.solver().check(condition, possible_);
        if (proposed.satisfiable == Satisfiable::no) return proposed;
        if (proposed.satisfiable == Satisfiable::unknown) return guess(condition, std::move(proposed));
        complete(proposed.model);
        Open any = any_open(proposed.model);
        if (any == Open::no) return proposed;
        if (any == Open::unknown) return guess(condition, {Satisfiable::unknown, {}, reason_});
    }
    return {Satisfiable::unknown,
            {},
            deadline_.passed() ? why_stopped(deadline_) : "too many values would have to be tried"};
}

StuckSearch::Open StuckSearch::any_open(const Environment& values) {
    Open any = Open::no;
    for (const Offer& offer : offers_) {
        if (deadline_.passed()) {
            reason_ = why_stopped(deadline_);
            return Open::unknown;
        }
        Open one = open(offer, values);
        if (one == Open::yes) return one;
        if (one == Open::unknown) any = one;
    }
    return any;
}

// What the offers ask about and the solver was not asked about may have any value.
void StuckSearch::complete(Environment& values) {
    for (VarId v : given_)
        if (!values.get(v) && !simple_.at(v).empty()) values.set(v, simple_.at(v).front());
}

// Where the solver cannot help: simple values, one after the other.
SolverAnswer StuckSearch::guess(ExprId condition, SolverAnswer otherwise) {
    std::size_t combinations = 1;
    for (VarId v : given_) combinations = std::min(combinations * simple_.at(v).size(), max_guesses);
    for (std::size_t n = 0; n < combinations && !deadline_.passed(); ++n) {
        Environment values;
        absl::flat_hash_map<VarId, ExprId> by;
        std::vector<ExprId> fixed;
        std::size_t left = n;
        for (auto v = given_.rbegin(); v != given_.rend(); ++v) {  // the last one varies first
            const auto& all = simple_.at(*v);
            const Value& value = all[left % all.size()];
            left /= all.size();
            values.set(*v, value);
            ExprId literal = pool_.literal(value, pool_.types().base(pool_.variable(*v).type));
            fixed.push_back(pool_.equal(pool_.var(*v), literal));
            by.emplace(*v, literal);
        }
        fixed.push_back(expr::substitute(pool_, condition, by));
        bool known = std::any_of(possible_.begin(), possible_.end(),
                                 [&](ExprId e) { return satisfied(pool_, e, values); });
        if (known) continue;
        SolverAnswer meant = logic_.solver().check(logic_.all_of(fixed));
        if (meant.satisfiable == Satisfiable::yes && any_open(values) == Open::no) return meant;
    }
    return otherwise;
}

// Whether the offer can be taken with these values; if so, that is learnt.
StuckSearch::Open StuckSearch::open(const Offer& offer, const Environment& values) {
    absl::flat_hash_map<VarId, ExprId> fixed;
    for (VarId v : pool_.variables_of(offer.condition)) {
        const Value* value = values.get(v);
        if (value && !contains(offer.chosen, v))
            fixed[v] = pool_.literal(*value, pool_.types().base(pool_.variable(v).type));
    }
    ExprId condition = expr::substitute(pool_, offer.condition, fixed);
    SolverAnswer answer = logic_.solver().check(condition);
    if (answer.satisfiable == Satisfiable::no) return Open::no;
    if (answer.satisfiable == Satisfiable::unknown) {
        Open made = open_by_generating(offer, condition, values);
        if (made == Open::unknown) reason_ = answer.reason;
        return made;
    }
    learn(offer, values, answer.model);
    return Open::yes;
}

// Where the solver gives up: values made from the condition, which is all about what is chosen now.
StuckSearch::Open StuckSearch::open_by_generating(const Offer& offer, ExprId condition,
                                                  const Environment& values) {
    std::vector<VarId> chosen = pool_.variables_of(condition);
    if (!std::all_of(chosen.begin(), chosen.end(), [&](VarId v) { return contains(offer.chosen, v); }))
        return Open::unknown;
    solve::Choices choices(0);
    solve::Generated made = generator_.generate(chosen, condition, {}, choices);
    if (made.found == solve::Found::no) return Open::no;
    if (made.found == solve::Found::unknown) return Open::unknown;
    learn(offer, values, made.values);
    return Open::yes;
}

// The offer with one choice replaced by a term, which has to be a value that may be chosen.
ExprId StuckSearch::taken(const Offer& offer, VarId chosen, ExprId with) {
    const expr::Type& type = pool_.types()[pool_.variable(chosen).type];
    std::vector<ExprId> all{expr::substitute(pool_, offer.condition, {{chosen, with}})};
    if (type.low) all.push_back(compare(pool_, Op::greater_equal, with, pool_.integer(*type.low)));
    if (type.high) all.push_back(compare(pool_, Op::less_equal, with, pool_.integer(*type.high)));
    return logic_.all_of(all);
}

void StuckSearch::learn(const Offer& offer, const Environment& values, const Environment& choice) {
    Environment all = choice;
    for (VarId v : pool_.variables_of(offer.condition))
        if (const Value* value = values.get(v); value && !choice.get(v)) all.set(v, *value);
    // All choices but one stay as they are: the one that is written in terms of the values differs.
    Offer rest = offer;
    absl::flat_hash_map<VarId, ExprId> fixed;
    for (VarId z : offer.chosen) {
        const Value* value = all.get(z);
        if (value) fixed[z] = pool_.literal(*value, pool_.types().base(pool_.variable(z).type));
    }
    remember(expr::substitute(pool_, offer.condition, fixed));
    for (VarId z : offer.chosen) {
        if (!all.get(z)) continue;
        auto others = fixed;
        others.erase(z);
        rest.condition = expr::substitute(pool_, offer.condition, others);
        for (ExprId term : alike(offer, z, all)) {
            ExprId possible = taken(rest, z, term);
            if (satisfied(pool_, possible, all)) remember(possible);
        }
    }
}

// Made simple where that loses no fault: what the solver cannot translate may be plainly true.
void StuckSearch::remember(ExprId possible) {
    possible_.push_back(expr::may_lack_value(pool_, possible, expr::Variables::all_present)
                            ? possible
                            : simplify(pool_, possible));
}

// Terms over the values that come to what was chosen.
std::vector<ExprId> StuckSearch::alike(const Offer& offer, VarId chosen, const Environment& all) {
    std::vector<ExprId> result;
    const expr::Types& types = pool_.types();
    expr::TypeId type = pool_.variable(chosen).type;
    TypeKind kind = types.kind(type);
    const Value& wanted = *all.get(chosen);
    bool composed = kind == TypeKind::list || kind == TypeKind::record || kind == TypeKind::optional ||
                    kind == TypeKind::set || kind == TypeKind::map;
    auto add_if_equal = [&](ExprId term) {
        expr::Result got = evaluate(pool_, term, all);
        if (auto* value = std::get_if<Value>(&got); value && *value == wanted) result.push_back(term);
    };
    std::size_t looked_at = 0;
    for (ExprId part : pool_.parts_of(offer.condition)) {
        if (pool_.is_literal(part) || reads_any(pool_, part, offer.chosen)) continue;
        // What is composed has ranges inside; a number's own range is looked at later.
        bool same = composed ? pool_[part].type == type : types.base(pool_[part].type) == types.base(type);
        expr::TypeId element =
            types.kind(pool_[part].type) == TypeKind::list ? types[pool_[part].type].element : expr::TypeId();
        bool inside = element && !composed && types.base(element) == types.base(type);
        if (!same && !inside) continue;
        if (++looked_at > max_terms) break;
        if (same && kind == TypeKind::integer) {
            if (ExprId near = at_distance(part, wanted.integer(), all)) result.push_back(near);
        } else if (same) {
            add_if_equal(part);
            if (ExprId longer = extended(part, wanted, all)) add_if_equal(longer);
        }
        for (std::int64_t i = 0; inside && i <= max_element; ++i) {
            ExprId at[] = {part, pool_.integer(i)};
            add_if_equal(pool_.make(Op::at, types.base(element), at));
        }
    }
    return result;
}

// The term with what has to be appended to get the wanted value; nothing if it does not begin like that.
ExprId StuckSearch::extended(ExprId term, const Value& wanted, const Environment& all) {
    expr::Result got = evaluate(pool_, term, all);
    auto* value = std::get_if<Value>(&got);
    if (!value) return {};
    std::optional<Value> rest;
    auto* text = std::get_if<std::string>(&wanted.v);
    auto* begin = std::get_if<std::string>(&value->v);
    if (text && begin && text->starts_with(*begin)) rest = Value(text->substr(begin->size()));
    auto* list = std::get_if<expr::Sequence>(&wanted.v);
    auto* first = std::get_if<expr::Sequence>(&value->v);
    bool lists = pool_.types().kind(pool_[term].type) == TypeKind::list;
    if (lists && list && first && list->items.size() >= first->items.size() &&
        std::equal(first->items.begin(), first->items.end(), list->items.begin())) {
        auto from = list->items.begin() + static_cast<std::ptrdiff_t>(first->items.size());
        rest = Value(expr::Sequence{std::vector<Value>(from, list->items.end())});
    }
    if (!rest) return {};
    expr::TypeId type = pool_.types().base(pool_[term].type);
    ExprId parts[] = {term, pool_.literal(std::move(*rest), type)};
    return pool_.make(Op::concat, type, parts);
}

// The term plus the number that makes it what is wanted; nothing if that is far away.
ExprId StuckSearch::at_distance(ExprId term, std::int64_t wanted, const Environment& all) {
    expr::Result got = evaluate(pool_, term, all);
    auto* value = std::get_if<Value>(&got);
    std::int64_t distance = 0;
    if (!value || __builtin_sub_overflow(wanted, value->integer(), &distance)) return {};
    if (distance < -max_distance || distance > max_distance) return {};
    ExprId sum[] = {term, pool_.integer(distance)};
    return distance == 0 ? term : pool_.make(Op::add, pool_.types().integer(), sum);
}

}  // namespace treaty::symbolic
