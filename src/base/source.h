// Source files and places in them.
//
// A SourceMap owns texts; a Span is 12 bytes and means something only together with its SourceMap. Lines and
// columns are computed on demand: lines from 1, columns from 1 in code points, so that what an editor shows
// is what we print.
//
// Safe for many threads. A text stays where it is until it is released; views into it are valid until then.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace treaty::base {

using FileId = Id<struct FileTag>;

struct Span {
    FileId file;
    std::uint32_t begin = 0;  // byte offsets, end exclusive
    std::uint32_t end = 0;

    constexpr bool valid() const { return file.valid(); }
    friend constexpr bool operator==(const Span&, const Span&) = default;
};

// The smallest span that holds both; an invalid one gives the other.
Span cover(Span a, Span b);

struct Position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

class SourceMap {
public:
    // Texts over 4 GiB are refused by the caller (see read_file's limit).
    FileId add(std::string path, std::string text);
    // Forgets a text that is no longer referred to; its id is not used again.
    void release(FileId file);

    std::string_view path(FileId file) const;
    std::string_view text(FileId file) const;
    std::string_view text(Span span) const;
    Position position(FileId file, std::uint32_t offset) const;
    Position begin(Span span) const { return position(span.file, span.begin); }
    // The same line number as position(), and where that line begins, without counting columns: O(log lines).
    std::uint32_t line_number(FileId file, std::uint32_t offset) const;
    std::uint32_t line_start(FileId file, std::uint32_t offset) const;
    std::string_view line(FileId file, std::uint32_t line_number) const;  // without its terminator
    std::size_t size() const;

private:
    struct File {
        std::string path;
        std::string text;
        std::vector<std::uint32_t> line_starts;
    };
    const File& file(FileId id) const;

    mutable std::shared_mutex mutex_;  // of the table, not of the texts
    std::vector<std::unique_ptr<const File>> files_;
};

}  // namespace treaty::base
