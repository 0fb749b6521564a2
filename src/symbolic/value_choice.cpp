// Three passes over the edges of all machines. The first finds what is tested, going back from tests to where
// values come from. The second puts variables and fields between which values are handed on into one class.
// The third collects what is done with the values of each class, and picks.
#include "symbolic/value_choice.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "expr/comparison.h"
#include "expr/print.h"

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

    ValueChoice run() {
        find_tested();
        for (VarId v : tested_) choice_.variables.insert(v);
        for (const MessageField& field : fields_) {
            if (!tested_fields_.contains(field)) continue;
            auto all = small(field);
            choice_.values[field] = all ? *all : representatives(field);
            if (!choice_.reason.empty()) break;
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

    const std::vector<expr::Field>& fields_of(model::MessageId id) const {
        static const std::vector<expr::Field> none;
        return id.index < specification_.messages.size() ? specification_.messages[id.index].fields : none;
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
        if (auto all = all_values(type_of(field), pool_.types(), max_values_)) return all;
        return listed(field);
    }

    // Those that the message's own condition lists: `x in ["a", "b"]`.
    std::optional<std::vector<Value>> listed(const MessageField& field) const {
        std::vector<ExprId> pending{specification_.messages[field.message.index].where};
        VarId variable = variable_of(field);
        while (!pending.empty() && pending.back() && variable) {
            ExprId e = pending.back();
            pending.pop_back();
            auto c = pool_.children(e);
            if (pool_[e].op == Op::logical_and) pending.insert(pending.end(), c.begin(), c.end());
            bool is_list = pool_[e].op == Op::member && pool_[c[0]].op == Op::var && pool_.is_literal(c[1]) &&
                           pool_.var_of(c[0]) == variable;
            if (!is_list || pool_.literal_of(c[1]).items().size() > max_values_) continue;
            std::vector<Value> values = pool_.literal_of(c[1]).items();
            std::sort(values.begin(), values.end());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            return values;
        }
        return std::nullopt;
    }

    // --- values that are only handed on and compared with constants

    struct Class {
        std::set<VarId> variables;
        std::set<MessageField> fields;
        std::vector<Value> constants;
        std::size_t comparisons = 0;  // of what a receiver gets with what it knows
        bool ordered = false;         // compared by <, <=, > or >=
        std::string problem;
    };

    std::vector<Value> representatives(const MessageField& field) {
        Class all = class_of(field);
        if (all.problem.empty()) look_at_uses(all);
        if (!all.problem.empty()) {
            choice_.reason = all.problem;
            return {};
        }
        std::size_t apart = 1;
        while (all.comparisons > 0 && apart * (apart + 1) / 2 <= all.comparisons) ++apart;
        std::sort(all.constants.begin(), all.constants.end());
        all.constants.erase(std::unique(all.constants.begin(), all.constants.end()), all.constants.end());
        bool integer = pool_.types().kind(type_of(field)) == TypeKind::integer;
        std::vector<Value> values = integer ? between(all, field, apart) : fresh(all, field, apart);
        if (values.empty() || values.size() > max_values_)
            choice_.reason = fmt::format("there are too many values of {} to try", name_of(field));
        return values;
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
    }

    bool reads(const Class& all, ExprId e) const {
        auto variables = pool_.variables_of(e);
        return std::any_of(variables.begin(), variables.end(),
                           [&](VarId v) { return all.variables.contains(v); });
    }

    void give_up(Class& all, ExprId e) const {
        all.problem = fmt::format("{} cannot be tried with all values of its data", expr::print(pool_, e));
    }

    // A condition may compare the values with constants and do nothing else with them.
    void look_at(Class& all, ExprId condition) const {
        if (!condition || !reads(all, condition)) return;
        std::set<ExprId> fine;
        auto parts = pool_.parts_of(condition);
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            auto c = pool_.children(*part);
            Op op = pool_[*part].op;
            if (op == Op::member && is_value(all, c[0]) && pool_.is_literal(c[1])) {
                for (const Value& value : pool_.literal_of(c[1]).items()) all.constants.push_back(value);
            } else if (expr::is_comparison(op) && is_value(all, c[0]) && pool_.is_literal(c[1])) {
                all.constants.push_back(pool_.literal_of(c[1]));
                all.ordered = all.ordered || (op != Op::equal && op != Op::not_equal);
            } else if (expr::is_comparison(op) && is_value(all, c[1]) && pool_.is_literal(c[0])) {
                all.constants.push_back(pool_.literal_of(c[0]));
                all.ordered = all.ordered || (op != Op::equal && op != Op::not_equal);
            } else {
                for (ExprId child : c)
                    if (is_value(all, child) && pool_[*part].op != Op::literal)
                        all.problem = fmt::format("{} cannot be tried with all values of {}",
                                                  expr::print(pool_, *part), expr::print(pool_, child));
            }
        }
    }

    bool is_value(const Class& all, ExprId e) const {
        return pool_[e].op == Op::var && all.variables.contains(pool_.var_of(e));
    }

    // The constants, and so many below, above and between them.
    std::vector<Value> between(const Class& all, const MessageField& field, std::size_t apart) const {
        const expr::Type& type = pool_.types()[type_of(field)];
        std::int64_t low = type.low.value_or(INT64_MIN / 4), high = type.high.value_or(INT64_MAX / 4);
        std::set<std::int64_t> found;
        auto add_after = [&](std::int64_t from, std::int64_t to) {  // the first ones in the open interval
            for (std::size_t k = 1; k <= apart && from + static_cast<std::int64_t>(k) < to; ++k)
                found.insert(from + static_cast<std::int64_t>(k));
        };
        std::vector<std::int64_t> constants;
        for (const Value& value : all.constants)
            if (auto* n = std::get_if<std::int64_t>(&value.v))
                constants.push_back(std::clamp(*n, low - 1, high + 1));
        if (constants.empty()) constants.push_back(low <= 0 && high >= 0 ? -1 : low - 1);
        for (std::size_t i = 0; i < constants.size(); ++i) {
            found.insert(constants[i]);
            add_after(constants[i], i + 1 < constants.size() ? constants[i + 1] : high + 1);
            for (std::size_t k = 1; i == 0 && k <= apart; ++k)
                found.insert(constants[0] - static_cast<std::int64_t>(k));
        }
        std::erase_if(found, [&](std::int64_t n) { return n < low || n > high; });
        return std::vector<Value>(found.begin(), found.end());
    }

    std::vector<Value> fresh(Class& all, const MessageField& field, std::size_t apart) const {
        TypeKind kind = pool_.types().kind(type_of(field));
        std::vector<Value> values;
        for (const Value& value : all.constants)
            if (belongs(value, type_of(field), pool_.types())) values.push_back(value);
        if (all.ordered) return {};
        for (std::size_t k = 0, added = 0; added < apart && k < apart + all.constants.size(); ++k) {
            Value next = nth(kind, k);
            if (!belongs(next, type_of(field), pool_.types())) return {};
            if (std::find(values.begin(), values.end(), next) != values.end()) continue;
            values.push_back(next);
            ++added;
        }
        return values;
    }

    static Value nth(TypeKind kind, std::size_t k) {
        switch (kind) {
            case TypeKind::real: return static_cast<double>(k);
            case TypeKind::string: return std::string(k, 'a');
            case TypeKind::bytes: return expr::Bytes{std::string(k, 'a')};
            default: return static_cast<std::int64_t>(k);  // belongs to no other type
        }
    }

    const model::Specification& specification_;
    const expr::Pool& pool_;
    std::size_t max_values_;
    std::vector<Event> events_;
    std::set<MessageField> fields_;
    std::set<VarId> tested_;
    std::set<MessageField> tested_fields_;
    bool changed_ = false;
    ValueChoice choice_;
};

using Many = std::optional<std::vector<Value>>;

Many all_records(const expr::Type& type, const expr::Types& types, std::size_t limit) {
    std::vector<expr::Sequence> all{{}};
    for (const expr::Field& field : type.fields) {
        auto values = all_values(field.type, types, limit);
        if (!values || values->size() * all.size() > limit) return std::nullopt;
        std::vector<expr::Sequence> longer;
        for (const expr::Sequence& begin : all)
            for (const Value& value : *values) {
                longer.push_back(begin);
                longer.back().items.push_back(value);
            }
        all = std::move(longer);
    }
    return std::vector<Value>(all.begin(), all.end());
}

}  // namespace

std::optional<std::vector<Value>> all_values(expr::TypeId id, const expr::Types& types, std::size_t limit) {
    const expr::Type& type = types[id];
    std::vector<Value> values;
    switch (type.kind) {
        case TypeKind::boolean: return std::vector<Value>{false, true};
        case TypeKind::enumeration:
            if (type.members.size() > limit) return std::nullopt;
            for (std::uint32_t i = 0; i < type.members.size(); ++i) values.emplace_back(expr::EnumMember{i});
            return values;
        case TypeKind::integer: {
            if (!type.low || !type.high) return std::nullopt;
            std::uint64_t more =
                static_cast<std::uint64_t>(*type.high) - static_cast<std::uint64_t>(*type.low);
            if (more >= limit) return std::nullopt;
            for (std::uint64_t i = 0; i <= more; ++i)
                values.emplace_back(*type.low + static_cast<std::int64_t>(i));
            return values;
        }
        case TypeKind::optional: {
            auto held = all_values(type.element, types, limit);
            if (!held || held->size() >= limit) return std::nullopt;
            values.emplace_back(expr::Sequence{});
            for (Value& value : *held) values.emplace_back(expr::Sequence{{std::move(value)}});
            return values;
        }
        case TypeKind::record: return all_records(type, types, limit);
        default: return std::nullopt;
    }
}

ValueChoice choose_values(const model::Specification& specification,
                          const std::vector<model::Machine>& machines, std::size_t max_values) {
    return Chooser(specification, machines, max_values).run();
}

}  // namespace treaty::symbolic
