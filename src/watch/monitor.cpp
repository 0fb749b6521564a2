#include "watch/monitor.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <absl/container/inlined_vector.h>
#include <absl/hash/hash.h>
#include <absl/strings/string_view.h>
#include <fmt/format.h>

#include "base/hash.h"
#include "choreo/project_net.h"
#include "choreo/well_branched.h"
#include "model/run.h"
#include "track/broken_condition.h"
#include "watch/global_net.h"
#include "watch/session.h"

namespace treaty::watch {

using model::LabelId;
using model::RoleId;
using track::EventVerdict;
using track::Tracker;

namespace {
constexpr std::size_t deviations_kept = 16;
constexpr std::size_t short_history = 2;
constexpr std::size_t identities_kept = 32;
constexpr std::string_view declaration_broken = "the condition of its declaration does not hold";
constexpr std::size_t worth_preparing = 512;  // sessions: fewer stay near by themselves

// "200 ms", "1.5 s": to three digits after the point.
std::string duration_text(std::int64_t ns) {
    struct Unit {
        std::int64_t ns;
        std::string_view name;
    };
    Unit unit{1, "ns"};
    for (Unit larger : {Unit{1'000, "us"}, Unit{1'000'000, "ms"}, Unit{1'000'000'000, "s"}})
        if (ns >= larger.ns) unit = larger;
    std::string text = fmt::format("{:.3f}", static_cast<double>(ns) / static_cast<double>(unit.ns));
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return fmt::format("{} {}", text, unit.name);
}

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
    for (std::size_t i = 0; i < protocol.size(); ++i)
        timed_ = timed_ || protocol[model::NodeId(i)].within_ns >= 0;
    keeps_order_ = options_.expire_ns > 0 || options_.session_limit > 0;
}

Monitor::~Monitor() = default;

std::unique_ptr<Monitor> Monitor::make(const model::Specification& specification,
                                       const model::Protocol& protocol, const MonitorOptions& options) {
    std::unique_ptr<Monitor> monitor(new Monitor(specification, protocol, options));
    if (!monitor->build()) return nullptr;
    return monitor;
}

bool Monitor::build() {
    positions_.assign(specification_.alphabet->role_count(), MessageKind::nowhere);
    for (RoleId role : protocol_.roles()) {
        auto net = choreo::project_net(specification_, protocol_, role);
        if (!net) return false;
        positions_[role.index] = static_cast<std::uint32_t>(nets_.size());
        ReducedNet lean = without_unread(options_.data ? std::move(*net) : without_data(*net));
        nets_.push_back(std::move(lean.net));
        arities_.push_back(std::move(lean.arity));
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
    std::string text =
        fmt::format("{} {}{}{}", alphabet.name(record.from), alphabet.name(record.to), sent ? '!' : '?',
                    record.message ? std::string_view(alphabet.name(record.message)) : record.name);
    if (record.values.empty() || !record.message) return text;
    const auto& fields = specification_.message(record.message).fields;
    for (std::size_t i = 0; i < record.values.size(); ++i)
        text += fmt::format(
            "{}{} = {}", i == 0 ? "(" : ", ", specification_.names->text(fields[i].name),
            expr::print(record.values[i], fields[i].type, *specification_.types, *specification_.names));
    return text + ")";
}

Monitor::MessageKind& Monitor::kind_of(const Record& record) {
    std::size_t slot = record.message ? record.message.index + 1 : 0;
    if (slot >= kinds_.size()) kinds_.resize(slot + 1);
    for (const auto& known : kinds_[slot])
        if (known->sender == record.from && known->receiver == record.to) return *known;
    model::Event event{model::EventKind::interaction, record.from, record.to, record.message};
    auto kind = std::make_unique<MessageKind>();
    kind->sender = record.from;
    kind->receiver = record.to;
    kind->begun_sent = properties_->beginning(record.from, record.from, record.to, record.message);
    kind->begun_received = properties_->beginning(record.to, record.from, record.to, record.message);
    kind->from = positions_[record.from.index];
    kind->to = positions_[record.to.index];
    auto label = [&](model::EventKind k) {
        event.kind = k;
        return record.message ? specification_.alphabet->find_label(event) : std::nullopt;
    };
    auto has = [&](std::uint32_t position, std::optional<LabelId> l) {
        return l && position != MessageKind::nowhere &&
               !tracked_[position]->inference().relevance().of_label(*l).empty();
    };
    auto send = label(model::EventKind::send), receive = label(model::EventKind::receive);
    kind->sender_has = has(kind->from, send);
    kind->receiver_has = has(kind->to, receive);
    if (kind->sender_has) kind->sent_arity = arities_[kind->from][send->index];
    if (kind->receiver_has) kind->received_arity = arities_[kind->to][receive->index];
    if (timed_ && kind->sender_has)
        for (model::TransitionId id : tracked_[kind->from]->inference().relevance().of_label(*send)) {
            model::NodeId node = nets_[kind->from].transitions()[id.index].node;
            kind->timed = kind->timed || (node && protocol_[node].within_ns >= 0);
        }
    kind->labels = {send.value_or(LabelId()), receive.value_or(LabelId()),
                    label(model::EventKind::interaction).value_or(LabelId())};
    return *kinds_[slot].emplace_back(std::move(kind));
}

bool Monitor::EntryEqual::operator()(const Entry& a, const Entry& b) const {
    return a.session == b.session;
}

bool Monitor::EntryEqual::operator()(const Entry& a, const Wanted& b) const {
    return a.hash == b.hash && a.session->name == b.name;
}

Monitor::Wanted Monitor::wanted(std::string_view name) {
    return {absl::Hash<absl::string_view>{}(absl::string_view(name.data(), name.size())), name};
}

Monitor::Session* Monitor::find(std::string_view name) const {
    auto found = sessions_.find(wanted(name));
    return found == sessions_.end() ? nullptr : found->session.get();
}

Monitor::Session& Monitor::open_session(const std::string& name) {
    auto session = std::make_unique<Session>();
    session->name = name;
    session->number = opened_++;
    session->parts.reserve(tracked_.size());
    for (const auto& tracked : tracked_) session->parts.push_back({Tracker(tracked), {}});
    if (whole_) session->whole = std::make_unique<WholeOrder>(*whole_);
    if (timed_) session->last_events.resize(tracked_.size());
    session->history_limit = static_cast<std::uint32_t>(sessions_.size() < options_.long_histories
                                                            ? options_.history
                                                            : std::min(options_.history, short_history));
    return *sessions_.insert(Entry{wanted(name).hash, std::move(session)}).first->session;
}

Monitor::Session* Monitor::session_of(const Record& record, std::int64_t now_ns,
                                      std::vector<Notice>* notices) {
    if (last_ && last_->name == record.session) return last_;
    last_ = find(record.session);
    if (last_) return last_;
    if (!ended_.empty() && ended_.contains(base::hash_bytes(record.session))) return nullptr;
    if (options_.session_limit > 0 && sessions_.size() >= options_.session_limit)
        end(*oldest_, Ending::crowded, notices);
    last_ = &open_session(record.session);
    touch(*last_, now_ns);
    return last_;
}

void Monitor::unlink(Session& session) {
    (session.older ? session.older->newer : oldest_) = session.newer;
    (session.newer ? session.newer->older : newest_) = session.older;
    session.older = session.newer = nullptr;
}

// From now on the times decide nothing, and earlier decisions by them are withdrawn.
void Monitor::break_clock(std::vector<Notice>* notices) {
    if (!clock_broken_ && reported_by_clock_ && notices) notices->emplace_back(Withdrawal{});
    clock_broken_ = true;
}

void Monitor::lose(const Record& hole, std::vector<Notice>* notices) {
    ++counts_.holes;
    std::vector<Session*> live = by_opening();
    for (Session* session : live) {
        count_failed(*session, -1);
        session->whole_lost = session->whole != nullptr;
        // The hole may be older than its discovery: what was found since then is withdrawn.
        for (RoleId role : {hole.from, hole.to}) {
            if (positions_[role.index] == MessageKind::nowhere) continue;
            RoleState& state = session->parts[positions_[role.index]].state;
            state.lost = true;
            state.failed = state.late = false;
            bool told =
                std::erase_if(session->deviations, [&](const Deviation& d) { return d.role == role; }) > 0;
            if (told && notices && options_.stream) notices->emplace_back(Withdrawal{session->name, role});
        }
        session->failed = std::any_of(session->deviations.begin(), session->deviations.end(),
                                      [](const Deviation& d) { return !d.by_clock; });
        session->clock_failed = std::any_of(session->deviations.begin(), session->deviations.end(),
                                            [](const Deviation& d) { return d.by_clock; });
        session->changed = true;
        count_failed(*session, 1);
    }
}

// From here on nothing is known about what these two roles do in the session; what was found stays.
void Monitor::lose_rest(Session& session, const Record& record) {
    session.whole_lost = session.whole != nullptr;
    session.changed = true;
    for (RoleId role : {record.from, record.to}) {
        if (positions_[role.index] == MessageKind::nowhere) continue;
        RoleState& state = session.parts[positions_[role.index]].state;
        state.lost = !state.failed;
    }
}

// No message of the protocol has these bytes, so the role that sent them violates it, on whichever side they
// were recorded. Without a reason the bytes may be part of a message that was not seen whole: then nothing is
// known any more.
void Monitor::undecodable(Session& session, const Record& record, std::vector<Notice>* notices) {
    std::uint32_t sender = positions_[record.from.index];
    if (!record.misfit.empty() && sender != MessageKind::nowhere) {
        TrackedRole& part = session.parts[sender];
        ++part.state.messages;
        if (!part.state.failed && !part.state.lost) {
            Deviation deviation;
            deviation.reason = record.misfit;
            deviation.role = record.from;
            deviation.at = {record.source, record.line};
            deviation.event = print(record, record.side != Side::received);
            note_expected(part.tracker, {}, {}, deviation);
            deviate(session, std::move(deviation), sender, notices);
        }
    }
    if (record.misfit.empty()) ++counts_.holes;
    // The other role may take them for something, or not: what it does next cannot be judged.
    lose_rest(session, record);
    if (record.rest != Record::Rest::all_lost) return;
    for (Session* other : by_opening()) lose_rest(*other, record);
}

void Monitor::touch(Session& session, std::int64_t now_ns) {
    session.last_ns = now_ns;
    session.touched = ++touches_;
    session.changed = true;
    if (newest_ == &session || !keeps_order_) return;
    if (session.newer || session.older || oldest_ == &session) unlink(session);
    session.older = newest_;
    (newest_ ? newest_->newer : oldest_) = &session;
    newest_ = &session;
}

void Monitor::pass_time(std::int64_t now_ns, std::vector<Notice>* notices) {
    if (options_.expire_ns == 0) return;
    while (oldest_ && now_ns - options_.expire_ns > oldest_->last_ns) end(*oldest_, Ending::expired, notices);
}

// Equal in everything, including an id and a time: a duplicate of the record, not a second message.
bool Monitor::seen_before(Session& session, const Record& record) const {
    if (record.correlation.empty() || !record.time_ns) return false;
    std::uint64_t h = base::hash_bytes(record.correlation);
    h = base::combine(h, static_cast<std::uint64_t>(*record.time_ns));
    h = base::combine(h, (std::uint64_t{record.from.index} << 32) + record.to.index);
    h = base::combine(h, (std::uint64_t{record.message.index} << 8) + static_cast<unsigned>(record.side));
    if (!record.message) h = base::combine(h, base::hash_bytes(record.name));
    for (const expr::Value& v : record.values) h = base::combine(h, expr::hash(v));
    auto& known = session.identities;
    if (std::find(known.begin(), known.end(), h) != known.end()) return true;
    if (known.size() < identities_kept)
        known.push_back(h);
    else
        known[session.identities_next++ % identities_kept] = h;
    return false;
}

// Why the data does not fit the message; empty if it fits.
std::string_view Monitor::misfit(const Record& record) {
    if (!options_.data || !record.message || record.message.index >= specification_.messages.size())
        return {};
    if (!record.misfit.empty()) return record.misfit;
    const model::Message& message = specification_.message(record.message);
    if (!message.where || record.values.size() != message.variables.size()) return {};
    // Each message has its own variables, so values of other messages do not matter.
    for (std::size_t i = 0; i < record.values.size(); ++i)
        fields_.set(message.variables[i], record.values[i]);
    return expr::satisfied(*specification_.pool, message.where, fields_) ? std::string_view()
                                                                         : declaration_broken;
}

// Before and after what changes whether a live session has failed.
void Monitor::count_failed(const Session& session, int by) {
    if (session.failed)
        live_failed_ += static_cast<std::size_t>(by);
    else if (session.clock_failed)
        live_failed_by_clock_ += static_cast<std::size_t>(by);
}

void Monitor::deviate(Session& session, Deviation deviation, std::size_t role, std::vector<Notice>* notices) {
    deviation.session = session.name;
    count_failed(session, -1);
    (deviation.by_clock ? session.clock_failed : session.failed) = true;
    count_failed(session, 1);
    if (role < session.parts.size()) session.parts[role].state.failed = true;
    if (session.deviations.size() >= deviations_kept) return;
    bool counts = !deviation.by_clock || !clock_broken_;
    reported_by_clock_ = reported_by_clock_ || (deviation.by_clock && counts);
    if (notices && options_.stream && counts) notices->emplace_back(deviation);
    session.deviations.push_back(std::move(deviation));
}

void Monitor::note_expected(Tracker& tracker, LabelId label, std::span<const expr::Value> values,
                            Deviation& deviation) const {
    const model::Net& net = tracker.net().net();
    track::Inference& inference = tracker.net().inference();
    bool same = false;
    for (const track::Configuration& c : tracker.configurations())
        for (const track::EnabledTransition& enabled : inference.next(c)) {
            const model::Transition& t = net.transitions()[enabled.transition.index];
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
    if (same) deviation.reason = why_not_with(tracker, label, values);
    if (!deviation.reason.empty()) return;
    deviation.reason = same                         ? "not allowed here with this data"
                       : deviation.expected.empty() ? "the role's part is already over"
                                                    : "not allowed here";
}

// "line 13 requires fee == weight * price = 10"; empty if no condition is broken.
std::string Monitor::why_not_with(Tracker& tracker, LabelId label,
                                  std::span<const expr::Value> values) const {
    std::string text;
    for (const track::BrokenCondition& one :
         track::broken_conditions(specification_, tracker, label, values)) {
        std::uint32_t line = options_.sources ? model::line_of(&protocol_, one.node, *options_.sources) : 0;
        text += fmt::format("{}{} requires {}", text.empty() ? "" : " or ",
                            line > 0 ? fmt::format("line {}", line) : "the protocol", one.text);
    }
    return text;
}

// "the declaration of order (line 2) requires amount <= limit"
std::string Monitor::why_not_declared(const Record& record) const {
    base::Span span = specification_.message(record.message).span;
    std::string line = options_.sources && span.valid()
                           ? fmt::format(" (line {})", options_.sources->line_number(span.file, span.begin))
                           : "";
    return fmt::format("the declaration of {}{} requires {}", specification_.alphabet->name(record.message),
                       line, track::broken_declaration(specification_, record.message, record.values));
}

// The steps of the protocol that this message can be here; where silent steps come first, it may be more.
std::vector<model::NodeId> Monitor::nodes_here(Tracker& tracker, LabelId label) {
    std::vector<model::NodeId> nodes;
    track::Relevance& relevance = tracker.net().inference().relevance();
    const auto& transitions = relevance.of_label(label);
    for (model::TransitionId id : transitions) {
        const model::Transition& t = tracker.net().net().transitions()[id.index];
        if (!t.node) continue;
        bool here = transitions.size() == 1 || !relevance.before(id).silent.empty();
        for (const track::Configuration& c : tracker.configurations())
            here = here || track::enabled(c.marking, t);
        if (here) nodes.push_back(t.node);
    }
    return nodes;
}

// How long the sender may take: the longest time that a step allows which this message can be.
Monitor::Limit Monitor::limit_of(Tracker& tracker, LabelId label) const {
    Limit longest;
    for (model::NodeId node : nodes_here(tracker, label)) {
        std::int64_t within = protocol_[node].within_ns;
        if (within < 0) return {};
        if (within > longest.ns) longest = {within, node};
    }
    return longest;
}

// Holds an event of a role against the time of its last one.
void Monitor::time(Session& session, std::size_t role, const Record& record, bool sent, Limit limit,
                   std::vector<Notice>* notices) {
    LastEvent before =
        std::exchange(session.last_events[role], LastEvent{true, record.source, record.time_ns});
    if (limit.ns < 0 || !before.seen) return;
    bool one_clock = before.source == record.source || options_.order != Order::causal;
    if (!one_clock || !before.time_ns || !record.time_ns) {
        ++counts_.untimed;
        return;
    }
    std::int64_t took = 0;
    bool overflows = __builtin_sub_overflow(*record.time_ns, *before.time_ns, &took);
    if (overflows || took <= limit.ns) return;
    Deviation deviation;
    deviation.role = sent ? record.from : record.to;
    deviation.at = {record.source, record.line};
    deviation.event = print(record, sent);
    std::uint32_t line = options_.sources ? model::line_of(&protocol_, limit.node, *options_.sources) : 0;
    deviation.reason =
        fmt::format("late: it took {}, {} allows {}", duration_text(took),
                    line > 0 ? fmt::format("line {}", line) : "the protocol", duration_text(limit.ns));
    deviation.nodes.push_back(limit.node);
    deviation.by_clock = true;
    deviation.limit_ns = limit.ns;
    deviation.took_ns = took;
    session.parts[role].state.late = true;
    deviate(session, std::move(deviation), session.parts.size(), notices);
}

void Monitor::local_step(Session& session, MessageKind& kind, const Record& record, bool sent,
                         std::string_view misfit, std::vector<Notice>* notices) {
    std::uint32_t i = sent ? kind.from : kind.to;
    RoleState& state = session.parts[i].state;
    ++state.messages;
    if (state.failed || state.lost) return;
    LabelId label = sent ? kind.labels.send : kind.labels.receive;
    Tracker& tracker = session.parts[i].tracker;
    std::uint32_t arity = sent ? kind.sent_arity : kind.received_arity;
    if (misfit.empty() && (arity == any_arity || arity == record.values.size())) {
        bool& covered = sent ? kind.covered_sent : kind.covered_received;
        std::vector<model::NodeId> nodes;
        if (!covered) nodes = nodes_here(tracker, label);
        Limit limit = sent && kind.timed ? limit_of(tracker, label) : Limit{};
        EventVerdict verdict = tracker.observe(label, record.values);
        if (verdict == EventVerdict::allowed && !covered) {
            for (model::NodeId node : nodes)
                if (node.index < covered_.size()) covered_[node.index] = true;
            const model::Net& net = tracker.net().net();
            const auto& all = tracker.net().inference().relevance().of_label(label);
            covered = std::all_of(all.begin(), all.end(), [&](model::TransitionId id) {
                model::NodeId node = net.transitions()[id.index].node;
                return !node || node.index >= covered_.size() || covered_[node.index];
            });
        }
        if (verdict == EventVerdict::allowed && timed_) time(session, i, record, sent, limit, notices);
        if (verdict == EventVerdict::allowed) return;
        if (verdict == EventVerdict::lost) {
            state.lost = true;
            return;
        }
    }
    Deviation deviation;
    deviation.reason = misfit == declaration_broken ? why_not_declared(record) : std::string(misfit);
    deviation.role = sent ? record.from : record.to;
    deviation.at = {record.source, record.line};
    deviation.event = print(record, sent);
    note_expected(tracker, label, record.values, deviation);
    deviate(session, std::move(deviation), i, notices);
}

// Pairs sendings with receptions: by correlation id where there is one, else in the order of the channel.
// Gives whether the other end was there already.
bool Monitor::match(Session& session, const Record& record, bool sent, std::vector<Notice>* notices) {
    auto channel = std::find_if(session.channels.begin(), session.channels.end(),
                                [&](const Channel& c) { return c.from == record.from && c.to == record.to; });
    if (channel == session.channels.end())
        channel = session.channels.insert(session.channels.end(), Channel{record.from, record.to, 0, 0, {}});
    std::uint32_t& mine = sent ? channel->sent : channel->received;
    std::uint32_t& others = sent ? channel->received : channel->sent;
    std::optional<Kept> other;
    if (others > 0)
        other = channel->open.take(sent ? Side::received : Side::sent, record.correlation, record.message);
    if (!other) {
        if (mine < options_.in_flight_limit) mine += channel->open.push(packed_);
        return false;
    }
    --others;
    if (record.time_ns && other->time_ns &&
        (sent ? *other->time_ns < *record.time_ns : *record.time_ns < *other->time_ns))
        break_clock(notices);
    Deviation deviation;
    if (other->message != record.message)
        deviation.reason = fmt::format("{} was sent before it on the same channel and not received yet",
                                       specification_.alphabet->name(other->message));
    else if (options_.data && other->values != record.values)
        deviation.reason = "it was received with other data than it was sent with";
    if (!deviation.reason.empty()) {
        deviation.at = {record.source, record.line};
        deviation.event = print(record, sent);
        deviate(session, std::move(deviation), session.parts.size(), notices);
    }
    return true;
}

void Monitor::global_step(Session& session, MessageKind& kind, const Record& record, bool sent,
                          std::vector<Notice>* notices) {
    if (!session.whole || session.failed || session.clock_failed || session.whole_lost) return;
    if (!kind.labels.interaction) return;
    WholeOrder& whole = *session.whole;
    EventVerdict verdict =
        sent ? whole.sent(kind.labels, record.values) : whole.received(kind.labels, record.values);
    session.whole_lost = verdict == EventVerdict::lost;
    if (verdict != EventVerdict::refused) return;
    Deviation deviation;
    deviation.at = {record.source, record.line};
    deviation.event = print(record, sent);
    deviation.by_clock = true;
    deviation.reason = "too early or too late by the common clock";
    if (options_.order != Order::overlap)
        note_expected(whole.tracker(), kind.labels.interaction, record.values, deviation);
    deviate(session, std::move(deviation), session.parts.size(), notices);
}

void Monitor::take(Session& session, MessageKind& kind, const Record& record, bool sent,
                   std::string_view misfit, std::vector<Notice>* notices) {
    RoleId role = sent ? record.from : record.to;
    if (record.time_ns) last_ns_[role.index] = std::max(last_ns_[role.index], *record.time_ns);
    if (!properties_->none()) {
        verdicts_.clear();
        session.properties.feed(*properties_, role, record, sent ? kind.begun_sent : kind.begun_received,
                                notices && options_.stream ? &verdicts_ : nullptr);
        for (PropertyVerdict& v : verdicts_)
            notices->emplace_back(PropertyNotice{session.name, std::move(v)});
    }
    if (!(sent ? kind.sender_has : kind.receiver_has)) return;
    local_step(session, kind, record, sent, misfit, notices);
    if (record.side != Side::both && !match(session, record, sent, notices)) ++counts_.messages;
    global_step(session, kind, record, sent, notices);
}

// With many sessions, each one has to be fetched from memory through several pointers, one after the other.
// So the first step of all of them is asked for, then the second of all, and so on: the waiting overlaps.
void Monitor::prepare(std::span<const Record> records) const {
    if (sessions_.size() < worth_preparing) return;
    absl::InlinedVector<Likely, 32> hashes;
    for (const Record& r : records) {
        hashes.push_back({wanted(r.session).hash});
        sessions_.prefetch(hashes.back());
    }
    absl::InlinedVector<const Session*, 32> known;
    for (Likely likely : hashes) {
        auto found = sessions_.find(likely);
        if (found == sessions_.end()) continue;
        known.push_back(found->session.get());
        known.back()->fetch();
    }
    for (const Session* s : known) s->fetch_parts();
}

void Monitor::feed(const Record& record, std::int64_t now_ns, std::vector<Notice>* notices) {
    if (record.hole) return lose(record, notices);
    pass_time(now_ns, notices);
    ++counts_.records;
    Session* found = session_of(record, now_ns, notices);
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
    if (record.backwards) break_clock(notices);
    // With its id, by which the other end of the channel knows it; what has none there has a name of its own.
    packed_ = packer_.pack(record, record.message ? record.correlation : record.name);
    if (!session.failed && !session.clock_failed && session.history_limit > 0) {
        if (session.history.size() >= session.history_limit) session.history.pop();
        session.history.push(packed_);
    }
    if (record.undecodable) return undecodable(session, record, notices);
    MessageKind& kind = kind_of(record);
    std::string_view wrong = misfit(record);
    bool known = (record.side != Side::received && kind.sender_has) ||
                 (record.side != Side::sent && kind.receiver_has);
    if (!known) ++counts_.filtered;
    if (known && record.side == Side::both) ++counts_.messages;
    if (record.side != Side::received) take(session, kind, record, true, wrong, notices);
    if (record.side != Side::sent) take(session, kind, record, false, wrong, notices);
}

// The logs are complete: a role that had to send a message has not sent it. Nothing is known about a role
// without a record: it may not have been watched.
void Monitor::blame_silent(Session& session, std::vector<Notice>* notices) {
    for (std::size_t i = 0; i < session.parts.size(); ++i) {
        TrackedRole& part = session.parts[i];
        if (part.state.failed || part.state.lost || part.state.messages == 0) continue;
        if (part.tracker.may_end() || !part.tracker.must_output()) continue;
        Deviation deviation;
        deviation.role = protocol_.roles()[i];
        deviation.missing = true;
        for (const Kept& k : session.history.all()) deviation.at = k.at;
        deviation.event = "end of the log";
        deviation.reason = "a message is missing";
        for (const track::ExpectedOutput& one : part.tracker.expected_outputs()) {
            deviation.expected.push_back(part.tracker.net().net().alphabet().print(one.label));
            deviation.nodes.push_back(one.node);
        }
        deviate(session, std::move(deviation), i, notices);
    }
}

SessionReport Monitor::close(Session& session, Ending ending, std::vector<Notice>* notices) {
    // A reception without its sending counts only if the sender was watched.
    for (Channel& channel : session.channels) {
        std::uint32_t sender = positions_[channel.from.index];
        if (channel.received == 0 || sender == MessageKind::nowhere ||
            session.parts[sender].state.messages == 0)
            continue;
        Kept m;
        for (const Kept& k : channel.open.all())
            if (k.side == Side::received) {
                m = k;
                break;
            }
        Record record;
        record.from = channel.from;
        record.to = channel.to;
        record.message = m.message;
        record.values = m.values;
        Deviation deviation;
        deviation.at = m.at;
        deviation.event = print(record, false);
        deviation.reason = "received but never sent";
        deviate(session, std::move(deviation), session.parts.size(), notices);
    }
    if (options_.complete && ending != Ending::crowded) blame_silent(session, notices);
    SessionReport report;
    report.name = session.name;
    report.ending = ending;
    for (TrackedRole& part : session.parts) {
        RoleState& state = part.state;
        state.lost = state.lost || (state.late && clock_broken_);
        state.late = state.late && !clock_broken_;
        state.incomplete = !state.failed && !state.lost && !part.tracker.may_end();
        report.roles.push_back(state);
        report.incomplete = report.incomplete || state.incomplete;
        report.lost = report.lost || state.lost;
    }
    report.lost = report.lost || session.whole_lost || (session.clock_failed && clock_broken_);
    report.by_clock = !session.failed && session.clock_failed && !clock_broken_;
    report.failed = session.failed || report.by_clock;
    if (clock_broken_) std::erase_if(session.deviations, [](const Deviation& d) { return d.by_clock; });
    if (report.failed) {
        for (Kept& k : session.history.all())
            report.history.push_back({k.side, k.from, k.to, k.message,
                                      k.message ? std::string() : std::move(k.text), std::move(k.values),
                                      k.at});
    }
    report.deviations = std::move(session.deviations);
    verdicts_.clear();
    session.properties.finish(*properties_, last_ns_, &verdicts_);
    if (notices && options_.stream)
        for (PropertyVerdict& v : verdicts_)
            notices->emplace_back(PropertyNotice{session.name, std::move(v)});
    for (std::uint32_t i = 0; i < properties_->size(); ++i) {
        report.local_properties.push_back(session.properties.counts(i));
        report.properties.push_back(session.properties.verdict(*properties_, i));
    }
    return report;
}

void Monitor::end(Session& session, Ending ending, std::vector<Notice>* notices) {
    ++(ending == Ending::expired ? counts_.expired : counts_.crowded);
    SessionReport report = close(session, ending, notices);
    unlink(session);
    last_ = nullptr;
    std::uint64_t hash = base::hash_bytes(session.name);
    if (ended_.insert(hash).second) ended_order_.push_back(hash);
    if (ended_order_.size() > options_.ended_limit) {
        ended_.erase(ended_order_.front());
        ended_order_.pop_front();
    }
    if (keeps_changes_) gone_.push_back(session.name);
    count_failed(session, -1);
    sessions_.erase(sessions_.find(wanted(report.name)));
    if (notices) notices->emplace_back(std::move(report));
}

std::vector<Monitor::Session*> Monitor::by_opening() const {
    std::vector<Session*> open;
    for (const Entry& entry : sessions_) open.push_back(entry.session.get());
    std::sort(open.begin(), open.end(), [](Session* a, Session* b) { return a->number < b->number; });
    return open;
}

std::vector<SessionReport> Monitor::finish(std::vector<Notice>* notices) {
    std::vector<SessionReport> reports;
    for (Session* session : by_opening()) reports.push_back(close(*session, Ending::told, notices));
    sessions_.clear();
    live_failed_ = live_failed_by_clock_ = 0;
    oldest_ = newest_ = last_ = nullptr;
    return reports;
}

}  // namespace treaty::watch
