#include "formats/json/writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/hex.h"
#include "base/json_string.h"
#include "base/utf8.h"

namespace treaty::formats {

constexpr std::size_t max_indent = 80;  // deeper levels are not indented further, so that size stays linear

void JsonWriter::new_line() {
    out_ += '\n';
    out_.append(std::min(2 * levels_.size(), max_indent), ' ');
}

void JsonWriter::before_value() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (!level.empty) out_ += ',';
    if (level.layout == Layout::lines) {
        new_line();
    } else if (!level.empty) {
        out_ += ' ';
    }
    level.empty = false;
}

void JsonWriter::open(char bracket, Layout layout) {
    before_value();
    out_ += bracket;
    if (!levels_.empty() && levels_.back().layout == Layout::flat) layout = Layout::flat;
    levels_.push_back({layout});
}

void JsonWriter::close(char bracket) {
    Level level = levels_.back();
    levels_.pop_back();
    if (level.layout == Layout::lines && !level.empty) new_line();
    out_ += bracket;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    before_value();
    base::append_json_string(out_, name);
    out_ += ": ";
    after_key_ = true;
    return *this;
}

void JsonWriter::text(std::string_view value) {
    if (base::is_utf8(value)) {
        before_value();
        base::append_json_string(out_, value);
        return;
    }
    open_object(Layout::flat);
    key("hex").text(base::to_hex(value));
    close_object();
}

void JsonWriter::integer(std::int64_t value) {
    before_value();
    out_ += fmt::format_int(value).c_str();
}

void JsonWriter::real(double value) {
    if (!std::isfinite(value)) {
        text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    before_value();
    std::string digits = fmt::format("{}", value);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    out_ += digits;
}

void JsonWriter::boolean(bool value) {
    before_value();
    out_ += value ? "true" : "false";
}

void JsonWriter::null() {
    before_value();
    out_ += "null";
}

void JsonWriter::flag(std::string_view name, bool value) {
    if (value) key(name).boolean(true);
}

std::string JsonWriter::finish() {
    out_ += '\n';
    return std::move(out_);
}

}  // namespace treaty::formats
