#include "wire/http_layout.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/percent.h"
#include "base/utf8.h"

namespace treaty::wire {
namespace {

namespace forms = model::forms;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;

constexpr std::uint32_t none = 0xffffffffu;

// How far a layout has matched, for the one that is reported.
constexpr unsigned at_method = 1, at_query = 2, at_headers = 3, at_body = 4;

// What may be in a path as it is, apart from letters and digits.
constexpr std::string_view plain_in_path = "-._~!$&'()*+,;=:@/";

// In queries and forms a + is a blank.
std::optional<std::string> from_query(std::string_view text) {
    std::string blanks(text);
    std::replace(blanks.begin(), blanks.end(), '+', ' ');
    return base::from_percent(blanks);
}

std::vector<forms::Template> segments_of(const forms::Template& path) {
    std::vector<forms::Template> all(1);
    bool first = true;
    for (const forms::TextPart& p : path) {
        if (p.variable) {
            all.back().push_back(p);
            continue;
        }
        std::string_view rest = p.text;
        if (first && rest.starts_with('/')) rest.remove_prefix(1);
        first = false;
        for (;;) {
            std::size_t slash = rest.find('/');
            if (slash != 0 && !rest.empty())
                all.back().push_back({std::string(rest.substr(0, slash)), {}, {}});
            if (slash == std::string_view::npos) break;
            all.emplace_back();
            rest.remove_prefix(slash + 1);
        }
    }
    return all;
}

}  // namespace

struct HttpLayout::Reading {
    std::span<Value> values;
    std::string_view window;
    Mismatch* mismatch;  // null if not wanted
    std::size_t body_at = 0;

    bool fail(unsigned progress, std::string_view where, std::string why, Fit fit = {}) const {
        if (!mismatch) return false;
        bool inside = where.data() >= window.data() && where.data() <= window.data() + window.size();
        *mismatch = {progress, fit, inside ? static_cast<std::size_t>(where.data() - window.data()) : body_at,
                     std::move(why), 0};
        return false;
    }
};

HttpLayout::HttpLayout(const expr::Pool& pool, const Layout& layout) : pool_(&pool), layout_(&layout) {
    for (const model::Item& i : layout.items) {
        if (const auto* request = model::as<forms::HttpRequest>(i))
            request_ = request;
        else if (const auto* status = model::as<forms::HttpStatus>(i))
            status_ = status;
        else if (const auto* header = model::as<forms::HttpHeader>(i))
            headers_.push_back(header);
        else
            body_ = &i;
    }
    if (request_) segments_ = segments_of(request_->path);
    if (body_ && model::is_json(*body_)) json_.emplace(pool, *body_, layout.fields);
}

std::uint32_t HttpLayout::field_of(expr::VarId variable) const {
    for (std::size_t f = 0; f < layout_->fields.size(); ++f)
        if (layout_->fields[f] == variable) return static_cast<std::uint32_t>(f);
    return none;
}

// --- reading

bool HttpLayout::match(const HttpHead& head, std::string_view window, std::string_view body_text,
                       const Limits& limits, std::span<Value> values, Mismatch* mismatch) const {
    Reading r{values, window, mismatch, head.end};
    if (head.request != (request_ != nullptr)) return false;
    if (request_) {
        std::string_view target = head.second;
        std::size_t question = target.find('?');
        std::string_view query =
            question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
        if (head.first != request_->method) return false;
        if (!match_path(r, target.substr(0, question))) return false;
        if (!match_parameters(r, query, request_->query, request_->open, at_query, "query")) return false;
    } else {
        std::uint32_t status = 0;
        for (char c : head.second) status = status * 10 + static_cast<std::uint32_t>(c - '0');
        if (status < status_->low || status > status_->high) return false;
        std::string why;
        if (status_->variable && !store(r, status_->variable, head.second, why))
            return r.fail(at_method, head.second, why);
    }
    return match_headers(r, head) && match_body(r, body_text, limits);
}

bool HttpLayout::match_path(Reading& r, std::string_view raw) const {
    if (!raw.starts_with('/')) return r.fail(at_method, raw, "a path begins with a slash");
    std::string_view rest = raw.substr(1);
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        std::size_t slash = rest.find('/');
        bool last = i + 1 == segments_.size();
        if (last != (slash == std::string_view::npos)) return false;
        std::string_view written = rest.substr(0, slash);
        auto text = base::from_percent(written);
        if (!text) return r.fail(at_method, written, "expected two hexadecimal digits after each %");
        bool field = std::any_of(segments_[i].begin(), segments_[i].end(),
                                 [](const forms::TextPart& p) { return p.variable.valid(); });
        std::string why;
        if (!take(r, segments_[i], *text, why) || (field && text->empty())) {
            if (!why.empty()) r.fail(at_method, written, why);
            return false;
        }
        if (!last) rest.remove_prefix(slash + 1);
    }
    return true;
}

// The parts one after the other; a field ends where the text after it begins. Without a reason where the text
// is simply another one.
bool HttpLayout::take(Reading& r, const Template& parts, std::string_view text, std::string& why) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].variable) {
            if (!text.starts_with(parts[i].text)) return false;
            text.remove_prefix(parts[i].text.size());
            continue;
        }
        std::size_t end = text.size();
        if (i + 1 < parts.size()) end = text.find(parts[i + 1].text);
        if (end == std::string_view::npos) return false;
        if (i + 1 == parts.size()) end = text.size();
        if (!store(r, parts[i].variable, text.substr(0, end), why)) return false;
        text.remove_prefix(end);
    }
    return text.empty();
}

// An optional gets a value, a list one more.
bool HttpLayout::store(Reading& r, expr::VarId variable, std::string_view text, std::string& why) const {
    std::uint32_t f = field_of(variable);
    if (f == none) return false;
    TypeId type = pool_->variable(variable).type;
    TypeKind outer = pool_->types().kind(type);
    TypeId inner =
        outer == TypeKind::optional || outer == TypeKind::list ? pool_->types()[type].element : type;
    FieldView view;
    Value value;
    bool fits = field_of_text(*pool_, inner, text, view);
    switch (pool_->types().kind(inner)) {
        case TypeKind::boolean: value = view.number != 0; break;
        case TypeKind::integer: value = view.number; break;
        case TypeKind::enumeration: value = expr::EnumMember{static_cast<std::uint32_t>(view.number)}; break;
        case TypeKind::bytes: value = expr::Bytes{std::string(text)}; break;
        case TypeKind::string:
            value = std::string(text);
            fits = base::is_utf8(text);
            break;
        default: fits = false;
    }
    if (!fits) {
        why =
            fmt::format("{}: expected {}, found \"{}\"", pool_->names().text(pool_->variable(variable).name),
                        pool_->types().print(inner, pool_->names()), readable(text));
        return false;
    }
    if (outer == TypeKind::list) {
        if (!std::holds_alternative<expr::Sequence>(r.values[f].v)) r.values[f] = expr::Sequence{};
        std::get<expr::Sequence>(r.values[f].v).items.push_back(std::move(value));
    } else if (outer == TypeKind::optional) {
        r.values[f] = expr::Sequence{{std::move(value)}};
    } else {
        r.values[f] = std::move(value);
    }
    return true;
}

bool HttpLayout::may_be_absent(const Template& parts) const {
    return std::any_of(parts.begin(), parts.end(), [&](const forms::TextPart& p) {
        TypeKind k = p.variable ? pool_->types().kind(pool_->variable(p.variable).type) : TypeKind::unknown;
        return k == TypeKind::optional || k == TypeKind::list;
    });
}

void HttpLayout::absent(Reading& r, const Template& parts) const {
    for (const forms::TextPart& p : parts)
        if (std::uint32_t f = p.variable ? field_of(p.variable) : none; f != none)
            r.values[f] = expr::Sequence{};
}

bool HttpLayout::match_parameters(Reading& r, std::string_view text, const Parameters& wanted, bool open,
                                  unsigned progress, std::string_view what) const {
    absl::flat_hash_set<std::string> seen;
    Fit fit;
    std::string fault;  // the first; what follows is read to see how much of it fits
    std::string_view fault_at;
    auto note = [&](std::string_view where, std::string why) {
        if (fault.empty()) fault = std::move(why), fault_at = where;
    };
    auto is_constant = [](const forms::Parameter& p) { return p.value.size() == 1 && !p.value[0].variable; };
    for (const forms::Parameter& p : wanted)
        if (may_be_absent(p.value)) absent(r, p.value);
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view one = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        if (one.empty()) continue;
        std::size_t equals = one.find('=');
        auto name = from_query(one.substr(0, equals));
        auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                      : from_query(one.substr(equals + 1));
        if (!name || !value) {
            note(one, "expected two hexadecimal digits after each %");
            continue;
        }
        auto found = std::find_if(wanted.begin(), wanted.end(),
                                  [&](const forms::Parameter& p) { return p.name == *name; });
        if (found == wanted.end()) {
            if (!open) note(one, fmt::format("unexpected parameter `{}`", readable(*name)));
            continue;
        }
        bool list = found->value.size() == 1 && found->value[0].variable &&
                    pool_->types().kind(pool_->variable(found->value[0].variable).type) == TypeKind::list;
        if (!seen.insert(*name).second && !list) {
            note(one, fmt::format("parameter `{}` occurs twice", readable(*name)));
            continue;
        }
        std::string why;
        if (take(r, found->value, *value, why)) {
            ++fit.members;
            continue;
        }
        note(one, why.empty() ? fmt::format("parameter `{}` has another value", readable(*name)) : why);
        if (is_constant(*found)) fit.constants = false;
    }
    for (const forms::Parameter& p : wanted) {
        if (seen.contains(p.name) || may_be_absent(p.value)) continue;
        note(text, fmt::format("the {} has no parameter `{}`", what, readable(p.name)));
        if (is_constant(p)) fit.constants = false;
    }
    return fault.empty() || r.fail(progress, fault_at, std::move(fault), fit);
}

bool HttpLayout::match_headers(Reading& r, const HttpHead& head) const {
    for (const forms::HttpHeader* wanted : headers_) {
        auto found = std::find_if(head.headers.begin(), head.headers.end(),
                                  [&](const HttpField& h) { return same_name(h.name, wanted->header); });
        if (found == head.headers.end()) {
            if (!may_be_absent(wanted->value))
                return r.fail(at_headers, head.first, fmt::format("there is no header {}", wanted->header));
            absent(r, wanted->value);
            continue;
        }
        std::string why;
        if (!take(r, wanted->value, found->value, why))
            return r.fail(at_headers, found->value,
                          why.empty() ? fmt::format("header {} has another value", wanted->header)
                                      : fmt::format("header {}: {}", wanted->header, why));
    }
    return true;
}

bool HttpLayout::match_body(Reading& r, std::string_view text, const Limits& limits) const {
    if (!body_)
        return text.empty() ||
               r.fail(at_body, text,
                      fmt::format("expected no body, found {} bytes; `...` allows any", text.size()));
    if (json_) {
        if (text.empty()) return r.fail(at_body, text, "expected a JSON body, found none");
        JsonFault fault;
        if (json_->read(text, limits, r.values, fault)) return true;
        if (!r.mismatch) return false;
        return r.fail(at_body, text.substr(std::min(fault.at, text.size())), fault.reason,
                      json_->fit(text, limits, r.values));
    }
    if (const auto* form = model::as<forms::FormBody>(*body_))
        return match_parameters(r, text, form->parameters, form->open, at_body, "form");
    std::string why;
    if (const auto* plain = model::as<forms::TextBody>(*body_))
        return take(r, plain->text, text, why) ||
               r.fail(at_body, text, why.empty() ? "the text is another one" : why);
    if (const auto* bytes = model::as<forms::BytesBody>(*body_))
        return store(r, bytes->variable, text, why) || r.fail(at_body, text, why);
    return true;  // any body
}

// --- writing

std::optional<EncodeFault> HttpLayout::append(const Template& parts, std::span<const Value> values,
                                              bool percent, std::string& out) const {
    for (const forms::TextPart& p : parts) {
        std::string text = p.text;
        std::uint32_t f = none;
        if (p.variable) {
            f = field_of(p.variable);
            if (f == none) return EncodeFault{none, "the layout does not belong to the message"};
            TypeId type = pool_->variable(p.variable).type;
            const Value* value = &values[f];
            if (pool_->types().kind(type) == TypeKind::optional) {
                value = &value->items().front();
                type = pool_->types()[type].element;
            }
            if (!append_text(*pool_, type, *value, text)) return EncodeFault{f, "the value has no text"};
        }
        if (percent)
            base::append_percent(out, text);
        else
            out += text;
    }
    return std::nullopt;
}

std::optional<EncodeFault> HttpLayout::append_path(std::span<const Value> values, std::string& out) const {
    for (const Template& segment : segments_) {
        out += '/';
        std::size_t start = out.size();
        for (const forms::TextPart& p : segment) {
            if (!p.variable) {
                base::append_percent(out, p.text, plain_in_path);
                continue;
            }
            std::size_t before = out.size();
            if (auto fault = append(Template{p}, values, true, out)) return fault;
            std::string_view written = std::string_view(out).substr(start);
            bool whole = segment.size() == 1;
            if (whole && (out.size() == before || written == "." || written == ".."))
                return EncodeFault{field_of(p.variable), "a part of a path is neither empty nor . nor .."};
        }
    }
    return std::nullopt;
}

std::optional<EncodeFault> HttpLayout::append_parameters(const Parameters& all, std::span<const Value> values,
                                                         std::string& out) const {
    bool first = true;
    auto begin = [&](const std::string& name) {
        if (!first) out += '&';
        first = false;
        base::append_percent(out, name);
        out += '=';
    };
    for (const forms::Parameter& p : all) {
        if (!may_be_absent(p.value)) {
            begin(p.name);
            if (auto fault = append(p.value, values, true, out)) return fault;
            continue;
        }
        auto part = std::find_if(p.value.begin(), p.value.end(),
                                 [](const forms::TextPart& x) { return x.variable.valid(); });
        std::uint32_t f = field_of(part->variable);
        if (f == none) return EncodeFault{none, "the layout does not belong to the message"};
        TypeId type = pool_->variable(part->variable).type;
        if (pool_->types().kind(type) == TypeKind::optional) {
            if (values[f].items().empty()) continue;
            begin(p.name);
            if (auto fault = append(p.value, values, true, out)) return fault;
            continue;
        }
        for (const Value& element : values[f].items()) {
            begin(p.name);
            std::string text;
            if (!append_text(*pool_, pool_->types()[type].element, element, text))
                return EncodeFault{f, "the value has no text"};
            base::append_percent(out, text);
        }
    }
    return std::nullopt;
}

std::optional<EncodeFault> HttpLayout::append_body(std::span<const Value> values, std::string& out,
                                                   std::string_view& type) const {
    if (!body_) return std::nullopt;
    if (json_) {
        type = "application/json";
        std::uint32_t field = none;
        if (!json_->write(values, out, field)) return EncodeFault{field, "JSON cannot express this value"};
    } else if (const auto* form = model::as<forms::FormBody>(*body_)) {
        type = "application/x-www-form-urlencoded";
        return append_parameters(form->parameters, values, out);
    } else if (const auto* text = model::as<forms::TextBody>(*body_)) {
        type = "text/plain; charset=utf-8";
        return append(text->text, values, false, out);
    } else if (const auto* bytes = model::as<forms::BytesBody>(*body_)) {
        type = "application/octet-stream";
        return append(Template{forms::TextPart{"", bytes->name, bytes->variable}}, values, false, out);
    }
    return std::nullopt;
}

std::optional<EncodeFault> HttpLayout::encode(std::span<const Value> values, std::string& out) const {
    std::string content;
    std::string_view type;
    if (auto fault = append_body(values, content, type)) return fault;
    std::int64_t status = 0;
    if (request_) {
        out += request_->method + ' ';
        if (auto fault = append_path(values, out)) return fault;
        std::string query;
        if (auto fault = append_parameters(request_->query, values, query)) return fault;
        if (!query.empty()) out += '?' + query;
        out += " HTTP/1.1\r\n";
    } else {
        status = status_->low;
        if (std::uint32_t f = status_->variable ? field_of(status_->variable) : none; f != none) {
            status = values[f].integer();
            if (status < status_->low || status > status_->high)
                return EncodeFault{f,
                                   fmt::format("the status is from {} to {}", status_->low, status_->high)};
        }
        out += fmt::format("HTTP/1.1 {} {}\r\n", status, reason_of(static_cast<unsigned>(status)));
        if (bodiless(fmt::format("{}", status)) && !content.empty())
            return EncodeFault{none, "a response with this status has no body"};
    }
    bool has_host = false, has_type = false;
    for (const forms::HttpHeader* h : headers_) {
        has_host = has_host || same_name(h->header, "host");
        has_type = has_type || same_name(h->header, "content-type");
    }
    if (request_ && !has_host) out += "Host: localhost\r\n";
    for (const forms::HttpHeader* h : headers_) {
        auto part = std::find_if(h->value.begin(), h->value.end(),
                                 [](const forms::TextPart& x) { return x.variable.valid(); });
        std::uint32_t f = part == h->value.end() ? none : field_of(part->variable);
        bool optional = f != none && may_be_absent(h->value);
        if (optional && values[f].items().empty()) continue;
        std::string value;
        if (auto fault = append(h->value, values, false, value)) return fault;
        if (!is_value(value)) return EncodeFault{f, "not a valid header value"};
        out += fmt::format("{}: {}\r\n", h->header, value);
    }
    if (!type.empty() && !has_type) out += fmt::format("Content-Type: {}\r\n", type);
    bool sends =
        request_ && (request_->method == "POST" || request_->method == "PUT" || request_->method == "PATCH");
    bool replies = !request_ && !bodiless(fmt::format("{}", status));
    if (!content.empty() || sends || replies) out += fmt::format("Content-Length: {}\r\n", content.size());
    out += "\r\n";
    out += content;
    return std::nullopt;
}

}  // namespace treaty::wire
