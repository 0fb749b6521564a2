// For tests: random protocols with data of few values, in which most roles know what they need.
//
// Three roles, fields with the numbers 0, 1 and 2, no loops. A sender sends what it knows, something computed
// from it, or chooses; conditions and decisions stand where one role, which knows what is asked, sends next.
// One in a few is careless, so that machines get stuck and messages are left over, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/seeded_random.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::testgen::testing {

class RandomValues {
public:
    RandomValues(model::Specification& spec, std::uint64_t seed) : spec_(spec), random_(seed) {
        for (const char* name : {"A", "B", "C"}) roles_.push_back(spec.alphabet->role(name));
        expr::TypeId small = spec.types->integer(0, 2);
        for (int i = 0; i < 5; ++i) {
            messages_.push_back(spec.alphabet->message("m" + std::to_string(i)));
            spec.messages.resize(spec.alphabet->message_count());
            model::Message& message = spec.messages[messages_.back().index];
            for (int f = 0; f < (i + 1) / 2; ++f) {
                std::string name = "f" + std::to_string(f);
                message.fields.push_back({spec.names->intern(name), small});
                message.variables.push_back(spec.pool->declare(spec.names->intern(name), small));
            }
        }
        if (random_.percent(30)) {
            model::Message& message = spec.messages[messages_[4].index];
            message.where = compare(expr::Op::less_equal, spec.pool->var(message.variables[0]),
                                    spec.pool->var(message.variables[1]));
        }
    }

    std::optional<model::Protocol> make() {
        model::ProtocolBuilder builder("Values", {}, roles_);
        builder.open(model::NodeKind::sequence, {});
        Known known(3);
        steps(builder, 2 + random_.below(3), 2, known, random_.below(3));
        builder.close();
        return builder.finish();
    }

private:
    using Known = std::vector<std::vector<expr::VarId>>;  // by role

    expr::ExprId compare(expr::Op op, expr::ExprId a, expr::ExprId b) {
        expr::ExprId sides[] = {a, b};
        return spec_.pool->make(op, spec_.types->boolean(), sides);
    }
    expr::ExprId number() { return spec_.pool->integer(random_.below(3)); }

    expr::ExprId value(const std::vector<expr::VarId>& known) {
        if (known.empty() || random_.percent(15)) return number();
        expr::ExprId one = spec_.pool->var(known[random_.below(static_cast<std::uint32_t>(known.size()))]);
        if (random_.percent(65)) return one;
        expr::ExprId sides[] = {random_.percent(50) ? spec_.pool->integer(2) : one, one};
        expr::Op op = sides[0] == one ? expr::Op::multiply : expr::Op::subtract;
        return spec_.pool->make(op, spec_.types->integer(), sides);
    }

    expr::ExprId condition(const std::vector<expr::VarId>& known) {
        static constexpr expr::Op ops[] = {expr::Op::less, expr::Op::less_equal, expr::Op::equal,
                                           expr::Op::not_equal};
        expr::ExprId one = compare(ops[random_.below(4)], value(known), value(known));
        if (random_.percent(70)) return one;
        expr::ExprId two = compare(ops[random_.below(4)], value(known), number());
        return random_.percent(50) ? spec_.pool->logical_and(one, two) : spec_.pool->logical_or(one, two);
    }

    // Answers who has it.
    std::uint32_t interaction(model::ProtocolBuilder& builder, Known& known, std::uint32_t from,
                              std::optional<std::uint32_t> which = {}) {
        std::uint32_t to = (from + 1 + random_.below(2)) % 3;
        model::MessageId message = messages_[which.value_or(random_.below(5))];
        std::vector<model::Argument> arguments;
        std::vector<expr::VarId> bound;
        for (const expr::Field& field : spec_.messages[message.index].fields) {
            if (!known[from].empty() && random_.percent(55)) {
                arguments.push_back({{}, value(known[from]), {}});
                const model::Argument& made = arguments.back();
                if ((*spec_.pool)[made.value].op == expr::Op::var)
                    bound.push_back(spec_.pool->var_of(made.value));
                continue;
            }
            std::string name = "v" + std::to_string(variables_++);
            bound.push_back(spec_.pool->declare(spec_.names->intern(name), field.type));
            arguments.push_back({bound.back(), {}, {}});
            known[from].push_back(bound.back());
        }
        for (expr::VarId variable : bound) known[to].push_back(variable);
        expr::ExprId where;
        if (!bound.empty() && random_.percent(25)) where = condition(bound);
        builder.interaction({}, roles_[from], roles_[to], message, std::move(arguments), where);
        return to;
    }

    void branches(model::ProtocolBuilder& builder, std::uint32_t depth, Known& known, std::uint32_t at) {
        bool conditional = !known[at].empty() && random_.percent(60);
        if (conditional)
            builder.open_conditional({}, condition(known[at]));
        else
            builder.open_choice({}, roles_[at]);
        std::uint32_t first = random_.below(5);
        for (std::uint32_t b = 0; b < 2; ++b) {
            Known here = known;
            builder.open(model::NodeKind::sequence, {});
            bool same = random_.percent(20);
            std::uint32_t to = interaction(builder, here, at, (first + (same ? 0 : b)) % 5);
            steps(builder, random_.below(3), depth - 1, here, to);
            builder.close();
        }
        builder.close();
    }

    void steps(model::ProtocolBuilder& builder, std::uint32_t count, std::uint32_t depth, Known& known,
               std::uint32_t at) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (depth > 0 && random_.percent(30)) {
                branches(builder, depth, known, at);
                return;
            }
            std::uint32_t from = random_.percent(10) ? random_.below(3) : at;
            at = interaction(builder, known, from);
        }
    }

    model::Specification& spec_;
    base::SeededRandom random_;
    std::vector<model::RoleId> roles_;
    std::vector<model::MessageId> messages_;
    std::uint32_t variables_ = 0;
};

}  // namespace treaty::testgen::testing
