// For tests: short ways to write a protocol of ast.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ast.h"

namespace treaty::verdicts {

inline Step say(Role from, Role to, std::string message) {
    Step step;
    step.from = from;
    step.to = to;
    step.name = std::move(message);
    return step;
}
inline Step made(Step::Kind kind, std::vector<Block> blocks, std::string name = "", Role at = 0) {
    Step step;
    step.kind = kind;
    step.from = at;
    step.name = std::move(name);
    step.blocks = std::move(blocks);
    return step;
}

inline Expr number(int value) {
    return {Expr::Kind::number, value, "", {}};
}
inline Expr variable(std::string name) {
    return {Expr::Kind::variable, 0, std::move(name), {}};
}
inline Expr operation(Expr::Kind kind, Expr a, Expr b) {
    return {kind, 0, "", {std::move(a), std::move(b)}};
}

// Messages with one value.
inline Step tell(Role from, Role to, std::string message, Expr value) {
    Step step = say(from, to, std::move(message));
    step.arguments.push_back({Argument::Kind::value, "", std::move(value)});
    return step;
}
inline Step choose(Role from, Role to, std::string message, std::string variable,
                   std::optional<Expr> where = std::nullopt) {
    Step step = say(from, to, std::move(message));
    step.arguments.push_back({Argument::Kind::bind, std::move(variable), {}});
    step.condition = std::move(where);
    return step;
}
// A conditional or a while.
inline Step decided(Step::Kind kind, Expr condition, std::vector<Block> blocks) {
    Step step = made(kind, std::move(blocks));
    step.condition = std::move(condition);
    return step;
}

// A protocol of A, B, C and D; `n` and `k` carry a small integer.
inline File file_of(Block body) {
    File file;
    file.messages = {{"k", {Type::small}}, {"n", {Type::small}}};
    file.protocols.push_back({"P", {"A", "B", "C", "D"}, std::move(body)});
    return file;
}

}  // namespace treaty::verdicts
