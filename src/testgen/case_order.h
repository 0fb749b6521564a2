// Test cases in an order in which the first few already exercise most of the component.
//
// A case covers a transition of the component's projection if some run of the projection with the case takes
// it. The order is greedy: each case adds as many transitions as any other could, the smaller number first
// among equals; what adds nothing comes last, by number. Cost: one exploration a case, so it is for thousands
// of cases; choose among more by sampling first.
#pragma once

#include <vector>

#include "model/system.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

struct OrderedCase {
    Count number;
    std::size_t added = 0;    // transitions that no case before it covers
    std::size_t covered = 0;  // by it and all before it
};

std::vector<OrderedCase> by_coverage(const TestSuite& suite, const std::vector<Count>& cases,
                                     const model::Channels& channels);

// The transitions of the component that a case covers, numbered state by state.
std::vector<bool> coverage_of(const model::Machine& component, const TestCase& test,
                              const model::Channels& channels);

}  // namespace treaty::testgen
