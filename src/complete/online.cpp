#include "complete/online.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::complete {
namespace {

using base::Answer;
using base::StopReason;
using model::LabelId;

constexpr std::uint32_t none = UINT32_MAX;

// One trace: its longest proper prefix and its last event.
struct Trace {
    std::uint32_t parent;
    LabelId label;
    PairId pair;
    bool excluded = false;
};

class Online {
public:
    Online(const Product& product, const model::Alphabet& names, Sut& sut, const OnlineOptions& options)
        : product_(product), names_(names), sut_(sut), options_(options) {}

    OnlineReport run() {
        add(none, {}, product_.initial());
        for (; at_ < traces_.size(); ++at_) {
            if (options_.sharp && excluded_before(at_)) continue;
            if (over_limit()) break;
            visit(static_cast<std::uint32_t>(at_));
            if (done_) break;  // this trace is still to be done
        }
        report_.traces = at_;
        report_.waiting = traces_.size() - at_;
        if (!done_) {
            report_.answer = Answer::holds;
            report_.reason =
                fmt::format("verified: after {} test{} every process left in the domain is correct",
                            report_.tests, report_.tests == 1 ? "" : "s");
        }
        if (report_.waiting == 0) report_.domain = describe_domain();
        return std::move(report_);
    }

private:
    void add(std::uint32_t parent, LabelId label, PairId pair) {
        if (product_[pair].open) traces_.push_back({parent, label, pair, false});
    }

    bool excluded_before(std::size_t index) const {
        for (std::uint32_t t = static_cast<std::uint32_t>(index); t != none; t = traces_[t].parent)
            if (traces_[t].excluded) return true;
        return false;
    }

    void trace_of(std::uint32_t index, std::vector<LabelId>& into) const {
        into.clear();
        for (; traces_[index].parent != none; index = traces_[index].parent)
            into.push_back(traces_[index].label);
        std::reverse(into.begin(), into.end());
    }

    void visit(std::uint32_t index) {
        const Pair& pair = product_[traces_[index].pair];
        if (!pair.expanded) return stop(StopReason::states, product_.why());
        trace_of(index, ran_.test.trace);
        report_.length = std::max(report_.length, ran_.test.trace.size());
        for (LabelId a : pair.forbidden) {
            ran_.test.kind = TestKind::trace;
            ran_.test.offer.assign(1, a);
            if (!apply(index)) return;
            ++report_.excluded;  // the trace and then a
        }
        for (const explore::Acceptance& set : pair.conf) {
            ran_.test.kind = TestKind::conf;
            ran_.test.offer = set;
            if (!apply(index)) return;
        }
        for (const PairStep& step : pair.allowed) add(index, step.label, step.target);
    }

    // False if the trace needs no more: it failed, or the system cannot do it, or the world did not let it.
    bool apply(std::uint32_t index) {
        if (report_.tests >= options_.tests) {
            stop(StopReason::states, "the number of tests asked for is reached");
            return false;
        }
        ran_.verdicts = sut_.run(ran_.test);
        if (ran_.verdicts.fault != WorldFault::none) {
            done_ = true;
            report_.fault = ran_.verdicts.fault;
            report_.reason = ran_.verdicts.why;
            report_.last = ran_;
            return false;
        }
        ++report_.tests;
        if (options_.ran) options_.ran(ran_);
        if (ran_.verdicts.fail) {
            done_ = true;
            report_.answer = Answer::fails;
            report_.last = ran_;
            report_.reason = describe_failure();
            return false;
        }
        if (ran_.verdicts.pass) return true;
        exclude(index);
        return false;
    }

    void exclude(std::uint32_t index) {
        ++report_.excluded;
        if (options_.sharp)
            for (std::size_t length = ran_.test.trace.size(); length > ran_.verdicts.done + 1; --length)
                index = traces_[index].parent;
        traces_[index].excluded = true;
    }

    std::string describe_failure() const {
        std::string offered;
        for (LabelId l : ran_.test.offer) offered += (offered.empty() ? "" : ", ") + names_.print(l);
        std::size_t events = ran_.test.trace.size();
        std::string behind =
            events == 0 ? "at once" : fmt::format("after {} event{}", events, events == 1 ? "" : "s");
        return ran_.test.kind == TestKind::trace
                   ? fmt::format("refuted: it does {} {}, which is not allowed", offered, behind)
                   : fmt::format("refuted: {} it refuses all of {}", behind, offered);
    }

    bool over_limit() {
        if (traces_.size() > options_.limits.states) {
            stop(StopReason::states, {});
        } else if ((++ticks_ & 255) == 0) {
            if (options_.limits.time.passed()) stop(StopReason::time, {});
            if (traces_.size() * sizeof(Trace) > options_.limits.memory) stop(StopReason::memory, {});
            if (options_.progress) options_.progress(report_.tests, traces_.size() - at_, report_.length);
        }
        if (base::interrupt_flag().load(std::memory_order_relaxed)) stop(StopReason::interrupted, {});
        return done_;
    }

    void stop(StopReason reason, const std::string& why) {
        if (done_) return;
        done_ = true;
        report_.stopped = reason;
        report_.reason =
            fmt::format("inconclusive: {} after {} tests, with {} traces left",
                        why.empty() ? base::to_string(reason) : why, report_.tests, traces_.size() - at_);
    }

    // The traces that are left, as nested prefixes. What needs no tests any more is written as the rest of
    // the domain.
    std::string describe_domain() const {
        if (traces_.empty()) return "the whole domain";
        if (traces_.size() > 200) return fmt::format("a tree of {} traces", traces_.size());
        std::vector<std::vector<std::uint32_t>> after(traces_.size());
        for (std::uint32_t i = 1; i < traces_.size(); ++i) after[traces_[i].parent].push_back(i);
        return describe(0, after);
    }
    std::string describe(std::uint32_t index, const std::vector<std::vector<std::uint32_t>>& after) const {
        std::vector<std::string> branches;
        for (const PairStep& step : product_[traces_[index].pair].allowed) {
            auto found = std::find_if(after[index].begin(), after[index].end(),
                                      [&](std::uint32_t i) { return traces_[i].label == step.label; });
            if (found == after[index].end())
                branches.push_back(names_.print(step.label) + " -> (what the domain has)");
            else if (!traces_[*found].excluded)
                branches.push_back(
                    fmt::format("{} -> {}", names_.print(step.label), describe(*found, after)));
        }
        if (branches.empty()) return "STOP";
        if (branches.size() == 1) return branches[0];
        return fmt::format("({})", fmt::join(branches, " [] "));
    }

    const Product& product_;
    const model::Alphabet& names_;
    Sut& sut_;
    const OnlineOptions& options_;
    OnlineReport report_;
    Ran ran_;
    std::vector<Trace> traces_;
    std::size_t at_ = 0;
    std::uint64_t ticks_ = 0;
    bool done_ = false;
};

}  // namespace

OnlineReport test_online(const Product& product, const model::Alphabet& names, Sut& sut,
                         const OnlineOptions& options) {
    return Online(product, names, sut, options).run();
}

Plan plan(const Product& product, std::uint64_t count, std::size_t length) {
    Plan made;
    struct Item {
        std::vector<LabelId> trace;
        PairId pair;
    };
    std::vector<Item> level{{{}, product.initial()}};
    if (!product[product.initial()].open) level.clear();
    for (std::size_t n = 0; !level.empty(); ++n) {
        std::vector<Item> next;
        for (Item& item : level) {
            const Pair& pair = product[item.pair];
            if (!pair.expanded) return made.complete = false, made.why = product.why(), made;
            for (LabelId a : pair.forbidden) made.tests.push_back({item.trace, {a}, TestKind::trace});
            for (const auto& set : pair.conf) made.tests.push_back({item.trace, set, TestKind::conf});
            if (made.tests.size() > count) {
                made.tests.resize(count);
                return made.complete = false, made.why = fmt::format("more than {} tests", count), made;
            }
            for (const PairStep& step : pair.allowed) {
                if (!product[step.target].open) continue;
                next.push_back({item.trace, step.target});
                next.back().trace.push_back(step.label);
                if (next.size() > 1'000'000)
                    return made.complete = false, made.why = "more than a million traces", made;
            }
        }
        if (n == length && !next.empty())
            return made.complete = false, made.why = fmt::format("traces of more than {} events", length),
                   made;
        level = std::move(next);
    }
    return made;
}

}  // namespace treaty::complete
