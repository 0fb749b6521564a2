#include "testgen/valued.h"

#include <set>

#include "choreo/project.h"
#include "expr/solver.h"

namespace treaty::testgen {

using model::NodeId;

ValuedProtocol::ValuedProtocol(const Projections& projections)
    : projections_(projections), specification_(*projections.specification) {
    const model::Protocol& protocol = *projections.protocol;
    for (model::RoleId role : protocol.roles()) {
        auto machine = choreo::project(specification_, protocol, role);
        usable_ = usable_ && machine;
        if (!usable_) return;
        machines_.push_back(std::move(*machine.machine));
    }
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        if (protocol[NodeId(i)].guard) conditions_.push_back(protocol[NodeId(i)].guard);
        for (const model::Argument& argument : protocol.arguments(NodeId(i)))
            if (argument.value) conditions_.push_back(argument.value);
    }
    for (const model::Message& message : specification_.messages)
        if (message.where) conditions_.push_back(message.where);
    find_for_and_against();
}

const model::Machine& ValuedProtocol::machine(model::RoleId role) const {
    return machines_[*projections_.position(role)];
}

void ValuedProtocol::find_for_and_against() {
    expr::Pool& pool = *specification_.pool;
    expr::Solver solver(pool, std::chrono::milliseconds(200));
    std::set<expr::ExprId> asked_before;
    for (expr::ExprId condition : conditions_) {
        bool boolean = pool.types().kind(pool[condition].type) == expr::TypeKind::boolean;
        if (!boolean || !asked_before.insert(condition).second) continue;
        for (expr::ExprId asked : {condition, pool.logical_not(condition)}) {
            auto answer = solver.check(asked);
            if (answer.satisfiable != expr::Satisfiable::yes) continue;
            for (expr::VarId variable : pool.variables_of(condition))
                if (const expr::Value* value = answer.model.get(variable))
                    for_and_against_.emplace_back(pool.variable(variable).type, *value);
        }
    }
}

std::shared_ptr<DataSetting> ValuedProtocol::with(const model::Machine& changed, ChosenValues values,
                                                  std::string& reason) {
    for (const auto& [type, value] : for_and_against_) values.add(type, value);
    values.add_mentioned(conditions_);
    std::vector<const model::Machine*> machines;
    for (const model::Machine& m : machines_) machines.push_back(&m);
    machines.push_back(&changed);
    auto concrete = make_concrete(specification_, machines, values, work_);
    reason = concrete.reason;
    if (!reason.empty()) return nullptr;
    auto setting = std::make_shared<DataSetting>();
    setting->component = std::move(concrete.machines.back());
    concrete.machines.pop_back();
    setting->projections = projections_;
    setting->projections.machines = std::move(concrete.machines);
    setting->values = values.print();
    setting->all_values = true;
    for (const model::Message& message : specification_.messages)
        for (const expr::Field& field : message.fields)
            setting->all_values = setting->all_values && values.all_of(field.type);
    return setting;
}

}  // namespace treaty::testgen
