// The tree of a CSPM script as it is written, names not yet looked up.
//
// Nodes lie in one table and are named by ids; children have smaller ids than their parents. Patterns are
// trees of the same kinds as expressions. The comment beside each kind lists its children.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/names.h"
#include "base/source.h"

namespace treaty::csp {

using AstId = base::Id<struct AstTag>;

enum class Ast : std::uint8_t {
    integer,         // number
    boolean,         // number 0 or 1
    character,       // number: its byte; a string is a sequence of characters
    name,            // name
    wildcard,        // _
    tuple,           // elements
    sequence,        // elements
    set,             // elements
    sequence_range,  // from [to]
    set_range,       // from [to]
    sequence_of,     // a comprehension: elements, qualifiers...; number: how many elements
    set_of,          // the same
    events_of,       // {| ... |}: elements, then qualifiers; number: how many elements
    apply,           // function, arguments...
    dot,             // at least two parts
    both,            // the double pattern p @@ q
    negate,          // -x
    logical_not,
    length,     // #s
    binary,     // left, right; op
    choose,     // if: condition, then, else
    let,        // body; number: index of its declarations
    lambda,     // parameters..., body
    generator,  // pattern, set or sequence: a qualifier; conditions are plain expressions
    // processes
    prefix,       // event (communicate or an expression), process
    communicate,  // channel, fields...
    input,        // pattern, [set]: ?x:S
    output,       // expression: !e
    guard,        // condition, process
    external,     // left, right
    internal,
    sequential,
    sliding,
    interrupt,
    interleave,
    parallel,      // left, set, right: [| A |]
    alphabetised,  // left, set, set, right: [ A || B ]
    exception,     // left, set, right: [| A |>
    linked,        // left, links, right: [ c <-> d ]
    hide,          // process, set
    rename,        // process, pairs..., qualifiers...; number: how many pairs. A pair is a `replace`
    replace,       // from, to
    links,         // pairs..., qualifiers...; number: how many pairs. A pair is a `replace`
    replicated,    // op (of external ... linked), qualifiers..., [set or links], body; number: how many
                   // qualifiers
    field_values,  // part of an event: what its next field may be; number 1: all fields that follow
};

enum class Op : std::uint8_t {
    none,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    equal,
    unequal,
    less,
    greater,
    at_most,
    at_least,
    logical_and,
    logical_or,
    concatenate,
    external,
    internal,
    interleave,
    parallel,
    alphabetised,
    sequential,
    linked,  // of a replicated node
};

struct AstNode {
    Ast kind;
    Op op = Op::none;
    base::NameId name = {};
    std::int64_t number = 0;
    base::Span span = {};
    std::vector<AstId> kids = {};
    std::uint32_t depth = 1;  // of the tree below it, with the definitions of a let
};

// One clause of a definition: name(patterns)(patterns) = body. Without patterns it is a value.
struct Clause {
    std::vector<std::vector<AstId>> parameters;
    AstId body;
    base::Span span;
};
struct Definition {
    base::NameId name;
    base::Span span;
    std::vector<Clause> clauses;
    bool by_pattern = false;  // one name of several in (a, b) = e
};

// A type as it is written after `::`. Nodes lie in one table.
using TypeNodeId = base::Id<struct TypeNodeTag>;
struct TypeNode {
    enum class Kind : std::uint8_t {
        name,      // Int, a datatype, a type variable
        sequence,  // <a>
        set,       // {a}
        tuple,     // (a, b); one part is itself
        function,  // parameters..., result
        dot,       // a.b
        yields,    // a => b
        extends,   // a =>* b
        map,       // (| a => b |)
    };
    Kind kind;
    base::NameId name = {};
    base::Span span = {};
    std::vector<TypeNodeId> parts = {};
};

// f :: Type. What cannot be read as a type changes nothing but what the type checker says.
struct Annotation {
    struct Need {  // Eq a
        base::NameId what, variable;
    };
    base::NameId name;
    base::Span span;
    TypeNodeId type;  // none: not readable
    std::vector<Need> needs;
    base::Span fault;
    std::string expected;
};

struct Declarations {
    std::vector<Definition> definitions;
    std::vector<Annotation> annotations;
};

struct ChannelDeclaration {
    base::NameId name;
    base::Span span;
    AstId type;  // none for a channel without fields
};
struct Constructor {
    base::NameId name;
    base::Span span;
    AstId type;
};
struct DatatypeDeclaration {
    base::NameId name;
    base::Span span;
    std::vector<Constructor> constructors;
    bool subtype = false;
};
struct TypeDeclaration {
    base::NameId name;
    base::Span span;
    AstId type;
};

enum class Asked : std::uint8_t { refinement, deadlock_free, divergence_free, deterministic, has_trace };
struct Assertion {
    Asked asked = Asked::refinement;
    bool negated = false;
    std::string_view model = "";  // T, F, FD, or empty
    AstId left;
    AstId right;  // refinement: the implementation; has_trace: the sequence
    base::Span span;
};

struct Syntax {
    std::vector<AstNode> nodes;
    std::vector<TypeNode> type_nodes;
    base::Names names;
    std::vector<ChannelDeclaration> channels;
    std::vector<DatatypeDeclaration> datatypes;
    std::vector<TypeDeclaration> types;
    std::vector<base::NameId> transparent;  // functions that change how a process is held, not what it does
    Declarations global;
    std::vector<Declarations> lets;
    std::vector<Assertion> assertions;

    const AstNode& operator[](AstId id) const { return nodes[id.index]; }
};

}  // namespace treaty::csp
