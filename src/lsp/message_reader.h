// Messages of the base protocol from a stream of bytes: a header with Content-Length, an empty line, JSON.
//
//     reader.feed(bytes);
//     while (auto incoming = reader.next()) ...
//
// Any bytes may be fed, in pieces of any size. What is malformed becomes a fault with the error code that the
// protocol has for it, and reading continues: at the next header where the length of a message is not known,
// else after the message. Memory: one message of at most max_content bytes; a longer one is passed over as it
// comes. Nesting of the JSON is at most max_depth, so that recursion over it is safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lsp/json.h"

namespace treaty::lsp {

constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;

struct Incoming {
    Json message;
    int fault = 0;  // an error code: then there is no message
    std::string text = {};
};

// The content of one message.
Incoming read_content(std::string_view text);

class MessageReader {
public:
    static constexpr std::size_t max_header = 4096;
    static constexpr std::size_t max_content = std::size_t{64} << 20;
    static constexpr std::size_t max_depth = 100;

    void feed(std::string_view bytes);
    // Nothing if more bytes are needed.
    std::optional<Incoming> next();

private:
    std::optional<Incoming> header();
    std::optional<Incoming> content();
    bool find_header();
    void drop(std::size_t count);

    std::string buffer_;
    std::size_t at_ = 0;  // what is before has been read
    bool lost_ = false;   // looking for the next header
    bool in_content_ = false;
    std::size_t length_ = 0;  // of the content
    std::size_t skip_ = 0;    // bytes of a message that is too long
};

}  // namespace treaty::lsp
