// Sets and maps for the solver: lists of changes to an empty collection.
//
// Every operation is exact: what a collection has for a key is decided by the last change whose key is equal,
// and two collections are equal if they have the same for each key that one of them mentions. So no
// quantifier and no array is needed. The price is size, which is bounded: operations on two collections ask
// about each key in both.
#include <fmt/format.h>

#include "solve/solver_terms.h"

namespace treaty::solve::smt {
namespace {

using expr::TypeId;
using expr::TypeKind;

constexpr std::size_t most_changes = 64;

}  // namespace

TermPtr Terms::changes(std::vector<Term::Change> all) const {
    if (all.size() > most_changes) throw Untranslatable{"a set or map with very many changes"};
    Term term;
    term.form = Term::Form::changes;
    term.changes = std::move(all);
    return std::make_shared<Term>(std::move(term));
}

Term::Change Terms::look_up(const TermPtr& collection, const TermPtr& key) const {
    Term::Change found{key, context_.bool_val(false), nullptr};
    for (const Term::Change& change : collection->changes) {
        z3::expr here = equal(change.key, key);
        found.present = z3::ite(here, change.present, found.present).simplify();
        if (change.value) found.value = found.value ? choose(here, change.value, found.value) : change.value;
    }
    return found;
}

// A change counts if the key is there after it, and no later change is about the same key.
z3::expr Terms::size_of_changes(const TermPtr& collection) const {
    const auto& all = collection->changes;
    z3::expr size = context_.int_val(0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        z3::expr counts = all[i].present;
        for (std::size_t k = i + 1; k < all.size(); ++k) counts = counts && !equal(all[i].key, all[k].key);
        size = size + z3::ite(counts, context_.int_val(1), context_.int_val(0));
    }
    return size.simplify();
}

TermPtr Terms::combine(const TermPtr& a, const TermPtr& b,
                       const std::function<Term::Change(const Term::Change&, const Term::Change&)>& f) const {
    std::vector<Term::Change> all;
    for (const TermPtr& side : {a, b})
        for (const Term::Change& change : side->changes) {
            Term::Change x = look_up(a, change.key), y = look_up(b, change.key);
            // A collection that never had a value for a key has any.
            if (change.value && !x.value) x.value = y.value;
            if (change.value && !y.value) y.value = x.value;
            all.push_back(f(x, y));
        }
    return changes(std::move(all));
}

z3::expr Terms::equal_changes(const TermPtr& a, const TermPtr& b) const {
    z3::expr_vector same(context_);
    for (const TermPtr& side : {a, b})
        for (const Term::Change& change : side->changes) {
            Term::Change x = look_up(a, change.key), y = look_up(b, change.key);
            same.push_back(x.present == y.present);
            if (x.value && y.value)
                same.push_back(z3::implies(x.present && y.present, equal(x.value, y.value)));
        }
    return same.empty() ? context_.bool_val(true) : z3::mk_and(same);
}

TermPtr Terms::declare_changes(TypeId id, const std::string& name, Declared& out, std::size_t& budget) const {
    bool map = types_.kind(id) == TypeKind::map;
    out.bounded = true;
    std::vector<Term::Change> all;
    for (int i = 0; i < declared_entries; ++i) {
        std::string entry = fmt::format("{}#{}", name, i);
        all.push_back({declare(types_.item_of(id), entry + ".key", out, budget),
                       context_.bool_const((entry + ".present").c_str()),
                       map ? declare(types_.value_of(id), entry + ".value", out, budget) : nullptr});
    }
    return changes(std::move(all));
}

}  // namespace treaty::solve::smt
