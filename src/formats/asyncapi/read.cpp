// From the operations of an AsyncAPI document to a .treaty text.
#include <algorithm>

#include <fmt/format.h>

#include "formats/asyncapi/asyncapi.h"
#include "formats/asyncapi/operations.h"
#include "formats/codes.h"
#include "formats/json_schema/heading.h"
#include "formats/made_text.h"
#include "formats/yaml_tree.h"

namespace treaty::formats {
namespace {

using asyncapi::Message;
using asyncapi::Operation;
using asyncapi::OperationReader;

class Writer {
public:
    Writer(const OperationReader& api, base::Diagnostics& diagnostics, MadeText& out)
        : api_(api), diagnostics_(diagnostics), out_(out) {
        for (const Operation& operation : api.operations)
            (operation.receives ? received_ : sent_).push_back(operation);
        drop_replies(sent_, received_);
        drop_replies(received_, sent_);
    }

    void write(std::string_view title, const std::string& name) {
        out_.comment(0, title);
        for (const std::string& declaration : api_.declarations()) out_.line(0, declaration);
        for (const Message& message : api_.messages) out_.line(0, message.declaration(), message.span);
        out_.blank();
        out_.line(0,
                  "// service is the application that the document describes, client stands for all others.");
        out_.line(0, "// The document does not state an order: any operation can take place at any time.");
        out_.line(0, fmt::format("protocol {}(client, service) {{", name));
        bool both = !received_.empty() && !sent_.empty();
        if (both) out_.line(1, "par {");
        loop(both ? 2 : 1, "client", "service", received_);
        if (both) out_.line(1, "} and {");
        loop(both ? 2 : 1, "service", "client", sent_);
        if (both) out_.line(1, "}");
        out_.line(0, "}");
        out_.blank();
        out_.line(0, fmt::format("wire {}Json over json {{", name));
        for (const Message& message : api_.messages) out_.line(1, message.layout_line(), message.span);
        out_.line(0, "}");
    }

private:
    // What is sent as a reply is that reply: a second place for it would leave open which of the two a
    // message is.
    void drop_replies(std::vector<Operation>& from, const std::vector<Operation>& others) {
        for (Operation& operation : from)
            std::erase_if(operation.messages, [&](std::size_t message) {
                bool is_reply = std::ranges::any_of(others, [&](const Operation& other) {
                    return std::ranges::find(other.replies, message) != other.replies.end();
                });
                if (is_reply)
                    diagnostics_.report(
                        codes::document_not_stated, operation.span,
                        fmt::format("`{}` is also a reply; assuming that it is sent only as a reply",
                                    api_.messages[message].name));
                return is_reply;
            });
        std::erase_if(from, [](const Operation& operation) { return operation.messages.empty(); });
    }

    void loop(int indent, std::string_view from, std::string_view to,
              const std::vector<Operation>& operations) {
        if (operations.empty()) return;
        std::vector<std::pair<const Operation*, std::size_t>> all;
        for (const Operation& operation : operations)
            for (std::size_t message : operation.messages) all.emplace_back(&operation, message);
        out_.line(indent, fmt::format("repeat at {} {{", from));
        out_.choose(indent + 1, from, all.size(), [&](int inner, std::size_t i) {
            exchange(inner, from, to, *all[i].first, all[i].second);
        });
        out_.line(indent, "}");
    }

    void exchange(int indent, std::string_view from, std::string_view to, const Operation& operation,
                  std::size_t index) {
        const Message& message = api_.messages[index];
        // The correlation id, if a reply repeats it.
        auto id = api_.correlations.find(index);
        bool kept =
            id != api_.correlations.end() && std::ranges::any_of(operation.replies, [&](std::size_t reply) {
                return repeats(reply, message, id->second);
            });
        out_.line(indent,
                  fmt::format("{} -> {}: {}", from, to,
                              kept ? with_one(message, id->second, "let id") : message.name),
                  operation.span);
        if (operation.replies.empty()) return;
        out_.choose(indent, to, operation.replies.size(), [&](int inner, std::size_t r) {
            std::size_t reply = operation.replies[r];
            const Message& answer = api_.messages[reply];
            bool same = kept && repeats(reply, message, id->second);
            out_.line(inner,
                      fmt::format("{} -> {}: {}", to, from,
                                  same ? with_one(answer, api_.correlations.at(reply), "id") : answer.name),
                      answer.span);
        });
    }

    // Whether the reply has a correlation id of the same type as the field of the message.
    bool repeats(std::size_t reply, const Message& message, const std::string& field) const {
        auto own = api_.correlations.find(reply);
        return own != api_.correlations.end() &&
               type_of(api_.messages[reply], own->second) == type_of(message, field);
    }

    static std::string_view type_of(const Message& message, const std::string& field) {
        auto at = std::ranges::find(message.fields, field);
        return message.types[static_cast<std::size_t>(at - message.fields.begin())];
    }

    static std::string with_one(const Message& message, const std::string& field, const std::string& value) {
        std::vector<std::string> arguments;
        for (const std::string& one : message.fields) arguments.push_back(one == field ? value : "_");
        return message.with(arguments);
    }

    const OperationReader& api_;
    base::Diagnostics& diagnostics_;
    MadeText& out_;
    std::vector<Operation> received_, sent_;
};

}  // namespace

bool is_asyncapi(std::string_view text) {
    return has_outer_key(text, "asyncapi");
}

Loaded load_asyncapi(const Loading& loading) {
    base::Diagnostics& diagnostics = loading.diagnostics;
    std::optional<YamlNode> root = read_yaml(loading.sources, loading.file, diagnostics);
    if (!root) return {};
    base::Span start{loading.file, 0, 0};
    std::string_view version = root->text_of("asyncapi");
    const YamlNode* stated = root->find("asyncapi");
    if (!version.starts_with("2.") && !version.starts_with("3.")) {
        diagnostics.report(codes::document_structure, stated ? stated->span : start,
                           fmt::format("AsyncAPI `{}` is not read; 2.0 to 2.6 and 3.0 are", version));
        return {};
    }
    std::size_t errors = diagnostics.errors();
    json_schema::References references(loading, *root);
    OperationReader api(*root, references, diagnostics);
    api.read();
    if (api.too_many()) diagnostics.report(codes::yaml_too_large, start, "the schemas expand to too much");
    if (diagnostics.errors() == errors && api.operations.empty())
        diagnostics.report(codes::document_structure, start, "the document has no operation");
    if (diagnostics.errors() > errors) return {};

    json_schema::Heading heading = json_schema::heading_of(*root, loading);
    MadeText text(start);
    Writer(api, diagnostics, text).write(heading.title, heading.protocol);
    diagnostics.report(
        codes::document_not_stated, stated->span,
        "the document does not state an order; assuming that any operation can take place at any time");
    return text.read(loading);
}

}  // namespace treaty::formats
