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
            if (!go_to(static_cast<std::uint32_t>(at_))) continue;
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
        report_.domain_size = progress().domain;
        if (report_.waiting == 0) report_.domain = describe_domain();
        return std::move(report_);
    }

private:
    void add(std::uint32_t parent, LabelId label, PairId pair) {
        if (product_[pair].open) traces_.push_back({parent, label, pair, false});
    }

    // Makes the trace that of the next tests, changing only the events that differ; false if it or a prefix
    // of it is excluded. Traces are visited in the order in which they were added, so parents come in that
    // order too.
    bool go_to(std::uint32_t index) {
        if (index >= level_end_) {
            level_end_ = traces_.size();
            ++length_;
        }
        path_.resize(length_ + 1, none);
        ran_.test.trace.resize(length_);
        std::size_t at = length_;
        std::uint32_t trace = index;
        for (; path_[at] != trace; trace = traces_[trace].parent, --at) {
            path_[at] = trace;
            if (at == 0) break;
            ran_.test.trace[at - 1] = traces_[trace].label;
        }
        common_ = std::min(common_, at);
        alive_ = std::min(alive_, at);
        while (alive_ < path_.size() && !traces_[path_[alive_]].excluded) ++alive_;
        return alive_ == path_.size();
    }

    void visit(std::uint32_t index) {
        const Pair& pair = product_[traces_[index].pair];
        if (!pair.expanded) return stop(StopReason::states, product_.why());
        report_.length = length_;
        for (LabelId a : pair.forbidden) {
            ran_.test.kind = TestKind::trace;
            ran_.test.offer.assign(1, a);
            if (!apply()) return;
            ++report_.excluded;  // the trace and then a
        }
        for (const explore::Acceptance& set : pair.conf) {
            ran_.test.kind = TestKind::conf;
            ran_.test.offer = set;
            if (!apply()) return;
        }
        for (const PairStep& step : pair.allowed) add(index, step.label, step.target);
    }

    // False if the trace needs no more: it failed, or the system cannot do it, or an environment error came
    // first.
    bool apply() {
        if (report_.tests >= options_.tests) {
            stop(StopReason::states, "the limit of tests is reached");
            return false;
        }
        ran_.test.same = common_;
        ran_.verdicts = sut_.run(ran_.test);
        common_ = length_;
        if (ran_.verdicts.fault != WorldFault::none) {
            done_ = true;
            report_.fault = ran_.verdicts.fault;
            report_.reason = ran_.verdicts.why;
            report_.last = ran_;
            return false;
        }
        ++report_.tests;
        if (ran_.verdicts.silent_for_ever && !report_.silent_after) report_.silent_after = ran_.test.trace;
        if (options_.ran) options_.ran(ran_);
        if (ran_.verdicts.fail) {
            done_ = true;
            report_.answer = Answer::fails;
            report_.last = ran_;
            report_.reason = describe_failure();
            return false;
        }
        if (ran_.verdicts.pass) return true;
        exclude();
        return false;
    }

    void exclude() {
        ++report_.excluded;
        std::size_t at = options_.sharp ? std::min(ran_.verdicts.done + 1, length_) : length_;
        traces_[path_[at]].excluded = true;
        alive_ = std::min(alive_, at);
        ++excluded_traces_;
    }

    OnlineProgress progress() const {
        return {report_.tests, product_.size() + at_ - std::min<std::uint64_t>(at_, excluded_traces_),
                traces_.size() - at_, length_};
    }

    std::string describe_failure() const {
        std::string offered;
        for (LabelId l : ran_.test.offer)
            offered += (offered.empty() ? "" : ", ") + (l.index == 0 ? "its end" : names_.print(l));
        bool ends = ran_.test.offer.front().index == 0;
        std::size_t events = ran_.test.trace.size();
        std::string when =
            events == 0 ? "at once" : fmt::format("after {} event{}", events, events == 1 ? "" : "s");
        if (ran_.test.kind == TestKind::trace && ends)
            return fmt::format("refuted: it ends {}, which is not allowed", when);
        if (ends && ran_.test.offer.size() == 1)
            return fmt::format("refuted: {} it does not end, as it must", when);
        return ran_.test.kind == TestKind::trace
                   ? fmt::format("refuted: it does {} {}, which is not allowed", offered, when)
                   : fmt::format("refuted: {} it refuses all of {}", when, offered);
    }

    bool over_limit() {
        if (traces_.size() > options_.limits.states) {
            stop(StopReason::states, {});
        } else if (++ticks_ % options_.progress_every == 0) {
            if (options_.limits.time.passed()) stop(options_.limits.time.reason(), {});
            if (traces_.size() * sizeof(Trace) > options_.limits.memory) stop(StopReason::memory, {});
            if (options_.progress) options_.progress(progress());
        }
        if (options_.limits.time.interrupted()) stop(StopReason::interrupted, {});
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
        if (product_[traces_[index].pair].ends) branches.push_back("SKIP");
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
    std::size_t level_end_ = 1;        // of the traces of this length
    std::size_t length_ = 0;           // of the trace at_
    std::vector<std::uint32_t> path_;  // its prefixes, the empty one first
    std::size_t alive_ = 0;            // how many of them are known not to be excluded
    std::size_t common_ = 0;           // events that it shares with the last test that was run
    std::uint64_t excluded_traces_ = 0;
    std::uint64_t ticks_ = 0;
    bool done_ = false;
};

}  // namespace

OnlineReport test_online(const Product& product, const model::Alphabet& names, Sut& sut,
                         const OnlineOptions& options) {
    return Online(product, names, sut, options).run();
}

Plan plan(const Product& product, std::uint64_t count, std::size_t length, const base::Deadline& deadline) {
    Plan made;
    struct Item {
        std::vector<LabelId> trace;
        PairId pair;
    };
    std::vector<Item> level{{{}, product.initial()}};
    if (!product[product.initial()].open) level.clear();
    for (std::size_t n = 0; !level.empty(); ++n) {
        std::vector<Item> next;
        std::size_t seen = 0;
        for (Item& item : level) {
            const Pair& pair = product[item.pair];
            if (seen++ % 1024 == 0 && deadline.passed())
                return made.complete = false, made.why = "time limit", made;
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
