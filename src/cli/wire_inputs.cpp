#include "cli/wire_inputs.h"

#include <fmt/format.h>
#include <charconv>

#include "base/suggest.h"
#include "cli/codes.h"
#include "cli/inputs.h"
#include "cli/value_json.h"
#include "formats/load.h"
#include "model/wire_shapes.h"
#include "wire/ambiguity.h"
#include "wire/codes.h"

namespace treaty::cli {
namespace {

std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
    std::string all;
    for (std::string_view k : known) all += fmt::format("{}{}", all.empty() ? "" : ", ", k);
    std::string_view meant = name.size() > 1 ? base::nearest(name, known) : std::string_view();
    return meant.empty() ? "there are: " + all : fmt::format("did you mean {}?", meant);
}

}  // namespace

std::optional<model::Specification> load_specification(Session& session, const std::string& path) {
    Loaded loaded = load(session, path);
    if (!loaded) return std::nullopt;
    if (auto* specification = std::get_if<model::Specification>(&loaded.model))
        return std::move(*specification);
    session.report(codes::wrong_content,
                   fmt::format("{} holds {}, not messages and wires", path, formats::describe(loaded)));
    return std::nullopt;
}

const wire::Wire* choose_wire(Session& session, const model::Specification& specification,
                              const std::string& name) {
    if (const wire::Wire* found = model::find_wire(specification, name)) return found;
    if (specification.wires.empty()) {
        session.report(wire::codes::no_such_wire, "the file declares no wire");
        return nullptr;
    }
    std::vector<std::string_view> known;
    for (const wire::Wire& w : specification.wires) known.push_back(specification.names->text(w.name));
    session.report(wire::codes::no_such_wire, fmt::format("there is no wire {}", name))
        .help(suggestion(name, known));
    return nullptr;
}

std::optional<model::MessageId> choose_message(Session& session, const model::Specification& specification,
                                               const std::string& name) {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < specification.alphabet->message_count(); ++i) {
        known.push_back(specification.alphabet->name(model::MessageId(i)));
        if (known.back() == name) return model::MessageId(i);
    }
    auto& report = session.report(wire::codes::no_such_message, fmt::format("there is no message {}", name));
    if (!known.empty()) report.help(suggestion(name, known));
    return std::nullopt;
}

void report_overlaps(Session& session, const model::Specification& s, const wire::Codec& codec) {
    auto rules = model::wire_rules(s);
    for (const wire::Overlap& o : wire::overlaps(*s.pool, codec, rules)) {
        // A special layout before a general one is how exceptions are written.
        if (o.first_is_special) continue;
        auto span = [&](wire::MessageIndex message) {
            for (const wire::Layout& l : codec.wire().layouts)
                if (l.message == message) return l.span;
            return message < s.messages.size() && s.messages[message].span.valid() ? s.messages[message].span
                                                                                   : codec.wire().span;
        };
        auto name = [&](wire::MessageIndex message) { return s.alphabet->name(model::MessageId(message)); };
        session.diagnostics
            .report(wire::codes::ambiguous_bytes, span(o.first),
                    fmt::format("{} can be read as `{}` and as `{}`", quoted_bytes(o.example), name(o.first),
                                name(o.second)))
            .label(span(o.second), codec.wire().layouts.empty() ? "this message looks the same"
                                                                : "this layout matches it, too");
    }
}

report::Json to_json(const model::Specification& s, expr::TypeId type, const expr::Value& value) {
    return json_of(value, type, *s.types, *s.names);
}

std::string quoted_bytes(std::string_view bytes) {
    std::string out = "\"";
    for (char c : bytes) {
        auto b = static_cast<unsigned char>(c);
        if (c == '\r')
            out += "\\r";
        else if (c == '\n')
            out += "\\n";
        else if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (b >= 0x20 && b < 0x7f)
            out += c;
        else
            out += fmt::format("\\x{:02x}", b);
    }
    return out + '"';
}

std::string hexadecimal(std::string_view bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (char c : bytes) {
        auto b = static_cast<unsigned char>(c);
        out += {digits[b >> 4], digits[b & 15]};
    }
    return out;
}

std::optional<std::string> from_hexadecimal(std::string_view digits) {
    std::string out;
    if (digits.size() % 2 != 0) return std::nullopt;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned value = 0;
        auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        if (error != std::errc() || end != digits.data() + i + 2) return std::nullopt;
        out += static_cast<char>(value);
    }
    return out;
}

}  // namespace treaty::cli
