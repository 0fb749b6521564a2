// Help with writing: completion, signatures, formatting, quick fixes.
#include <fmt/format.h>

#include "api/format.h"
#include "api/quick_fixes.h"
#include "api/suggest.h"
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

Json action_json(const Request& request, const Json& diagnostic, const api::QuickFix& fix) {
    Json edits = Json::array();
    for (const api::TextEdit& edit : fix.edits)
        edits.push_back(edit_json(range_json(*request.text, edit.range.begin, edit.range.end), edit.text));
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
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    if (!request.path.ends_with(".treaty")) return nullptr;
    // Formatting reads the text into the sources of its workspace, which would keep every version of it.
    api::Workspace once([&](const std::string& path) { return request.workspace.read(path); });
    api::FormatAnswer answer = api::format(once, {{request.path}, false}, request.context);
    if (answer.files.empty() || !answer.files.front().changed) return Json::array();
    Json everything = range_json(*request.text, 0, request.text->all().size());
    return Json::array({edit_json(std::move(everything), answer.files.front().text)});
}

Json code_actions(Request& request) {
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    Json result = Json::array();
    for (const Json& diagnostic : request.params.at("context").at("diagnostics")) {
        auto code = diagnostic.find("code");
        if (code == diagnostic.end()) continue;
        const Json& range = diagnostic.at("range");
        auto offset = [&](const char* which) {
            return static_cast<std::uint32_t>(request.text->offset(to_position(range.at(which))));
        };
        api::QuickFixQuestion question{request.path, text_of(*code), {offset("start"), offset("end")}};
        for (const api::QuickFix& fix : api::quick_fixes(request.workspace, question))
            result.push_back(action_json(request, diagnostic, fix));
    }
    return result;
}

}  // namespace treaty::lsp
