#include "generate/role_code.h"

#include <algorithm>
#include <map>
#include <set>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "expr/has_value.h"
#include "expr/print.h"
#include "expr/simplify.h"
#include "generate/codes.h"
#include "generate/state_names.h"
#include "solve/solver.h"

namespace treaty::generate {
namespace {

using expr::ExprId;
using expr::VarId;
using model::StateId;
using Values =
    absl::flat_hash_map<VarId, ExprId>;  // variables that have changed, in terms of their old values

constexpr std::size_t max_silent_paths = 1000;  // from one state

// What has happened on the way from a state, before the next event.
struct Way {
    StateId state;
    std::vector<ExprId> conditions;
    Values values;
};

class RoleCodeMaker {
public:
    RoleCodeMaker(const RoleSource& source, const model::Machine& machine, base::Diagnostics& diagnostics)
        : source_(source), machine_(machine), pool_(*source.specification.pool), diagnostics_(diagnostics) {}

    std::optional<RoleCode> run() {
        if (machine_.state_count() > source_.max_states) {
            diagnostics_.report(codes::too_many_states, source_.protocol.span(),
                                fmt::format("{} has {} states, which is more than {}", machine_.name(),
                                            machine_.state_count(), source_.max_states));
            return std::nullopt;
        }
        std::vector<std::size_t> position(machine_.state_count(), unknown);
        std::vector<StateId> order{machine_.initial()};
        position[0] = 0;
        RoleCode code{machine_.role(), {}, {}};
        for (std::size_t i = 0; i < order.size(); ++i) {
            auto state = make_state(order[i], [&](StateId target) {
                if (position[target.index] == unknown) {
                    position[target.index] = order.size();
                    order.push_back(target);
                }
                return position[target.index];
            });
            if (!state) return std::nullopt;
            code.states.push_back(std::move(*state));
        }
        keep_what_is_read(code);
        if (!tell_apart(code)) return std::nullopt;
        for (StateCode& state : code.states)
            for (Operation& operation : state.operations) keep_unconditional(operation);
        name_states(code, machine_.alphabet());
        return code;
    }

private:
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

    template <typename Position>
    std::optional<StateCode> make_state(StateId s, const Position& position) {
        auto ways = silent_ways(s);
        if (!ways) return std::nullopt;
        StateCode state;
        std::map<std::tuple<bool, model::RoleId, model::MessageId>, std::size_t> known;
        for (const Way& way : *ways) {
            if (machine_.final(way.state)) state.endings.push_back(conditions_of(way.conditions));
            auto out = machine_.out(way.state);
            for (std::size_t i = 0; i < out.size(); ++i) {
                if (out[i].label.index == 0) continue;
                const model::Event& event = machine_.alphabet().event(out[i].label);
                bool sends = event.kind == model::EventKind::send;
                model::RoleId peer = sends ? event.to : event.from;
                auto [entry, added] =
                    known.try_emplace({sends, peer, event.message}, state.operations.size());
                if (added) state.operations.push_back({sends, peer, event.message, {}});
                state.operations[entry->second].alternatives.push_back(
                    make_alternative(way, i, event.message, position(out[i].target)));
            }
        }
        bool always = std::any_of(state.endings.begin(), state.endings.end(),
                                  [](const auto& conditions) { return conditions.empty(); });
        if (always) state.endings = {{}};
        return state;
    }

    // Every sequence of silent steps from the state, the empty one first.
    std::optional<std::vector<Way>> silent_ways(StateId s) {
        std::vector<Way> ways{{s, {}, {}}};
        std::vector<std::vector<StateId>> seen{{s}};
        for (std::size_t w = 0; w < ways.size(); ++w) {
            auto out = machine_.out(ways[w].state);
            for (std::size_t i = 0; i < out.size(); ++i) {
                if (out[i].label.index != 0) continue;
                bool round = std::count(seen[w].begin(), seen[w].end(), out[i].target) > 0;
                if (round || ways.size() >= max_silent_paths) {
                    report_silent_loop(ways[w].state, i);
                    return std::nullopt;
                }
                Way next = ways[w];
                std::vector<StateId> passed = seen[w];
                passed.push_back(out[i].target);
                if (machine_.has_data()) {
                    const model::EdgeData& data = machine_.data(ways[w].state, i);
                    if (data.guard) next.conditions.push_back(with(data.guard, next.values));
                    assign(data.assignments, next.values);
                }
                next.state = out[i].target;
                ways.push_back(std::move(next));
                seen.push_back(std::move(passed));
            }
        }
        return ways;
    }

    void report_silent_loop(StateId s, std::size_t edge) {
        model::NodeId node = machine_.node(s, edge);
        diagnostics_.report(codes::silent_loop, node ? source_.protocol[node].span : source_.protocol.span(),
                            fmt::format("{} goes round here without a message", machine_.name()));
    }

    ExprId with(ExprId expression, const Values& values) {
        return values.empty() ? expression : expr::substitute(pool_, expression, values);
    }

    void assign(const std::vector<model::Assignment>& assignments, Values& values) {
        for (const model::Assignment& a : assignments) values[a.variable] = with(a.value, values);
    }

    Alternative make_alternative(const Way& way, std::size_t edge, model::MessageId message,
                                 std::size_t target) {
        Alternative alternative;
        alternative.target = target;
        model::NodeId node = machine_.node(way.state, edge);
        if (node) alternative.place = place_of(source_.sources, source_.protocol[node].span);
        std::vector<ExprId> conditions = way.conditions;
        Values values = way.values;
        if (machine_.has_data()) {
            const model::EdgeData& data = machine_.data(way.state, edge);
            const model::Message& declared = source_.specification.message(message);
            if (data.guard) conditions.push_back(with(data.guard, values));
            Values bound = values;
            for (std::size_t i = 0; i < data.data.size() && i < declared.variables.size(); ++i) {
                ExprId field = pool_.var(declared.variables[i]);
                if (data.data[i].bind) bound[data.data[i].bind] = field;
                if (data.data[i].value)
                    conditions.push_back(pool_.equal(field, with(data.data[i].value, values)));
            }
            if (data.where) conditions.push_back(with(data.where, bound));
            values = std::move(bound);
            assign(data.assignments, values);
        }
        alternative.conditions = conditions_of(conditions, message);
        for (const auto& [variable, value] : values)
            if (value != pool_.var(variable)) alternative.updates.push_back({variable, value});
        std::sort(alternative.updates.begin(), alternative.updates.end(),
                  [](const Update& a, const Update& b) { return a.variable < b.variable; });
        for (Update& u : alternative.updates)
            u.value = expr::simplify(pool_, u.value);  // in order: ids depend on it
        return alternative;
    }

    // Fields of the message are printed as `message.field`.
    std::vector<Condition> conditions_of(const std::vector<ExprId>& expressions,
                                         model::MessageId message = {}) {
        expr::VariableNames names;
        if (message)
            for (VarId field : source_.specification.message(message).variables)
                names[field] = fmt::format("{}.{}", machine_.alphabet().name(message),
                                           pool_.names().text(pool_.variable(field).name));
        std::vector<Condition> result;
        for (ExprId e : expressions)
            if (ExprId simple = expr::simplify(pool_, e); !pool_.is_true(simple))
                result.push_back({simple, expr::print(pool_, e, names)});
        return result;
    }

    ExprId conjunction(const Operation& operation, const Alternative& a) {
        ExprId all = pool_.boolean(true);
        if (ExprId own = source_.specification.message(operation.message).where)
            all = expr::holds(pool_, own);
        for (const Condition& c : a.conditions) all = pool_.logical_and(all, expr::holds(pool_, c.condition));
        return all;
    }

    static bool same_effect(const Alternative& a, const Alternative& b) {
        return a.target == b.target && std::equal(a.updates.begin(), a.updates.end(), b.updates.begin(),
                                                  b.updates.end(), [](const Update& x, const Update& y) {
                                                      return x.variable == y.variable && x.value == y.value;
                                                  });
    }

    // Whether no data is known for which several alternatives of an operation apply.
    bool tell_apart(const RoleCode& code) {
        std::optional<solve::Solver> solver;
        bool ok = true;
        for (const StateCode& state : code.states)
            for (const Operation& operation : state.operations)
                for (std::size_t i = 0; i < operation.alternatives.size(); ++i)
                    for (std::size_t j = 0; j < i; ++j) {
                        const Alternative& a = operation.alternatives[j];
                        const Alternative& b = operation.alternatives[i];
                        if (same_effect(a, b)) continue;
                        ExprId both = pool_.logical_and(conjunction(operation, a), conjunction(operation, b));
                        if (pool_.is_false(both)) continue;
                        if (!solver) solver.emplace(pool_);
                        if (solver->check(both).satisfiable != solve::Satisfiable::yes) continue;
                        report_same(operation, a, b);
                        ok = false;
                    }
        return ok;
    }

    // An alternative that always applies: the others exclude it, so they never do, or they do the same.
    static void keep_unconditional(Operation& operation) {
        auto& all = operation.alternatives;
        auto always =
            std::find_if(all.begin(), all.end(), [](const Alternative& a) { return a.conditions.empty(); });
        if (always != all.end()) all = {Alternative(*always)};
    }

    void report_same(const Operation& operation, const Alternative& a, const Alternative& b) {
        diagnostics_
            .report(codes::data_decides_nothing, b.place.span,
                    fmt::format("{} cannot tell this `{}` from another one", machine_.name(),
                                machine_.alphabet().name(operation.message)))
            .label(a.place.span, "the other one, which goes on differently")
            .help("use different messages, or conditions that exclude each other");
    }

    // Leaves out updates of variables that no condition depends on.
    void keep_what_is_read(RoleCode& code) {
        std::set<VarId> fields, read;
        for (const model::Message& message : source_.specification.messages)
            fields.insert(message.variables.begin(), message.variables.end());
        auto note = [&](ExprId e) {
            for (VarId v : pool_.variables_of(e))
                if (!fields.contains(v)) read.insert(v);
        };
        for (const StateCode& state : code.states)
            for (const auto& ending : state.endings)
                for (const Condition& c : ending) note(c.condition);
        for_each_alternative(code, [&](Alternative& a) {
            for (const Condition& c : a.conditions) note(c.condition);
        });
        for (std::size_t before = unknown; before != read.size();) {
            before = read.size();
            for_each_alternative(code, [&](Alternative& a) {
                for (const Update& u : a.updates)
                    if (read.contains(u.variable)) note(u.value);
            });
        }
        for_each_alternative(code, [&](Alternative& a) {
            std::erase_if(a.updates, [&](const Update& u) { return !read.contains(u.variable); });
        });
        code.variables.assign(read.begin(), read.end());
    }

    template <typename Function>
    static void for_each_alternative(RoleCode& code, const Function& function) {
        for (StateCode& state : code.states)
            for (Operation& operation : state.operations)
                for (Alternative& a : operation.alternatives) function(a);
    }

    const RoleSource& source_;
    const model::Machine& machine_;
    expr::Pool& pool_;
    base::Diagnostics& diagnostics_;
};

}  // namespace

std::string Place::reference() const {
    return line == 0 ? std::string() : fmt::format("{}:{}", file, line);
}

std::vector<std::size_t> Operation::targets() const {
    std::vector<std::size_t> result;
    for (const Alternative& a : alternatives)
        if (std::find(result.begin(), result.end(), a.target) == result.end()) result.push_back(a.target);
    return result;
}

bool StateCode::sends() const {
    return std::any_of(operations.begin(), operations.end(), [](const Operation& o) { return o.sends; });
}

bool StateCode::receives() const {
    return std::any_of(operations.begin(), operations.end(), [](const Operation& o) { return !o.sends; });
}

Place place_of(const base::SourceMap& sources, base::Span span) {
    if (!span.valid()) return {};
    Place place{span, std::string(sources.path(span.file)), sources.line_number(span.file, span.begin), {}};
    place.file = place.file.substr(place.file.find_last_of('/') + 1);
    std::string_view text = sources.line(span.file, place.line);
    std::size_t first = text.find_first_not_of(" \t");
    if (first != std::string_view::npos)
        place.text = text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
    return place;
}

std::optional<RoleCode> make_role_code(const RoleSource& source, const model::Machine& machine,
                                       base::Diagnostics& diagnostics) {
    return RoleCodeMaker(source, machine, diagnostics).run();
}

}  // namespace treaty::generate
