// Reading and writing whole files, with limits; the world's faults come back as text, never as a throw.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace treaty::base {

struct FileText {
    std::optional<std::string> text;
    std::string fault;  // why there is no text, in one line
};

constexpr std::size_t default_file_limit = std::size_t{1} << 30;

// Reads path ("-" is standard input) up to limit bytes; a longer file is a fault.
FileText read_file(const std::string& path, std::size_t limit = default_file_limit);

// How whole files are read where an editor's unsaved text may stand for what is on the disk.
using ReadFile = std::function<FileText(const std::string& path)>;
FileText read_from_disk(const std::string& path);

// Writes beside the target and renames, so that a reader never sees half a file. "-" writes to standard
// output. Returns why it failed, or nothing.
std::optional<std::string> write_file(const std::string& path, std::string_view text);

}  // namespace treaty::base
