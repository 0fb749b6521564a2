// A monitor as bytes and back: what a state file keeps. Deviations and histories are kept whole, so that a
// report after a restart is the one that an uninterrupted run would have given.
#include <algorithm>

#include "watch/session.h"
#include "watch/totals.h"

namespace treaty::watch {

namespace {

constexpr std::uint64_t version = 3;

void save(Saver& s, const LogPosition& at) {
    s.number(at.source);
    s.number(at.line);
}

LogPosition load_spot(Loader& l) {
    auto source = static_cast<std::uint32_t>(l.number());
    return {source, l.number()};
}

template <class Id>
void save_id(Saver& s, Id id) {
    s.number(id ? std::uint64_t{id.index} + 1 : 0);
}

template <class Id>
Id load_id(Loader& l, std::size_t limit) {
    std::uint64_t n = l.number();
    if (n > limit) l.fail();
    return n == 0 || !l.ok() ? Id() : Id(static_cast<std::size_t>(n - 1));
}

}  // namespace

void save(Saver& s, const Deviation& d) {
    s.text(d.session);
    save_id(s, d.role);
    save(s, d.at);
    s.text(d.event);
    s.text(d.reason);
    s.number(d.expected.size());
    for (const std::string& e : d.expected) s.text(e);
    s.number(d.nodes.size());
    for (model::NodeId n : d.nodes) save_id(s, n);
    s.number(d.by_clock);
    s.signed_number(d.limit_ns);
    s.signed_number(d.took_ns);
}

Deviation load_deviation(Loader& l, std::size_t roles, std::size_t nodes) {
    Deviation d;
    d.session = l.text();
    d.role = load_id<model::RoleId>(l, roles);
    d.at = load_spot(l);
    d.event = l.text();
    d.reason = l.text();
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) d.expected.push_back(l.text());
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) d.nodes.push_back(load_id<model::NodeId>(l, nodes));
    d.by_clock = l.number() != 0;
    d.limit_ns = l.signed_number();
    d.took_ns = l.signed_number();
    return d;
}

void save(Saver& s, const Seen& r) {
    s.number(static_cast<unsigned>(r.side));
    save_id(s, r.from);
    save_id(s, r.to);
    save_id(s, r.message);
    s.text(r.name);
    s.values(r.values);
    save(s, r.at);
}

Seen load_seen(Loader& l, const model::Alphabet& alphabet) {
    Seen r;
    std::uint64_t side = l.number();
    if (side > 2) l.fail();
    r.side = static_cast<Side>(side);
    r.from = load_id<model::RoleId>(l, alphabet.role_count());
    r.to = load_id<model::RoleId>(l, alphabet.role_count());
    r.message = load_id<model::MessageId>(l, alphabet.message_count());
    r.name = l.text();
    r.values = l.values();
    r.at = load_spot(l);
    return r;
}

std::vector<std::string> Monitor::changed() {
    std::vector<std::string> names = std::move(gone_);
    gone_.clear();
    // Those with records since the last call are the newest ones.
    for (Session* s = newest_; s && s->changed; s = s->older) {
        s->changed = false;
        names.push_back(s->name);
    }
    return names;
}

std::optional<std::string> Monitor::save_session(const std::string& name) const {
    const Session* found = find(name);
    if (!found) return std::nullopt;
    const Session& session = *found;
    Saver s;
    s.number(version);
    s.text(session.name);
    s.number(session.number);
    s.signed_number(session.last_ns);
    s.number(session.touched);
    for (const TrackedRole& part : session.parts) {
        const RoleState& state = part.state;
        s.number((state.failed ? 1u : 0u) + (state.lost ? 2u : 0u) + (state.late ? 4u : 0u));
        s.number(state.messages);
        s.number(part.tracker.lost());
        s.configurations(part.tracker.configurations(), specification_.pool->variable_count());
    }
    s.number((session.failed ? 1u : 0u) + (session.clock_failed ? 2u : 0u) + (session.whole_lost ? 4u : 0u));
    if (session.whole) session.whole->save(s);
    s.number(session.channels.size());
    for (const Channel& c : session.channels) {
        save_id(s, c.from);
        save_id(s, c.to);
        c.open.save(s);
    }
    s.number(session.deviations.size());
    for (const Deviation& d : session.deviations) save(s, d);
    session.history.save(s);
    s.number(session.history_limit);
    s.number(session.identities.size());
    for (std::uint64_t h : session.identities) s.number(h);
    s.number(session.identities_next);
    for (const LastEvent& last : session.last_events) {
        s.number((last.seen ? 1u : 0u) + (last.time_ns ? 2u : 0u));
        s.number(last.source);
        s.signed_number(last.time_ns.value_or(0));
    }
    session.properties.save(s, *properties_);
    return s.take();
}

Monitor::Session* Monitor::load_session(std::string_view bytes) {
    Loader l(bytes);
    const model::Alphabet& alphabet = *specification_.alphabet;
    if (l.number() != version) return nullptr;
    std::string name = l.text();
    if (!l.ok() || find(name)) return nullptr;
    std::uint64_t opened = opened_;
    Session& session = open_session(name);
    opened_ = opened;
    session.number = l.number();
    session.last_ns = l.signed_number();
    session.touched = l.number();
    for (std::size_t i = 0; i < session.parts.size(); ++i) {
        RoleState& state = session.parts[i].state;
        std::uint64_t flags = l.number();
        state.failed = (flags & 1) != 0;
        state.lost = (flags & 2) != 0;
        state.late = (flags & 4) != 0;
        state.messages = l.number();
        bool lost = l.number() != 0;
        session.parts[i].tracker.restore(
            l.configurations(specification_.pool->variable_count(), nets_[i].places().size()), lost);
    }
    std::uint64_t flags = l.number();
    session.failed = (flags & 1) != 0;
    session.clock_failed = (flags & 2) != 0;
    session.whole_lost = (flags & 4) != 0;
    count_failed(session, 1);
    if (session.whole) session.whole->load(l);
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) {
        Channel& c = session.channels.emplace_back();
        c.from = load_id<model::RoleId>(l, alphabet.role_count());
        c.to = load_id<model::RoleId>(l, alphabet.role_count());
        c.open.load(l, alphabet);
        for (const Kept& k : c.open.all()) ++(k.side == Side::received ? c.received : c.sent);
        if (!c.from || !c.to) l.fail();
    }
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n)
        session.deviations.push_back(load_deviation(l, alphabet.role_count(), protocol_.size()));
    session.history.load(l, alphabet);
    session.history_limit = static_cast<std::uint32_t>(l.number());
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) session.identities.push_back(l.number());
    session.identities_next = l.number();
    for (LastEvent& last : session.last_events) {
        std::uint64_t known = l.number();
        last.seen = (known & 1) != 0;
        last.source = static_cast<std::uint32_t>(l.number());
        std::int64_t time_ns = l.signed_number();
        if ((known & 2) != 0) last.time_ns = time_ns;
    }
    session.properties.load(l, *properties_);
    if (!l.ok() || !l.at_end()) {
        sessions_.erase(sessions_.find(wanted(name)));
        return nullptr;
    }
    return &session;
}

bool Monitor::load(std::string_view common, std::vector<std::string> sessions) {
    if (!load_common(common)) return false;
    std::vector<Session*> loaded;
    for (const std::string& bytes : sessions) {
        Session* session = load_session(bytes);
        if (!session) return false;
        loaded.push_back(session);
    }
    std::sort(loaded.begin(), loaded.end(), [](Session* a, Session* b) { return a->touched < b->touched; });
    for (Session* session : loaded) {
        std::uint64_t touched = session->touched;
        touch(*session, session->last_ns);
        session->touched = touched;
        session->changed = false;
    }
    return true;
}

std::string Monitor::save_common() const {
    Saver s;
    s.number(version);
    for (std::uint64_t n :
         {counts_.records, counts_.messages, counts_.filtered, counts_.untimed, counts_.duplicated,
          counts_.orphaned, counts_.expired, counts_.crowded, counts_.holes, opened_, touches_})
        s.number(n);
    s.number(clock_broken_);
    s.number(reported_by_clock_);
    s.number(last_ns_.size());
    for (std::int64_t t : last_ns_) s.signed_number(t);
    s.number(covered_.size());
    for (bool c : covered_) s.number(c);
    s.number(ended_order_.size());
    for (std::uint64_t h : ended_order_) s.number(h);
    return s.take();
}

bool Monitor::load_common(std::string_view bytes) {
    Loader l(bytes);
    if (l.number() != version) return false;
    for (std::uint64_t* n :
         {&counts_.records, &counts_.messages, &counts_.filtered, &counts_.untimed, &counts_.duplicated,
          &counts_.orphaned, &counts_.expired, &counts_.crowded, &counts_.holes, &opened_, &touches_})
        *n = l.number();
    clock_broken_ = l.number() != 0;
    reported_by_clock_ = l.number() != 0;
    if (l.count() != last_ns_.size()) return false;
    for (std::int64_t& t : last_ns_) t = l.signed_number();
    if (l.count() != covered_.size()) return false;
    for (std::size_t i = 0; i < covered_.size(); ++i) covered_[i] = l.number() != 0;
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) {
        std::uint64_t h = l.number();
        if (ended_.insert(h).second) ended_order_.push_back(h);
    }
    return l.ok() && l.at_end();
}

}  // namespace treaty::watch
