// All machines of a protocol for chosen values, with one of them changed: what changes are judged by where
// data matters.
//
// The values are those given, then some with which each condition of the protocol holds or does not, and the
// neighbours of what they mention (concrete.h), as far as there is room. Made
// once for a protocol; each setting takes from one amount of work, and beyond it there is none, with the
// reason. New messages are added to the alphabet.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "testgen/concrete.h"
#include "testgen/mutants.h"

namespace treaty::testgen {

class ValuedProtocol {
public:
    explicit ValuedProtocol(const Projections& projections, const base::Deadline& deadline = {});

    // False if a role has no machine with data; then there are no settings.
    bool usable() const { return usable_; }
    const model::Machine& machine(model::RoleId role) const;  // with data
    std::vector<const model::Machine*> machines() const;      // with data, by role
    // The changed machine is that of a role, with data, and so is the reference if one is given. A fault
    // if there is no setting.
    base::Result<std::shared_ptr<DataSetting>> with(const model::Machine& changed, ChosenValues values,
                                                    const model::Machine* reference = nullptr);

    // For these values of fields, and one of every other field.
    base::Result<std::shared_ptr<DataSetting>> narrow(const model::Machine& changed,
                                                      const std::vector<FieldValue>& values,
                                                      const model::Machine* reference = nullptr);

private:
    base::Result<std::shared_ptr<DataSetting>> make(const model::Machine& changed, const ChosenValues& values,
                                                    const model::Machine* reference);
    void find_for_and_against();

    const Projections& projections_;
    model::Specification& specification_;
    solve::Solver solver_;
    base::Deadline deadline_;
    bool usable_ = true;
    std::vector<model::Machine> machines_;  // with data, by role
    std::vector<expr::ExprId> conditions_;
    std::vector<std::pair<expr::TypeId, expr::Value>> for_and_against_;
    std::size_t work_ = 1'000'000;  // on machines with values, for all settings together
};

}  // namespace treaty::testgen
