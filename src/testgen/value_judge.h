// Mutants of protocols with data, judged with a few values: all machines for these values, the changed one
// among them (DataSetting), all choices open.
//
// A failure counts if the projection passes the test in which it happens, so that the test is suitable, and
// if no sender was left without a value that it could have had (DataSetting::starved), where that may be what
// the run ended for. With fewer rounds than a mutant takes nothing is known. Passing is a verdict only if
// these are all values there are. Safe to use concurrently.
#pragma once

#include <memory>
#include <optional>

#include "testgen/mutation.h"

namespace treaty::testgen {

class ValueJudge {
public:
    ValueJudge(const Projections& projections, model::RoleId cut, const MutationOptions& options);

    // killed or survived, with the failure; or, with all values, what it is; or undecided with the reason,
    // and with the setting if it passes there.
    MutantVerdict judge(std::shared_ptr<const DataSetting> setting) const;

private:
    bool passes(const model::Machine& machine, const Projections& concrete, const TestCase& test) const;
    std::optional<TestCase> suitable_failure(const DataSetting& setting) const;
    MutantVerdict failed(const std::shared_ptr<const DataSetting>& setting, TestCase whole,
                         Failure open) const;

    const Projections& projections_;
    model::RoleId cut_;
    bool global_;
    ComplianceOptions compliance_;
};

}  // namespace treaty::testgen
