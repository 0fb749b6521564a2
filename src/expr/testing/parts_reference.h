// For tests: operators on parts (expr/parts.h) said again in the plainest code, one letter at a time.
#pragma once

#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "expr/parts.h"

namespace treaty::expr {

struct PartsReference {
    using Int = std::int64_t;
    using Maybe = std::optional<Value>;
    __extension__ typedef __int128 Wide;

    static std::vector<Value> items(const Value& v) {
        if (auto* s = std::get_if<Sequence>(&v.v)) return s->items;
        std::vector<Value> letters;
        for (char c : *text_of(v)) letters.push_back(std::string(1, c));
        return letters;
    }
    static Value like(const Value& v, const std::vector<Value>& items) {
        if (std::holds_alternative<Sequence>(v.v)) return Sequence{items};
        std::string text;
        for (const Value& letter : items) text += letter.string();
        return std::holds_alternative<Bytes>(v.v) ? Value(Bytes{text}) : Value(text);
    }

    static Maybe slice(const Value& v, Int a, Int b) {
        std::vector<Value> out, all = items(v);
        if (a < 0 || a > b || b > static_cast<Int>(all.size())) return std::nullopt;
        for (Int i = a; i < b; ++i) out.push_back(all[static_cast<std::size_t>(i)]);
        return like(v, out);
    }
    static Maybe take(const Value& v, Int n) {
        std::vector<Value> out;
        for (const Value& item : items(v))
            if (static_cast<Int>(out.size()) < n) out.push_back(item);
        return like(v, out);
    }
    static Maybe drop(const Value& v, Int n) {
        std::vector<Value> out;
        Int i = 0;
        for (const Value& item : items(v))
            if (i++ >= n) out.push_back(item);
        return like(v, out);
    }
    static Maybe reverse(const Value& v) {
        std::vector<Value> out;
        for (const Value& item : items(v)) out.insert(out.begin(), item);
        return like(v, out);
    }
    static Maybe repeated(const Value& v, Int n) {
        std::vector<Value> out;
        for (Int i = 0; i < n; ++i)
            for (const Value& item : items(v)) out.push_back(item);
        return like(v, out);
    }
    static Maybe with_item(const Value& v, Int i, Int x) {
        std::vector<Value> all = items(v);
        if (i < 0 || i >= static_cast<Int>(all.size())) return std::nullopt;
        all[static_cast<std::size_t>(i)] = x;
        return Value(Sequence{all});
    }
    static Maybe index_of(const Value& v, const Value& x) {
        if (auto* t = text_of(v)) {
            for (std::size_t i = 0; i + text_of(x)->size() <= t->size(); ++i)
                if (t->substr(i, text_of(x)->size()) == *text_of(x))
                    return Value(Sequence{{static_cast<Int>(i)}});
            return Value(Sequence{});
        }
        for (std::size_t i = 0; i < v.items().size(); ++i)
            if (v.items()[i] == x) return Value(Sequence{{static_cast<Int>(i)}});
        return Value(Sequence{});
    }
    static std::vector<std::string> pieces(const std::string& s, const std::string& t) {
        std::vector<std::string> out(1);
        for (std::size_t i = 0; i < s.size();) {
            if (s.compare(i, t.size(), t) == 0) {
                out.emplace_back();
                i += t.size();
            } else {
                out.back() += s[i++];
            }
        }
        return out;
    }
    static std::string joined(const std::vector<std::string>& parts, const std::string& t) {
        std::string out;
        for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? t : "") + parts[i];
        return out;
    }
    static Maybe number(const std::string& s, Int digits) {
        Wide total = 0;
        std::size_t i = !s.empty() && s[0] == '-' ? 1 : 0;
        if (i == s.size()) return std::nullopt;
        for (std::size_t k = i; k < s.size(); ++k) {
            std::size_t rank = std::string("0123456789abcdef").find(static_cast<char>(std::tolower(s[k])));
            if (rank == std::string::npos || static_cast<Int>(rank) >= digits) return std::nullopt;
            total = total * digits + static_cast<Int>(rank);
            if (total > (static_cast<Wide>(1) << 70)) return std::nullopt;
        }
        if (i == 1) total = -total;
        if (total > INT64_MAX || total < INT64_MIN) return std::nullopt;
        return Value(static_cast<Int>(total));
    }

    // The operators for which is_over_parts().
    static Maybe apply(Op op, const std::vector<Value>& a) {
        auto n = [&](std::size_t i) { return a[i].integer(); };
        auto texts = [&](const std::vector<std::string>& parts) {
            Sequence list;
            for (const std::string& p : parts) list.items.push_back(text_like(a[0], p));
            return Value(list);
        };
        switch (op) {
            case Op::slice: return slice(a[0], n(1), n(2));
            case Op::with_item: return with_item(a[0], n(1), n(2));
            case Op::take: return take(a[0], n(1));
            case Op::drop: return drop(a[0], n(1));
            case Op::reverse: return reverse(a[0]);
            case Op::index_of: return index_of(a[0], a[1]);
            case Op::repeated: return repeated(a[0], n(1));
            case Op::least:
            case Op::greatest: {
                Maybe best;
                for (const Value& item : a[0].items())
                    if (!best || (op == Op::least ? item < *best : *best < item)) best = item;
                return best;
            }
            case Op::split:
                return text_of(a[1])->empty() ? Maybe()
                                              : Maybe(texts(pieces(*text_of(a[0]), *text_of(a[1]))));
            case Op::join: {
                std::vector<std::string> parts;
                for (const Value& item : a[0].items()) parts.push_back(*text_of(item));
                return text_like(a[1], joined(parts, *text_of(a[1])));
            }
            case Op::replace:
                if (text_of(a[1])->empty()) return {};
                return text_like(a[0], joined(pieces(*text_of(a[0]), *text_of(a[1])), *text_of(a[2])));
            case Op::to_int: return number(a[0].string(), 10);
            case Op::from_hex: return number(a[0].string(), 16);
            default: return Value(fmt::format("{:x}", n(0)));
        }
    }
    static Value text_like(const Value& v, const std::string& text) {
        return std::holds_alternative<Bytes>(v.v) ? Value(Bytes{text}) : Value(text);
    }
};

}  // namespace treaty::expr
