#include "roles/peers.h"

#include <algorithm>

namespace treaty::roles {

using model::EventKind;
using model::MessageId;
using model::NodeId;
using model::RoleId;

std::unique_ptr<PeerNets> PeerNets::make(model::Specification& specification, const wire::Wire* wire,
                                         std::span<const wire::MessageShape> shapes, RoleId cut,
                                         std::span<const RoleId> roles, std::vector<model::Net> nets) {
    auto result = std::make_unique<PeerNets>();
    result->cut_ = cut;
    track::TrackOptions at_the_role;
    at_the_role.asynchronous = false;
    for (std::size_t i = 0; i < roles.size(); ++i) {
        Peer peer;
        peer.role = roles[i];
        peer.net = std::make_unique<const model::Net>(std::move(nets[i]));
        peer.tracked = std::make_shared<track::TrackedNet>(*peer.net, roles[i], at_the_role);
        peer.to_component = std::make_unique<MessageMaker>(specification, *peer.net, wire, shapes);
        peer.to_peer = std::make_unique<MessageMaker>(specification, *peer.net, nullptr, shapes);
        peer.ends = std::make_unique<EndPaths>(specification, *peer.net);
        result->all_.push_back(std::move(peer));
    }
    return result;
}

Peers::Peers(PeerNets& nets) : nets_(nets) {
    for (const PeerNets::Peer& peer : nets.all()) trackers_.emplace_back(peer.tracked);
}

track::Tracker& Peers::tracker_of(RoleId role) {
    std::size_t i = 0;
    while (i + 1 < trackers_.size() && nets_.all()[i].role != role) ++i;
    return trackers_[i];
}

std::vector<Peers::Send> Peers::sends() {
    std::vector<Send> result;
    for (std::size_t i = 0; i < trackers_.size(); ++i) {
        const PeerNets::Peer& peer = nets_.all()[i];
        for (const track::Configuration& c : trackers_[i].configurations())
            for (track::EnabledTransition& enabled : peer.tracked->inference().next(c)) {
                const model::Transition& t = peer.net->transitions()[enabled.transition.index];
                const model::Event& e = peer.net->alphabet().event(t.label);
                if (e.kind != EventKind::send || e.from != peer.role) continue;
                auto same = [&](const Send& s) {
                    return s.peer == i && s.transition == enabled.transition &&
                           s.environment == enabled.environment;
                };
                if (std::none_of(result.begin(), result.end(), same))
                    result.push_back(
                        {i, enabled.transition, t.node, e, std::move(enabled.environment), c.marking});
            }
    }
    return result;
}

// Whether the receiver, which could take this message now, does not take it with these values.
bool Peers::receiver_objects(const Send& send, const std::vector<expr::Value>& values) {
    if (send.event.to == nets_.cut() || !queues_[{send.event.from, send.event.to}].empty()) return false;
    track::Tracker probe = tracker_of(send.event.to);
    auto label = probe.net().net().alphabet().find_label(
        {EventKind::receive, send.event.from, send.event.to, send.event.message});
    if (!label) return false;
    for (const track::Configuration& c : probe.configurations())
        for (const track::EnabledTransition& enabled : probe.net().inference().next(c))
            if (probe.net().net().transitions()[enabled.transition.index].label == *label)
                return probe.observe(*label, values) == track::EventVerdict::refused;
    return false;
}

MessageMaker& Peers::maker_of(const Send& send) {
    PeerNets::Peer& peer = nets_.all()[send.peer];
    return send.event.to == nets_.cut() ? *peer.to_component : *peer.to_peer;
}

std::optional<Peers::TowardsEnd> Peers::make_towards_end(const Send& send, std::uint32_t detour_below,
                                                         solve::Choices& choices) {
    MessageMaker& maker = maker_of(send);
    const auto& paths =
        nets_.all()[send.peer].ends->after(send.marking, send.transition, maker.fields(send.transition));
    for (const EndPaths::Path& path : paths) {
        std::uint32_t detour = path.steps - paths.front().steps;
        if (detour >= detour_below) break;
        auto values = maker.make_for(send.transition, path.condition, path.later, send.environment, choices);
        if (values && !receiver_objects(send, *values)) return TowardsEnd{std::move(*values), detour};
    }
    return std::nullopt;
}

base::Result<std::vector<expr::Value>> Peers::make(const Send& send, model::TransitionId key,
                                                   solve::Choices& choices, MessageMaker::Data data) {
    PeerNets::Peer& peer = nets_.all()[send.peer];
    if (send.event.to == nets_.cut())
        return peer.to_component->make(send.transition, send.environment, choices, data, key);
    for (int tries = 0; tries < 5; ++tries) {
        auto values = peer.to_peer->make(send.transition, send.environment, choices, data);
        if (!values || !receiver_objects(send, *values)) return values;
    }
    return base::Fault{"found no data that the other role accepts"};
}

std::vector<Peers::Near> Peers::make_near(RoleId from, RoleId to, MessageId message,
                                          std::span<const expr::Value> wanted) {
    std::vector<Near> result;
    for (const Send& send : sends())
        if (send.event.from == from && send.event.to == to && send.event.message == message)
            if (auto values = maker_of(send).make_near(send.transition, wanted, send.environment))
                result.push_back({std::move(*values), send.node});
    return result;
}

bool Peers::may_send(RoleId from, RoleId to, MessageId message, std::span<const expr::Value> values) {
    track::Tracker probe = tracker_of(from);
    auto label = probe.net().net().alphabet().find_label({EventKind::send, from, to, message});
    return label && probe.observe(*label, values) != track::EventVerdict::refused;
}

std::vector<NodeId> Peers::steps_of(RoleId from, RoleId to, MessageId message,
                                    std::span<const expr::Value> values) {
    track::Tracker& tracker = tracker_of(from);
    auto label = tracker.net().net().alphabet().find_label({EventKind::send, from, to, message});
    return label ? tracker.steps_of(*label, values) : std::vector<NodeId>();
}

void Peers::sent(RoleId from, RoleId to, MessageId message, std::span<const expr::Value> values) {
    track::Tracker& tracker = tracker_of(from);
    if (auto label = tracker.net().net().alphabet().find_label({EventKind::send, from, to, message}))
        tracker.observe(*label, values);
    if (to != nets_.cut())
        queues_[{from, to}].push_back(
            {message, std::vector<expr::Value>(values.begin(), values.end()), std::nullopt});
    take_all();
}

void Peers::came(RoleId to, MessageId message, std::span<const expr::Value> values, std::size_t tag) {
    queues_[{nets_.cut(), to}].push_back(
        {message, std::vector<expr::Value>(values.begin(), values.end()), tag});
    take_all();
}

bool Peers::take_first(std::size_t peer, RoleId from, std::deque<Waiting>& queue) {
    const Waiting& first = queue.front();
    auto label = nets_.all()[peer].net->alphabet().find_label(
        {EventKind::receive, from, nets_.all()[peer].role, first.message});
    if (!label) return false;
    std::vector<NodeId> steps;
    if (first.tag) steps = trackers_[peer].steps_of(*label, first.values);
    if (trackers_[peer].observe(*label, first.values) != track::EventVerdict::allowed) return false;
    if (first.tag) taken_.emplace_back(*first.tag, std::move(steps));
    queue.pop_front();
    return true;
}

void Peers::take_all() {
    for (bool again = true; again;) {
        again = false;
        for (auto& [channel, queue] : queues_) {
            for (std::size_t i = 0; i < trackers_.size(); ++i)
                while (nets_.all()[i].role == channel.second && !queue.empty() &&
                       take_first(i, channel.first, queue))
                    again = true;
        }
    }
}

bool Peers::may_end() {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& one) { return one.second.empty(); }) &&
           std::all_of(trackers_.begin(), trackers_.end(), [](track::Tracker& one) { return one.may_end(); });
}

}  // namespace treaty::roles
