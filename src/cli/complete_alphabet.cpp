#include "cli/complete_alphabet.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/codes.h"
#include "complete/domains.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using model::LabelId;

constexpr std::size_t max_named = 20;     // events in the text
constexpr std::size_t max_listed = 1000;  // events in the JSON

}  // namespace

void TestedAlphabet::add(explore::Graph& graph) {
    complete::Events found = complete::events_of(graph, max_looked_at);
    explore::LabelMap map(graph.alphabet(), *names_);
    for (LabelId label : found.labels) {
        LabelId ours = map(label);
        events_.push_back(ours ? ours : names_->plain(graph.alphabet().print(label)));
    }
    ends_ = ends_ || found.ends;
    all_states_ = all_states_ && found.all;
}

bool TestedAlphabet::add_declared(Session& session, csp::Script* script, const std::string& set) {
    if (!script) {
        if (set.empty()) return true;
        session.report(codes::bad_usage, "--alphabet is a set of a script's events, and there is no script")
            .help("--event adds an event to what the model does");
        return false;
    }
    if (!set.empty()) {
        auto chosen = script->event_set(set);
        if (!chosen) return false;
        events_.insert(events_.end(), chosen->begin(), chosen->end());
        return true;
    }
    csp::DeclaredEvents found = script->declared_events(max_declared);
    events_.insert(events_.end(), found.labels.begin(), found.labels.end());
    left_out_ = std::move(found.left_out);
    declared_ = true;
    return session.diagnostics.ok();
}

const std::vector<LabelId>& TestedAlphabet::events() {
    std::sort(events_.begin(), events_.end());
    events_.erase(std::unique(events_.begin(), events_.end()), events_.end());
    return events_;
}

void TestedAlphabet::say(Session& session, bool ends_tested) {
    report::Result& result = session.result;
    report::Json listed = report::Json::array(), missing = report::Json::array();
    std::string names;
    for (std::size_t i = 0; i < events().size(); ++i) {
        if (i < max_listed) listed.push_back(names_->print(events_[i]));
        if (i < max_named) names += (i == 0 ? ": " : ", ") + names_->print(events_[i]);
        if (i == max_named) names += ", ...";
    }
    result.text += fmt::format("alphabet of {}{}{}\n", report::counted(events_.size(), "event"),
                               ends_tested ? " and ends" : "", names);
    for (const auto& [channel, why] : left_out_) {
        missing.push_back({{"channel", channel}, {"why", why}});
        result.text += fmt::format(
            "not all of it: {} {}; of it only what the models do is tested, and what --event or --alphabet "
            "names\n",
            channel, why);
    }
    if (!all_states_) {
        bool known = declared_ && left_out_.empty();
        result.text += fmt::format("the models have more than {} states: {} are those of the first ones{}\n",
                                   max_looked_at, known ? "ends" : "events and ends",
                                   known ? "; see --ends" : "; --event adds to them");
    }
    result.extra["alphabet"] = {{"count", events_.size()},
                                {"events", std::move(listed)},
                                {"ends", ends_tested},
                                {"left_out", std::move(missing)}};
}

std::string TestedAlphabet::caveat(bool program) const {
    if (!program && all_states_) return {};
    std::vector<std::string_view> channels;
    for (const auto& one : left_out_) channels.push_back(one.channel);
    if (channels.empty()) return {};
    return fmt::format("; this holds if the system does nothing on {} but what the models do there",
                       fmt::join(channels, ", "));
}

}  // namespace treaty::cli
