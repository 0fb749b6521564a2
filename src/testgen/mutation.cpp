#include "testgen/mutation.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "testgen/follow.h"
#include "testgen/judge_with_data.h"

namespace treaty::testgen {
namespace {

using model::StateId;

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
          observer_(projections, cut, options.compliance.channels, options.compliance.limits.time) {
        options_.compliance.rounds = &projections;
    }

    MutantVerdict judge(const Mutant& mutant) {
        if (!mutant.unknown.empty()) return undecided(mutant.unknown);
        if (!mutant.same.empty()) return {Fate::equivalent, 0, {}, {}, mutant.same, {}};
        if (!mutant.unseen.empty()) return {Fate::unobservable, 0, {}, {}, mutant.unseen, {}};
        if (mutant.op == Operator::change_data) return {};  // judge_with_data.h
        return judge_steps(mutant);
    }

private:
    MutantVerdict judge_steps(const Mutant& mutant) {
        if (refines(mutant.machine, original_)) return less(false);
        if (!projections_.unbounded.empty() && refines(mutant.machine, with_loops())) return less(true);
        Looked looked;
        if (options_.every_case) looked = look_at_all(mutant);
        if (looked.killed) return std::move(*looked.killed);
        if (!looked.passes)
            if (auto verdict = try_each(mutant)) return std::move(*verdict);
        return explain(mutant);
    }

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
                fmt::format("it only makes fewer of {}'s own choices{}", alphabet_.name(cut_),
                            rounds ? ", though perhaps more rounds than the tests have" : ""),
                {},
                rounds};
    }

    Observer* verdict_observer() { return options_.global ? &observer_ : nullptr; }

    std::optional<MutantVerdict> try_each(const Mutant& mutant) {
        for (std::size_t i = 0; i < tests_.size(); ++i) {
            auto result = comply(mutant.machine, tests_[i].machines, verdict_observer(), options_.compliance);
            if (result.answer == base::Answer::undecided && !result.beyond) return undecided(result.reason);
            if (result.answer != base::Answer::fails) continue;
            std::string reason = result.failure->reason;
            return MutantVerdict{Fate::killed, i, {}, std::move(result.failure), std::move(reason), {}};
        }
        return std::nullopt;
    }

    // All cases at once: with all choices open. A run that fails is one of a case (follow.h). And every run
    // of a case is one of these, so if none fails no case does; except where a send may have to wait, and a
    // case insists on it.
    struct Looked {
        std::optional<MutantVerdict> killed;
        bool passes = false;
    };
    Looked look_at_all(const Mutant& mutant) {
        ComplianceOptions quick = options_.compliance;
        quick.limits.states = std::min<std::uint64_t>(quick.limits.states, 50'000);
        auto open = comply(mutant.machine, whole_.machines, verdict_observer(), quick);
        if (open.failure) return {by_its_case(mutant, *open.failure), false};
        bool free = quick.channels.mode != model::Mode::sync && !quick.channels.bound;
        return {{}, free && (open.answer == base::Answer::holds || open.beyond)};
    }

    std::optional<MutantVerdict> by_its_case(const Mutant& mutant, const Failure& open) {
        TestCase test = follow(whole_, open.run);
        auto result = comply(mutant.machine, test.machines, verdict_observer(), options_.compliance);
        if (result.answer != base::Answer::fails) return std::nullopt;
        std::string reason = result.failure->reason;
        MutantVerdict verdict{Fate::killed, 0, {}, std::move(result.failure), std::move(reason), {}};
        for (std::size_t i = 0; i < tests_.size(); ++i)
            if (same_case(tests_[i], test)) {
                verdict.test = i;
                return verdict;
            }
        verdict.own_test = std::move(test);
        return verdict;
    }

    static bool same_case(const TestCase& a, const TestCase& b) {
        for (std::size_t m = 0; m < a.machines.size(); ++m)
            if (!model::same_machine(a.machines[m].machine, b.machines[m].machine) ||
                a.machines[m].waits != b.machines[m].waits)
                return false;
        return true;
    }

    // The other roles with the loops in them.
    TestCase with_rounds() const {
        TestCase open;
        for (const model::Machine& machine : projections_.unbounded) {
            if (machine.role() == cut_) continue;
            TestMachine test{machine, {}};
            for (std::size_t s = 0; s < machine.state_count(); ++s)
                test.success.push_back(machine.final(StateId(s)) || machine.out(StateId(s)).empty());
            open.machines.push_back(std::move(test));
        }
        return open;
    }

    // It goes on for more rounds than the tests do, where nothing is compared with the protocol. But if all
    // others have their loops, and it makes them wait for ever or leaves a message over, it is wrong there,
    // as long as the projection with as few rounds does not; and a test has the rounds of this run.
    MutantVerdict later(const Mutant& mutant) {
        ComplianceOptions options = options_.compliance;
        options.rounds = nullptr;
        options.limits.states = std::min<std::uint64_t>(options.limits.states, 50'000);
        TestCase open = with_rounds();
        if (!fair_) fair_ = comply(original_, open.machines, nullptr, options).answer == base::Answer::holds;
        MutantVerdict verdict = undecided("it takes more rounds of a loop than the tests do");
        if (!*fair_ || !options_.every_case || !options.whole_run) return verdict;
        auto result = comply(mutant.machine, open.machines, nullptr, options);
        if (result.answer != base::Answer::fails) return verdict;
        TestCase test = follow_loops(open, result.failure->run);
        auto closed = comply(mutant.machine, test.machines, nullptr, options);
        bool suitable = comply(original_, test.machines, nullptr, options).answer == base::Answer::holds;
        if (!suitable || closed.answer != base::Answer::fails) return verdict;
        // With all loops open the projection may go round for ever, too.
        if (closed.failure->kind == FailureKind::endless || closed.failure->kind == FailureKind::flood)
            return verdict;
        std::string reason = closed.failure->reason + " (in a later round)";
        return {Fate::killed, 0, std::move(test), std::move(closed.failure), std::move(reason), {}};
    }

    // Why it passed: whether any other role could have seen the difference.
    MutantVerdict explain(const Mutant& mutant) {
        MutantVerdict verdict;
        auto taken = taken_edges(mutant.machine, whole_.machines, options_.compliance.channels);
        if (taken && refines(mutant.machine, original_, &*taken)) return less(false);
        if (taken && !projections_.unbounded.empty() && refines(mutant.machine, with_loops(), &*taken))
            return less(true);
        auto result = comply(mutant.machine, whole_.machines, &observer_, options_.compliance);
        if (result.answer != base::Answer::fails && result.beyond) return later(mutant);
        if (result.answer == base::Answer::undecided) return undecided(result.reason);
        if (result.answer == base::Answer::fails && options_.global && options_.every_case)
            if (auto caught = by_its_case(mutant, *result.failure)) return std::move(*caught);
        if (result.answer == base::Answer::fails) {
            verdict.fate = Fate::survived;
            verdict.explanation =
                fmt::format("a more precise test would notice it: {}", result.failure->reason);
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
    std::optional<bool> fair_;  // whether the projection passes with others that take more rounds, if asked
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
    explore::Stepping stepping(machines, channels);
    TakenEdges taken;
    for (std::size_t s = 0; s < component.state_count(); ++s)
        taken.emplace_back(component.out(model::StateId(s)).size(), false);
    absl::flat_hash_set<explore::Configuration> known{stepping.initial()};
    std::vector<explore::Configuration> waiting{stepping.initial()};
    std::vector<explore::Stepping::Move> moves;
    while (!waiting.empty()) {
        explore::Configuration at = std::move(waiting.back());
        waiting.pop_back();
        stepping.moves(at, moves);
        for (const auto& move : moves) {
            if (move.machine == 0) taken[at.states[0].index][move.edge] = true;
            if (move.partner == 0) taken[at.states[0].index][move.partner_edge] = true;
            explore::Configuration next = stepping.after(at, move);
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
        for (std::size_t i = next++; i < mutants.size(); i = next++) {
            bool late = options.compliance.limits.time.passed();
            if (late)
                verdicts[i].explanation = "no time was left to judge it";
            else
                verdicts[i] = judge.judge(mutants[i]);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    DataJudge with_data(projections, cut, options);
    for (std::size_t i = 0; i < mutants.size(); ++i) with_data.judge(mutants[i], verdicts[i]);
    return verdicts;
}

}  // namespace treaty::testgen
