// Lines of a file, a pipe or standard input ("-"), without their ends, in one pass with one line in memory.
//
// A line of more than `line_limit` bytes is skipped and reported. When following, the end of a file is not
// the end: the reader returns `wait` and goes on when the file has grown; a file that was cut short, or
// replaced by another one of its name and read to its end, is read from its beginning. A pipe ends when
// it has no writer any more. A last line without a line break counts once there is nothing to wait for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace treaty::watch {

constexpr std::size_t line_limit = std::size_t{16} << 20;

enum class Line : std::uint8_t { line, wait, end };

class LineReader {
public:
    explicit LineReader(std::string path, bool follow = false);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    bool ok() const { return fd_ >= 0; }
    // A line beyond the limit is empty and `too_long` is set. The view is valid until the next call; 64
    // readable bytes follow it.
    Line next(std::string_view& line, bool& too_long);
    // The first byte that is not a blank, without reading past it; 0 if there is none (yet).
    char first();
    void stop_following() { follow_ = false; }
    bool following() const { return follow_; }

    std::uint64_t number() const { return number_; }            // of the last line, from 1
    std::uint64_t line_offset() const { return line_offset_; }  // where it begins
    // Where the next one begins.
    std::uint64_t offset() const { return cut_off_ && begin_ == end_ ? 0 : base_ + begin_; }
    // Goes on at a position that offset() gave earlier, after so many lines. False if the file is shorter.
    bool resume(std::uint64_t offset, std::uint64_t lines);
    bool seekable() const { return seekable_; }
    // A hash of the bytes before a position, to recognise a file; 0 if there are none.
    std::uint64_t known_by(std::uint64_t offset) const;
    std::uint64_t unread() const;  // bytes that are available and not yet read
    std::uint64_t restarts() const { return restarts_; }
    int descriptor() const { return fd_; }

private:
    enum class Filled : std::uint8_t { some, wait, end };
    Filled fill();
    bool started_anew();
    void begin_anew();

    std::string path_;
    int fd_ = -1;
    bool follow_ = false, seekable_ = false, ended_ = false;
    bool replaced_ = false;  // another file has its name; this one is read to its end first
    bool cut_off_ = false;   // the last line of one that was replaced has no end and is given before the next
    std::string buffer_;
    std::size_t begin_ = 0, end_ = 0, searched_ = 0;
    std::uint64_t base_ = 0;  // offset of the buffer's first byte
    std::uint64_t number_ = 0, line_offset_ = 0, restarts_ = 0;
    bool skipping_ = false;
};

}  // namespace treaty::watch
