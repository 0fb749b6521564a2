#include "csp/values.h"

#include <algorithm>

#include "base/hash.h"

namespace treaty::csp {

ValueId Values::make(Kind kind, std::int64_t number, std::span<const ValueId> parts) {
    std::uint64_t key = base::combine(static_cast<std::uint64_t>(kind), static_cast<std::uint64_t>(number));
    for (ValueId part : parts) key = base::combine(key, part.index);
    // Another value with the same hash takes the next key.
    for (;; ++key) {
        auto [found, added] = ids_.try_emplace(key, ValueId(nodes_.size()));
        if (added) break;
        const Node& node = nodes_[found->second.index];
        if (node.kind == kind && node.number == number && node.count == parts.size() &&
            std::equal(parts.begin(), parts.end(), node.parts))
            return found->second;
    }
    std::uint32_t depth = 0;
    for (ValueId part : parts) depth = std::max(depth, nodes_[part.index].depth);
    nodes_.push_back({keep(parts), number, static_cast<std::uint32_t>(parts.size()), depth + 1, kind});
    return ValueId(nodes_.size() - 1);
}

const ValueId* Values::keep(std::span<const ValueId> parts) {
    if (parts.empty()) return nullptr;
    if (used_ + parts.size() > room_) {
        room_ = std::max<std::size_t>(4096, parts.size());
        used_ = 0;
        arena_.push_back(std::make_unique<ValueId[]>(room_));
        arena_bytes_ += room_ * sizeof(ValueId);
    }
    ValueId* to = arena_.back().get() + used_;
    std::copy(parts.begin(), parts.end(), to);
    used_ += parts.size();
    return to;
}

ValueId Values::set(std::vector<ValueId> elements) {
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return make(Kind::set, 0, elements);
}

ValueId Values::dot(std::span<const ValueId> given) {
    std::vector<ValueId> flat;
    for (ValueId part : given) {
        if (kind(part) == Kind::dot) {
            auto inner = parts(part);
            flat.insert(flat.end(), inner.begin(), inner.end());
        } else {
            flat.push_back(part);
        }
    }
    return flat.size() == 1 ? flat[0] : make(Kind::dot, 0, flat);
}

bool Values::contains(ValueId set, ValueId element) const {
    if (kind(set) == Kind::integers) return kind(element) == Kind::integer;
    auto all = parts(set);
    if (kind(set) == Kind::sequences) {
        auto elements = parts(element);
        return kind(element) == Kind::sequence &&
               std::all_of(elements.begin(), elements.end(), [&](ValueId e) { return contains(all[0], e); });
    }
    return std::binary_search(all.begin(), all.end(), element);
}

}  // namespace treaty::csp
