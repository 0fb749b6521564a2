#include "expr/collections.h"

#include <algorithm>
#include <iterator>

namespace treaty::expr {
namespace {

const Value& key_of(const Value& entry) {
    return entry.items()[0];
}

bool key_before(const Value& entry, const Value& key) {
    return key_of(entry) < key;
}

auto place_of_key(auto& items, const Value& key) {
    return std::lower_bound(items.begin(), items.end(), key, key_before);
}

template <class Smaller>
bool strictly_ascending(std::span<const Value> items, Smaller smaller) {
    for (std::size_t i = 1; i < items.size(); ++i)
        if (!smaller(items[i - 1], items[i])) return false;
    return true;
}

// The union of two maps: the entry of the second where both have the key.
Sequence united_maps(std::vector<Value> a, std::vector<Value> b) {
    Sequence result;
    result.items.reserve(a.size() + b.size());
    auto x = a.begin();
    for (Value& entry : b) {
        while (x != a.end() && key_of(*x) < key_of(entry)) result.items.push_back(std::move(*x++));
        if (x != a.end() && key_of(*x) == key_of(entry)) ++x;
        result.items.push_back(std::move(entry));
    }
    result.items.insert(result.items.end(), std::make_move_iterator(x), std::make_move_iterator(a.end()));
    return result;
}

Sequence united_sets(std::span<const Value> a, std::span<const Value> b) {
    Sequence result;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result.items));
    return result;
}

class Collections {
public:
    Collections(TypeKind kind, std::span<Operand> operands)
        : map_(kind == TypeKind::map), operands_(operands) {}

    std::string run(Op op, Value* result) {
        if (op == Op::set || op == Op::map) return literal(op, result);
        for (Operand& operand : operands_.first(op == Op::concat || op == Op::difference ? 2 : 1))
            if (!std::holds_alternative<Sequence>(operand.get().v)) return wrong_kind;
        switch (op) {
            case Op::without: *result = without(); break;
            case Op::difference: *result = difference(); break;
            case Op::concat:
                *result = map_ ? united_maps(take(0).items, take(1).items)
                               : united_sets(operands_[0].get().items(), operands_[1].get().items());
                break;
            case Op::keys: *result = parts(0); break;
            case Op::values: *result = parts(1); break;
            case Op::to_set: *result = set_of(take(0).items); break;
            default: return wrong_kind;
        }
        return {};
    }

private:
    Sequence take(std::size_t i) { return std::get<Sequence>(operands_[i].take().v); }

    std::string literal(Op op, Value* result) {
        std::vector<Value> items;
        items.reserve(operands_.size());
        for (Operand& operand : operands_) items.push_back(operand.take());
        *result = op == Op::set ? set_of(std::move(items)) : map_of(std::move(items));
        return {};
    }

    Sequence without() {
        Sequence whole = take(0);
        const Value& gone = operands_[1].get();
        auto at = map_ ? place_of_key(whole.items, gone)
                       : std::lower_bound(whole.items.begin(), whole.items.end(), gone);
        if (at != whole.items.end() && (map_ ? key_of(*at) : *at) == gone) whole.items.erase(at);
        return whole;
    }

    Sequence difference() {
        Sequence whole = take(0);
        const auto& gone = std::get<Sequence>(operands_[1].get().v);
        erase_if(whole.items, [&](const Value& item) { return has_item(gone, map_ ? key_of(item) : item); });
        return whole;
    }

    Sequence parts(std::size_t which) {
        Sequence whole = take(0), result;
        result.items.reserve(whole.items.size());
        for (const Value& entry : std::as_const(whole.items)) result.items.push_back(entry.items()[which]);
        return result;
    }

    bool map_;
    std::span<Operand> operands_;
};

}  // namespace

bool is_set(const Sequence& sequence) {
    return strictly_ascending(sequence.items, [](const Value& a, const Value& b) { return a < b; });
}

bool is_map(const Sequence& sequence) {
    bool entries = std::all_of(sequence.items.begin(), sequence.items.end(), [](const Value& entry) {
        auto* parts = std::get_if<Sequence>(&entry.v);
        return parts && parts->items.size() == 2;
    });
    return entries && strictly_ascending(sequence.items, [](const Value& a, const Value& b) {
               return key_of(a) < key_of(b);
           });
}

Sequence set_of(std::vector<Value> items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return {std::move(items)};
}

Sequence map_of(std::vector<Value> keys_and_values) {
    std::vector<Value> entries;
    for (std::size_t i = 0; i + 1 < keys_and_values.size(); i += 2)
        entries.push_back(Sequence{{std::move(keys_and_values[i]), std::move(keys_and_values[i + 1])}});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Value& a, const Value& b) { return key_of(a) < key_of(b); });
    Sequence map;
    for (Value& entry : entries) {
        if (!map.items.empty() && key_of(map.items.back()) == key_of(entry)) map.items.pop_back();
        map.items.push_back(std::move(entry));
    }
    return map;
}

const Value* find_key(const Sequence& map, const Value& key) {
    auto at = place_of_key(map.items, key);
    return at != map.items.end() && key_of(*at) == key ? &at->items()[1] : nullptr;
}

bool has_item(const Sequence& set, const Value& item) {
    return std::binary_search(set.items.begin(), set.items.end(), item);
}

Sequence with_key(Sequence map, Value key, Value value) {
    auto at = place_of_key(map.items, key);
    if (at != map.items.end() && key_of(*at) == key)
        std::get<Sequence>(at->v).items[1] = std::move(value);
    else
        map.items.insert(at, Value(Sequence{{std::move(key), std::move(value)}}));
    return map;
}

std::string apply_over_collections(Op op, TypeKind kind, std::span<Operand> operands, Work& work,
                                   Value* result) {
    std::size_t cost = 1;
    for (const Operand& operand : operands) cost += weight(operand.get());
    if (!work.charge(cost)) return no_work;
    return Collections(kind, operands).run(op, result);
}

}  // namespace treaty::expr
