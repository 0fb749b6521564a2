#include <cerrno>
#include <cstdio>
#include <cstring>

#include "watch/source.h"

namespace treaty::watch {

namespace {
constexpr std::size_t chunk = std::size_t{1} << 18;
constexpr std::size_t padding = 64;
}  // namespace

LineReader::LineReader(const std::string& path)
    : file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")) {}

LineReader::~LineReader() {
    if (file_ && file_ != stdin) std::fclose(file_);
}

bool LineReader::fill() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() < end_ + chunk + padding) buffer_.resize(end_ + chunk + padding);
    std::size_t got = std::fread(buffer_.data() + end_, 1, chunk, file_);
    end_ += got;
    return got > 0;
}

char LineReader::first() {
    while (true) {
        while (begin_ < end_ && std::strchr(" \t\r\n", buffer_[begin_])) {
            number_ += buffer_[begin_] == '\n';
            ++begin_;
        }
        if (begin_ < end_) return buffer_[begin_];
        if (!fill()) return 0;
    }
}

bool LineReader::next(std::string_view& line, bool& too_long) {
    too_long = false;
    std::size_t searched = 0;
    while (true) {
        const char* start = buffer_.data() + begin_;
        std::size_t size = end_ - begin_;
        const void* newline =
            size > searched ? std::memchr(start + searched, '\n', size - searched) : nullptr;
        std::size_t length =
            newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - start) : size;
        if (!newline && length <= line_limit) {
            searched = length;
            if (fill()) continue;
            if (length == 0 && !skipping_) return false;
            start = buffer_.data() + begin_;
        }
        if (!newline && length > line_limit) {  // drop what is here, the rest of the line follows
            begin_ = end_;
            searched = 0;
            skipping_ = true;
            if (fill()) continue;
            length = 0;
        }
        ++number_;
        begin_ += length + (newline ? 1 : 0);
        too_long = skipping_;
        skipping_ = false;
        line = too_long ? std::string_view() : std::string_view(start, length);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return true;
    }
}

std::unique_ptr<Source> open_source(const std::string& path, const Vocabulary& vocabulary,
                                    model::RoleId owner, std::string& fault) {
    errno = 0;
    auto lines = std::make_unique<LineReader>(path);
    if (!lines->ok()) {
        fault = std::strerror(errno);
        return nullptr;
    }
    switch (lines->first()) {
        case '{': return json_source(std::move(lines), vocabulary, owner);
        case '<': break;
        default: return text_source(std::move(lines), vocabulary, owner);
    }
    std::string text;
    std::string_view line;
    for (bool too_long = false; lines->next(line, too_long); text += '\n') {
        if (too_long || text.size() + line.size() > file_limit) {
            fault = "the XML is too large";
            return nullptr;
        }
        text += line;
    }
    return xml_source(text, vocabulary, owner, fault);
}

}  // namespace treaty::watch
