#include "explore/run_log.h"

#include <algorithm>

#include "base/check.h"

namespace treaty::explore {

bool RunLog::add_block() {
    Pages block = Pages::allocate(budget_, block_size);
    if (!block) return false;
    blocks_.push_back(std::move(block));
    return true;
}

std::uint32_t RunLog::get(std::uint64_t& offset) const {
    std::uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
        std::uint8_t byte = blocks_[offset / block_size].as<std::uint8_t>()[offset % block_size];
        ++offset;
        value |= static_cast<std::uint32_t>(byte & 127) << shift;
        if (byte < 128) return value;
    }
}

RunLog::Origin RunLog::origin(std::uint32_t number) const {
    auto after = std::upper_bound(units_.begin(), units_.end(), number,
                                  [](std::uint32_t n, const Unit& unit) { return n < unit.child; });
    TREATY_CHECK(after != units_.begin());
    const Unit& unit = *(after - 1);
    std::uint64_t offset = unit.offset;
    std::uint32_t child = unit.child;
    for (NodeRef parent = unit.first; offset < size_; ++parent.number)
        for (std::uint32_t children = get(offset); children > 0; --children, ++child) {
            std::uint32_t choice = get(offset);
            if (child == number) return {parent, choice};
        }
    TREATY_CHECK(false);
    return {};
}

}  // namespace treaty::explore
