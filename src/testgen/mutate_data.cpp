#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "choreo/project.h"
#include "expr/print.h"
#include "model/protocol_edit.h"
#include "solve/solver.h"
#include "testgen/mutants.h"

namespace treaty::testgen {
namespace {

using expr::ExprId;
using expr::Op;
using model::NodeId;
using model::NodeKind;

constexpr std::size_t most_variants = 6;  // of one expression

Op other_comparison(Op op) {
    switch (op) {
        case Op::less: return Op::less_equal;
        case Op::less_equal: return Op::less;
        case Op::greater: return Op::greater_equal;
        case Op::greater_equal: return Op::greater;
        case Op::equal: return Op::not_equal;
        case Op::not_equal: return Op::equal;
        case Op::logical_and: return Op::logical_or;
        case Op::logical_or: return Op::logical_and;
        default: return op;
    }
}

// The expression changed in one place, in every way we know.
std::vector<ExprId> variants(expr::Pool& pool, ExprId original) {
    std::vector<ExprId> found;
    auto add = [&](ExprId changed) {
        bool known = changed == original || std::find(found.begin(), found.end(), changed) != found.end();
        if (!known && found.size() < most_variants) found.push_back(changed);
    };
    const expr::Types& types = pool.types();
    expr::TypeKind kind = types.kind(pool[original].type);
    for (ExprId part : pool.parts_of(original)) {
        Op other = other_comparison(pool[part].op);
        std::vector<ExprId> children(pool.children(part).begin(), pool.children(part).end());
        if (other != pool[part].op)
            add(replace_parts(pool, original, {{part, pool.make(other, pool[part].type, children)}}));
        if (!pool.is_literal(part) || types.kind(pool[part].type) != expr::TypeKind::integer) continue;
        std::int64_t value = pool.literal_of(part).integer();
        if (value < INT64_MAX) add(replace_parts(pool, original, {{part, pool.integer(value + 1)}}));
    }
    if (kind == expr::TypeKind::boolean) add(pool.logical_not(original));
    if (kind == expr::TypeKind::integer) {
        std::vector<ExprId> sum{original, pool.integer(1)};
        add(pool.make(Op::add, pool.types().integer(), sum));
    }
    if (kind == expr::TypeKind::enumeration && pool.is_literal(original)) {
        auto member = std::get<expr::EnumMember>(pool.literal_of(original).v);
        auto count = static_cast<std::uint32_t>(types[pool[original].type].members.size());
        add(pool.literal(expr::EnumMember{(member.index + 1) % count}, pool[original].type));
    }
    if (kind == expr::TypeKind::string && pool.is_literal(original))
        add(pool.literal(pool.literal_of(original).string() + "x", pool[original].type));
    return found;
}

bool same_with_data(const model::Machine& a, const model::Machine& b) {
    if (!model::same_machine(a, b) || a.has_data() != b.has_data()) return false;
    for (std::size_t s = 0; a.has_data() && s < a.state_count(); ++s)
        for (std::size_t i = 0; i < a.out(model::StateId(s)).size(); ++i)
            if (!(a.data(model::StateId(s), i) == b.data(model::StateId(s), i))) return false;
    return true;
}

class DataMutator {
public:
    DataMutator(const Projections& projections, model::RoleId cut, base::Deadline deadline)
        : projections_(projections),
          deadline_(deadline),
          specification_(*projections.specification),
          protocol_(*projections.protocol),
          pool_(*projections.specification->pool),
          cut_(cut),
          cut_position_(*projections.position(cut)),
          solver_(pool_, std::chrono::milliseconds(200)),
          own_(choreo::project(specification_, protocol_, cut)) {}

    std::vector<Mutant> run() {
        if (!own_) return {};
        count_bindings();
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const model::Node& node = protocol_[NodeId(i)];
            if (node.guard) change(NodeId(i), whole, node.guard);
            auto arguments = protocol_.arguments(NodeId(i));
            for (std::size_t a = 0; a < arguments.size(); ++a)
                if (arguments[a].value) change(NodeId(i), a, arguments[a].value);
        }
        return std::move(mutants_);
    }

private:
    static constexpr std::size_t whole = SIZE_MAX;  // the condition or value of the step, not an argument

    void count_bindings() {
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            if (protocol_[NodeId(i)].kind == NodeKind::assign) ++bindings_[protocol_[NodeId(i)].variable];
            for (const model::Argument& argument : protocol_.arguments(NodeId(i)))
                if (argument.bind) ++bindings_[argument.bind];
        }
    }

    // A loop that was unrolled has the same step several times: it is changed in all of them at once.
    void change(NodeId node, std::size_t slot, ExprId original) {
        base::Span span = protocol_[node].span;
        if (span.valid() && !seen_.insert({span.file.index, span.begin, slot}).second) return;
        for (ExprId changed : variants(pool_, original))
            if (!deadline_.interrupted()) add(node, slot, original, changed);
    }

    std::optional<model::Protocol> changed_protocol(NodeId node, std::size_t slot, ExprId by) const {
        return model::ProtocolEdit(protocol_,
                                   [&](model::ProtocolEdit& edit, NodeId here) {
                                       if (!model::same_step(protocol_, node, here)) return false;
                                       const model::Node& at = protocol_[here];
                                       auto span = protocol_.arguments(here);
                                       std::vector<model::Argument> arguments(span.begin(), span.end());
                                       if (slot != whole && slot < arguments.size())
                                           arguments[slot].value = by;
                                       ExprId guard = slot == whole ? by : at.guard;
                                       if (at.kind == NodeKind::interaction) {
                                           edit.builder().interaction(at.span, at.role, at.to, at.message,
                                                                      arguments, guard, at.within_ns);
                                           return true;
                                       }
                                       if (at.kind == NodeKind::assign) {
                                           edit.builder().assign(at.span, at.variable, guard);
                                           return true;
                                       }
                                       if (at.kind == NodeKind::conditional)
                                           edit.builder().open_conditional(at.span, guard);
                                       else
                                           edit.builder().open_while(at.span, guard);
                                       for (NodeId child : protocol_.children(here)) edit.copy(child);
                                       edit.builder().close();
                                       return true;
                                   })
            .run();
    }

    void add(NodeId node, std::size_t slot, ExprId original, ExprId changed) {
        Mutant mutant{Operator::change_data,
                      projections_.machines[cut_position_],
                      fmt::format("{} becomes {}", expr::print(pool_, original), expr::print(pool_, changed)),
                      node,
                      {},
                      UINT32_MAX,
                      {},
                      {},
                      {},
                      {},
                      {},
                      {}};
        if (deadline_.passed()) {
            mutant.unknown = "no time was left to make it";
            mutants_.push_back(std::move(mutant));
            return;
        }
        auto protocol = changed_protocol(node, slot, changed);
        if (!protocol) return;
        auto machine = choreo::project(specification_, *protocol, cut_);
        if (!machine || same_with_data(*machine, *own_)) return;
        bool reals = pool_.types().kind(pool_[original].type) == expr::TypeKind::real;
        ExprId agree = pool_.equal(original, changed);
        ExprId where_asked = pool_.logical_or(pool_.logical_not(path_condition(node)), agree);
        if (!reals && solver_.valid(agree) == solve::Satisfiable::yes)
            mutant.same = "both expressions always have the same value";
        else if (!reals && solver_.valid(where_asked) == solve::Satisfiable::yes)
            mutant.same = "both expressions have the same value whenever the step is reached";
        else if (!reals && slot == whole && chooses_less(node, original, changed))
            mutant.same = fmt::format("{} only chooses among fewer values", name(cut_));
        else if (!reals && slot == whole && takes_more(node, original, changed))
            mutant.unseen =
                fmt::format("{} accepts more, but no role that follows the protocol sends it", name(cut_));
        else if (slot != whole && cannot_compare(node, original, changed))
            mutant.unseen = fmt::format("{} has nothing to compare the number with", name(cut_));
        else
            mutant.values = telling_values(node, agree, {original, changed});
        mutant.with_data = std::make_shared<const model::Machine>(std::move(*machine));
        mutants_.push_back(std::move(mutant));
    }

    std::string_view name(model::RoleId role) const { return specification_.alphabet->name(role); }

    bool implies(ExprId a, ExprId b) {
        return solver_.valid(pool_.logical_or(pool_.logical_not(a), b)) == solve::Satisfiable::yes;
    }

    // A condition on values that the role itself chooses in this message, and on nothing else: a stronger one
    // leaves it some of them.
    bool chooses_less(NodeId node, ExprId original, ExprId changed) {
        const model::Node& step = protocol_[node];
        if (step.kind != NodeKind::interaction || step.role != cut_) return false;
        const model::Message& message = specification_.message(step.message);
        auto found = solver_.check(changed);
        if (message.where || found.satisfiable != solve::Satisfiable::yes) return false;
        auto arguments = protocol_.arguments(node);
        for (expr::VarId variable : pool_.variables_of(changed)) {
            const expr::Value* value = found.model.get(variable);
            bool own = false;
            for (std::size_t a = 0; a < arguments.size() && a < message.fields.size(); ++a)
                own = own || (arguments[a].bind == variable && !arguments[a].value && value &&
                              belongs(*value, message.fields[a].type, pool_.types()));
            if (!own) return false;
        }
        return implies(changed, original);
    }

    // A weaker condition on what the role receives, where this message is received in no other step.
    bool takes_more(NodeId node, ExprId original, ExprId changed) {
        const model::Node& step = protocol_[node];
        if (step.kind != NodeKind::interaction || step.to != cut_) return false;
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const model::Node& other = protocol_[NodeId(i)];
            if (other.kind == NodeKind::interaction && other.role == step.role && other.to == step.to &&
                other.message == step.message && !model::same_step(protocol_, node, NodeId(i)))
                return false;
        }
        return implies(original, changed);
    }

    // A number that the role receives and can compare with nothing: a variable that is in nothing else it
    // receives, itself or with something added. Any number is one of these.
    bool cannot_compare(NodeId node, ExprId original, ExprId changed) const {
        const model::Node& step = protocol_[node];
        if (step.kind != NodeKind::interaction || step.to != cut_ || pool_[original].op != Op::var)
            return false;
        auto parts = pool_.children(changed);
        bool sum = pool_[changed].op == Op::add && parts.size() == 2 && parts[0] == original &&
                   pool_.is_literal(parts[1]);
        expr::VarId variable = pool_.variables_of(original).front();
        const expr::Type& type = pool_.types()[pool_.variable(variable).type];
        if (!sum || type.kind != expr::TypeKind::integer || type.low || type.high) return false;
        std::size_t mentioned = 0;
        auto count = [&](ExprId e) {
            if (!e) return;
            for (expr::VarId v : pool_.variables_of(e)) mentioned += v == variable ? 1 : 0;
        };
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const model::Node& other = protocol_[NodeId(i)];
            bool message = other.kind == NodeKind::interaction;
            if (message && other.role != cut_ && other.to != cut_) continue;
            count(other.guard);
            mentioned += other.kind == NodeKind::assign && other.variable == variable ? 1 : 0;
            if (!message) continue;
            for (const model::Argument& argument : protocol_.arguments(NodeId(i))) {
                count(argument.value);
                mentioned += argument.bind == variable ? 1 : 0;
            }
        }
        return mentioned == 1;
    }

    // The conditions around a step: all those whose variables get a value only once, so that what
    // held when they were asked still holds.
    ExprId path_condition(NodeId node) {
        ExprId all = pool_.boolean(true);
        for (NodeId child = node; protocol_[child].parent; child = protocol_[child].parent) {
            const model::Node& parent = protocol_[protocol_[child].parent];
            if (parent.kind != NodeKind::conditional) continue;
            auto variables = pool_.variables_of(parent.guard);
            bool steady = std::all_of(variables.begin(), variables.end(),
                                      [&](expr::VarId v) { return bindings_[v] <= 1; });
            bool first = protocol_.children(protocol_[child].parent).front() == child;
            if (steady) all = pool_.logical_and(all, first ? parent.guard : pool_.logical_not(parent.guard));
        }
        return all;
    }

    // With which the two expressions differ, where the step is reached.
    std::vector<std::pair<expr::TypeId, expr::Value>> telling_values(NodeId node, ExprId agree,
                                                                     const std::vector<ExprId>& expressions) {
        std::vector<std::pair<expr::TypeId, expr::Value>> values;
        // Where the step is reached, if the solver finds such values; both ways if it is a condition.
        ExprId path = path_condition(node), apart = pool_.logical_not(agree);
        std::vector<ExprId> asked{pool_.logical_and(path, apart)};
        bool condition = pool_.types().kind(pool_[expressions[0]].type) == expr::TypeKind::boolean;
        if (condition)
            for (ExprId side : expressions) asked.push_back(pool_.logical_and(asked[0], side));
        asked.push_back(apart);
        auto variables = pool_.variables_of(asked[0]);
        for (std::size_t i = condition ? 1 : 0; i < asked.size(); ++i) {
            auto differ = solver_.check(asked[i]);
            if (differ.satisfiable != solve::Satisfiable::yes) continue;
            for (expr::VarId variable : variables)
                if (const expr::Value* value = differ.model.get(variable))
                    values.emplace_back(pool_.variable(variable).type, *value);
            if (i + 2 == asked.size()) break;  // the last one only if there are no others
        }
        return values;
    }

    const Projections& projections_;
    base::Deadline deadline_;
    model::Specification& specification_;
    const model::Protocol& protocol_;
    expr::Pool& pool_;
    model::RoleId cut_;
    std::size_t cut_position_;
    solve::Solver solver_;
    choreo::MachineResult own_;                    // the role's machine with data
    std::map<expr::VarId, std::size_t> bindings_;  // how often each gets a value
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::size_t>> seen_;
    std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutate_data(const Projections& projections, model::RoleId cut, base::Deadline deadline) {
    if (!projections.protocol->has_data()) return {};
    return DataMutator(projections, cut, deadline).run();
}

}  // namespace treaty::testgen
