#include "expr/parts.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace treaty::expr {
namespace {

using Int = std::int64_t;

// A string or bytes, as `like` is.
Value text_like(const Value& like, std::string text) {
    if (std::holds_alternative<Bytes>(like.v)) return Bytes{std::move(text)};
    return text;
}

// The places where a part occurs, from left to right without overlaps. The table of the part's borders is
// made once, so that all of it is linear.
class Occurrences {
public:
    Occurrences(std::string_view whole, std::string_view part)
        : whole_(whole), part_(part), border_(part.size() + 1, 0) {
        for (std::size_t i = 1, k = 0; i < part.size(); ++i) {
            while (k > 0 && part[i] != part[k]) k = border_[k];
            if (part[i] == part[k]) ++k;
            border_[i + 1] = k;
        }
    }

    std::optional<std::size_t> next(std::size_t from) const {
        if (from > whole_.size()) return std::nullopt;
        if (part_.empty()) return from;
        std::size_t matched = 0;
        for (std::size_t i = from; i < whole_.size(); ++i) {
            while (matched > 0 && whole_[i] != part_[matched]) matched = border_[matched];
            if (whole_[i] == part_[matched]) ++matched;
            if (matched == part_.size()) return i + 1 - matched;
        }
        return std::nullopt;
    }

private:
    std::string_view whole_, part_;
    std::vector<std::size_t> border_;
};

class Parts {
public:
    Parts(Op op, std::span<Operand> operands, Work& work, Value* result)
        : op_(op), operands_(operands), work_(work), result_(result) {}

    std::string run() {
        switch (op_) {
            case Op::slice: return slice();
            case Op::with_item: return with_item();
            case Op::take:
            case Op::drop: return take_or_drop();
            case Op::reverse: return reverse();
            case Op::index_of: return index_of();
            case Op::repeated: return repeated();
            case Op::least:
            case Op::greatest: return extreme();
            case Op::split: return split();
            case Op::join: return join();
            case Op::replace: return replace();
            case Op::to_int:
            case Op::from_hex: return number_in_text();
            case Op::to_hex: return to_hex();
            default: return "this has no value";
        }
    }

private:
    const Value& operand(std::size_t i) const { return operands_[i].get(); }
    const std::string* text(std::size_t i) const { return text_of(operand(i)); }
    const Sequence* list(std::size_t i) const { return std::get_if<Sequence>(&operand(i).v); }
    const Int* integer(std::size_t i) const { return std::get_if<Int>(&operand(i).v); }
    bool same_kind(std::size_t i, std::size_t j) const {
        return operand(i).v.index() == operand(j).v.index();
    }

    std::string give(Value value) {
        *result_ = std::move(value);
        return {};
    }

    std::optional<std::size_t> length() const {
        if (auto* t = text(0)) return t->size();
        if (auto* l = list(0)) return l->items.size();
        return std::nullopt;
    }

    // Copies cost work, moves are free.
    bool take(std::size_t i, Value& value) {
        if (operands_[i].elsewhere() && !work_.charge(weight(operand(i)))) return false;
        value = operands_[i].take();
        return true;
    }

    std::string part(std::size_t from, std::size_t to) {
        if (auto* t = text(0)) {
            if (!work_.charge((to - from) / 32)) return no_work;
            return give(text_like(operand(0), t->substr(from, to - from)));
        }
        const auto& items = list(0)->items;
        std::size_t cost = 0;
        for (std::size_t i = from; i < to; ++i) cost += weight(items[i]);
        if (!work_.charge(cost)) return no_work;
        auto begin = items.begin() + static_cast<std::ptrdiff_t>(from);
        return give(Sequence{std::vector<Value>(begin, begin + static_cast<std::ptrdiff_t>(to - from))});
    }

    std::string slice() {
        auto n = length();
        auto *a = integer(1), *b = integer(2);
        if (!n || !a || !b) return wrong_kind;
        if (*a < 0 || *b < *a || static_cast<std::size_t>(*b) > *n)
            return fmt::format("there is no part {}..{} in {} of {}", *a, *b, text(0) ? "a text" : "a list",
                               *n);
        return part(static_cast<std::size_t>(*a), static_cast<std::size_t>(*b));
    }

    std::string take_or_drop() {
        auto n = length();
        auto* count = integer(1);
        if (!n || !count) return wrong_kind;
        std::size_t k = *count < 0 ? 0 : std::min(*n, static_cast<std::size_t>(*count));
        return op_ == Op::take ? part(0, k) : part(k, *n);
    }

    std::string with_item() {
        auto* l = list(0);
        auto* i = integer(1);
        if (!l || !i) return wrong_kind;
        if (*i < 0 || static_cast<std::size_t>(*i) >= l->items.size())
            return fmt::format("there is no item {} in a list of {}", *i, l->items.size());
        auto at = static_cast<std::size_t>(*i);
        Value whole, item;
        if (!take(0, whole) || !take(2, item)) return no_work;
        std::get<Sequence>(whole.v).items[at] = std::move(item);
        return give(std::move(whole));
    }

    std::string reverse() {
        Value whole;
        if (!length()) return wrong_kind;
        if (!take(0, whole) || !work_.charge(*lengths(whole))) return no_work;
        if (auto* s = std::get_if<std::string>(&whole.v)) std::reverse(s->begin(), s->end());
        if (auto* b = std::get_if<Bytes>(&whole.v)) std::reverse(b->data.begin(), b->data.end());
        if (auto* l = std::get_if<Sequence>(&whole.v)) std::reverse(l->items.begin(), l->items.end());
        return give(std::move(whole));
    }
    static std::optional<std::size_t> lengths(const Value& value) {
        if (auto* t = text_of(value)) return t->size() / 32;
        return value.items().size();
    }

    std::string index_of() {
        Sequence found;
        if (auto* whole = text(0)) {
            auto* wanted = text(1);
            if (!wanted || !same_kind(0, 1)) return wrong_kind;
            if (!work_.charge((whole->size() + wanted->size()) / 8)) return no_work;
            if (auto at = find_text(*whole, *wanted)) found.items.push_back(static_cast<Int>(*at));
            return give(std::move(found));
        }
        auto* l = list(0);
        if (!l) return wrong_kind;
        if (!work_.charge(weight(operand(0)))) return no_work;
        auto at = std::find(l->items.begin(), l->items.end(), operand(1));
        if (at != l->items.end()) found.items.push_back(static_cast<Int>(at - l->items.begin()));
        return give(std::move(found));
    }

    std::string repeated() {
        auto n = length();
        auto* count = integer(1);
        if (!n || !count) return wrong_kind;
        auto times = static_cast<std::size_t>(std::max(*count, Int{0}));
        std::size_t once = text(0) ? 1 + *n : weight(operand(0));
        if (times > std::numeric_limits<std::size_t>::max() / (once + 1) ||
            !work_.charge(times * once / 8 + 1))
            return no_work;
        if (auto* t = text(0)) {
            std::string all;
            all.reserve(times * t->size());
            for (; times > 0; --times) all += *t;
            return give(text_like(operand(0), std::move(all)));
        }
        Sequence all;
        for (; times > 0; --times) std::ranges::copy(list(0)->items, std::back_inserter(all.items));
        return give(std::move(all));
    }

    std::string extreme() {
        auto* l = list(0);
        if (!l) return wrong_kind;
        if (l->items.empty())
            return op_ == Op::least ? "an empty list has no least item"
                                    : "an empty list has no greatest item";
        if (!work_.charge(weight(operand(0)))) return no_work;
        auto at = op_ == Op::least ? std::min_element(l->items.begin(), l->items.end())
                                   : std::max_element(l->items.begin(), l->items.end());
        return give(*at);
    }

    std::string split() {
        auto *whole = text(0), *between = text(1);
        if (!whole || !between || !same_kind(0, 1)) return wrong_kind;
        if (between->empty()) return "nothing can be split at an empty text";
        Occurrences places(*whole, *between);
        if (!work_.charge((whole->size() + between->size()) / 8)) return no_work;
        Sequence parts;
        std::size_t from = 0;
        for (auto at = places.next(0); at; at = places.next(from)) {
            if (!work_.charge(1)) return no_work;
            parts.items.push_back(text_like(operand(0), whole->substr(from, *at - from)));
            from = *at + between->size();
        }
        parts.items.push_back(text_like(operand(0), whole->substr(from)));
        return give(std::move(parts));
    }

    std::string join() {
        auto* l = list(0);
        auto* between = text(1);
        if (!l || !between) return wrong_kind;
        std::string all;
        for (const Value& item : l->items) {
            auto* t = text_of(item);
            if (!t) return wrong_kind;
            if (!work_.charge(1 + (t->size() + between->size()) / 32)) return no_work;
            if (&item != l->items.data()) all += *between;
            all += *t;
        }
        return give(text_like(operand(1), std::move(all)));
    }

    std::string replace() {
        auto *whole = text(0), *old = text(1), *fresh = text(2);
        if (!whole || !old || !fresh || !same_kind(0, 1) || !same_kind(0, 2)) return wrong_kind;
        if (old->empty()) return "an empty text cannot be replaced";
        if (!work_.charge((whole->size() + old->size()) / 8)) return no_work;
        Occurrences places(*whole, *old);
        std::string all;
        std::size_t from = 0;
        for (auto at = places.next(0); at; at = places.next(from)) {
            if (!work_.charge(1 + fresh->size() / 32)) return no_work;
            all += whole->substr(from, *at - from) + *fresh;
            from = *at + old->size();
        }
        return give(text_like(operand(0), all + whole->substr(from)));
    }

    std::string number_in_text() {
        auto* s = std::get_if<std::string>(&operand(0).v);
        if (!s) return wrong_kind;
        Int number = 0;
        int digits = op_ == Op::to_int ? 10 : 16;
        auto [end, error] = std::from_chars(s->data(), s->data() + s->size(), number, digits);
        if (error != std::errc() || end != s->data() + s->size())
            return fmt::format("{} is not a number in {} digits", quote(s->substr(0, 40)),
                               digits == 10 ? "decimal" : "hexadecimal");
        return give(number);
    }

    std::string to_hex() {
        auto* n = integer(0);
        return n ? give(fmt::format("{:x}", *n)) : wrong_kind;
    }

    Op op_;
    std::span<Operand> operands_;
    Work& work_;
    Value* result_;
};

// All texts of as many digits as `most` that are not greater: a common beginning, a smaller digit, any
// others.
std::string up_to(std::string_view most) {
    std::string pattern;
    for (std::size_t i = 0; i < most.size(); ++i) {
        if (most[i] == '0') continue;
        pattern += fmt::format("{}[0-{}][0-9]{{{}}}|", most.substr(0, i), static_cast<char>(most[i] - 1),
                               most.size() - i - 1);
    }
    return pattern + std::string(most);
}

}  // namespace

std::optional<std::size_t> find_text(std::string_view whole, std::string_view part, std::size_t from) {
    return Occurrences(whole, part).next(from);
}

std::string decimal_numbers() {
    return fmt::format("-?0*([0-9]{{1,18}}|{})|-0*9223372036854775808", up_to("9223372036854775807"));
}

std::string hexadecimal_numbers() {
    return "-?0*([0-9a-fA-F]{1,15}|[0-7][0-9a-fA-F]{15})|-0*80{15}";
}

std::string apply_over_parts(Op op, std::span<Operand> operands, Work& work, Value* result) {
    return Parts(op, operands, work, result).run();
}

}  // namespace treaty::expr
