// JSON text as it grows, laid out for people: small things on one line, the rest one element per line.
//
// Containers opened `flat` keep everything in them on their line. The same calls give the same bytes. Any
// text can be written: one that is not UTF-8 becomes {"hex": "..."}. Keys are ASCII.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treaty::formats {

enum class Layout : std::uint8_t { lines, flat };

class JsonWriter {
public:
    void open_object(Layout layout = Layout::lines) { open('{', layout); }
    void close_object() { close('}'); }
    void open_array(Layout layout = Layout::lines) { open('[', layout); }
    void close_array() { close(']'); }

    JsonWriter& key(std::string_view name);
    void text(std::string_view value);
    void integer(std::int64_t value);
    void real(double value);  // finite ones as numbers, the others as "inf", "-inf", "nan"
    void boolean(bool value);
    void null();

    // A key with a value.
    void text(std::string_view name, std::string_view value) { key(name).text(value); }
    void integer(std::string_view name, std::int64_t value) { key(name).integer(value); }
    void flag(std::string_view name, bool value);  // written only if true

    std::string finish();

private:
    struct Level {
        Layout layout;
        bool empty = true;
    };
    void open(char bracket, Layout layout);
    void close(char bracket);
    void before_value();
    void new_line();

    std::string out_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

}  // namespace treaty::formats
