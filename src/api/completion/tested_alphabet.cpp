#include "api/completion/tested_alphabet.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "complete/domains.h"

namespace treaty::api {

using model::LabelId;

void TestedAlphabet::add(explore::Graph& graph) {
    complete::Events seen = complete::events_of(graph, max_looked_at);
    explore::LabelMap map(graph.alphabet(), *names_);
    for (LabelId label : seen.labels) {
        LabelId ours = map(label);
        found_.events.push_back(ours ? ours : names_->plain(graph.alphabet().print(label)));
    }
    some_model_ends_ = some_model_ends_ || seen.ends;
    found_.all_states = found_.all_states && seen.all;
    found_.states_seen = max_looked_at;
}

bool TestedAlphabet::add_declared(const Inquiry& inquiry, csp::Script* script, const std::string& set) {
    if (!script) {
        if (set.empty()) return true;
        inquiry.report(codes::bad_usage, "--alphabet is a set of a script's events, and there is no script")
            .help("--event adds an event to what the model does");
        return false;
    }
    std::vector<LabelId>& events = found_.events;
    if (!set.empty()) {
        auto chosen = script->event_set(set);
        if (!chosen) return false;
        events.insert(events.end(), chosen->begin(), chosen->end());
        return true;
    }
    csp::DeclaredEvents all = script->declared_events(max_declared);
    events.insert(events.end(), all.labels.begin(), all.labels.end());
    found_.left_out = std::move(all.left_out);
    found_.declared = true;
    return inquiry.diagnostics().ok();
}

const TestedEvents& TestedAlphabet::found() {
    std::vector<LabelId>& events = found_.events;
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    return found_;
}

std::string TestedAlphabet::caveat(bool program) const {
    if (!program && found_.all_states) return {};
    std::vector<std::string_view> channels;
    for (const auto& one : found_.left_out) channels.push_back(one.channel);
    if (channels.empty()) return {};
    return fmt::format("; this holds if the system does nothing on {} but what the models do there",
                       fmt::join(channels, ", "));
}

}  // namespace treaty::api
