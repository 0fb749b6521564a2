#include "formats/json/reader.h"

#include <fmt/format.h>

#include "base/hex.h"
#include "formats/codes.h"

namespace treaty::formats {

base::Diagnostic& JsonReader::report(const base::Code& code, Json at, std::string_view message) {
    if (!at) return diagnostics_.report(code, {}, std::string(message));
    if (diagnostics_.dropped() > 0) return diagnostics_.report(code, at.span(), {});  // only counted
    std::string pointer = at.pointer();
    // A hostile file may have keys of any length.
    if (pointer.size() > 200) pointer = "..." + pointer.substr(pointer.size() - 200);
    return diagnostics_.report(
        code, at.span(),
        pointer.empty() ? std::string(message) : fmt::format("{} (at {})", message, pointer));
}

bool JsonReader::is(Json value, JsonKind kind) {
    if (!value) return false;
    if (value.kind() == kind) return true;
    report(codes::json_type, value,
           fmt::format("expected {}, found {}", to_string(kind), to_string(value.kind())));
    return false;
}

Json JsonReader::need(Json object, std::string_view key) {
    if (!is(object, JsonKind::object)) return {};
    Json value = object[key];
    if (!value) report(codes::json_missing, object, fmt::format("there is no \"{}\"", key));
    return value;
}

Json JsonReader::maybe(Json object, std::string_view key) {
    if (!is(object, JsonKind::object)) return {};
    return object[key];
}

Json JsonReader::need_array(Json object, std::string_view key) {
    Json value = need(object, key);
    return is(value, JsonKind::array) ? value : Json();
}

Json JsonReader::maybe_array(Json object, std::string_view key) {
    Json value = maybe(object, key);
    return is(value, JsonKind::array) ? value : Json();
}

bool JsonReader::is_text(Json value) {
    if (!value) return false;
    if (value.kind() == JsonKind::object && value["hex"]) return true;
    return is(value, JsonKind::string);
}

std::string JsonReader::text(Json value) {
    if (!is_text(value)) return {};
    return value.kind() == JsonKind::object ? bytes(value["hex"]) : std::string(value.string());
}

std::int64_t JsonReader::integer(Json value, std::int64_t low, std::int64_t high) {
    if (!is(value, JsonKind::integer)) return low > 0 ? low : 0;
    std::int64_t x = value.integer();
    if (x >= low && x <= high) return x;
    report(codes::json_type, value, fmt::format("{} is not between {} and {}", x, low, high));
    return low;
}

bool JsonReader::boolean(Json value) {
    return is(value, JsonKind::boolean) && value.boolean();
}

std::string JsonReader::bytes(Json value) {
    if (!is(value, JsonKind::string)) return {};
    if (auto bytes = base::from_hex(value.string())) return *bytes;
    report(codes::json_type, value, "expected pairs of hexadecimal digits");
    return {};
}

std::uint32_t JsonReader::index(Json value, std::size_t size, std::string_view table) {
    if (!is(value, JsonKind::integer)) return none_index;
    std::int64_t x = value.integer();
    if (x >= 0 && static_cast<std::uint64_t>(x) < size) return static_cast<std::uint32_t>(x);
    report(codes::json_reference, value, fmt::format("{} is not one of the {} {}", x, size, table));
    return none_index;
}

}  // namespace treaty::formats
