// For tests: random protocols with data, and nets and machines run on concrete values.
//
// Three integer variables with values 0, 1, 2. Every state holds the variables' values, every event shows the
// values it carries, a value to be bound is tried with each of the three. So the weak traces of two of these
// agree only if guards, predicates, arguments and assignments do what they should in both.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/seeded_random.h"
#include "choreo/testing/traces.h"
#include "expr/evaluate.h"
#include "model/machine.h"
#include "model/net.h"

namespace treaty::choreo::testing {

class RandomData {
public:
    RandomData(model::Specification& spec, std::uint64_t seed, bool parallel)
        : spec_(spec), random_(seed), parallel_(parallel), builder_("Data", {}, roles(spec)) {
        for (const char* name : {"x", "y", "z"})
            variables_.push_back(spec.pool->declare(spec.names->intern(name), spec.types->integer()));
    }

    // Roles decide choices and repetitions. Without this nobody in particular does.
    RandomData& with_deciders() {
        deciders_ = true;
        return *this;
    }

    // Every variable has a value from the beginning, as in whatever the readers of files let through.
    RandomData& with_values() {
        bound_ = true;
        return *this;
    }

    model::Protocol make(std::uint32_t steps) {
        builder_.open(model::NodeKind::sequence, {});
        if (bound_ || random_.percent(60))
            for (expr::VarId v : variables_) builder_.assign({}, v, spec_.pool->integer(random_.below(3)));
        block(steps, 2);
        builder_.close();
        spec_.messages.resize(spec_.alphabet->message_count());
        return *builder_.finish();
    }

private:
    static std::vector<model::RoleId> roles(model::Specification& spec) {
        return {spec.alphabet->role("A"), spec.alphabet->role("B"), spec.alphabet->role("C")};
    }
    expr::VarId variable() { return variables_[random_.below(3)]; }
    expr::ExprId binary(expr::Op op, expr::TypeId type, expr::ExprId a, expr::ExprId b) {
        expr::ExprId parts[] = {a, b};
        return spec_.pool->make(op, type, parts);
    }
    expr::ExprId value() {
        expr::Pool& pool = *spec_.pool;
        expr::TypeId integer = spec_.types->integer();
        if (random_.percent(30)) return pool.integer(random_.below(3));
        if (random_.percent(50)) return pool.var(variable());
        auto sum = binary(expr::Op::add, integer, pool.var(variable()), pool.integer(1 + random_.below(2)));
        return binary(expr::Op::modulo, integer, sum, pool.integer(3));
    }
    expr::ExprId condition() {
        return binary(random_.percent(50) ? expr::Op::less : expr::Op::equal, spec_.types->boolean(),
                      spec_.pool->var(variable()), value());
    }

    model::RoleId role(std::uint32_t i) const {
        return spec_.alphabet->find_role(std::string(1, static_cast<char>('A' + i)));
    }
    model::RoleId decider() { return deciders_ ? role(random_.below(3)) : model::RoleId(); }

    void interaction() {
        std::uint32_t from = random_.below(3), to = (from + 1 + random_.below(2)) % 3;
        model::Alphabet& alphabet = *spec_.alphabet;
        std::vector<model::Argument> arguments;
        if (random_.percent(70)) {
            if (random_.percent(50))
                arguments.push_back({variable(), {}});
            else
                arguments.push_back({{}, value()});
        }
        builder_.interaction({}, role(from), role(to), alphabet.message(random_.percent(50) ? "m" : "n"),
                             std::move(arguments), random_.percent(25) ? condition() : expr::ExprId());
    }

    void block(std::uint32_t steps, std::uint32_t depth) {
        using model::NodeKind;
        builder_.open(NodeKind::sequence, {});
        for (std::uint32_t i = 0; i < steps; ++i) {
            std::uint32_t kind = depth == 0 ? random_.below(5) : random_.below(10);
            if (kind < 4) {
                interaction();
            } else if (kind == 4) {
                builder_.assign({}, variable(), value());
            } else {
                if (kind == 5)
                    builder_.open_conditional({}, condition());
                else if (kind == 6)
                    builder_.open_while({}, condition());
                else if (kind == 7)
                    builder_.open_repeat({}, decider());
                else if (kind == 8 && parallel_)
                    builder_.open(NodeKind::parallel, {});
                else
                    builder_.open_choice({}, decider());
                bool one = kind == 6 || kind == 7;
                for (int branch = 0; branch < (one ? 1 : 2); ++branch) block(random_.below(3), depth - 1);
                builder_.close();
            }
        }
        builder_.close();
    }

    model::Specification& spec_;
    base::SeededRandom random_;
    bool parallel_;
    bool deciders_ = false, bound_ = false;
    model::ProtocolBuilder builder_;
    std::vector<expr::VarId> variables_;
};

// What one transition or edge does with the data, for every value that it may bind.
class DataSteps {
public:
    explicit DataSteps(const expr::Pool& pool) : pool_(pool) {}

    // Values by variable, '.' where there is none.
    using Values = std::string;
    struct Outcome {
        std::string shown;
        Values values;
    };

    Values start() const { return Values(pool_.variable_count(), '.'); }

    std::vector<Outcome> run(const Values& values, expr::ExprId guard,
                             const std::vector<model::Argument>& arguments, expr::ExprId where,
                             const std::vector<model::Assignment>& assignments) const {
        std::vector<Outcome> result;
        if (!holds(guard, values)) return result;
        bind(arguments, 0, values, values, "", [&](const Values& bound, const std::string& shown) {
            if (!holds(where, bound)) return;
            Values after = bound;
            for (const model::Assignment& a : assignments) {
                auto v = evaluated(a.value, after);
                if (!v) return;
                after[a.variable.index] = *v;
            }
            result.push_back({shown, after});
        });
        return result;
    }

private:
    std::optional<char> evaluated(expr::ExprId e, const Values& values) const {
        expr::Environment environment;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != '.') environment.set(expr::VarId(i), expr::Value(std::int64_t{values[i] - '0'}));
        auto result = expr::evaluate(pool_, e, environment);
        if (!std::holds_alternative<expr::Value>(result)) return std::nullopt;
        const expr::Value& v = std::get<expr::Value>(result);
        if (const bool* truth = std::get_if<bool>(&v.v)) return *truth ? '1' : '0';
        return static_cast<char>('0' + v.integer());
    }
    bool holds(expr::ExprId e, const Values& values) const { return !e || evaluated(e, values) == '1'; }

    // Known values are what they were before anything was bound.
    template <class Use>
    void bind(const std::vector<model::Argument>& arguments, std::size_t i, const Values& before,
              const Values& values, const std::string& shown, const Use& use) const {
        if (i == arguments.size()) return use(values, shown);
        if (arguments[i].bind) {
            for (char v : {'0', '1', '2'}) {
                Values more = values;
                if (arguments[i].bind.index >= more.size()) more.resize(arguments[i].bind.index + 1, '.');
                more[arguments[i].bind.index] = v;
                bind(arguments, i + 1, before, more, shown + v, use);
            }
        } else if (auto v = evaluated(arguments[i].value, before)) {
            bind(arguments, i + 1, before, values, shown + *v, use);
        }
    }

    const expr::Pool& pool_;
};

inline Steps data_net_steps(const model::Net& net, const expr::Pool& pool) {
    Steps tokens = net_steps(net);
    auto data = std::make_shared<DataSteps>(pool);
    std::size_t places = net.places().size();
    Steps steps;
    steps.initial = tokens.initial + data->start();
    steps.next = [&net, data, places](const StateText& s) {
        std::vector<std::pair<std::string, StateText>> result;
        for (const model::Transition& t : net.transitions()) {
            StateText n = s.substr(0, places);
            bool enabled = true;
            for (model::PlaceId p : t.from) enabled = enabled && n[p.index]-- > 0;
            if (!enabled) continue;
            for (model::PlaceId p : t.clears) n[p.index] = 0;
            for (model::PlaceId p : t.to) ++n[p.index];
            for (const auto& o : data->run(s.substr(places), t.guard, t.data, t.where, t.assignments))
                result.push_back(
                    {t.silent() ? "" : net.alphabet().print(t.label) + "(" + o.shown + ")", n + o.values});
        }
        return result;
    };
    steps.successful = [tokens, places](const StateText& s) {
        return tokens.successful(s.substr(0, places));
    };
    return steps;
}

inline Steps data_machine_steps(const model::Machine& machine, const expr::Pool& pool) {
    auto data = std::make_shared<DataSteps>(pool);
    Steps steps;
    steps.initial = "0 " + data->start();
    steps.next = [&machine, data](const StateText& s) {
        std::vector<std::pair<std::string, StateText>> result;
        model::StateId at(std::stoul(s));
        auto edges = machine.out(at);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            model::EdgeData d = machine.has_data() ? machine.data(at, i) : model::EdgeData{};
            for (const auto& o :
                 data->run(s.substr(s.find(' ') + 1), d.guard, d.data, d.where, d.assignments))
                result.push_back({edges[i].label.index == 0
                                      ? ""
                                      : machine.alphabet().print(edges[i].label) + "(" + o.shown + ")",
                                  std::to_string(edges[i].target.index) + " " + o.values});
        }
        return result;
    };
    steps.successful = [&machine](const StateText& s) {
        return machine.final(model::StateId(std::stoul(s)));
    };
    return steps;
}

}  // namespace treaty::choreo::testing
