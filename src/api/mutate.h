// mutate: how good the tests of a role are.
//
// Components that are wrong in one place are made from the role's machine and from the protocol
// (testgen/mutants.h) and run with the tests (testgen/mutation.h). The verdict: fails if one of them passes
// although a tester could tell; undecided if a limit was reached; else holds. At most 2,000 cases are used:
// where a protocol has more, some are drawn with the seed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/suite/judging.h"
#include "api/suite/test_source.h"
#include "api/workspace.h"
#include "model/machine.h"
#include "testgen/mutants.h"
#include "testgen/mutation.h"

namespace treaty::api {

enum class MutationLevel : std::uint8_t { machine, protocol, both };

struct MutateQuestion {
    std::string file;                     // a protocol
    std::string cut;                      // the role whose component is changed
    std::string tests;                    // a file or folder of tests; empty: those of the protocol
    std::optional<std::uint64_t> sample;  // draw so many of the protocol's cases, if there are more
    MutationLevel level = MutationLevel::both;
    TestOptions which;
    JudgeOptions judge;
};

// How many mutants had which fate.
class MutantCounts {
public:
    void add(testgen::Fate fate) { ++by_fate_[static_cast<std::size_t>(fate)]; }
    std::size_t of(testgen::Fate fate) const { return by_fate_[static_cast<std::size_t>(fate)]; }
    std::size_t all() const;
    // The part that was killed of those that should have been; 1 if there are none.
    double score() const;

private:
    std::array<std::size_t, 5> by_fate_{};
};

// A part of the role's machine that a mutant has changed: an edge by its position in out(state), or the state
// itself.
struct MutantPlace {
    model::StateId state;
    std::optional<std::size_t> edge;
};

struct JudgedMutant {
    testgen::Operator op = testgen::Operator::remove_output;
    std::string what;        // was changed
    std::uint32_t line = 0;  // of the step it is about; 0: unknown
    testgen::Fate fate = testgen::Fate::undecided;
    std::string explanation;  // of the fate
    // What killed it: a case by its number, or what a case fixes that is not among the tests.
    std::optional<Count> test;
    std::optional<std::vector<std::string>> choices;
    // Killed: the run that fails. Survived: what a tester with all choices open would see.
    std::optional<model::Run> run;
    std::vector<MutantPlace> places;
};

struct MutateAnswer : Answer {
    std::size_t tests = 0;  // how many
    std::vector<JudgedMutant> mutants;
    std::optional<model::Machine> component;  // the role's machine, unchanged; none: no mutants were judged

    MutantCounts total() const;
    MutantCounts of(testgen::Operator op) const;
};

MutateAnswer mutate(const Workspace& workspace, const MutateQuestion& question, const Context& context);

}  // namespace treaty::api
