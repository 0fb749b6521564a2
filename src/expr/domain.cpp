#include "expr/domain.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treaty::expr {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// What a value would be simplified to first.
std::uint64_t magnitude(std::int64_t n) {
    return n < 0 ? ~static_cast<std::uint64_t>(n) + 1 : static_cast<std::uint64_t>(n);
}

}  // namespace

Domain Domain::of(const Types& types, TypeId type) {
    const Type& t = types[type];
    Domain d;
    d.type = type;
    d.kind = t.kind;
    switch (t.kind) {
        case TypeKind::boolean: d.intervals = {{0, 1}}; break;
        case TypeKind::integer:
            d.intervals = {{t.low.value_or(lowest), t.high.value_or(highest)}};
            if (t.low || t.high) d.how = "range";
            break;
        case TypeKind::enumeration:
            if (t.members.empty())
                d.impossible = true;
            else
                d.intervals = {{0, static_cast<std::int64_t>(t.members.size()) - 1}};
            break;
        case TypeKind::real:
            d.real_low = -std::numeric_limits<double>::infinity();
            d.real_high = std::numeric_limits<double>::infinity();
            break;
        case TypeKind::list:
        case TypeKind::optional: d.parts.push_back(of(types, t.element)); break;
        case TypeKind::record:
            for (const Field& f : t.fields) d.parts.push_back(of(types, f.type));
            break;
        default: break;
    }
    return d;
}

void Domain::keep_range(std::int64_t low, std::int64_t high) {
    std::vector<Interval> kept;
    for (Interval i : intervals) {
        i.low = std::max(i.low, low);
        i.high = std::min(i.high, high);
        if (i.low <= i.high) kept.push_back(i);
    }
    intervals = std::move(kept);
    how = "range";
}

void Domain::keep_size(std::int64_t low, std::int64_t high) {
    size_low = std::max(size_low, low);
    size_high = std::min(size_high, high);
    if (how == "any") how = "size";
}

void Domain::keep_real(double low, bool open_low, double high, bool open_high) {
    if (low > real_low || (low == real_low && open_low)) real_low = low, low_open = open_low;
    if (high < real_high || (high == real_high && open_high)) real_high = high, high_open = open_high;
    how = "range";
}

void Domain::remove(std::int64_t value) {
    std::vector<Interval> kept;
    for (Interval i : intervals) {
        if (value < i.low || value > i.high) {
            kept.push_back(i);
            continue;
        }
        if (i.low < value) kept.push_back({i.low, value - 1});
        if (value < i.high) kept.push_back({value + 1, i.high});
    }
    intervals = std::move(kept);
    if (how == "any") how = "range";
}

void Domain::keep_options(std::vector<Value> values, const Types& types) {
    std::vector<Value> kept;
    for (Value& v : values) {
        v = convert(std::move(v), type, types);
        bool known = std::find(kept.begin(), kept.end(), v) != kept.end();
        bool allowed = !options || std::find(options->begin(), options->end(), v) != options->end();
        if (!known && allowed && belongs(v, type, types)) kept.push_back(std::move(v));
    }
    options = std::move(kept);
    how = options->size() == 1 ? "equality" : "member";
}

void Domain::keep_texts(const Automaton& language, bool exact) {
    how = "pattern";
    if (kind == TypeKind::string && !exact) {
        static const Automaton beyond = *Automaton::of("\\C*[\\x80-\\xff]\\C*");
        auto outside = language.both(beyond);
        bool ascii = outside && outside->empty();
        texts_ascii = texts_ascii || ascii;
        texts_exact = texts_exact && ascii;
    }
    if (!texts) {
        texts = std::make_shared<const Automaton>(language);
        return;
    }
    if (auto both = texts->both(language)) texts = std::make_shared<const Automaton>(std::move(*both));
}

bool Domain::may_hold(const Value& value) const {
    auto sized = [&](std::size_t n) {
        return static_cast<std::int64_t>(n) >= size_low && static_cast<std::int64_t>(n) <= size_high;
    };
    auto inside = [&](std::int64_t n) {
        return std::any_of(intervals.begin(), intervals.end(),
                           [&](Interval i) { return n >= i.low && n <= i.high; });
    };
    auto text = [&](const std::string& s) {
        return sized(s.size()) && (!texts || !texts_exact || texts->matches(s));
    };
    if (auto n = std::get_if<std::int64_t>(&value.v)) return kind != TypeKind::integer || inside(*n);
    if (auto m = std::get_if<EnumMember>(&value.v)) return inside(m->index);
    if (auto s = std::get_if<std::string>(&value.v)) return text(*s);
    if (auto b = std::get_if<Bytes>(&value.v)) return text(b->data);
    if (auto l = std::get_if<Sequence>(&value.v)) return kind != TypeKind::list || sized(l->items.size());
    return true;
}

bool Domain::empty() const {
    if (impossible || (options && options->empty())) return true;
    switch (kind) {
        case TypeKind::boolean:
        case TypeKind::integer:
        case TypeKind::enumeration: return intervals.empty();
        case TypeKind::real:
            return real_low > real_high || (real_low == real_high && (low_open || high_open));
        case TypeKind::string:
        case TypeKind::bytes:
            return size_low > size_high || size_high < 0 ||
                   (texts && texts->empty() && (texts_exact || texts_ascii));
        case TypeKind::list:
            if (size_low > size_high || size_high < 0) return true;
            return parts[0].empty() && (size_low > 0 || !required.empty());
        case TypeKind::optional: return !may_be_none && (!may_be_some || parts[0].empty());
        case TypeKind::record:
            return std::any_of(parts.begin(), parts.end(), [](const Domain& p) { return p.empty(); });
        default: return false;
    }
}

std::optional<std::uint64_t> Domain::count(std::uint64_t most) const {
    if (empty()) return 0;
    if (options)
        return options->size() <= most ? std::optional<std::uint64_t>(options->size()) : std::nullopt;
    switch (kind) {
        case TypeKind::boolean:
        case TypeKind::integer:
        case TypeKind::enumeration: {
            std::uint64_t n = 0;
            for (Interval i : intervals) {
                std::uint64_t width = static_cast<std::uint64_t>(i.high) - static_cast<std::uint64_t>(i.low);
                if (width >= most) return std::nullopt;
                n += width + 1;
            }
            return n <= most ? std::optional(n) : std::nullopt;
        }
        case TypeKind::optional: {
            auto inner = may_be_some ? parts[0].count(most) : std::optional<std::uint64_t>(0);
            return inner && *inner + (may_be_none ? 1 : 0) <= most
                       ? std::optional(*inner + (may_be_none ? 1 : 0))
                       : std::nullopt;
        }
        case TypeKind::record: {
            std::uint64_t n = 1;
            for (const Domain& p : parts) {
                auto inner = p.count(most);
                if (!inner || n * *inner > most) return std::nullopt;
                n *= *inner;
            }
            return n;
        }
        default: return std::nullopt;
    }
}

namespace {

Value number_value(TypeKind kind, std::int64_t n) {
    if (kind == TypeKind::boolean) return n != 0;
    if (kind == TypeKind::enumeration) return EnumMember{static_cast<std::uint32_t>(n)};
    return n;
}

}  // namespace

std::vector<Value> Domain::all(const Types& types) const {
    if (options) return *options;
    std::vector<Value> result;
    if (kind == TypeKind::optional) {
        if (may_be_none) result.push_back(Sequence{});
        if (may_be_some)
            for (Value& v : parts[0].all(types)) result.push_back(Sequence{{std::move(v)}});
        return result;
    }
    if (kind == TypeKind::record) {
        result.push_back(Sequence{});
        for (const Domain& p : parts) {
            std::vector<Value> longer;
            for (const Value& v : p.all(types))
                for (const Value& r : result) {
                    Sequence s{r.items()};
                    s.items.push_back(v);
                    longer.push_back(std::move(s));
                }
            result = std::move(longer);
        }
        return result;
    }
    for (Interval i : intervals)
        for (std::int64_t n = i.low;; ++n) {
            result.push_back(number_value(kind, n));
            if (n == i.high) break;
        }
    std::sort(result.begin(), result.end(), [](const Value& a, const Value& b) {
        auto x = std::get_if<std::int64_t>(&a.v), y = std::get_if<std::int64_t>(&b.v);
        if (!x || !y) return a < b;
        return magnitude(*x) != magnitude(*y) ? magnitude(*x) < magnitude(*y) : *x > *y;
    });
    return result;
}

namespace {

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
        std::sort(order.begin(), order.end(), [&](Interval a, Interval b) {
            std::int64_t x = nearest(a), y = nearest(b);
            return magnitude(x) != magnitude(y) ? magnitude(x) < magnitude(y) : x > y;
        });
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
        std::optional<std::string> drawn = d.texts ? walk(*d.texts, d) : plain(d);
        if (!drawn) return std::nullopt;
        if (d.kind == TypeKind::bytes) return Value(Bytes{std::move(*drawn)});
        return Value(std::move(*drawn));
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

    struct Way {
        std::uint32_t distance;
        unsigned rank;
        unsigned char byte;
    };

    std::optional<std::string> walk(const Automaton& a, const Domain& d) {
        std::string out;
        Automaton::State s = a.initial();
        std::int64_t longest = std::max<std::int64_t>(options_.longest, d.size_low) + a.distance(s);
        longest = std::min(longest, d.size_high);
        std::vector<Way> ways;
        for (;;) {
            auto size = static_cast<std::int64_t>(out.size());
            ways.clear();
            for (unsigned b = 0; b < (d.kind == TypeKind::bytes ? 256u : 128u); ++b) {
                Automaton::State to = a.next(s, static_cast<unsigned char>(b));
                if (a.distance(to) == Automaton::never || size + 1 + a.distance(to) > longest) continue;
                ways.push_back({a.distance(to), simplicity(static_cast<unsigned char>(b)),
                                static_cast<unsigned char>(b)});
            }
            bool may_stop = a.accepts(s) && size >= d.size_low;
            if (ways.empty()) return may_stop ? std::optional(out) : std::nullopt;
            if (may_stop && !choices_.flag(80)) return out;
            std::sort(ways.begin(), ways.end(), [](const Way& x, const Way& y) {
                return x.distance != y.distance ? x.distance < y.distance : x.rank < y.rank;
            });
            std::uint64_t k = ways.size() == 1
                                  ? 0
                                  : choices_.draw(ways.size(), ways.size() > 40 ? Bias::small : Bias::even);
            unsigned char byte = ways[static_cast<std::size_t>(k)].byte;
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
        auto required = static_cast<std::int64_t>(d.required.size());
        Domain rest = d;
        rest.size_low = std::max<std::int64_t>(0, d.size_low - required);
        rest.size_high = d.size_high - required;
        while (!d.parts[0].empty() &&
               more(static_cast<std::int64_t>(result.items.size()), rest, options_.longest / 2)) {
            auto item = draw(d.parts[0]);
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

    const Types& types_;
    Choices& choices_;
    const DrawOptions& options_;
};

}  // namespace

std::optional<Value> draw(const Domain& domain, const Types& types, Choices& choices,
                          const DrawOptions& options) {
    return Drawer(types, choices, options).draw(domain);
}

}  // namespace treaty::expr
