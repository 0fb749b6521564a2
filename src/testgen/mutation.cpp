#include "testgen/mutation.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "testgen/follow.h"

namespace treaty::testgen {
namespace {

using model::StateId;

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

class MutantJudge {
public:
    MutantJudge(const Projections& projections, model::RoleId cut, const std::vector<TestCase>& tests,
                const TestCase& whole, const MutationOptions& options)
        : projections_(projections),
          original_(projections.machines[*projections.position(cut)]),
          alphabet_(*projections.specification->alphabet),
          cut_(cut),
          tests_(tests),
          whole_(whole),
          options_(options),
          observer_(projections, cut, options.compliance.channels) {
        options_.compliance.rounds = &projections;
    }

    MutantVerdict judge(const Mutant& mutant) {
        if (!mutant.unknown.empty()) return undecided(mutant.unknown);
        if (!mutant.same.empty()) return {Fate::equivalent, 0, {}, {}, mutant.same};
        if (mutant.setting) return judge_data(mutant);
        if (refines(mutant.machine, original_)) return less(false);
        if (!projections_.unbounded.empty() && refines(mutant.machine, with_loops())) return less(true);
        MutantVerdict verdict;
        for (std::size_t i = 0; i < tests_.size(); ++i) {
            auto result = comply(mutant.machine, tests_[i].machines, options_.global ? &observer_ : nullptr,
                                 options_.compliance);
            if (result.answer == base::Answer::undecided && !result.beyond) return undecided(result.reason);
            if (result.answer != base::Answer::fails) continue;
            verdict.fate = Fate::killed;
            verdict.test = i;
            verdict.explanation = result.failure->reason;
            verdict.failure = std::move(result.failure);
            return verdict;
        }
        return explain(mutant);
    }

private:
    static MutantVerdict undecided(std::string reason) {
        MutantVerdict verdict;
        verdict.explanation = std::move(reason);
        return verdict;
    }

    const model::Machine& with_loops() const { return projections_.unbounded[*projections_.position(cut_)]; }

    MutantVerdict less(bool rounds) const {
        return {Fate::equivalent,
                0,
                {},
                {},
                fmt::format("it only does less of {}'s own choosing{}", alphabet_.name(cut_),
                            rounds ? ", though perhaps more rounds than the tests do" : "")};
    }

    // With values: all choices open first, then the case that makes the choices of the run that failed.
    MutantVerdict judge_data(const Mutant& mutant) {
        const Projections& concrete = mutant.setting->projections;
        const model::Machine& original = concrete.machines[*concrete.position(cut_)];
        std::string with = mutant.setting->values.empty()
                               ? ""
                               : fmt::format(" (with the values {})", mutant.setting->values);
        TestSuite suite(concrete, cut_, Keep::reachable, final_states(concrete));
        Observer observer(concrete, cut_, options_.compliance.channels);
        ComplianceOptions compliance = options_.compliance;
        compliance.rounds = nullptr;  // rounds are counted without data
        compliance.whole_run = true;
        compliance.limits.states = std::min<std::uint64_t>(compliance.limits.states, 50'000);
        bool limited = !projections_.unbounded.empty();
        TestCase whole = suite.whole();
        auto open = comply(mutant.machine, whole.machines, options_.global ? &observer : nullptr, compliance);
        if (open.answer == base::Answer::undecided) return undecided(open.reason);
        if (open.answer == base::Answer::fails) {
            if (limited && !takes_rounds_alike(mutant.machine, original))
                return undecided("it takes another number of rounds than the tests do" + with);
            TestCase test = follow(whole, open.failure->run);
            auto closed =
                comply(mutant.machine, test.machines, options_.global ? &observer : nullptr, compliance);
            bool killed = closed.answer == base::Answer::fails;
            auto& failure = killed ? closed.failure : open.failure;
            std::string reason = failure->reason + with;
            return {killed ? Fate::killed : Fate::survived, 0, killed ? std::move(test) : std::move(whole),
                    std::move(failure), std::move(reason)};
        }
        bool refinement = refines(mutant.machine, original);
        bool seen =
            !options_.global &&
            comply(mutant.machine, whole.machines, &observer, compliance).answer == base::Answer::fails;
        if (seen) return {Fate::survived, 0, {}, {}, "together the other roles could tell" + with};
        if (!mutant.setting->all_values)
            return undecided(fmt::format("no difference{}; others were not tried", with));
        return {refinement ? Fate::equivalent : Fate::unobservable,
                0,
                {},
                {},
                (refinement ? "it only does less of its own choosing"
                            : "the other roles always see a run of the protocol") +
                    std::string(", with all values there are")};
    }

    // The case that the run is of: all that make no role wait were passed.
    std::optional<MutantVerdict> with_waiting(const Mutant& mutant, const Failure& open) {
        TestCase test = follow(whole_, open.run);
        auto result = comply(mutant.machine, test.machines, &observer_, options_.compliance);
        if (result.answer != base::Answer::fails) return std::nullopt;
        std::string reason = result.failure->reason;
        return MutantVerdict{Fate::killed, 0, std::move(test), std::move(result.failure), std::move(reason)};
    }

    // Why it passed: nobody could have told, or somebody could.
    MutantVerdict explain(const Mutant& mutant) {
        MutantVerdict verdict;
        auto taken = taken_edges(mutant.machine, whole_.machines, options_.compliance.channels);
        if (taken && refines(mutant.machine, original_, &*taken)) return less(false);
        if (taken && !projections_.unbounded.empty() && refines(mutant.machine, with_loops(), &*taken))
            return less(true);
        auto result = comply(mutant.machine, whole_.machines, &observer_, options_.compliance);
        if (result.answer == base::Answer::undecided) return undecided(result.reason);
        if (result.answer == base::Answer::fails && options_.global && options_.every_case)
            if (auto caught = with_waiting(mutant, *result.failure)) return std::move(*caught);
        if (result.answer == base::Answer::fails) {
            verdict.fate = Fate::survived;
            verdict.explanation = fmt::format("a closer look would show it: {}", result.failure->reason);
            verdict.failure = std::move(result.failure);
            return verdict;
        }
        verdict.fate = Fate::unobservable;
        ComplianceOptions closer = options_.compliance;
        closer.observe_final = true;
        auto final = comply(mutant.machine, whole_.machines, &observer_, closer);
        if (final.answer == base::Answer::fails)
            verdict.explanation =
                fmt::format("only {} itself could say that it has not ended (--observe-final): {}",
                            alphabet_.name(cut_), final.failure->reason);
        else
            verdict.explanation =
                fmt::format("in all {} configurations with the other roles they see a run of the protocol",
                            result.states);
        return verdict;
    }

    const Projections& projections_;
    const model::Machine& original_;
    const model::Alphabet& alphabet_;
    model::RoleId cut_;
    const std::vector<TestCase>& tests_;
    const TestCase& whole_;
    MutationOptions options_;
    Observer observer_;
};

}  // namespace

std::string_view to_string(Fate fate) {
    switch (fate) {
        case Fate::killed: return "killed";
        case Fate::equivalent: return "equivalent";
        case Fate::unobservable: return "unobservable";
        case Fate::survived: return "survived";
        case Fate::undecided: return "undecided";
    }
    return {};
}

std::optional<TakenEdges> taken_edges(const model::Machine& component, const std::vector<TestMachine>& others,
                                      const model::Channels& channels, std::size_t limit) {
    std::vector<const model::Machine*> machines{&component};
    for (const TestMachine& other : others) machines.push_back(&other.machine);
    Composition composition(machines, channels);
    TakenEdges taken;
    for (std::size_t s = 0; s < component.state_count(); ++s)
        taken.emplace_back(component.out(model::StateId(s)).size(), false);
    absl::flat_hash_set<Position> known{composition.initial()};
    std::vector<Position> waiting{composition.initial()};
    std::vector<Composition::Move> moves;
    while (!waiting.empty()) {
        Position at = std::move(waiting.back());
        waiting.pop_back();
        composition.moves(at, moves);
        for (const auto& move : moves) {
            if (move.machine == 0) taken[at[0]][move.edge] = true;
            if (move.partner == 0) taken[at[0]][move.partner_edge] = true;
            Position next = composition.after(at, move);
            if (known.insert(next).second) waiting.push_back(std::move(next));
        }
        if (known.size() > limit) return std::nullopt;
    }
    return taken;
}

std::vector<MutantVerdict> judge_mutants(const Projections& projections, model::RoleId cut,
                                         const std::vector<Mutant>& mutants,
                                         const std::vector<TestCase>& tests, const TestCase& whole,
                                         const MutationOptions& options) {
    std::vector<MutantVerdict> verdicts(mutants.size());
    std::atomic<std::size_t> next{0};
    auto work = [&] {
        MutantJudge judge(projections, cut, tests, whole, options);
        for (std::size_t i = next++; i < mutants.size(); i = next++) verdicts[i] = judge.judge(mutants[i]);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    return verdicts;
}

}  // namespace treaty::testgen
