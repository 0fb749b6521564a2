// What a client can ask for: the methods, and which function answers each.
#include "lsp/features.h"

#include <map>

#include "lsp/convert.h"

namespace treaty::lsp {
namespace {

const std::map<std::string, Handler>& handlers() {
    static const std::map<std::string, Handler> all{
        {"textDocument/documentSymbol", document_symbols},
        {"workspace/symbol", workspace_symbols},
        {"textDocument/definition", go_to_definition},
        {"textDocument/references", find_references},
        {"textDocument/documentHighlight", highlights},
        {"textDocument/prepareRename", prepare_rename},
        {"textDocument/rename", rename_symbol},
        {"textDocument/documentLink", document_links},
        {"textDocument/completion", completion},
        {"textDocument/signatureHelp", signature_help},
        {"textDocument/formatting", formatting},
        {"textDocument/rangeFormatting", range_formatting},
        {"textDocument/codeAction", code_actions},
        {"textDocument/hover", hover},
        {"textDocument/foldingRange", folding_ranges},
        {"textDocument/selectionRange", selection_ranges},
        {"textDocument/semanticTokens/full", semantic_tokens},
        {"textDocument/inlayHint", inlay_hints},
        {"textDocument/codeLens", code_lenses},
        {"workspace/executeCommand", execute_command},
    };
    return all;
}

}  // namespace

const Handler* find_handler(const std::string& method) {
    auto found = handlers().find(method);
    return found == handlers().end() ? nullptr : &found->second;
}

std::uint32_t offset_in(const Request& request) {
    if (!request.text) throw RequestError(request_failed, "the document is not open");
    return static_cast<std::uint32_t>(request.text->offset(to_position(request.params.at("position"))));
}

Json capabilities() {
    constexpr int incremental = 2;
    return {
        {"positionEncoding", "utf-16"},
        {"textDocumentSync",
         {{"openClose", true}, {"change", incremental}, {"save", {{"includeText", false}}}}},
        {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
        {"documentSymbolProvider", true},
        {"workspaceSymbolProvider", true},
        {"definitionProvider", true},
        {"referencesProvider", true},
        {"documentHighlightProvider", true},
        {"renameProvider", {{"prepareProvider", true}}},
        {"documentLinkProvider", Json::object()},
        {"completionProvider", {{"triggerCharacters", {">", ":", "(", ",", "\"", " ", "."}}}},
        {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
        {"documentFormattingProvider", true},
        {"documentRangeFormattingProvider", true},
        {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
        {"hoverProvider", true},
        {"foldingRangeProvider", true},
        {"selectionRangeProvider", true},
        {"semanticTokensProvider", {{"legend", semantic_token_legend()}, {"full", true}}},
        {"inlayHintProvider", true},
        {"codeLensProvider", Json::object()},
        {"executeCommandProvider", {{"commands", command_names()}}},
    };
}

}  // namespace treaty::lsp
