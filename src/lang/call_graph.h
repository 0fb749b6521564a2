// Which protocols of a file call which, as written. Internal to lang/.
//
// Protocols are given by their position in the file. Each question about one is answered once and remembered.
// Cost: linear in the steps of the protocols that are looked at.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "lang/context.h"

namespace treaty::lang {

class CallGraph {
public:
    explicit CallGraph(const Context& context) : c_(context) {}

    // The protocols that the steps of this one call; a protocol once per call.
    const std::vector<std::uint32_t>& calls_of(std::uint32_t protocol);
    // Whether the steps of a protocol lead, through calls, back to it.
    bool called_back(std::uint32_t protocol);
    // How many levels the steps of a protocol need, without those of the protocols it calls.
    std::uint32_t depth_needed(std::uint32_t protocol);

private:
    const Context& c_;
    absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> calls_;
    absl::flat_hash_map<std::uint32_t, bool> called_back_;
    absl::flat_hash_map<std::uint32_t, std::uint32_t> depths_;
};

}  // namespace treaty::lang
