// HTTP/1.1 as bytes: the head of a message and its body. Internal to wire/.
//
// Bodies with a length, in chunks, and those of responses that end with their connection are read. What is
// read refers to the window, but for chunks that are joined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/engine.h"

namespace treaty::wire {

struct HttpField {
    std::string_view name;
    std::string_view value;
    std::size_t at;
};

struct HttpHead {
    bool request = false;
    std::string_view first, second, third;  // of the first line
    std::vector<HttpField> headers;
    std::size_t end = 0;  // where the body begins
};

bool same_name(std::string_view a, std::string_view b);  // of headers, in any case
bool is_token(std::string_view text);
bool is_value(std::string_view text);         // of a header
bool is_framing(std::string_view name);       // a header about the length of the body
bool bodiless(std::string_view status);       // a response that never has a body
std::string_view reason_of(unsigned status);  // what is usually written after it; empty if it has no name

DecodeStep read_head(std::string_view window, const Limits& limits, HttpHead& head);
DecodeStep read_body(std::string_view window, bool ended, const HttpHead& head, Scratch& scratch,
                     std::string_view& body);
// Its pieces, for people to read: `end` is where the message ends in the window.
void explain_http(const HttpHead& head, std::string_view body, std::size_t end, std::string_view window,
                  Scratch& scratch);

}  // namespace treaty::wire
