#include "base/wording.h"

#include <fmt/format.h>

namespace treaty::base {

std::string counted(std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace treaty::base
