// Help with reading: hover, folding, selection, colours, hints.
#include <fmt/format.h>

#include "api/editor/explain.h"
#include "api/editor/role_view.h"
#include "api/editor/text_structure.h"
#include "lsp/convert.h"
#include "lsp/features.h"
#include "report/machine_text.h"

namespace treaty::lsp {
namespace {

// What a role has to do from here on; empty if the protocol cannot be projected, or the part is too long to
// read here.
std::string part_of(const Request& request, const api::Explanation& role, std::uint32_t offset) {
    constexpr std::size_t most_states = 40;
    api::RoleView view =
        api::role_view(request.workspace, {request.path, role.protocol, role.name, offset}, request.context);
    if (!view.machine || view.machine->state_count() > most_states) return {};
    return fmt::format("\n{}:\n```text\n{}```\n", view.from_here ? "from here on" : "its part",
                       report::to_text(*view.machine, {}));
}

Json range_of(const Request& request, api::TextRange range) {
    return range_json(*request.text, range.begin, range.end);
}

std::string_view token_type(api::WordKind kind) {
    switch (kind) {
        case api::WordKind::keyword: return "keyword";
        case api::WordKind::string: return "string";
        case api::WordKind::number: return "number";
        case api::WordKind::comment: return "comment";
        case api::WordKind::operation: return "operator";
        case api::WordKind::message: return "event";
        case api::WordKind::role: return "class";
        case api::WordKind::protocol: return "namespace";
        case api::WordKind::value: return "variable";
        case api::WordKind::parameter: return "parameter";
        case api::WordKind::field: return "property";
        case api::WordKind::type: return "type";
        case api::WordKind::member: return "enumMember";
        case api::WordKind::function: return "function";
    }
    return "variable";
}

void must_be_open(const Request& request) {
    if (!request.text) throw RequestError(request_failed, "the document is not open");
}

}  // namespace

Json hover(Request& request) {
    auto found = api::explain(request.workspace, request.path, offset_in(request));
    if (!found) return nullptr;
    std::string text = fmt::format("```treaty\n{}\n```\n", found->declaration);
    for (const std::string& fact : found->facts) text += fmt::format("\n- {}", fact);
    if (!found->protocol.empty()) text += part_of(request, *found, offset_in(request));
    return {{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}},
            {"range", range_of(request, {found->place.begin, found->place.end})}};
}

Json folding_ranges(Request& request) {
    must_be_open(request);
    Json result = Json::array();
    for (const api::FoldingRange& one : api::foldings(request.workspace, request.path)) {
        Position begin = request.text->position(one.range.begin), end = request.text->position(one.range.end);
        // The line with the closing brace stays.
        std::uint32_t last = one.comment || end.line == begin.line ? end.line : end.line - 1;
        if (last <= begin.line) continue;
        Json entry{{"startLine", begin.line}, {"endLine", last}};
        if (one.comment) entry["kind"] = "comment";
        result.push_back(std::move(entry));
    }
    return result;
}

Json selection_ranges(Request& request) {
    must_be_open(request);
    Json result = Json::array();
    for (const Json& position : request.params.at("positions")) {
        auto offset = static_cast<std::uint32_t>(request.text->offset(to_position(position)));
        std::vector<api::TextRange> ranges = api::selection(request.workspace, request.path, offset);
        Json outer;
        for (std::size_t i = ranges.size(); i > 0; --i) {
            Json inner{{"range", range_of(request, ranges[i - 1])}};
            if (!outer.is_null()) inner["parent"] = std::move(outer);
            outer = std::move(inner);
            // More levels are never needed, and nesting must have a limit.
            if (ranges.size() - i > 40) break;
        }
        result.push_back(outer.is_null() ? Json{{"range", range_of(request, {offset, offset})}} : outer);
    }
    return result;
}

Json semantic_token_legend() {
    Json types = Json::array();
    for (std::size_t i = 0; i < api::word_kinds; ++i)
        types.push_back(token_type(static_cast<api::WordKind>(i)));
    return {{"tokenTypes", std::move(types)}, {"tokenModifiers", {"declaration"}}};
}

Json semantic_tokens(Request& request) {
    must_be_open(request);
    Json data = Json::array();
    Position before;
    for (const api::ClassifiedWord& word : api::classify(request.workspace, request.path)) {
        Position begin = request.text->position(word.range.begin),
                 end = request.text->position(word.range.end);
        if (begin.line != end.line) continue;
        bool same_line = begin.line == before.line;
        data.push_back(begin.line - before.line);
        data.push_back(same_line ? begin.character - before.character : begin.character);
        data.push_back(end.character - begin.character);
        data.push_back(static_cast<int>(word.kind));
        data.push_back(word.declares ? 1 : 0);
        before = begin;
    }
    return {{"data", std::move(data)}};
}

Json inlay_hints(Request& request) {
    constexpr int type = 1, parameter = 2;
    must_be_open(request);
    const Json& range = request.params.at("range");
    std::size_t begin = request.text->offset(to_position(range.at("start")));
    std::size_t end = request.text->offset(to_position(range.at("end")));
    Json result = Json::array();
    for (const api::Hint& hint : api::hints(request.workspace, request.path))
        if (begin <= hint.offset && hint.offset <= end)
            result.push_back({{"position", to_json(request.text->position(hint.offset))},
                              {"label", hint.text},
                              {"kind", hint.type ? type : parameter},
                              {"paddingLeft", !hint.type}});
    return result;
}

}  // namespace treaty::lsp
