// Where names are.
#include <algorithm>
#include <map>

#include "api/navigate.h"
#include "lsp/convert.h"
#include "lsp/features.h"
#include "lsp/uri.h"

namespace treaty::lsp {
namespace {

// Places of any file as locations; each text is prepared once.
class Locations {
public:
    explicit Locations(const Request& request) : request_(request) {
        if (request.text) texts_.emplace(request.path, *request.text);
    }

    Json range(const api::TextPlace& place) { return range_json(text(place.path), place.begin, place.end); }
    Json location(const api::TextPlace& place) {
        return {{"uri", uri_of(place.path)}, {"range", range(place)}};
    }

private:
    const Text& text(const std::string& path) {
        auto known = texts_.find(path);
        if (known == texts_.end()) {
            base::Result<std::string> read = request_.workspace.read(path);
            known = texts_.emplace(path, Text(read ? *read : std::string())).first;
        }
        return known->second;
    }

    const Request& request_;
    std::map<std::string, Text> texts_;
};

int symbol_kind(lang::SymbolKind kind) {
    // The protocol's numbers.
    constexpr int module = 2, name_space = 3, class_kind = 5, field = 8, enumeration = 10, interface = 11,
                  function = 12, variable = 13, constant = 14, object = 19, member = 22, structure = 23,
                  event = 24, type_parameter = 26;
    switch (kind) {
        case lang::SymbolKind::message:
        case lang::SymbolKind::signal: return event;
        case lang::SymbolKind::field: return field;
        case lang::SymbolKind::enumeration: return enumeration;
        case lang::SymbolKind::member: return member;
        case lang::SymbolKind::record: return structure;
        case lang::SymbolKind::alias: return type_parameter;
        case lang::SymbolKind::constant: return constant;
        case lang::SymbolKind::function: return function;
        case lang::SymbolKind::protocol: return class_kind;
        case lang::SymbolKind::role: return object;
        case lang::SymbolKind::wire: return interface;
        case lang::SymbolKind::property: return module;
        case lang::SymbolKind::loop: return name_space;
        case lang::SymbolKind::parameter:
        case lang::SymbolKind::variable: return variable;
    }
    return variable;
}

Json symbol_json(const api::OutlineSymbol& symbol, Locations& locations) {
    Json out{{"name", symbol.name},
             {"kind", symbol_kind(symbol.kind)},
             {"range", locations.range(symbol.whole)},
             {"selectionRange", locations.range(symbol.declared)}};
    if (!symbol.detail.empty()) out["detail"] = symbol.detail;
    for (const api::OutlineSymbol& part : symbol.parts)
        out["children"].push_back(symbol_json(part, locations));
    return out;
}

api::NameQuestion question_of(const Request& request) {
    return {request.path, offset_in(request), {request.open, request.folders}};
}

}  // namespace

Json document_symbols(Request& request) {
    Locations locations(request);
    Json result = Json::array();
    for (const api::OutlineSymbol& symbol : api::outline(request.workspace, request.path))
        result.push_back(symbol_json(symbol, locations));
    return result;
}

Json workspace_symbols(Request& request) {
    Locations locations(request);
    Json result = Json::array();
    std::string text = request.params.at("query").get<std::string>();
    for (const auto& symbol : api::find_symbols(request.workspace, {request.open, request.folders}, text))
        result.push_back({{"name", symbol.name},
                          {"kind", symbol_kind(symbol.kind)},
                          {"location", locations.location(symbol.declared)}});
    return result;
}

Json go_to_definition(Request& request) {
    auto place = api::definition(request.workspace, question_of(request));
    return place ? Locations(request).location(*place) : Json();
}

Json find_references(Request& request) {
    Locations locations(request);
    auto context = request.params.find("context");
    bool declarations = context == request.params.end() || context->value("includeDeclaration", true);
    Json result = Json::array();
    for (const api::Reference& one : api::references(request.workspace, question_of(request)))
        if (declarations || !one.declares) result.push_back(locations.location(one.place));
    return result;
}

Json highlights(Request& request) {
    constexpr int read = 2, write = 3;
    Locations locations(request);
    Json result = Json::array();
    for (const auto& one : api::references(request.workspace, {request.path, offset_in(request), {}}))
        if (one.place.path == request.path)
            result.push_back({{"range", locations.range(one.place)}, {"kind", one.declares ? write : read}});
    return result;
}

Json prepare_rename(Request& request) {
    auto place = api::renameable(request.workspace, question_of(request));
    if (!place) throw RequestError(request_failed, place.error());
    return Locations(request).range(*place);
}

Json rename_symbol(Request& request) {
    std::string name = request.params.at("newName").get<std::string>();
    auto places = api::rename(request.workspace, question_of(request), name);
    if (!places) throw RequestError(request_failed, places.error());
    Locations locations(request);
    Json changes = Json::object();
    for (const api::TextPlace& place : *places)
        changes[uri_of(place.path)].push_back(edit_json(locations.range(place), name));
    return {{"changes", std::move(changes)}};
}

Json document_links(Request& request) {
    Locations locations(request);
    Json result = Json::array();
    for (const api::ImportLink& link : api::links(request.workspace, request.path))
        result.push_back({{"range", locations.range(link.place)}, {"target", uri_of(link.target)}});
    return result;
}

}  // namespace treaty::lsp
