// From operations to a .treaty text, and from that to a specification.
//
// The protocol is one loop: the client calls any operation, the server answers with one of its responses. A
// response with links is followed by an optional call of a linked operation, with the values that the link
// names; what they are is kept by `let`.
#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/names.h"
#include "formats/openapi/openapi.h"
#include "formats/openapi/operations.h"
#include "lang/parser.h"
#include "lang/resolve.h"

namespace treaty::formats {
namespace {

using openapi::Link;
using openapi::Message;
using openapi::Operation;
using openapi::OperationReader;
using openapi::Response;

// Lines of a text, each with the place in the document that it is made from.
class Text {
public:
    explicit Text(base::Span start) : start_(start) {}

    void line(int indent, std::string_view text, base::Span span = {}) {
        text_ += fmt::format("{:{}}{}\n", "", text.empty() ? 0 : 2 * indent, text);
        spans_.push_back(span.valid() ? span : start_);
    }
    const std::string& text() const { return text_; }
    base::Span span_of(std::size_t line) const { return line < spans_.size() ? spans_[line] : start_; }

private:
    base::Span start_;
    std::string text_;
    std::vector<base::Span> spans_;
};

class Writer {
public:
    Writer(const OperationReader& api, base::Diagnostics& diagnostics, Text& out)
        : api_(api), diagnostics_(diagnostics), out_(out) {}

    void write(const std::string& title, const std::string& name) {
        out_.line(0, fmt::format("// {}", title));
        for (const std::string& declaration : api_.declarations()) out_.line(0, declaration);
        for (const Message& message : api_.messages) declare(message);
        out_.line(0, "");
        out_.line(0, "// The document does not state an order: any operation can be called at any time.");
        out_.line(0, fmt::format("protocol {}(client, server) {{", name));
        out_.line(1, "repeat at client {");
        choose(2, "client", api_.operations.size(),
               [&](int indent, std::size_t i) { call(indent, api_.operations[i]); });
        out_.line(1, "}");
        out_.line(0, "}");
        out_.line(0, "");
        out_.line(0, fmt::format("wire {}Http over http {{", name));
        for (const Message& message : api_.messages)
            out_.line(1, fmt::format("{} = {}", with_fields(message, message.fields), message.layout),
                      message.span);
        out_.line(0, "}");
    }

private:
    static std::string with_fields(const Message& message, const std::vector<std::string>& fields) {
        return fields.empty() ? message.name : fmt::format("{}({})", message.name, fmt::join(fields, ", "));
    }

    void declare(const Message& message) {
        std::vector<std::string> fields;
        for (std::size_t i = 0; i < message.fields.size(); ++i)
            fields.push_back(fmt::format("{}: {}", message.fields[i], message.types[i]));
        std::string text = "message " + with_fields(message, fields);
        // The only condition needs no parentheses.
        const std::vector<std::string>& all = message.conditions;
        if (all.size() == 1 && all.front().starts_with('('))
            text += fmt::format(" where {}", std::string_view(all.front()).substr(1, all.front().size() - 2));
        else if (!message.conditions.empty())
            text += fmt::format(" where {}", fmt::join(message.conditions, " and "));
        out_.line(0, text, message.span);
    }

    // One alternative as it is, several as a choice.
    template <class Branch>
    void choose(int indent, std::string_view role, std::size_t count, Branch branch) {
        if (count == 1) return branch(indent, 0);
        out_.line(indent, fmt::format("choice at {} {{", role));
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) out_.line(indent, "} or {");
            branch(indent + 1, i);
        }
        out_.line(indent, "}");
    }

    void call(int indent, const Operation& operation) {
        choose(indent, "client", operation.requests.size(), [&](int inner, std::size_t i) {
            const Message& request = api_.messages[operation.requests[i]];
            std::vector<std::string> kept;
            for (const Response& response : operation.responses)
                for (const Link& link : response.links) keep(link, "$request.", request, kept);
            out_.line(inner, fmt::format("client -> server: {}", binding(request, kept)), operation.span);
            choose(inner, "server", operation.responses.size(),
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
        choose(indent + 1, "client", links.size(),
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
                    codes::openapi_left_out, link.span,
                    fmt::format("the link's parameter `{}: {}` is left out", parameter, value));
                continue;
            }
            arguments[*field] = fmt::format("{}_{}", value.starts_with("$request.") ? "asked" : "got", *from);
            any = true;
        }
        out_.line(indent, fmt::format("client -> server: {}", any ? with_fields(next, arguments) : next.name),
                  link.span);
        choose(indent, "server", operation.responses.size(),
               [&](int deeper, std::size_t r) { answer(deeper, operation.responses[r], nullptr); });
    }

    const Operation* find(const Link& link) {
        for (const Operation& operation : api_.operations)
            if (operation.id == link.operation) return &operation;
        if (std::find(unknown_.begin(), unknown_.end(), &link) == unknown_.end()) {
            unknown_.push_back(&link);
            diagnostics_.report(
                codes::openapi_left_out, link.span,
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
        return with_fields(message, arguments);
    }

    const OperationReader& api_;
    base::Diagnostics& diagnostics_;
    Text& out_;
    std::vector<const Link*> unknown_;
};

// "pet store" is PetStore.
std::string protocol_name(std::string_view title) {
    std::string name;
    bool begins = true;
    for (char c : title) {
        bool lower = c >= 'a' && c <= 'z';
        if (lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
            name += begins && lower ? static_cast<char>(c - 'a' + 'A') : c;
        begins = !lower && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9');
    }
    return identifier_of(name);
}

// Steps, messages and layouts point at the document; what is inside of them at the text that was made of it.
void point_at_document(lang::Syntax& syntax, const Text& text, const base::SourceMap& sources,
                       base::FileId file) {
    auto moved = [&](base::Span& span) {
        if (span.valid() && span.file == file) span = text.span_of(sources.line_number(file, span.begin) - 1);
    };
    for (lang::Step& step : syntax.steps) {
        moved(step.span);
        moved(step.head);
    }
    for (lang::MessageSyntax& message : syntax.messages) moved(message.span);
    for (lang::LayoutSyntax& layout : syntax.layouts) moved(layout.span);
    for (lang::ProtocolSyntax& protocol : syntax.protocols) moved(protocol.span);
}

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
        diagnostics.report(codes::openapi_structure,
                           root->find("openapi") ? root->find("openapi")->span : start,
                           fmt::format("OpenAPI `{}` is not read; 3.0 and 3.1 are", version));
        return {};
    }
    std::size_t errors = diagnostics.errors();
    openapi::References references(loading, *root);
    OperationReader api(*root, references, diagnostics);
    api.read();
    if (api.too_many()) diagnostics.report(codes::yaml_too_large, start, "the schemas expand to too much");
    if (diagnostics.errors() == errors && api.operations.empty())
        diagnostics.report(codes::openapi_structure, start, "the document has no operation");
    if (diagnostics.errors() > errors) return {};

    const YamlNode* info = root->find("info");
    std::string title(info ? info->text_of("title") : "");
    std::string name = protocol_name(title.empty() ? stem_of(loading.sources.path(loading.file)) : title);
    if (title.empty()) title = name;
    std::replace_if(
        title.begin(), title.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    Text text(start);
    std::string_view edition = info ? info->text_of("version") : "";
    Writer(api, diagnostics, text)
        .write(edition.empty() ? title : fmt::format("{} {}", title, edition), name);
    diagnostics.report(
        codes::openapi_not_stated, root->find("paths")->span,
        "the document does not state an order; assuming that any operation can be called at any time");

    base::FileId made =
        loading.sources.add(path_of_made_text(loading.sources.path(loading.file)), text.text());
    if (loading.files) loading.files->push_back(made);
    model::Specification specification;
    base::Diagnostics found;
    lang::Syntax syntax = lang::parse(loading.sources, made, *specification.names, found);
    point_at_document(syntax, text, loading.sources, made);
    auto resolved = lang::resolve(loading.sources, syntax, std::move(specification), found, loading.knowing);
    bool ok = found.ok();
    diagnostics.append(std::move(found));
    if (!ok || !resolved) return {};
    return loaded(std::move(resolved));
}

}  // namespace treaty::formats
