#include "choreo/project_net.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

#include "base/check.h"
#include "choreo/net_compiler.h"
#include "choreo/reduce_net.h"
#include "expr/has_value.h"

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

// Drops computations whose result the role never uses. Without that, a loop in which others count would be a
// new situation for the role in each round. A computation that may lack a value stays: where it has none, the
// role cannot go past it.
class UnreadComputations {
public:
    explicit UnreadComputations(const Net& net) : pool_(*net.pool()) {
        for (const model::Transition& t : net.transitions()) {
            read(t.guard);
            read(t.where);
            for (const model::Argument& a : t.data) read(a.value);
            for (const model::Assignment& a : t.assignments)
                if (expr::may_lack_value(pool_, a.value)) read(a.value);
        }
        for (std::size_t before = 0; before != read_.size();) {
            before = read_.size();
            for (const model::Transition& t : net.transitions())
                for (const model::Assignment& a : t.assignments)
                    if (read_.contains(a.variable)) read(a.value);
        }
    }

    bool unread(const model::Assignment& a) const {
        return !read_.contains(a.variable) && !expr::may_lack_value(pool_, a.value);
    }

private:
    void read(expr::ExprId e) {
        if (!e) return;
        for (expr::VarId v : pool_.variables_of(e)) read_.insert(v);
    }

    expr::Pool& pool_;
    absl::flat_hash_set<expr::VarId> read_;
};

Net without_unread(const Net& net) {
    const UnreadComputations computations(net);
    model::NetBuilder builder(std::string(net.name()), net.alphabet_ptr(), net.pool());
    add_copy(builder, net);
    for (model::Transition& t : builder.transitions())
        std::erase_if(t.assignments, [&](const model::Assignment& a) { return computations.unread(a); });
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return std::move(*result);
}

}  // namespace

std::optional<Net> project_net(const model::Specification& specification, const model::Protocol& protocol,
                               RoleId role) {
    RoleView view{role, knowledge_of(protocol, *specification.pool, role)};
    auto net = compile_view(specification, protocol, &view);
    if (!net) return std::nullopt;
    return reduce_net(net->pool() ? without_unread(*net) : *net);
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
