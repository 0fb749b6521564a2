// Reading and writing whole files, with limits; what fails comes back as a fault (result.h), never as a
// throw.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace treaty::base {

constexpr std::size_t default_file_limit = std::size_t{1} << 30;

// Reads path ("-" is standard input) up to limit bytes; a longer file is a fault.
Result<std::string> read_file(const std::string& path, std::size_t limit = default_file_limit);

// How whole files are read where an editor's unsaved text may replace what is on the disk.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;
Result<std::string> read_from_disk(const std::string& path);

// Writes beside the target and renames, so that a reader never sees half a file. "-" writes to standard
// output.
Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace treaty::base
