// The roles that the tester plays, each at its own position in the protocol.
//
// What the component can take is not yet what the others may send: that depends on their messages to each
// other, and on the values and branches they have chosen there. So the tester plays every role with that
// role's own part of the protocol. A message between two of them is never encoded: it waits in a queue here
// until its receiver can take it, and so does a message from the component.
//
// A PeerNets is made once for a part, a Peers is one session. If the part of one role cannot be followed (it
// needs values that it gets only from a role that is not played), nothing is known about any of them:
// PeerNets::make returns nothing, and the tester relies only on what the component can take. Not safe for
// concurrent use.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/net.h"
#include "roles/end_paths.h"
#include "roles/message_maker.h"
#include "track/tracker.h"

namespace treaty::roles {

class PeerNets {
public:
    struct Peer {
        model::RoleId role;
        std::unique_ptr<const model::Net> net;
        std::shared_ptr<track::TrackedNet> tracked;
        std::unique_ptr<MessageMaker> to_component, to_peer;  // only the first is limited by the wire
        std::unique_ptr<EndPaths> ends;
    };
    // All must outlive it. nets: the part of each role that is played, in the same order; what it exchanges
    // with roles that are neither played nor under test is silent.
    static std::unique_ptr<PeerNets> make(model::Specification& specification, const wire::Wire* wire,
                                          std::span<const wire::MessageShape> shapes, model::RoleId cut,
                                          std::span<const model::RoleId> roles, std::vector<model::Net> nets);

    model::RoleId cut() const { return cut_; }
    std::vector<Peer>& all() { return all_; }

private:
    model::RoleId cut_;
    std::vector<Peer> all_;
};

class Peers {
public:
    explicit Peers(PeerNets& nets);

    // What a role may send next, by its own part: the transition of its net, with the values it knows.
    struct Send {
        std::size_t peer = 0;
        model::TransitionId transition;
        model::NodeId node;
        model::Event event;
        expr::Environment environment;
        track::Marking marking;  // where the role is, silent steps before the transition not taken
    };
    std::vector<Send> sends();

    // Whether data matters for how its sender gets to its end.
    bool end_depends_on_data(const Send& send) { return nets_.all()[send.peer].ends->depends_on_data(); }
    // Data with which the role can get to its end by a detour of fewer than `detour` steps over the shortest
    // way; nothing if none is found. If data does not matter, any data will do.
    struct TowardsEnd {
        std::vector<expr::Value> values;
        std::uint32_t detour = 0;  // how many steps more
    };
    std::optional<TowardsEnd> make_towards_end(const Send& send, std::uint32_t detour_below,
                                               solve::Choices& choices);

    // Data for it; a fault if the role may not send any. `key` is the step of the component's net, for
    // combinations of values.
    base::Result<std::vector<expr::Value>> make(const Send& send, model::TransitionId key,
                                                solve::Choices& choices, MessageMaker::Data data);
    // Data that the role may send in this message now, as near to the wanted one as is found, and the step.
    struct Near {
        std::vector<expr::Value> values;
        model::NodeId node;
    };
    std::vector<Near> make_near(model::RoleId from, model::RoleId to, model::MessageId message,
                                std::span<const expr::Value> wanted);
    // Whether the role may send exactly this now.
    bool may_send(model::RoleId from, model::RoleId to, model::MessageId message,
                  std::span<const expr::Value> values);
    // The steps by which the role may be sending this now; none if it may not.
    std::vector<model::NodeId> steps_of(model::RoleId from, model::RoleId to, model::MessageId message,
                                        std::span<const expr::Value> values);
    // The role sends this, to the component or to another role. A role takes a message from another one as
    // soon as it can.
    void sent(model::RoleId from, model::RoleId to, model::MessageId message,
              std::span<const expr::Value> values);
    // The component has sent this; `tag` identifies the message.
    void came(model::RoleId to, model::MessageId message, std::span<const expr::Value> values,
              std::size_t tag);
    // Messages of the component that were taken since the last call, each with the steps that it may be for
    // its receiver.
    std::vector<std::pair<std::size_t, std::vector<model::NodeId>>> taken() { return std::move(taken_); }

    // Every role may have finished, and nothing waits for one.
    bool may_end();

private:
    struct Waiting {
        model::MessageId message;
        std::vector<expr::Value> values;
        std::optional<std::size_t> tag;
    };

    track::Tracker& tracker_of(model::RoleId role);
    void take_all();
    bool take_first(std::size_t peer, model::RoleId from, std::deque<Waiting>& queue);
    bool receiver_objects(const Send& send, const std::vector<expr::Value>& values);
    MessageMaker& maker_of(const Send& send);

    PeerNets& nets_;
    std::vector<track::Tracker> trackers_;                                           // one per peer
    std::map<std::pair<model::RoleId, model::RoleId>, std::deque<Waiting>> queues_;  // from, to
    std::vector<std::pair<std::size_t, std::vector<model::NodeId>>> taken_;
};

}  // namespace treaty::roles
