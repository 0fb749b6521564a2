#include "formats/openapi/operations.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::openapi {
namespace {

constexpr std::string_view methods[] = {"get", "put", "post", "delete", "options", "head", "patch", "trace"};

// A text inside a path: braces are doubled.
std::string in_path(std::string_view text) {
    std::string out;
    for (char c : text) {
        if (c == '{' || c == '}' || c == '"' || c == '\\') out += c == '"' || c == '\\' ? '\\' : c;
        out += c;
    }
    return out;
}

// The path of a server's address: "https://shop.example/v1/" is /v1.
std::string path_of(std::string_view url) {
    if (std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
        url.remove_prefix(scheme + 3);
        url.remove_prefix(std::min(url.find('/'), url.size()));
    }
    while (url.ends_with('/')) url.remove_suffix(1);
    return url.starts_with('/') && url.find('{') == std::string_view::npos ? std::string(url) : std::string();
}

std::string upper(std::string_view word) {
    std::string out(word);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

// What may be written in a path as it is, besides letters and digits.
bool only(std::string_view text, std::string_view others) {
    return std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               others.find(c) != std::string_view::npos;
    });
}

bool is_status(std::string_view text) {
    if (text == "default") return true;
    if (text.size() != 3 || text[0] < '1' || text[0] > '5') return false;
    std::string_view rest = text.substr(1);
    return rest == "XX" || rest == "xx" || rest.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_text(const Schema& schema) {
    return schema.kind != Schema::Kind::list && schema.kind != Schema::Kind::object;
}

}  // namespace

void OperationReader::left_out(base::Span span, std::string what) {
    diagnostics_.report(codes::document_left_out, span, std::move(what));
}

std::size_t OperationReader::add(Message message) {
    messages.push_back(std::move(message));
    return messages.size() - 1;
}

void OperationReader::read(const Wanted& wanted) {
    if (const YamlNode* servers = root_.find("servers");
        servers && servers->is_list() && !servers->items.empty())
        prefix_ = path_of(servers->items.front().text_of("url"));
    const YamlNode* paths = root_.find("paths");
    if (!paths || !paths->is_map()) {
        diagnostics_.report(codes::document_structure, root_.span, "the document has no `paths`");
        return;
    }
    for (const auto& [path, node] : paths->members) {
        if (path.starts_with("x-")) continue;
        const YamlNode* item = references_.follow(node);
        if (item && path.starts_with('/') && only(path, "/-_.~{}:@!$'()*+,;=%"))
            read_path(path, *item, wanted);
        else if (item)
            left_out(node.span, fmt::format("`{}` is left out: it is not a path", path));
    }
    for (std::string_view key : {"security", "webhooks"})
        if (const YamlNode* found = root_.find(key); found && (found->is_map() || !found->items.empty()))
            left_out(found->span, key == "security" ? "security is left out: requests have no credentials"
                                                    : "webhooks are left out");
}

void OperationReader::read_path(const std::string& path, const YamlNode& item, const Wanted& wanted) {
    for (const auto& [key, node] : item.members)
        if (std::find(std::begin(methods), std::end(methods), key) != std::end(methods) && node.is_map() &&
            (!wanted || wanted(node.text_of("operationId"), node)))
            read_operation(path, key, item, node);
}

std::vector<const YamlNode*> OperationReader::parameters_of(const YamlNode& item, const YamlNode& operation) {
    std::vector<const YamlNode*> found;
    for (const YamlNode* holder : {&operation, &item}) {
        const YamlNode* list = holder->find("parameters");
        if (!list || !list->is_list()) continue;
        for (const YamlNode& one : list->items) {
            const YamlNode* parameter = references_.follow(one);
            if (!parameter) continue;
            // Those of the operation come first and replace those of the path.
            if (std::none_of(found.begin(), found.end(), [&](const YamlNode* other) {
                    return other->text_of("name") == parameter->text_of("name") &&
                           other->text_of("in") == parameter->text_of("in");
                }))
                found.push_back(parameter);
        }
    }
    return found;
}

void OperationReader::add_parameter(Message& message, FreeNames& free, const YamlNode& parameter,
                                    std::string& path, std::string& query, std::string& headers) {
    std::string name(parameter.text_of("name"));
    std::string_view in = parameter.text_of("in");
    const YamlNode* node = parameter.find("schema");
    std::shared_ptr<const Schema> schema = node ? schemas_.read(*node) : nullptr;
    bool required = parameter.is_true("required") || in == "path";
    bool list = schema && schema->kind == Schema::Kind::list && is_text(*schema->items) && in == "query" &&
                parameter.text_of("style") != "spaceDelimited" &&
                parameter.text_of("style") != "pipeDelimited" && parameter.text_of("explode") != "false";
    bool writable = !name.empty() && only(name, in == "header" ? "-_" : "-_.~[]");
    if (!schema || !writable || in == "cookie" || (!is_text(*schema) && !list) ||
        !values_.expressible(*schema)) {
        left_out(parameter.span, fmt::format("the parameter `{}` is left out: {}", name,
                                             in == "cookie" ? "cookies are not supported"
                                                            : "it is not a plain value in its usual form"));
        if (in == "path") path = std::string();
        return;
    }
    std::string field = fields_.add(message, free, name, *schema, !required && !list, Direction::request);
    message.sources[fmt::format("{}.{}", in, name)] = field;
    if (in == "path") {
        std::string hole = fmt::format("{{{{{}}}}}", name);
        std::size_t at = path.find(hole);
        if (at != std::string::npos) path.replace(at, hole.size(), fmt::format("{{{}}}", field));
    } else if (in == "query") {
        query += fmt::format("{}{}={{{}}}", query.empty() ? "?" : "&", in_path(name), field);
    } else if (in == "header") {
        headers += fmt::format(" header {} = {}", json_schema::string_literal(name), field);
    }
}

Message OperationReader::request_without_body(const std::string& path, std::string_view method,
                                              const std::vector<const YamlNode*>& parameters,
                                              FreeNames& free) {
    Message message;
    std::string whole = in_path(prefix_ + path), query, headers;
    for (const YamlNode* parameter : parameters)
        add_parameter(message, free, *parameter, whole, query, headers);
    if (whole.find("{{") != std::string::npos) whole.clear();  // a parameter that is not declared
    message.layout =
        whole.empty() ? std::string() : fmt::format("{} \"{}{}\"{}", upper(method), whole, query, headers);
    return message;
}

std::optional<OperationReader::Content> OperationReader::content_of(const YamlNode& holder) {
    const YamlNode* content = holder.find("content");
    if (!content || !content->is_map() || content->members.empty()) return std::nullopt;
    auto media = [&](auto wanted) -> const YamlNode* {
        for (const auto& [type, node] : content->members)
            if (wanted(std::string_view(type).substr(0, type.find(';')))) return &node;
        return nullptr;
    };
    Content found;
    const YamlNode* node = media(
        [](std::string_view t) { return t == "application/json" || t.ends_with("+json") || t == "*/*"; });
    if (node) {
        found.kind = "json";
    } else if ((node = media([](std::string_view t) { return t == "application/x-www-form-urlencoded"; }))) {
        found.kind = "form";
    } else if ((node = media([](std::string_view t) { return t.starts_with("text/"); }))) {
        found.kind = "text";
    } else {
        left_out(content->span, fmt::format("bodies of type `{}` are not read: any body is allowed",
                                            content->members.front().key));
        return found;
    }
    if (content->members.size() > 1)
        left_out(content->span, fmt::format("of the kinds of body only {} is read", found.kind));
    if (const YamlNode* schema = node->find("schema")) found.schema = schemas_.read(*schema);
    return found;
}

void OperationReader::add_body(Message& message, FreeNames& free, const Content& content,
                               const Schema& schema, Direction direction) {
    if (content.kind == "text") {
        message.layout +=
            fmt::format(" text {}", fields_.add(message, free, "text", schema, false, direction));
        message.sources["body"] = message.fields.back();
        return;
    }
    if (!values_.expressible(schema) || (content.kind == "form" && schema.kind != Schema::Kind::object)) {
        message.layout += " ...";
        return;
    }
    message.layout += content.kind == "form"
                          ? fmt::format(" form {{ {} }}", fields_.add_properties(message, free, schema,
                                                                                 "body#/", direction, true))
                          : fmt::format(" {} {}", content.kind,
                                        fields_.add_json(message, free, schema, "body", "body", direction));
}

void OperationReader::read_operation(const std::string& path, std::string_view method, const YamlNode& item,
                                     const YamlNode& node) {
    Operation operation;
    operation.span = node.span;
    operation.id = node.text_of("operationId");
    std::string name = message_names_.take(
        json_schema::name_near(operation.id.empty() ? fmt::format("{} {}", method, path) : operation.id));
    if (operation.id.empty()) operation.id = name;
    std::vector<const YamlNode*> parameters = parameters_of(item, node);
    FreeNames free;
    Message request = request_without_body(path, method, parameters, free);
    if (request.layout.empty()) {
        left_out(node.span, "the operation is left out: its path needs a parameter that is left out");
        return;
    }
    request.name = name;
    request.span = node.span;
    const YamlNode* holder = node.find("requestBody");
    if (holder) holder = references_.follow(*holder);
    std::optional<Content> content = holder ? content_of(*holder) : std::nullopt;
    if (content && content->schema && content->schema->kind == Schema::Kind::variants) {
        for (const auto& variant : content->schema->variants) {
            Message one = request;
            FreeNames own = free;
            one.name = message_names_.take(json_schema::name_of_variant(name, *variant));
            add_body(one, own, *content, *variant, Direction::request);
            operation.requests.push_back(add(std::move(one)));
        }
    } else {
        if (content && content->schema)
            add_body(request, free, *content, *content->schema, Direction::request);
        else if (content)
            request.layout += " ...";
        operation.requests.push_back(add(std::move(request)));
    }
    if (const YamlNode* responses = node.find("responses"); responses && responses->is_map())
        add_responses(operation, *responses);
    const YamlNode* stated = node.find("responses");
    if (operation.responses.empty() && (!stated || stated->members.empty())) {
        left_out(node.span, "the operation has no responses: any answer is allowed");
        Message any;
        any.name = message_names_.take("any_response");
        any.span = node.span;
        any.layout = "100..599 ...";
        operation.responses.push_back({add(std::move(any)), {}, "any"});
    }
    if (const YamlNode* callbacks = node.find("callbacks"))
        left_out(callbacks->span, "callbacks are left out: the server sends no requests");
    operations.push_back(std::move(operation));
}

void OperationReader::add_responses(Operation& operation, const YamlNode& responses) {
    // `default` is for what no other response is for, so it comes last.
    for (bool last : {false, true})
        for (const auto& [status, node] : responses.members)
            if (!status.starts_with("x-") && (status == "default") == last)
                if (const YamlNode* response = references_.follow(node))
                    add_response(operation, status, *response);
}

std::vector<Link> OperationReader::links_of(const YamlNode& response) {
    std::vector<Link> links;
    const YamlNode* all = response.find("links");
    if (!all || !all->is_map()) return links;
    for (const auto& [name, node] : all->members) {
        const YamlNode* found = references_.follow(node);
        if (!found) continue;
        Link link;
        link.span = found->span;
        link.operation = found->text_of("operationId");
        if (link.operation.empty()) {
            left_out(found->span, fmt::format("the link `{}` is left out: it names no operationId", name));
            continue;
        }
        if (const YamlNode* parameters = found->find("parameters"); parameters && parameters->is_map())
            for (const auto& [parameter, value] : parameters->members)
                link.parameters.emplace_back(parameter, value.text);
        links.push_back(std::move(link));
    }
    return links;
}

void OperationReader::add_response(Operation& operation, const std::string& status, const YamlNode& node) {
    if (!is_status(status)) {
        diagnostics_.report(codes::document_structure, node.span,
                            fmt::format("`{}` is not a status", status));
        return;
    }
    std::vector<Link> links = links_of(node);
    std::optional<Content> content = content_of(node);
    std::vector<std::shared_ptr<const Schema>> schemas = {content ? content->schema : nullptr};
    if (schemas.front() && schemas.front()->kind == Schema::Kind::variants)
        schemas = std::vector<std::shared_ptr<const Schema>>(schemas.front()->variants);
    for (const auto& schema : schemas) {
        Message message;
        message.span = node.span;
        FreeNames free;
        bool range = status.size() == 3 && (status.ends_with("XX") || status.ends_with("xx"));
        if (status == "default") {
            message.add(free.take("status"), "int in 400..599");
            message.layout = "status: 400..599";
        } else {
            message.layout = range ? fmt::format("{}xx", status[0]) : status;
        }
        std::string kind =
            schema && !schema->name.empty() ? json_schema::name_near(schema->name) : std::string();
        std::string word = range ? fmt::format("{}xx", status[0]) : status;
        std::string own = json_schema::name_near(schemas.size() == 1 || kind.empty()
                                                     ? fmt::format("{}_{}", operation.id, word)
                                                     : fmt::format("{}_{}_{}", operation.id, kind, word));
        message.name = own;
        if (schema)
            add_body(message, free, *content, *schema, Direction::response);
        else if (status != "204" && status != "304")
            message.layout += " ...";
        // The same response of several operations is one message.
        std::string all = fmt::format("{}|{}|{}|{}", message.layout, fmt::join(message.fields, ","),
                                      fmt::join(message.types, ","), fmt::join(message.conditions, ","));
        auto [found, is_new] = same_.try_emplace(all, messages.size());
        if (is_new) {
            message.name = message_names_.take(own);
            operation.responses.push_back({add(std::move(message)), links, status});
            continue;
        }
        // Shared by several operations: named after its kind, without an operation.
        const std::size_t index = found->second;
        Message& shared = messages[index];
        std::string common = fmt::format("{}_{}", kind.empty() ? "status" : kind, word);
        if (!shared.name.starts_with(common))
            shared.name = message_names_.take(json_schema::name_near(common));
        if (std::ranges::none_of(operation.responses, [&](const Response& r) { return r.message == index; }))
            operation.responses.push_back({index, links, status});
    }
}

}  // namespace treaty::formats::openapi
