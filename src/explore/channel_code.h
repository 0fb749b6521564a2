// A channel of small capacity as a finite automaton: every content it can have is a number, 0 when empty.
//
// Symbols are numbers 0 to k-1. A queue of capacity c has 1 + k + k^2 + ... + k^c contents, a bag
// (c + k over k). Where that is few, sending and receiving are table look-ups and the content takes as few
// bits as there can be; where it is many, make_channel_code() refuses and the content is stored message by
// message.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace treaty::explore {

struct ChannelCode {
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr std::uint32_t most = 4096;  // contents

    std::uint32_t symbols = 0;
    std::vector<std::vector<std::uint32_t>> contents;  // by code, oldest first; sorted in bags
    std::vector<std::uint32_t> push_table;             // code * symbols + symbol; none: full
    std::vector<std::uint32_t> take_table;             // none: that symbol cannot be received

    std::uint32_t size() const { return static_cast<std::uint32_t>(contents.size()); }
    std::uint32_t push(std::uint32_t code, std::uint32_t symbol) const {
        return push_table[code * symbols + symbol];
    }
    std::uint32_t take(std::uint32_t code, std::uint32_t symbol) const {
        return take_table[code * symbols + symbol];
    }
};

std::optional<ChannelCode> make_channel_code(std::uint32_t symbols, std::uint32_t capacity, bool bag);

}  // namespace treaty::explore
