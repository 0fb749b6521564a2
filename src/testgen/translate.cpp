#include "testgen/translate.h"

namespace treaty::testgen {

std::optional<model::Machine> translate(const model::Machine& machine, model::RoleId role,
                                        const std::shared_ptr<model::Alphabet>& alphabet) {
    model::MachineBuilder builder(machine.name(), alphabet, role);
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        builder.state(machine.final(model::StateId(s)), std::string(machine.state_name(model::StateId(s))));
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        for (const model::Edge& edge : machine.out(model::StateId(s))) {
            model::Event event = machine.alphabet().event(edge.label);
            bool send = event.kind == model::EventKind::send;
            if (event.kind == model::EventKind::silent) {
                builder.edge(model::StateId(s), alphabet->silent(), edge.target);
                continue;
            }
            if (!send && event.kind != model::EventKind::receive) return std::nullopt;
            event.from = alphabet->find_role(machine.alphabet().name(event.from));
            event.to = alphabet->find_role(machine.alphabet().name(event.to));
            if (!event.from || !event.to || (send ? event.from : event.to) != role) return std::nullopt;
            event.message = alphabet->message(machine.alphabet().name(event.message));
            builder.edge(model::StateId(s), alphabet->label(event), edge.target);
        }
    }
    return builder.finish();
}

}  // namespace treaty::testgen
