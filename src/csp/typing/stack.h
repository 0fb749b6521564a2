// How much of the stack a walk over a script may take.
#pragma once

#include <cstddef>

namespace treaty::csp::typing {

// A bound was reached: the rest of the script is not checked.
struct TooLarge {};

class StackBound {
public:
    static constexpr std::ptrdiff_t max_bytes = std::ptrdiff_t(3) << 20;

    StackBound() : base_(static_cast<const char*>(__builtin_frame_address(0))) {}
    void check() const {
        if (base_ - static_cast<const char*>(__builtin_frame_address(0)) > max_bytes) throw TooLarge{};
    }

private:
    const char* base_;
};

}  // namespace treaty::csp::typing
