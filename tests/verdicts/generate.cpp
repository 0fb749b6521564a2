#include "generate.h"

#include <algorithm>
#include <iterator>

#include "building.h"
#include "shapes.h"

namespace treaty::verdicts {

std::uint64_t Random::next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

namespace {

struct Variable {
    std::string name;
    Type type;
    std::set<Role> known;  // by whom
    bool fixed = false;    // must not be changed here: another segment of a par may read it
};

// What is visible at a place of the protocol.
struct Scope {
    std::vector<Variable> variables;
    std::vector<std::string> loops;
};

class Generator {
public:
    Generator(std::uint64_t seed, const Shape& shape) : random_(seed), shape_(shape) {
        roles_ = 2 + random_.below(3);
        announced_ = random_.percent(45);
        careless_ = random_.percent(50) ? 0 : 12;
        names_ = random_.percent(50) ? 3 : 40;
        data_ = shape.data && random_.percent(40);
        parallel_ = shape.parallel && random_.percent(50);
    }

    File run() {
        Protocol protocol;
        protocol.name = "P";
        for (Role r = 0; r < roles_; ++r)
            protocol.roles.push_back(std::string(1, static_cast<char>('A' + r)));
        Scope scope;
        bool shapes = random_.percent(30);
        int budget = 1 + static_cast<int>(random_.below(shapes ? 3 : 6));
        if (shapes) append(protocol.body, people_shape(random_, roles_));
        append(protocol.body, block(budget, 2, scope, std::nullopt, true));
        if (random_.percent(30)) protocol.body.insert(protocol.body.begin(), plain());
        File file;
        file.messages = {
            {"b0", {Type::truth}}, {"b1", {Type::truth}}, {"n0", {Type::small}}, {"n1", {Type::small}}};
        file.protocols.push_back(std::move(protocol));
        forget_unused(file);
        return file;
    }

private:
    static void append(Block& to, Block from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    }

    Role other(Role than) { return (than + 1 + random_.below(roles_ - 1)) % roles_; }

    Step plain(std::optional<Role> from = std::nullopt) {
        Step step;
        step.from = from ? *from : random_.below(roles_);
        step.to = other(step.from);
        step.name = "m" + std::to_string(random_.below(names_));
        return step;
    }
    Step announcement(Role from, Role to, const std::string& name) {
        Step step;
        step.from = from;
        step.to = to;
        step.name = name;
        return step;
    }

    // ---- data

    std::vector<Variable*> known_to(Scope& scope, Role role, std::optional<Type> type = std::nullopt) {
        std::vector<Variable*> result;
        for (Variable& v : scope.variables)
            if (v.known.contains(role) && (!type || v.type == *type)) result.push_back(&v);
        return result;
    }

    Expr condition_on(const Variable& v, Scope& scope, Role role) {
        if (v.type == Type::truth)
            return random_.percent(50) ? variable(v.name)
                                       : Expr{Expr::Kind::negation, 0, "", {variable(v.name)}};
        auto others = known_to(scope, role, Type::small);
        unsigned kind = random_.below(6);
        if (kind == 0)
            return operation(Expr::Kind::less, number(1),
                             operation(Expr::Kind::divide, number(3), variable(v.name)));
        if (kind == 1 && others.size() > 1) {
            const Variable* w = others[random_.below(static_cast<unsigned>(others.size()))];
            if (w->name != v.name) return operation(Expr::Kind::equal, variable(v.name), variable(w->name));
        }
        if (kind <= 3)
            return operation(Expr::Kind::equal, variable(v.name), number(static_cast<int>(random_.below(3))));
        if (kind == 4)
            return operation(Expr::Kind::less, variable(v.name),
                             number(1 + static_cast<int>(random_.below(2))));
        return operation(Expr::Kind::not_equal, variable(v.name), number(static_cast<int>(random_.below(3))));
    }

    Expr value_for(Type type, Scope& scope, Role role) {
        auto known = known_to(scope, role, type);
        if (!known.empty() && random_.percent(70)) {
            const Variable* v = known[random_.below(static_cast<unsigned>(known.size()))];
            if (type == Type::small && random_.percent(25))
                return operation(Expr::Kind::modulo, operation(Expr::Kind::add, variable(v->name), number(1)),
                                 number(3));
            return variable(v->name);
        }
        if (type == Type::truth) return {Expr::Kind::truth, static_cast<int>(random_.below(2)), "", {}};
        return number(static_cast<int>(random_.below(3)));
    }

    // A message with one value; `change` is the variable to be bound anew.
    Step with_data(Scope& scope, std::optional<Role> from, Variable* change = nullptr) {
        Step step = plain(from);
        Type type = change ? change->type : random_.percent(35) ? Type::truth : Type::small;
        step.name = (type == Type::truth ? "b" : "n") + std::to_string(random_.below(2));
        Argument argument;
        unsigned kind = random_.below(10);
        if (change || kind < 6) {
            argument.kind = Argument::Kind::bind;
            if (!change && random_.percent(15))
                for (Variable* v : known_to(scope, step.from, type))
                    if (!v->fixed) change = v;
            if (!change) {
                scope.variables.push_back({"x" + std::to_string(variables_++), type, {}, false});
                change = &scope.variables.back();
            }
            argument.name = change->name;
            change->known = {step.from, step.to};
            if (random_.percent(25)) step.condition = condition_on(*change, scope, step.from);
        } else if (kind < 9) {
            argument.kind = Argument::Kind::value;
            argument.value = value_for(type, scope, step.from);
            if (argument.value.kind == Expr::Kind::variable)
                for (Variable& v : scope.variables)
                    if (v.name == argument.value.name) v.known.insert(step.to);
        }
        step.arguments = {argument};
        return step;
    }

    Step interaction(Scope& scope, std::optional<Role> from) {
        return data_ && random_.percent(45) ? with_data(scope, from) : plain(from);
    }

    // ---- blocks

    // What an inner block changes is known outside by those who know it on every way.
    Block inner(int budget, int depth, Scope& outer, std::optional<Role> first, bool tail) {
        Scope scope = outer;
        Block result = block(budget, depth, scope, first, tail);
        for (std::size_t i = 0; i < outer.variables.size(); ++i) {
            std::set<Role> both;
            std::set_intersection(outer.variables[i].known.begin(), outer.variables[i].known.end(),
                                  scope.variables[i].known.begin(), scope.variables[i].known.end(),
                                  std::inserter(both, both.end()));
            outer.variables[i].known = both;
        }
        return result;
    }

    Block block(int budget, int depth, Scope& scope, std::optional<Role> first, bool tail) {
        Block result;
        if (first) {
            result.push_back(interaction(scope, first));
            --budget;
        }
        while (budget > 0) {
            int before = budget;
            append(result, step(budget, depth, scope, tail && random_.percent(50)));
            if (!exits_of(result).ends) {
                if (exits_of(result).never() && random_.percent(30) && before > 1) {
                    result.push_back(
                        interaction(scope, std::nullopt));  // beside the endless loop, if it shares no role
                }
                break;
            }
        }
        return result;
    }

    Block step(int& budget, int depth, Scope& scope, bool tail) {
        unsigned kind = depth == 0 ? 0 : random_.below(16);
        --budget;
        if (kind >= 4 && kind <= 6) return choice(budget, depth, scope, tail);
        if (kind == 7) return optional(budget, depth, scope);
        if (kind == 8) return repeat(budget, depth, scope);
        if (kind == 9 || kind == 10) return rec(budget, depth, scope);
        if (kind == 11 && parallel_) return par(budget, depth, scope);
        if (kind >= 12 && data_) {
            if (kind == 12) return loop(budget, depth, scope);
            if (kind == 13) return let(scope);
            return conditional(budget, depth, scope, tail);
        }
        return {interaction(scope, std::nullopt)};
    }

    int share(int& budget) {
        int part = static_cast<int>(random_.below(static_cast<unsigned>(std::max(budget, 1)) + 1));
        budget -= part;
        return 1 + part;
    }

    // The decider tells everyone who takes part in any of the blocks which of them it is.
    void announce(Role decider, std::vector<Block>& blocks, Block* after) {
        if (!announced_) return;
        std::set<Role> all;
        for (const Block& b : blocks) all.merge(roles_of(b));
        all.erase(decider);
        auto tell = [&](Block& block, const std::string& name) {
            Block head;
            for (Role r : all)
                if (!random_.percent(careless_)) head.push_back(announcement(decider, r, name));
            block.insert(block.begin(), head.begin(), head.end());
        };
        int number = decisions_++;
        for (std::size_t i = 0; i < blocks.size(); ++i)
            tell(blocks[i], "d" + std::to_string(number) + "_" + std::to_string(i));
        if (after) tell(*after, "e" + std::to_string(number));
    }

    Block choice(int& budget, int depth, Scope& scope, bool tail) {
        Step result;
        result.kind = Step::Kind::choice;
        result.from = random_.below(roles_);
        unsigned branches = random_.percent(80) ? 2 : 3;
        bool empty = random_.percent(12);
        for (unsigned i = 0; i < branches; ++i) {
            Block branch;
            if (!(empty && i + 1 == branches))
                branch = inner(share(budget), depth - 1, scope, result.from, tail);
            result.blocks.push_back(std::move(branch));
        }
        announce(result.from, result.blocks, nullptr);
        for (Block& branch : result.blocks)
            if (tail && !scope.loops.empty() && !branch.empty() && exits_of(branch).ends &&
                random_.percent(30))
                branch.push_back(jump(scope.loops[random_.below(static_cast<unsigned>(scope.loops.size()))]));
        return {result};
    }

    Block optional(int& budget, int depth, Scope& scope) {
        Step result;
        result.kind = Step::Kind::optional;
        result.from = random_.below(roles_);
        result.blocks = {inner(share(budget), depth - 1, scope, result.from, false)};
        Block after;
        announce(result.from, result.blocks, &after);
        Block all{result};
        append(all, after);
        return all;
    }

    Block repeat(int& budget, int depth, Scope& scope) {
        Step result;
        result.kind = Step::Kind::repeat;
        result.from = random_.below(roles_);
        result.blocks = {inner(share(budget), depth - 1, scope, result.from, false)};
        Block after;
        announce(result.from, result.blocks, &after);
        Block all{result};
        append(all, after);
        return all;
    }

    static Step jump(const std::string& loop) {
        Step step;
        step.kind = Step::Kind::jump;
        step.name = loop;
        return step;
    }

    Block rec(int& budget, int depth, Scope& scope) {
        Step result;
        result.kind = Step::Kind::rec;
        result.name = "L" + std::to_string(loops_++);
        Scope scoped = scope;
        scoped.loops.push_back(result.name);
        Block body;
        unsigned kind = random_.below(10);
        if (kind < 3) {  // endless
            body = inner(share(budget), depth - 1, scoped, random_.below(roles_), false);
            if (exits_of(body).ends) body.push_back(jump(result.name));
        } else {  // somebody decides on another round, at its start or at its end
            if (kind < 6) body = inner(share(budget), depth - 1, scoped, std::nullopt, false);
            Step decision;
            decision.kind = Step::Kind::choice;
            decision.from = random_.below(roles_);
            for (unsigned i = 0; i < 2 + random_.below(2); ++i)
                decision.blocks.push_back(inner(share(budget), depth - 1, scoped, decision.from, false));
            announce(decision.from, decision.blocks, nullptr);
            bool after = random_.percent(25);
            for (std::size_t i = 0; i < decision.blocks.size(); ++i)
                if (!after && (i == 0 || random_.percent(25)) && exits_of(decision.blocks[i]).ends)
                    decision.blocks[i].push_back(jump(result.name));
            body.push_back(std::move(decision));
            if (after && exits_of(body).ends) body.push_back(jump(result.name));
        }
        result.blocks = {std::move(body)};
        return {result};
    }

    Block par(int& budget, int depth, Scope& scope) {
        Step result;
        result.kind = Step::Kind::par;
        Scope fixed = scope;
        fixed.loops.clear();
        for (Variable& v : fixed.variables) v.fixed = true;
        for (int i = 0; i < 2; ++i)
            result.blocks.push_back(inner(share(budget), depth - 1, fixed, random_.below(roles_), false));
        return {result};
    }

    Block let(Scope& scope) {
        Step result;
        result.kind = Step::Kind::let;
        Variable made{"x" + std::to_string(variables_++), Type::small, {}, false};
        result.name = made.name;
        const Variable* source = nullptr;
        for (const Variable& v : scope.variables)
            if (v.type == Type::small) source = &v;
        if (source && random_.percent(80)) {
            result.condition = operation(
                Expr::Kind::modulo, operation(Expr::Kind::add, variable(source->name), number(1)), number(3));
            made.known = source->known;
        } else {
            result.condition = number(static_cast<int>(random_.below(3)));
            for (Role r = 0; r < roles_; ++r) made.known.insert(r);
        }
        scope.variables.push_back(made);
        return {result};
    }

    Variable* any_variable(Scope& scope) {
        std::vector<Variable*> all;
        for (Variable& v : scope.variables)
            if (!v.known.empty()) all.push_back(&v);
        return all.empty() ? nullptr : all[random_.below(static_cast<unsigned>(all.size()))];
    }
    Role one_of(const std::set<Role>& roles) {
        return *std::next(roles.begin(), random_.below(static_cast<unsigned>(roles.size())));
    }

    Block conditional(int& budget, int depth, Scope& scope, bool tail) {
        Variable* v = any_variable(scope);
        if (!v) return {with_data(scope, std::nullopt)};
        Step result;
        result.kind = Step::Kind::conditional;
        result.from = one_of(v->known);
        result.condition = condition_on(*v, scope, result.from);
        result.blocks.push_back(inner(share(budget), depth - 1, scope, result.from, tail));
        if (random_.percent(60))
            result.blocks.push_back(inner(share(budget), depth - 1, scope, result.from, tail));
        announce(result.from, result.blocks, nullptr);
        return {result};
    }

    // How a round begins: mostly with what may end the loop, or counting to it, or not at all.
    Block changes(Scope& scope, Role role, Variable& changed) {
        unsigned kind = random_.below(10);
        if (kind < 6) {
            Block first{with_data(scope, role, &changed)};
            first.front().condition.reset();
            return first;
        }
        Block first{plain(role)};
        if (kind < 8 && changed.type == Type::small) {
            Step count;
            count.kind = Step::Kind::let;
            count.name = changed.name;
            count.condition = operation(
                Expr::Kind::modulo, operation(Expr::Kind::add, variable(changed.name), number(1)), number(3));
            first.push_back(std::move(count));
        }
        return first;
    }

    Block loop(int& budget, int depth, Scope& scope) {
        Variable* v = any_variable(scope);
        if (!v || v->fixed) return {with_data(scope, std::nullopt)};
        Step result;
        result.kind = Step::Kind::loop;
        result.from = one_of(v->known);
        result.condition = condition_on(*v, scope, result.from);
        std::string name = v->name;
        Scope round = scope;
        Variable* mine = nullptr;
        for (Variable& w : round.variables)
            if (w.name == name) mine = &w;
        Block body = changes(round, result.from, *mine);
        append(body, inner(share(budget) - 1, depth - 1, round, std::nullopt, false));
        for (std::size_t i = 0; i < scope.variables.size(); ++i)
            scope.variables[i].known = round.variables[i].known;
        result.blocks = {std::move(body)};
        Block after;
        announce(result.from, result.blocks, &after);
        Block all{result};
        append(all, after);
        return all;
    }

    // Only messages that are used are declared.
    static void forget_unused(File& file) {
        std::set<std::string> used;
        collect_messages(file.tested().body, used);
        std::erase_if(file.messages, [&](const auto& m) { return !used.contains(m.first); });
    }
    static void collect_messages(const Block& block, std::set<std::string>& used) {
        for (const Step& step : block) {
            if (step.kind == Step::Kind::interaction) used.insert(step.name);
            for (const Block& b : step.blocks) collect_messages(b, used);
        }
    }

    Random random_;
    Shape shape_;
    unsigned roles_, careless_, names_;
    bool announced_, data_, parallel_;
    int variables_ = 0, loops_ = 0, decisions_ = 0;
};

}  // namespace

File random_file(std::uint64_t seed, const Shape& shape) {
    return Generator(seed, shape).run();
}

}  // namespace treaty::verdicts
