// Where records come from: a log, read from the beginning to its end, one record at a time.
//
// open_source() looks at the first bytes: `{` is JSON lines, `<` is XML messages, anything else is the text
// form. A record that cannot be understood is given as a fault with its line and never stops the rest. JSON
// lines and text are read in one pass with one line in memory (at most `line_limit` bytes; a longer one is
// skipped and said); XML is read whole, at most `file_limit` bytes, entities are never expanded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "watch/record.h"

namespace treaty::watch {

constexpr std::size_t line_limit = std::size_t{16} << 20;
constexpr std::size_t file_limit = std::size_t{1} << 30;

enum class Got : std::uint8_t { record, fault, end };

class Source {
public:
    virtual ~Source() = default;
    // A record, or a fault (then `fault` says why and `record.line` where), or the end, for ever.
    virtual Got next(Record& record, std::string& fault) = 0;
    // Whether records carry the data of their messages.
    virtual bool has_data() const { return true; }
};

// Lines of a file or of standard input ("-"), without their ends.
class LineReader {
public:
    explicit LineReader(const std::string& path);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    bool ok() const { return file_ != nullptr; }
    // False at the end. A line beyond the limit is empty and `too_long` is set. The view is valid until the
    // next call; 64 readable bytes follow it.
    bool next(std::string_view& line, bool& too_long);
    std::uint64_t number() const { return number_; }
    // The first byte that is no blank, without reading past it; 0 if there is none.
    char first();

private:
    bool fill();

    std::FILE* file_ = nullptr;
    std::string buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t number_ = 0;
    bool skipping_ = false;
};

// Null if the file cannot be read; then `fault` says why. `owner` is the role whose log it is, where the
// records do not say (none: they must).
std::unique_ptr<Source> open_source(const std::string& path, const Vocabulary& vocabulary,
                                    model::RoleId owner, std::string& fault);

std::unique_ptr<Source> json_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    model::RoleId owner);
std::unique_ptr<Source> text_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    model::RoleId owner);
std::unique_ptr<Source> xml_source(const std::string& text, const Vocabulary& vocabulary, model::RoleId owner,
                                   std::string& fault);

}  // namespace treaty::watch
