#include "testgen/valued.h"

#include <set>

#include "choreo/project.h"
#include "solve/solver.h"

namespace treaty::testgen {

using model::NodeId;

ValuedProtocol::ValuedProtocol(const Projections& projections, const base::Deadline& deadline)
    : projections_(projections),
      specification_(*projections.specification),
      solver_(*specification_.pool, std::chrono::milliseconds(200)),
      deadline_(deadline) {
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

std::vector<const model::Machine*> ValuedProtocol::machines() const {
    std::vector<const model::Machine*> all;
    for (const model::Machine& machine : machines_) all.push_back(&machine);
    return all;
}

void ValuedProtocol::find_for_and_against() {
    expr::Pool& pool = *specification_.pool;
    std::set<expr::ExprId> asked_before;
    for (expr::ExprId condition : conditions_) {
        bool boolean = pool.types().kind(pool[condition].type) == expr::TypeKind::boolean;
        if (!boolean || !asked_before.insert(condition).second) continue;
        for (expr::ExprId asked : {condition, pool.logical_not(condition)}) {
            auto answer = solver_.check(asked);
            if (answer.satisfiable != solve::Satisfiable::yes) continue;
            for (expr::VarId variable : pool.variables_of(condition))
                if (const expr::Value* value = answer.model.get(variable))
                    for_and_against_.emplace_back(pool.variable(variable).type, *value);
        }
    }
}

base::Result<std::shared_ptr<DataSetting>> ValuedProtocol::with(const model::Machine& changed,
                                                                ChosenValues values,
                                                                const model::Machine* reference) {
    for (const auto& [type, value] : for_and_against_) values.add(type, value);
    values.add_mentioned(conditions_);
    return make(changed, values, reference);
}

base::Result<std::shared_ptr<DataSetting>> ValuedProtocol::narrow(const model::Machine& changed,
                                                                  const std::vector<FieldValue>& given,
                                                                  const model::Machine* reference) {
    ChosenValues values(specification_);
    values.add_narrow(given);
    return make(changed, values, reference);
}

base::Result<std::shared_ptr<DataSetting>> ValuedProtocol::make(const model::Machine& changed,
                                                                const ChosenValues& values,
                                                                const model::Machine* reference) {
    std::vector<const model::Machine*> all = machines();
    all.push_back(&changed);
    if (reference) all.push_back(reference);
    auto concrete = make_concrete(specification_, all, values, solver_, work_, deadline_);
    if (!concrete.reason.empty()) return base::Fault{concrete.reason};
    auto setting = std::make_shared<DataSetting>();
    if (reference) {
        setting->reference = std::move(concrete.machines.back());
        concrete.machines.pop_back();
    }
    setting->component = std::move(concrete.machines.back());
    concrete.machines.pop_back();
    setting->projections = projections_;
    setting->projections.machines = std::move(concrete.machines);
    setting->values = values.print();
    setting->starved = concrete.starved;
    setting->all_values = true;
    for (const model::Message& message : specification_.messages)
        for (const expr::Field& field : message.fields)
            setting->all_values = setting->all_values && values.all_of(field.type);
    return setting;
}

}  // namespace treaty::testgen
