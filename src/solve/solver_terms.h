// Treaty's data in the solver's terms.
//
// A scalar is one Z3 expression. A record is its fields, an optional a flag and what it holds, a list either
// its items one by one (as long as their number is known) or one Z3 sequence. Enumerations are integers;
// texts and bytes are Z3 strings with one character per byte, so that size, order and parts mean what they
// mean to evaluate(). A set or map is a list of changes to an empty one, each with a key, whether it is in
// there from now on, and its value (solver_collections.cpp): what a key has is what the last change of it
// says. What cannot be said this way throws Untranslatable; only the solver's own files see that.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <z3++.h>

#include "expr/pool.h"

namespace treaty::solve::smt {

struct Untranslatable {
    std::string reason;
    bool too_large = false;  // then nothing that contains it is handed to the solver either
};

struct Term;
using TermPtr = std::shared_ptr<const Term>;

struct Term {
    enum class Form : std::uint8_t { plain, record, optional, items, changes };
    struct Change {
        TermPtr key;
        z3::expr present;
        TermPtr value;  // null: a set
    };
    Form form = Form::plain;
    std::optional<z3::expr> z;   // plain: the value; optional: whether it holds something
    std::vector<TermPtr> parts;  // record: its fields; optional: what it holds, nothing if it is none; items
    std::vector<Change> changes{};
};

// A declared variable: its term, what its type demands, and its leaves by kind.
struct Declared {
    TermPtr term;
    std::vector<z3::expr> constraints;
    std::vector<z3::expr> integers;
    std::vector<z3::expr> reals;
    std::vector<z3::expr> texts;
    std::vector<z3::expr> sequences;
    bool bounded = false;  // only sets and maps of few entries are among its values
};

class Terms {
public:
    Terms(z3::context& context, const expr::Types& types) : context_(context), types_(types) {}

    z3::context& context() const { return context_; }
    const expr::Types& types() const { return types_; }

    TermPtr plain(z3::expr e) const;
    TermPtr record(std::vector<TermPtr> fields) const;
    TermPtr optional(z3::expr holds, std::vector<TermPtr> held) const;
    TermPtr items(std::vector<TermPtr> parts) const;
    TermPtr changes(std::vector<Term::Change> changes) const;
    TermPtr literal(const expr::Value& value, expr::TypeId type) const;
    TermPtr anything(expr::TypeId type) const;  // some value of the type, where it does not matter which

    Declared declare(expr::TypeId type, const std::string& name) const;

    // Both sides are of one type, up to conversion.
    z3::expr equal(const TermPtr& a, const TermPtr& b) const;
    TermPtr choose(const z3::expr& condition, const TermPtr& a, const TermPtr& b) const;
    // What a set or map has for a key: whether it is there, and its value (of a set: null).
    Term::Change look_up(const TermPtr& collection, const TermPtr& key) const;
    z3::expr size_of_changes(const TermPtr& collection) const;
    // What `f` makes of what both have, for each key of one of them: unions, differences, choices.
    TermPtr combine(const TermPtr& a, const TermPtr& b,
                    const std::function<Term::Change(const Term::Change&, const Term::Change&)>& f) const;
    // Integers become reals where `to` says so.
    TermPtr convert(const TermPtr& term, expr::TypeId from, expr::TypeId to) const;

    z3::sort sort_of(expr::TypeId type) const;
    // A list as a Z3 sequence of the given sort.
    z3::expr sequence(const TermPtr& list, const z3::sort& sort) const;
    std::optional<z3::sort> sequence_sort(const TermPtr& list) const;  // none for []

    z3::expr text(const std::string& bytes) const;
    z3::expr real(double x) const;

private:
    TermPtr declare(expr::TypeId type, const std::string& name, Declared& out, std::size_t& budget) const;
    TermPtr declare_changes(expr::TypeId type, const std::string& name, Declared& out,
                            std::size_t& budget) const;
    z3::expr equal_changes(const TermPtr& a, const TermPtr& b) const;
    void constrain_integer(const expr::Type& type, const z3::expr& e, std::vector<z3::expr>& out) const;
    void constrain_items(const expr::Type& list, const z3::expr& e, std::vector<z3::expr>& out) const;

    z3::context& context_;
    const expr::Types& types_;
};

// How many leading items of a list variable get their type's constraints; a model with a longer list that
// breaks them is asked for again with this as the bound.
constexpr int constrained_items = 8;
// How many entries a set or map variable has at most in what Z3 is asked.
constexpr int declared_entries = 3;

// From a model of the solver to a value (solver_model.cpp): the value, or why it has none here, such as an
// integer beyond 64 bits or a character beyond a byte.
std::variant<expr::Value, std::string> value_of(const Terms& terms, const z3::model& model,
                                                const TermPtr& term, expr::TypeId type);

}  // namespace treaty::solve::smt
