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

}  // namespace treaty::net
