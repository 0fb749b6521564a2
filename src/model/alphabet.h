// Roles, messages and labels of one family of models, interned: what edges of machines and nets carry.
//
// Models of one protocol share one Alphabet (by shared_ptr), so labels compare as integers across them.
// Ids count up from 0 in order of first appearance. Label 0 is always the silent step. Building is not
// safe for concurrent use; reading is.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"
#include "base/names.h"

namespace treaty::model {

using RoleId = base::Id<struct RoleTag>;
using MessageId = base::Id<struct MessageTag>;
using LabelId = base::Id<struct LabelTag>;

enum class EventKind : std::uint8_t {
    silent,       // no one sees it
    interaction,  // A -> B: m, sent and received in one step (global view)
    send,         // A B ! m, by A
    receive,      // A B ? m, by B
    plain,        // a bare name, as in AUT files and CSP
};

struct Event {
    EventKind kind = EventKind::silent;
    RoleId from;  // interaction, send, receive
    RoleId to;
    MessageId message;  // also the name of a plain event
    friend auto operator<=>(const Event&, const Event&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Event& e) {
        return H::combine(std::move(h), e.kind, e.from, e.to, e.message);
    }
};

class Alphabet {
public:
    Alphabet();

    RoleId role(std::string_view name);        // interns
    MessageId message(std::string_view name);  // interns
    LabelId label(const Event& event);         // interns
    LabelId silent() const { return LabelId(0u); }
    LabelId interaction(RoleId from, RoleId to, MessageId m) {
        return label({EventKind::interaction, from, to, m});
    }
    LabelId send(RoleId from, RoleId to, MessageId m) { return label({EventKind::send, from, to, m}); }
    LabelId receive(RoleId from, RoleId to, MessageId m) { return label({EventKind::receive, from, to, m}); }
    LabelId plain(std::string_view name);

    RoleId find_role(std::string_view name) const;        // none if unknown
    MessageId find_message(std::string_view name) const;  // none if unknown
    std::optional<LabelId> find_label(const Event& event) const;

    std::string_view name(RoleId id) const { return roles_.text(base::NameId(id.index)); }
    std::string_view name(MessageId id) const { return messages_.text(base::NameId(id.index)); }
    const Event& event(LabelId id) const { return labels_[id.index]; }

    std::size_t role_count() const { return roles_.size(); }
    std::size_t message_count() const { return messages_.size(); }
    std::size_t label_count() const { return labels_.size(); }

    // The role that performs it: the sender of a send, the receiver of a receive; none otherwise.
    RoleId subject(LabelId id) const;

    // "A -> B: m", "A B!m", "A B?m", "tau" or the plain name. Roles are separated by a blank because
    // names may be longer than a letter.
    std::string print(LabelId id) const;

private:
    base::Names roles_;
    base::Names messages_;
    std::vector<Event> labels_;
    absl::flat_hash_map<Event, LabelId> ids_;
};

}  // namespace treaty::model
