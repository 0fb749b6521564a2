// Passes over the list, repeated until none of them helps: leave out parts, zero parts, make single choices
// smaller by halving, leave out what follows a choice that became smaller, move weight from one choice to a
// later one, put neighbours in order.
#include "solve/shrink.h"

#include <algorithm>

namespace treaty::solve {

bool simpler(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

namespace {

using List = std::vector<std::uint64_t>;

class Shrinker {
public:
    Shrinker(List start, const Replay& replay, std::size_t most)
        : best_(std::move(start)), replay_(replay), most_(most) {}

    Shrunk run() {
        for (bool again = true; again && replays_ < most_;) {
            again = false;
            again = leave_out() || again;
            again = zero() || again;
            again = make_smaller() || again;
            again = with_fewer_choices() || again;
            again = redistribute() || again;
            again = sort_neighbours() || again;
        }
        return {best_, replays_, replays_ < most_};
    }

private:
    bool attempt(const List& candidate) {
        if (replays_ >= most_ || !simpler(candidate, best_)) return false;
        ++replays_;
        auto used = replay_(candidate);
        if (!used || !simpler(*used, best_)) return false;
        best_ = std::move(*used);
        return true;
    }

    bool leave_out() {
        bool helped = false;
        for (std::size_t size : {32u, 16u, 8u, 6u, 5u, 4u, 3u, 2u, 1u})
            for (std::size_t end = best_.size(); end >= size && end > 0;) {
                List candidate = best_;
                auto first = candidate.begin() + static_cast<std::ptrdiff_t>(end - size);
                candidate.erase(first, first + static_cast<std::ptrdiff_t>(size));
                if (attempt(candidate)) {
                    helped = true;
                    end = std::min(end, best_.size());
                } else {
                    --end;
                }
            }
        return helped;
    }

    bool zero() {
        bool helped = false;
        for (std::size_t size : {16u, 8u, 4u, 2u})
            for (std::size_t at = 0; at + size <= best_.size(); at += size) {
                List candidate = best_;
                std::fill_n(candidate.begin() + static_cast<std::ptrdiff_t>(at), size, 0);
                helped = attempt(candidate) || helped;
            }
        return helped;
    }

    bool set(std::size_t at, std::uint64_t value) {
        if (at >= best_.size() || best_[at] <= value) return false;
        List candidate = best_;
        candidate[at] = value;
        return attempt(candidate);
    }

    bool make_smaller() {
        bool helped = false;
        for (std::size_t at = 0; at < best_.size(); ++at) {
            if (set(at, 0)) {
                helped = true;
                continue;
            }
            // The least value between low (which does not do) and the current one.
            std::uint64_t low = 0;
            while (at < best_.size() && best_[at] > low + 1) {
                std::uint64_t middle = low + (best_[at] - low) / 2;
                if (set(at, middle))
                    helped = true;
                else
                    low = middle;
            }
            for (std::uint64_t by : {1u, 2u})
                while (at < best_.size() && best_[at] >= by && set(at, best_[at] - by)) helped = true;
        }
        return helped;
    }

    // A choice that is a count of later choices: one less, and some of those left out.
    bool with_fewer_choices() {
        bool helped = false;
        for (std::size_t at = 0; at < best_.size(); ++at) {
            if (best_[at] == 0) continue;
            for (std::size_t gone = 1; gone <= 6 && at + gone < best_.size(); ++gone) {
                List candidate = best_;
                --candidate[at];
                auto first = candidate.begin() + static_cast<std::ptrdiff_t>(at) + 1;
                candidate.erase(first, first + static_cast<std::ptrdiff_t>(gone));
                if (attempt(candidate)) {
                    helped = true;
                    break;
                }
            }
        }
        return helped;
    }

    bool redistribute() {
        bool helped = false;
        for (std::size_t a = 0; a < best_.size(); ++a)
            for (std::size_t b = a + 1; b < best_.size() && b <= a + 4; ++b)
                for (std::uint64_t by = a < best_.size() ? best_[a] : 0; by > 0; by /= 2) {
                    if (a >= best_.size() || b >= best_.size() || best_[a] < by) continue;
                    List candidate = best_;
                    candidate[a] -= by;
                    if (__builtin_add_overflow(candidate[b], by, &candidate[b])) continue;
                    helped = attempt(candidate) || helped;
                }
        return helped;
    }

    bool sort_neighbours() {
        bool helped = false;
        for (std::size_t gap : {1u, 2u, 3u})
            for (std::size_t at = 0; at + gap < best_.size(); ++at) {
                if (best_[at] <= best_[at + gap]) continue;
                List candidate = best_;
                std::swap(candidate[at], candidate[at + gap]);
                helped = attempt(candidate) || helped;
            }
        return helped;
    }

    List best_;
    const Replay& replay_;
    std::size_t most_;
    std::size_t replays_ = 0;
};

}  // namespace

Shrunk shrink(std::vector<std::uint64_t> choices, const Replay& replay, std::size_t most) {
    return Shrinker(std::move(choices), replay, most).run();
}

}  // namespace treaty::solve
