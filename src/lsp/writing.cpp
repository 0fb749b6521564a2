// Help with writing: completion, signatures, formatting, quick fixes.
#include <fmt/format.h>

#include "api/editor/format_edits.h"
#include "api/editor/quick_fixes.h"
#include "api/editor/suggest.h"
#include "lsp/convert.h"
#include "lsp/features.h"

namespace treaty::lsp {
namespace {

int completion_kind(api::SuggestionKind kind) {
    // The protocol's numbers.
    constexpr int function = 3, field = 5, variable = 6, class_kind = 7, module = 9, keyword = 14, file = 17,
                  reference = 18, member = 20, structure = 22, event = 23;
    switch (kind) {
        case api::SuggestionKind::role: return class_kind;
        case api::SuggestionKind::message: return event;
        case api::SuggestionKind::field: return field;
        case api::SuggestionKind::value: return variable;
        case api::SuggestionKind::member: return member;
        case api::SuggestionKind::function: return function;
        case api::SuggestionKind::type: return structure;
        case api::SuggestionKind::protocol: return module;
        case api::SuggestionKind::label: return reference;
        case api::SuggestionKind::word: return keyword;
        case api::SuggestionKind::file: return file;
    }
    return keyword;
}

std::string text_of(const Json& code) {
    return code.is_string() ? code.get<std::string>() : std::string();
}

std::uint32_t offset_of(const Request& request, const Json& position) {
    return static_cast<std::uint32_t>(request.text->offset(to_position(position)));
}

Json edits_json(const Request& request, const std::vector<api::TextEdit>& edits) {
    Json result = Json::array();
    for (const api::TextEdit& edit : edits)
        result.push_back(edit_json(range_json(*request.text, edit.range.begin, edit.range.end), edit.text));
    return result;
}

// The edits are of the text as it is now; the request is cancelled if it changes meanwhile.
Json format_json(const Request& request, std::optional<api::TextRange> range) {
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    return edits_json(request, api::format_edits(request.workspace, request.path, range));
}

Json action_json(const Request& request, const Json& diagnostic, const api::QuickFix& fix) {
    Json edits = edits_json(request, fix.edits);
    std::string uri = request.params.at("textDocument").at("uri").get<std::string>();
    return {{"title", fix.title},
            {"kind", "quickfix"},
            {"diagnostics", Json::array({diagnostic})},
            {"isPreferred", fix.preferred},
            {"edit", {{"changes", {{uri, std::move(edits)}}}}}};
}

}  // namespace

Json completion(Request& request) {
    api::SuggestAnswer answer = api::suggest(request.workspace, request.path, offset_in(request));
    Json range = range_json(*request.text, answer.replaced.begin, answer.replaced.end);
    Json items = Json::array();
    for (const api::Suggestion& one : answer.suggestions) {
        // In the order given, which an editor would else replace by that of the alphabet.
        Json item{{"label", one.text},
                  {"kind", completion_kind(one.kind)},
                  {"sortText", fmt::format("{:04}", items.size())},
                  {"textEdit", edit_json(range, one.text)}};
        if (!one.detail.empty()) item["detail"] = one.detail;
        items.push_back(std::move(item));
    }
    return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json signature_help(Request& request) {
    auto found = api::signature(request.workspace, request.path, offset_in(request));
    if (!found) return nullptr;
    Json parameters = Json::array();
    for (const std::string& parameter : found->parameters) parameters.push_back({{"label", parameter}});
    return {{"signatures", Json::array({{{"label", found->label}, {"parameters", std::move(parameters)}}})},
            {"activeSignature", 0},
            {"activeParameter", found->active}};
}

Json formatting(Request& request) {
    return format_json(request, std::nullopt);
}

Json range_formatting(Request& request) {
    const Json& range = request.params.at("range");
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    return format_json(
        request, api::TextRange{offset_of(request, range.at("start")), offset_of(request, range.at("end"))});
}

Json code_actions(Request& request) {
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    Json result = Json::array();
    for (const Json& diagnostic : request.params.at("context").at("diagnostics")) {
        const Json& range = diagnostic.at("range");
        api::QuickFixQuestion question{
            request.path,
            diagnostic.contains("code") ? text_of(diagnostic["code"]) : std::string(),
            {offset_of(request, range.at("start")), offset_of(request, range.at("end"))},
            diagnostic.contains("message") ? text_of(diagnostic["message"]) : std::string()};
        for (const api::QuickFix& fix : api::quick_fixes(request.workspace, question, request.context))
            result.push_back(action_json(request, diagnostic, fix));
    }
    return result;
}

}  // namespace treaty::lsp
