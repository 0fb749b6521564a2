// What the writers of all languages share: names, messages, expressions, and reporting what has no code.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "generate/expression_code.h"
#include "generate/generated_code.h"

namespace treaty::generate {

class CodeWriter {
public:
    // All must outlive it. messages: what comes before names of types and functions of the protocol.
    CodeWriter(const RoleSource& source, Language language, base::Diagnostics& diagnostics,
               std::string messages);

    const model::Specification& specification() const { return source_.specification; }
    const base::SourceMap& sources() const { return source_.sources; }
    const model::Protocol& protocol() const { return source_.protocol; }
    const expr::Pool& pool() const { return *source_.specification.pool; }
    const model::Alphabet& alphabet() const { return *source_.specification.alphabet; }
    TypeCode& types() { return types_; }
    PatternTable& patterns() { return patterns_; }
    bool ok() const { return ok_; }

    const std::string& protocol_name() const { return protocol_name_; }  // snake_case
    std::string source_file() const;                                     // without folders
    // Messages of the protocol, in the order of their declarations.
    const std::vector<model::MessageId>& messages() const { return messages_; }
    std::size_t position(model::RoleId role) const;
    const std::string& name(model::MessageId message);
    const std::string& name(model::RoleId role);
    std::string file_name(model::RoleId role);  // without an extension
    // Enumerations, records and functions that the protocol and its messages need, whatever the role; what is
    // used comes before its use.
    std::vector<expr::TypeId> named_types() const;
    std::vector<expr::FunctionId> functions() const;

    // The text of a condition or value; fields of the message are `message`.field, variables `data`.variable.
    // Reports what has no code, at this place.
    struct Frame {
        model::MessageId message;
        std::string message_prefix;  // "m."
        std::string data_prefix;     // "c.data."
    };
    std::string expression(expr::ExprId e, expr::TypeId wanted, const Frame& frame, base::Span at);
    std::string expression(expr::ExprId e, expr::TypeId wanted, const ExpressionCode::VariableName& variable,
                           base::Span at);
    std::string condition(const std::vector<Condition>& conditions, const Frame& frame, base::Span at);
    std::string type(expr::TypeId type, base::Span at);
    std::string body(expr::FunctionId function, const std::vector<std::string>& parameters);
    std::string field_name(expr::VarId field) const;
    // The fields as parameters: an underscore is added to a name that the function uses for something else.
    std::vector<std::string> parameter_names(model::MessageId message,
                                             std::initializer_list<std::string_view> taken) const;
    const std::string& variable_name(expr::VarId variable);  // of the role; no two have the same
    // With what comes before it where it is called.
    std::string function_name(expr::FunctionId function) const {
        return expressions_.function_name(function);
    }

    // Whether a message has ranges or a condition of its own.
    bool is_checked(model::MessageId message);
    // The condition that the value is in the ranges of its type; empty if the type has none.
    std::string in_range(expr::TypeId type, const std::string& value, int depth = 0);
    std::string range_text(expr::TypeId type) const;  // "0..9999"

    // "A sends x or y to B, or receives z from C".
    std::string describe(const RoleCode& role, const StateCode& state) const;
    // The first line of the protocol that the state is about.
    Place place(const StateCode& state) const;
    std::string step(const RoleCode& role, const StateCode& state) const;  // "shop.treaty:7: A sends x to B"
    std::string why_not(const Alternative& a, const Condition& c) const;
    std::string none_applies(const Operation& operation) const;
    static std::string no_value(const Alternative& a);  // of what is to be remembered
    // The lines of the protocol that alternatives are about, as "shop.treaty:7: A -> B: x", each once.
    static std::vector<std::string> lines(const std::vector<const Alternative*>& alternatives);
    // Whether a condition or computation of the operation reads a field of its message.
    bool reads_message(const Operation& operation) const;

    // A string literal of the language.
    std::string quoted(std::string_view text) const;

private:
    void report(base::Span at);

    const RoleSource& source_;
    Language language_;
    base::Diagnostics& diagnostics_;
    std::string protocol_name_;
    std::vector<model::MessageId> messages_;
    Scope declared_, roles_;
    TypeCode types_;
    PatternTable patterns_;
    ExpressionCode expressions_;
    Scope variables_;
    bool ok_ = true;
};

// The text without a pair of parentheses around all of it.
std::string without_parentheses(const std::string& text);

// Texts joined as "a, b or c".
std::string alternatives_text(const std::vector<std::string>& items);

}  // namespace treaty::generate
