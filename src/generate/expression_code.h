// Expressions of the protocol in a programming language.
//
// Comparisons and logic become operators of the language; what may lack a value, and what the languages would
// do differently, becomes a call of the runtime (runtime/), which has the same functions in each. A call
// without a value throws there; conditions catch it, since a condition without a value does not hold
// (docs/semantics.md). What cannot be written is refused: the first refusal is kept.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "expr/pool.h"
#include "generate/type_code.h"

namespace treaty::generate {

// Patterns of `matches`, each written once per file, as the table of an automaton.
class PatternTable {
public:
    const std::string& name(const std::string& pattern);  // "pattern_1"
    const std::map<std::string, std::string>& names() const { return names_; }
    // Where one scope has the patterns of several files.
    void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

private:
    std::string prefix_ = "pattern_";
    std::map<std::string, std::string> names_;  // by pattern
};

class ExpressionCode {
public:
    using VariableName = std::function<std::string(expr::VarId)>;

    // All must outlive it. functions: what comes before the name of a function of the protocol.
    ExpressionCode(const expr::Pool& pool, TypeCode& types, PatternTable& patterns, Scope& declared,
                   std::string functions);

    // Where a value of this type is wanted.
    std::string print(expr::ExprId expression, expr::TypeId wanted, const VariableName& variable);
    std::string function_name(expr::FunctionId function) const;

    const std::string& refusal() const { return refusal_.empty() ? types_.refusal() : refusal_; }
    void clear_refusal() {
        refusal_.clear();
        types_.clear_refusal();
    }

private:
    class Printer;
    const expr::Pool& pool_;
    TypeCode& types_;
    PatternTable& patterns_;
    Scope& declared_;
    std::string functions_;
    std::string refusal_;
};

}  // namespace treaty::generate
