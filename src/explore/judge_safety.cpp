#include "explore/judge_safety.h"

#include <algorithm>

#include <fmt/format.h>

#include "explore/exhaustive_bound.h"

namespace treaty::explore {
namespace {

constexpr std::uint32_t largest_capacity = 3;

// Faults that are faults over unbounded channels too, although they were found with a capacity.
class Genuine {
public:
    explicit Genuine(const model::System& unbounded) : semantics_(unbounded) {}

    bool operator()(const Unsafe& unsafe) const {
        switch (unsafe.kind) {
            case UnsafeKind::unspecified_reception: return true;  // what is first in a queue stays first
            case UnsafeKind::deadlock:
            case UnsafeKind::orphan_message: return ended(unsafe);
            case UnsafeKind::stuck_role:  // others might go on differently with more room
            case UnsafeKind::unbounded_channel: return false;
        }
        return false;
    }

private:
    // No machine of the group waits only for room.
    bool ended(const Unsafe& unsafe) const {
        auto position = semantics_.system().machine_of(unsafe.role ? unsafe.role : unsafe.channel.to);
        if (!position) return false;
        for (const Run& step : semantics_.steps(unsafe.end))
            if (semantics_.groups()[step[0].machine] == semantics_.groups()[*position]) return false;
        return true;
    }

    Semantics semantics_;
};

std::string grows(const model::System& system, const Channel& channel) {
    const model::Alphabet& names = system.alphabet();
    if (!channel.from) return fmt::format("the mailbox of {} can grow without bound", names.name(channel.to));
    return fmt::format("the channel from {} to {} can grow without bound", names.name(channel.from),
                       names.name(channel.to));
}

void search_small_capacities(const model::System& system, const ExploreOptions& options,
                             SafetyVerdict& verdict) {
    Genuine genuine(system);
    for (std::uint32_t capacity = 1; capacity <= largest_capacity; ++capacity) {
        ExploreReport report = explore(with_channels(system, {system.channels().mode, capacity}), options);
        std::erase_if(report.unsafe, [&](const Unsafe& unsafe) { return !genuine(unsafe); });
        verdict.report.states += report.states;
        verdict.report.transitions += report.transitions;
        if (report.unsafe.empty()) continue;
        report.answer = base::Answer::fails;
        report.complete = false;
        verdict.report = std::move(report);
        verdict.bound = capacity;
        return;
    }
}

}  // namespace

model::System with_channels(const model::System& system, model::Channels channels) {
    std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
    return *model::make_system(system.name(), std::move(machines), channels);
}

SafetyVerdict judge_safety(const model::System& system, const ExploreOptions& options) {
    SafetyVerdict verdict;
    verdict.report = explore(system, options);
    auto& unsafe = verdict.report.unsafe;
    auto growing = std::find_if(unsafe.begin(), unsafe.end(),
                                [](const Unsafe& u) { return u.kind == UnsafeKind::unbounded_channel; });
    if (growing == unsafe.end()) return verdict;
    verdict.growth = std::move(*growing);
    ExhaustiveBound enough = exhaustive_bound(system, largest_capacity);
    if (enough.bound) {
        verdict.report = explore(with_channels(system, {system.channels().mode, *enough.bound}), options);
        verdict.bound = enough.bound;
        verdict.exact_bound = true;
        verdict.same_words = enough.same_words;
        return verdict;
    }
    unsafe.erase(growing);
    verdict.report.complete = false;
    if (!unsafe.empty()) {
        verdict.report.answer = base::Answer::fails;
        return verdict;
    }
    verdict.report.answer = base::Answer::undecided;
    verdict.report.reason = grows(system, verdict.growth->channel) + ", and " + enough.reason;
    search_small_capacities(system, options, verdict);
    return verdict;
}

}  // namespace treaty::explore
