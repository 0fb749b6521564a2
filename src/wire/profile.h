// An operational profile: which messages and which values realistic traffic has, as weights.
//
// Written as JSON, by the names of a specification:
//
//     { "messages": { "buy": 8, "stop": 1 },
//       "fields": { "buy.book": [ { "weight": 9, "from": 1, "to": 20 }, { "weight": 1, "value": 4711 },
//                                 { "weight": 1, "any": true } ],
//                   "mail.from": [ { "weight": 1, "matches": "[a-z]+@example\\.org" } ] } }
//
// A message that is not named weighs 1, a field that is not named is as it would be without a profile. A
// profile wishes, it does not demand: conditions always hold, and a wish that contradicts them is dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/result.h"
#include "expr/pool.h"
#include "solve/choices.h"
#include "wire/codec.h"

namespace treaty::wire {

class Profile {
public:
    // A fault if the text is not a profile of these messages.
    static base::Result<Profile> read(std::string_view json, const expr::Pool& pool,
                                      std::span<const MessageShape> shapes);

    std::uint32_t weight(MessageIndex message) const { return weights_[message]; }
    // One of the messages, by weight; there must be at least one.
    MessageIndex pick(std::span<const MessageIndex> messages, solve::Choices& choices) const;
    // What the variables (one per field) should be this time; none if the profile does not matter.
    expr::ExprId wish(expr::Pool& pool, MessageIndex message, std::span<const expr::VarId> variables,
                      solve::Choices& choices) const;

private:
    struct Alternative {
        enum class Kind : std::uint8_t { any, value, range, pattern } kind = Kind::any;
        std::uint32_t weight = 1;
        expr::Value value;
        std::int64_t low = INT64_MIN, high = INT64_MAX;
        std::string pattern;
    };
    class Reader;

    std::vector<std::uint32_t> weights_;  // by message
    absl::flat_hash_map<std::pair<MessageIndex, std::uint32_t>, std::vector<Alternative>> fields_;
};

}  // namespace treaty::wire
