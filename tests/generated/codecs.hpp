// Reads lines of hexadecimal digits, decodes each with a generated codec, and prints what it is, as codecs.py does.
#pragma once

#include <fstream>
#include <iostream>

#include "treaty_codec.hpp"

inline std::string from_hex(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

// The messages, each with the bytes that it has when it is encoded again, and what the rest is.
template <class Message, class Decode, class Encode>
void describe(const char* file, Decode decode, Encode encode, const char* const* names) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::string bytes = from_hex(line);
        std::string_view left = bytes;
        std::cout << file;
        for (;;) {
            treaty::Decoded<Message> decoded = decode(left);
            if (decoded.kind != treaty::Reading::message) {
                const char* rest = decoded.kind == treaty::Reading::fault ? "refused" : left.empty() ? "end" : "incomplete";
                std::cout << ' ' << rest << '\n';
                break;
            }
            std::string again;
            try {
                encode(decoded.message, again);
                again = treaty::hex(again);
            } catch (const treaty::CodecError&) {
                again = "error";
            }
            std::cout << ' ' << names[decoded.message.index()] << ' ' << decoded.condition_holds << ' ' << again;
            left.remove_prefix(decoded.size);
        }
    }
}
