// Specification and fault domain side by side: what each trace of both may still be tested for.
//
// A pair represents all traces that lead to the same node in both normal forms. Its allowed steps are those
// of both; its forbidden ones the domain has and the specification has not: each is a test T(t, a) for every
// trace t that leads here. With refusals observed a pair also has the conf tests of its traces: least sets of
// events that the specification never refuses as a whole, unless the domain cannot refuse them either. A pair
// is open if some test can be reached from it; from one that is not, every process of the domain is correct,
// so nothing needs testing.
//
// Refusals are tested only of specifications that cannot run silently for ever, as Cavalcanti 2017 assumes.
// Labels are those of the specification's alphabet; a successful end is the label 0, forbidden where only the
// domain has it. Built at once, up to a limit on pairs; beyond it complete() is false, what was not looked at
// counts as open, and nothing may be concluded from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explore/refine/refine.h"

namespace treaty::complete {

using PairId = base::Id<struct PairTag>;

struct PairStep {
    model::LabelId label;
    PairId target;
};

struct Pair {
    explore::NormalId spec;
    explore::NormalId domain;
    std::vector<PairStep> allowed;          // sorted by label
    std::vector<model::LabelId> forbidden;  // sorted
    std::vector<explore::Acceptance> conf;  // sets that may not be refused as a whole
    bool ends = false;                      // both can end successfully
    bool expanded = false;
    bool open = true;
    bool tested() const { return !forbidden.empty() || !conf.empty(); }
};

// A way to a cycle and the cycle: label by label.
struct Lasso {
    std::vector<model::LabelId> way, cycle;
};

class Product {
public:
    Product(explore::Graph& specification, explore::Graph& domain, explore::Observation observation,
            const explore::Limits& limits);

    const Pair& operator[](PairId id) const { return pairs_[id.index]; }
    PairId initial() const { return PairId(0u); }
    std::size_t size() const { return pairs_.size(); }
    bool complete() const { return complete_; }
    const std::string& why() const { return why_; }  // it is not complete

    // Whether testing ends for every finite correct system in the domain: no cycle of open pairs without a
    // test. Cavalcanti 2017, lemma 3, made exact; gives such a cycle. Meaningful only if complete().
    std::optional<Lasso> endless() const;
    // Whether there are infinitely many tests: a cycle of open pairs.
    std::optional<Lasso> unbounded() const;

private:
    PairId pair(explore::NormalId spec, explore::NormalId domain);
    void expand(PairId id);
    void find_conf(Pair& pair);
    void mark_open();
    template <class Keep>
    std::optional<Lasso> cycle(Keep keep) const;

    explore::NormalForm spec_, domain_;
    explore::LabelMap map_;
    explore::Observation observation_;
    std::vector<Pair> pairs_;
    absl::flat_hash_map<std::uint64_t, PairId> ids_;
    bool complete_ = true;
    std::string why_;
};

// The least sets that meet every one of `sets`; nothing if there are more than `limit`, or one of them cannot
// be met.
std::optional<std::vector<explore::Acceptance>> least_meeting(const std::vector<explore::Acceptance>& sets,
                                                              std::size_t limit);

}  // namespace treaty::complete
