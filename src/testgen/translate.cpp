#include "testgen/translate.h"

#include <fmt/format.h>

namespace treaty::testgen {
namespace {

using model::EventKind;

// The event in the other alphabet, a silent one too; a fault if it has no place there.
base::Result<model::LabelId> translate_label(const model::Alphabet& from, model::LabelId label,
                                             model::RoleId role, model::Alphabet& to, Acting acting) {
    model::Event event = from.event(label);
    if (event.kind == EventKind::silent) return to.silent();
    if (event.kind != EventKind::send && event.kind != EventKind::receive)
        return base::Fault{
            fmt::format("has an event that is neither sent nor received: {}", from.print(label))};
    for (model::RoleId* end : {&event.from, &event.to}) {
        std::string_view name = from.name(*end);
        *end = to.find_role(name);
        if (!*end) return base::Fault{fmt::format("talks to {}, which is not a role of the protocol", name)};
    }
    bool send = event.kind == EventKind::send;
    bool own = (send ? event.from : event.to) == role, partner = (send ? event.to : event.from) == role;
    if (acting == Acting::own ? !own : !partner)
        return base::Fault{fmt::format("has an event of another role: {}", from.print(label))};
    event.message = to.message(from.name(event.message));
    return to.label(event);
}

}  // namespace

base::Result<model::Machine> translate(const model::Machine& machine, model::RoleId role,
                                       const std::shared_ptr<model::Alphabet>& alphabet, Acting acting) {
    model::MachineBuilder builder(machine.name(), alphabet, role);
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        builder.state(machine.final(model::StateId(s)), std::string(machine.state_name(model::StateId(s))));
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& edge : machine.out(model::StateId(s))) {
            auto label = translate_label(machine.alphabet(), edge.label, role, *alphabet, acting);
            if (!label) return base::Fault{label.error()};
            builder.edge(model::StateId(s), *label, edge.target);
        }
    auto made = builder.finish();
    if (!made) return base::Fault{builder.fault()};
    return std::move(*made);
}

}  // namespace treaty::testgen
