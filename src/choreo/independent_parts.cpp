#include "choreo/independent_parts.h"

#include <algorithm>
#include <optional>
#include <set>

namespace treaty::choreo {
namespace {

using model::RoleId;

struct Part {
    std::set<RoleId> roles;
    TermId term;
};
using Parts = std::vector<Part>;

bool share_a_role(const std::set<RoleId>& a, const std::set<RoleId>& b) {
    return std::any_of(a.begin(), a.end(), [&](RoleId role) { return b.contains(role); });
}

class Splitter {
public:
    Splitter(TermPool& pool, const model::Protocol& protocol, const RangeParts& range_parts)
        : pool_(pool), protocol_(protocol), range_parts_(range_parts) {}

    // None: something endless is inside.
    std::optional<Parts> split(TermId term) {
        Term t = pool_[term];
        switch (t.kind) {
            case TermKind::empty: return Parts{};
            case TermKind::fail:
            case TermKind::never:
            case TermKind::endless: return std::nullopt;
            case TermKind::whole: return Parts{{{protocol_[t.node].role, protocol_[t.node].to}, term}};
            case TermKind::sent: return Parts{{{protocol_[t.node].to}, term}};
            case TermKind::range:
            case TermKind::sequence:
            case TermKind::parallel: return split_composition(term, t.kind == TermKind::parallel);
            case TermKind::choice: return split_choice(term);
            // Its parts do the same number of rounds, so they depend on each other.
            case TermKind::repeat: return as_one(term);
        }
        return std::nullopt;
    }

private:
    std::optional<std::vector<Parts>> split_children(TermId term) {
        std::vector<Parts> all;
        auto own = pool_.parts(term);
        std::vector<TermId> children =
            pool_[term].kind == TermKind::range ? range_parts_(term) : std::vector(own.begin(), own.end());
        for (TermId child : children) {
            auto parts = split(child);
            if (!parts) return std::nullopt;
            all.push_back(std::move(*parts));
        }
        return all;
    }

    std::optional<Parts> as_one(TermId term) {
        auto children = split_children(term);
        if (!children) return std::nullopt;
        Part whole{{}, term};
        for (const Parts& parts : *children)
            for (const Part& part : parts) whole.roles.insert(part.roles.begin(), part.roles.end());
        return Parts{whole};
    }

    // The finest sets of roles such that each part of each child is within one.
    static std::vector<std::set<RoleId>> classes_of(const std::vector<Parts>& children) {
        std::vector<std::set<RoleId>> classes;
        for (const Parts& parts : children)
            for (const Part& part : parts) {
                std::set<RoleId> merged = part.roles;
                for (const auto& c : classes)
                    if (share_a_role(c, part.roles)) merged.insert(c.begin(), c.end());
                std::erase_if(classes, [&](const auto& c) { return share_a_role(c, part.roles); });
                classes.push_back(std::move(merged));
            }
        return classes;
    }

    std::optional<Parts> split_composition(TermId term, bool parallel) {
        auto children = split_children(term);
        if (!children) return std::nullopt;
        Parts result;
        for (auto& roles : classes_of(*children)) {
            std::vector<TermId> members;
            for (const Parts& parts : *children)
                for (const Part& part : parts)
                    if (share_a_role(part.roles, roles)) members.push_back(part.term);
            TermId joined = parallel ? pool_.parallel(std::move(members)) : pool_.sequence(members);
            result.push_back({std::move(roles), joined});
        }
        return result;
    }

    std::optional<Parts> split_choice(TermId term) {
        auto branches = split_children(term);
        if (!branches) return std::nullopt;
        auto classes = classes_of(*branches);
        std::set<std::vector<TermId>> combinations;  // of each branch: what it does in each class
        std::vector<std::set<TermId>> alternatives(classes.size());
        for (const Parts& parts : *branches) {
            std::vector<TermId> combination;
            for (std::size_t c = 0; c < classes.size(); ++c) {
                std::vector<TermId> members;
                for (const Part& part : parts)
                    if (share_a_role(part.roles, classes[c])) members.push_back(part.term);
                combination.push_back(pool_.sequence(members));
                alternatives[c].insert(combination.back());
            }
            combinations.insert(std::move(combination));
        }
        std::size_t possible = 1;
        for (const auto& a : alternatives)
            if (possible <= combinations.size()) possible *= a.size();
        if (possible != combinations.size()) return as_one(term);
        Parts result;
        for (std::size_t c = 0; c < classes.size(); ++c)
            result.push_back({std::move(classes[c]),
                              pool_.choice(std::vector(alternatives[c].begin(), alternatives[c].end()))});
        return result;
    }

    TermPool& pool_;
    const model::Protocol& protocol_;
    const RangeParts& range_parts_;
};

}  // namespace

std::vector<TermId> independent_parts(TermPool& pool, const model::Protocol& protocol, TermId term,
                                      const RangeParts& range_parts) {
    auto parts = Splitter(pool, protocol, range_parts).split(term);
    if (!parts) return {term};
    std::vector<TermId> terms;
    for (const Part& part : *parts) terms.push_back(part.term);
    return terms;
}

}  // namespace treaty::choreo
