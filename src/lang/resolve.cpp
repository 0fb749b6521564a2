#include "lang/resolve.h"

#include "lang/context.h"
#include "lang/knowledge.h"
#include "lang/resolve_protocol.h"
#include "lang/resolve_wire.h"
#include "lang/structure.h"
#include "model/endings.h"

namespace treaty::lang {
namespace {

// Steps that run in parallel with an endless loop are moved into a `par` with it, for all later passes.
void set_beside(ResolvedProtocol& resolved, Structure& structure) {
    auto apart = model::beside_endless(resolved.protocol);
    if (!apart) return;
    std::vector<bool> called;
    for (model::NodeId source : apart->source) called.push_back(resolved.called[source.index]);
    resolved.protocol = std::move(apart->protocol);
    resolved.called = std::move(called);
    structure = analyse_structure(resolved.protocol, {});
}

}  // namespace

// The passes, in order: declarations; each protocol to a tree, its structure, who knows what; wires and
// properties, which speak of messages and roles that protocols have made known by then.
std::optional<model::Specification> resolve(const base::SourceMap& sources, const Syntax& syntax,
                                            model::Specification spec, base::Diagnostics& diagnostics,
                                            Knowing knowing) {
    base::Diagnostics found;
    Context context{sources, syntax, spec, &found, {}, {}, {}, {}, {}, {}, {}, {}};
    resolve_declarations(context);
    for (std::size_t i = 0; i < syntax.protocols.size(); ++i) {
        auto resolved = resolve_protocol(context, static_cast<std::uint32_t>(i));
        if (!resolved) continue;
        Structure structure = analyse_structure(resolved->protocol, resolved->holes);
        check_structure(spec, *resolved, structure, found);
        if (resolved->holes.empty()) set_beside(*resolved, structure);
        check_knowledge(spec, *resolved, structure, knowing, found);
        // One with parameters is a part of those that call it: alone, its values are not known.
        if (context.parameters[i].empty()) spec.protocols.push_back(std::move(resolved->protocol));
    }
    resolve_wires(context);
    resolve_properties(context);
    bool ok = found.ok();
    diagnostics.append(std::move(found));
    if (!ok) return std::nullopt;
    return spec;
}

}  // namespace treaty::lang
