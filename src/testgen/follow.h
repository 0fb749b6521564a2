// The test case that makes the choices the other roles made in a run with all choices open.
//
// A machine without cycles is in a state at most once in a run, so what it did there can be fixed: the send
// it took, that it waited, or that it stopped where the run ends. Choices that the run does not come to are
// made in some way. So the run is a run of the case, and what is wrong with it is wrong there: a component
// that fails with all choices open fails this case, whatever the channels.
//
// Machines with loops come through their states again and may decide otherwise then. A test of such a run has
// the run's own way unrolled, and leaves it, or goes on after it, by the shortest way to an end.
#pragma once

#include "explore/configuration.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

// whole: TestSuite::whole(). run: of a component (machine 0) with its machines. The index is -1: the
// case has no number.
TestCase follow(const TestCase& whole, const explore::Run& run);
TestCase follow_loops(const TestCase& whole, const explore::Run& run);

}  // namespace treaty::testgen
