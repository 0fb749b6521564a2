#include "roles/role_part.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "choreo/compile_net.h"
#include "choreo/project_net.h"
#include "wire/shapes.h"

namespace treaty::roles {
namespace {

using model::RoleId;

bool holds(const std::vector<RoleId>& roles, RoleId role) {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
}

bool seen(const model::Event& e, RoleId cut, const std::vector<RoleId>& played) {
    return e.kind == model::EventKind::silent || holds(played, e.from == cut ? e.to : e.from);
}

// The data of an unseen message is not known, so a step that needs it cannot be judged.
base::Result<void> forgets_nothing_needed(const model::Net& net, const std::vector<bool>& hidden) {
    absl::flat_hash_set<expr::VarId> unknown;
    for (std::size_t i = 0; i < net.transitions().size(); ++i)
        if (hidden[i])
            for (const model::Argument& a : net.transitions()[i].data)
                if (a.bind) unknown.insert(a.bind);
    expr::VarId forgotten;
    auto needs = [&](expr::ExprId e) {
        if (!e) return false;
        for (expr::VarId v : net.pool()->variables_of(e))
            if (unknown.contains(v)) {
                forgotten = v;
                return true;
            }
        return false;
    };
    auto step_needs = [&](std::size_t i) {
        const model::Transition& t = net.transitions()[i];
        if (needs(t.guard) || (!hidden[i] && needs(t.where))) return true;
        for (const model::Argument& a : t.data)
            if (!hidden[i] && needs(a.value)) return true;
        for (const model::Assignment& a : t.assignments)
            if (needs(a.value)) return true;
        return false;
    };
    for (std::size_t i = 0; i < net.transitions().size(); ++i)
        if (step_needs(i))
            return base::Fault{fmt::format(
                "a step needs the value of {}, which the component gets from a role that is not played",
                net.pool()->names().text(net.pool()->variable(forgotten).name))};
    return {};
}

// The same net with every event silent that the tester does not see.
base::Result<model::Net> hide_unseen(const model::Net& net, RoleId cut, const std::vector<RoleId>& played) {
    std::vector<bool> hidden;
    for (const model::Transition& t : net.transitions())
        hidden.push_back(!seen(net.alphabet().event(t.label), cut, played));
    if (net.pool())
        if (auto known = forgets_nothing_needed(net, hidden); !known) return base::Fault{known.error()};
    model::NetBuilder builder(std::string(net.name()), net.alphabet_ptr(), net.pool());
    for (const model::Place& p : net.places()) builder.place(p.node, p.semaphore);
    for (std::size_t i = 0; i < net.transitions().size(); ++i) {
        model::Transition t = net.transitions()[i];
        if (hidden[i]) {
            t.label = model::LabelId(std::uint32_t{0});
            t.data.clear();
            t.where = {};
        }
        builder.transition(std::move(t));
    }
    for (model::PlaceId p : net.initial()) builder.initial(p);
    for (model::PlaceId p : net.final()) builder.final(p);
    auto made = builder.finish();
    if (!made) return base::Fault{builder.fault()};
    return std::move(*made);
}

// The roles that are played, and those that never exchange a message with the component: the component cannot
// tell who plays these, and their messages to the other roles count.
std::vector<RoleId> peer_roles(const model::Protocol& protocol, const model::Net& net, RoleId cut,
                               const std::vector<RoleId>& played) {
    std::vector<RoleId> roles = played;
    for (RoleId role : protocol.roles()) {
        bool speaks =
            std::any_of(net.transitions().begin(), net.transitions().end(), [&](const model::Transition& t) {
                const model::Event& e = net.alphabet().event(t.label);
                return !t.silent() && (e.from == role || e.to == role);
            });
        if (role != cut && !speaks && !holds(roles, role)) roles.push_back(role);
    }
    return roles;
}

// The part of each of these roles, for a test of `cut`; nothing if one of them could not be played without
// messages from a role that is not played.
std::optional<std::vector<model::Net>> peer_nets(const model::Specification& specification,
                                                 const model::Protocol& protocol, RoleId cut,
                                                 const std::vector<RoleId>& roles) {
    std::vector<RoleId> present = roles;
    present.push_back(cut);
    std::vector<model::Net> nets;
    for (RoleId role : roles) {
        auto net = choreo::project_net(specification, protocol, role);
        if (!net) return std::nullopt;
        auto own = hide_unseen(*net, role, present);
        if (!own) return std::nullopt;
        nets.push_back(std::move(*own));
    }
    return nets;
}

}  // namespace

RolePart::RolePart(model::Specification& s, const model::Protocol& p, RoleId role, std::vector<RoleId> others,
                   model::Net own, model::Net all)
    : specification(s),
      protocol(p),
      cut(role),
      played(std::move(others)),
      net(std::move(own)),
      whole(std::move(all)),
      shapes(wire::message_shapes(s)),
      tracked(std::make_shared<track::TrackedNet>(net, role)),
      end_distance(whole),
      own_end_distance(net),
      coverage(net),
      unseen_distance(whole, role, coverage) {}

void RolePart::use(wire::Profile weights) {
    profile = std::move(weights);
    maker->use(&*profile);
    if (!peers) return;
    for (PeerNets::Peer& peer : peers->all()) {
        peer.to_component->use(&*profile);
        peer.to_peer->use(&*profile);
    }
}

void RolePart::use(Combinations fields) {
    combinations = std::move(fields);
    maker->use(&*combinations);
    if (peers)
        for (PeerNets::Peer& peer : peers->all()) peer.to_component->use(&*combinations);
}

std::size_t RolePart::solver_calls() const {
    std::size_t calls = maker->solver_calls();
    if (peers)
        for (const PeerNets::Peer& peer : peers->all())
            calls += peer.to_component->solver_calls() + peer.to_peer->solver_calls();
    return calls;
}

base::Result<std::unique_ptr<RolePart>> RolePart::make(model::Specification& specification,
                                                       const model::Protocol& protocol, RoleId cut,
                                                       std::vector<RoleId> played,
                                                       const std::string& wire_name) {
    auto net = choreo::project_net(specification, protocol, cut);
    auto whole = choreo::compile_net(specification, protocol);
    if (!net || !whole) return base::Fault{"a `continue` leaves a parallel segment, which has no meaning"};
    bool all = std::all_of(
        net->transitions().begin(), net->transitions().end(),
        [&](const model::Transition& t) { return seen(net->alphabet().event(t.label), cut, played); });
    auto waits = [&](const model::Transition& t) {
        const model::Event& e = net->alphabet().event(t.label);
        return e.kind == model::EventKind::receive && !seen(e, cut, played);
    };
    std::vector<RoleId> roles = peer_roles(protocol, *net, cut, played);
    bool waits_unseen = std::any_of(net->transitions().begin(), net->transitions().end(), waits);
    if (!all) {
        auto own = hide_unseen(*net, cut, played);
        if (!own) return base::Fault{own.error()};
        net.emplace(std::move(*own));
    }
    auto peers = peer_nets(specification, protocol, cut, roles);
    std::unique_ptr<RolePart> part(
        new RolePart(specification, protocol, cut, std::move(played), std::move(*net), std::move(*whole)));
    part->waits_unseen = waits_unseen;
    part->hears = std::any_of(
        part->net.transitions().begin(), part->net.transitions().end(),
        [&](const model::Transition& t) { return part->event(t.label).kind == model::EventKind::receive; });
    const wire::Wire* wire = specification.find_wire(wire_name);
    if (!wire) {
        part->plain_json_.framing = wire::Framing::json;
        part->plain_json_.name = specification.names->intern("json");
        wire = &part->plain_json_;
    }
    part->codec.emplace(*specification.pool, *wire, part->shapes);
    part->maker.emplace(specification, part->net, wire, part->shapes);
    if (peers) part->peers = PeerNets::make(specification, wire, part->shapes, cut, roles, std::move(*peers));
    return part;
}

std::uint32_t RolePart::declaration_line(model::MessageId message) const {
    base::Span span = specification.message(message).span;
    return sources && span.valid() ? sources->line_number(span.file, span.begin) : 0;
}

bool RolePart::well_formed(model::MessageId message, std::span<const expr::Value> values) const {
    const model::Message& declared = specification.message(message);
    if (!declared.where) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!expr::belongs(values[i], declared.fields[i].type, *specification.types)) return false;
        return true;
    }
    expr::Environment environment;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!expr::belongs(values[i], declared.fields[i].type, *specification.types)) return false;
        if (i < declared.variables.size()) environment.set(declared.variables[i], values[i]);
    }
    return expr::satisfied(*specification.pool, declared.where, environment);
}

}  // namespace treaty::roles
