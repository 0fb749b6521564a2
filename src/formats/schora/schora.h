// SChorA scripts (Nguyen 2013, appendix A) and Chor expressions (Nguyen 2013, section 4.1), in only.
//
// A script declares components, each as an expression (chorD), as a graph (STG) or, beyond the appendix, as a
// composition of others, and then commands about them, which `treaty run` runs. A guarded expression whose
// guard is false can do nothing; unless another branch has the opposite guard, that is written as a loop that
// goes round without a message. All components share one specification: roles, messages and types agree
// between them, variables are each component's own. A variable that no event binds is free.
//
// As a specification, a script is its components of interactions, as protocols, held to the rules of the
// language. Numbered roles of a Chor expression are called r1, r2 and so on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/loaded.h"
#include "model/machine.h"
#include "model/specification.h"

namespace treaty::formats {

struct SchoraComponent {
    std::string name;
    base::Span span;
    model::RoleId role;                       // of a local description; none for a global one
    std::optional<model::Protocol> protocol;  // of an expression
    std::optional<model::Machine> machine;    // of a graph
    std::vector<std::size_t> parts;           // of a composition: other components
    bool global() const { return !role.valid() && parts.empty(); }
};

struct SchoraCommand {
    enum class Kind : std::uint8_t {
        show_time,
        show_stat,
        show_stg,
        show_reachable,
        show_realizable,
        projection,
        conformance
    };
    Kind kind = Kind::show_time;
    base::Span span;
    std::vector<std::size_t> components;
    std::string mode;  // "SYNC" and so on, where the command has one
};

struct SchoraScript {
    model::Specification specification;
    std::vector<SchoraComponent> components;
    std::vector<SchoraCommand> commands;
};

// Reports every fault; gives nothing if there was an error.
std::optional<SchoraScript> read_script(const base::SourceMap& sources, base::FileId file,
                                        base::Diagnostics& diagnostics);

// What a script or an expression holds as a model: a specification, or the last graph if there is no
// expression of interactions.
Loaded read_schora(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics);
Loaded read_chor(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics);

}  // namespace treaty::formats
