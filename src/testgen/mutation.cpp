#include "testgen/mutation.h"

#include <atomic>
#include <memory>
#include <thread>

#include <fmt/format.h>

namespace treaty::testgen {
namespace {

class MutantJudge {
public:
    MutantJudge(const Projections& projections, model::RoleId cut, const std::vector<TestCase>& tests,
                const TestCase& whole, const MutationOptions& options)
        : original_(projections.machines[*projections.position(cut)]),
          alphabet_(*projections.specification->alphabet),
          cut_(cut),
          tests_(tests),
          whole_(whole),
          options_(options),
          observer_(projections, cut, options.compliance.channels) {}

    MutantVerdict judge(const Mutant& mutant) {
        MutantVerdict verdict;
        if (mutant.data_only) {
            verdict.fate = Fate::unobservable;
            verdict.explanation = "only data differs, which abstract tests do not carry";
            return verdict;
        }
        if (refines(mutant.machine, original_)) {
            verdict.fate = Fate::equivalent;
            verdict.explanation = fmt::format("it only does less of {}'s own choosing", alphabet_.name(cut_));
            return verdict;
        }
        for (std::size_t i = 0; i < tests_.size(); ++i) {
            auto result = comply(mutant.machine, tests_[i].machines, options_.global ? &observer_ : nullptr,
                                 options_.compliance);
            if (result.answer == base::Answer::undecided) return undecided(result);
            if (result.answer == base::Answer::holds) continue;
            verdict.fate = Fate::killed;
            verdict.test = i;
            verdict.explanation = result.failure->reason;
            verdict.failure = std::move(result.failure);
            return verdict;
        }
        return explain(mutant);
    }

private:
    static MutantVerdict undecided(const Compliance& result) {
        MutantVerdict verdict;
        verdict.explanation = result.reason;
        return verdict;
    }

    // Why it passed: nobody could have told, or somebody could.
    MutantVerdict explain(const Mutant& mutant) {
        MutantVerdict verdict;
        auto result = comply(mutant.machine, whole_.machines, &observer_, options_.compliance);
        if (result.answer == base::Answer::undecided) return undecided(result);
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

    const model::Machine& original_;
    const model::Alphabet& alphabet_;
    model::RoleId cut_;
    const std::vector<TestCase>& tests_;
    const TestCase& whole_;
    const MutationOptions& options_;
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
