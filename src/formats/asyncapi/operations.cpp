#include "formats/asyncapi/operations.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::asyncapi {

using json_schema::Direction;
using json_schema::FreeNames;
using json_schema::References;
using json_schema::Values;

void OperationReader::left_out(base::Span span, std::string what) {
    diagnostics_.report(codes::document_left_out, span, std::move(what));
}

void OperationReader::read() {
    enveloped_ = !over_websocket();
    find_shared();
    if (root_.text_of("asyncapi").starts_with('2'))
        read_channels_of_2();
    else
        read_operations_of_3();
}

// Whether every server is one, so that nothing but payloads is sent.
bool OperationReader::over_websocket() {
    const YamlNode* servers = root_.find("servers");
    if (!servers || !servers->is_map()) return false;
    bool all = !servers->members.empty();
    bool secured = false;
    for (const auto& [name, node] : servers->members) {
        const YamlNode* server = references_.follow(node);
        if (!server) continue;
        std::string_view protocol = server->text_of("protocol");
        all = all && (protocol == "ws" || protocol == "wss");
        if (const YamlNode* security = server->find("security"); security && !secured) {
            left_out(security->span, "security is left out: messages have no credentials");
            secured = true;
        }
        note_bindings(*server);
    }
    return all;
}

void OperationReader::note_bindings(const YamlNode& node) {
    const YamlNode* bindings = node.find("bindings");
    if (bindings) bindings = references_.follow(*bindings);
    if (!bindings || !bindings->is_map()) return;
    for (const auto& [protocol, binding] : bindings->members)
        if (!protocol.starts_with("x-") && bindings_.insert(protocol).second)
            left_out(bindings->span,
                     fmt::format("bindings of {} are left out: a protocol has messages only", protocol));
}

const YamlNode* OperationReader::part(const YamlNode& node, std::string_view key) {
    if (const YamlNode* own = node.find(key)) return own;
    const YamlNode* traits = node.find("traits");
    if (!traits || !traits->is_list()) return nullptr;
    for (const YamlNode& one : traits->items)
        if (const YamlNode* trait = references_.follow(one))
            if (const YamlNode* found = trait->find(key)) return found;
    return nullptr;
}

// In version 2 a channel states what others may do: they publish what the service receives.
void OperationReader::read_channels_of_2() {
    const YamlNode* channels = root_.find("channels");
    if (!channels || !channels->is_map()) {
        diagnostics_.report(codes::document_structure, root_.span, "the document has no `channels`");
        return;
    }
    for (const auto& [address, node] : channels->members) {
        const YamlNode* item = references_.follow(node);
        if (!item || address.starts_with("x-")) continue;
        note_bindings(*item);
        Channel channel{item, address, address};
        for (std::string_view action : {"publish", "subscribe"}) {
            const YamlNode* written = item->find(action);
            if (!written || !written->is_map()) continue;
            note_bindings(*written);
            Listed all;
            std::string id(written->text_of("operationId"));
            if (const YamlNode* message = written->find("message"))
                collect(*message, id, fmt::format("{} {}", action, address), all);
            Operation operation;
            operation.span = written->span;
            operation.receives = action == "publish";
            operation.messages = add(all.messages, channel, operation.receives);
            if (operation.messages.empty())
                left_out(written->span, "the operation is left out: it has no message");
            else
                operations.push_back(std::move(operation));
        }
    }
}

void OperationReader::read_operations_of_3() {
    const YamlNode* written = root_.find("operations");
    if (!written || !written->is_map()) {
        diagnostics_.report(codes::document_structure, root_.span, "the document has no `operations`");
        return;
    }
    std::set<const YamlNode*> used;
    for (const auto& [id, node] : written->members) {
        const YamlNode* item = references_.follow(node);
        if (!item || id.starts_with("x-")) continue;
        std::string_view action = item->text_of("action");
        const YamlNode* reference = item->find("channel");
        if ((action != "send" && action != "receive") || !reference) {
            diagnostics_.report(
                codes::document_structure, item->span,
                fmt::format("the operation `{}` needs a `channel`, and `action` is send or receive", id));
            continue;
        }
        note_bindings(*item);
        Operation operation;
        operation.span = item->span;
        operation.receives = action == "receive";
        Channel channel = channel_of(*reference);
        if (!channel.node) continue;
        used.insert(channel.node);
        operation.messages = add(messages_of_3(*item, channel), channel, operation.receives);
        const YamlNode* reply = item->find("reply");
        if (reply) reply = references_.follow(*reply);
        if (reply) {
            const YamlNode* other = reply->find("channel");
            Channel back = other ? channel_of(*other) : channel;
            if (back.node) used.insert(back.node);
            if (back.node) operation.replies = add(messages_of_3(*reply, back), back, !operation.receives);
            if (operation.replies.empty()) left_out(reply->span, "the reply is left out: it has no message");
        }
        if (operation.messages.empty())
            left_out(item->span, "the operation is left out: its channel has no message");
        else
            operations.push_back(std::move(operation));
    }
    const YamlNode* channels = root_.find("channels");
    if (!channels) return;
    for (const auto& [id, node] : channels->members)
        if (const YamlNode* channel = references_.follow(node); channel && !used.contains(channel))
            left_out(node.span, fmt::format("the channel `{}` is left out: no operation uses it", id));
}

OperationReader::Channel OperationReader::channel_of(const YamlNode& reference) {
    Channel channel;
    channel.node = references_.follow(reference);
    if (!channel.node) return channel;
    channel.id = References::name_of(reference);
    channel.address = channel.node->text_of("address");
    if (channel.address.empty() || channel.address == "null") channel.address = channel.id;
    note_bindings(*channel.node);
    return channel;
}

// Those that the operation or the reply lists, or all of its channel.
std::vector<OperationReader::Written> OperationReader::messages_of_3(const YamlNode& holder,
                                                                     const Channel& channel) {
    Listed all;
    if (const YamlNode* listed = holder.find("messages"); listed && listed->is_list()) {
        for (const YamlNode& one : listed->items) collect(one, References::name_of(one), channel.id, all);
        return std::move(all.messages);
    }
    if (const YamlNode* of_channel = channel.node->find("messages"); of_channel && of_channel->is_map())
        for (const auto& [key, one] : of_channel->members) collect(one, key, channel.id, all);
    return std::move(all.messages);
}

void OperationReader::collect(const YamlNode& node, const std::string& key, const std::string& otherwise,
                              Listed& into) {
    const YamlNode* message = references_.follow(node);
    if (!message || !message->is_map() || !into.seen.insert(message).second) return;
    if (const YamlNode* several = message->find("oneOf"); several && several->is_list()) {
        for (const YamlNode& one : several->items) collect(one, key, otherwise, into);
        return;
    }
    std::string name(shared_.contains(message) && !key.empty() ? std::string_view(key)
                                                               : message->text_of("name"));
    if (name.empty()) name = message->text_of("messageId");
    if (name.empty()) name = References::name_of(node);
    if (name.empty()) name = key;
    into.messages.push_back({message, name.empty() ? otherwise : name});
}

void OperationReader::find_shared() {
    const YamlNode* channels = root_.find("channels");
    if (!channels || !channels->is_map()) return;
    std::map<const YamlNode*, const YamlNode*> channel_of_message;
    auto add = [&](const YamlNode& node, const YamlNode* channel) {
        if (!node.find("$ref")) return;
        const YamlNode* message = references_.follow(node);
        if (message && channel_of_message.try_emplace(message, channel).first->second != channel)
            shared_.insert(message);
    };
    for (const auto& [id, node] : channels->members) {
        const YamlNode* channel = node.find("$ref") ? references_.follow(node) : &node;
        if (!channel) continue;
        if (const YamlNode* of_channel = channel->find("messages"); of_channel && of_channel->is_map())
            for (const auto& [key, one] : of_channel->members) add(one, channel);
        for (std::string_view action : {"publish", "subscribe"})
            if (const YamlNode* operation = channel->find(action))
                if (const YamlNode* message = operation->find("message")) add(*message, channel);
    }
}

std::vector<std::size_t> OperationReader::add(const std::vector<Written>& all, const Channel& channel,
                                              bool receives) {
    std::vector<std::size_t> found;
    const YamlNode* listed = channel.node->find("messages");
    bool several = all.size() > 1 || (listed && listed->members.size() > 1);
    for (const Written& written : all) {
        auto [known, is_new] = made_.try_emplace({written.node, channel.node});
        if (is_new) {
            auto made = make(written, channel, several, receives ? Direction::request : Direction::response);
            known->second = std::move(made);
        }
        found.insert(found.end(), known->second.begin(), known->second.end());
    }
    return found;
}

std::shared_ptr<const Schema> OperationReader::payload_of(const YamlNode& node) {
    const YamlNode* payload = part(node, "payload");
    if (!payload) return nullptr;
    const YamlNode* holder = references_.follow(*payload);
    std::string_view format = node.text_of("schemaFormat");
    if (holder && holder->find("schemaFormat") && holder->find("schema")) {  // version 3
        format = holder->text_of("schemaFormat");
        payload = holder->find("schema");
    }
    bool json_schema = format.empty() || format.find("asyncapi") != std::string_view::npos ||
                       format.find("schema+") != std::string_view::npos ||
                       format.find("openapi") != std::string_view::npos;
    if (!json_schema) {
        left_out(payload->span, fmt::format("the payload is not read: its schema is in `{}`", format));
        return nullptr;
    }
    return schemas_.read(*payload);
}

// A property with one value, such as `type`, tells messages apart, so it has to be there.
std::shared_ptr<const Schema> OperationReader::always_constant(std::shared_ptr<const Schema> payload) {
    auto changed = std::make_shared<Schema>(*payload);
    bool any = false;
    for (Schema::Property& property : changed->properties) {
        if (property.required || !property.schema->is_constant()) continue;
        property.required = any = true;
        if (assumed_.insert(property.schema->node).second)
            diagnostics_.report(
                codes::document_not_stated, property.schema->span,
                fmt::format("`{}` tells this message from others; assuming that it is always there",
                            property.name));
    }
    return any ? changed : payload;
}

std::vector<std::size_t> OperationReader::make(const Written& written, const Channel& channel, bool several,
                                               Direction direction) {
    note_bindings(*written.node);
    std::string name = json_schema::name_near(written.name);
    std::shared_ptr<const Schema> payload = payload_of(*written.node);
    if (payload && several) payload = always_constant(payload);
    if (!payload || payload->kind != Schema::Kind::variants)
        return {make_one(written, channel, payload.get(), name, direction)};
    std::vector<std::size_t> all;
    for (const auto& variant : payload->variants)
        all.push_back(make_one(written, channel, always_constant(variant).get(),
                               json_schema::name_of_variant(name, *variant), direction));
    return all;
}

std::size_t OperationReader::make_one(const Written& written, const Channel& channel, const Schema* payload,
                                      const std::string& name, Direction direction) {
    Message message;
    message.name = message_names_.take(name);
    message.span = written.node->span;
    FreeNames free;
    std::string of_address = parameters(message, free, channel);
    std::string of_headers = headers(message, free, *written.node, direction);
    std::string body =
        payload ? fields_.add_json(message, free, *payload, "payload", "payload", direction) : "";
    if (!enveloped_) {
        message.layout = body.empty() ? "json { ... }" : "json " + body;
    } else {
        message.layout = fmt::format("json {{ \"channel\": {}", json_schema::string_literal(channel.address));
        if (!of_address.empty()) message.layout += fmt::format(", \"parameters\": {{ {} }}", of_address);
        if (!of_headers.empty()) message.layout += fmt::format(", \"headers\": {{ {} }}", of_headers);
        if (!body.empty()) message.layout += fmt::format(", \"payload\": {}", body);
        message.layout += ", ... }";
    }
    // A parameter may be a value of the message.
    const YamlNode* listed = channel.node->find("parameters");
    if (listed && listed->is_map() && enveloped_)
        for (const auto& [key, node] : listed->members) {
            const YamlNode* parameter = references_.follow(node);
            std::string_view location = parameter ? parameter->text_of("location") : std::string_view();
            if (!location.starts_with("$message.")) continue;
            auto own = message.sources.find("parameters#/" + key);
            auto other = message.sources.find(std::string(location.substr(9)));
            auto type_of = [&](const std::string& field) {
                auto at = std::find(message.fields.begin(), message.fields.end(), field);
                return message.types[static_cast<std::size_t>(at - message.fields.begin())];
            };
            if (own != message.sources.end() && other != message.sources.end() &&
                type_of(own->second) == type_of(other->second))
                message.conditions.push_back(fmt::format("{} == {}", own->second, other->second));
            else
                left_out(parameter->span, fmt::format("`{}` is not compared with `{}`", key, location));
        }
    messages.push_back(std::move(message));
    correlate(messages.size() - 1, *written.node);
    return messages.size() - 1;
}

// The members of the envelope; over WebSocket the address is that of the connection.
std::string OperationReader::parameters(Message& message, FreeNames& free, const Channel& channel) {
    const YamlNode* listed = channel.node->find("parameters");
    if (!listed || !listed->is_map() || listed->members.empty()) return {};
    if (!enveloped_) {
        left_out(listed->span, "parameters of the address are left out: a WebSocket message has none");
        return {};
    }
    Schema object;
    object.node = listed;
    object.kind = Schema::Kind::object;
    object.closed = true;
    for (const auto& [name, node] : listed->members) {
        const YamlNode* parameter = references_.follow(node);
        if (!parameter) continue;
        std::shared_ptr<const Schema> schema;
        if (const YamlNode* stated = parameter->find("schema")) {
            schema = schemas_.read(*stated);
        } else {  // version 3: a text, perhaps one of a list
            auto text = std::make_shared<Schema>();
            text->node = parameter;
            text->span = parameter->span;
            text->kind = Schema::Kind::text;
            if (const YamlNode* allowed = parameter->find("enum"); allowed && allowed->is_list())
                for (const YamlNode& one : allowed->items)
                    text->allowed.push_back(json_schema::string_literal(one.text));
            schema = std::move(text);
        }
        object.properties.push_back({name, std::move(schema), true});
    }
    return fields_.add_properties(message, free, object, "parameters#/", Direction::request);
}

std::string OperationReader::headers(Message& message, FreeNames& free, const YamlNode& node,
                                     Direction direction) {
    const YamlNode* written = part(node, "headers");
    if (!written) return {};
    if (!enveloped_) {
        left_out(written->span, "headers are left out: a WebSocket message has none");
        return {};
    }
    std::shared_ptr<const Schema> schema = schemas_.read(*written);
    if (schema->kind != Schema::Kind::object) {
        left_out(written->span, "headers are left out: they are not an object");
        return {};
    }
    return fields_.add_properties(message, free, *schema, "header#/", direction);
}

void OperationReader::correlate(std::size_t index, const YamlNode& node) {
    const YamlNode* id = part(node, "correlationId");
    if (id) id = references_.follow(*id);
    if (!id) return;
    std::string_view location = id->text_of("location");
    const Message& message = messages[index];
    auto field = location.starts_with("$message.") ? message.sources.find(std::string(location.substr(9)))
                                                   : message.sources.end();
    if (field != message.sources.end())
        correlations[index] = field->second;
    else
        left_out(id->span,
                 fmt::format("the correlation id at `{}` is left out: no field is there", location));
}

}  // namespace treaty::formats::asyncapi
