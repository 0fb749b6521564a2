// Typed 32-bit ids: an index into one table, never mixed up with an index into another.
//
// Id<Tag>{} is "none". Ids order and hash by index, so containers keyed by them are deterministic.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace treaty::base {

template <class Tag>
struct Id {
    static constexpr std::uint32_t none_index = 0xffffffffu;
    std::uint32_t index = none_index;

    constexpr Id() = default;
    constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}

    constexpr bool valid() const { return index != none_index; }
    constexpr explicit operator bool() const { return valid(); }
    friend constexpr auto operator<=>(Id, Id) = default;

    template <typename H>
    friend H AbslHashValue(H h, Id id) {
        return H::combine(std::move(h), id.index);
    }
};

}  // namespace treaty::base

template <class Tag>
struct std::hash<treaty::base::Id<Tag>> {
    std::size_t operator()(treaty::base::Id<Tag> id) const noexcept { return id.index; }
};
