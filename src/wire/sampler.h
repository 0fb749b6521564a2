// Messages made from their declaration: valid ones, and ones that break exactly one constraint.
//
// A valid message satisfies the types of its fields, its `where` and what the wire needs; with a wire it has
// its bytes, and where no message with bytes is found the answer is unknown. The first is a small one, a few
// at the ends of their ranges follow, then any, where values that were there before come again now and then,
// but whole messages only when no other is found, or after ten thousand others. An invalid one breaks one
// constraint, which it names, and satisfies all others; a condition without a value does not hold, so that
// breaks it too. It has bytes where the wire can carry it.
//
// All work is bounded. Not safe for concurrent use; what it is given must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "solve/generate.h"
#include "wire/codec.h"
#include "wire/inner_ranges.h"
#include "wire/profile.h"

namespace treaty::wire {

// What a file declares about a message.
struct MessageRules {
    MessageIndex message = 0;
    std::span<const expr::Field> fields;
    std::span<const expr::VarId> parameters;  // the fields, as `where` names them
    expr::ExprId where;                       // none: nothing further
};

struct Made {
    solve::Found found = solve::Found::unknown;
    std::vector<expr::Value> values;  // one per field
    std::vector<std::string> how;     // the strategy that made each
    std::vector<expr::ExprId> core;   // no: conjuncts that contradict each other
    std::vector<std::string> ranges;  // no: those inside fields that take part in it
    std::string reason;               // unknown
    std::string bytes;
    std::string no_bytes;  // of an invalid message: why the wire cannot carry it, if it cannot
    bool again = false;    // it was made before: no other was found
};

class Sampler {
public:
    // codec: none for values without bytes.
    Sampler(expr::Pool& pool, const MessageRules& rules, const Codec* codec);

    // Weights that values are drawn by, where the conditions allow it.
    void use(const Profile* profile) { profile_ = profile; }

    Made valid(std::uint64_t seed, std::uint64_t number);
    // Whether all valid messages were made (yes is proved), or no other is looked for any more (unknown).
    // With a profile never: what is frequent there comes again.
    solve::Found all_made() const;

    // What could be broken: conjuncts of `where`, the ends of the fields' ranges, and of those inside them;
    // as the language writes it, with an i for any index.
    const std::vector<std::string>& constraints();
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
    Made draw(std::uint64_t seed, std::uint64_t number, expr::ExprId all);
    std::optional<Made> simplest(std::uint64_t seed, expr::ExprId all);
    Made another(std::uint64_t seed, std::uint64_t number, expr::ExprId all, Made again);
    Made break_inside(const InnerRange& range, std::uint64_t seed);
    bool is_new(const std::vector<expr::Value>& values) const;
    expr::ExprId condition(const Task& task, std::size_t broken, bool with_wire);
    solve::Generated generate(const Task& task, expr::ExprId condition, solve::Choices& choices);
    Made finish(const Task& task, solve::Generated generated, bool invalid);
    void name_ranges(Made& none);
    void by_layout(std::uint64_t seed, Made& made);
    void read_back(Made& made);
    bool is_valid(const std::vector<expr::Value>& values) const;
    void remember(const std::vector<expr::Value>& values);

    expr::Pool& pool_;
    MessageRules rules_;
    const Codec* codec_;
    const Profile* profile_ = nullptr;
    solve::Generator generator_;
    std::optional<Encoder> encoder_;
    Task task_;
    std::optional<Task> wide_;
    std::vector<InnerRange> inner_;
    std::vector<std::string> constraints_;      // once wide_ is there
    absl::flat_hash_set<std::uint64_t> given_;  // hashes of messages that were made
    std::vector<expr::ExprId> others_;          // conditions: not the last of them
    std::size_t in_vain_ = 0;                   // how often in a row no other was found
    bool all_given_ = false;                    // or as good as that
    bool proved_ = false;                       // that there is no other than these
};

}  // namespace treaty::wire
