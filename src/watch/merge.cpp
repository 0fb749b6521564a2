#include "watch/merge.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::watch {

namespace {
constexpr std::size_t faults_kept = 20;
}

Merge::Merge(std::vector<std::unique_ptr<Source>> sources, bool by_clock) : by_clock_(by_clock) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
        heads_.emplace_back();
        heads_.back().source = std::move(sources[i]);
        heads_.back().record.source = i;
    }
    for (Head& head : heads_) pull(head);
}

void Merge::pull(Head& head) {
    std::string fault;
    while (true) {
        Got got = head.source->next(head.record, fault);
        head.there = got == Got::record;
        if (got == Got::end) return;
        if (got == Got::record) break;
        ++garbled_;
        if (faults_.size() < faults_kept) faults_.push_back({head.record.source, head.record.line, fault});
    }
    if (by_clock_ && !head.record.time_ns) clock_missing_ = true;
    if (!head.record.time_ns) return;
    if (*head.record.time_ns < head.last_ns) ++late_;
    head.last_ns = *head.record.time_ns;
}

std::string Merge::key(const Record& r) const {
    return fmt::format("{}\n{}\n{}\n{}\n{}", r.session, r.from.index, r.to.index, r.name, r.correlation);
}

bool Merge::ready(const Record& record) const {
    if (record.side != Side::received) return true;
    auto sent = on_the_way_.find(key(record));
    return sent != on_the_way_.end() && sent->second > 0;
}

std::size_t Merge::choose() const {
    std::size_t best = heads_.size();
    for (std::size_t i = 0; i < heads_.size(); ++i) {
        if (!heads_[i].there) continue;
        if (best == heads_.size()) best = i;
        if (by_clock_) {
            const Record &a = heads_[i].record, &b = heads_[best].record;
            std::int64_t x = a.time_ns.value_or(0), y = b.time_ns.value_or(0);
            // A sending and its reception may have the same time.
            if (x < y || (x == y && a.side == Side::sent && b.side == Side::received)) best = i;
        } else if (heads_.size() > 1 && ready(heads_[i].record)) {
            return i;
        }
    }
    return best;
}

bool Merge::next(Record& record) {
    std::size_t chosen = choose();
    if (chosen == heads_.size()) return false;
    Head& head = heads_[chosen];
    if (!by_clock_ && heads_.size() > 1 && head.record.side != Side::both) {
        std::string k = key(head.record);
        std::int64_t& count = on_the_way_[k];
        count += head.record.side == Side::sent ? 1 : -1;
        if (count == 0) on_the_way_.erase(k);
    }
    std::swap(record, head.record);
    head.record.source = record.source;
    pull(head);
    return true;
}

}  // namespace treaty::watch
