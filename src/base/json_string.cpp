#include "base/json_string.h"

#include "base/hex.h"

namespace treaty::base {

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f && c != '"' && c != '\\') {
            out += c;
            continue;
        }
        out += '\\';
        switch (c) {
            case '\b': out += 'b'; break;
            case '\f': out += 'f'; break;
            case '\n': out += 'n'; break;
            case '\r': out += 'r'; break;
            case '\t': out += 't'; break;
            case '"':
            case '\\': out += c; break;
            default: out += "u00"; append_hex(out, {&c, 1});
        }
    }
    out += '"';
}

}  // namespace treaty::base
