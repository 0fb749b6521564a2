// The tree of a Scribble or nuScr file, as written: one Module per file.
//
// Names are ids of one table for all modules. Conditions (nuScr's refinements) are in the expression table of
// the Treaty syntax tree that everything is written into in the end. Blocks nest at most
// lang::max_block_depth.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/syntax.h"

namespace treaty::formats::scribble {

using base::NameId;
using base::Span;
using lang::Name;

struct QualifiedName {
    std::vector<Name> parts;  // a.b.C; never empty
    Span span;
};

struct Payload {
    Name field;  // without an id: not named
    QualifiedName type;
    lang::SyntaxExprId refinement;
    Span span;
};

// m(int, x: string); or a bare name, which may be a parameter; or an argument that is a type.
struct Signature {
    QualifiedName name;  // no parts: a payload without a label
    bool in_parens = false;
    std::vector<Payload> payload;
    Span span;
};

struct RoleArgument {
    Name given;
    Name as;  // `A as B`: plays the callee's B; without an id: by position
};

struct LoopVariable {
    Name name;
    QualifiedName type;
    lang::SyntaxExprId first;
};

enum class StatementKind : std::uint8_t { message, choice, par, rec, jump, call, wrong };

struct Statement;
struct Block {
    Span span;
    std::vector<Statement> statements;
};

struct Statement {
    StatementKind kind = StatementKind::wrong;
    Span span;
    Span head;
    Signature message;
    Name role;  // sender, decider
    std::vector<Name> receivers;
    Name loop;                             // rec, jump
    std::vector<LoopVariable> variables;   // rec X [x<A>: int = 0]
    std::vector<lang::SyntaxExprId> next;  // continue X [x + 1]
    QualifiedName callee;
    std::vector<Signature> arguments;
    std::vector<RoleArgument> roles;
    std::vector<Block> blocks;
};

struct Parameter {
    bool is_signature = false;
    Name name;
};

constexpr std::uint32_t no_parent = 0xFFFFFFFF;
constexpr std::uint32_t no_module = 0xFFFFFFFF;

struct ProtocolDeclaration {
    Span span;  // its first line
    Name name;
    bool aux = false;                  // only for others to call: aux and nested protocols
    std::uint32_t parent = no_parent;  // nuScr: the protocol inside which it is declared
    std::vector<Parameter> parameters;
    std::vector<Name> roles;
    std::vector<Name> new_roles;  // nuScr: made by each call
    Block body;
};

struct Import {
    Span span;
    QualifiedName module;
    Name member;                       // from M import P
    Name alias;                        // as N
    std::uint32_t target = no_module;  // position in the list of modules; none if it could not be read
};

struct Module {
    base::FileId file;
    QualifiedName name;  // no parts: not given
    std::vector<Import> imports;
    std::vector<NameId> types;
    std::vector<ProtocolDeclaration> protocols;
};

}  // namespace treaty::formats::scribble
