#include "wire/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/hex.h"
#include "base/json_string.h"
#include "base/utf8.h"
#include "expr/value_text.h"
#include "wire/engine.h"

namespace treaty::wire {
namespace {

using expr::TypeId;
using expr::TypeKind;
using expr::Value;

constexpr unsigned max_depth = 200;
constexpr std::size_t longest_shown = 30;
constexpr std::size_t few_members = 16;

using Keys = absl::flat_hash_set<std::string>;

// Whether a member has this key already. A few are compared one by one; more are kept in `keys`, so that a
// document of a million members takes no longer than its length.
bool is_twice(const std::vector<JsonMember>& members, const std::string& key, Keys& keys) {
    if (members.size() < few_members)
        return std::any_of(members.begin(), members.end(),
                           [&](const JsonMember& other) { return other.key == key; });
    if (keys.empty())
        for (const JsonMember& other : members) keys.insert(other.key);
    return !keys.insert(key).second;
}

}  // namespace

std::size_t JsonScanner::end_of_document(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false, begun = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
            continue;
        }
        bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (c == '"')
            quoted = true;
        else if (c == '{' || c == '[')
            ++depth;
        else if ((c == '}' || c == ']') && (depth <= 1 || --depth == 0))
            return i + 1;
        else if (!begun && !blank)
            return i + 1;  // no object: the reader reports it
        if (!blank) begun = true;
    }
    return std::string_view::npos;
}

bool JsonText::fail(std::size_t at, std::string why) {
    if (fault_.reason.empty()) fault_ = {at, std::move(why)};
    return false;
}

void JsonText::blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
        ++at_;
}

bool JsonText::eat(char c, std::string_view what) {
    blanks();
    if (at_ < text_.size() && text_[at_] == c) {
        ++at_;
        return true;
    }
    return fail_expecting(at_, what);
}

// With the beginning of what is there instead.
bool JsonText::fail_expecting(std::size_t at, std::string_view what) {
    std::string_view there = text_.substr(std::min(at, text_.size()));
    std::string_view shown = there.substr(0, there.find_first_of(",:]}\r\n", 1)).substr(0, longest_shown);
    return fail(at, fmt::format("expected {}, found {}", what,
                                there.empty() ? "the end" : fmt::format("`{}`", readable(shown))));
}

bool JsonText::members_of(const JsonMember& value, std::vector<JsonMember>& members) {
    at_ = value.begin;
    return object(members);
}

bool JsonText::elements_of(const JsonMember& value, std::vector<JsonMember>& elements) {
    elements.clear();
    at_ = value.begin;
    if (!eat('[', "a list")) return false;
    blanks();
    if (at_ < text_.size() && text_[at_] == ']') {
        ++at_;
        return true;
    }
    for (;;) {
        blanks();
        JsonMember element;
        element.key_at = element.begin = at_;
        if (!skip_value(0)) return false;
        element.end = at_;
        elements.push_back(std::move(element));
        if (++items_ > limits_.items) return fail(at_, "too many elements");
        blanks();
        if (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            continue;
        }
        return eat(']', "a comma or the end of the list");
    }
}

bool JsonText::document(JsonMember& value) {
    at_ = 0;
    blanks();
    value.key_at = value.begin = at_;
    if (!skip_value(0)) return false;
    value.end = at_;
    blanks();
    return at_ == text_.size() || fail_expecting(at_, "the end of the document");
}

void JsonText::inside(std::string_view place) {
    bool index = fault_.reason.starts_with('[');
    fault_.reason = fmt::format("{}{}{}", place, fault_place_ ? (index ? "" : ".") : ": ", fault_.reason);
    fault_place_ = true;
}

bool JsonText::object(std::vector<JsonMember>& members) {
    members.clear();
    Keys keys;
    if (!eat('{', "an object")) return false;
    blanks();
    if (at_ < text_.size() && text_[at_] == '}') {
        ++at_;
        return true;
    }
    for (;;) {
        JsonMember m;
        blanks();
        m.key_at = at_;
        if (!string(&m.key) || !eat(':', "a colon")) return false;
        if (is_twice(members, m.key, keys))
            return fail(m.key_at, fmt::format("`{}` occurs twice", readable(m.key)));
        blanks();
        m.begin = at_;
        if (!skip_value(0)) return false;
        m.end = at_;
        members.push_back(std::move(m));
        if (members.size() > limits_.items) return fail(at_, "too many members");
        blanks();
        if (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            continue;
        }
        return eat('}', "a comma or the end of the object");
    }
}

std::optional<Value> JsonText::value(const JsonMember& member, TypeId type) {
    at_ = member.begin;
    return read(type, 0);
}

std::optional<std::string> JsonText::string_at(const JsonMember& member) {
    at_ = member.begin;
    std::string out;
    if (!string(&out)) return std::nullopt;
    return out;
}

bool JsonText::skip_value(unsigned depth) {
    if (depth > max_depth) return fail(at_, "values are nested too deeply");
    blanks();
    if (at_ >= text_.size()) return fail_expecting(at_, "a value");
    char c = text_[at_];
    if (c == '"') return string(nullptr);
    if (c != '{' && c != '[') return skip_word();
    char close = c == '{' ? '}' : ']';
    ++at_;
    blanks();
    if (at_ < text_.size() && text_[at_] == close) {
        ++at_;
        return true;
    }
    for (;;) {
        blanks();
        if (c == '{' && (!string(nullptr) || !eat(':', "a colon"))) return false;
        if (!skip_value(depth + 1)) return false;
        blanks();
        if (at_ >= text_.size()) return fail(at_, "the value is not complete");
        if (text_[at_] == ',') {
            ++at_;
            continue;
        }
        return eat(close, "a comma or the end");
    }
}

bool JsonText::skip_word() {
    for (std::string_view word : {"true", "false", "null"})
        if (text_.substr(at_).starts_with(word)) {
            at_ += word.size();
            return true;
        }
    return skip_number();
}

bool JsonText::skip_number() {
    auto digits = [&] {
        std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ > begin || fail_expecting(at_, "a value");
    };
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    std::size_t first = at_;
    if (!digits()) return false;
    if (text_[first] == '0' && at_ - first > 1) return fail(first + 1, "a number must not begin with a zero");
    if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        if (!digits()) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
        ++at_;
        if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
        if (!digits()) return false;
    }
    return true;
}

bool JsonText::string(std::string* out) {
    if (!eat('"', "a string")) return false;
    while (at_ < text_.size()) {
        auto c = static_cast<unsigned char>(text_[at_]);
        if (c == '"') {
            ++at_;
            return true;
        }
        if (c < 0x20) return fail(at_, "a control character inside a string must be escaped");
        if (c == '\\') {
            if (!escape(out)) return false;
            continue;
        }
        std::size_t n = c < 0x80 ? 1 : base::code_point_length(std::string_view(text_).substr(at_));
        if (n == 0) return fail(at_, "not valid UTF-8");
        if (out) out->append(text_.substr(at_, n));
        at_ += n;
    }
    return fail(at_, "the string is not closed");
}

bool JsonText::unicode(std::uint32_t& code) {
    code = 0;
    for (int k = 0; k < 4; ++k, ++at_) {
        int digit = at_ < text_.size() ? base::hex_digit(text_[at_]) : -1;
        if (digit < 0) return fail_expecting(at_, "a hexadecimal digit");
        code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
}

bool JsonText::escape(std::string* out) {
    std::size_t begin = at_++;
    if (at_ >= text_.size()) return fail(at_, "the string is not closed");
    char c = text_[at_++];
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (auto k = from.find(c); k != std::string_view::npos) {
        if (out) *out += to[k];
        return true;
    }
    if (c != 'u') return fail(begin, "unknown escape sequence");
    std::uint32_t code = 0, low = 0;
    if (!unicode(code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return fail(begin, "half of a surrogate pair");
    if (code >= 0xd800 && code < 0xdc00) {
        if (!text_.substr(at_).starts_with("\\u")) return fail(begin, "half of a surrogate pair");
        at_ += 2;
        if (!unicode(low)) return false;
        if (low < 0xdc00 || low >= 0xe000) return fail(begin, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (out) base::append_utf8(*out, code);
    return true;
}

std::optional<Value> JsonText::read(TypeId type, unsigned depth) {
    blanks();
    const expr::Type& t = pool_.types()[type];
    std::size_t begin = at_;
    if (depth > max_depth || ++items_ > limits_.items) {
        fail(at_, "the values are nested too deeply, or there are too many");
        return std::nullopt;
    }
    switch (t.kind) {
        case TypeKind::boolean:
            for (bool b : {true, false})
                if (text_.substr(at_).starts_with(b ? "true" : "false")) {
                    at_ += b ? 4 : 5;
                    return Value(b);
                }
            fail_expecting(begin, "true or false");
            return std::nullopt;
        case TypeKind::integer:
        case TypeKind::real: return read_number(type);
        case TypeKind::string:
        case TypeKind::bytes:
        case TypeKind::enumeration: return read_text(type);
        case TypeKind::optional: {
            if (text_.substr(at_).starts_with("null")) {
                at_ += 4;
                return Value(expr::Sequence{});
            }
            auto inner = read(t.element, depth + 1);
            if (!inner) return std::nullopt;
            return Value(expr::Sequence{{std::move(*inner)}});
        }
        case TypeKind::list: return read_list(type, depth);
        case TypeKind::set: return read_set(type, depth);
        case TypeKind::map: return read_map(type, depth);
        case TypeKind::record: return t.name ? read_record(type, depth) : read_pair(type, depth);
        default: fail(begin, "the type of this value is not known"); return std::nullopt;
    }
}

std::optional<Value> JsonText::read_number(TypeId type) {
    const expr::Type& t = pool_.types()[type];
    std::size_t begin = at_;
    std::string_view wanted = t.kind == TypeKind::real ? "a number" : "an integer";
    bool number = at_ < text_.size() && (text_[at_] == '-' || (text_[at_] >= '0' && text_[at_] <= '9'));
    if (!number) fail_expecting(begin, wanted);
    if (!number || !skip_number()) return std::nullopt;
    std::string_view digits = text_.substr(begin, at_ - begin);
    if (t.kind == TypeKind::real) {
        double value = 0;
        auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc()) return Value(value);
        fail(begin, "the number is too large or too small");
        return std::nullopt;
    }
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (whole && (!t.low || value >= *t.low) && (!t.high || value <= *t.high)) return Value(value);
    if (whole)
        fail(begin, fmt::format("expected {}, found {}", pool_.types().print(type, pool_.names()), value));
    else
        fail_expecting(begin, error == std::errc() ? wanted : "an integer of at most 63 bits");
    return std::nullopt;
}

std::optional<Value> JsonText::read_text(TypeId type) {
    const expr::Type& t = pool_.types()[type];
    std::size_t begin = at_;
    std::string text;
    if (!string(&text)) return std::nullopt;
    if (t.kind == TypeKind::string) return Value(std::move(text));
    if (t.kind == TypeKind::enumeration) {
        if (auto member = expr::member_named(t, text, pool_.names())) return Value(*member);
        fail(begin, fmt::format("expected a member of {}, found `{}`",
                                pool_.types().print(type, pool_.names()), readable(text)));
        return std::nullopt;
    }
    if (auto bytes = base::from_hex(text)) return Value(expr::Bytes{std::move(*bytes)});
    fail(begin, "expected bytes as pairs of hexadecimal digits");
    return std::nullopt;
}

std::optional<Value> JsonText::read_list(TypeId type, unsigned depth) {
    TypeId element = pool_.types()[type].element;
    expr::Sequence list;
    if (!eat('[', "a list")) return std::nullopt;
    blanks();
    if (at_ < text_.size() && text_[at_] == ']') {
        ++at_;
        return Value(std::move(list));
    }
    for (;;) {
        auto item = read(element, depth + 1);
        if (!item) {
            inside(fmt::format("[{}]", list.items.size()));
            return std::nullopt;
        }
        list.items.push_back(std::move(*item));
        blanks();
        if (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            continue;
        }
        if (!eat(']', "a comma or the end of the list")) return std::nullopt;
        return Value(std::move(list));
    }
}

std::optional<Value> JsonText::read_set(TypeId type, unsigned depth) {
    std::size_t begin = at_;
    auto list = read_list(type, depth);
    if (!list) return std::nullopt;
    std::size_t count = list->items().size();
    expr::Sequence set = expr::set_of(std::get<expr::Sequence>(std::move(list->v)).items);
    if (set.items.size() == count) return Value(std::move(set));
    fail(begin, "an item occurs twice, which a set does not have");
    return std::nullopt;
}

// With texts as keys an object, else a list of pairs.
std::optional<Value> JsonText::read_map(TypeId type, unsigned depth) {
    std::size_t begin = at_;
    TypeId key = pool_.types().key_of(type), held = pool_.types().value_of(type);
    std::vector<Value> parts;  // a key, its value, and so on
    if (pool_.types().kind(key) == TypeKind::string) {
        std::vector<JsonMember> members;
        std::size_t after = 0;
        if (!members_here(members, after)) return std::nullopt;
        for (JsonMember& m : members) {
            at_ = m.begin;
            auto value = read(held, depth + 1);
            if (!value) {
                inside(m.key);
                return std::nullopt;
            }
            parts.emplace_back(std::move(m.key));
            parts.push_back(std::move(*value));
        }
        at_ = after;
    } else {
        auto pairs = read_list(type, depth);
        if (!pairs) return std::nullopt;
        for (Value& pair : std::get<expr::Sequence>(pairs->v).items)
            for (Value& part : std::get<expr::Sequence>(pair.v).items) parts.push_back(std::move(part));
    }
    std::size_t keys = parts.size() / 2;
    expr::Sequence map = expr::map_of(std::move(parts));
    if (map.items.size() == keys) return Value(std::move(map));
    fail(begin, "a key occurs twice");
    return std::nullopt;
}

// The entry of a map: [key, value].
std::optional<Value> JsonText::read_pair(TypeId type, unsigned depth) {
    expr::Sequence pair;
    if (!eat('[', "a key and its value in a list")) return std::nullopt;
    for (const expr::Field& part : std::vector(pool_.types()[type].fields)) {
        blanks();
        if (!pair.items.empty() && !eat(',', "a comma and the value of the key")) return std::nullopt;
        auto value = read(part.type, depth + 1);
        if (!value) return std::nullopt;
        pair.items.push_back(std::move(*value));
    }
    blanks();
    if (!eat(']', "the end of the pair")) return std::nullopt;
    return Value(std::move(pair));
}

// The members of the object that begins here, and where it ends.
bool JsonText::members_here(std::vector<JsonMember>& members, std::size_t& after) {
    JsonText inner(pool_, text_, limits_);
    inner.at_ = at_;
    inner.items_ = items_;
    if (!inner.object(members)) return fail(inner.fault_.at, inner.fault_.reason);
    after = inner.at_;
    items_ = inner.items_;
    return true;
}

std::optional<Value> JsonText::read_record(TypeId type, unsigned depth) {
    const std::vector<expr::Field> fields = pool_.types()[type].fields;
    std::size_t begin = at_;
    std::vector<JsonMember> members;
    std::size_t after = 0;
    if (!members_here(members, after)) return std::nullopt;
    expr::Sequence record;
    for (const expr::Field& f : fields) {
        const JsonMember* found = nullptr;
        for (const JsonMember& m : members)
            if (m.key == pool_.names().text(f.name)) found = &m;
        if (!found && pool_.types().kind(f.type) == TypeKind::optional) {
            record.items.push_back(expr::Sequence{});
            continue;
        }
        if (!found) {
            fail(begin, fmt::format("the object has no `{}` member", pool_.names().text(f.name)));
            return std::nullopt;
        }
        at_ = found->begin;
        auto value = read(f.type, depth + 1);
        if (!value) {
            inside(pool_.names().text(f.name));
            return std::nullopt;
        }
        record.items.push_back(std::move(*value));
    }
    for (const JsonMember& m : members) {
        bool declared = std::any_of(fields.begin(), fields.end(), [&](const expr::Field& f) {
            return m.key == pool_.names().text(f.name);
        });
        if (declared) continue;
        fail(m.key_at, fmt::format("the record has no field `{}`", readable(m.key)));
        return std::nullopt;
    }
    at_ = after;
    return Value(std::move(record));
}

bool append_json_string(std::string_view text, std::string& out) {
    if (!base::is_utf8(text)) return false;
    base::append_json_string(out, text);
    return true;
}

static bool append_json_list(const expr::Pool& pool, TypeId element, const Value& list, std::string& out) {
    out += '[';
    bool first = true;
    for (const Value& item : list.items()) {
        if (!first) out += ',';
        first = false;
        if (!append_json(pool, element, item, out)) return false;
    }
    out += ']';
    return true;
}

bool append_json(const expr::Pool& pool, TypeId type, const Value& value, std::string& out) {
    const expr::Type& t = pool.types()[type];
    switch (t.kind) {
        case TypeKind::string: return append_json_string(value.string(), out);
        case TypeKind::bytes:
            out += '"';
            base::append_hex(out, std::get<expr::Bytes>(value.v).data);
            out += '"';
            return true;
        case TypeKind::enumeration:
            out += '"';
            if (!append_text(pool, type, value, out)) return false;
            out += '"';
            return true;
        case TypeKind::real: {
            double number = value.real();
            if (!std::isfinite(number)) return false;
            char text[40];
            auto [end, error] = std::to_chars(text, text + sizeof text, number);
            out.append(text, end);
            return true;
        }
        case TypeKind::optional:
            if (value.items().empty())
                out += "null";
            else
                return append_json(pool, t.element, value.items()[0], out);
            return true;
        case TypeKind::map:
            if (pool.types().kind(pool.types().key_of(type)) != TypeKind::string)
                return append_json_list(pool, t.element, value, out);
            out += '{';
            for (const Value& entry : value.items()) {
                if (&entry != &value.items().front()) out += ',';
                if (!append_json_string(entry.items()[0].string(), out)) return false;
                out += ':';
                if (!append_json(pool, pool.types().value_of(type), entry.items()[1], out)) return false;
            }
            out += '}';
            return true;
        case TypeKind::set:
        case TypeKind::list: return append_json_list(pool, t.element, value, out);
        case TypeKind::record: {
            if (!t.name) {  // the entry of a map
                out += '[';
                if (!append_json(pool, t.fields[0].type, value.items()[0], out)) return false;
                out += ',';
                if (!append_json(pool, t.fields[1].type, value.items()[1], out)) return false;
                out += ']';
                return true;
            }
            out += '{';
            for (std::size_t i = 0; i < t.fields.size(); ++i) {
                if (i > 0) out += ',';
                append_json_string(pool.names().text(t.fields[i].name), out);
                out += ':';
                if (!append_json(pool, t.fields[i].type, value.items()[i], out)) return false;
            }
            out += '}';
            return true;
        }
        default: return append_text(pool, type, value, out);
    }
}

}  // namespace treaty::wire
