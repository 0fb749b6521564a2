// Assertions about our own code: they stop the program and no input may reach them.
//
// A fault of the user's file is a diagnostic (base/diagnostic.h), an environment error is a returned
// value; only our own bugs end here. They are active in every build, so fuzzers can rely on them.
#pragma once

#include <string_view>

namespace treaty::base {

[[noreturn]] void check_failed(const char* file, int line, std::string_view condition);

}  // namespace treaty::base

#define TREATY_CHECK(condition)                                           \
    do {                                                                  \
        if (!(condition)) [[unlikely]]                                    \
            ::treaty::base::check_failed(__FILE__, __LINE__, #condition); \
    } while (false)
