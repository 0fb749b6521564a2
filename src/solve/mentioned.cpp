#include "solve/mentioned.h"

#include <algorithm>

#include "solve/automaton.h"

namespace treaty::solve {
namespace {

using expr::Bytes;
using expr::EnumMember;
using expr::ExprId;
using expr::Field;
using expr::Op;
using expr::Pool;
using expr::Sequence;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;

constexpr std::size_t most_numbers = 24, most_texts = 24, most_lists = 60;

class Miner {
public:
    Miner(const Pool& pool, std::span<const ExprId> conditions) : pool_(pool) {
        for (std::int64_t n : {0, 1, -1, 2}) add(numbers_, n, most_numbers);
        for (const char* s : {"", "a"}) add(texts_, std::string(s), most_texts);
        for (ExprId c : conditions)
            for (ExprId part : pool.parts_of(c)) {
                if (pool[part].op == Op::literal) literal(pool.literal_of(part));
                if (pool[part].op == Op::matches) pattern(pool.literal_of(part).string());
            }
    }

    std::vector<Value> of(TypeId type, unsigned depth) {
        const Type& t = pool_.types()[type];
        std::vector<Value> out;
        switch (t.kind) {
            case TypeKind::boolean: return {false, true};
            case TypeKind::integer:
                for (std::int64_t n : numbers_) out.push_back(n);
                return out;
            case TypeKind::real:
                for (std::int64_t n : numbers_) out.push_back(static_cast<double>(n));
                return out;
            case TypeKind::string:
                for (const std::string& s : texts_) out.push_back(s);
                return out;
            case TypeKind::bytes:
                for (const std::string& s : texts_) out.push_back(Bytes{s});
                return out;
            case TypeKind::enumeration:
                for (std::uint32_t i = 0; i < t.members.size(); ++i) out.push_back(EnumMember{i});
                return out;
            case TypeKind::optional:
            case TypeKind::list: return rows(t.element, t.kind == TypeKind::list ? 2 : 1, depth);
            case TypeKind::record: return records(t, depth);
            case TypeKind::set:
            case TypeKind::map: {
                // Lists that are ascending and without repeats.
                out = rows(t.element, 2, depth);
                std::erase_if(out, [&](const Value& row) { return !belongs(row, type, pool_.types()); });
                return out;
            }
            default: return out;
        }
    }

private:
    template <class T>
    static void add(std::vector<T>& all, T value, std::size_t most) {
        if (all.size() < most && std::find(all.begin(), all.end(), value) == all.end())
            all.push_back(std::move(value));
    }

    void literal(const Value& v) {
        if (auto n = std::get_if<std::int64_t>(&v.v)) {
            add(numbers_, *n, most_numbers);
            if (*n < INT64_MAX) add(numbers_, *n + 1, most_numbers);
            if (*n > INT64_MIN) add(numbers_, *n - 1, most_numbers);
        }
        if (auto s = std::get_if<std::string>(&v.v)) text(*s);
        if (auto b = std::get_if<Bytes>(&v.v)) text(b->data);
        if (auto l = std::get_if<Sequence>(&v.v)) {
            for (const Value& item : l->items) literal(item);
            lists_.push_back(v);
        }
    }

    void text(const std::string& s) {
        add(texts_, s, most_texts);
        for (std::size_t k = 1; k < s.size() && k < 8; ++k) {
            add(texts_, s.substr(0, k), most_texts);
            add(texts_, s.substr(k), most_texts);
        }
    }

    void pattern(const std::string& p) {
        auto automaton = Automaton::of(p);
        auto shortest = automaton ? automaton->shortest() : std::nullopt;
        if (shortest) text(*shortest);
        if (auto tree = read_pattern(p)) text(tree->simplest_text());
    }

    std::vector<Value> rows(TypeId element, std::size_t longest, unsigned depth) {
        std::vector<Value> out{Value(Sequence{})};
        for (const Value& l : lists_) out.push_back(l);
        if (depth > 2) return out;
        std::vector<Value> items = of(element, depth + 1);
        for (std::size_t n = 1, from = 0; n <= longest; ++n) {
            std::size_t to = out.size();
            for (std::size_t i = from; i < to; ++i)
                for (const Value& item : items) {
                    if (out.size() >= most_lists || out[i].items().size() + 1 != n) continue;
                    Sequence longer{out[i].items()};
                    longer.items.push_back(item);
                    out.push_back(std::move(longer));
                }
            from = n == 1 ? 1 + lists_.size() : to;
        }
        return out;
    }

    std::vector<Value> records(const Type& t, unsigned depth) {
        std::vector<Value> out{Value(Sequence{})};
        if (depth > 2) return {};
        for (const Field& f : t.fields) {
            std::vector<Value> longer;
            for (const Value& before : out)
                for (const Value& v : of(f.type, depth + 1)) {
                    if (longer.size() >= most_lists) break;
                    Sequence s{before.items()};
                    s.items.push_back(v);
                    longer.push_back(std::move(s));
                }
            out = std::move(longer);
        }
        return out;
    }

    const Pool& pool_;
    std::vector<std::int64_t> numbers_;
    std::vector<std::string> texts_;
    std::vector<Value> lists_;
};

}  // namespace

std::vector<Value> mentioned_values(const Pool& pool, std::span<const ExprId> conditions, TypeId type) {
    return Miner(pool, conditions).of(type, 0);
}

}  // namespace treaty::solve
