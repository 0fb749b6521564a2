#include "ast.h"

#include <functional>

namespace treaty::verdicts {
namespace {

// Rounds down, as the language does.
int floor_divide(int a, int b) {
    return (a - ((a % b + b) % b)) / b;
}

}  // namespace

std::optional<int> evaluate(const Expr& expr, const Values& values) {
    using Kind = Expr::Kind;
    if (expr.kind == Kind::number || expr.kind == Kind::truth) return expr.value;
    if (expr.kind == Kind::variable) {
        auto it = values.find(expr.name);
        return it == values.end() ? std::nullopt : std::optional(it->second);
    }
    std::optional<int> a = evaluate(expr.parts[0], values);
    if (!a) return std::nullopt;
    if (expr.kind == Kind::negation) return *a == 0;
    std::optional<int> b = evaluate(expr.parts[1], values);
    if (!b) return std::nullopt;
    switch (expr.kind) {
        case Kind::equal: return *a == *b;
        case Kind::not_equal: return *a != *b;
        case Kind::less: return *a < *b;
        case Kind::add: return *a + *b;
        case Kind::modulo: return *b == 0 ? std::nullopt : std::optional((*a % *b + *b) % *b);
        case Kind::divide: return *b == 0 ? std::nullopt : std::optional(floor_divide(*a, *b));
        default: return std::nullopt;
    }
}

std::set<Role> roles_of(const Step& step) {
    if (step.kind == Step::Kind::interaction) return {step.from, step.to};
    std::set<Role> result(step.roles.begin(), step.roles.end());
    for (const Block& block : step.blocks) result.merge(roles_of(block));
    return result;
}

std::set<Role> roles_of(const Block& block) {
    std::set<Role> result;
    for (const Step& step : block) result.merge(roles_of(step));
    return result;
}

std::size_t interactions_of(const Block& block) {
    std::size_t count = 0;
    for (const Step& step : block) {
        if (step.kind == Step::Kind::interaction) ++count;
        for (const Block& inner : step.blocks) count += interactions_of(inner);
    }
    return count;
}

void collect_variables(const Expr& expr, std::set<std::string>& names) {
    if (expr.kind == Expr::Kind::variable) names.insert(expr.name);
    for (const Expr& part : expr.parts) collect_variables(part, names);
}

Exits exits_of(const Step& step) {
    Exits result;
    std::vector<Exits> inner;
    for (const Block& block : step.blocks) inner.push_back(exits_of(block));
    for (const Exits& i : inner) result.jumps.insert(i.jumps.begin(), i.jumps.end());
    auto some = [&] {
        for (const Exits& i : inner)
            if (i.ends) return true;
        return false;
    };
    switch (step.kind) {
        case Step::Kind::jump:
            result.ends = false;
            result.jumps = {step.name};
            break;
        case Step::Kind::rec:
            result.ends = inner[0].ends;
            result.jumps.erase(step.name);
            break;
        case Step::Kind::choice: result.ends = some(); break;
        case Step::Kind::conditional: result.ends = inner.size() < 2 || some(); break;
        case Step::Kind::par:
            for (const Exits& i : inner) result.ends = result.ends && i.ends;
            break;
        default: break;
    }
    return result;
}

Exits exits_of(const Block& block) {
    Exits result;
    for (const Step& step : block) {
        Exits one = exits_of(step);
        result.jumps.insert(one.jumps.begin(), one.jumps.end());
        if (!one.ends) {
            result.ends = false;
            break;
        }
    }
    return result;
}

namespace {

class Inliner {
public:
    explicit Inliner(const File& file) : file_(file) {}

    Protocol run() {
        Protocol result = file_.tested();
        result.body = expand(result.body, nullptr, "");
        return result;
    }

private:
    void rename(Expr& expr, const std::string& suffix) {
        if (expr.kind == Expr::Kind::variable) expr.name += suffix;
        for (Expr& part : expr.parts) rename(part, suffix);
    }

    // roles: who plays the roles of the block's protocol; none: they are the main protocol's own.
    Block expand(const Block& block, const std::vector<Role>* roles, const std::string& suffix) {
        Block result;
        for (const Step& original : block) {
            Step step = original;
            if (roles) {
                step.from = (*roles)[step.from];
                step.to = (*roles)[step.to];
                for (Role& role : step.roles) role = (*roles)[role];
            }
            if (step.kind == Step::Kind::call) {
                Block called =
                    expand(called_protocol(step.name).body, &step.roles, "_" + std::to_string(++calls_));
                result.insert(result.end(), called.begin(), called.end());
                continue;
            }
            if (step.kind != Step::Kind::interaction) step.name += suffix;
            for (Argument& argument : step.arguments) {
                argument.name += suffix;
                rename(argument.value, suffix);
            }
            if (step.condition) rename(*step.condition, suffix);
            for (Block& inner : step.blocks) inner = expand(inner, roles, suffix);
            result.push_back(std::move(step));
        }
        return result;
    }

    const Protocol& called_protocol(const std::string& name) const {
        for (const Protocol& protocol : file_.protocols)
            if (protocol.name == name) return protocol;
        return file_.tested();
    }

    const File& file_;
    int calls_ = 0;
};

}  // namespace

Protocol inlined(const File& file) {
    return Inliner(file).run();
}

}  // namespace treaty::verdicts
