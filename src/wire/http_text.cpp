#include "wire/http_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace treaty::wire {

bool same_name(std::string_view a, std::string_view b) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view text) {
    auto allowed = [](char c) {
        bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return alnum || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool is_value(std::string_view text) {
    bool edges = text.empty() ||
                 (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' && text.back() != '\t');
    return edges &&
           std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool is_framing(std::string_view name) {
    return same_name(name, "content-length") || same_name(name, "transfer-encoding");
}
bool bodiless(std::string_view status) {
    return status.starts_with("1") || status == "204" || status == "304";
}

std::string_view reason_of(unsigned status) {
    struct Reason {
        unsigned status;
        std::string_view text;
    };
    static constexpr Reason all[] = {{100, "Continue"},
                                     {101, "Switching Protocols"},
                                     {200, "OK"},
                                     {201, "Created"},
                                     {202, "Accepted"},
                                     {204, "No Content"},
                                     {206, "Partial Content"},
                                     {301, "Moved Permanently"},
                                     {302, "Found"},
                                     {303, "See Other"},
                                     {304, "Not Modified"},
                                     {307, "Temporary Redirect"},
                                     {308, "Permanent Redirect"},
                                     {400, "Bad Request"},
                                     {401, "Unauthorized"},
                                     {402, "Payment Required"},
                                     {403, "Forbidden"},
                                     {404, "Not Found"},
                                     {405, "Method Not Allowed"},
                                     {406, "Not Acceptable"},
                                     {408, "Request Timeout"},
                                     {409, "Conflict"},
                                     {410, "Gone"},
                                     {412, "Precondition Failed"},
                                     {413, "Content Too Large"},
                                     {415, "Unsupported Media Type"},
                                     {422, "Unprocessable Content"},
                                     {428, "Precondition Required"},
                                     {429, "Too Many Requests"},
                                     {500, "Internal Server Error"},
                                     {501, "Not Implemented"},
                                     {502, "Bad Gateway"},
                                     {503, "Service Unavailable"},
                                     {504, "Gateway Timeout"}};
    for (const Reason& r : all)
        if (r.status == status) return r.text;
    return {};
}

namespace {

DecodeStep first_line(std::string_view line, HttpHead& head) {
    std::size_t one = line.find(' ');
    if (one == std::string_view::npos)
        return DecodeStep::fault_at(line.size(), "expected a request or a response");
    head.first = line.substr(0, one);
    std::size_t two = line.find(' ', one + 1);
    head.request = !head.first.starts_with("HTTP/1.");
    head.second = line.substr(one + 1, two == std::string_view::npos ? two : two - one - 1);
    head.third = two == std::string_view::npos ? std::string_view() : line.substr(two + 1);
    if (!head.request) {
        bool digits = head.second.size() == 3 && std::all_of(head.second.begin(), head.second.end(),
                                                             [](char c) { return c >= '0' && c <= '9'; });
        return digits ? DecodeStep::message_of(0)
                      : DecodeStep::fault_at(one + 1, "a status has three digits");
    }
    if (!is_token(head.first)) return DecodeStep::fault_at(0, "expected a method");
    if (head.third != "HTTP/1.1" && head.third != "HTTP/1.0")
        return DecodeStep::fault_at(two == std::string_view::npos ? line.size() : two + 1,
                                    "expected HTTP/1.1");
    return DecodeStep::message_of(0);
}

DecodeStep read_chunks(std::string_view window, std::size_t at, Scratch& scratch, std::string_view& body) {
    std::string& joined = scratch.text();
    for (;;) {
        std::size_t end = window.find("\r\n", at);
        if (end == std::string_view::npos) {
            if (window.size() - at > 1000) return DecodeStep::fault_at(at, "expected the length of a chunk");
            return DecodeStep::more_than(window.size() + 1);
        }
        std::uint64_t n = 0;
        auto [stop, error] = std::from_chars(window.data() + at, window.data() + end, n, 16);
        bool number = error == std::errc() && stop > window.data() + at &&
                      (stop == window.data() + end || *stop == ';');
        if (!number) return DecodeStep::fault_at(at, "expected the length of a chunk");
        if (n > scratch.limits.message_bytes || joined.size() + n > scratch.limits.message_bytes)
            return DecodeStep::fault_at(at, "the body is longer than the limit");
        at = end + 2;
        if (n == 0) break;
        if (window.size() < at + n + 2) return DecodeStep::more_than(at + static_cast<std::size_t>(n) + 2);
        joined += window.substr(at, static_cast<std::size_t>(n));
        at += static_cast<std::size_t>(n);
        if (window.substr(at, 2) != "\r\n") return DecodeStep::fault_at(at, "expected the end of the chunk");
        at += 2;
    }
    // Trailers are read and forgotten.
    for (;;) {
        std::size_t end = window.find("\r\n", at);
        if (end == std::string_view::npos)
            return window.size() - at > 65536
                       ? DecodeStep::fault_at(at, "the trailers are longer than the limit")
                       : DecodeStep::more_than(window.size() + 1);
        bool last = end == at;
        at = end + 2;
        if (last) break;
    }
    body = joined;
    return DecodeStep::message_of(at);
}

}  // namespace

DecodeStep read_head(std::string_view window, const Limits& limits, HttpHead& head) {
    constexpr std::size_t head_limit = 65536;
    std::size_t most = std::min(limits.message_bytes, head_limit);
    std::size_t at = 0;
    for (bool first = true;; first = false) {
        std::size_t end = window.find("\r\n", at);
        if (end == std::string_view::npos || end + 2 > most) {
            if (window.size() >= most) return DecodeStep::fault_at(most, "the head is longer than the limit");
            return DecodeStep::more_than(window.size() + 1);
        }
        std::string_view line = window.substr(at, end - at);
        if (first) {
            DecodeStep step = first_line(line, head);
            if (step.kind != DecodeStep::Kind::message) return step;
        } else if (line.empty()) {
            head.end = end + 2;
            return DecodeStep::message_of(head.end);
        } else {
            std::size_t colon = line.find(':');
            if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
                return DecodeStep::fault_at(at, "expected a header: a name, a colon, a value");
            std::string_view value = line.substr(colon + 1);
            while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
            while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
            if (!is_value(value))
                return DecodeStep::fault_at(at + colon + 1, "a character that is not allowed in a header");
            head.headers.push_back({line.substr(0, colon), value, at});
        }
        at = end + 2;
    }
}

DecodeStep read_body(std::string_view window, bool ended, const HttpHead& head, Scratch& scratch,
                     std::string_view& body) {
    std::optional<std::uint64_t> length;
    bool chunked = false;
    std::size_t last = 0;  // the position of the later of the two
    for (const HttpField& h : head.headers) {
        if (same_name(h.name, "transfer-encoding")) chunked = same_name(h.value, "chunked");
        if (same_name(h.name, "transfer-encoding") && !chunked)
            return DecodeStep::fault_at(h.at, "the only transfer encoding that can be read is chunked");
        if (is_framing(h.name)) last = h.at;
        if (!same_name(h.name, "content-length")) continue;
        std::uint64_t n = 0;
        auto [end, error] = std::from_chars(h.value.data(), h.value.data() + h.value.size(), n);
        if (h.value.empty() || error != std::errc() || end != h.value.data() + h.value.size() ||
            (length && *length != n))
            return DecodeStep::fault_at(h.at, "expected exactly one length");
        length = n;
    }
    if (chunked && length)
        return DecodeStep::fault_at(last, "a body has either a length or chunks, not both");
    // Regardless of its headers, such a response ends with them.
    if (!head.request && bodiless(head.second)) return DecodeStep::message_of(head.end);
    if (chunked) return read_chunks(window, head.end, scratch, body);
    if (!length && !head.request) {
        if (!ended) return DecodeStep::more_than(window.size() + 1);
        length = window.size() - head.end;
    }
    std::uint64_t n = length.value_or(0);
    if (n > scratch.limits.message_bytes)
        return DecodeStep::fault_at(0, fmt::format("a body of {} bytes exceeds the limit", n));
    if (window.size() - head.end < n) return DecodeStep::more_than(head.end + static_cast<std::size_t>(n));
    body = window.substr(head.end, static_cast<std::size_t>(n));
    return DecodeStep::message_of(head.end + static_cast<std::size_t>(n));
}

void explain_http(const HttpHead& head, std::string_view body, std::size_t end, std::string_view window,
                  Scratch& scratch) {
    auto place = [&](std::string name, std::string_view text) {
        auto begin = static_cast<std::uint64_t>(text.data() - window.data());
        scratch.pieces.push_back({std::move(name), readable(text), begin * 8, (begin + text.size()) * 8, 0});
    };
    place(head.request ? "method" : "version", head.first);
    place(head.request ? "target" : "status", head.second);
    if (!head.third.empty()) place(head.request ? "version" : "reason", head.third);
    for (const HttpField& h : head.headers) place(std::string(h.name), h.value);
    if (end > head.end) scratch.pieces.push_back({"body", readable(body), head.end * 8, end * 8, 0});
}

}  // namespace treaty::wire
