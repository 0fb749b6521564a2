#include "model/alphabet.h"

#include <fmt/format.h>

namespace treaty::model {

Alphabet::Alphabet() {
    label(Event{});
}

RoleId Alphabet::role(std::string_view name) {
    return RoleId(roles_.intern(name).index);
}

MessageId Alphabet::message(std::string_view name) {
    return MessageId(messages_.intern(name).index);
}

LabelId Alphabet::label(const Event& event) {
    auto [it, added] = ids_.try_emplace(event, LabelId(labels_.size()));
    if (added) labels_.push_back(event);
    return it->second;
}

LabelId Alphabet::plain(std::string_view name) {
    return label({EventKind::plain, {}, {}, message(name)});
}

RoleId Alphabet::find_role(std::string_view name) const {
    base::NameId id = roles_.find(name);
    return id ? RoleId(id.index) : RoleId();
}

MessageId Alphabet::find_message(std::string_view name) const {
    base::NameId id = messages_.find(name);
    return id ? MessageId(id.index) : MessageId();
}

std::optional<LabelId> Alphabet::find_label(const Event& event) const {
    auto found = ids_.find(event);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
}

RoleId Alphabet::subject(LabelId id) const {
    const Event& e = event(id);
    if (e.kind == EventKind::send) return e.from;
    if (e.kind == EventKind::receive) return e.to;
    return {};
}

std::string Alphabet::print(LabelId id) const {
    const Event& e = event(id);
    switch (e.kind) {
        case EventKind::silent: return "tau";
        case EventKind::interaction:
            return fmt::format("{} -> {}: {}", name(e.from), name(e.to), name(e.message));
        case EventKind::send: return fmt::format("{} {}!{}", name(e.from), name(e.to), name(e.message));
        case EventKind::receive: return fmt::format("{} {}?{}", name(e.from), name(e.to), name(e.message));
        case EventKind::plain: return std::string(name(e.message));
    }
    return {};
}

}  // namespace treaty::model
