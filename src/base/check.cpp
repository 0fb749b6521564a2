#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace treaty::base {

void check_failed(const char* file, int line, std::string_view condition) {
    std::fprintf(stderr, "treaty: internal error at %s:%d: %.*s does not hold\n", file, line,
                 static_cast<int>(condition.size()), condition.data());
    std::abort();
}

}  // namespace treaty::base
