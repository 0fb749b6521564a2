#include "formats/proto/text.h"

#include <fmt/format.h>

#include "formats/names.h"

namespace treaty::formats::proto {
namespace {

constexpr std::size_t one_line = 80;  // characters of the fields of a message

// The integers that a kind has room for; empty for others.
std::string_view range_of(std::string_view kind) {
    if (kind == "int32" || kind == "sint32" || kind == "sfixed32") return "int in -2147483648..2147483647";
    if (kind == "uint32" || kind == "fixed32") return "int in 0..4294967295";
    if (kind == "int64" || kind == "sint64" || kind == "sfixed64") return "int";
    if (kind == "uint64" || kind == "fixed64") return "int in 0..9223372036854775807";
    return {};
}

}  // namespace

const std::vector<std::string>& Text::fields(const Message& message) {
    auto [known, fresh] = fields_.try_emplace(&message);
    if (!fresh) return known->second;
    json_schema::FreeNames free;
    for (const Field& f : message.fields) known->second.push_back(free.take(json_schema::name_near(f.name)));
    return known->second;
}

const std::string& Text::enumeration(const Enumeration& e) {
    auto [known, fresh] = enumerations_.try_emplace(&e);
    if (!fresh) return known->second;
    known->second = names_.take(protocol_name(e.name));
    std::vector<std::string>& members = members_[&e];
    for (const auto& [name, number] : e.members) members.push_back(names_.take(identifier_of(name)));
    out_.line(0, fmt::format("enum {} {{ {} }}", known->second, fmt::join(members, ", ")));
    return known->second;
}

const std::string& Text::record(const Message& message) {
    auto [known, fresh] = records_.try_emplace(&message);
    if (!fresh) return known->second;
    declare_types(message);
    std::string name = names_.take(protocol_name(message.name));
    notes(message);
    out_.line(0, fmt::format("record {} {{ {} }}", name, declaration(message)), message.span);
    return known->second = std::move(name);
}

void Text::declare_types(const Message& message) {
    for (const Field& f : message.fields) {
        if (f.message) record(*f.message);
        if (f.enumeration) enumeration(*f.enumeration);
    }
}

std::string Text::value_type(const Field& f) {
    if (f.message) return record(*f.message);
    if (f.enumeration) return enumeration(*f.enumeration);
    if (std::string_view range = range_of(f.kind); !range.empty()) return std::string(range);
    return f.kind == "float" || f.kind == "double" ? "real" : f.kind;
}

std::string Text::type(const Field& f) {
    std::string value = value_type(f);
    switch (f.presence) {
        case Field::Presence::optional: return fmt::format("optional<{}>", value);
        case Field::Presence::repeated: return fmt::format("list<{}>", value);
        case Field::Presence::map: {
            std::string_view range = range_of(f.key);
            return fmt::format("map<{}, {}>", range.empty() ? std::string_view(f.key) : range, value);
        }
        default: return value;
    }
}

std::string Text::declaration(const Message& message) {
    const std::vector<std::string>& names = fields(message);
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", names[i], type(message.fields[i]));
    return out;
}

// What the types do not show.
void Text::notes(const Message& message) {
    const std::vector<std::string>& names = fields(message);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Field& f = message.fields[i];
        bool unsigned64 =
            f.kind == "uint64" || f.kind == "fixed64" || f.key == "uint64" || f.key == "fixed64";
        if (unsigned64)
            out_.comment(
                0, fmt::format("{} is {}; numbers from 2^63 on cannot be expressed here", names[i], f.kind));
        if (!f.default_value.empty())
            out_.comment(0, fmt::format("{} without a value means {}", names[i], f.default_value));
    }
}

void Text::declare(const Part& part) {
    if (part.message) notes(*part.message);
    std::string data = part.message ? declaration(*part.message) : "";
    out_.line(0, data.empty() ? "message " + part.name : fmt::format("message {}({})", part.name, data),
              part.span);
}

// One field, or all those of a oneof where the first of them is.
std::string Text::member(const Message& message, std::size_t i) {
    const Field& f = message.fields[i];
    const std::string& name = fields(message)[i];
    std::string out =
        fmt::format("{}: {}{}", f.number, f.presence == Field::Presence::required ? "required " : "",
                    f.expanded ? "expanded " : "");
    if (f.enumeration && f.enumeration->closed) out += "closed ";
    out += f.presence == Field::Presence::map ? fmt::format("map<{}, {}> {}", f.key, f.kind, name)
                                              : fmt::format("{} {}", f.kind, name);
    if (f.message) return fmt::format("{} {{ {} }}", out, fmt::join(members(*f.message), ", "));
    if (!f.enumeration) return out;
    const std::vector<std::string>& known = members_.at(f.enumeration);
    for (std::size_t m = 0; m < known.size(); ++m)
        out += fmt::format("{}{} = {}", m == 0 ? " { " : ", ", known[m], f.enumeration->members[m].second);
    return out + " }";
}

// The fields without their braces. Any others are skipped, as in protobuf.
std::vector<std::string> Text::members(const Message& message) {
    std::vector<std::string> out;
    std::vector<bool> written(message.fields.size());
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
        if (written[i]) continue;
        int oneof = message.fields[i].oneof;
        if (oneof == Field::no_oneof) {
            out.push_back(member(message, i));
            continue;
        }
        std::vector<std::string> fields;
        for (std::size_t k = i; k < message.fields.size(); ++k) {
            if (message.fields[k].oneof != oneof) continue;
            written[k] = true;
            fields.push_back(member(message, k));
        }
        out.push_back(fmt::format("oneof {{ {} }}", fmt::join(fields, ", ")));
    }
    out.push_back("...");
    return out;
}

void Text::layout(int indent, const Part& part) {
    std::string head = part.name;
    if (part.message && !part.message->fields.empty())
        head += fmt::format("({})", fmt::join(fields(*part.message), ", "));
    out_.line(indent, head + " = {", part.span);
    if (!part.frame.empty()) out_.line(indent + 1, part.frame);
    out_.line(indent + 1, part.frame.empty() ? "block varint {" : "block 32 {");
    std::vector<std::string> all = part.message ? members(*part.message) : std::vector<std::string>{"..."};
    std::string joined = fmt::format("{}", fmt::join(all, ", "));
    if (joined.size() <= one_line) {
        out_.line(indent + 2, fmt::format("protobuf {{ {} }}", joined));
    } else {
        out_.line(indent + 2, "protobuf {");
        for (std::size_t i = 0; i < all.size(); ++i)
            out_.line(indent + 3, all[i] + (i + 1 < all.size() ? "," : ""));
        out_.line(indent + 2, "}");
    }
    out_.line(indent + 1, "}");
    out_.line(indent, "}");
}

}  // namespace treaty::formats::proto
