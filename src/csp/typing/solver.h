// What is known of the types of a script: equations between them, solved as they come.
//
// Dots make this more than unification. In `c.x` the type of x says how many fields of c it fills, and in
// `f(c, x) = c.x` what c is shows only where f is used. An equation that cannot be solved yet is kept,
// solved when more is known, and otherwise becomes a part of the type of the definition that it belongs to:
// each use of the definition brings it along. What remains open in the end is accepted.
//
// Where a definition leaves open how many fields a part takes, it is settled as FDR does: a part takes one
// field, and the last one all that remain.
//
// A failed equation changes nothing. Work and nesting are bounded: beyond the bounds TooLarge is thrown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/source.h"
#include "csp/typing/stack.h"
#include "csp/typing/types.h"

namespace treaty::csp::typing {

// Why a type is expected, for the message if it is another one. In the text {name} and {number} are replaced,
// and {type} by what is expected.
struct Why {
    std::string_view text;
    std::string name = {};
    std::size_t number = 0;
};

enum class Fault : std::uint8_t { none, mismatch, infinite, incomparable, fields };

class Solver {
public:
    static constexpr std::size_t max_types = 2'000'000;
    static constexpr std::uint64_t max_work = 30'000'000;
    static constexpr int max_depth = 500;

    enum class Relation : std::uint8_t {
        equal,       // a and b are the same type
        extends,     // a is b, or becomes b with more fields
        extensions,  // b is what makes a complete
    };
    struct Equation {
        Relation relation;
        TypeId a, b;
        Why why;
        base::Span span;
    };
    // The type of a definition. If it is generic, each use gets a copy with variables of its own.
    struct Scheme {
        TypeId type;
        bool generic = false;
        std::vector<Equation> equations = {};
    };
    // What a dotted expression consists of, each part with its place in the expression.
    struct Part {
        TypeId type;
        std::uint32_t place = 0;
    };
    // A dot as far as its fields could be matched. If it is stuck, the part `stuck` is a variable of which it
    // is not known whether it takes fields, or lacks fields that a variable after it fills.
    struct Dot {
        std::vector<Part> parts;
        std::optional<std::size_t> stuck;
        bool unknown = false;
        // A field got a value of another type; places in the expression.
        bool failed = false;
        std::uint32_t owner = 0, value = 0;
        TypeId expected, found;
    };

    explicit Solver(const base::Names& names) : types(names) {}

    // Equations that fail later are reported with where and why they came up.
    void at(base::Span span, Why why) {
        span_ = span;
        why_ = std::move(why);
    }
    bool equate(TypeId a, TypeId b) { return require(Relation::equal, a, b); }
    bool require(Relation relation, TypeId a, TypeId b);
    bool require_needs(TypeId type, Needs needs);
    Fault fault() const { return fault_; }  // of the last that failed
    // The fields of a dot matched as far as is certain.
    Dot reduce(std::vector<Part> parts);
    TypeId type_of(const Dot& dot);
    // A dot whose last part takes all fields that remain.
    TypeId completed(TypeId dot);

    TypeId fresh(Needs needs = 0) { return types.variable(level_, needs); }
    void enter() { ++level_; }
    void leave() { --level_; }
    std::size_t open_equations() const { return open_.size(); }
    // Solves what can be solved of the equations from here on; faults go to `report`.
    void settle(std::size_t from, const std::function<void(const Equation&)>& report);
    // After leave(): for the types of definitions that depend on each other. Variables that nothing else
    // knows become generic.
    void generalise(std::span<Scheme> schemes, std::size_t from);
    TypeId instance(const Scheme& scheme);

    // What the constructors of each datatype carry, as far as it is known.
    std::vector<std::vector<TypeId>> datatype_fields;
    Types types;

private:
    class Nest {
    public:
        explicit Nest(Solver& solver) : solver_(solver) {
            if (++solver_.depth_ > max_depth || ++solver_.work_ > max_work ||
                solver_.types.size() > max_types)
                throw TooLarge{};
        }
        ~Nest() { --solver_.depth_; }
        Nest(const Nest&) = delete;
        Nest& operator=(const Nest&) = delete;

    private:
        Solver& solver_;
    };

    bool fail(Fault fault) {
        fault_ = fault;
        return false;
    }
    bool unify(TypeId a, TypeId b);
    bool unify_variable(TypeId variable, TypeId type);
    bool unify_parts(TypeId a, TypeId b);
    bool unify_fields(TypeId a, TypeId b);
    bool unify_dot(TypeId dot, TypeId other);
    bool unify_dots(std::vector<Part> a, std::vector<Part> b);
    bool unify_heads(std::vector<Part> a, std::vector<Part> b);
    bool finish(std::span<const Part> parts, TypeId target);
    bool extend(TypeId a, TypeId b);
    bool complete_with(TypeId a, TypeId b);
    bool add_needs(TypeId type, Needs needs);
    bool datatype_needs(std::uint32_t datatype, Needs needs);
    bool prepare(TypeId variable, TypeId type);
    bool defer(Relation relation, TypeId a, TypeId b);
    bool solve(const Equation& equation);
    std::size_t retry(std::size_t from, bool choosing, const std::function<void(const Equation&)>& report);
    void split(TypeId field, std::vector<TypeId>& fields, TypeId& result);
    void flatten(TypeId type, std::uint32_t place, std::vector<Part>& into);
    bool closed(TypeId type) const;
    Dot reduce_parts(std::vector<Part> parts);
    void consume(std::span<const Part> parts, std::size_t& at, Dot& dot);
    bool mark_generic(TypeId type);
    bool concerns(TypeId type);
    bool shares(TypeId type);
    bool any_variable(TypeId type, const std::function<bool(TypeId)>& which);
    TypeId copy(TypeId type, absl::flat_hash_map<TypeId, TypeId>& copies);

    std::vector<Equation> open_;
    std::vector<std::uint32_t> datatypes_asked_;
    base::Span span_;
    Why why_;
    Fault fault_ = Fault::none;
    std::uint32_t level_ = 0;
    int depth_ = 0;
    std::uint64_t work_ = 0;
    bool choosing_ = false;  // a part of which nothing else is known takes one field
};

}  // namespace treaty::csp::typing
