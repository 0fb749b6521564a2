// Drawing from a domain: every decision is a choice, of which 0 is the simplest, and nothing is drawn that
// the domain is known not to hold.
#include <algorithm>
#include <cmath>

#include "expr/collections.h"
#include "solve/domain.h"

namespace treaty::solve {
namespace {

using expr::Bytes;
using expr::Sequence;
using expr::TypeKind;
using expr::Types;
using expr::Value;

class Drawer {
public:
    Drawer(const Types& types, Choices& choices, const DrawOptions& options)
        : types_(types), choices_(choices), options_(options) {}

    std::optional<Value> draw(const Domain& d) {
        if (d.empty()) return std::nullopt;
        if (d.options) return d.options->at(static_cast<std::size_t>(choices_.draw(d.options->size())));
        switch (d.kind) {
            case TypeKind::boolean:
            case TypeKind::enumeration:
            case TypeKind::integer: return number_value(d.kind, number(d));
            case TypeKind::real: return real(d);
            case TypeKind::string:
            case TypeKind::bytes: return text(d);
            case TypeKind::list: return list(d);
            case TypeKind::set:
            case TypeKind::map: return set_or_map(d);
            case TypeKind::optional: {
                bool both = d.may_be_none && d.may_be_some && !d.parts[0].empty();
                if (both ? !choices_.flag(70) : d.may_be_none) return Value(Sequence{});
                auto inner = draw(d.parts[0]);
                if (!inner) return std::nullopt;
                return Value(Sequence{{std::move(*inner)}});
            }
            case TypeKind::record: {
                Sequence record;
                for (const Domain& p : d.parts) {
                    auto part = draw(p);
                    if (!part) return std::nullopt;
                    record.items.push_back(std::move(*part));
                }
                return Value(std::move(record));
            }
            default: return Value(std::int64_t{0});
        }
    }

private:
    // The intervals from the one nearest to zero; inside one outwards from the number nearest to zero.
    std::int64_t number(const Domain& d) {
        std::vector<Interval> order = d.intervals;
        auto nearest = [](Interval i) { return i.low > 0 ? i.low : i.high < 0 ? i.high : 0; };
        std::sort(order.begin(), order.end(),
                  [&](Interval a, Interval b) { return simpler_number(nearest(a), nearest(b)); });
        Interval i = order[order.size() == 1 ? 0 : static_cast<std::size_t>(choices_.draw(order.size()))];
        // How far from the centre, then on which side of it: so that halving the first keeps the second.
        std::int64_t centre = nearest(i);
        std::uint64_t up = static_cast<std::uint64_t>(i.high) - static_cast<std::uint64_t>(centre);
        std::uint64_t down = static_cast<std::uint64_t>(centre) - static_cast<std::uint64_t>(i.low);
        std::uint64_t by = choices_.draw(std::max(up, down) + 1, Bias::small);
        bool either = by > 0 && by <= up && by <= down;
        bool below = either ? choices_.flag(40) : by > up;
        std::uint64_t c = static_cast<std::uint64_t>(centre);
        return static_cast<std::int64_t>(below ? c - by : c + by);
    }

    Value real(const Domain& d) {
        double low = std::max(d.real_low, -1e15), high = std::min(d.real_high, 1e15);
        double first = std::ceil(low), last = std::floor(high);
        if (d.low_open && first == d.real_low) first += 1;
        if (d.high_open && last == d.real_high) last -= 1;
        if (first <= last) {
            Domain whole = Domain::of(types_, types_.integer());
            whole.keep_range(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
            double base = static_cast<double>(number(whole));
            double part = static_cast<double>(choices_.draw(4, Bias::small)) / 4;
            return base + part < last || part == 0 ? base + part : base;
        }
        if (d.real_low == d.real_high) return d.real_low;
        return low + (high - low) * (static_cast<double>(choices_.draw(1023, Bias::small)) + 1) / 1024;
    }

    std::optional<Value> text(const Domain& d) {
        constexpr int tries = 10;
        std::size_t mark = choices_.made().size();
        for (int i = 0; i < tries; ++i) {
            std::optional<std::string> drawn = d.texts ? walk(d.texts, d) : plain(d);
            if (!drawn) return std::nullopt;
            Value value =
                d.kind == TypeKind::bytes ? Value(Bytes{std::move(*drawn)}) : Value(std::move(*drawn));
            if (!d.excludes(value)) return value;
            if (choices_.replaying()) break;  // it would be the same again
            choices_.rewind(mark);
        }
        return std::nullopt;
    }

    bool more(std::int64_t size, const Domain& d, std::int64_t longest) {
        if (size < d.size_low) return true;
        if (size >= d.size_high || size >= std::max(longest, d.size_low)) return false;
        return choices_.flag(size < 4 ? 80 : 90);
    }

    std::optional<std::string> plain(const Domain& d) {
        std::string out;
        while (more(static_cast<std::int64_t>(out.size()), d, options_.longest)) {
            if (out.size() > (std::size_t{1} << 24)) return std::nullopt;
            // ASCII comes first in the order of simplicity.
            unsigned limit = d.kind == TypeKind::bytes ? 256 : 128;
            out += static_cast<char>(nth_simplest(static_cast<unsigned>(choices_.draw(limit, Bias::small))));
        }
        return out;
    }

    std::optional<std::string> walk(const std::shared_ptr<const Automaton>& texts, const Domain& d) {
        const Automaton& a = *texts;
        std::string out;
        Automaton::State s = a.initial();
        std::int64_t longest = std::max<std::int64_t>(options_.longest, d.size_low) + a.distance(s);
        longest = std::min(longest, d.size_high);
        const unsigned bytes = d.kind == TypeKind::bytes ? 256 : 128;
        TextPaths own;
        TextPaths& paths = options_.paths ? *options_.paths : own;  // long texts meet few states often
        for (;;) {
            auto size = static_cast<std::int64_t>(out.size());
            const std::vector<TextPaths::Path>& all = paths.from(texts, s, bytes);
            auto fits = [&](const TextPaths::Path& path) { return size + 1 + path.distance <= longest; };
            auto ways =
                static_cast<std::size_t>(std::partition_point(all.begin(), all.end(), fits) - all.begin());
            bool may_stop = a.accepts(s) && size >= d.size_low;
            if (ways == 0) return may_stop ? std::optional(out) : std::nullopt;
            if (may_stop && !choices_.flag(80)) return out;
            std::uint64_t k = ways == 1 ? 0 : choices_.draw(ways, ways > 40 ? Bias::small : Bias::even);
            unsigned char byte = all[static_cast<std::size_t>(k)].byte;
            out += static_cast<char>(byte);
            s = a.next(s, byte);
        }
    }

    std::optional<Value> list(const Domain& d) {
        Sequence result;
        if (d.permutes) {
            std::vector<Value> left = d.permutes->items();
            std::sort(left.begin(), left.end());
            while (!left.empty()) {
                auto k = left.size() == 1 ? 0 : static_cast<std::ptrdiff_t>(choices_.draw(left.size()));
                result.items.push_back(std::move(left[static_cast<std::size_t>(k)]));
                left.erase(left.begin() + k);
            }
            return Value(std::move(result));
        }
        bool summed = d.sum_low != INT64_MIN || d.sum_high != INT64_MAX;
        if (summed && d.required.empty()) return list_with_sum(d);
        auto required = static_cast<std::int64_t>(d.required.size());
        Domain rest = d;
        rest.size_low = std::max<std::int64_t>(0, d.size_low - required);
        rest.size_high = d.size_high - required;
        while (more(static_cast<std::int64_t>(result.items.size()), rest, options_.longest / 2)) {
            const Domain& next = element(d, result.items.size());
            if (next.empty()) break;
            auto item = draw(next);
            if (!item || result.items.size() > (std::size_t{1} << 20)) return std::nullopt;
            result.items.push_back(std::move(*item));
        }
        for (const Value& v : d.required) {
            std::size_t n = result.items.size();
            auto at = n == 0 ? 0 : static_cast<std::ptrdiff_t>(choices_.draw(n + 1));
            result.items.insert(result.items.begin() + at, v);
        }
        return Value(std::move(result));
    }

    // A list without its repeats; where too many were repeats, more are drawn.
    std::optional<Value> set_or_map(const Domain& d) {
        constexpr int most_draws = 50;
        auto drawn = list(d);
        if (!drawn) return std::nullopt;
        auto normal = [&](std::vector<Value> items) {
            if (d.kind == TypeKind::set) return expr::set_of(std::move(items));
            std::vector<Value> parts;
            for (const Value& entry : items)
                for (const Value& part : entry.items()) parts.push_back(part);
            return expr::map_of(std::move(parts));
        };
        Sequence result = normal(drawn->items());
        for (int i = 0; static_cast<std::int64_t>(result.items.size()) < d.size_low && i < most_draws; ++i) {
            auto item = draw(d.parts[0]);
            if (!item) return std::nullopt;
            result.items.push_back(std::move(*item));
            result = normal(std::move(result.items));
        }
        return Value(std::move(result));
    }

    static const Domain& element(const Domain& d, std::size_t place) {
        return place < d.items.size() ? d.items[place] : d.parts[0];
    }

    // Integers between which all of the domain is. The sums are of few enough of them for 128 bits.
    __extension__ typedef __int128 Wide;
    struct Hull {
        Wide low = 0, high = 0;
    };
    static Hull hull(const Domain& d) {
        if (!d.options) return {d.intervals.front().low, d.intervals.back().high};
        auto [low, high] = std::minmax_element(d.options->begin(), d.options->end());
        return {low->integer(), high->integer()};
    }

    // First how many elements, of the numbers that can have the sum; then each so that those after it can
    // still make up for the rest.
    std::optional<Value> list_with_sum(const Domain& d) {
        constexpr std::int64_t most = 4096;
        std::vector<Hull> sums{{}};  // of the first elements
        std::vector<std::int64_t> sizes;
        auto enough = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.longest / 2));
        for (std::int64_t n = 0; n <= std::min(d.size_high, most) && sizes.size() < enough; ++n) {
            Hull all = sums.back();
            if (n >= d.size_low && all.low <= d.sum_high && all.high >= d.sum_low) sizes.push_back(n);
            const Domain& next = element(d, static_cast<std::size_t>(n));
            if (next.empty() || next.kind != TypeKind::integer) break;
            Hull one = hull(next);
            sums.push_back({all.low + one.low, all.high + one.high});
        }
        if (sizes.empty()) return std::nullopt;
        auto size = static_cast<std::size_t>(
            sizes[sizes.size() == 1 ? 0 : static_cast<std::size_t>(choices_.draw(sizes.size()))]);
        Sequence result;
        Wide left_low = d.sum_low, left_high = d.sum_high;
        for (std::size_t k = 0; k < size; ++k) {
            Wide low = left_low - (sums[size].high - sums[k + 1].high);
            Wide high = left_high - (sums[size].low - sums[k + 1].low);
            auto item = draw_between(element(d, k), low, high);
            if (!item) return std::nullopt;
            left_low -= item->integer();
            left_high -= item->integer();
            result.items.push_back(std::move(*item));
        }
        return Value(std::move(result));
    }

    std::optional<Value> draw_between(Domain d, Wide low, Wide high) {
        if (low > INT64_MAX || high < INT64_MIN) return std::nullopt;
        auto from = static_cast<std::int64_t>(std::max<Wide>(low, INT64_MIN));
        auto to = static_cast<std::int64_t>(std::min<Wide>(high, INT64_MAX));
        d.keep_range(from, to);
        if (d.options)
            std::erase_if(*d.options, [&](const Value& v) { return v.integer() < from || v.integer() > to; });
        return draw(d);
    }

    const Types& types_;
    Choices& choices_;
    const DrawOptions& options_;
};

}  // namespace

const std::vector<TextPaths::Path>& TextPaths::from(const std::shared_ptr<const Automaton>& texts,
                                                    Automaton::State state, unsigned bytes) {
    auto known = known_.find(texts.get());
    if (known == known_.end()) {
        if (known_.size() >= most) known_.clear();
        known = known_.emplace(texts.get(), Known{texts, {}}).first;
    }
    auto& by_state = known->second.by_state[bytes == 256 ? 1 : 0];
    if (by_state.size() <= state) by_state.resize(texts->state_count());
    std::vector<Path>& paths = by_state[state];
    if (!paths.empty()) return paths;  // where none leads on, looking again is quick
    for (unsigned b = 0; b < bytes; ++b) {
        auto byte = static_cast<unsigned char>(b);
        std::uint32_t distance = texts->distance(texts->next(state, byte));
        if (distance != Automaton::never) paths.push_back({distance, simplicity(byte), byte});
    }
    std::sort(paths.begin(), paths.end(), [](const Path& x, const Path& y) {
        return x.distance != y.distance ? x.distance < y.distance : x.rank < y.rank;
    });
    return paths;
}

std::optional<Value> draw(const Domain& domain, const Types& types, Choices& choices,
                          const DrawOptions& options) {
    return Drawer(types, choices, options).draw(domain);
}

}  // namespace treaty::solve
