#include "choreo/residual_terms.h"

#include <algorithm>

#include "base/hash.h"

namespace treaty::choreo {

TermPool::TermPool() {
    terms_.push_back({TermKind::fail, false, {}, 0, 0});
    terms_.push_back({TermKind::empty, true, {}, 0, 0});
    terms_.push_back({TermKind::never, false, {}, 0, 0});
}

TermId TermPool::intern(TermKind kind, bool nullable, model::NodeId node, std::uint32_t first,
                        std::uint32_t last) {
    std::uint64_t h = base::combine(static_cast<std::uint64_t>(kind), node.index);
    h = base::combine(base::combine(h, first), last);
    auto& bucket = index_[h];
    for (TermId id : bucket) {
        const Term& t = terms_[id.index];
        if (t.kind == kind && t.node == node && t.first == first && t.last == last) return id;
    }
    terms_.push_back({kind, nullable, node, first, last});
    bucket.push_back(TermId(terms_.size() - 1));
    return bucket.back();
}

TermId TermPool::intern_parts(TermKind kind, bool nullable, const std::vector<TermId>& parts) {
    std::uint64_t h = base::combine(static_cast<std::uint64_t>(kind), parts.size());
    for (TermId p : parts) h = base::combine(h, p.index);
    auto& bucket = index_[h];
    for (TermId id : bucket) {
        if (terms_[id.index].kind != kind) continue;
        auto own = this->parts(id);
        if (std::equal(own.begin(), own.end(), parts.begin(), parts.end())) return id;
    }
    auto first = static_cast<std::uint32_t>(parts_.size());
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    terms_.push_back({kind, nullable, {}, first, static_cast<std::uint32_t>(parts_.size())});
    bucket.push_back(TermId(terms_.size() - 1));
    return bucket.back();
}

TermId TermPool::range(model::NodeId sequence, std::uint32_t from, std::uint32_t to, bool nullable) {
    return from >= to ? empty() : intern(TermKind::range, nullable, sequence, from, to);
}

// Whether the first, a loop, adds nothing before the second.
bool TermPool::same_loop(TermId first, TermId second) const {
    TermKind kind = terms_[first.index].kind;
    if (first == second)
        return kind == TermKind::repeat || kind == TermKind::endless || kind == TermKind::never;
    return kind == TermKind::repeat && terms_[second.index].kind == TermKind::endless &&
           parts(first)[0] == parts(second)[0];
}

TermId TermPool::sequence(std::span<const TermId> parts) {
    std::vector<TermId> flat;
    for (TermId part : parts) {
        if (part == fail()) return fail();
        if (part == empty()) continue;
        bool nested = terms_[part.index].kind == TermKind::sequence;
        for (TermId p : nested ? this->parts(part) : std::span<const TermId>(&part, 1)) {
            if (!flat.empty() && same_loop(flat.back(), p)) flat.pop_back();
            flat.push_back(p);
        }
        TermKind last = terms_[flat.back().index].kind;
        if (last == TermKind::never || last == TermKind::endless) break;
    }
    if (flat.empty()) return empty();
    if (flat.size() == 1) return flat[0];
    bool nullable = std::all_of(flat.begin(), flat.end(), [&](TermId p) { return terms_[p.index].nullable; });
    return intern_parts(TermKind::sequence, nullable, flat);
}

TermId TermPool::choice(std::vector<TermId> branches) {
    std::vector<TermId> flat;
    for (TermId branch : branches) {
        if (branch == fail()) continue;
        if (terms_[branch.index].kind == TermKind::choice) {
            auto own = parts(branch);
            flat.insert(flat.end(), own.begin(), own.end());
        } else {
            flat.push_back(branch);
        }
    }
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    if (flat.empty()) return fail();
    if (flat.size() == 1) return flat[0];
    bool nullable = std::any_of(flat.begin(), flat.end(), [&](TermId p) { return terms_[p.index].nullable; });
    return intern_parts(TermKind::choice, nullable, flat);
}

TermId TermPool::parallel(std::vector<TermId> branches) {
    std::vector<TermId> flat;
    for (TermId branch : branches) {
        if (branch == fail()) return fail();
        if (branch == empty()) continue;
        if (terms_[branch.index].kind == TermKind::parallel) {
            auto own = parts(branch);
            flat.insert(flat.end(), own.begin(), own.end());
        } else {
            flat.push_back(branch);
        }
    }
    std::sort(flat.begin(), flat.end());
    if (flat.empty()) return empty();
    if (flat.size() == 1) return flat[0];
    bool nullable = std::all_of(flat.begin(), flat.end(), [&](TermId p) { return terms_[p.index].nullable; });
    return intern_parts(TermKind::parallel, nullable, flat);
}

TermId TermPool::repeat(TermId body) {
    if (body == fail() || body == empty() || terms_[body.index].kind == TermKind::repeat)
        return body == fail() ? empty() : body;
    return intern_parts(TermKind::repeat, true, {body});
}

TermId TermPool::endless(TermId round) {
    if (round == fail()) return fail();
    if (round == empty()) return never();
    return intern_parts(TermKind::endless, false, {round});
}

}  // namespace treaty::choreo
