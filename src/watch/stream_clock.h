// What time it is in a stream of records: the latest time that was seen, and never less than before.
//
// One record far ahead of all others is not believed: a clock that jumps must not end every session. A second
// one that agrees with it is. Records without a time do not move the clock; a caller that follows live
// sources moves it by the time of arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace treaty::watch {

class StreamClock {
public:
    // A step ahead of more than this must be confirmed; 0: every time is believed.
    explicit StreamClock(std::int64_t jump_ns = 0) : jump_ns_(jump_ns) {}

    std::int64_t see(std::optional<std::int64_t> time_ns) {
        if (!time_ns) return now();
        if (!known_ || jump_ns_ == 0 || *time_ns <= now_ns_ || *time_ns - now_ns_ <= jump_ns_) {
            now_ns_ = known_ ? std::max(now_ns_, *time_ns) : *time_ns;
            known_ = true;
            ahead_ = false;
        } else if (ahead_ && *time_ns >= ahead_ns_ - jump_ns_) {
            now_ns_ = *time_ns;
            ahead_ = false;
        } else {
            ahead_ = true;
            ahead_ns_ = *time_ns;
            ++jumps_;
        }
        return now();
    }
    std::int64_t now() const { return known_ ? now_ns_ : 0; }
    std::uint64_t jumps() const { return jumps_; }

    template <class S>
    void save(S& s) const {
        s.number(known_);
        s.signed_number(now_ns_);
        s.number(ahead_);
        s.signed_number(ahead_ns_);
        s.number(jumps_);
    }
    template <class L>
    void load(L& l) {
        known_ = l.number() != 0;
        now_ns_ = l.signed_number();
        ahead_ = l.number() != 0;
        ahead_ns_ = l.signed_number();
        jumps_ = l.number();
    }

private:
    std::int64_t jump_ns_;
    bool known_ = false, ahead_ = false;
    std::int64_t now_ns_ = 0, ahead_ns_ = 0;
    std::uint64_t jumps_ = 0;
};

}  // namespace treaty::watch
