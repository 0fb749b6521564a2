// Small protocols of the tests' own: what random ones are made of, what is rewritten, and what the slow
// decision reads.
//
// It shares nothing with the product. A File is printed as Treaty text (print.h) and only that text is given
// to the product. Roles are positions in the protocol's list. Values are small integers, truth values are 0
// and 1. Names of variables and loops are unique in a protocol, except that a `let` of a visible variable
// changes it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace treaty::verdicts {

using Role = unsigned;

enum class Type { truth, small };  // small: int in 0..2

struct Expr {
    enum class Kind { number, truth, variable, equal, not_equal, less, add, modulo, divide, negation };
    Kind kind = Kind::number;
    int value = 0;     // number, truth
    std::string name;  // variable
    std::vector<Expr> parts;
};

struct Argument {
    enum class Kind { bind, value, any };
    Kind kind = Kind::any;
    std::string name;  // bind
    Expr value;        // value
};

struct Step;
using Block = std::vector<Step>;

struct Step {
    enum class Kind { interaction, choice, optional, repeat, rec, jump, par, conditional, loop, let, call };
    Kind kind = Kind::interaction;
    Role from = 0, to = 0;            // interaction; `from` decides a choice, an optional or a repeat
    std::string name;                 // message, loop, variable, called protocol
    std::vector<Argument> arguments;  // interaction
    std::optional<Expr>
        condition;  // interaction: where; conditional and loop (a while): what decides; let: the value
    std::vector<Block> blocks;  // conditional: then and else
    std::vector<Role> roles;    // call
};

struct Protocol {
    std::string name;
    std::vector<std::string> roles;
    Block body;
};

struct File {
    std::map<std::string, std::vector<Type>> messages;  // those with data
    std::vector<Protocol> protocols;                    // the last is the one that is meant

    const Protocol& tested() const { return protocols.back(); }
    Protocol& tested() { return protocols.back(); }
};

// The value of an expression; nothing where there is none (a division by zero, a variable without a value).
using Values = std::map<std::string, int>;
std::optional<int> evaluate(const Expr& expr, const Values& values);
inline bool holds(const std::optional<Expr>& condition, const Values& values) {
    return !condition || evaluate(*condition, values) == 1;
}

std::set<Role> roles_of(const Block& block);
std::set<Role> roles_of(const Step& step);
std::size_t interactions_of(const Block& block);
void collect_variables(const Expr& expr, std::set<std::string>& names);

// Whether control can get past a block, and which loops outside it are continued from inside.
struct Exits {
    bool ends = true;
    std::set<std::string> jumps;
    bool never() const { return !ends && jumps.empty(); }
};
Exits exits_of(const Block& block);
Exits exits_of(const Step& step);

// The main protocol with all calls replaced by what they call. Calls of the protocol itself are not known
// here.
Protocol inlined(const File& file);

}  // namespace treaty::verdicts
