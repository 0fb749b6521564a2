#include "api/input/wires.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "formats/load.h"
#include "wire/ambiguity.h"
#include "wire/codes.h"
#include "wire/shapes.h"

namespace treaty::api {
namespace {

std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
    std::string all;
    for (std::string_view k : known) all += fmt::format("{}{}", all.empty() ? "" : ", ", k);
    std::string_view meant = name.size() > 1 ? base::nearest(name, known) : std::string_view();
    return meant.empty() ? "there are: " + all : fmt::format("did you mean {}?", meant);
}

}  // namespace

std::optional<model::Specification> load_specification(const Inquiry& inquiry, const std::string& path) {
    formats::Loaded loaded = load(inquiry, path);
    if (!loaded) return std::nullopt;
    if (auto* specification = std::get_if<model::Specification>(&loaded.model))
        return std::move(*specification);
    inquiry.report(codes::wrong_content,
                   fmt::format("{} contains {}, not messages and wires", path, formats::describe(loaded)));
    return std::nullopt;
}

const wire::Wire* choose_wire(const Inquiry& inquiry, const model::Specification& specification,
                              const std::string& name) {
    if (const wire::Wire* found = specification.find_wire(name)) return found;
    if (specification.wires.empty()) {
        inquiry.report(wire::codes::no_such_wire, "the file declares no wire");
        return nullptr;
    }
    std::vector<std::string_view> known;
    for (const wire::Wire& w : specification.wires) known.push_back(specification.names->text(w.name));
    inquiry.report(wire::codes::no_such_wire, fmt::format("unknown wire {}", name))
        .help(suggestion(name, known));
    return nullptr;
}

std::optional<model::MessageId> choose_message(const Inquiry& inquiry,
                                               const model::Specification& specification,
                                               const std::string& name) {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < specification.alphabet->message_count(); ++i) {
        known.push_back(specification.alphabet->name(model::MessageId(i)));
        if (known.back() == name) return model::MessageId(i);
    }
    auto& report = inquiry.report(wire::codes::no_such_message, fmt::format("unknown message {}", name));
    if (!known.empty()) report.help(suggestion(name, known));
    return std::nullopt;
}

std::vector<FieldValue> field_values(const model::Specification& s, model::MessageId message,
                                     std::span<const expr::Value> values) {
    std::vector<FieldValue> result;
    const auto& fields = s.message(message).fields;
    for (std::size_t i = 0; i < values.size(); ++i)
        result.push_back({std::string(s.names->text(fields[i].name)),
                          expr::datum_of(values[i], fields[i].type, *s.types, *s.names),
                          expr::print(values[i], fields[i].type, *s.types, *s.names)});
    return result;
}

namespace {

// By message: from whom to whom the protocols send it, by the names of the roles.
std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> ways_of(const model::Specification& s) {
    std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> ways(s.alphabet->message_count());
    for (const model::Protocol& p : s.protocols)
        for (std::size_t i = 0; i < p.size(); ++i) {
            const model::Node& node = p[model::NodeId(i)];
            if (node.kind == model::NodeKind::interaction && node.message.index < ways.size())
                ways[node.message.index].emplace(node.role.index, node.to.index);
        }
    return ways;
}

}  // namespace

void report_overlaps(const Inquiry& inquiry, const model::Specification& s, const wire::Codec& codec,
                     bool same_way) {
    auto ways = ways_of(s);
    auto apart = [&](wire::MessageIndex a, wire::MessageIndex b) {
        if (ways[a].empty() || ways[b].empty()) return false;
        return std::none_of(ways[a].begin(), ways[a].end(),
                            [&](const auto& way) { return ways[b].contains(way); });
    };
    auto rules = wire::message_rules(s);
    for (const wire::Overlap& o : wire::overlaps(*s.pool, codec, rules, inquiry.context.deadline)) {
        // A special layout before a general one is how exceptions are written.
        if (o.first_is_special || (same_way && apart(o.first, o.second))) continue;
        auto span = [&](wire::MessageIndex message) {
            for (const wire::Layout& l : codec.wire().layouts)
                if (l.message.index == message) return l.span;
            return message < s.messages.size() && s.messages[message].span.valid() ? s.messages[message].span
                                                                                   : codec.wire().span;
        };
        auto name = [&](wire::MessageIndex message) { return s.alphabet->name(model::MessageId(message)); };
        inquiry.diagnostics()
            .report(wire::codes::ambiguous_bytes, span(o.first),
                    fmt::format("{} can be read as `{}` and as `{}`", base::quoted_bytes(o.example),
                                name(o.first), name(o.second)))
            .label(span(o.second), codec.wire().layouts.empty() ? "this message looks the same"
                                                                : "this layout also matches it");
    }
}

}  // namespace treaty::api
