#include "choreo/project_net.h"

#include <algorithm>

#include "base/check.h"
#include "choreo/net_compiler.h"
#include "choreo/reduce_net.h"

namespace treaty::choreo {
namespace {

using model::Net;
using model::PlaceId;
using model::RoleId;

// A copy of `net` inside `builder`, its places after those already there.
void add_copy(model::NetBuilder& builder, const Net& net) {
    auto offset = static_cast<std::uint32_t>(builder.places().size());
    auto shift = [&](std::vector<PlaceId>& list) {
        for (PlaceId& p : list) p = PlaceId(p.index + offset);
    };
    for (const model::Place& p : net.places()) builder.place(p.node, p.semaphore);
    for (model::Transition t : net.transitions()) {
        shift(t.from);
        shift(t.to);
        shift(t.clears);
        builder.transition(std::move(t));
    }
    for (PlaceId p : net.initial()) builder.initial(PlaceId(p.index + offset));
    for (PlaceId p : net.final()) builder.final(PlaceId(p.index + offset));
}

}  // namespace

std::optional<Net> project_net(const model::Specification& specification, const model::Protocol& protocol,
                               RoleId role) {
    RoleView view{role, knowledge_of(protocol, *specification.pool, role)};
    auto net = compile_view(specification, protocol, &view);
    if (!net) return std::nullopt;
    return reduce_net(*net);
}

std::optional<Net> project_net(const model::Specification& specification, const model::Protocol& protocol,
                               std::span<const RoleId> group) {
    std::vector<RoleId> members(group.begin(), group.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (members.size() == 1) return project_net(specification, protocol, members[0]);
    std::string name;
    for (RoleId role : members)
        name.append(name.empty() ? "" : "+").append(specification.alphabet->name(role));
    model::NetBuilder builder(name, specification.alphabet,
                              protocol.has_data() ? specification.pool : nullptr);
    for (RoleId role : members) {
        auto net = project_net(specification, protocol, role);
        if (!net) return std::nullopt;
        add_copy(builder, *net);
    }
    return builder.finish();
}

}  // namespace treaty::choreo
