#include "watch/monitor.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/hash.h"
#include "choreo/project_net.h"
#include "choreo/well_branched.h"
#include "watch/global_net.h"
#include "watch/session.h"

namespace treaty::watch {

using model::LabelId;
using model::RoleId;
using track::Outcome;
using track::Tracker;

namespace {
constexpr std::size_t deviations_kept = 16;
constexpr std::size_t short_history = 2;
constexpr std::size_t identities_kept = 32;
}  // namespace

Monitor::Monitor(const model::Specification& specification, const model::Protocol& protocol,
                 const MonitorOptions& options)
    : specification_(specification),
      protocol_(protocol),
      options_(options),
      properties_(std::make_unique<PropertySet>(specification)),
      last_ns_(specification.alphabet->role_count(), INT64_MIN),
      covered_(protocol.size()) {
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
    positions_.assign(specification_.alphabet->role_count(), Kind::nowhere);
    for (RoleId role : protocol_.roles()) {
        auto net = choreo::project_net(specification_, protocol_, role);
        if (!net) return false;
        positions_[role.index] = static_cast<std::uint32_t>(nets_.size());
        nets_.push_back(options_.data ? std::move(*net) : without_data(*net));
    }
    if (options_.order != Order::causal) {
        whole_ = WholeNet::make(specification_, protocol_, options_.order, options_.data, options_.tracking);
        if (!whole_) return false;
    }
    for (std::size_t i = 0; i < nets_.size(); ++i)
        tracked_.push_back(
            std::make_shared<track::TrackedNet>(nets_[i], protocol_.roles()[i], options_.tracking));
    base::Diagnostics unused;
    branches_told_ = choreo::check_branching(specification_, protocol_, unused).well_branched;
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

Monitor::Kind& Monitor::kind_of(const Record& record) {
    model::Event event{model::EventKind::interaction, record.from, record.to, record.message};
    auto found = kinds_.find(event);
    if (found != kinds_.end()) return *found->second;
    auto kind = std::make_unique<Kind>();
    kind->from = positions_[record.from.index];
    kind->to = positions_[record.to.index];
    auto label = [&](model::EventKind k) {
        event.kind = k;
        return record.message ? specification_.alphabet->find_label(event) : std::nullopt;
    };
    auto has = [&](std::uint32_t position, std::optional<LabelId> l) {
        return l && position != Kind::nowhere &&
               !tracked_[position]->inference().relevance().of_label(*l).empty();
    };
    auto send = label(model::EventKind::send), receive = label(model::EventKind::receive);
    kind->sender_has = has(kind->from, send);
    kind->receiver_has = has(kind->to, receive);
    kind->labels = {send.value_or(LabelId()), receive.value_or(LabelId()),
                    label(model::EventKind::interaction).value_or(LabelId())};
    event.kind = model::EventKind::interaction;
    return *kinds_.emplace(event, std::move(kind)).first->second;
}

Monitor::Session& Monitor::open_session(const std::string& name) {
    auto session = std::make_unique<Session>();
    session->name = name;
    session->number = opened_++;
    session->local.reserve(tracked_.size());
    for (const auto& tracked : tracked_) session->local.emplace_back(tracked);
    session->states.resize(tracked_.size());
    if (whole_) session->whole = std::make_unique<WholeOrder>(*whole_);
    session->history_limit = sessions_.size() < options_.long_histories
                                 ? options_.history
                                 : std::min(options_.history, short_history);
    return *sessions_.emplace(name, std::move(session)).first->second;
}

Monitor::Session* Monitor::session_of(const Record& record, std::int64_t now_ns,
                                      std::vector<Fallen>* fallen) {
    auto found = sessions_.find(record.session);
    if (found != sessions_.end()) return found->second.get();
    if (!ended_.empty() && ended_.contains(base::hash_bytes(record.session))) return nullptr;
    if (options_.session_limit > 0 && sessions_.size() >= options_.session_limit)
        end(*oldest_, Ending::crowded, fallen);
    Session& session = open_session(record.session);
    touch(session, now_ns);
    return &session;
}

void Monitor::unlink(Session& session) {
    (session.older ? session.older->newer : oldest_) = session.newer;
    (session.newer ? session.newer->older : newest_) = session.older;
    session.older = session.newer = nullptr;
}

void Monitor::lose(const Record& hole) {
    ++counts_.holes;
    for (auto& [name, session] : sessions_) {
        session->whole_lost = session->whole != nullptr;
        // The hole may have been there before it was known: what was found since is withdrawn.
        for (RoleId role : {hole.from, hole.to}) {
            if (positions_[role.index] == Kind::nowhere) continue;
            RoleState& state = session->states[positions_[role.index]];
            state.lost = true;
            state.failed = false;
            std::erase_if(session->deviations, [&](const Deviation& d) { return d.role == role; });
        }
        session->failed = std::any_of(session->deviations.begin(), session->deviations.end(),
                                      [](const Deviation& d) { return !d.by_clock; });
        session->changed = true;
    }
}

void Monitor::touch(Session& session, std::int64_t now_ns) {
    session.last_ns = now_ns;
    session.touched = ++touches_;
    session.changed = true;
    if (newest_ == &session) return;
    if (session.newer || session.older || oldest_ == &session) unlink(session);
    session.older = newest_;
    (newest_ ? newest_->newer : oldest_) = &session;
    newest_ = &session;
}

void Monitor::pass_time(std::int64_t now_ns, std::vector<Fallen>* fallen) {
    if (options_.expire_ns == 0) return;
    while (oldest_ && now_ns - options_.expire_ns > oldest_->last_ns) end(*oldest_, Ending::expired, fallen);
}

// The same in everything, with an id and a time: the record itself came twice, not the message.
bool Monitor::seen_before(Session& session, const Record& record) const {
    if (record.correlation.empty() || !record.time_ns) return false;
    std::uint64_t h = base::hash_bytes(record.correlation);
    h = base::combine(h, static_cast<std::uint64_t>(*record.time_ns));
    h = base::combine(h, (std::uint64_t{record.from.index} << 32) + record.to.index);
    h = base::combine(h, (std::uint64_t{record.message.index} << 8) + static_cast<unsigned>(record.side));
    h = base::combine(h, base::hash_bytes(record.name));
    for (const expr::Value& v : record.values) h = base::combine(h, expr::hash(v));
    auto& known = session.identities;
    if (std::find(known.begin(), known.end(), h) != known.end()) return true;
    if (known.size() < identities_kept)
        known.push_back(h);
    else
        known[session.identities_next++ % identities_kept] = h;
    return false;
}

// Why the data is none of the message; empty if it is.
std::string Monitor::misfit(const Record& record) const {
    if (!options_.data || !record.message || record.message.index >= specification_.messages.size())
        return {};
    if (!record.misfit.empty()) return record.misfit;
    const model::Message& message = specification_.message(record.message);
    if (!message.where || record.values.size() != message.variables.size()) return {};
    expr::Environment environment;
    for (std::size_t i = 0; i < record.values.size(); ++i)
        environment.set(message.variables[i], record.values[i]);
    return expr::satisfied(*specification_.pool, message.where, environment)
               ? std::string()
               : "the message's own condition does not hold";
}

void Monitor::deviate(Session& session, Deviation deviation, std::size_t role, std::vector<Fallen>* fallen) {
    deviation.session = session.name;
    (deviation.by_clock ? session.clock_failed : session.failed) = true;
    if (role < session.states.size()) session.states[role].failed = true;
    if (session.deviations.size() >= deviations_kept) return;
    if (fallen) fallen->emplace_back(deviation);
    session.deviations.push_back(std::move(deviation));
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

// The steps of the protocol that a message may be here and that were not seen so far.
std::vector<model::NodeId> Monitor::candidates(Tracker& tracker, LabelId label) const {
    std::vector<model::NodeId> nodes;
    track::Relevance& relevance = tracker.net().inference().relevance();
    const auto& transitions = relevance.of_label(label);
    for (model::TransitionId id : transitions) {
        const model::Transition& t = tracker.net().net().transitions()[id.index];
        if (!t.node || t.node.index >= covered_.size() || covered_[t.node.index]) continue;
        bool here = transitions.size() == 1 || !relevance.before(id).silent.empty();
        for (const track::Configuration& c : tracker.configurations())
            here = here || track::enabled(c.marking, t);
        if (here) nodes.push_back(t.node);
    }
    return nodes;
}

void Monitor::local_step(Session& session, Kind& kind, const Record& record, bool sent,
                         const std::string& misfit, std::vector<Fallen>* fallen) {
    std::uint32_t i = sent ? kind.from : kind.to;
    RoleState& state = session.states[i];
    ++state.messages;
    if (state.failed || state.lost) return;
    LabelId label = sent ? kind.labels.send : kind.labels.receive;
    Tracker& tracker = session.local[i];
    Deviation deviation;
    if (misfit.empty()) {
        bool& covered = sent ? kind.covered_sent : kind.covered_received;
        std::vector<model::NodeId> nodes;
        if (!covered) nodes = candidates(tracker, label);
        Outcome outcome = tracker.observe(label, record.values);
        if (outcome == Outcome::allowed && !covered) {
            for (model::NodeId node : nodes) covered_[node.index] = true;
            const model::Net& net = tracker.net().net();
            const auto& all = tracker.net().inference().relevance().of_label(label);
            covered = std::all_of(all.begin(), all.end(), [&](model::TransitionId id) {
                model::NodeId node = net.transitions()[id.index].node;
                return !node || node.index >= covered_.size() || covered_[node.index];
            });
        }
        if (outcome == Outcome::allowed) return;
        if (outcome == Outcome::lost) {
            state.lost = true;
            return;
        }
    } else {
        deviation.reason = misfit;
    }
    deviation.role = sent ? record.from : record.to;
    deviation.at = {record.source, record.line};
    deviation.event = print(record, sent);
    note_expected(tracker, label, deviation);
    deviate(session, std::move(deviation), i, fallen);
}

// Pairs sendings with receptions: by correlation id where there is one, else in the order of the channel.
void Monitor::match(Session& session, const Record& record, bool sent, std::vector<Fallen>* fallen) {
    auto channel = std::find_if(session.channels.begin(), session.channels.end(),
                                [&](const Channel& c) { return c.from == record.from && c.to == record.to; });
    if (channel == session.channels.end())
        channel = session.channels.insert(session.channels.end(), {record.from, record.to, {}, {}});
    std::vector<InFlight>& mine = sent ? channel->sent : channel->received;
    std::vector<InFlight>& others = sent ? channel->received : channel->sent;
    auto other = std::find_if(others.begin(), others.end(), [&](const InFlight& m) {
        return m.correlation == record.correlation &&
               (record.correlation.empty() || m.message == record.message);
    });
    if (other == others.end()) {
        if (mine.size() < options_.in_flight_limit)
            mine.push_back({record.correlation,
                            record.message,
                            record.values,
                            record.time_ns,
                            {record.source, record.line}});
        return;
    }
    if (record.time_ns && other->time_ns &&
        (sent ? *other->time_ns < *record.time_ns : *record.time_ns < *other->time_ns))
        clock_broken_ = true;
    Deviation deviation;
    if (other->message != record.message)
        deviation.reason =
            fmt::format("the channel carried {} first", specification_.alphabet->name(other->message));
    else if (options_.data && other->values != record.values)
        deviation.reason = "it was not received with the data it was sent with";
    if (!deviation.reason.empty()) {
        deviation.at = {record.source, record.line};
        deviation.event = print(record, sent);
        deviate(session, std::move(deviation), session.states.size(), fallen);
    }
    others.erase(other);
}

void Monitor::global_step(Session& session, Kind& kind, const Record& record, bool sent,
                          std::vector<Fallen>* fallen) {
    if (!session.whole || session.failed || session.clock_failed || session.whole_lost) return;
    if (!kind.labels.interaction) return;
    WholeOrder& whole = *session.whole;
    Outcome outcome =
        sent ? whole.sent(kind.labels, record.values) : whole.received(kind.labels, record.values);
    session.whole_lost = outcome == Outcome::lost;
    if (outcome != Outcome::refused) return;
    Deviation deviation;
    deviation.at = {record.source, record.line};
    deviation.event = print(record, sent);
    deviation.by_clock = true;
    deviation.reason = "by the common clock it happens too early or too late";
    if (options_.order != Order::overlap) note_expected(whole.tracker(), kind.labels.interaction, deviation);
    deviate(session, std::move(deviation), session.states.size(), fallen);
}

void Monitor::take(Session& session, Kind& kind, const Record& record, bool sent, const std::string& misfit,
                   std::vector<Fallen>* fallen) {
    RoleId role = sent ? record.from : record.to;
    if (record.time_ns) last_ns_[role.index] = std::max(last_ns_[role.index], *record.time_ns);
    if (!properties_->none()) {
        verdicts_.clear();
        session.properties.feed(*properties_, role, record, fallen ? &verdicts_ : nullptr);
        for (PropertyVerdict& v : verdicts_) fallen->emplace_back(PropertyFall{session.name, std::move(v)});
    }
    if (!(sent ? kind.sender_has : kind.receiver_has)) {
        ++counts_.filtered;
        return;
    }
    local_step(session, kind, record, sent, misfit, fallen);
    if (record.side != Side::both) match(session, record, sent, fallen);
    global_step(session, kind, record, sent, fallen);
}

void Monitor::feed(const Record& record, std::int64_t now_ns, std::vector<Fallen>* fallen) {
    if (record.hole) return lose(record);
    pass_time(now_ns, fallen);
    ++counts_.messages;
    Session* found = session_of(record, now_ns, fallen);
    if (!found) {
        ++counts_.orphaned;
        return;
    }
    Session& session = *found;
    touch(session, now_ns);
    if (seen_before(session, record)) {
        ++counts_.duplicated;
        return;
    }
    clock_broken_ = clock_broken_ || record.backwards;
    if (!session.failed && !session.clock_failed && session.history_limit > 0) {
        bool full = session.history.size() >= session.history_limit;
        Seen& seen = full ? session.history[session.history_next++ % session.history_limit]
                          : session.history.emplace_back();
        seen.side = record.side;
        seen.from = record.from;
        seen.to = record.to;
        seen.message = record.message;
        seen.name = record.message ? std::string_view() : std::string_view(record.name);
        seen.values = record.values;
        seen.at = {record.source, record.line};
    }
    Kind& kind = kind_of(record);
    std::string wrong = misfit(record);
    if (record.side != Side::received) take(session, kind, record, true, wrong, fallen);
    if (record.side != Side::sent) take(session, kind, record, false, wrong, fallen);
}

SessionReport Monitor::close(Session& session, Ending ending, std::vector<Fallen>* fallen) {
    // A reception without its sending counts only if the sender was watched.
    for (Channel& channel : session.channels) {
        std::uint32_t sender = positions_[channel.from.index];
        if (channel.received.empty() || sender == Kind::nowhere || session.states[sender].messages == 0)
            continue;
        const InFlight& m = channel.received.front();
        Record record;
        record.from = channel.from;
        record.to = channel.to;
        record.message = m.message;
        record.name = specification_.alphabet->name(m.message);
        record.values = m.values;
        Deviation deviation;
        deviation.at = m.at;
        deviation.event = print(record, false);
        deviation.reason = "it was received and never sent";
        deviate(session, std::move(deviation), session.states.size(), fallen);
    }
    SessionReport report;
    report.name = session.name;
    report.ending = ending;
    for (std::size_t i = 0; i < session.states.size(); ++i) {
        RoleState& state = session.states[i];
        state.incomplete = !state.failed && !state.lost && !session.local[i].may_end();
        report.incomplete = report.incomplete || state.incomplete;
        report.lost = report.lost || state.lost;
    }
    report.lost = report.lost || session.whole_lost || (session.clock_failed && clock_broken_);
    report.failed = session.failed || (session.clock_failed && !clock_broken_);
    if (clock_broken_) std::erase_if(session.deviations, [](const Deviation& d) { return d.by_clock; });
    if (report.failed) {
        std::size_t first = session.history.size() < session.history_limit ? 0 : session.history_next;
        for (std::size_t i = 0; i < session.history.size(); ++i)
            report.history.push_back(std::move(session.history[(first + i) % session.history.size()]));
    }
    report.roles = std::move(session.states);
    report.deviations = std::move(session.deviations);
    verdicts_.clear();
    session.properties.finish(*properties_, last_ns_, &verdicts_);
    if (fallen)
        for (PropertyVerdict& v : verdicts_) fallen->emplace_back(PropertyFall{session.name, std::move(v)});
    for (std::uint32_t i = 0; i < properties_->size(); ++i) {
        report.local_properties.push_back(session.properties.counts(i));
        report.properties.push_back(session.properties.verdict(*properties_, i));
    }
    return report;
}

void Monitor::end(Session& session, Ending ending, std::vector<Fallen>* fallen) {
    ++(ending == Ending::expired ? counts_.expired : counts_.crowded);
    SessionReport report = close(session, ending, fallen);
    unlink(session);
    std::uint64_t hash = base::hash_bytes(session.name);
    if (ended_.insert(hash).second) ended_order_.push_back(hash);
    if (ended_order_.size() > options_.ended_limit) {
        ended_.erase(ended_order_.front());
        ended_order_.pop_front();
    }
    gone_.push_back(session.name);
    sessions_.erase(report.name);
    if (fallen) fallen->emplace_back(std::move(report));
}

std::vector<SessionReport> Monitor::finish(std::vector<Fallen>* fallen) {
    std::vector<Session*> open;
    for (auto& [name, session] : sessions_) open.push_back(session.get());
    std::sort(open.begin(), open.end(), [](Session* a, Session* b) { return a->number < b->number; });
    std::vector<SessionReport> reports;
    for (Session* session : open) reports.push_back(close(*session, Ending::told, fallen));
    sessions_.clear();
    oldest_ = newest_ = nullptr;
    return reports;
}

}  // namespace treaty::watch
