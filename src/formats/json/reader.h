// Typed access to the values of a JSON tree, with a diagnostic for each one that is missing or wrong.
//
// Every function reports and gives a harmless value when something is wrong, so a reader goes on and finds
// the next fault; whether all was well is asked at the end. Messages end with the JSON pointer of the value.
// Unknown keys are ignored. Functions that take a Json accept none and then stay silent, because its absence
// has been reported.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "formats/json/tree.h"

namespace treaty::formats {

class JsonReader {
public:
    explicit JsonReader(base::Diagnostics& diagnostics)
        : diagnostics_(diagnostics), errors_before_(diagnostics.errors()) {}

    bool ok() const { return diagnostics_.errors() == errors_before_; }

    base::Diagnostic& report(const base::Code& code, Json at, std::string_view message);

    // Whether the value has that kind; reports if not.
    bool is(Json value, JsonKind kind);

    Json need(Json object, std::string_view key);   // reports if missing
    Json maybe(Json object, std::string_view key);  // none if missing
    Json need_array(Json object, std::string_view key);
    Json maybe_array(Json object, std::string_view key);

    bool is_text(Json value);  // a string, or {"hex": "..."}; reports if not
    std::string text(Json value);
    std::int64_t integer(Json value, std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                         std::int64_t high = std::numeric_limits<std::int64_t>::max());
    bool boolean(Json value);
    std::string bytes(Json value);  // a string of hexadecimal digits

    // An index below size into a table; none_index and a diagnostic otherwise.
    static constexpr std::uint32_t none_index = 0xffffffffu;
    std::uint32_t index(Json value, std::size_t size, std::string_view table);

    std::string need_text(Json object, std::string_view key) { return text(need(object, key)); }
    bool flag(Json object, std::string_view key) { return boolean(maybe(object, key)); }

private:
    base::Diagnostics& diagnostics_;
    std::size_t errors_before_;
};

}  // namespace treaty::formats
