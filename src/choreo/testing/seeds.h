// For tests: how many seeds a property test tries. TREATY_TEST_SCALE=20 tries twenty times as many, for long
// runs.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace treaty::choreo::testing {

inline std::uint64_t seeds(std::uint64_t usual) {
    const char* scale = std::getenv("TREATY_TEST_SCALE");
    std::uint64_t factor = scale ? std::strtoull(scale, nullptr, 10) : 1;
    return usual * (factor == 0 ? 1 : factor);
}

}  // namespace treaty::choreo::testing
