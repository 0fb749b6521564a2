#include "testgen/judge_with_data.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::testgen {
namespace {

constexpr std::size_t most_configurations = 2'000;  // of one mutant
constexpr std::size_t most_configurations_in_all = 20'000;
constexpr std::size_t most_crowded = 3;

bool decided(Fate fate) {
    return fate == Fate::killed || fate == Fate::survived;
}

}  // namespace

DataJudge::World::World(const Projections& of, model::RoleId cut, const MutationOptions& options)
    : projections(of), valued(of, options.compliance.limits.time), values(of, cut, options) {
    if (valued.usable()) all.emplace(*of.specification, valued.machines(), *of.position(cut));
}

DataJudge::DataJudge(const Projections& projections, model::RoleId cut, const MutationOptions& options)
    : projections_(projections), cut_(cut), options_(options), work_(most_configurations_in_all) {}

DataJudge::World* DataJudge::world(bool more_rounds) {
    if (!world_) world_ = std::make_unique<World>(projections_, cut_, options_);
    if (!world_->all) return nullptr;
    if (!more_rounds) return world_.get();
    if (!longer_ && !no_longer_ && projections_.looped) {
        choreo::MachineLimits limits{100'000, std::size_t{1} << 28, options_.compliance.limits.time};
        longer_ = make_projections(*projections_.specification, *projections_.looped, 2 * projections_.times,
                                   limits)
                      .projections;
        if (longer_) longer_world_ = std::make_unique<World>(*longer_, cut_, options_);
        if (longer_world_) longer_world_->reference = &world_->valued.machine(cut_);
        no_longer_ = !longer_world_ || !longer_world_->all;
    }
    return no_longer_ ? nullptr : longer_world_.get();
}

AllValuesAnswer DataJudge::for_all_values(World& world, const model::Machine& mutant) {
    AllValuesAnswer answer;
    answer.reason = "the work for proofs is used up";
    if (work_ == 0) return answer;
    AllValuesOptions options{options_.compliance.channels, options_.compliance.observe_final, false,
                             std::min(work_, most_configurations), options_.compliance.limits.time};
    answer = world.all->judge(mutant, options);
    work_ -= std::min(work_, answer.configurations);
    return answer;
}

// Whether values that seem to show a difference really do.
bool DataJudge::shown(World& world, const Mutant& mutant, const AllValuesAnswer& answer,
                      MutantVerdict& verdict) {
    for (const auto& values : answer.suspects) {
        auto setting = world.valued.narrow(*mutant.with_data, values, world.reference);
        if (!setting) continue;
        MutantVerdict tried = world.values.judge(std::move(*setting));
        if (!decided(tried.fate)) continue;
        verdict = std::move(tried);
        return true;
    }
    return false;
}

// With some of all values: what is found, or with which nothing was.
MutantVerdict DataJudge::with_some(World& world, const Mutant& mutant) {
    MutantVerdict verdict;
    verdict.explanation = "there are too many combinations of values";
    if (world.crowded == most_crowded) return verdict;  // it is the protocol's, not the mutant's
    ChosenValues values(*world.projections.specification);
    for (const auto& [type, value] : mutant.values) values.add(type, value);
    auto setting = world.valued.with(*mutant.with_data, std::move(values), world.reference);
    if (setting) return world.values.judge(std::move(*setting));
    ++world.crowded;
    verdict.explanation = setting.error();
    return verdict;
}

void DataJudge::judge(const Mutant& mutant, MutantVerdict& verdict) {
    bool data = mutant.op == Operator::change_data;
    bool right = verdict.fate == Fate::equivalent || verdict.fate == Fate::unobservable;
    if (data ? right || !mutant.unknown.empty() : !right || !projections_.has_data) return;
    bool late = options_.compliance.limits.time.passed();
    AllValuesAnswer answer;
    MutantVerdict tried;
    World* here = late || !mutant.with_data ? nullptr : world(verdict.more_rounds);
    tried.explanation = late                ? "there was no time to judge it with data"
                        : !mutant.with_data ? "the role has no machine with data"
                                            : "a role has no machine with data";
    if (here) {
        answer = for_all_values(*here, *mutant.with_data);
        if (shown(*here, mutant, answer, verdict)) return;
        if (answer.answer != ForAllValues::passes) tried = with_some(*here, mutant);
    }
    bool proved = answer.answer == ForAllValues::passes;
    bool with_all = tried.fate == Fate::equivalent || tried.fate == Fate::unobservable;
    if (decided(tried.fate) || (data && with_all)) {
        verdict = std::move(tried);
    } else if (data && proved) {
        verdict.fate = Fate::unobservable;
        verdict.explanation = "whatever the values, the other roles see a run of the protocol";
    } else if (!data && (proved || with_all)) {
        verdict.explanation += "; whatever the values";
    } else if (!data && tried.setting) {
        verdict.explanation += fmt::format("; with the values {}, too", tried.setting->values);
    } else {
        std::string before = data ? "" : verdict.explanation + ", conditions ignored; ";
        verdict = {};
        verdict.explanation = before + tried.explanation;
        if (!answer.reason.empty()) verdict.explanation += fmt::format("; no proof: {}", answer.reason);
    }
}

}  // namespace treaty::testgen
