// Typed expressions, hash-consed: equal expressions have equal ids, so comparing them is free and every
// result about one can be remembered by its id.
//
// The pool owns variables (a name and a type each; two variables may have the same name), functions
// (never recursive) and nodes. What an operator does for each item of a collection (`all x in xs: p`) is a
// function without a name, whose parameters are the item and every variable that it needs: so a node's
// variables are those of its children, and replacing them needs no look into functions. Children always have
// smaller ids than their parent, so a sweep over ids is a bottom-up pass and no pass needs recursion.
// Building checks types only by assertion: code that builds from a user's text has reported misuse before
// (lang/), and everyone else builds what is right. A list, record or some() of literals, none, and the
// negation of a number is itself one literal, so each constant is built in one way only. Literals carry no
// integer ranges in their type. Not safe for concurrent building; concurrent reading is fine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"
#include "base/names.h"
#include "expr/operators.h"
#include "expr/types.h"
#include "expr/value.h"

namespace re2 {
class RE2;
}

namespace treaty::expr {

using ExprId = base::Id<struct ExprTag>;
using VarId = base::Id<struct VarTag>;
using FunctionId = base::Id<struct FunctionTag>;

struct Node {
    Op op;
    TypeId type;
    std::uint32_t payload = 0;
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
};

struct Variable {
    NameId name;
    TypeId type;
};

// The name of the variable that holds the map that {k: v for x in xs} makes: not a name in the language.
constexpr const char* map_so_far = "so far";

struct Function {
    NameId name;  // none: what an operator does for each item
    std::vector<VarId> parameters;
    TypeId result;
    ExprId body;  // none until defined
};

class Pool {
public:
    Pool(std::shared_ptr<Types> types, std::shared_ptr<base::Names> names);
    // The same expressions with the same ids over copies of its tables.
    Pool(const Pool& other, std::shared_ptr<Types> types, std::shared_ptr<base::Names> names);

    // Variables and functions.
    VarId declare(NameId name, TypeId type);
    const Variable& variable(VarId id) const { return variables_[id.index]; }
    std::size_t variable_count() const { return variables_.size(); }
    void set_type(VarId id, TypeId type);  // only while nothing refers to it
    // The variable that is true if this one has a value (has_value.h); none for one that always has.
    VarId presence(VarId id) const;
    VarId presence_of(VarId id);  // the same; declared when first asked for
    FunctionId declare_function(NameId name, std::vector<VarId> parameters, TypeId result);
    void define(FunctionId id, ExprId body);
    // The function without a name that has this body; the same for the same parameters, result and body.
    FunctionId lift(std::vector<VarId> parameters, TypeId result, ExprId body);
    // The variable for an item of a collection; the same for the same name and type, so that an expression
    // that is built twice is one.
    VarId item_variable(NameId name, TypeId type);
    bool is_item_variable(VarId id) const;
    const Function& function(FunctionId id) const { return functions_[id.index]; }
    std::size_t function_count() const { return functions_.size(); }

    // Nodes. make() is the one way in; the rest are shorthands.
    ExprId make(Op op, TypeId type, std::span<const ExprId> children, std::uint32_t payload = 0);
    ExprId literal(Value value, TypeId type);
    ExprId boolean(bool value);
    ExprId integer(std::int64_t value);
    ExprId var(VarId id);
    ExprId logical_not(ExprId x);
    ExprId logical_and(ExprId a, ExprId b);
    ExprId logical_or(ExprId a, ExprId b);
    ExprId equal(ExprId a, ExprId b);
    ExprId matches(ExprId text, std::string pattern);

    const Node& operator[](ExprId id) const { return nodes_[id.index]; }
    std::span<const ExprId> children(ExprId id) const;
    const Value& literal_of(ExprId id) const;  // of a literal node, or a matches node's pattern
    VarId var_of(ExprId id) const { return VarId(nodes_[id.index].payload); }
    // The compiled pattern of a matches node, which all of the text must match; null if RE2 refused it.
    const re2::RE2* pattern_of(ExprId id) const;
    bool is_literal(ExprId id) const { return nodes_[id.index].op == Op::literal; }
    bool is_true(ExprId id) const;
    bool is_false(ExprId id) const;
    std::size_t size() const { return nodes_.size(); }

    Types& types() const { return *types_; }
    base::Names& names() const { return *names_; }

    // The variables that occur in an expression, ascending and without repeats.
    std::vector<VarId> variables_of(ExprId id) const;
    // The expression and everything below it (bodies of called functions excepted), ascending: children
    // come before their parents.
    std::vector<ExprId> parts_of(ExprId id) const;

private:
    Pool(const Pool&) = default;
    ExprId add(const Node& node, std::span<const ExprId> children, std::uint64_t hash);
    bool fold(Op op, TypeId type, std::span<const ExprId> children, Value& value) const;
    void check(Op op, std::span<const ExprId> children, std::uint32_t payload) const;

    std::shared_ptr<Types> types_;  // shared: a pool keeps alive what its ids mean
    std::shared_ptr<base::Names> names_;
    std::vector<Variable> variables_;
    std::vector<bool> referred_;  // by variable: whether a node refers to it
    absl::flat_hash_map<VarId, VarId> presences_;
    absl::flat_hash_map<std::pair<NameId, TypeId>, VarId> item_variables_;
    std::vector<Function> functions_;
    absl::flat_hash_map<std::vector<std::uint32_t>, FunctionId> lifted_;
    std::vector<Node> nodes_;
    std::vector<ExprId> children_;
    std::vector<Value> literals_;
    // By hash of the node: the newest one. Nodes with equal hashes are chained through next_, newest first.
    absl::flat_hash_map<std::uint64_t, ExprId> index_;
    std::vector<ExprId> next_;
    absl::flat_hash_map<ExprId, std::shared_ptr<const re2::RE2>> patterns_;  // of matches nodes
};

// A pool with types and names of its own, in which all ids mean the same.
std::shared_ptr<Pool> copy_of(const Pool& pool);

// The expression with variables replaced; a variable that maps to none stays. Cost: linear in the distinct
// parts of the expression.
ExprId substitute(Pool& pool, ExprId expression, const absl::flat_hash_map<VarId, ExprId>& by);
// The body of a function with its parameters replaced by arguments.
ExprId apply_function(Pool& pool, FunctionId function, std::span<const ExprId> arguments);
// The same for parts of any kind; what is inside a replaced part is not looked at.
ExprId replace_parts(Pool& pool, ExprId expression, const absl::flat_hash_map<ExprId, ExprId>& by);

}  // namespace treaty::expr
