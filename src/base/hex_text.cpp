#include "base/hex_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/hex.h"

namespace treaty::base {
namespace {

constexpr std::size_t bytes_per_line = 16;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
}

struct DumpLine {
    std::uint64_t offset = 0;
    std::string_view rest;  // the bytes, without their text
};

// The line as one of a dump: "0000: 7e01 05  ~..", "0000  7e 01 05  |~..|" or an offset alone at the end.
std::optional<DumpLine> dump_line(std::string_view line) {
    std::size_t digits = 0;
    while (digits < line.size() && hex_digit(line[digits]) >= 0) ++digits;
    if (digits < 4 || digits > 16) return std::nullopt;
    DumpLine result;
    std::from_chars(line.data(), line.data() + digits, result.offset, 16);
    std::string_view after = line.substr(digits);
    bool colon = after.starts_with(": ") || after == ":";
    bool bars = after.starts_with("  ") && after.find('|') != std::string_view::npos;
    if (!colon && !bars) return std::nullopt;
    after = trimmed(after.substr(colon ? 1 : 2));
    // The text begins with a bar, or, after a colon, with the first two blanks.
    std::size_t text = after.find(colon ? "  " : "|");
    result.rest = after.substr(0, text);
    return result;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Result<std::string> run() {
        std::optional<std::uint64_t> first;  // offset of a dump
        while (!text_.empty() && error_.empty()) {
            std::size_t end = std::min(text_.find('\n'), text_.size());
            std::string_view line = trimmed(text_.substr(0, end));
            text_.remove_prefix(std::min(end + 1, text_.size()));
            ++number_;
            if (line.empty()) continue;
            auto dumped = dump_line(line);
            if (!first && bytes_.empty() && dumped) first = dumped->offset;
            if (!first) {
                digits(line);
            } else if (dumped) {
                if (dumped->offset - *first == bytes_.size())
                    digits(dumped->rest);
                else
                    fault(fmt::format("the offset is {:#x}, but {:#x} bytes are before it",
                                      dumped->offset - *first, bytes_.size()));
            } else if (!is_end(line, *first)) {
                fault(line == "*" ? "repeated lines are left out (use hexdump -v)"
                                  : "this line of the dump has no offset");
            }
        }
        if (!error_.empty()) return Fault{std::move(error_)};
        return std::move(bytes_);
    }

private:
    void fault(std::string why) {
        if (error_.empty()) error_ = fmt::format("line {}: {}", number_, why);
    }

    // The last line of hexdump -C is the offset of the end.
    bool is_end(std::string_view line, std::uint64_t first) const {
        std::uint64_t offset = 0;
        auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), offset, 16);
        return error == std::errc() && end == line.data() + line.size() && line.size() >= 4 &&
               offset - first == bytes_.size();
    }

    // Pairs of digits; separators only between pairs.
    void digits(std::string_view line) {
        for (std::size_t i = 0; i < line.size() && error_.empty();) {
            if (is_blank(line[i]) || line[i] == ',' || line[i] == ':') {
                ++i;
                continue;
            }
            if (line[i] == '0' && i + 1 < line.size() && (line[i + 1] == 'x' || line[i + 1] == 'X')) {
                i += 2;
                // 0x5 is a byte by itself.
                bool one = i < line.size() && hex_digit(line[i]) >= 0 &&
                           (i + 1 == line.size() || hex_digit(line[i + 1]) < 0);
                if (one)
                    bytes_ += static_cast<char>(hex_digit(line[i++]));
                else if (i >= line.size() || hex_digit(line[i]) < 0)
                    fault("no digits after 0x");
                continue;
            }
            int high = hex_digit(line[i]);
            if (high < 0) return fault(fmt::format("{} is not a hexadecimal digit", shown(line[i])));
            int low = i + 1 < line.size() ? hex_digit(line[i + 1]) : -1;
            if (low < 0) return fault("a byte has two digits, and here is one alone");
            bytes_ += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }

    static std::string shown(char c) {
        auto b = static_cast<unsigned char>(c);
        return b > 0x20 && b < 0x7f ? fmt::format("`{}`", c) : fmt::format("byte 0x{:02x}", b);
    }

    std::string_view text_;
    std::size_t number_ = 0;
    std::string bytes_;
    std::string error_;
};

}  // namespace

Result<std::string> bytes_of_hex_text(std::string_view text) {
    return Reader(text).run();
}

std::string hex_dump(std::string_view bytes, std::string_view indent) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += bytes_per_line) {
        std::string digits, text;
        for (char c : bytes.substr(at, bytes_per_line)) {
            auto b = static_cast<unsigned char>(c);
            digits += fmt::format("{:02x} ", b);
            text += b >= 0x20 && b < 0x7f ? c : '.';
        }
        out += fmt::format("{}{:04x}  {:<48} |{}|\n", indent, at, digits, text);
    }
    return out;
}

}  // namespace treaty::base
