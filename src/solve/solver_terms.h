// Treaty's data in the solver's terms.
//
// A scalar is one Z3 expression. A record is its fields, an optional a flag and what it holds, a list either
// its items one by one (as long as their number is known) or one Z3 sequence. Enumerations are integers;
// texts and bytes are Z3 strings with one character a byte, so that size, order and parts mean what they mean
// to evaluate(). What cannot be said this way throws Untranslatable; only the solver's own files see that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <z3++.h>

#include "expr/pool.h"

namespace treaty::solve::smt {

struct Untranslatable {
    std::string reason;
};

struct Term;
using TermPtr = std::shared_ptr<const Term>;

struct Term {
    enum class Form : std::uint8_t { plain, record, optional, items };
    Form form = Form::plain;
    std::optional<z3::expr> z;   // plain: the value; optional: whether it holds something
    std::vector<TermPtr> parts;  // record: its fields; optional: what it holds, nothing if it is none; items
};

// A declared variable: its term, what its type demands, and its leaves by kind.
struct Declared {
    TermPtr term;
    std::vector<z3::expr> constraints;
    std::vector<z3::expr> integers;
    std::vector<z3::expr> reals;
    std::vector<z3::expr> texts;
    std::vector<z3::expr> sequences;
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
    TermPtr literal(const expr::Value& value, expr::TypeId type) const;
    TermPtr anything(expr::TypeId type) const;  // some value of the type, where it does not matter which

    Declared declare(expr::TypeId type, const std::string& name) const;

    // Both sides are of one type, up to conversion.
    z3::expr equal(const TermPtr& a, const TermPtr& b) const;
    TermPtr choose(const z3::expr& condition, const TermPtr& a, const TermPtr& b) const;
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
    void constrain_integer(const expr::Type& type, const z3::expr& e, std::vector<z3::expr>& out) const;
    void constrain_items(const expr::Type& list, const z3::expr& e, std::vector<z3::expr>& out) const;

    z3::context& context_;
    const expr::Types& types_;
};

// How many leading items of a list variable get their type's constraints; a model with a longer list that
// breaks them is asked for again with this as the bound.
constexpr int constrained_items = 8;

}  // namespace treaty::solve::smt
