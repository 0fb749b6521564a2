#include "lsp/message_reader.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace treaty::lsp {
namespace {

constexpr std::string_view length_field = "content-length";

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view text, std::string_view word) {
    return text.size() == word.size() &&
           std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// The length that a header announces; none if it has no such field or a malformed one.
std::optional<std::size_t> announced(std::string_view header) {
    std::optional<std::size_t> found;
    while (!header.empty()) {
        std::size_t end = std::min(header.find("\r\n"), header.size());
        std::string_view line = header.substr(0, end);
        header.remove_prefix(std::min(end + 2, header.size()));
        std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !same_word(trimmed(line.substr(0, colon)), length_field))
            continue;
        std::string_view digits = trimmed(line.substr(colon + 1));
        std::size_t length = 0;
        auto [rest, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
        if (digits.empty() || rest != digits.data() + digits.size()) return std::nullopt;
        if (fault != std::errc()) return std::nullopt;
        found = length;
    }
    return found;
}

// Whether brackets nest deeper than is allowed; strings are passed over.
bool too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
            continue;
        }
        if (c == '"') quoted = true;
        if ((c == '{' || c == '[') && ++depth > MessageReader::max_depth) return true;
        if ((c == '}' || c == ']') && depth > 0) --depth;
    }
    return false;
}

Incoming faulty(int code, std::string text) {
    return {Json(), code, std::move(text)};
}

}  // namespace

Incoming read_content(std::string_view text) {
    if (too_deep(text))
        return faulty(parse_error, fmt::format("JSON nested deeper than {}", MessageReader::max_depth));
    Json message = Json::parse(text, nullptr, false);
    if (message.is_discarded()) return faulty(parse_error, "the content is not JSON");
    if (!message.is_object()) return faulty(invalid_request, "the content is not an object");
    return Incoming{std::move(message)};
}

void MessageReader::feed(std::string_view bytes) {
    std::size_t skipped = std::min(skip_, bytes.size());
    skip_ -= skipped;
    buffer_.append(bytes.substr(skipped));
}

void MessageReader::drop(std::size_t count) {
    at_ += count;
    // Moved only when much has been read, so that many small messages cost no more than one large one.
    if (at_ == buffer_.size() || at_ > buffer_.size() / 2) {
        buffer_.erase(0, at_);
        at_ = 0;
    }
}

std::optional<Incoming> MessageReader::next() {
    if (lost_ && !find_header()) return std::nullopt;
    return in_content_ ? content() : header();
}

// Goes on to the next place that looks like the beginning of a header.
bool MessageReader::find_header() {
    auto matches = [](char a, char b) { return lower(a) == b; };
    auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(at_);
    auto found = std::search(begin, buffer_.end(), length_field.begin(), length_field.end(), matches);
    std::size_t passed = static_cast<std::size_t>(found - begin);
    if (found != buffer_.end()) {
        drop(passed);
        lost_ = false;
        return true;
    }
    // The end of what is here may be the beginning of one.
    if (passed >= length_field.size()) drop(passed - length_field.size() + 1);
    return false;
}

std::optional<Incoming> MessageReader::header() {
    std::string_view rest = std::string_view(buffer_).substr(at_);
    std::size_t end = rest.substr(0, max_header + 4).find("\r\n\r\n");
    if (end == std::string_view::npos) {
        if (rest.size() < max_header + 4) return std::nullopt;
        drop(1);
        lost_ = true;
        return faulty(parse_error, fmt::format("a header of more than {} bytes", max_header));
    }
    std::optional<std::size_t> length = announced(rest.substr(0, end));
    drop(end + 4);
    if (!length) {
        lost_ = true;
        return faulty(parse_error, "a header without a valid Content-Length");
    }
    if (*length > max_content) {
        std::size_t here = std::min(*length, buffer_.size() - at_);
        skip_ = *length - here;
        drop(here);
        return faulty(invalid_request,
                      fmt::format("a message of {} bytes; at most {} are read", *length, max_content));
    }
    in_content_ = true;
    length_ = *length;
    return content();
}

std::optional<Incoming> MessageReader::content() {
    if (buffer_.size() - at_ < length_) return std::nullopt;
    std::string text = buffer_.substr(at_, length_);
    in_content_ = false;
    drop(length_);
    return read_content(text);
}

}  // namespace treaty::lsp
