// Messages made from their declaration: valid ones, and ones that break exactly one constraint.
//
// A valid message satisfies the types of its fields, its `where` and what the wire needs; its bytes are there
// if a wire is. The first is the simplest one, a few at the ends of their ranges follow, then any, where
// values that were there before come again now and then. An invalid one makes one constraint false, which it
// names, and all others true; it has bytes where the wire can carry it.
//
// All work is bounded. Not safe for concurrent use; what it is given must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/generate.h"
#include "wire/codec.h"
#include "wire/profile.h"

namespace treaty::wire {

// What a file declares of a message.
struct MessageRules {
    MessageIndex message = 0;
    std::span<const expr::Field> fields;
    std::span<const expr::VarId> parameters;  // the fields, as `where` names them
    expr::ExprId where;                       // none: nothing further
};

struct Made {
    expr::Found found = expr::Found::unknown;
    std::vector<expr::Value> values;  // one a field
    std::vector<std::string> how;     // the strategy behind each
    std::vector<expr::ExprId> core;   // no: conjuncts that contradict each other
    std::string reason;               // unknown
    std::string bytes;
    std::string no_bytes;  // why there are none, if there should be
};

class Sampler {
public:
    // codec: none for values without bytes.
    Sampler(expr::Pool& pool, const MessageRules& rules, const Codec* codec);

    // Weights that values are drawn by, where the conditions allow it.
    void use(const Profile* profile) { profile_ = profile; }

    Made valid(std::uint64_t seed, std::uint64_t number);

    // The constraints that can be broken: conjuncts of `where`, and the ends of the fields' ranges.
    const std::vector<expr::ExprId>& constraints();
    // Those of them that can be broken alone.
    std::vector<std::size_t> breakable(std::uint64_t seed);
    Made invalid(std::size_t constraint, std::uint64_t seed);

private:
    struct Task {
        std::vector<expr::VarId> variables;
        std::vector<expr::ExprId> constraints;
        std::vector<expr::ExprId> always;  // what the wire needs
    };
    Task task(bool widened);
    void ranges(const expr::Type& type, expr::ExprId x, std::vector<expr::ExprId>& out);
    Task& wide();
    expr::ExprId condition(const Task& task, std::size_t broken, bool with_wire);
    expr::Generated generate(const Task& task, expr::ExprId condition, expr::Choices& choices);
    Made finish(const Task& task, expr::Generated generated, bool invalid);
    void by_layout(std::uint64_t seed, Made& made);
    void remember(const std::vector<expr::Value>& values);

    expr::Pool& pool_;
    MessageRules rules_;
    const Codec* codec_;
    const Profile* profile_ = nullptr;
    expr::Generator generator_;
    std::optional<Encoder> encoder_;
    Task task_;
    std::optional<Task> wide_;
};

}  // namespace treaty::wire
