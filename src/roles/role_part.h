// The component's part of a protocol, made ready for sessions: its net, its tracker, how its messages look as
// bytes, how the tester's are made, and how often each step has been seen.
//
// Where the tester does not play all the other roles, what the component exchanges with the rest happens
// unseen. Not safe for concurrent use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/run.h"
#include "model/specification.h"
#include "roles/coverage.h"
#include "roles/distances.h"
#include "roles/message_maker.h"
#include "roles/peers.h"
#include "track/tracker.h"
#include "wire/codec.h"
#include "wire/profile.h"

namespace treaty::roles {

class RolePart {
public:
    // All must outlive it. wire: which one of the file; empty: the last; JSON if there is none. A fault if
    // the role's part has no meaning or too much of it would be unseen.
    static base::Result<std::unique_ptr<RolePart>> make(model::Specification& specification,
                                                        const model::Protocol& protocol, model::RoleId cut,
                                                        std::vector<model::RoleId> played,
                                                        const std::string& wire);

    model::Specification& specification;
    const model::Protocol& protocol;
    const model::RoleId cut;
    const std::vector<model::RoleId> played;
    const model::Net net;
    const model::Net whole;  // of all roles, one interaction per step
    std::vector<wire::MessageShape> shapes;
    std::optional<wire::Codec> codec;
    std::optional<MessageMaker> maker;
    std::shared_ptr<track::TrackedNet> tracked;
    EndDistance end_distance;         // of the whole conversation
    EndDistance own_end_distance;     // of the component's part
    std::unique_ptr<PeerNets> peers;  // none: what the roles that are played may send is not known
    Coverage coverage;
    UnseenDistance unseen_distance;
    std::optional<wire::Profile> profile;      // which messages and values come how often; none: all alike
    std::optional<Combinations> combinations;  // of field values; none: they are not combined
    std::set<model::MessageId> rejections;     // messages by which the component rejects another one
    const base::SourceMap* sources = nullptr;  // of the specification; null: reasons have no lines
    // By the step before, in all sessions: how often the tester could send while nothing was expected.
    std::map<model::NodeId, std::uint64_t> times_nothing_was_due;
    bool waits_unseen = false;  // the component may wait for a role that is not played
    bool hears = false;         // some role that is played sends messages to the component

    std::string_view name(model::RoleId role) const { return net.alphabet().name(role); }
    std::string_view name(model::MessageId message) const { return net.alphabet().name(message); }
    const model::Event& event(model::LabelId label) const { return net.alphabet().event(label); }
    std::optional<model::LabelId> output(model::RoleId to, model::MessageId message) const {
        return net.alphabet().find_label({model::EventKind::send, cut, to, message});
    }
    std::optional<model::LabelId> input(model::RoleId from, model::MessageId message) const {
        return net.alphabet().find_label({model::EventKind::receive, from, cut, message});
    }
    // Messages and values are drawn by weights, or values are combined.
    void use(wire::Profile weights);
    void use(Combinations fields);
    // How often the solver was asked for the data of messages.
    std::size_t solver_calls() const;
    // Lines of the steps and of the declaration of a message, for reasons; 0 where there is no text.
    std::uint32_t line_of(model::NodeId node) const {
        return sources ? model::line_of(&protocol, node, *sources) : 0;
    }
    std::uint32_t declaration_line(model::MessageId message) const;
    // Whether the values have the types of the fields and satisfy the message's declaration.
    bool well_formed(model::MessageId message, std::span<const expr::Value> values) const;

private:
    RolePart(model::Specification& s, const model::Protocol& p, model::RoleId role,
             std::vector<model::RoleId> others, model::Net own, model::Net all);
    wire::Wire plain_json_;
};

}  // namespace treaty::roles
