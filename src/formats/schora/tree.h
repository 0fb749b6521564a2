// The tree of a SChorA script, as it is written: components, events, guards, commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "formats/schora/lexer.h"

namespace treaty::formats::schora {

using base::Span;

// A guard or a part of one; children by position in the component's list.
struct Formula {
    enum class Kind : std::uint8_t { number, name, text, truth, binary, negation, minus };
    Kind kind = Kind::truth;
    Token op = Token::end;  // binary
    std::string text;       // number, name, text; "true" or "false"
    std::size_t left = 0, right = 0;
    Span span;
};

struct EventText {
    enum class Direction : std::uint8_t { global, send, receive };
    enum class Data : std::uint8_t { nothing, free, bound };
    std::string operation, from, to, variable;
    Direction direction = Direction::global;
    Data data = Data::nothing;
    Span span, variable_span;
};

struct Term {
    enum class Kind : std::uint8_t {
        skip,
        event,
        sequence,
        choice,
        parallel,
        interruption,
        guarded,
        loop,
        reference
    };
    Kind kind = Kind::skip;
    Span span;
    std::vector<std::size_t> children;  // by position in the component's list
    std::size_t formula = 0;            // guarded, loop
    EventText event;
    std::string reference;
};

struct StateText {
    std::string name;   // as written: a number
    std::string label;  // may be empty
    Span span;
};

struct TransitionText {
    std::string from, to;
    Span span, from_span, to_span;
    bool guarded = false;
    bool skip = false;  // no event
    std::size_t formula = 0;
    EventText event;
};

struct ComponentText {
    enum class Kind : std::uint8_t { expression, graph };
    std::string name;
    Span name_span;
    Kind kind = Kind::expression;
    std::vector<Formula> formulas;
    std::vector<Term> terms;
    std::size_t root = 0;  // of an expression
    std::vector<StateText> states;
    std::vector<TransitionText> transitions;
    bool broken = false;  // a fault in it was reported
};

struct CommandText {
    std::string name;
    Span span;
    std::vector<std::pair<std::string, Span>> arguments;
    std::string mode;
};

struct ScriptText {
    std::vector<ComponentText> components;
    std::vector<CommandText> commands;
};

}  // namespace treaty::formats::schora
