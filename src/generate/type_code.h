// Types of data as types of the programming languages, and values as literals.
//
//              C++                  Python          TypeScript
//   int        std::int64_t         int             bigint
//   real       double               float           number
//   string     std::string          str             string
//   bytes      treaty::Bytes        bytes           Uint8Array
//   enum       enum class           IntEnum         union of texts
//   record     struct               dataclass       interface
//   list<T>    std::vector<T>       tuple[T, ...]   readonly T[]
//   set<T>     std::set<T>          frozenset[T]    refused
//   map<K, V>  std::map<K, V>       dict[K, V]      refused
//   T?         std::optional<T>     T | None        T | null
//
// Whatever has no type in the language is refused: the first refusal is kept.
#pragma once

#include <string>

#include "expr/types.h"
#include "expr/value.h"
#include "generate/identifiers.h"

namespace treaty::generate {

class TypeCode {
public:
    // declared: names of what the protocol declares, which may be the same for a message and a type.
    TypeCode(const expr::Types& types, const base::Names& names, Scope& declared, std::string qualifier)
        : types_(types), names_(names), declared_(declared), qualifier_(std::move(qualifier)) {}

    std::string print(expr::TypeId type);
    std::string literal(const expr::Value& value, expr::TypeId type);
    // A list or set of items that are separated by commas, in Python and TypeScript.
    std::string sequence(expr::TypeKind kind, const std::string& items, std::size_t count) const;
    std::string name_of(expr::TypeId named) const;  // without the qualifier
    std::string member_name(expr::TypeId enumeration, std::size_t index) const;
    std::string field_name(expr::NameId name) const;
    // A value to begin with: zero, the empty text, the first member.
    std::string initial(expr::TypeId type);

    const std::string& refusal() const { return refusal_; }
    void clear_refusal() { refusal_.clear(); }
    const expr::Types& types() const { return types_; }
    Language language() const { return declared_.language(); }

private:
    std::string refuse(std::string what);
    std::string sequence_literal(const expr::Value& value, const expr::Type& type, expr::TypeId id);

    const expr::Types& types_;
    const base::Names& names_;
    Scope& declared_;
    std::string qualifier_;  // of named types, as "messages::"
    std::string refusal_;
};

}  // namespace treaty::generate
