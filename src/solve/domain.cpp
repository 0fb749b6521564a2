#include "solve/domain.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treaty::solve {
namespace {

using expr::Bytes;
using expr::EnumMember;
using expr::Field;
using expr::Sequence;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Types;
using expr::Value;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

bool is_collection(TypeKind kind) {
    return kind == TypeKind::list || kind == TypeKind::set || kind == TypeKind::map;
}

std::uint64_t magnitude(std::int64_t n) {
    return n < 0 ? ~static_cast<std::uint64_t>(n) + 1 : static_cast<std::uint64_t>(n);
}

}  // namespace

bool simpler_number(std::int64_t a, std::int64_t b) {
    return magnitude(a) != magnitude(b) ? magnitude(a) < magnitude(b) : a > b;
}

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
        case TypeKind::set:
        case TypeKind::map:
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

void Domain::keep_sum(std::int64_t low, std::int64_t high) {
    sum_low = std::max(sum_low, low);
    sum_high = std::min(sum_high, high);
    how = "sum";
}

Domain* Domain::item(std::int64_t place) {
    constexpr std::int64_t most = 64;
    if (place < 0) impossible = true;
    if (place < 0) return nullptr;
    keep_size(place == highest ? place : place + 1, highest);
    if (place >= most) return nullptr;
    while (static_cast<std::int64_t>(items.size()) <= place) items.push_back(parts[0]);
    how = "element";
    return &items[static_cast<std::size_t>(place)];
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
    auto joined = texts ? texts->both(language) : std::optional(language);
    if (!joined) return;
    if (kind == TypeKind::string && !exact) {
        static const Automaton beyond = *Automaton::of("\\C*[\\x80-\\xff]\\C*");
        auto outside = language.both(beyond);
        bool ascii = outside && outside->empty();
        texts_ascii = texts_ascii || ascii;
        texts_exact = texts_exact && ascii;
    }
    texts = std::make_shared<const Automaton>(std::move(*joined));
}

void Domain::exclude(Value text) {
    auto at = std::lower_bound(excluded.begin(), excluded.end(), text);
    if (at == excluded.end() || !(*at == text)) excluded.insert(at, std::move(text));
}

bool Domain::excludes(const Value& value) const {
    return !excluded.empty() && std::binary_search(excluded.begin(), excluded.end(), value);
}

bool Domain::may_hold(const Value& value) const {
    if (excludes(value)) return false;
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
    if (auto l = std::get_if<Sequence>(&value.v)) return !is_collection(kind) || sized(l->items.size());
    return true;
}

namespace {

__extension__ typedef __int128 Wide;

// Whether no list of an allowed size has a sum within the bounds: decided for sizes that are few.
bool sum_out_of_reach(const Domain& d) {
    constexpr std::int64_t most = 4096;
    bool summed = d.sum_low != lowest || d.sum_high != highest;
    if (!summed || d.size_high > most || d.parts[0].kind != TypeKind::integer) return false;
    Wide low = 0, high = 0;
    for (std::int64_t n = 0; n <= d.size_high; ++n) {
        if (n >= d.size_low && low <= d.sum_high && high >= d.sum_low) return false;
        auto place = static_cast<std::size_t>(n);
        const Domain& next = place < d.items.size() ? d.items[place] : d.parts[0];
        if (next.empty()) return true;
        if (next.options) return false;
        low += next.intervals.front().low;
        high += next.intervals.back().high;
    }
    return true;
}

}  // namespace

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
        case TypeKind::set:
        case TypeKind::map:
            return size_low > size_high || size_high < 0 ||
                   (parts[0].empty() && (size_low > 0 || !required.empty()));
        case TypeKind::list:
            if (size_low > size_high || size_high < 0 || sum_low > sum_high) return true;
            if (std::any_of(items.begin(), items.end(), [](const Domain& p) { return p.empty(); }))
                return true;
            if (sum_out_of_reach(*this)) return true;
            return parts[0].empty() && (size_low > 0 || !required.empty());
        case TypeKind::optional: return !may_be_none && (!may_be_some || parts[0].empty());
        case TypeKind::record:
            return std::any_of(parts.begin(), parts.end(), [](const Domain& p) { return p.empty(); });
        default: return false;
    }
}

Value number_value(TypeKind kind, std::int64_t n) {
    if (kind == TypeKind::boolean) return n != 0;
    if (kind == TypeKind::enumeration) return EnumMember{static_cast<std::uint32_t>(n)};
    return n;
}

}  // namespace treaty::solve
