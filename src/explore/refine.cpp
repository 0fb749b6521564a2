// The product of the specification's normal form and the implementation, breadth first by visible events:
// silent steps stay in the level, others go to the next, so the first violation found has a shortest trace.
//
// A pair (V, s) is stricter than (U, s) if V stands for fewer states: whatever is wrong behind the second is
// wrong behind the first, with no longer trace, since the first was found no later. So a pair is dropped if a
// stricter one is known for its state. Pairs of one state are chained; long chains get a hash set for equal
// pairs, and only the newest links are compared as sets.

#include "explore/refine.h"

#include <algorithm>
#include <chrono>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace treaty::explore {
namespace {

using base::Answer;
using base::StopReason;
using model::Edge;
using model::LabelId;
using model::StateId;

constexpr std::uint32_t none = UINT32_MAX;
constexpr std::size_t chain_walk = 16;

struct Pair {
    NormalId node;
    StateId state;
    std::uint32_t parent;
    LabelId label;          // of the implementation, on the way from the parent
    std::uint32_t sibling;  // an older pair of the same state
};

class Refinement {
public:
    Refinement(Graph& specification, Graph& implementation, const RefineOptions& options)
        : spec_(specification, options.limits.states),
          impl_(implementation),
          options_(options),
          map_(implementation.alphabet(), specification.alphabet()),
          divergence_(implementation) {}

    RefineReport run() {
        add(spec_.initial(), StateId(0u), none, {});
        current_.swap(next_);
        while (!current_.empty() && !done_) {
            level();
            current_.swap(next_);
            next_.clear();
            if (!current_.empty() && !done_) ++report_.depth;
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

    // First all that is wrong with where this level has come, silent steps included; then the next event.
    void level() {
        for (std::size_t i = 0; i < current_.size() && !done_; ++i) {
            if ((++ticks_ & 1023) == 0 && over_limit()) return;
            judge(current_[i]);
        }
        for (std::size_t i = 0; i < current_.size() && !done_; ++i) {
            if ((++ticks_ & 1023) == 0 && over_limit()) return;
            follow(current_[i]);
        }
    }

    bool anything_goes(const Pair& pair) {
        return options_.observation == Observation::failures_divergences && spec_.diverges(pair.node);
    }

    void judge(std::uint32_t index) {
        const Pair pair = pairs_[index];
        auto edges = impl_.out(pair.state);
        if (check_broken() || anything_goes(pair)) return;
        if (options_.observation == Observation::failures_divergences && divergence_(pair.state)) {
            if (!check_broken()) violated(Violation::divergence, index);
            return;
        }
        bool ends = impl_.final(pair.state);
        if (ends && !spec_.final(pair.node)) return violated(Violation::ending, index);
        if (options_.observation != Observation::traces && !refusal_allowed(pair, edges, ends))
            return violated(Violation::refusal, index);
        for (const Edge& e : edges) {
            if (e.label != impl_.alphabet().silent()) break;
            ++report_.transitions;
            add(pair.node, e.target, index, e.label);
        }
    }

    void follow(std::uint32_t index) {
        const Pair pair = pairs_[index];
        if (anything_goes(pair)) return;
        auto allowed = spec_.steps(pair.node);
        if (check_broken()) return;
        std::size_t hint = 0;
        for (const Edge& e : impl_.out(pair.state)) {
            if (e.label == impl_.alphabet().silent()) continue;
            ++report_.transitions;
            const NormalStep* step = find(allowed, map_(e.label), hint);
            if (!step) return violated(Violation::event, index, e.label);
            add(step->target, e.target, index, e.label);
        }
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
        if (!edges.empty() && edges.front().label == impl_.alphabet().silent()) return true;
        offered_.clear();
        bool sorted = true;
        for (const Edge& e : edges) {
            LabelId label = map_(e.label);
            if (!label) continue;  // one that the specification does not know helps nobody
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

    void add(NormalId node, StateId state, std::uint32_t parent, LabelId label) {
        if (heads_.size() <= state.index)
            heads_.resize(std::max<std::size_t>(state.index + 1, heads_.size() * 2), none);
        if (covered(node, state)) return;
        auto index = static_cast<std::uint32_t>(pairs_.size());
        pairs_.push_back({node, state, parent, label, heads_[state.index]});
        heads_[state.index] = index;
        bool silent = parent != none && label == impl_.alphabet().silent();
        (silent ? current_ : next_).push_back(index);
    }

    static std::uint64_t key(NormalId node, StateId state) {
        return std::uint64_t(node.index) << 32 | state.index;
    }

    bool covered(NormalId node, StateId state) {
        std::size_t seen = 0;
        std::uint32_t at = heads_[state.index];
        for (; at != none && seen < chain_walk; at = pairs_[at].sibling, ++seen) {
            if (pairs_[at].node == node) return true;
            if (options_.antichain && spec_.within(pairs_[at].node, node)) return true;
        }
        if (seen < chain_walk) return false;
        if (at == none)  // the chain has just become long: from now on its pairs are in the set
            for (std::uint32_t i = heads_[state.index]; i != none; i = pairs_[i].sibling)
                long_chains_.insert(key(pairs_[i].node, state));
        return !long_chains_.insert(key(node, state)).second;
    }

    bool check_broken() {
        if (!impl_.broken() && !spec_.broken()) return false;
        bool mine = impl_.broken();
        stop(mine ? impl_.stopped() : spec_.stopped(), mine ? impl_.why() : spec_.why());
        return true;
    }

    bool over_limit() {
        if (pairs_.size() >= options_.limits.states) {
            stop(StopReason::states, {});
        } else if (pairs_.size() * sizeof(Pair) > options_.limits.memory) {
            stop(StopReason::memory, {});
        } else if (options_.limits.time.passed()) {
            stop(StopReason::time, {});
        } else if (base::interrupt_flag().load(std::memory_order_relaxed)) {
            stop(StopReason::interrupted, {});
        }
        if (options_.progress && (ticks_ & 0xffff) == 0) {
            Progress p;
            p.states = pairs_.size();
            p.transitions = report_.transitions;
            p.frontier = next_.size();
            p.depth = report_.depth;
            p.bytes = pairs_.size() * sizeof(Pair);
            options_.progress(p);
        }
        return done_;
    }

    void stop(StopReason reason, const std::string& why) {
        done_ = true;
        report_.stopped = reason;
        report_.reason =
            fmt::format("{} after {} pairs of states, traces of up to {} events",
                        why.empty() ? base::to_string(reason) : why, pairs_.size(), report_.depth);
    }

    void violated(Violation violation, std::uint32_t index, LabelId wrong = {}) {
        done_ = true;
        report_.answer = Answer::fails;
        Counterexample found;
        found.violation = violation;
        const Pair pair = pairs_[index];
        for (std::uint32_t i = index; i != none; i = pairs_[i].parent) {
            found.states.push_back(pairs_[i].state);
            if (pairs_[i].parent != none && pairs_[i].label != impl_.alphabet().silent())
                found.trace.push_back(pairs_[i].label);
        }
        std::reverse(found.trace.begin(), found.trace.end());
        std::reverse(found.states.begin(), found.states.end());
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
        const model::Alphabet& ours = impl_.alphabet();
        const model::Alphabet& theirs = spec_.graph().alphabet();
        if (impl_.final(pair.state))
            found.accepted.push_back(LabelId(0u));
        else
            for (const Edge& e : impl_.out(pair.state))
                if (found.accepted.empty() || found.accepted.back() != e.label)
                    found.accepted.push_back(e.label);
        auto accepts = [&](const std::string& text) {
            return std::any_of(found.accepted.begin(), found.accepted.end(),
                               [&](LabelId l) { return l.index != 0 && ours.print(l) == text; });
        };
        // What it refuses, of what the specification offers here: the rest nobody asks for.
        for (const std::string& text : found.allowed)
            if (text != "tick" && !accepts(text)) found.refused.push_back(text);
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
            case Violation::ending: return "it ends where the specification goes on";
            case Violation::refusal: {
                std::string offers;
                for (LabelId l : found.accepted)
                    offers += fmt::format("{}{}", offers.empty() ? "" : ", ",
                                          l.index == 0 ? "tick" : impl_.alphabet().print(l));
                return fmt::format("it refuses {{{}}} and offers only {{{}}}", fmt::join(found.refused, ", "),
                                   offers);
            }
            case Violation::divergence: return "it can go on for ever without a visible event";
        }
        return {};
    }

    NormalForm spec_;
    Graph& impl_;
    const RefineOptions& options_;
    LabelMap map_;
    Divergence divergence_;
    RefineReport report_;
    bool done_ = false;
    std::uint64_t ticks_ = 0;
    std::vector<Pair> pairs_;
    std::vector<std::uint32_t> heads_;  // by state: its newest pair
    absl::flat_hash_set<std::uint64_t> long_chains_;
    std::vector<std::uint32_t> current_, next_;
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
    bool seen = knows_ends(specification) && knows_ends(implementation);
    auto finals = seen ? MachineGraph::Finals::seen : MachineGraph::Finals::ignored;
    MachineGraph spec(specification, finals), impl(implementation, finals);
    return refines(spec, impl, options);
}

}  // namespace treaty::explore
