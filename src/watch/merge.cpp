#include "watch/merge.h"

#include <algorithm>

#include "base/hash.h"

namespace treaty::watch {

namespace {
constexpr std::size_t faults_kept = 20;
constexpr std::size_t most_connections = 100'000;  // whose last session is known
}  // namespace

Merge::Merge(std::vector<std::unique_ptr<Source>> sources, bool by_clock,
             const model::Specification& specification, SessionRule rule)
    : by_clock_(by_clock), specification_(specification), rule_(std::move(rule)) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
        heads_.emplace_back();
        heads_.back().source = std::move(sources[i]);
        heads_.back().record.source = i;
    }
}

void Merge::pull(Head& head, Record& record) {
    while (true) {
        ReadResult got = head.source->next(record, fault_);
        head.there = got == ReadResult::record;
        head.ended = got == ReadResult::end;
        if (got == ReadResult::end || got == ReadResult::wait) return;
        if (got == ReadResult::record) break;
        ++garbled_;
        if (!fault_.empty() && faults_.size() < faults_kept)
            faults_.push_back({record.source, record.line, fault_});
    }
    bool given = rule_.by == SessionRule::By::given;
    head.sessionless = !given && !record.hole && !find_session(record);
    // The connection is not the session, so others may use it too.
    if (!given && record.rest == Record::Rest::session_lost) record.rest = Record::Rest::all_lost;
    head.before_ns = head.last_ns;
    if (by_clock_ && !record.time_ns && !record.hole) clock_missing_ = true;
    if (!record.time_ns) return;
    record.backwards = *record.time_ns < head.last_ns;
    head.last_ns = *record.time_ns;
}

// A message without the field belongs with the last one on its connection that has it: a reply with its
// request.
bool Merge::find_session(Record& record) {
    if (rule_.by != SessionRule::By::field || record.session.empty())
        return rule_.apply(record, specification_);
    std::string connection = record.session;
    if (rule_.apply(record, specification_)) {
        auto [known, added] = last_session_.insert_or_assign(connection, record.session);
        if (added) connections_.push_back(std::move(connection));
        if (connections_.size() > most_connections) {
            last_session_.erase(connections_.front());
            connections_.pop_front();
        }
        return true;
    }
    auto known = last_session_.find(connection);
    if (known == last_session_.end()) return false;
    record.session = known->second;
    return true;
}

// Two of them may be the same for different records: that can only change the order, never a verdict.
std::uint64_t Merge::key(const Record& r) {
    std::uint64_t h = base::combine(base::hash_bytes(r.session), base::hash_bytes(r.correlation));
    h = base::combine(h, (std::uint64_t{r.from.index} << 32) + r.to.index);
    return base::combine(h, r.message ? r.message.index : base::hash_bytes(r.name));
}

bool Merge::ready(const Record& record) const {
    if (record.side != Side::received) return true;
    auto sent = on_the_way_.find(key(record));
    return sent != on_the_way_.end() && sent->second > 0;
}

// heads_.size() if there is nothing to give.
std::size_t Merge::choose(bool impatient) const {
    std::size_t best = heads_.size(), first = heads_.size();
    bool waiting = false;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
        if (!heads_[i].there) {
            waiting = waiting || !heads_[i].ended;
            continue;
        }
        if (first == heads_.size()) first = i;
        if (by_clock_) {
            if (best == heads_.size()) best = i;
            const Record &a = heads_[i].record, &b = heads_[best].record;
            std::int64_t x = a.time_ns.value_or(0), y = b.time_ns.value_or(0);
            // A sending and its reception may have the same time.
            if (x < y || (x == y && a.side == Side::sent && b.side == Side::received)) best = i;
        } else if ((best == heads_.size() || heads_[i].given < heads_[best].given) &&
                   ready(heads_[i].record)) {
            best = i;
        }
    }
    if (waiting && !impatient && (by_clock_ || best == heads_.size())) return heads_.size();
    return best == heads_.size() ? first : best;
}

ReadResult Merge::next(Record& record, bool impatient) {
    std::size_t chosen = 0;
    if (heads_.size() == 1) {
        record.source = heads_[0].record.source;
        pull(heads_[0], record);
        if (!heads_[0].there) return heads_[0].ended ? ReadResult::end : ReadResult::wait;
    } else {
        for (Head& head : heads_)
            if (!head.there && !head.ended) pull(head, head.record);
        chosen = choose(impatient);
        if (chosen == heads_.size())
            return std::all_of(heads_.begin(), heads_.end(), [](const Head& h) { return h.ended; })
                       ? ReadResult::end
                       : ReadResult::wait;
        std::swap(record, heads_[chosen].record);
        heads_[chosen].record.source = record.source;
    }
    Head& head = heads_[chosen];
    if (!by_clock_ && heads_.size() > 1 && record.side != Side::both) {
        std::uint64_t k = key(record);
        std::int64_t& count = on_the_way_[k];
        count += record.side == Side::sent ? 1 : -1;
        if (count == 0) on_the_way_.erase(k);
    }
    late_ += record.backwards;
    sessionless_ += head.sessionless;
    head.there = false;
    ++head.given;
    return ReadResult::record;
}

void Merge::stop_following() {
    for (Head& head : heads_) head.source->stop_following();
}

std::uint64_t Merge::unread() const {
    std::uint64_t bytes = 0;
    for (const Head& head : heads_) bytes += head.source->unread();
    return bytes;
}

std::uint64_t Merge::restarts() const {
    std::uint64_t n = 0;
    for (const Head& head : heads_) n += head.source->restarts();
    return n;
}

std::uint64_t Merge::left_out() const {
    std::uint64_t n = 0;
    for (const Head& head : heads_) n += head.source->left_out();
    return n;
}

std::vector<Merge::Unknown> Merge::unknown() const {
    std::vector<Unknown> all;
    for (std::uint32_t i = 0; i < heads_.size(); ++i)
        if (const auto* kinds = heads_[i].source->unknown())
            for (const UnknownRecords& one : *kinds) all.push_back({i, one});
    return all;
}

bool Merge::can_resume() const {
    return std::all_of(heads_.begin(), heads_.end(), [](const Head& h) { return h.source->can_resume(); });
}

std::string Merge::save() const {
    Saver s;
    s.number(heads_.size());
    for (const Head& head : heads_) {
        // A record that is held was not given: it is read again.
        Mark mark = head.there ? head.source->before_last() : head.source->after_last();
        s.number(mark.offset);
        s.number(mark.lines);
        s.text(mark.rest);
        s.number(head.source->known_by(mark));
        s.number(head.given);
        s.signed_number(head.there ? head.before_ns : head.last_ns);
    }
    for (std::uint64_t n : {garbled_, late_, sessionless_}) s.number(n);
    s.number(clock_missing_);
    s.number(on_the_way_.size());
    for (auto [k, count] : on_the_way_) {
        s.number(k);
        s.signed_number(count);
    }
    s.number(connections_.size());
    for (const std::string& connection : connections_) {
        s.text(connection);
        s.text(last_session_.at(connection));
    }
    s.number(faults_.size());
    for (const Fault& f : faults_) {
        s.number(f.source);
        s.number(f.line);
        s.text(f.reason);
    }
    return s.take();
}

bool Merge::load(std::string_view bytes) {
    Loader l(bytes);
    if (l.count() != heads_.size()) return false;
    for (Head& head : heads_) {
        Mark mark;
        mark.offset = l.number();
        mark.lines = l.number();
        mark.rest = l.text();
        std::uint64_t known_by = l.number();
        head.given = l.number();
        head.last_ns = l.signed_number();
        if (!l.ok() || !head.source->resume(mark) || head.source->known_by(mark) != known_by) return false;
    }
    garbled_ = l.number();
    late_ = l.number();
    sessionless_ = l.number();
    clock_missing_ = l.number() != 0;
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) {
        std::uint64_t k = l.number();
        on_the_way_[k] = l.signed_number();
    }
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) {
        connections_.emplace_back(l.text());
        last_session_[connections_.back()] = l.text();
    }
    for (std::size_t n = l.count(); n > 0 && l.ok(); --n) {
        Fault f;
        f.source = static_cast<std::uint32_t>(l.number());
        f.line = l.number();
        f.reason = l.text();
        faults_.push_back(std::move(f));
    }
    return l.ok() && l.at_end();
}

}  // namespace treaty::watch
