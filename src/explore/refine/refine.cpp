// The product of the specification's normal form and the implementation, breadth first by visible events:
// silent steps stay in the level, others go to the next, so the first violation found has a shortest trace.
// Pairs are numbered as they are found, so a level is a range of numbers.
//
// A pair (V, s) is stricter than (U, s) if V represents fewer states: whatever is wrong after the second is
// wrong after the first, with no longer trace, since the first was found no later. So a pair is dropped if a
// stricter one is known for its state. Most states have one pair, whose node is in a table by state; the
// others are chained after it. Long chains get a hash set for equal pairs, and only the newest links are
// compared as sets.

#include "explore/refine/refine.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "explore/refine/trail.h"

namespace treaty::explore {
namespace {

using base::Answer;
using base::StopReason;
using model::Edge;
using model::LabelId;
using model::StateId;

constexpr LabelId silent{0u};
constexpr std::size_t chain_walk = 16;

struct Pair {
    NormalId node;
    StateId state;
};

class Refinement {
public:
    Refinement(Graph& specification, Graph& implementation, const RefineOptions& options)
        : spec_(specification, options.limits.states),
          impl_(implementation),
          options_(options),
          map_(implementation.alphabet(), specification.alphabet()),
          divergence_(implementation),
          refusals_(options.observation != Observation::traces),
          divergences_(options.observation == Observation::failures_divergences) {}

    RefineReport run() {
        make_room();
        add(spec_.initial(), StateId(0u), Trail::none, {});
        // Without silent steps one look at each pair is enough; with them the level must be whole first.
        bool calm = impl_.never_silent();
        for (std::size_t begin = 0; begin < pairs_.size() && !done_;) {
            std::size_t end = pairs_.size();
            if (calm)
                one_pass(begin, end);
            else
                end = two_passes(begin);
            begin = end;
            if (begin < pairs_.size() && !done_) ++report_.depth;
        }
        report_.pairs = pairs_.size();
        report_.spec_nodes = spec_.size();
        if (!done_) {
            report_.answer = Answer::holds;
            report_.reason = fmt::format("every one of its {} is allowed", what());
        }
        return std::move(report_);
    }

private:
    std::string_view what() const {
        switch (options_.observation) {
            case Observation::traces: return "traces";
            case Observation::failures: return "traces and refusals";
            case Observation::failures_divergences: return "traces, refusals and divergences";
        }
        return {};
    }

    // Most states of a machine have one pair, so with their number known nothing has to move when tables
    // grow.
    void make_room() {
        std::size_t states = std::min<std::uint64_t>(impl_.state_count(), options_.limits.states);
        if (states == 0 || states > options_.limits.memory / 32) return;
        first_.resize(impl_.state_count());
        pairs_.reserve(states);
        trail_.reserve(states);
    }

    // What is wrong with a place comes before a wrong event, whose trace is longer, also when that is found
    // first.
    void one_pass(std::size_t begin, std::size_t end) {
        std::optional<Wrong> wrong;
        bool built = first_.size() == impl_.state_count();
        for (std::size_t i = begin; i < end && !done_; ++i) {
            if ((++ticks_ & 1023) == 0 && over_limit(i)) return;
            if (built) look_ahead(i, end);
            auto edges = impl_.out(pairs_[i].state);
            if (!judge(i, edges) || wrong) continue;
            wrong = follow(i, edges);
        }
        if (wrong && !done_) violated(Violation::event, wrong->pair, wrong->label);
    }

    // States come in an order that no cache foresees: the edges of one to come are asked for now, and what is
    // known of the targets of one that comes sooner. Only where asking builds nothing.
    void look_ahead(std::size_t i, std::size_t end) {
        constexpr std::size_t far = 8, near = 3;
        if (i + far >= end) return;
        auto later = impl_.out(pairs_[i + far].state);
        if (!later.empty()) {
            __builtin_prefetch(&later.front());
            __builtin_prefetch(&later.back());
        }
        for (const Edge& e : impl_.out(pairs_[i + near].state)) __builtin_prefetch(&first_[e.target.index]);
    }

    // First all that is wrong with where this level has come, silent steps included; then the next event.
    std::size_t two_passes(std::size_t begin) {
        std::size_t i = begin;
        for (; i < pairs_.size() && !done_; ++i) {
            if ((++ticks_ & 1023) == 0 && over_limit(i)) break;
            auto edges = impl_.out(pairs_[i].state);
            if (!judge(i, edges)) continue;
            for (const Edge& e : edges) {
                if (e.label != silent) break;
                ++report_.transitions;
                add(pairs_[i].node, e.target, static_cast<std::uint32_t>(i), e.label);
            }
        }
        std::size_t end = i;
        for (i = begin; i < end && !done_; ++i) {
            if ((++ticks_ & 1023) == 0 && over_limit(i)) break;
            if (anything_goes(pairs_[i])) continue;
            if (auto wrong = follow(i, impl_.out(pairs_[i].state)))
                violated(Violation::event, wrong->pair, wrong->label);
        }
        return end;
    }

    bool anything_goes(const Pair& pair) { return divergences_ && spec_.diverges(pair.node); }

    // Whether there is anything to follow: nothing is wrong here, and not everything is right.
    bool judge(std::size_t index, std::span<const Edge> edges) {
        const Pair pair = pairs_[index];
        if (check_broken() || anything_goes(pair)) return false;
        if (divergences_ && divergence_(pair.state)) {
            if (!check_broken()) violated(Violation::divergence, index);
            return false;
        }
        bool ends = impl_.final(pair.state);
        if (ends && !spec_.final(pair.node)) return violated(Violation::ending, index), false;
        if (refusals_ && !refusal_allowed(pair, edges, ends))
            return violated(Violation::refusal, index), false;
        return true;
    }

    struct Wrong {
        std::size_t pair;
        LabelId label;
    };
    std::optional<Wrong> follow(std::size_t index, std::span<const Edge> edges) {
        auto allowed = spec_.steps(pairs_[index].node);
        if (check_broken()) return std::nullopt;
        std::size_t hint = 0;
        for (const Edge& e : edges) {
            if (e.label == silent) continue;
            ++report_.transitions;
            const NormalStep* step = find(allowed, map_(e.label), hint);
            if (!step) return Wrong{index, e.label};
            add(step->target, e.target, static_cast<std::uint32_t>(index), e.label);
        }
        return std::nullopt;
    }

    // Labels mostly come in the same order on both sides, so the next one is tried before it is searched.
    static const NormalStep* find(std::span<const NormalStep> steps, LabelId label, std::size_t& hint) {
        if (!label) return nullptr;
        for (std::size_t i = hint; i < std::min(hint + 2, steps.size()); ++i)
            if (steps[i].label == label) return hint = i, &steps[i];
        auto found = std::lower_bound(steps.begin(), steps.end(), label,
                                      [](const NormalStep& s, LabelId l) { return s.label < l; });
        if (found == steps.end() || found->label != label) return nullptr;
        hint = static_cast<std::size_t>(found - steps.begin());
        return &*found;
    }

    bool refusal_allowed(const Pair& pair, std::span<const Edge> edges, bool ends) {
        const auto& least = spec_.acceptances(pair.node);
        if (ends)
            return std::find(least.begin(), least.end(), Acceptance{LabelId(0u)}) != least.end() ||
                   has_empty(least);
        if (!edges.empty() && edges.front().label == silent) return true;
        if (map_.identity())
            return std::any_of(least.begin(), least.end(),
                               [&](const Acceptance& a) { return offered(a, edges); });
        offered_.clear();
        bool sorted = true;
        for (const Edge& e : edges) {
            LabelId label = map_(e.label);
            if (!label) continue;  // an event that is not in the specification is of no use
            if (!offered_.empty() && offered_.back() == label) continue;
            sorted = sorted && (offered_.empty() || offered_.back() < label);
            offered_.push_back(label);
        }
        if (!sorted) std::sort(offered_.begin(), offered_.end());
        return std::any_of(least.begin(), least.end(),
                           [&](const Acceptance& a) { return within(a, offered_); });
    }
    static bool has_empty(const std::vector<Acceptance>& least) {
        return !least.empty() && least.front().empty();
    }
    // Both are sorted.
    static bool offered(const Acceptance& all, std::span<const Edge> edges) {
        auto at = edges.begin();
        for (LabelId label : all) {
            while (at != edges.end() && at->label < label) ++at;
            if (at == edges.end() || at->label != label) return false;
        }
        return true;
    }

    void add(NormalId node, StateId state, std::uint32_t parent, LabelId label) {
        if (first_.size() <= state.index)
            first_.resize(std::max<std::size_t>(state.index + 1, first_.size() * 2));
        NormalId& first = first_[state.index];
        if (first == node) return;
        if (!first)
            first = node;
        else if (covered(node, state))
            return;
        pairs_.push_back({node, state});
        trail_.add(parent, label);
    }

    static std::uint64_t key(NormalId node, StateId state) {
        return std::uint64_t(node.index) << 32 | state.index;
    }

    // Whether the pair is known or a stricter one is; chains it otherwise.
    bool covered(NormalId node, StateId state) {
        if (options_.antichain && spec_.within(first_[state.index], node)) return true;
        if (chains_.size() < first_.size()) chains_.resize(first_.size(), Trail::none);
        std::uint32_t& chain = chains_[state.index];
        std::size_t seen = 1;
        std::uint32_t at = chain;
        for (; at != Trail::none && seen < chain_walk; at = links_[at].next, ++seen) {
            if (links_[at].node == node) return true;
            if (options_.antichain && spec_.within(links_[at].node, node)) return true;
        }
        if (seen == chain_walk) {
            if (at == Trail::none)  // the chain has just become long: from now on its pairs are in the set
                for (std::uint32_t i = chain; i != Trail::none; i = links_[i].next)
                    long_chains_.insert(key(links_[i].node, state));
            if (!long_chains_.insert(key(node, state)).second) return true;
        }
        links_.push_back({node, chain});
        chain = static_cast<std::uint32_t>(links_.size() - 1);
        return false;
    }

    bool check_broken() {
        if (!impl_.broken() && !spec_.broken()) return false;
        bool mine = impl_.broken();
        stop(mine ? impl_.stopped() : spec_.stopped(), mine ? impl_.why() : spec_.why());
        return true;
    }

    bool over_limit(std::size_t at) {
        std::uint64_t bytes = pairs_.size() * 16 + links_.size() * 8 + first_.size() * 4;
        if (StopReason reason = limit_reached(options_.limits, pairs_.size(), bytes);
            reason != StopReason::none)
            stop(reason, {});
        if (options_.progress && (ticks_ & 0xffff) == 0) {
            Progress p;
            p.states = pairs_.size();
            p.transitions = report_.transitions;
            p.frontier = pairs_.size() - at;
            p.depth = report_.depth;
            p.bytes = bytes;
            options_.progress(p);
        }
        return done_;
    }

    void stop(StopReason reason, const std::string& why) {
        done_ = true;
        report_.stopped = reason;
        report_.reason = fmt::format("{} after {} pairs of states, traces of up to {} events",
                                     stop_text(reason, why), pairs_.size(), report_.depth);
    }

    void violated(Violation violation, std::size_t index, LabelId wrong = {}) {
        done_ = true;
        report_.answer = Answer::fails;
        Counterexample found;
        found.violation = violation;
        const Pair pair = pairs_[index];
        auto number = static_cast<std::uint32_t>(index);
        for (std::uint32_t i : trail_.way(number)) found.states.push_back(pairs_[i].state);
        found.trace = trail_.trace(number);
        if (wrong) found.trace.push_back(wrong);
        const model::Alphabet& names = spec_.graph().alphabet();
        for (const NormalStep& step : spec_.steps(pair.node))
            found.allowed.push_back(names.print(step.label));
        if (spec_.final(pair.node)) found.allowed.push_back("tick");
        if (violation == Violation::refusal) explain_refusal(pair, found);
        report_.reason = describe(found);
        report_.counterexample = std::move(found);
    }

    void explain_refusal(const Pair& pair, Counterexample& found) {
        const model::Alphabet& theirs = spec_.graph().alphabet();
        if (impl_.final(pair.state))
            found.accepted.push_back(LabelId(0u));
        else
            for (const Edge& e : impl_.out(pair.state))
                if (found.accepted.empty() || found.accepted.back() != e.label)
                    found.accepted.push_back(e.label);
        // What it refuses, of what the specification offers here: the rest is never compared.
        for (const NormalStep& step : spec_.steps(pair.node)) {
            bool accepted = std::any_of(found.accepted.begin(), found.accepted.end(),
                                        [&](LabelId l) { return l != silent && map_(l) == step.label; });
            if (!accepted) found.refused.push_back(theirs.print(step.label));
        }
        if (spec_.final(pair.node) && !impl_.final(pair.state)) found.refused.emplace_back("tick");
        for (const Acceptance& a : spec_.acceptances(pair.node)) {
            std::vector<std::string> texts;
            for (LabelId l : a) texts.push_back(l.index == 0 ? "tick" : theirs.print(l));
            found.wanted.push_back(std::move(texts));
        }
    }

    std::string describe(const Counterexample& found) const {
        switch (found.violation) {
            case Violation::event:
                return fmt::format("event {}, {}, is not allowed here", found.trace.size(),
                                   impl_.alphabet().print(found.trace.back()));
            case Violation::ending: return "it ends where the specification continues";
            case Violation::refusal: {
                std::string offers;
                for (LabelId l : found.accepted)
                    offers += fmt::format("{}{}", offers.empty() ? "" : ", ",
                                          l.index == 0 ? "tick" : impl_.alphabet().print(l));
                return fmt::format("it refuses {{{}}} and offers only {{{}}}", fmt::join(found.refused, ", "),
                                   offers);
            }
            case Violation::divergence: return "it can run for ever without a visible event";
        }
        return {};
    }

    NormalForm spec_;
    Graph& impl_;
    const RefineOptions& options_;
    LabelMap map_;
    Divergence divergence_;
    const bool refusals_, divergences_;
    RefineReport report_;
    bool done_ = false;
    std::uint64_t ticks_ = 0;
    std::vector<Pair> pairs_;
    Trail trail_;                  // of the pairs
    std::vector<NormalId> first_;  // by state: the node of its first pair
    struct Link {
        NormalId node;
        std::uint32_t next;  // an older one
    };
    std::vector<Link> links_;            // the other pairs
    std::vector<std::uint32_t> chains_;  // by state: the newest of its links
    absl::flat_hash_set<std::uint64_t> long_chains_;
    Acceptance offered_;
};

bool knows_ends(const model::Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        if (machine.final(StateId(s))) return true;
    return false;
}

}  // namespace

std::string_view to_string(Observation observation) {
    switch (observation) {
        case Observation::traces: return "traces";
        case Observation::failures: return "failures";
        case Observation::failures_divergences: return "failures-divergences";
    }
    return {};
}

std::optional<Observation> parse_observation(std::string_view text) {
    if (text == "traces" || text == "T") return Observation::traces;
    if (text == "failures" || text == "F") return Observation::failures;
    if (text == "failures-divergences" || text == "FD") return Observation::failures_divergences;
    return std::nullopt;
}

RefineReport refines(Graph& specification, Graph& implementation, const RefineOptions& options) {
    return Refinement(specification, implementation, options).run();
}

RefineReport refines(const model::Machine& specification, const model::Machine& implementation,
                     const RefineOptions& options) {
    MachineGraph spec(specification), impl(implementation);
    if (knows_ends(specification) && knows_ends(implementation)) return refines(spec, impl, options);
    WithoutEnds plain_spec(spec), plain_impl(impl);
    return refines(plain_spec, plain_impl, options);
}

}  // namespace treaty::explore
