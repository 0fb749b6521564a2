// Variables, types and guards of a script's components.
//
// Types are inferred: a variable has the type of what it is compared or computed with, a message that of the
// variables it carries, and a number where nothing says otherwise.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/schora/tree.h"
#include "model/specification.h"

namespace treaty::formats::schora {

class ScriptData {
public:
    ScriptData(model::Specification& specification, const std::vector<ComponentText>& components,
               base::Diagnostics& diagnostics);

    // Infers all types, declares messages and variables, and reports clashes and names that nothing binds.
    void resolve();

    // The guard; nothing if it was reported.
    std::optional<expr::ExprId> guard(std::size_t component, std::size_t formula);
    // The arguments of an event: as many as its message has fields.
    std::vector<model::Argument> arguments(std::size_t component, const EventText& event);

private:
    enum class Kind : std::uint8_t { unknown, number, text, truth };
    struct Variable {
        Kind kind = Kind::unknown;
        bool bound = false;
        Span span;
        expr::VarId id;
    };
    struct Carried {
        Kind kind = Kind::unknown;
        bool data = false;
        std::string field;
    };

    template <class Use>
    void for_each_event(const Use& use) const;
    Variable& variable(std::size_t component, const std::string& name, Span span);
    Kind kind_of(std::size_t component, std::size_t formula);
    bool demand(std::size_t component, std::size_t formula, Kind kind);
    bool infer(std::size_t component, std::size_t formula);
    void clash(Span span, Kind found, Kind wanted);
    expr::TypeId type_of(Kind kind) const;
    static std::string_view say(Kind kind);
    std::optional<expr::ExprId> build(std::size_t component, std::size_t formula);
    std::optional<expr::ExprId> build_binary(std::size_t component, const Formula& f);

    model::Specification& specification_;
    const std::vector<ComponentText>& components_;
    base::Diagnostics& diagnostics_;
    std::vector<std::map<std::string, Variable>> variables_;  // by component
    std::map<std::string, Carried> messages_;
};

}  // namespace treaty::formats::schora
