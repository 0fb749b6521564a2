// The rest of a role's part is its net with other tokens at the start: those that its next transition takes.
#include "api/editor/role_view.h"

#include "api/input/inputs.h"
#include "api/models/derive.h"
#include "choreo/project.h"

namespace treaty::api {
namespace {

// Whether a step is all that its roles are about to do.
bool is_alone(const model::Protocol& protocol, model::NodeId id) {
    for (; id; id = protocol[id].parent) {
        model::NodeKind kind = protocol[id].kind;
        if (kind == model::NodeKind::parallel || kind == model::NodeKind::interrupt) return false;
    }
    return true;
}

model::NodeId step_at(const Inquiry& inquiry, const model::Protocol& protocol,
                      const RoleViewQuestion& question, model::RoleId role) {
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        bool own = node.kind == model::NodeKind::interaction && (node.role == role || node.to == role);
        bool here = node.span.valid() && node.span.begin <= question.offset &&
                    question.offset <= node.span.end &&
                    inquiry.sources().path(node.span.file) == question.file;
        if (own && here && is_alone(protocol, model::NodeId(i))) return model::NodeId(i);
    }
    return {};
}

std::optional<model::Net> beginning_at(const model::Net& net, model::NodeId step) {
    for (const model::Transition& first : net.transitions()) {
        if (first.node != step || first.silent()) continue;
        model::NetBuilder builder(std::string(net.name()), net.alphabet_ptr(), net.pool());
        for (const model::Place& place : net.places()) builder.place(place.node, place.semaphore, place.name);
        for (const model::Transition& t : net.transitions()) builder.transition(t);
        for (model::PlaceId place : first.from) builder.initial(place);
        for (model::PlaceId place : net.final()) builder.final(place);
        return builder.finish();
    }
    return std::nullopt;
}

}  // namespace

RoleView role_view(const Workspace& workspace, const RoleViewQuestion& question, const Context& context) {
    RoleView view;
    Answer answer;
    Inquiry inquiry(workspace, context, answer);
    auto input = load_protocol(inquiry, question.file, question.protocol);
    if (!input) return view;
    model::RoleId role = input->specification.alphabet->find_role(question.role);
    if (!role) return view;
    std::vector<model::RoleId> roles{role};
    if (model::NodeId step = step_at(inquiry, *input->protocol, question, role)) {
        auto net = derive_net(inquiry, *input, roles);
        auto rest = net ? beginning_at(*net, step) : std::nullopt;
        if (rest) view.machine = choreo::role_machine(*rest, role, context.machine_limits()).machine;
        view.from_here = view.machine.has_value();
    }
    if (!view.machine) view.machine = derive_machine(inquiry, *input, roles);
    return view;
}

}  // namespace treaty::api
