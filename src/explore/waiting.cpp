#include "explore/waiting.h"

namespace treaty::explore {

std::string waiting_text(const model::Machine& machine, model::StateId state,
                         const model::Channels& channels) {
    std::string receives, sends;
    auto add = [&](std::string& list, model::LabelId label) {
        if (!list.empty()) list += " or ";
        list += machine.alphabet().print(label);
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
