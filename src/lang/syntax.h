// The syntax tree of a .treaty text: what is written, before it is known what it means.
//
// Flat tables and 32-bit ids; lists of children are ranges of index tables. Every part has a span. Blocks
// nest at most max_block_depth and expressions max_expression_depth, so recursion over the tree is safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/names.h"
#include "base/source.h"
#include "lang/token.h"

namespace treaty::lang {

using base::NameId;
using base::Span;

constexpr std::uint32_t max_block_depth = 400;
constexpr std::uint32_t max_expression_depth = 200;
constexpr std::uint32_t max_case_values = 100;

using SyntaxExprId = base::Id<struct SyntaxExprTag>;
using StepId = base::Id<struct StepTag>;
using BlockId = base::Id<struct BlockTag>;
using TypeSyntaxId = base::Id<struct TypeSyntaxTag>;

struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct Name {
    NameId id;
    Span span;
};

enum class SyntaxExprKind : std::uint8_t {
    name,
    integer,
    real,
    string,
    bytes,
    boolean,
    none,
    list,
    call,
    unary,
    binary,
    index,
    field,
    if_else,
    matches,
    slice,      // xs[a..b]: three children, of which the bounds may be `omitted`
    omitted,    // nothing is written; the context determines the meaning
    with,       // x with target = value
    otherwise,  // x else y
    set,        // {a, b}; without children also an empty map
    map,        // {k: v}: a key, its value, the next key and so on
    without,    // x without y
    for_all,    // all x in xs: p; the name is x, the children are xs and p
    exists,     // any x in xs: p
    count,      // count x in xs: p
    // [f for x in xs if p]; the name is x, the children are xs, f and p, which may be `omitted`. In braces
    // (op is left_brace) it is a set; with four children, xs, k, v and p, a map.
    each,
    fold,    // fold a = s for x in xs: f; the names are a and x, the children s, xs and f
    update,  // of `let items[k].n = v`: the place items[k].n and the value
    wrong,   // could not be read; already reported
};

struct SyntaxExpr {
    SyntaxExprKind kind = SyntaxExprKind::wrong;
    TokenKind op = TokenKind::end_of_file;  // unary, binary: the operator; boolean: kw_true or kw_false
    Span span;
    Span op_span;
    NameId name;     // name, call, field
    Range children;  // in Syntax::expr_lists
    Range names;     // call with named arguments: in Syntax::names, one per child; what binds names: those
    bool in_parens = false;
};

struct TypeSyntax {
    Span span;
    Name name;             // int, list, Port...
    TypeSyntaxId key;      // map<key, ...>
    TypeSyntaxId element;  // list<...>, optional<...>, set<...>, map<..., element>
    SyntaxExprId low;      // int in low..high
    SyntaxExprId high;
};

struct FieldSyntax {
    Name name;
    TypeSyntaxId type;
    bool handed_back = false;  // parameter of a protocol: `let`, the caller gets its value
};

struct ArgumentSyntax {
    Span span;
    Name field;          // named argument; no id if positional
    Name bind;           // `let x`
    SyntaxExprId value;  // otherwise; neither: `_`
};

enum class StepKind : std::uint8_t {
    interaction,
    choice,
    par,
    repeat,
    rec,
    jump,
    while_loop,
    if_else,
    when,
    match,
    optional,
    try_interrupt,
    let,
    signal,
    wait,
    call,
    wrong,  // could not be read and is reported; `roles` has the names it would have bound
};

// One value of a case, or all integers from `low` to `high`.
struct CaseValueSyntax {
    SyntaxExprId low;
    SyntaxExprId high;  // none: one value
};

struct CaseSyntax {
    Span span;     // the values, or `else`
    Range values;  // in Syntax::case_values; none: `else`
};

struct Step {
    StepKind kind = StepKind::interaction;
    Span span;        // all of it
    Span head;        // what a message points at: the interaction, or a block's opening words
    Name name;        // interaction: the message; rec, continue, let, signal, wait, do: the name
    Name role;        // interaction: the sender; choice, repeat, optional: who decides (no id: not given)
    Range roles;      // interaction: the receivers; do: the names it begins with; in Syntax::names
    Range arguments;  // do: all that is given, the roles too
    bool has_arguments = false;  // parentheses are written
    SyntaxExprId condition;      // where, if, while, when; let: the value; match: what is compared
    TypeSyntaxId type;           // let: as it is written; none: that of the value
    Span within;                 // the duration as written; invalid if absent
    Range blocks;                // in Syntax::block_lists
    Range cases;                 // match: one for each block, in Syntax::cases
};

struct Block {
    Span span;  // braces included
    Range steps;
};

struct MessageSyntax {
    Span span;
    Name name;
    Range fields;
    SyntaxExprId where;
};

struct EnumSyntax {
    Span span;
    Name name;
    Range members;  // in Syntax::names
};

struct RecordSyntax {
    Span span;
    Name name;
    Range fields;
};

struct AliasSyntax {
    Span span;
    Name name;
    TypeSyntaxId type;
};

struct FunctionSyntax {
    Span span;
    Name name;
    Range fields;         // the parameters
    TypeSyntaxId result;  // none: a predicate
    SyntaxExprId body;
};

struct ConstantSyntax {
    Span span;
    Name name;
    TypeSyntaxId type;  // none: that of the value
    SyntaxExprId value;
};

struct ProtocolSyntax {
    Span span;
    Name name;
    Range roles;       // in Syntax::names
    Range parameters;  // values that a call gives or gets; in Syntax::fields
    BlockId body;
};

enum class WireItemKind : std::uint8_t {
    literal,
    pattern,
    field,
    bits,
    byte_string,
    conditional,
    repeat,
    decimal,
    line,
    varint,
    block,
    part,
    check,
    protobuf,         // inner: fields and oneofs
    protobuf_field,   // fixed: its number; keyword: how it is encoded; transform: how the keys of a map are;
                      // name; inner: the fields of a message, the members of an enum
    protobuf_oneof,   // inner: fields
    protobuf_member,  // name; fixed: its number
    json_value,       // value, transform; from here on: documents
    json_object,      // inner: members
    json_member,      // text: its key; inner: its value
    json_array,       // inner: elements
    json_each,        // name: the element; value: the list; inner: how an element looks
    request,          // keyword: the method; text: the path and the query
    status,           // text: a number, a class (2xx) or a range; name: its field, if said
    header,           // text: its name; value
    form,             // inner: members
    text_body,        // value
    bytes_body,       // value
    any_body
};

struct WireItemSyntax {
    WireItemKind kind = WireItemKind::literal;
    Span span;
    Name name;     // field, bits, byte_string; no id: a fixed number
    Span keyword;  // request: the method; protobuf_field
    // literal, pattern, field: the string or the regex; decimal, line: what ends it; repeat: what it goes on
    // until
    Span text;
    bool open = false;           // json_object, form, protobuf and its messages: ends with `...`
    bool may_be_absent = false;  // json_member: `optional`
    bool required = false, expanded = false, closed = false;  // protobuf_field
    SyntaxExprId fixed;                                       // bits without a name: their fixed value
    // bits: how many; byte_string: how many bytes (none: the rest); repeat: how often (none: to the end of
    // the block); varint: at most so many bytes, if said; block: bits of its length (none: a varint)
    SyntaxExprId size;
    bool little_endian = false;
    SyntaxExprId value;      // = ...
    SyntaxExprId condition;  // conditional, check
    SyntaxExprId key;        // xor ...
    Name transform;          // as ...
    SyntaxExprId more;       // repeat: how many rounds a round adds
    Range inner;             // in Syntax::wire_lists
};

struct EscapeSyntax {
    Span text;
    bool at_start = false;
    Span written;
};

struct LayoutSyntax {
    Span span;
    Name message;
    Range fields;  // in Syntax::names
    bool has_fields = false;
    bool binary = false;  // written in braces, or one protobuf message
    bool bare = false;    // one protobuf message, without braces around it
    Range items;          // in Syntax::wire_lists
};

struct WireSyntax {
    Span span;
    Name name;
    Name framing;         // lines, stream, json, http, length_prefixed
    Span terminator;      // lines: the end of a line; json: the member that names the message
    Range escapes;        // lines; in Syntax::escapes
    SyntaxExprId prefix;  // length-prefixed: bytes of the prefix
    Range layouts;
};

struct PatternSyntax {
    Span span;
    Name from;
    Name to;
    Name message;
    Range arguments;
    SyntaxExprId where;
};

struct PropertySyntax {
    Span span;
    Name name;
    bool global = false;
    Name at;
    Range after;  // in Syntax::patterns
    Range then;
    bool forbid = false;
    Span within;     // invalid: not given
    Range premises;  // in Syntax::names
    Range conclusions;
    bool negated = false;
};

struct ImportSyntax {
    Span span;
    Span path;  // the string
};

enum class ItemKind : std::uint8_t {
    message,
    enumeration,
    record,
    alias,
    constant,
    function,
    protocol,
    wire,
    property,
    import
};

struct ItemSyntax {
    ItemKind kind;
    std::uint32_t index;  // into the table of its kind
};

struct Syntax {
    base::FileId file;
    std::vector<ItemSyntax> items;  // in the order written
    std::vector<MessageSyntax> messages;
    std::vector<EnumSyntax> enums;
    std::vector<RecordSyntax> records;
    std::vector<AliasSyntax> aliases;
    std::vector<ConstantSyntax> constants;
    std::vector<FunctionSyntax> functions;
    std::vector<ProtocolSyntax> protocols;
    std::vector<WireSyntax> wires;
    std::vector<PropertySyntax> properties;
    std::vector<ImportSyntax> imports;

    std::vector<SyntaxExpr> exprs;
    std::vector<TypeSyntax> types;
    std::vector<Step> steps;
    std::vector<Block> blocks;
    std::vector<FieldSyntax> fields;
    std::vector<ArgumentSyntax> arguments;
    std::vector<CaseSyntax> cases;
    std::vector<CaseValueSyntax> case_values;
    std::vector<WireItemSyntax> wire_items;
    std::vector<LayoutSyntax> layouts;
    std::vector<EscapeSyntax> escapes;
    std::vector<PatternSyntax> patterns;
    std::vector<Name> names;
    std::vector<SyntaxExprId> expr_lists;
    std::vector<StepId> step_lists;
    std::vector<BlockId> block_lists;
    std::vector<std::uint32_t> wire_lists;

    std::vector<NameId> broken;  // declarations that could not be read: their names mean something unknown
    std::vector<NameId> lost;    // all words of steps and declarations that could not be read
    std::vector<Comment> comments;

    const SyntaxExpr& operator[](SyntaxExprId id) const { return exprs[id.index]; }
    const Step& operator[](StepId id) const { return steps[id.index]; }
    const Block& operator[](BlockId id) const { return blocks[id.index]; }
    const TypeSyntax& operator[](TypeSyntaxId id) const { return types[id.index]; }
    template <class T>
    static std::span<const T> part(const std::vector<T>& table, Range range) {
        return std::span<const T>(table).subspan(range.first, range.count);
    }
    std::span<const SyntaxExprId> children(const SyntaxExpr& e) const { return part(expr_lists, e.children); }
    std::span<const StepId> steps_of(BlockId b) const { return part(step_lists, blocks[b.index].steps); }
    std::span<const BlockId> blocks_of(const Step& s) const { return part(block_lists, s.blocks); }
    std::span<const CaseSyntax> cases_of(const Step& s) const { return part(cases, s.cases); }
};

}  // namespace treaty::lang
