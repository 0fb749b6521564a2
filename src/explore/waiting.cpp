#include "explore/waiting.h"

#include <fmt/format.h>

namespace treaty::explore {
namespace {

std::string in_words(const model::Alphabet& names, model::LabelId label) {
    const model::Event& event = names.event(label);
    switch (event.kind) {
        case model::EventKind::send:
            return fmt::format("{} to {}", names.name(event.message), names.name(event.to));
        case model::EventKind::receive:
            return fmt::format("{} from {}", names.name(event.message), names.name(event.from));
        default: return names.print(label);
    }
}

}  // namespace

std::string waiting_text(const model::Machine& machine, model::StateId state,
                         const model::Channels& channels) {
    std::string receives, sends;
    auto add = [&](std::string& list, model::LabelId label) {
        if (!list.empty()) list += " or ";
        list += in_words(machine.alphabet(), label);
    };
    bool sync = channels.mode == model::Mode::sync;
    for (const model::Edge& edge : machine.out(state)) {
        bool send = machine.alphabet().event(edge.label).kind == model::EventKind::send;
        if (!send) add(receives, edge.label);
        if (send && (sync || channels.bound)) add(sends, edge.label);
    }
    std::string text = receives.empty() ? "waits" : "waits for " + receives;
    if (!receives.empty() && !sends.empty()) text += ", or";
    if (!sends.empty()) text += (sync ? " to send " : " for room to send ") + sends;
    return text == "waits" ? "waits for ever" : text;
}

}  // namespace treaty::explore
