// All test cases of one role, numbered and made one at a time (Coto 2023, definition 3.5 and equation 3.2).
//
// A case has one machine for each role other than the one that is cut out, each a way to fix its choices
// (split.h); the cases are all combinations. Nothing is built before it is asked for, so a suite of any size
// can be counted, sampled and ordered. Every case satisfies definition 3.5: its machines are deterministic,
// have at most one edge where they send, and no event of the role that is tested. With Mixed::also_wait there
// are also the cases in which roles wait where they could send. The suite keeps references
// into the projections, which must outlive it. Reading from many threads is safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testgen/projections.h"
#include "testgen/split.h"

namespace treaty::testgen {

// A machine of a test and the states in which the test may have succeeded.
struct TestMachine {
    model::Machine machine;
    std::vector<bool> success;     // by state
    std::vector<bool> waits = {};  // by state: it could send and waits; empty if it never does
};

// One decision that a case fixes: a role sends this and not one of the others, or waits, or stops.
struct FixedChoice {
    model::RoleId role;
    model::NodeId node;   // the step of the protocol that is kept, or the first that is dropped
    model::LabelId kept;  // none: the role waits or stops
    std::vector<model::LabelId> dropped;
    std::vector<model::LabelId> awaited = {};  // not empty: the role waits for one of these
};

struct TestCase {
    Count index = 0;
    std::vector<TestMachine> machines;
    std::vector<FixedChoice> choices;
};

// By role (its position in the projections) and state of its projection: whether the test may succeed there.
using SuccessStates = std::vector<std::vector<bool>>;

// The default oracle: final states and states without edges.
SuccessStates final_states(const Projections& projections);

class TestSuite {
public:
    TestSuite(const Projections& projections, model::RoleId cut, Keep keep, SuccessStates success,
              Mixed mixed = Mixed::send_first);

    model::RoleId cut() const { return cut_; }
    Mixed mixed() const { return mixed_; }
    const Projections& projections() const { return *projections_; }
    const model::Machine& component() const { return projections_->machines[cut_position_]; }
    std::vector<const model::Machine*> others() const;  // the machines that are split, whole
    bool whole_run() const { return whole_run_; }       // success means the end of the protocol

    bool counted() const { return counted_; }
    const Count& size() const { return size_; }  // valid if counted()
    TestCase at(const Count& index) const;       // valid for index < size()
    // What a way to fix the choices of a machine decides.
    static void describe_choices(const model::Machine& machine, const Fixing& fixing,
                                 std::vector<FixedChoice>& into);
    // All choices open: not a test case, but the most a tester can do.
    TestCase whole() const;

private:
    const Projections* projections_;
    model::RoleId cut_;
    std::size_t cut_position_;
    Keep keep_;
    Mixed mixed_;
    SuccessStates success_;
    bool whole_run_;
    std::vector<std::size_t> roles_;  // positions of the others
    std::vector<Splitting> splittings_;
    bool counted_ = true;
    Count size_ = 1;
};

// The first `wanted` numbers of cases, or so many different ones drawn with a seed, ascending.
std::vector<Count> first_cases(const Count& size, std::size_t wanted);
std::vector<Count> sample_cases(const Count& size, std::size_t wanted, std::uint64_t seed);

// "B sends denied to A, not granted": what a case fixes, in the words of the protocol.
std::string describe(const model::Alphabet& alphabet, const FixedChoice& choice);

// What breaks definition 3.5 in these machines as a test of the role; empty if nothing does.
std::string check_test_case(const std::vector<TestMachine>& machines, model::RoleId cut);

}  // namespace treaty::testgen
