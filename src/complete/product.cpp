#include "complete/product.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::complete {

using explore::Acceptance;
using explore::NormalId;
using explore::NormalStep;
using model::LabelId;

namespace {

constexpr std::size_t max_conf = 256;              // conf tests of one pair
constexpr std::size_t max_forbidden = 50'000'000;  // events of all pairs together

bool meet(const Acceptance& a, const Acceptance& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](LabelId l) { return std::binary_search(b.begin(), b.end(), l); });
}

}  // namespace

std::optional<std::vector<Acceptance>> least_meeting(const std::vector<Acceptance>& sets, std::size_t limit) {
    std::vector<Acceptance> found{{}};
    for (const Acceptance& set : sets) {
        std::vector<Acceptance> next;
        for (const Acceptance& one : found) {
            if (meet(one, set)) {
                next.push_back(one);
                continue;
            }
            for (LabelId l : set) {
                Acceptance longer = one;
                longer.insert(std::upper_bound(longer.begin(), longer.end(), l), l);
                next.push_back(std::move(longer));
            }
            if (next.size() > limit * 8) return std::nullopt;
        }
        explore::keep_least(next);
        found = std::move(next);
        if (found.empty() || found.size() > limit) return std::nullopt;
    }
    return found;
}

Product::Product(explore::Graph& specification, explore::Graph& domain, explore::Observation observation,
                 const explore::Limits& limits)
    : spec_(specification, limits.states),
      domain_(domain, limits.states),
      map_(domain.alphabet(), specification.alphabet()),
      observation_(observation) {
    std::uint64_t most = std::min<std::uint64_t>(limits.states, 200'000);
    pair(spec_.initial(), domain_.initial());
    std::size_t forbidden = 0;
    for (std::size_t i = 0; i < pairs_.size() && complete_; ++i) {
        if (i >= most || forbidden > max_forbidden || ((i & 1023) == 0 && limits.time.passed())) {
            complete_ = false;
            why_ = forbidden > max_forbidden
                       ? fmt::format("the first {} situations have more than {} tests", i, max_forbidden)
                       : fmt::format("specification and domain have more than {} situations in total", i);
            break;
        }
        if (!spec_.broken() && !domain_.broken()) expand(PairId(i));
        forbidden += pairs_[i].forbidden.size();
        if (spec_.broken() || domain_.broken()) {
            complete_ = false;
            pairs_[i].expanded = false;  // steps may be missing
            why_ = spec_.broken() ? spec_.why() : domain_.why();
            if (why_.empty()) why_ = base::to_string(spec_.broken() ? spec_.stopped() : domain_.stopped());
        }
    }
    mark_open();
}

PairId Product::pair(NormalId spec, NormalId domain) {
    auto [found, added] =
        ids_.try_emplace(std::uint64_t(spec.index) << 32 | domain.index, PairId(pairs_.size()));
    if (added) {
        pairs_.emplace_back();
        pairs_.back().spec = spec;
        pairs_.back().domain = domain;
    }
    return found->second;
}

void Product::expand(PairId id) {
    Pair made = pairs_[id.index];
    auto domain_steps = domain_.steps(made.domain);
    std::vector<NormalStep> theirs(domain_steps.begin(), domain_steps.end());
    for (const NormalStep& step : theirs) {
        LabelId label = map_(step.label);
        NormalId target = label ? spec_.after(made.spec, label) : NormalId();
        if (target)
            made.allowed.push_back({label, pair(target, step.target)});
        else if (label)
            made.forbidden.push_back(label);
    }
    bool may_end = domain_.final(made.domain);
    made.ends = may_end && spec_.final(made.spec);
    if (may_end && !made.ends) made.forbidden.push_back(LabelId(0u));
    std::sort(made.allowed.begin(), made.allowed.end(),
              [](const PairStep& a, const PairStep& b) { return a.label < b.label; });
    std::sort(made.forbidden.begin(), made.forbidden.end());
    made.expanded = true;
    if (observation_ != explore::Observation::traces) {
        find_conf(made);
        if (spec_.diverges(made.spec)) {
            complete_ = made.expanded = false;
            why_ = "the specification can run silently for ever, so its refusals cannot be tested";
        }
    }
    pairs_[id.index] = std::move(made);
}

void Product::find_conf(Pair& made) {
    const auto& least = spec_.acceptances(made.spec);
    bool may_refuse_all =
        std::any_of(least.begin(), least.end(), [](const Acceptance& a) { return a.empty(); });
    if (least.empty() || may_refuse_all) return;
    auto sets = least_meeting(least, max_conf);
    if (!sets) {
        complete_ = false;
        why_ = "a situation has too many sets of events that must not be refused";
        return;
    }
    // What the domain always accepts something of is of no use as a test.
    std::vector<Acceptance> theirs;
    for (const Acceptance& a : domain_.acceptances(made.domain)) {
        Acceptance mapped;
        for (LabelId l : a)
            if (LabelId ours = l.index == 0 ? l : map_(l)) mapped.push_back(ours);
        std::sort(mapped.begin(), mapped.end());
        theirs.push_back(std::move(mapped));
    }
    for (Acceptance& set : *sets) {
        bool refusable =
            std::any_of(theirs.begin(), theirs.end(), [&](const auto& a) { return !meet(a, set); });
        if (refusable) made.conf.push_back(std::move(set));
    }
}

// Backwards from the pairs with tests, and from those that were not examined.
void Product::mark_open() {
    std::vector<std::vector<PairId>> before(pairs_.size());
    std::vector<PairId> work;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        Pair& p = pairs_[i];
        p.open = !p.expanded || p.tested();
        if (p.open) work.push_back(PairId(i));
        for (const PairStep& step : p.allowed) before[step.target.index].push_back(PairId(i));
    }
    while (!work.empty()) {
        PairId at = work.back();
        work.pop_back();
        for (PairId from : before[at.index]) {
            if (pairs_[from.index].open) continue;
            pairs_[from.index].open = true;
            work.push_back(from);
        }
    }
}

// Depth first among the pairs to keep; the way to the cycle may lead through any.
template <class Keep>
std::optional<Lasso> Product::cycle(Keep keep) const {
    enum : std::uint8_t { fresh, active, done };
    std::vector<std::uint8_t> marks(pairs_.size(), fresh);
    struct Frame {
        PairId at;
        std::size_t next;
    };
    auto way_to = [&](PairId goal) {
        std::vector<std::pair<std::uint32_t, LabelId>> from(pairs_.size(), {UINT32_MAX, {}});
        std::vector<PairId> queue{initial()};
        from[0].first = 0;
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (const PairStep& s : pairs_[queue[i].index].allowed)
                if (from[s.target.index].first == UINT32_MAX) {
                    from[s.target.index] = {queue[i].index, s.label};
                    queue.push_back(s.target);
                }
        std::vector<LabelId> way;
        for (std::uint32_t at = goal.index; at != 0; at = from[at].first) way.push_back(from[at].second);
        std::reverse(way.begin(), way.end());
        return way;
    };
    for (std::size_t start = 0; start < pairs_.size(); ++start) {
        if (marks[start] != fresh || !keep(pairs_[start])) continue;
        std::vector<Frame> stack{{PairId(start), 0}};
        marks[start] = active;
        while (!stack.empty()) {
            Frame& top = stack.back();
            const Pair& p = pairs_[top.at.index];
            if (top.next == p.allowed.size()) {
                marks[top.at.index] = done;
                stack.pop_back();
                continue;
            }
            const PairStep& step = p.allowed[top.next++];
            if (!keep(pairs_[step.target.index])) continue;
            if (marks[step.target.index] == active) {
                auto begin = std::find_if(stack.begin(), stack.end(),
                                          [&](const Frame& f) { return f.at == step.target; });
                Lasso found{way_to(step.target), {}};
                for (auto f = begin; f != stack.end(); ++f)
                    found.cycle.push_back(pairs_[f->at.index].allowed[f->next - 1].label);
                return found;
            }
            if (marks[step.target.index] != fresh) continue;
            marks[step.target.index] = active;
            stack.push_back({step.target, 0});
        }
    }
    return std::nullopt;
}

std::optional<Lasso> Product::endless() const {
    return cycle([](const Pair& p) { return p.open && !p.tested(); });
}

std::optional<Lasso> Product::unbounded() const {
    return cycle([](const Pair& p) { return p.open; });
}

}  // namespace treaty::complete
