// Wires over HTTP/1.1. A message with a field `target` is a request, one with a field `status` is a response.
// `method` (or else the message's own name in capitals), `target`, `status`, `reason`, `headers` (a list of
// "Name: value") and `body` are the parts of the message; every other field is the header of its name, with
// dashes for underscores. Lengths are computed when encoding; decoding also understands chunked bodies and a
// response that ends with its connection.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "wire/condition.h"
#include "wire/engine.h"

namespace treaty::wire {
namespace {

using expr::TypeKind;

struct Header {
    std::string_view name;
    std::string_view value;
    std::size_t at;
};

struct Head {
    bool request = false;
    std::string_view first, second, third;  // of the first line
    std::vector<Header> headers;
    std::size_t end = 0;  // where the body begins
};

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

struct HttpPart {
    enum class Kind : std::uint8_t { method, target, status, reason, headers, body, header } kind;
    std::string name;  // header: as it is written
};

struct Shape {
    bool carried = false;
    bool request = false;
    bool has_method = false;
    std::string method;
    std::vector<HttpPart> parts;  // by field
};

class HttpEngine final : public Engine {
public:
    HttpEngine(const expr::Pool& pool, std::span<const MessageShape> shapes)
        : pool_(pool), messages_(shapes.begin(), shapes.end()), conditions_(conditions_of(pool, shapes)) {
        for (const MessageShape& m : messages_) shapes_.push_back(shape_of(m));
    }

    DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        Head head;
        DecodeStep step = read_head(window, scratch.limits, head);
        if (step.kind != DecodeStep::Kind::message) return step;
        std::string_view body;
        step = read_body(window, ended, head, scratch, body);
        if (step.kind != DecodeStep::Kind::message) return step;
        if (choose(head, body, scratch, out)) {
            if (scratch.explain) explain(head, body, step.bytes, window, scratch);
            return step;
        }
        return DecodeStep::fault_at(
            0,
            head.request
                ? fmt::format("this {} request matches no message", readable(head.first))
                : fmt::format("this response with status {} matches no message", readable(head.second)),
            step.bytes);
    }

    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> values, Scratch&,
                                      std::string& out) const override {
        const Shape& s = shapes_[message];
        std::string method = s.method, target, status, reason, body, headers;
        for (std::size_t f = 0; f < values.size(); ++f) {
            expr::TypeId type = messages_[message].fields[f].type;
            auto wrong = [&](std::string why) {
                return EncodeFault{static_cast<std::uint32_t>(f), std::move(why)};
            };
            std::string text;
            if (s.parts[f].kind == HttpPart::Kind::headers) {
                for (const expr::Value& line : values[f].items()) {
                    std::string_view h = line.string();
                    std::size_t colon = h.find(": ");
                    bool fine = colon != std::string_view::npos && is_token(h.substr(0, colon)) &&
                                is_value(h.substr(colon + 2)) && !is_framing(h.substr(0, colon)) &&
                                !is_own(s, h.substr(0, colon));
                    if (!fine) return wrong(fmt::format("unexpected header: {}", readable(h)));
                    headers += fmt::format("{}\r\n", h);
                }
                continue;
            }
            append_text(pool_, type, values[f], text);
            switch (s.parts[f].kind) {
                case HttpPart::Kind::method: method = text; break;
                case HttpPart::Kind::target: target = text; break;
                case HttpPart::Kind::status: status = text; break;
                case HttpPart::Kind::reason: reason = text; break;
                case HttpPart::Kind::body: body = std::move(text); continue;
                default:
                    if (!is_value(text)) return wrong("not a valid header value");
                    headers += fmt::format("{}: {}\r\n", s.parts[f].name, text);
                    continue;
            }
            bool blank = text.find_first_of(" \r\n") != std::string::npos;
            if (s.parts[f].kind == HttpPart::Kind::reason ? !is_value(text) : text.empty() || blank)
                return wrong("not valid in the first line");
            if (s.parts[f].kind == HttpPart::Kind::method && !is_token(text))
                return wrong("not a valid method");
            if (s.parts[f].kind == HttpPart::Kind::status && (text.size() != 3 || text < "100"))
                return wrong("a status is a number from 100 to 999");
        }
        if (!s.request && bodiless(status) && !body.empty())
            return EncodeFault{0xffffffffu, "a response with this status has no body"};
        if (s.request)
            out += fmt::format("{} {} HTTP/1.1\r\n", method, target);
        else
            out += fmt::format("HTTP/1.1 {} {}\r\n", status, reason);
        out += headers;
        if (!body.empty() || (!s.request && !bodiless(status)))
            out += fmt::format("Content-Length: {}\r\n", body.size());
        out += "\r\n";
        out += body;
        return std::nullopt;
    }

    bool carries(MessageIndex message) const override {
        return message < shapes_.size() && shapes_[message].carried;
    }

private:
    static bool is_framing(std::string_view name) {
        return same_name(name, "content-length") || same_name(name, "transfer-encoding");
    }
    static bool is_own(const Shape& s, std::string_view name) {
        return std::any_of(s.parts.begin(), s.parts.end(), [&](const HttpPart& p) {
            return p.kind == HttpPart::Kind::header && same_name(p.name, name);
        });
    }
    static bool bodiless(std::string_view status) {
        return status.starts_with("1") || status == "204" || status == "304";
    }

    Shape shape_of(const MessageShape& m) const {
        Shape s;
        bool target = false, status = false, fine = true;
        s.method = pool_.names().text(m.name);
        for (char& c : s.method) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        for (const expr::Field& f : m.fields) {
            std::string name(pool_.names().text(f.name));
            TypeKind k = pool_.types().kind(f.type);
            bool text = k == TypeKind::string, number = k == TypeKind::integer;
            HttpPart part{HttpPart::Kind::header, {}};
            if (name == "method")
                part.kind = HttpPart::Kind::method, s.has_method = true,
                fine = fine && (text || k == TypeKind::enumeration);
            else if (name == "target")
                part.kind = HttpPart::Kind::target, target = true, fine = fine && text;
            else if (name == "status")
                part.kind = HttpPart::Kind::status, status = true, fine = fine && number;
            else if (name == "reason")
                part.kind = HttpPart::Kind::reason, fine = fine && text;
            else if (name == "body")
                part.kind = HttpPart::Kind::body, fine = fine && (text || k == TypeKind::bytes);
            else if (name == "headers") {
                part.kind = HttpPart::Kind::headers;
                fine = fine && k == TypeKind::list &&
                       pool_.types().kind(pool_.types()[f.type].element) == TypeKind::string;
            } else {
                bool begins = true;
                for (char c : name) {
                    part.name += c == '_'                         ? '-'
                                 : begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32)
                                                                  : c;
                    begins = c == '_';
                }
                fine =
                    fine && is_simple(pool_.types(), f.type) && is_token(part.name) && !is_framing(part.name);
            }
            s.parts.push_back(std::move(part));
        }
        s.request = target;
        s.carried = fine && target != status && (status || s.has_method || is_token(s.method));
        return s;
    }

    static DecodeStep read_head(std::string_view window, const Limits& limits, Head& head) {
        constexpr std::size_t head_limit = 65536;
        std::size_t most = std::min(limits.message_bytes, head_limit);
        std::size_t at = 0;
        for (bool first = true;; first = false) {
            std::size_t end = window.find("\r\n", at);
            if (end == std::string_view::npos || end + 2 > most) {
                if (window.size() >= most)
                    return DecodeStep::fault_at(most, "the head is longer than the limit");
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
                while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
                    value.remove_prefix(1);
                while (!value.empty() && (value.back() == ' ' || value.back() == '\t'))
                    value.remove_suffix(1);
                if (!is_value(value))
                    return DecodeStep::fault_at(at + colon + 1,
                                                "a character that is not allowed in a header");
                head.headers.push_back({line.substr(0, colon), value, at});
            }
            at = end + 2;
        }
    }

    static DecodeStep first_line(std::string_view line, Head& head) {
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

    static DecodeStep read_body(std::string_view window, bool ended, const Head& head, Scratch& scratch,
                                std::string_view& body) {
        std::optional<std::uint64_t> length;
        bool chunked = false;
        std::size_t last = 0;  // the position of the later of the two
        for (const Header& h : head.headers) {
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
        // Whatever its headers say, such a response ends with them.
        if (!head.request && bodiless(head.second)) return DecodeStep::message_of(head.end);
        if (chunked) return read_chunks(window, head.end, scratch, body);
        if (!length && !head.request) {
            if (!ended) return DecodeStep::more_than(window.size() + 1);
            length = window.size() - head.end;
        }
        std::uint64_t n = length.value_or(0);
        if (n > scratch.limits.message_bytes)
            return DecodeStep::fault_at(0, fmt::format("a body of {} bytes exceeds the limit", n));
        if (window.size() - head.end < n)
            return DecodeStep::more_than(head.end + static_cast<std::size_t>(n));
        body = window.substr(head.end, static_cast<std::size_t>(n));
        return DecodeStep::message_of(head.end + static_cast<std::size_t>(n));
    }

    static DecodeStep read_chunks(std::string_view window, std::size_t at, Scratch& scratch,
                                  std::string_view& body) {
        std::string& joined = scratch.text();
        for (;;) {
            std::size_t end = window.find("\r\n", at);
            if (end == std::string_view::npos) {
                if (window.size() - at > 1000)
                    return DecodeStep::fault_at(at, "expected the length of a chunk");
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
            if (window.size() < at + n + 2)
                return DecodeStep::more_than(at + static_cast<std::size_t>(n) + 2);
            joined += window.substr(at, static_cast<std::size_t>(n));
            at += static_cast<std::size_t>(n);
            if (window.substr(at, 2) != "\r\n")
                return DecodeStep::fault_at(at, "expected the end of the chunk");
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

    // The first message that matches and whose condition holds; if there is none, the first that matches.
    bool choose(const Head& head, std::string_view body, Scratch& scratch, Decoded& out) const {
        std::optional<std::size_t> chosen;
        out.condition_holds = false;
        for (std::size_t m = 0; m < shapes_.size() && !out.condition_holds; ++m) {
            if (!shapes_[m].carried || !scratch.is_expected(static_cast<MessageIndex>(m)) ||
                !fill(m, head, body, scratch, out))
                continue;
            out.condition_holds = conditions_[m].holds(out.fields, scratch);
            if (!chosen || out.condition_holds) chosen = m;
        }
        if (!chosen) return false;
        if (!out.condition_holds) fill(*chosen, head, body, scratch, out);
        out.message = out.layout = static_cast<MessageIndex>(*chosen);
        return true;
    }

    bool fill(std::size_t m, const Head& head, std::string_view body, Scratch& scratch, Decoded& out) const {
        const Shape& s = shapes_[m];
        if (s.request != head.request || (s.request && !s.has_method && head.first != s.method)) return false;
        out.fields.assign(s.parts.size(), FieldView());
        scratch.lists.assign(s.parts.size(), expr::Value());
        bool has_body = false;
        for (std::size_t f = 0; f < s.parts.size(); ++f) {
            expr::TypeId type = messages_[m].fields[f].type;
            std::string_view text;
            switch (s.parts[f].kind) {
                case HttpPart::Kind::method: text = head.first; break;
                case HttpPart::Kind::target: text = head.second; break;
                case HttpPart::Kind::status: text = head.second; break;
                case HttpPart::Kind::reason: text = head.third; break;
                case HttpPart::Kind::body: text = body, has_body = true; break;
                case HttpPart::Kind::headers: {
                    expr::Sequence list;
                    for (const Header& h : head.headers)
                        if (!is_framing(h.name) && !is_own(s, h.name))
                            list.items.push_back(fmt::format("{}: {}", h.name, h.value));
                    scratch.lists[f] = std::move(list);
                    out.fields[f].value = &scratch.lists[f];
                    continue;
                }
                case HttpPart::Kind::header: {
                    auto h = std::find_if(head.headers.begin(), head.headers.end(), [&](const Header& x) {
                        return same_name(x.name, s.parts[f].name);
                    });
                    if (h == head.headers.end()) return false;
                    text = h->value;
                }
            }
            if (!field_of_text(pool_, type, text, out.fields[f])) return false;
        }
        return has_body || body.empty();
    }

    static void explain(const Head& head, std::string_view body, std::size_t end, std::string_view window,
                        Scratch& scratch) {
        auto place = [&](std::string name, std::string_view text) {
            auto begin = static_cast<std::uint64_t>(text.data() - window.data());
            scratch.pieces.push_back(
                {std::move(name), readable(text), begin * 8, (begin + text.size()) * 8, 0});
        };
        place(head.request ? "method" : "version", head.first);
        place(head.request ? "target" : "status", head.second);
        if (!head.third.empty()) place(head.request ? "version" : "reason", head.third);
        for (const Header& h : head.headers) place(std::string(h.name), h.value);
        if (end > head.end) scratch.pieces.push_back({"body", readable(body), head.end * 8, end * 8, 0});
    }

    const expr::Pool& pool_;
    std::vector<MessageShape> messages_;
    std::vector<Condition> conditions_;
    std::vector<Shape> shapes_;
};

}  // namespace

std::unique_ptr<Engine> make_http_engine(const expr::Pool& pool, const Wire&,
                                         std::span<const MessageShape> shapes) {
    return std::make_unique<HttpEngine>(pool, shapes);
}

}  // namespace treaty::wire
