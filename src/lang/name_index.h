// The meaning of names: every mention of a name in a syntax tree, with its declaration.
//
// For editors: it is made from the tree alone, so it exists for texts with faults too, and covers what could
// be read of them. Names without a meaning have no mention. A variable is one symbol from its first
// binding to the end of that block, however often it is bound again. A message that is never declared is one
// symbol; its first use counts as its declaration. A role in a property is that of the last protocol that has
// it. Faults are not reported here: that is the resolver's work (resolve.h). Cost: linear in the tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/names.h"
#include "base/source.h"
#include "lang/syntax.h"

namespace treaty::lang {

using SymbolId = base::Id<struct SymbolTag>;

enum class SymbolKind : std::uint8_t {
    message,
    field,  // of a message or a record
    enumeration,
    member,
    record,
    alias,
    constant,
    function,
    parameter,
    protocol,
    role,
    variable,
    loop,
    signal,
    wire,
    property,
};

std::string_view to_string(SymbolKind kind);

struct Symbol {
    SymbolKind kind = SymbolKind::variable;
    NameId name;
    Span declared;  // the name where it is declared, or first used
    Span whole;     // the declaration; of a variable: where it is visible
    bool is_declared = true;
    SymbolId owner;      // what it belongs to: a field to its message, a role to its protocol
    TypeSyntaxId type;   // as declared, or of the field that a variable is bound to; none: not given
    SymbolId record;     // of a variable whose type is not written: the record that it is
    std::uint32_t item;  // of a declaration: its position in the table of its kind
};

struct Mention {
    Span span;
    SymbolId symbol;
    bool declares = false;
};

class NameIndex {
public:
    NameIndex(const Syntax& syntax, const base::Names& names);

    const std::vector<Symbol>& symbols() const { return symbols_; }
    const std::vector<Mention>& mentions() const { return mentions_; }  // by file and place
    const Symbol& operator[](SymbolId id) const { return symbols_[id.index]; }

    // The mention that holds this place or ends there; null if there is none.
    const Mention* at(base::FileId file, std::uint32_t offset) const;
    std::vector<Mention> of(SymbolId symbol) const;  // in the order of their places

    SymbolId find(SymbolKind kind, NameId name) const;  // what belongs to nothing; none if there is none
    std::vector<SymbolId> owned(SymbolId owner, SymbolKind kind) const;  // in the order of declaration
    // Variables, parameters and fields that a condition at this place can use.
    std::vector<SymbolId> visible(base::FileId file, std::uint32_t offset) const;

private:
    friend class Indexer;
    std::vector<Symbol> symbols_;
    std::vector<Mention> mentions_;
    absl::flat_hash_map<SymbolId, std::vector<SymbolId>> owned_;
};

}  // namespace treaty::lang
