// All values of a domain. Texts and lists are made longer step by step. There are never more unfinished ones
// than the limit, and what is copied is counted, so the work is bounded whatever the domain is.
#include <algorithm>
#include <iterator>

#include "solve/domain.h"

namespace treaty::solve {
namespace {

using expr::Bytes;
using expr::Sequence;
using expr::TypeKind;
using expr::Value;

using Many = std::optional<std::vector<Value>>;

constexpr std::size_t most_work = 4'000'000;  // elements and bytes looked at, of one domain

Many numbers(const Domain& d, std::uint64_t most) {
    std::vector<Value> result;
    for (Interval i : d.intervals) {
        std::uint64_t width = static_cast<std::uint64_t>(i.high) - static_cast<std::uint64_t>(i.low);
        if (width >= most || result.size() + width + 1 > most) return std::nullopt;
        for (std::int64_t n = i.low;; ++n) {
            result.push_back(number_value(d.kind, n));
            if (n == i.high) break;
        }
    }
    std::sort(result.begin(), result.end(), [](const Value& a, const Value& b) {
        auto x = std::get_if<std::int64_t>(&a.v), y = std::get_if<std::int64_t>(&b.v);
        if (!x || !y) return a < b;
        return simpler_number(*x, *y);
    });
    return result;
}

Many optionals(const Domain& d, std::uint64_t most) {
    std::vector<Value> result;
    if (d.may_be_none) result.push_back(Sequence{});
    if (!d.may_be_some) return result;
    auto held = d.parts[0].all(most);
    if (!held || held->size() + result.size() > most) return std::nullopt;
    for (Value& v : *held) result.push_back(Sequence{{std::move(v)}});
    return result;
}

// Each of these with each value of the next domain added at its end.
Many continued(const std::vector<Value>& begun, const Domain& next, std::uint64_t most) {
    auto values = next.all(most);
    if (!values || values->size() * begun.size() > most) return std::nullopt;
    std::vector<Value> longer;
    for (const Value& v : *values)
        for (const Value& b : begun) {
            Sequence s{b.items()};
            s.items.push_back(v);
            longer.push_back(std::move(s));
        }
    return longer;
}

Many records(const Domain& d, std::uint64_t most) {
    Many result = std::vector<Value>{Sequence{}};
    for (const Domain& field : d.parts)
        if (result) result = continued(*result, field, most);
    return result;
}

bool has_sum_and_elements(const Domain& d, const Value& list) {
    if (d.sum_low != INT64_MIN || d.sum_high != INT64_MAX) {
        __extension__ __int128 sum = 0;
        for (const Value& item : list.items()) sum += item.integer();
        if (sum < d.sum_low || sum > d.sum_high) return false;
    }
    return std::all_of(d.required.begin(), d.required.end(), [&](const Value& v) {
        return std::find(list.items().begin(), list.items().end(), v) != list.items().end();
    });
}

Many orders(const Domain& d, std::uint64_t most) {
    Sequence list{d.permutes->items()};
    auto size = static_cast<std::int64_t>(list.items.size());
    if (size < d.size_low || size > d.size_high) return std::vector<Value>();
    std::vector<Value> result;
    std::sort(list.items.begin(), list.items.end());
    do {
        if (has_sum_and_elements(d, list)) result.push_back(list);
        if (result.size() > most) return std::nullopt;
    } while (!result.empty() && std::next_permutation(list.items.begin(), list.items.end()));
    return result;
}

Many lists(const Domain& d, std::uint64_t most) {
    if (d.permutes) return orders(d, most);
    std::vector<Value> result;
    Many begun = std::vector<Value>{Sequence{}};
    std::size_t work = 0;
    for (std::int64_t size = 0;; ++size) {
        if (size >= d.size_low)
            std::copy_if(begun->begin(), begun->end(), std::back_inserter(result),
                         [&](const Value& list) { return has_sum_and_elements(d, list); });
        if (result.size() > most) return std::nullopt;
        if (size == d.size_high || begun->empty()) return result;
        auto place = static_cast<std::size_t>(size);
        begun = continued(*begun, place < d.items.size() ? d.items[place] : d.parts[0], most);
        if (!begun || (work += begun->size() * (place + 1)) > most_work) return std::nullopt;
    }
}

Many finite_texts(const Domain& d, std::uint64_t most) {
    auto value = [&](std::string text) {
        return d.kind == TypeKind::bytes ? Value(Bytes{std::move(text)}) : Value(std::move(text));
    };
    if (!d.texts && d.size_high <= 0) return std::vector<Value>{value("")};
    if (!d.texts || !(d.texts_exact || d.texts_ascii)) return std::nullopt;
    const Automaton& a = *d.texts;
    struct Begun {
        Automaton::State state;
        std::string text;
    };
    std::vector<Value> result;
    std::vector<Begun> begun{{a.initial(), ""}};
    std::size_t work = 0;
    for (std::int64_t size = 0; !begun.empty(); ++size) {
        work += begun.size() * (static_cast<std::size_t>(size) + 256);
        if (work > most_work) return std::nullopt;
        std::vector<Begun> longer;
        for (const Begun& b : begun) {
            if (size >= d.size_low && size <= d.size_high && a.accepts(b.state))
                result.push_back(value(b.text));
            for (unsigned byte = 0; byte < 256; ++byte) {
                Automaton::State to = a.next(b.state, static_cast<unsigned char>(byte));
                if (a.distance(to) != Automaton::never && size + 1 + a.distance(to) <= d.size_high)
                    longer.push_back({to, b.text + static_cast<char>(byte)});
            }
            if (longer.size() > most || result.size() > most) return std::nullopt;
        }
        begun = std::move(longer);
    }
    return result;
}

}  // namespace

std::optional<std::vector<Value>> Domain::all(std::uint64_t most) const {
    if (empty()) return std::vector<Value>();
    if (options) return options->size() <= most ? options : std::nullopt;
    switch (kind) {
        case TypeKind::boolean:
        case TypeKind::integer:
        case TypeKind::enumeration: return numbers(*this, most);
        case TypeKind::optional: return optionals(*this, most);
        case TypeKind::record: return records(*this, most);
        case TypeKind::list: return lists(*this, most);
        case TypeKind::string:
        case TypeKind::bytes: {
            Many texts = finite_texts(*this, most + excluded.size());
            if (texts) std::erase_if(*texts, [&](const Value& v) { return excludes(v); });
            return texts && texts->size() <= most ? texts : std::nullopt;
        }
        default: return std::nullopt;
    }
}

}  // namespace treaty::solve
