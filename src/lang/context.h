// What resolving one file shares: its syntax, the specification being built, and the tables of its names.
// Internal to lang/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "base/diagnostic.h"
#include "base/source.h"
#include "lang/syntax.h"
#include "model/specification.h"

namespace treaty::lang {

struct EnumMemberRef {
    expr::TypeId type;
    std::uint32_t index;
};

struct Context {
    const base::SourceMap& sources;
    const Syntax& syntax;
    model::Specification& spec;
    base::Diagnostics* diagnostics;  // where faults go now; resolving a protocol may redirect it

    absl::flat_hash_map<NameId, expr::TypeId> types;
    absl::flat_hash_map<NameId, EnumMemberRef> members;
    absl::flat_hash_map<NameId, expr::ExprId> constants;  // literals, or of unknown type if they are wrong
    absl::flat_hash_map<NameId, expr::FunctionId> functions;
    absl::flat_hash_map<NameId, std::uint32_t> protocols;   // position in syntax.protocols
    absl::flat_hash_map<NameId, std::uint32_t> properties;  // position in spec.properties
    absl::flat_hash_set<NameId> broken;                     // declared, but what they mean is unknown
    absl::flat_hash_set<NameId> lost;  // occur in text that could not be read, which may have declared them

    // Names that do not exist and have been reported, one set a kind of name: the next use is the same fault.
    // Those of variables are cleared where another protocol, function, layout or property begins.
    absl::flat_hash_set<NameId> missing_variables{}, missing_functions{}, missing_types{}, missing_messages{};

    // Of each type that is written in a step.
    absl::flat_hash_map<TypeSyntaxId, expr::TypeId> step_types{};

    // The values that calls give or get, for each protocol of the syntax.
    std::vector<std::vector<expr::Field>> parameters{};

    std::string_view text(NameId id) const { return spec.names->text(id); }
    std::string_view text(Span span) const { return sources.text(span); }
    base::Diagnostic& report(const base::Code& code, Span span, std::string message) {
        return diagnostics->report(code, span, std::move(message));
    }
    // The message of that name; makes it known if it is new.
    model::MessageId message(NameId name, Span first_use);
};

// Types, messages and functions of the file, into context and specification.
void resolve_declarations(Context& context);

// "; did you mean `x`?" as a hint, or nothing.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& candidates);

}  // namespace treaty::lang
