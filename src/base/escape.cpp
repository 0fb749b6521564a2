#include "base/escape.h"

#include "base/hex.h"

namespace treaty::base {

void append_escaped(std::string& out, char byte) {
    switch (byte) {
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    if (byte >= 0x20 && byte < 0x7f) {
        out += byte;
        return;
    }
    out += "\\x";
    append_hex(out, {&byte, 1});
}

std::string escaped(std::string_view bytes) {
    std::string out;
    for (char c : bytes) append_escaped(out, c);
    return out;
}

std::string quoted_bytes(std::string_view bytes) {
    std::string out = "\"";
    for (char c : bytes) {
        if (c == '"' || c == '\\') out += '\\';
        append_escaped(out, c);
    }
    return out + '"';
}

}  // namespace treaty::base
