// Types of CSPM, as nodes of one table. A variable is a node that may be bound to another.
//
// A dot such as 1.true has type Int.Bool, a `dot` with at least two parts. What still lacks a field, such as
// a channel of Ints, has type Int=>Event, a `field`: it takes one part after a dot, and the result may lack
// more. `unknown` is the type of an expression that was reported: it agrees with every type, so one fault
// gives one message. Every change of a node can be undone, back to a mark. One thread uses a table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/names.h"

namespace treaty::csp::typing {

using TypeId = base::Id<struct InferredTypeTag>;

enum class Shape : std::uint8_t {
    unknown,
    integer,
    boolean,
    character,
    process,
    event,
    datatype,  // number: which
    rigid,     // a type variable of an annotation: any type, but the same everywhere; number: which
    sequence,  // of its part
    set,
    tuple,
    function,  // parameters..., result
    field,     // what it takes, what it is then
    dot,
    variable,
};

// What a type must be able to do, as bits.
using Needs = std::uint8_t;
inline constexpr Needs needs_equality = 1;
inline constexpr Needs needs_order = 2;
inline constexpr Needs needs_set = 4;  // may be an element of a set
inline constexpr Needs one_field = 8;  // of a variable: in a dot it is exactly one part

class Types {
public:
    static constexpr std::uint32_t generic = UINT32_MAX;  // the level of a variable that each use replaces

    struct Node {
        Shape shape;
        Needs needs = 0;
        std::uint32_t number = 0;
        std::uint32_t level = 0;  // of a variable: how deep the definitions are to which it belongs
        std::uint32_t seen = 0;   // the last walk that came here
        TypeId bound = {};        // of a variable
        std::vector<TypeId> parts = {};
    };

    explicit Types(const base::Names& names);

    TypeId basic(Shape shape) const { return TypeId(static_cast<std::size_t>(shape)); }
    TypeId unknown() const { return basic(Shape::unknown); }
    TypeId numbered(Shape shape, std::uint32_t number, Needs needs = 0);
    TypeId make(Shape shape, std::vector<TypeId> parts);
    TypeId set_of(TypeId element) { return make(Shape::set, {element}); }
    TypeId sequence_of(TypeId element) { return make(Shape::sequence, {element}); }
    TypeId dot_of(std::vector<TypeId> parts);  // one part is itself
    // Something that takes these fields, one after the other, and is `result` then.
    TypeId fields_to(std::span<const TypeId> fields, TypeId result);
    TypeId variable(std::uint32_t level, Needs needs = 0);

    // What a variable is bound to in the end; any other type is itself.
    TypeId resolve(TypeId type) const;
    const Node& operator[](TypeId type) const { return nodes_[type.index]; }
    Shape shape(TypeId type) const { return nodes_[type.index].shape; }
    std::size_t size() const { return nodes_.size(); }

    void bind(TypeId variable, TypeId to);
    void add_needs(TypeId variable, Needs needs);
    void set_level(TypeId variable, std::uint32_t level) { nodes_[variable.index].level = level; }
    // A new walk, and whether it comes to a node for the first time.
    void start_walk() { ++walk_; }
    bool first_visit(TypeId type) { return std::exchange(nodes_[type.index].seen, walk_) != walk_; }

    std::size_t mark() const { return trail_.size(); }
    void undo(std::size_t mark);
    void keep() { trail_.clear(); }  // nothing is undone any more
    std::uint64_t changes() const { return changes_; }

    // Names of datatypes and of type variables in annotations, by their numbers.
    std::vector<base::NameId> datatype_names;
    std::vector<base::NameId> rigid_names;

    std::string describe(TypeId type) const;  // "an Int", "a set of events"
    std::string notation(TypeId type) const;  // "Int", "{Event}", as in an annotation

private:
    struct Change {
        TypeId variable;
        Needs needs;  // as they were
        bool bound;
    };
    std::string described(TypeId type, bool plural, int depth) const;
    std::string written(TypeId type, int depth) const;
    std::string lacking(const Node& node, bool plural, int depth) const;
    std::string letter(TypeId variable) const;

    const base::Names& names_;
    std::vector<Node> nodes_;
    std::vector<Change> trail_;
    std::uint64_t changes_ = 0;
    std::uint32_t walk_ = 0;
    mutable std::vector<TypeId> lettered_;  // variables of the type that is being written
};

}  // namespace treaty::csp::typing
