// The other kind of test: the mirror of the component (Coto 2023, chapter 5).
//
// The projection of the tested role with every send turned into the receive of it and every receive into its
// send: one machine that plays all other roles at once. Its choices are fixed like those of a projection
// (split.h), and cases are counted and numbered in the same way. It is not a local machine, so it cannot be
// written as a system, and it takes part in runs through explore::Stepping only. Compared with the tests of
// test_suite.h it knows the whole order of the component's events, also where the roles could not, and it
// sends each message only when the component is due to receive it.
#pragma once

#include <optional>
#include <vector>

#include "testgen/test_suite.h"

namespace treaty::testgen {

model::Machine dual_of(const model::Machine& machine);

class DualSuite {
public:
    DualSuite(const model::Machine& component, Keep keep);

    bool counted() const { return splitting_.counted(); }
    const Count& size() const { return splitting_.count(); }  // valid if counted()
    TestCase at(const Count& index) const;                    // valid for index < size()

private:
    model::Machine dual_;
    Keep keep_;
    Splitting splitting_;
};

}  // namespace treaty::testgen
