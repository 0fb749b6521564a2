// Three passes over the edges of all machines. The first finds what is tested, going back from tests to where
// values come from. The second puts variables and fields between which values are handed on into one class.
// The third collects what is done with the values of each class, and picks.
#include "symbolic/value_choice.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "choreo/role_knowledge.h"
#include "expr/comparison.h"
#include "expr/print.h"
#include "model/message_data.h"
#include "solve/domain.h"
#include "symbolic/value_sets.h"

namespace treaty::symbolic {
namespace {

using expr::ExprId;
using expr::Op;
using expr::TypeKind;
using expr::Value;
using expr::VarId;
using model::EventKind;

class Chooser {
public:
    Chooser(const model::Specification& specification, const std::vector<model::Machine>& machines,
            std::size_t max_values)
        : specification_(specification), pool_(*specification.pool), max_values_(max_values) {
        for (const model::Machine& machine : machines) collect(machine);
    }

    // conclusions: a receiver draws conclusions from what was computed from values that it does not know.
    Chooser(const model::Specification& specification, const model::Protocol& protocol,
            std::size_t max_values, bool conclusions)
        : specification_(specification),
          pool_(*specification.pool),
          max_values_(max_values),
          conclusions_(conclusions) {
        std::map<model::RoleId, choreo::RoleKnowledge> known;
        for (model::RoleId role : protocol.roles())
            known.emplace(role, choreo::knowledge_of(protocol, pool_, role));
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            model::RoleId receiver = protocol[model::NodeId(i)].to;
            collect(protocol, model::NodeId(i), receiver ? &known.at(receiver) : nullptr);
        }
    }

    ValueChoice run() {
        find_tested();
        for (VarId v : tested_) choice_.variables.insert(v);
        for (const MessageField& field : tested_fields_) {
            auto all = small(field);
            std::string problem;
            if (!all) all = representatives(field, problem);
            if (all)
                choice_.values[field] = std::move(*all);
            else
                choice_.open[field] = problem;
        }
        return std::move(choice_);
    }

private:
    struct Event {
        bool receive = false;
        model::MessageId message;
        const model::EdgeData* data = nullptr;
    };

    void collect(const model::Machine& machine) {
        for (std::size_t s = 0; s < machine.state_count(); ++s) {
            auto out = machine.out(model::StateId(s));
            for (std::size_t e = 0; e < out.size(); ++e) {
                const model::Event& event = machine.alphabet().event(out[e].label);
                bool sends = event.kind == EventKind::send || event.kind == EventKind::receive;
                Event found{event.kind == EventKind::receive, sends ? event.message : model::MessageId(),
                            machine.has_data() ? &machine.data(model::StateId(s), e) : nullptr};
                for (std::size_t f = 0; sends && f < fields_of(event.message).size(); ++f)
                    fields_.insert({event.message, f});
                if (found.data || sends) events_.push_back(found);
            }
        }
    }

    // A receiver compares what it gets only with what it knows.
    void collect(const model::Protocol& protocol, model::NodeId id, const choreo::RoleKnowledge* receiver) {
        const model::Node& node = protocol[id];
        model::EdgeData& data = own_data_.emplace_back();
        if (node.kind != model::NodeKind::interaction) {
            if (node.kind == model::NodeKind::assign)
                data.assignments.push_back({node.variable, node.guard});
            else
                data.guard = node.guard;
            events_.push_back({false, {}, &data});
            return;
        }
        for (std::size_t f = 0; f < fields_of(node.message).size(); ++f) fields_.insert({node.message, f});
        auto arguments = protocol.arguments(id);
        data.data.assign(arguments.begin(), arguments.end());
        data.where = node.guard;
        events_.push_back({false, node.message, &data});
        model::EdgeData& received = own_data_.emplace_back(data);
        for (std::size_t f = 0; f < received.data.size(); ++f)
            if (!receiver->knows_argument(node.first_argument + f))
                received.data[f] = learned(received.data[f]);
        events_.push_back({true, node.message, &received});
    }

    // What a receiver finds out by an argument that it does not know: a variable, or something about the
    // variables that it is computed from.
    model::Argument learned(const model::Argument& a) const {
        if (a.value && pool_[a.value].op == Op::var) return {pool_.var_of(a.value), {}};
        return conclusions_ ? a : model::Argument{a.bind, {}};
    }

    const std::vector<expr::Field>& fields_of(model::MessageId id) const {
        return model::fields_of(specification_, id);
    }
    expr::TypeId type_of(const MessageField& field) const {
        return fields_of(field.message)[field.field].type;
    }
    VarId variable_of(const MessageField& field) const {
        const auto& variables = specification_.messages[field.message.index].variables;
        return field.field < variables.size() ? variables[field.field] : VarId();
    }

    // --- what is tested

    void test(ExprId e) {
        if (!e) return;
        for (VarId v : pool_.variables_of(e)) changed_ = tested_.insert(v).second || changed_;
    }
    void test(const MessageField& field) { changed_ = tested_fields_.insert(field).second || changed_; }

    // A value that is computed, or comes from elsewhere, must be one that the field can carry.
    bool range_tested(const MessageField& field, ExprId value) const {
        expr::TypeId type = type_of(field);
        return pool_.types().base(type) != type && pool_[value].type != type;
    }

    void find_tested() {
        for (const Event& event : events_) {
            if (event.data) {
                test(event.data->guard);
                test(event.data->where);
            }
            if (event.message && event.message.index < specification_.messages.size())
                test(specification_.messages[event.message.index].where);
            for_arguments(event, [&](const MessageField& field, const model::Argument& a) {
                if (!a.value || !(event.receive || range_tested(field, a.value))) return;
                test(field);
                test(a.value);
            });
        }
        for (changed_ = true; changed_;) {
            changed_ = false;
            for (const MessageField& field : fields_)
                if (VarId v = variable_of(field); v && tested_.contains(v)) test(field);
            for (const Event& event : events_) hand_back(event);
        }
    }

    void hand_back(const Event& event) {
        for_arguments(event, [&](const MessageField& field, const model::Argument& a) {
            if (a.bind && tested_.contains(a.bind)) test(field);
            if (a.value && tested_fields_.contains(field)) test(a.value);
        });
        if (!event.data) return;
        for (const model::Assignment& a : event.data->assignments)
            if (tested_.contains(a.variable)) test(a.value);
    }

    template <typename Each>
    void for_arguments(const Event& event, Each each) const {
        if (!event.message || !event.data) return;
        std::size_t n = std::min(event.data->data.size(), fields_of(event.message).size());
        for (std::size_t f = 0; f < n; ++f) each(MessageField{event.message, f}, event.data->data[f]);
    }

    // --- few values

    std::optional<std::vector<Value>> small(const MessageField& field) const {
        NamedCondition own{variable_of(field), specification_.messages[field.message.index].where};
        return values_within(*specification_.pool, type_of(field), {&own, 1}, {}, max_values_);
    }

    // --- values that are only handed on and compared with constants

    struct Class {
        std::set<VarId> variables;
        std::set<MessageField> fields;
        std::vector<Value> constants;
        std::set<std::int64_t> sizes;  // that size(x) is compared with
        std::size_t comparisons = 0;   // of what a receiver gets with what it knows
        bool ordered = false;          // compared by <, <=, > or >=
        std::string problem;
    };

    std::optional<std::vector<Value>> representatives(const MessageField& field, std::string& problem) const {
        Class all = class_of(field);
        look_at_uses(all);
        problem = all.problem;
        if (!problem.empty()) return std::nullopt;
        std::size_t apart = 1;
        while (all.comparisons > 0 && apart * (apart + 1) / 2 <= all.comparisons) ++apart;
        std::sort(all.constants.begin(), all.constants.end());
        all.constants.erase(std::unique(all.constants.begin(), all.constants.end()), all.constants.end());
        bool integer = pool_.types().kind(type_of(field)) == TypeKind::integer;
        std::vector<Value> values = integer ? between(all, field, apart) : fresh(all, field, apart);
        if (!values.empty() && values.size() <= max_values_) return values;
        problem = fmt::format("too many values of {} to try", name_of(field));
        return std::nullopt;
    }

    std::string name_of(const MessageField& field) const {
        return fmt::format("`{}` of message {}",
                           pool_.names().text(fields_of(field.message)[field.field].name),
                           specification_.alphabet->name(field.message));
    }

    Class class_of(const MessageField& start) const {
        Class all;
        std::vector<MessageField> fields{start};
        std::vector<VarId> variables;
        auto add = [&](VarId v) {
            if (v && all.variables.insert(v).second) variables.push_back(v);
        };
        auto reach = [&](const MessageField& f) {
            if (all.fields.insert(f).second) fields.push_back(f);
        };
        all.fields.insert(start);
        while (!fields.empty() || !variables.empty()) {
            if (!fields.empty()) {
                MessageField field = fields.back();
                fields.pop_back();
                add(variable_of(field));
                for (const Event& event : events_)
                    for_arguments(event, [&](const MessageField& f, const model::Argument& a) {
                        if (!(f == field)) return;
                        add(a.bind);
                        if (a.value && pool_[a.value].op == Op::var) add(pool_.var_of(a.value));
                    });
                continue;
            }
            VarId v = variables.back();
            variables.pop_back();
            for (const MessageField& f : fields_)
                if (variable_of(f) == v) reach(f);
            for (const Event& event : events_) {
                for_arguments(event, [&](const MessageField& f, const model::Argument& a) {
                    bool same = a.bind == v ||
                                (a.value && pool_[a.value].op == Op::var && pool_.var_of(a.value) == v);
                    if (same) reach(f);
                });
                if (!event.data) continue;
                for (const model::Assignment& a : event.data->assignments) {
                    if (pool_[a.value].op != Op::var) continue;
                    if (a.variable == v) add(pool_.var_of(a.value));
                    if (pool_.var_of(a.value) == v) add(a.variable);
                }
            }
        }
        return all;
    }

    void look_at_uses(Class& all) const {
        std::set<std::pair<MessageField, ExprId>> compared;
        for (const Event& event : events_) {
            if (event.message && event.message.index < specification_.messages.size())
                look_at(all, specification_.messages[event.message.index].where);
            for_arguments(event, [&](const MessageField& field, const model::Argument& a) {
                if (!a.value) return;
                bool inside = all.fields.contains(field);
                if (inside && event.receive) compared.insert({field, a.value});
                if (inside && pool_.is_literal(a.value))
                    all.constants.push_back(pool_.literal_of(a.value));
                else if (pool_[a.value].op != Op::var && (inside || reads(all, a.value)))
                    give_up(all, a.value);
            });
            if (!event.data) continue;
            look_at(all, event.data->guard);
            look_at(all, event.data->where);
            for (const model::Assignment& a : event.data->assignments) {
                bool inside = all.variables.contains(a.variable);
                if (inside && pool_.is_literal(a.value))
                    all.constants.push_back(pool_.literal_of(a.value));
                else if (pool_[a.value].op != Op::var && (inside || reads(all, a.value)) &&
                         tested_.contains(a.variable))
                    give_up(all, a.value);
            }
        }
        all.comparisons = compared.size();
        for (const MessageField& field : all.fields) look_at_type(all, field);
    }

    // What is handed on must be one of the values that the next field can carry.
    void look_at_type(Class& all, const MessageField& field) const {
        const expr::Types& types = pool_.types();
        const expr::Type& type = types[type_of(field)];
        const MessageField& first = *all.fields.begin();
        bool integers = type.kind == TypeKind::integer && types.kind(type_of(first)) == TypeKind::integer;
        if (!integers && type_of(field) != type_of(first))
            all.problem = fmt::format("{} and {} have different types", name_of(first), name_of(field));
        if (type.low) all.constants.push_back(*type.low);
        if (type.high) all.constants.push_back(*type.high);
    }

    bool reads(const Class& all, ExprId e) const {
        auto variables = pool_.variables_of(e);
        return std::any_of(variables.begin(), variables.end(),
                           [&](VarId v) { return all.variables.contains(v); });
    }

    void give_up(Class& all, ExprId e) const {
        all.problem = fmt::format("{} cannot be tried with all values of its data", expr::print(pool_, e));
    }

    // A condition may compare the values, or their sizes, with constants and do nothing else with them.
    void look_at(Class& all, ExprId condition) const {
        if (!condition || !reads(all, condition)) return;
        for (ExprId part : pool_.parts_of(condition)) {
            auto c = pool_.children(part);
            Op op = pool_[part].op;
            bool member = op == Op::member && pool_.is_literal(c[1]);
            if (op == Op::size && is_value(all, c[0])) continue;  // what contains it is looked at
            if (member && is_term(all, c[0])) {
                for (const Value& value : pool_.literal_of(c[1]).items())
                    compare(all, Op::equal, c[0], value);
            } else if (expr::is_comparison(op) && is_term(all, c[0]) && pool_.is_literal(c[1])) {
                compare(all, op, c[0], pool_.literal_of(c[1]));
            } else if (expr::is_comparison(op) && is_term(all, c[1]) && pool_.is_literal(c[0])) {
                compare(all, op, c[1], pool_.literal_of(c[0]));
            } else {
                for (ExprId child : c)
                    if (is_term(all, child))
                        all.problem = fmt::format("{} cannot be tried with all values of {}",
                                                  expr::print(pool_, part), expr::print(pool_, child));
            }
        }
    }

    void compare(Class& all, Op op, ExprId term, const Value& constant) const {
        bool size = pool_[term].op == Op::size;
        bool integer = size || pool_.types().kind(pool_[term].type) == TypeKind::integer;
        all.ordered = all.ordered || (!size && op != Op::equal && op != Op::not_equal);
        auto* real = std::get_if<double>(&constant.v);
        if (!integer || !real) return add_constant(all, size, constant);
        // A real number is between the two nearest integers.
        constexpr double largest = 1e15;
        if (!(std::fabs(*real) < largest)) return give_up(all, term);
        add_constant(all, size, static_cast<std::int64_t>(std::floor(*real)));
        add_constant(all, size, static_cast<std::int64_t>(std::ceil(*real)));
    }

    static void add_constant(Class& all, bool size, const Value& constant) {
        if (size)
            all.sizes.insert(constant.integer());
        else
            all.constants.push_back(constant);
    }

    bool is_value(const Class& all, ExprId e) const {
        return pool_[e].op == Op::var && all.variables.contains(pool_.var_of(e));
    }
    bool is_term(const Class& all, ExprId e) const {
        return is_value(all, e) || (pool_[e].op == Op::size && is_value(all, pool_.children(e)[0]));
    }

    // n + by, or the last number there is.
    static std::int64_t moved(std::int64_t n, std::int64_t by) {
        std::int64_t result;
        if (!__builtin_add_overflow(n, by, &result)) return result;
        return by > 0 ? INT64_MAX : INT64_MIN;
    }

    // The constants, and so many below, above and between them.
    std::vector<Value> between(const Class& all, const MessageField& field, std::size_t apart) const {
        const expr::Type& type = pool_.types()[type_of(field)];
        std::int64_t low = type.low.value_or(INT64_MIN / 4), high = type.high.value_or(INT64_MAX / 4);
        const auto most = static_cast<std::int64_t>(apart);
        std::set<std::int64_t> found;
        auto add_after = [&](std::int64_t from, std::int64_t last) {  // the first ones after it
            for (std::int64_t k = 1; k <= most && moved(from, k) <= last; ++k) found.insert(moved(from, k));
        };
        std::vector<std::int64_t> constants;
        for (const Value& value : all.constants)
            if (auto* n = std::get_if<std::int64_t>(&value.v))
                constants.push_back(std::clamp(*n, moved(low, -1), moved(high, 1)));
        if (constants.empty()) constants.push_back(low <= 0 && high >= 0 ? -1 : moved(low, -1));
        for (std::size_t i = 0; i < constants.size(); ++i) {
            found.insert(constants[i]);
            add_after(constants[i], i + 1 < constants.size() ? moved(constants[i + 1], -1) : high);
            for (std::int64_t k = 1; i == 0 && k <= most; ++k) found.insert(moved(constants[0], -k));
        }
        std::erase_if(found, [&](std::int64_t n) { return n < low || n > high; });
        return std::vector<Value>(found.begin(), found.end());
    }

    // The constants, and so many others of each group of sizes that the conditions do not tell apart; or all
    // others, where there are fewer.
    std::vector<Value> fresh(const Class& all, const MessageField& field, std::size_t apart) const {
        expr::TypeId type = type_of(field);
        std::vector<Value> values;
        if (all.ordered) return {};
        for (const Value& constant : all.constants) {
            Value value = expr::convert(constant, type, pool_.types());
            bool known = std::find(values.begin(), values.end(), value) != values.end();
            if (!known && belongs(value, type, pool_.types())) values.push_back(std::move(value));
        }
        std::size_t constants = values.size();
        for (auto [low, high] : groups(all, type)) {
            std::size_t added = 0;
            for (std::int64_t size = low; size <= high && added < apart; ++size) {
                auto some = some_values(pool_.types(), type, size, apart + constants);
                if (!some) return {};
                for (Value& next : *some) {
                    auto end = values.begin() + static_cast<std::ptrdiff_t>(constants);
                    if (added == apart || std::find(values.begin(), end, next) != end) continue;
                    values.push_back(std::move(next));
                    ++added;
                }
            }
            if (values.size() > max_values_) return {};
        }
        return values;
    }

    // Each size that is compared with, and those between two of them; for other types one group.
    std::vector<solve::Interval> groups(const Class& all, expr::TypeId type) const {
        TypeKind kind = pool_.types().kind(type);
        if (kind != TypeKind::string && kind != TypeKind::bytes && kind != TypeKind::list) return {{0, 0}};
        std::vector<solve::Interval> result;
        std::int64_t next = 0;
        for (std::int64_t size : all.sizes) {
            if (size < 0 || size == INT64_MAX) continue;
            if (next < size) result.push_back({next, size - 1});
            result.push_back({size, size});
            next = size + 1;
        }
        result.push_back({next, INT64_MAX - 1});
        return result;
    }

    const model::Specification& specification_;
    const expr::Pool& pool_;
    std::size_t max_values_;
    bool conclusions_ = false;
    std::vector<Event> events_;
    std::deque<model::EdgeData> own_data_;  // of a protocol's steps
    std::set<MessageField> fields_;
    std::set<VarId> tested_;
    std::set<MessageField> tested_fields_;
    bool changed_ = false;
    ValueChoice choice_;
};

}  // namespace

ValueChoice choose_values(const model::Specification& specification, const model::Protocol& protocol,
                          std::size_t max_values) {
    ValueChoice all = Chooser(specification, protocol, max_values, true).run();
    if (all.open.empty()) return all;
    return Chooser(specification, protocol, max_values, false).run();
}

ValueChoice choose_values(const model::Specification& specification,
                          const std::vector<model::Machine>& machines, std::size_t max_values) {
    return Chooser(specification, machines, max_values).run();
}

}  // namespace treaty::symbolic
