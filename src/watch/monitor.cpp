#include "watch/monitor.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "choreo/compile_net.h"
#include "choreo/project_net.h"
#include "choreo/reduce_net.h"
#include "watch/global_net.h"

namespace treaty::watch {

using model::LabelId;
using model::RoleId;
using track::Outcome;
using track::Tracker;

namespace {

struct InFlight {
    std::string correlation;
    model::MessageId message;
    std::vector<expr::Value> values;
    std::uint32_t source = 0;
    std::uint64_t line = 0;
};

struct Channel {
    std::deque<InFlight> sent;      // and not yet received
    std::deque<InFlight> received;  // before the sending was seen
};

constexpr std::size_t deviations_kept = 16;

}  // namespace

struct Monitor::Session {
    std::string name;
    std::uint64_t number = 0;
    std::vector<Tracker> local;
    std::vector<RoleState> states;
    std::optional<Tracker> global;
    bool global_failed = false, global_lost = false;
    absl::flat_hash_map<std::pair<RoleId, RoleId>, Channel> channels;
    std::vector<Deviation> deviations;
    std::deque<Record> history;
    PropertyMonitor properties;
};

Monitor::Monitor(const model::Specification& specification, const model::Protocol& protocol,
                 const MonitorOptions& options)
    : specification_(specification), protocol_(protocol), options_(options), covered_(protocol.size()) {
    options_.tracking.asynchronous = false;
}

Monitor::~Monitor() = default;

std::unique_ptr<Monitor> Monitor::make(const model::Specification& specification,
                                       const model::Protocol& protocol, const MonitorOptions& options) {
    std::unique_ptr<Monitor> monitor(new Monitor(specification, protocol, options));
    if (!monitor->build()) return nullptr;
    return monitor;
}

bool Monitor::build() {
    for (RoleId role : protocol_.roles()) {
        auto net = choreo::project_net(specification_, protocol_, role);
        if (!net) return false;
        positions_[role] = nets_.size();
        nets_.push_back(options_.data ? std::move(*net) : without_data(*net));
    }
    if (options_.order != Order::causal) {
        auto net = choreo::compile_net(specification_, protocol_);
        if (!net) return false;
        model::Net reduced = choreo::reduce_net(*net);
        if (!options_.data) reduced = without_data(reduced);
        global_net_ = options_.order == Order::disjoint ? lasting(reduced) : std::move(reduced);
        global_ = std::make_shared<track::TrackedNet>(*global_net_, RoleId(), options_.tracking);
    }
    for (std::size_t i = 0; i < nets_.size(); ++i) {
        tracked_.push_back(
            std::make_shared<track::TrackedNet>(nets_[i], protocol_.roles()[i], options_.tracking));
        known_.emplace_back(specification_.alphabet->label_count());
        for (const model::Transition& t : nets_[i].transitions()) known_[i][t.label.index] = true;
    }
    return true;
}

std::string Monitor::print(const Record& record, bool sent) const {
    const model::Alphabet& alphabet = *specification_.alphabet;
    std::string text = fmt::format("{} {}{}{}", alphabet.name(record.from), alphabet.name(record.to),
                                   sent ? '!' : '?', record.name);
    if (record.values.empty() || !record.message) return text;
    const auto& fields = specification_.message(record.message).fields;
    for (std::size_t i = 0; i < record.values.size(); ++i)
        text += fmt::format(
            "{}{} = {}", i == 0 ? "(" : ", ", specification_.names->text(fields[i].name),
            expr::print(record.values[i], fields[i].type, *specification_.types, *specification_.names));
    return text + ")";
}

Monitor::Session& Monitor::session_of(const Record& record) {
    auto found = sessions_.find(record.session);
    if (found != sessions_.end()) return *found->second;
    auto session = std::make_unique<Session>(Session{
        record.session, opened_++, {}, {}, {}, false, false, {}, {}, {}, PropertyMonitor(specification_)});
    for (const auto& tracked : tracked_) session->local.emplace_back(tracked);
    session->states.resize(tracked_.size());
    if (global_) session->global.emplace(global_);
    return *sessions_.emplace(record.session, std::move(session)).first->second;
}

void Monitor::deviate(Session& session, Deviation deviation, std::size_t role) {
    deviation.session = session.name;
    session.global_failed = true;
    if (role < session.states.size()) session.states[role].failed = true;
    if (session.deviations.size() < deviations_kept) session.deviations.push_back(std::move(deviation));
}

void Monitor::note_expected(Tracker& tracker, LabelId label, Deviation& deviation) const {
    const model::Net& net = tracker.net().net();
    track::Inference& inference = tracker.net().inference();
    bool same = false;
    for (const track::Configuration& c : tracker.configurations())
        for (const track::Way& way : inference.next(c)) {
            const model::Transition& t = net.transitions()[way.transition.index];
            same = same || t.label == label;
            deviation.expected.push_back(net.alphabet().print(t.label));
            deviation.nodes.push_back(t.node);
        }
    auto unique = [](auto& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    unique(deviation.expected);
    unique(deviation.nodes);
    if (!deviation.reason.empty()) return;
    deviation.reason = same                         ? "the message is due here, but not with this data"
                       : deviation.expected.empty() ? "nothing is allowed any more"
                                                    : "the message is not allowed here";
}

void Monitor::note_coverage(Tracker& tracker, LabelId label) {
    for (model::TransitionId id : tracker.net().inference().relevance().of_label(label)) {
        model::NodeId node = tracker.net().net().transitions()[id.index].node;
        if (node && node.index < covered_.size()) covered_[node.index] = true;
    }
}

void Monitor::local_step(Session& session, const Record& record, RoleId role, bool sent) {
    auto position = positions_.find(role);
    if (position == positions_.end()) return;
    std::size_t i = position->second;
    RoleState& state = session.states[i];
    ++state.messages;
    if (state.failed || state.lost) return;
    auto label = specification_.alphabet->find_label(
        {sent ? model::EventKind::send : model::EventKind::receive, record.from, record.to, record.message});
    Tracker& tracker = session.local[i];
    Deviation deviation;
    deviation.role = role;
    deviation.source = record.source;
    deviation.line = record.line;
    if (options_.data && !record.misfit.empty()) {
        deviation.reason = record.misfit;
    } else {
        Outcome outcome = tracker.observe(*label, record.values);
        if (outcome == Outcome::allowed) return;
        if (outcome == Outcome::lost) {
            state.lost = true;
            return;
        }
    }
    deviation.event = print(record, sent);
    note_expected(tracker, *label, deviation);
    deviate(session, std::move(deviation), i);
}

// Pairs sendings with receptions: by correlation id where there is one, else in the order of the channel.
void Monitor::match(Session& session, const Record& record, bool sent) {
    Channel& channel = session.channels[{record.from, record.to}];
    std::deque<InFlight>& mine = sent ? channel.sent : channel.received;
    std::deque<InFlight>& others = sent ? channel.received : channel.sent;
    auto other = others.begin();
    if (!record.correlation.empty())
        other = std::find_if(others.begin(), others.end(), [&](const InFlight& m) {
            return m.correlation == record.correlation && m.message == record.message;
        });
    else
        other = std::find_if(others.begin(), others.end(),
                             [](const InFlight& m) { return m.correlation.empty(); });
    if (other == others.end()) {
        if (mine.size() < options_.in_flight_limit)
            mine.push_back({record.correlation, record.message, record.values, record.source, record.line});
        return;
    }
    Deviation deviation{session.name, {}, record.source, record.line, print(record, sent), {}, {}, {}};
    if (other->message != record.message)
        deviation.reason =
            fmt::format("the channel carried {} first", specification_.alphabet->name(other->message));
    else if (options_.data && other->values != record.values)
        deviation.reason = "it was not received with the data it was sent with";
    if (!deviation.reason.empty()) deviate(session, std::move(deviation), session.states.size());
    others.erase(other);
}

void Monitor::global_step(Session& session, const Record& record, bool sent) {
    if (!session.global || session.global_failed || session.global_lost) return;
    if (options_.order != Order::disjoint && sent != (options_.order == Order::sending)) return;
    model::EventKind kind = options_.order != Order::disjoint ? model::EventKind::interaction
                            : sent                            ? model::EventKind::send
                                                              : model::EventKind::receive;
    auto label = specification_.alphabet->find_label({kind, record.from, record.to, record.message});
    if (!label) return;
    Outcome outcome = session.global->observe(*label, record.values);
    session.global_lost = outcome == Outcome::lost;
    if (outcome != Outcome::refused) return;
    Deviation deviation{session.name, {}, record.source, record.line, print(record, sent), {}, {}, {}};
    note_expected(*session.global, *label, deviation);
    deviation.reason = "by the common clock it happens too early or too late";
    deviate(session, std::move(deviation), session.states.size());
}

void Monitor::feed(const Record& record, std::vector<PropertyVerdict>* fallen) {
    ++messages_;
    Session& session = session_of(record);
    if (!session.global_failed && options_.history > 0) {
        if (session.history.size() == options_.history) session.history.pop_front();
        session.history.push_back(record);
    }
    std::vector<PropertyVerdict> unused;
    std::vector<PropertyVerdict>& verdicts = fallen ? *fallen : unused;
    for (bool sent : {true, false}) {
        if (record.side != Side::both && sent != (record.side == Side::sent)) continue;
        RoleId role = sent ? record.from : record.to;
        session.properties.feed(role, record, verdicts);
        auto label = record.message ? specification_.alphabet->find_label(
                                          {sent ? model::EventKind::send : model::EventKind::receive,
                                           record.from, record.to, record.message})
                                    : std::nullopt;
        auto position = positions_.find(role);
        bool part = label && position != positions_.end() && label->index < known_[position->second].size() &&
                    known_[position->second][label->index];
        if (!part) {
            ++filtered_;
            continue;
        }
        note_coverage(session.local[position->second], *label);
        local_step(session, record, role, sent);
        if (record.side != Side::both) match(session, record, sent);
        global_step(session, record, sent);
    }
}

SessionReport Monitor::close(Session& session, std::vector<PropertyVerdict>* fallen) {
    // A reception without its sending counts only if the sender was watched.
    for (auto& [ends, channel] : session.channels) {
        auto sender = positions_.find(ends.first);
        if (channel.received.empty() || sender == positions_.end() ||
            session.states[sender->second].messages == 0)
            continue;
        const InFlight& m = channel.received.front();
        Record record;
        record.from = ends.first;
        record.to = ends.second;
        record.message = m.message;
        record.name = specification_.alphabet->name(m.message);
        record.values = m.values;
        deviate(session,
                {session.name,
                 {},
                 m.source,
                 m.line,
                 print(record, false),
                 "it was received and never sent",
                 {},
                 {}},
                session.states.size());
    }
    SessionReport report;
    report.name = session.name;
    for (std::size_t i = 0; i < session.states.size(); ++i) {
        RoleState& state = session.states[i];
        state.incomplete = !state.failed && !state.lost && !session.local[i].may_end();
        report.incomplete = report.incomplete || state.incomplete;
        report.lost = report.lost || state.lost;
    }
    report.lost = report.lost || session.global_lost;
    report.failed = session.global_failed;
    if (report.failed)
        report.history.assign(std::make_move_iterator(session.history.begin()),
                              std::make_move_iterator(session.history.end()));
    report.roles = std::move(session.states);
    report.deviations = std::move(session.deviations);
    std::vector<PropertyVerdict> unused;
    session.properties.finish(fallen ? *fallen : unused);
    report.local_properties = session.properties.counts();
    for (std::uint32_t i = 0; i < specification_.properties.size(); ++i)
        report.properties.push_back(session.properties.verdict(i));
    return report;
}

std::optional<SessionReport> Monitor::finish(const std::string& name, std::vector<PropertyVerdict>* fallen) {
    auto found = sessions_.find(name);
    if (found == sessions_.end()) return std::nullopt;
    SessionReport report = close(*found->second, fallen);
    sessions_.erase(found);
    return report;
}

std::vector<SessionReport> Monitor::finish() {
    std::vector<Session*> open;
    for (auto& [name, session] : sessions_) open.push_back(session.get());
    std::sort(open.begin(), open.end(), [](Session* a, Session* b) { return a->number < b->number; });
    std::vector<SessionReport> reports;
    for (Session* session : open) reports.push_back(close(*session, nullptr));
    sessions_.clear();
    return reports;
}

}  // namespace treaty::watch
