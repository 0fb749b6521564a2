// explore(): which machines are searched together, with what capacities, and what the results add up to.
//
// With reduction every group is searched by itself, and of groups that differ only in names one. Without, all
// machines are one search. Capacities: the bound if it is small; else guesses, doubled for each channel that
// was too small until none is. Without a bound, weights (boundedness.h) may prove beforehand that this ends;
// otherwise the run to an overflowing channel is looked at for a loop that can be repeated for ever, and the
// search is neither reduced (a reduced space may always read before it writes) nor split over threads (which
// run is looked at must not depend on chance).

#include "explore/safety.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "explore/boundedness.h"
#include "explore/capacities.h"
#include "explore/group_search.h"
#include "explore/memory.h"

namespace treaty::explore {
namespace {

using base::Answer;
using base::StopReason;
using model::Mode;

class Explorer {
public:
    Explorer(const model::System& system, const ExploreOptions& options)
        : system_(system),
          options_(options),
          semantics_(system, options.finals_rest),
          budget_(options.limits.memory) {}

    ExploreReport run() {
        report_.complete = true;
        report_.reduced = options_.reduce;
        std::vector<std::uint32_t> all(system_.machines().size());
        std::iota(all.begin(), all.end(), 0u);
        std::stable_sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
            return semantics_.groups()[a] < semantics_.groups()[b];
        });
        if (!options_.reduce) {
            search(all);
        } else {
            std::set<std::vector<std::uint32_t>> known;
            for (std::size_t i = 0; i < all.size() && report_.stopped == StopReason::none;) {
                std::size_t end = i;
                while (end < all.size() && semantics_.groups()[all[end]] == semantics_.groups()[all[i]])
                    ++end;
                std::vector<std::uint32_t> group(all.begin() + static_cast<long>(i),
                                                 all.begin() + static_cast<long>(end));
                i = end;
                if (known.insert(shape(group)).second) search(group);
            }
        }
        conclude();
        return std::move(report_);
    }

private:
    // Equal for groups that differ in the names of roles and the numbers of machines only.
    std::vector<std::uint32_t> shape(const std::vector<std::uint32_t>& group) const {
        std::vector<std::uint32_t> result{static_cast<std::uint32_t>(group.size())};
        std::map<model::RoleId, std::uint32_t> roles;
        auto number = [&](model::RoleId role) {
            return roles.emplace(role, static_cast<std::uint32_t>(roles.size())).first->second;
        };
        for (std::uint32_t m : group) number(system_.machines()[m].role());
        for (std::uint32_t i : group) {
            const model::Machine& m = system_.machines()[i];
            result.push_back(static_cast<std::uint32_t>(m.state_count()));
            for (std::size_t s = 0; s < m.state_count(); ++s) {
                auto out = m.out(model::StateId(s));
                result.push_back(m.final(model::StateId(s)));
                result.push_back(static_cast<std::uint32_t>(out.size()));
                // By what the labels mean, as their numbers differ from group to group.
                std::vector<std::array<std::uint32_t, 5>> edges;
                for (const model::Edge& e : out) {
                    const model::Event& event = system_.alphabet().event(e.label);
                    bool silent = event.kind == model::EventKind::silent;
                    edges.push_back({static_cast<std::uint32_t>(event.kind), silent ? 0 : number(event.from),
                                     silent ? 0 : number(event.to), event.message.index, e.target.index});
                }
                std::sort(edges.begin(), edges.end());
                for (const auto& e : edges) result.insert(result.end(), e.begin(), e.end());
            }
        }
        return result;
    }

    void search(const std::vector<std::uint32_t>& machines) {
        bool certain = system_.channels().mode == Mode::sync || system_.channels().bound ||
                       weights_bound(semantics_, machines);
        for (Capacities capacities(semantics_);;) {
            SystemLayout layout(semantics_, machines, capacities.values());
            if (layout.words() > max_width) {
                report_.complete = false;
                report_.reason =
                    fmt::format("a configuration takes {} words, more than the {} that can be searched",
                                layout.words(), max_width);
                return;
            }
            SystemProgram program(layout, capacities.exact());
            ExploreOptions options = options_;
            if (!certain) options.jobs = 1;
            if (options.limits.states != UINT64_MAX)
                options.limits.states -= std::min(options.limits.states, report_.states);
            GroupResult result = search_groups(program, options_.reduce && certain, options, budget_);
            bool again = !result.overflowed.empty() && result.outcome.stopped == StopReason::none;
            if (again && !certain)
                if (auto pump = find_pump(semantics_, result.overflow)) {
                    add_unbounded(*pump, std::move(result.overflow));
                    again = false;
                }
            if (again && capacities.raise(result.overflowed)) continue;
            if (again)
                report_.reason = fmt::format("a channel holds more than {} messages", Capacities::most);
            return add(std::move(result));
        }
    }

    void add_unbounded(const Pump& pump, Run run) {
        Unsafe u;
        u.kind = UnsafeKind::unbounded_channel;
        u.shortest = false;
        u.run = std::move(run);
        u.run.resize(pump.end);
        u.repeat = pump.begin;
        u.channel = semantics_.channels()[pump.channel];
        u.role = u.channel.to;
        u.end = *semantics_.replay(u.run);
        keep(std::move(u));
    }

    void add(GroupResult result) {
        report_.states += result.outcome.states;
        report_.transitions += result.outcome.transitions;
        report_.depth = std::max(report_.depth, result.outcome.depth);
        report_.complete = report_.complete && result.outcome.complete;
        if (report_.stopped == StopReason::none) report_.stopped = result.outcome.stopped;
        for (Unsafe& u : result.unsafe) keep(std::move(u));
    }

    // One a kind: the shorter run.
    void keep(Unsafe u) {
        for (Unsafe& known : report_.unsafe)
            if (known.kind == u.kind) {
                if (u.run.size() < known.run.size()) known = std::move(u);
                return;
            }
        report_.unsafe.push_back(std::move(u));
    }

    void conclude() {
        report_.bytes = budget_.peak();
        std::sort(report_.unsafe.begin(), report_.unsafe.end(),
                  [](const Unsafe& a, const Unsafe& b) { return a.kind < b.kind; });
        if (!report_.unsafe.empty()) {
            report_.answer = Answer::fails;
            const Unsafe& first = report_.unsafe[0];
            report_.reason = fmt::format("{} after {} event{}", to_string(first.kind), first.run.size(),
                                         first.run.size() == 1 ? "" : "s");
        } else if (report_.complete) {
            report_.answer = Answer::holds;
            report_.reason = "every reachable configuration is safe";
        } else {
            report_.answer = Answer::undecided;
            if (report_.stopped != StopReason::none)
                report_.reason = fmt::format("{} after {} configurations", base::to_string(report_.stopped),
                                             report_.states);
        }
    }

    const model::System& system_;
    const ExploreOptions& options_;
    Semantics semantics_;
    Budget budget_;
    ExploreReport report_;
};

}  // namespace

std::string_view to_string(UnsafeKind kind) {
    switch (kind) {
        case UnsafeKind::deadlock: return "deadlock";
        case UnsafeKind::orphan_message: return "orphan message";
        case UnsafeKind::unspecified_reception: return "unspecified reception";
        case UnsafeKind::stuck_role: return "stuck role";
        case UnsafeKind::unbounded_channel: return "unbounded channel";
    }
    return "";
}

ExploreReport explore(const model::System& system, const ExploreOptions& options) {
    return Explorer(system, options).run();
}

}  // namespace treaty::explore
