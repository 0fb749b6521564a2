// Wires over HTTP/1.1 without layouts. A message with a field `target` is a request, one with a field
// `status` is a response. `method` (or else the message's own name in capitals), `target`, `status`,
// `reason`, `headers` (a list of "Name: value") and `body` are the parts of the message; every other field is
// the header of its name, with dashes for underscores. Lengths are computed when encoding; decoding also
// understands chunked bodies and a response that ends with its connection.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "wire/condition.h"
#include "wire/engine.h"
#include "wire/http_text.h"

namespace treaty::wire {
namespace {

using expr::TypeKind;

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
        HttpHead head;
        DecodeStep step = read_head(window, scratch.limits, head);
        if (step.kind != DecodeStep::Kind::message) return step;
        std::string_view body;
        step = read_body(window, ended, head, scratch, body);
        if (step.kind != DecodeStep::Kind::message) return step;
        if (choose(head, body, scratch, out)) {
            if (scratch.explain) explain_http(head, body, step.bytes, window, scratch);
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
    static bool is_own(const Shape& s, std::string_view name) {
        return std::any_of(s.parts.begin(), s.parts.end(), [&](const HttpPart& p) {
            return p.kind == HttpPart::Kind::header && same_name(p.name, name);
        });
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

    // The first message that matches and whose condition holds; if there is none, the first that matches.
    bool choose(const HttpHead& head, std::string_view body, Scratch& scratch, Decoded& out) const {
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

    bool fill(std::size_t m, const HttpHead& head, std::string_view body, Scratch& scratch,
              Decoded& out) const {
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
                    for (const HttpField& h : head.headers)
                        if (!is_framing(h.name) && !is_own(s, h.name))
                            list.items.push_back(fmt::format("{}: {}", h.name, h.value));
                    scratch.lists[f] = std::move(list);
                    out.fields[f].value = &scratch.lists[f];
                    continue;
                }
                case HttpPart::Kind::header: {
                    auto h = std::find_if(head.headers.begin(), head.headers.end(), [&](const HttpField& x) {
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

    const expr::Pool& pool_;
    std::vector<MessageShape> messages_;
    std::vector<Condition> conditions_;
    std::vector<Shape> shapes_;
};

}  // namespace

std::unique_ptr<Engine> make_http_engine(const expr::Pool& pool, const Wire& wire,
                                         std::span<const MessageShape> shapes) {
    if (!wire.layouts.empty()) return make_http_layout_engine(pool, wire, shapes);
    return std::make_unique<HttpEngine>(pool, shapes);
}

}  // namespace treaty::wire
