#include "testgen/value_judge.h"

#include <algorithm>

#include <fmt/format.h>

#include "testgen/follow.h"

namespace treaty::testgen {
namespace {

using model::StateId;

constexpr std::size_t most_positions = 30'000;  // of an observer
constexpr std::size_t most_cases = 200;         // that are tried one by one

// How many events its longest run has: with loops unrolled, a component that has longer ones may only take
// more rounds.
bool takes_rounds_alike(const model::Machine& mutant, const model::Machine& original) {
    auto longest = [](const model::Machine& machine) {
        std::vector<std::size_t> length(machine.state_count(), 0);
        for (std::size_t round = 0, changed = 1; changed > 0 && round <= length.size(); ++round) {
            changed = 0;
            for (std::size_t s = length.size(); s-- > 0;)
                for (const model::Edge& edge : machine.out(StateId(s)))
                    if (length[edge.target.index] + 1 > length[s]) {
                        length[s] = length[edge.target.index] + 1;
                        ++changed;
                    }
        }
        return length[0];
    };
    return longest(mutant) <= longest(original);
}

MutantVerdict undecided(std::string reason) {
    MutantVerdict verdict;
    verdict.explanation = std::move(reason);
    return verdict;
}

std::string with(const DataSetting& setting) {
    return setting.values.empty() ? "" : fmt::format(" (with the values {})", setting.values);
}

}  // namespace

ValueJudge::ValueJudge(const Projections& projections, model::RoleId cut, const MutationOptions& options)
    : projections_(projections), cut_(cut), global_(options.global), compliance_(options.compliance) {
    compliance_.rounds = nullptr;  // rounds are counted without data
    compliance_.whole_run = true;
    compliance_.limits.states = std::min<std::uint64_t>(compliance_.limits.states, 50'000);
}

// With all choices open first, then the case that makes the choices of the run that failed.
MutantVerdict ValueJudge::judge(std::shared_ptr<const DataSetting> setting) const {
    const Projections& concrete = setting->projections;
    const model::Machine& component = *setting->component;
    TestSuite suite(concrete, cut_, Keep::reachable, final_states(concrete));
    Observer observer(concrete, cut_, compliance_.channels, compliance_.limits.time, most_positions);
    TestCase whole = suite.whole();
    auto open = comply(component, whole.machines, global_ ? &observer : nullptr, compliance_);
    if (open.answer == base::Answer::undecided) return undecided(open.reason);
    if (open.answer == base::Answer::fails)
        return failed(setting, std::move(whole), std::move(*open.failure));
    bool seen =
        !global_ && comply(component, whole.machines, &observer, compliance_).answer == base::Answer::fails;
    if (seen)
        return {Fate::survived, 0, {}, {}, "the other roles together could notice it" + with(*setting), {}};
    if (!setting->all_values) {
        MutantVerdict open_still =
            undecided(fmt::format("no difference{}; others were not tried", with(*setting)));
        open_still.setting = std::move(setting);
        return open_still;
    }
    bool refinement = refines(component, concrete.machines[*concrete.position(cut_)]);
    return {refinement ? Fate::equivalent : Fate::unobservable,
            0,
            {},
            {},
            (refinement ? "it only makes fewer of its own choices"
                        : "the other roles always see a run of the protocol") +
                std::string(", with all values"),
            {}};
}

MutantVerdict ValueJudge::failed(const std::shared_ptr<const DataSetting>& setting, TestCase whole,
                                 Failure open) const {
    const Projections& concrete = setting->projections;
    const model::Machine& component = *setting->component;
    const model::Machine& original = concrete.machines[*concrete.position(cut_)];
    if (!projections_.unbounded.empty() && !takes_rounds_alike(component, original))
        return undecided("it takes another number of rounds than the tests do" + with(*setting));
    if (setting->starved && open.kind != FailureKind::refused)
        return undecided("no value was found for a message that may have to be sent" + with(*setting));
    TestCase test = follow(whole, open.run);
    bool suitable = passes(setting->reference.value_or(original), concrete, test);
    if (!suitable)
        if (auto other = suitable_failure(*setting)) {
            test = std::move(*other);
            suitable = true;
        }
    if (!suitable)
        return undecided("the role's own projection does not pass the test that would show it" +
                         with(*setting));
    Observer observer(concrete, cut_, compliance_.channels, compliance_.limits.time, most_positions);
    auto closed = comply(component, test.machines, global_ ? &observer : nullptr, compliance_);
    bool killed = closed.answer == base::Answer::fails;
    Failure failure = killed ? std::move(*closed.failure) : std::move(open);
    std::string reason = failure.reason + with(*setting);
    return {killed ? Fate::killed : Fate::survived,
            0,
            killed ? std::move(test) : std::move(whole),
            std::move(failure),
            std::move(reason),
            setting};
}

bool ValueJudge::passes(const model::Machine& machine, const Projections& concrete,
                        const TestCase& test) const {
    Observer observer(concrete, cut_, compliance_.channels, compliance_.limits.time, most_positions);
    return comply(machine, test.machines, global_ ? &observer : nullptr, compliance_).answer ==
           base::Answer::holds;
}

// Where the protocol can go wrong by itself, the shortest run may be one of those. So some of its cases are
// tried: one that the projection passes and the mutant fails.
std::optional<TestCase> ValueJudge::suitable_failure(const DataSetting& setting) const {
    const Projections& concrete = setting.projections;
    const model::Machine& original = concrete.machines[*concrete.position(cut_)];
    TestSuite suite(concrete, cut_, Keep::reachable, final_states(concrete), Mixed::also_wait);
    if (!suite.counted()) return std::nullopt;
    for (const Count& i : sample_cases(suite.size(), most_cases, 1)) {
        if (compliance_.limits.time.passed()) return std::nullopt;
        TestCase test = suite.at(i);
        Observer observer(concrete, cut_, compliance_.channels, compliance_.limits.time, most_positions);
        auto result = comply(*setting.component, test.machines, global_ ? &observer : nullptr, compliance_);
        if (result.answer != base::Answer::fails) continue;
        if (setting.starved && result.failure->kind != FailureKind::refused) continue;
        if (passes(setting.reference.value_or(original), concrete, test)) return test;
    }
    return std::nullopt;
}

}  // namespace treaty::testgen
