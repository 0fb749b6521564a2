// Boost.Beast's parser fed with what a transport gives. For the sources of this folder.
#pragma once

#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http.hpp>

namespace treaty::net {

namespace http = boost::beast::http;

// Reads one message with a body of at most 64 MB, unless another limit is set.
template <bool is_request>
struct BodyParser : http::parser<is_request, http::string_body> {
    static constexpr std::uint64_t longest_body = std::uint64_t{64} << 20;
    BodyParser() {
        this->eager(true);
        this->body_limit(longest_body);
    }
};

// Gives the parser what waits, until it has a whole message. at_end: nothing follows.
template <class Parser>
boost::beast::error_code parse(Parser& parser, std::string& waiting, bool at_end) {
    boost::beast::error_code error;
    std::size_t used = 0;
    for (std::size_t step = 1; step > 0 && !parser.is_done() && used < waiting.size() && !error; used += step)
        step = parser.put(boost::asio::buffer(waiting) + used, error);
    waiting.erase(0, used);
    if (error == http::error::need_more) error = {};
    if (!error && !parser.is_done() && at_end && parser.got_some()) parser.put_eof(error);
    return error;
}

// Whether the field is about how the body is carried, which is not a part of the message.
inline bool is_about_length(http::field name) {
    return name == http::field::content_length || name == http::field::transfer_encoding;
}

// A reply as bytes, with the length of its body.
inline std::string written(const http::response<http::string_body>& reply) {
    unsigned status = reply.result_int();
    std::string out = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reply.reason()) + "\r\n";
    for (const auto& f : reply)
        if (!is_about_length(f.name()))
            out += std::string(f.name_string()) + ": " + std::string(f.value()) + "\r\n";
    bool bodiless = status / 100 == 1 || status == 204 || status == 304;
    if (!bodiless) out += "Content-Length: " + std::to_string(reply.body().size()) + "\r\n";
    return out + "\r\n" + reply.body();
}

}  // namespace treaty::net
