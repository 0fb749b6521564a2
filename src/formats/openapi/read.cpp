// From operations to a .treaty text, and from that to a specification.
//
// The protocol is one loop: the client calls any operation, the server answers with one of its responses. A
// response with links is followed by an optional call of a linked operation, with the values that the link
// names; what they are is kept by `let`.
#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json_schema/heading.h"
#include "formats/made_text.h"
#include "formats/openapi/openapi.h"
#include "formats/openapi/operations.h"

namespace treaty::formats {
namespace {

using openapi::Link;
using openapi::Message;
using openapi::Operation;
using openapi::OperationReader;
using openapi::Response;

class Writer {
public:
    Writer(const OperationReader& api, const json_schema::Values& values, base::Diagnostics& diagnostics,
           MadeText& out)
        : api_(api), values_(values), diagnostics_(diagnostics), out_(out) {}

    void write(const std::string& title, const std::string& name) {
        out_.comment(0, title);
        for (const std::string& declaration : values_.declarations()) out_.line(0, declaration);
        for (const Message& message : api_.messages) out_.line(0, message.declaration(), message.span);
        out_.line(0, "");
        out_.line(0, "// The document does not state an order: any operation can be called at any time.");
        out_.line(0, fmt::format("protocol {}(client, server) {{", name));
        out_.line(1, "repeat at client {");
        out_.choose(2, "client", api_.operations.size(),
                    [&](int indent, std::size_t i) { call(indent, api_.operations[i]); });
        out_.line(1, "}");
        out_.line(0, "}");
        out_.line(0, "");
        out_.line(0, fmt::format("wire {}Http over http {{", name));
        for (const Message& message : api_.messages) out_.line(1, message.layout_line(), message.span);
        out_.line(0, "}");
    }

private:
    void call(int indent, const Operation& operation) {
        out_.choose(indent, "client", operation.requests.size(), [&](int inner, std::size_t i) {
            const Message& request = api_.messages[operation.requests[i]];
            std::vector<std::string> kept;
            for (const Response& response : operation.responses)
                for (const Link& link : response.links) keep(link, "$request.", request, kept);
            out_.line(inner, fmt::format("client -> server: {}", binding(request, kept)), operation.span);
            out_.choose(inner, "server", operation.responses.size(),
                        [&](int deeper, std::size_t r) { answer(deeper, operation.responses[r], &request); });
        });
    }

    // `request`: null after a linked call, which is not followed by further ones.
    void answer(int indent, const Response& response, const Message* request) {
        const Message& message = api_.messages[response.message];
        std::vector<std::string> kept;
        std::vector<const Link*> links;
        if (request)
            for (const Link& link : response.links)
                if (find(link)) {
                    keep(link, "$response.", message, kept);
                    links.push_back(&link);
                }
        out_.line(indent, fmt::format("server -> client: {}", binding(message, kept)), message.span);
        if (links.empty()) return;
        out_.line(indent, "optional at client {", links.front()->span);
        out_.choose(indent + 1, "client", links.size(),
                    [&](int inner, std::size_t i) { follow(inner, *links[i], *request, message); });
        out_.line(indent, "}");
    }

    void follow(int indent, const Link& link, const Message& request, const Message& response) {
        const Operation& operation = *find(link);
        const Message& next = api_.messages[operation.requests.front()];
        std::vector<std::string> arguments(next.fields.size(), "_");
        bool any = false;
        for (const auto& [parameter, value] : link.parameters) {
            auto field = field_of(parameter, next);
            auto from = value.starts_with("$request.") ? source(value, "$request.", request)
                                                       : source(value, "$response.", response);
            if (!field || !from) {
                diagnostics_.report(
                    codes::document_left_out, link.span,
                    fmt::format("the link's parameter `{}: {}` is left out", parameter, value));
                continue;
            }
            arguments[*field] = fmt::format("{}_{}", value.starts_with("$request.") ? "asked" : "got", *from);
            any = true;
        }
        out_.line(indent, fmt::format("client -> server: {}", any ? next.with(arguments) : next.name),
                  link.span);
        out_.choose(indent, "server", operation.responses.size(),
                    [&](int deeper, std::size_t r) { answer(deeper, operation.responses[r], nullptr); });
    }

    const Operation* find(const Link& link) {
        for (const Operation& operation : api_.operations)
            if (operation.id == link.operation) return &operation;
        if (std::find(unknown_.begin(), unknown_.end(), &link) == unknown_.end()) {
            unknown_.push_back(&link);
            diagnostics_.report(
                codes::document_left_out, link.span,
                fmt::format("the link is left out: no operation is called `{}`", link.operation));
        }
        return nullptr;
    }

    static std::optional<std::string> source(std::string_view value, std::string_view prefix,
                                             const Message& message) {
        if (!value.starts_with(prefix)) return std::nullopt;
        auto found = message.sources.find(std::string(value.substr(prefix.size())));
        return found == message.sources.end() ? std::nullopt : std::optional(found->second);
    }

    // The parameter of a link, "id" or "path.id", as a field.
    static std::optional<std::size_t> field_of(const std::string& parameter, const Message& message) {
        for (std::string_view in : {"", "path.", "query.", "header."}) {
            auto found = message.sources.find(std::string(in) + parameter);
            if (found == message.sources.end()) continue;
            auto field = std::find(message.fields.begin(), message.fields.end(), found->second);
            return static_cast<std::size_t>(field - message.fields.begin());
        }
        return std::nullopt;
    }

    static void keep(const Link& link, std::string_view prefix, const Message& message,
                     std::vector<std::string>& into) {
        for (const auto& [parameter, value] : link.parameters)
            if (auto field = source(value, prefix, message)) into.push_back(*field);
    }

    // The message with `let` for the fields that are needed later.
    std::string binding(const Message& message, const std::vector<std::string>& kept) const {
        if (kept.empty()) return message.name;
        bool request = message.layout.find('"') != std::string::npos && message.layout[0] >= 'A' &&
                       message.layout[0] <= 'Z';
        std::vector<std::string> arguments;
        for (const std::string& field : message.fields)
            arguments.push_back(std::find(kept.begin(), kept.end(), field) == kept.end()
                                    ? "_"
                                    : fmt::format("let {}_{}", request ? "asked" : "got", field));
        return message.with(arguments);
    }

    const OperationReader& api_;
    const json_schema::Values& values_;
    base::Diagnostics& diagnostics_;
    MadeText& out_;
    std::vector<const Link*> unknown_;
};

}  // namespace

bool is_openapi(std::string_view text) {
    return has_outer_key(text, "openapi");
}

Loaded load_openapi(const Loading& loading) {
    base::Diagnostics& diagnostics = loading.diagnostics;
    std::optional<YamlNode> root = read_yaml(loading.sources, loading.file, diagnostics);
    if (!root) return {};
    base::Span start{loading.file, 0, 0};
    std::string_view version = root->text_of("openapi");
    if (!version.starts_with("3.0") && !version.starts_with("3.1")) {
        diagnostics.report(codes::document_structure,
                           root->find("openapi") ? root->find("openapi")->span : start,
                           fmt::format("OpenAPI `{}` is not read; 3.0 and 3.1 are", version));
        return {};
    }
    std::size_t errors = diagnostics.errors();
    json_schema::References references(loading, *root);
    json_schema::Values values(diagnostics);
    json_schema::FreeNames message_names;
    OperationReader api(*root, references, diagnostics, values, message_names);
    api.read();
    if (api.too_many()) diagnostics.report(codes::yaml_too_large, start, "the schemas expand to too much");
    if (diagnostics.errors() == errors && api.operations.empty())
        diagnostics.report(codes::document_structure, start, "the document has no operation");
    if (diagnostics.errors() > errors) return {};

    json_schema::Heading heading = json_schema::heading_of(*root, loading);
    MadeText text(start);
    Writer(api, values, diagnostics, text).write(heading.title, heading.protocol);
    diagnostics.report(
        codes::document_not_stated, root->find("paths")->span,
        "the document does not state an order; assuming that any operation can be called at any time");

    return text.read(loading);
}

}  // namespace treaty::formats
