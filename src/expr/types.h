// The types of message data, hash-consed: equal types have equal ids.
//
// A record or an enumeration is equal only to itself (by its declared name). integer() is unbounded;
// integer(lo, hi) is the same values restricted, so arithmetic on it gives integer(). `unknown` stands
// for the type of something already reported as wrong and for the elements of `[]`: it fits everything,
// so one mistake does not cause a second message. Not safe for concurrent building.
//
// A map is a sequence of entries: a record without a name, of a key and a value. Keys of maps and items of
// sets are never converted: an integer does not fit where a real is a key, because two keys might become one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"
#include "base/names.h"

namespace treaty::expr {

using base::NameId;
using TypeId = base::Id<struct TypeTag>;

enum class TypeKind : std::uint8_t {
    unknown,
    boolean,
    integer,
    real,
    string,
    bytes,
    enumeration,
    record,
    list,
    optional,
    set,
    map
};

struct Field {
    NameId name;
    TypeId type;
    friend bool operator==(const Field&, const Field&) = default;
};

struct Type {
    TypeKind kind = TypeKind::unknown;
    NameId name;                      // enumeration, record; none: the entry of a map
    TypeId element;                   // list, optional, set; map: its entry
    std::optional<std::int64_t> low;  // integer
    std::optional<std::int64_t> high;
    std::vector<NameId> members;  // enumeration
    std::vector<Field> fields;    // record
};

class Types {
public:
    Types();

    TypeId unknown() const { return TypeId(0u); }
    TypeId boolean() const { return TypeId(1u); }
    TypeId integer() const { return TypeId(2u); }
    TypeId real() const { return TypeId(3u); }
    TypeId string() const { return TypeId(4u); }
    TypeId bytes() const { return TypeId(5u); }
    TypeId integer(std::optional<std::int64_t> low, std::optional<std::int64_t> high);
    TypeId list(TypeId element);
    TypeId optional(TypeId element);
    TypeId set(TypeId element);
    TypeId map(TypeId key, TypeId value);
    // Each call makes a new type; the caller guards against two declarations of one name.
    TypeId enumeration(NameId name, std::vector<NameId> members);
    // A record may be declared first and get its fields later, but never twice and never itself inside.
    TypeId record(NameId name, std::vector<Field> fields);
    void set_fields(TypeId record, std::vector<Field> fields);

    const Type& operator[](TypeId id) const { return types_[id.index]; }
    TypeKind kind(TypeId id) const { return types_[id.index].kind; }
    TypeId key_of(TypeId map) const { return types_[types_[map.index].element.index].fields[0].type; }
    TypeId value_of(TypeId map) const { return types_[types_[map.index].element.index].fields[1].type; }
    // What goes through a collection one by one: the items of a list or set, the keys of a map. None for
    // other types.
    TypeId item_of(TypeId collection) const;
    std::size_t size() const { return types_.size(); }

    // The type without its ranges, also inside lists and optionals: what arithmetic and comparison look at.
    TypeId base(TypeId id) const { return bases_[id.index]; }
    // Whether a value of type `from` may be used where `to` is required: equal up to integer ranges (which
    // are checked on values, not here) and unknown parts; int fits real.
    bool fits(TypeId from, TypeId to) const;
    // The more precise of two types that fit each other; none if they do not.
    TypeId join(TypeId a, TypeId b);
    // Whether `inner` occurs in `outer`, at any depth, itself included: asked before a record gets a field.
    bool contains(TypeId outer, TypeId inner) const;
    // How many types deep it nests; 1 for a type without parts. Passes over values recurse that deep, so
    // code that declares records keeps it below max_nesting.
    std::size_t nesting(TypeId id) const;
    static constexpr std::size_t max_nesting = 250;

    std::string print(TypeId id, const base::Names& names) const;  // as the language writes it

private:
    std::vector<Type> types_;
    std::vector<TypeId> bases_;                          // by type
    absl::flat_hash_map<std::string, TypeId> interned_;  // structural key of the unnamed types
    TypeId add(Type type, TypeId base);                  // a none base: itself
    TypeId wrap(TypeKind kind, TypeId element);
    TypeId entry(TypeId key, TypeId value);
    bool interchangeable(TypeId a, TypeId b) const;
};

}  // namespace treaty::expr
