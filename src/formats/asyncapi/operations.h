// The operations of an AsyncAPI document, whichever version it is written in, and their messages.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/json_schema/message.h"

namespace treaty::formats::asyncapi {

using json_schema::Message;
using json_schema::Schema;

struct Operation {
    base::Span span = {};
    bool receives = false;                   // the service receives; otherwise it sends
    std::vector<std::size_t> messages = {};  // in OperationReader::messages; one of them is sent
    std::vector<std::size_t> replies = {};   // none: there is no reply
};

class OperationReader {
public:
    OperationReader(const YamlNode& root, json_schema::References& references, base::Diagnostics& diagnostics)
        : root_(root),
          references_(references),
          diagnostics_(diagnostics),
          schemas_(references, diagnostics),
          values_(diagnostics),
          fields_(values_) {}

    void read();

    std::vector<Message> messages;
    std::map<std::size_t, std::string> correlations;  // by message: the field with its correlation id
    std::vector<Operation> operations;
    const std::vector<std::string>& declarations() const { return values_.declarations(); }
    bool too_many() const { return schemas_.too_many(); }

private:
    struct Channel {
        const YamlNode* node = nullptr;
        std::string id = {};
        std::string address = {};
    };
    // A message as the document has it, and the name it goes by there.
    struct Written {
        const YamlNode* node = nullptr;
        std::string name = {};
    };

    // Each message once, however often and however deep it is named.
    struct Listed {
        std::vector<Written> messages = {};
        std::set<const YamlNode*> seen = {};
    };

    void read_channels_of_2();
    void read_operations_of_3();
    Channel channel_of(const YamlNode& reference);
    std::vector<Written> messages_of_3(const YamlNode& holder, const Channel& channel);
    // `key`: what it is called where it is listed; `otherwise`: if it has no other name.
    void collect(const YamlNode& node, const std::string& key, const std::string& otherwise, Listed& into);
    // The messages that several channels have, which would have the same name.
    void find_shared();
    std::vector<std::size_t> add(const std::vector<Written>& all, const Channel& channel, bool receives);
    std::vector<std::size_t> make(const Written& written, const Channel& channel, bool several,
                                  json_schema::Direction direction);
    std::shared_ptr<const Schema> always_constant(std::shared_ptr<const Schema> payload);
    std::size_t make_one(const Written& written, const Channel& channel, const Schema* payload,
                         const std::string& name, json_schema::Direction direction);
    std::string parameters(Message& message, json_schema::FreeNames& free, const Channel& channel);
    std::string headers(Message& message, json_schema::FreeNames& free, const YamlNode& node,
                        json_schema::Direction direction);
    void correlate(std::size_t index, const YamlNode& node);
    std::shared_ptr<const Schema> payload_of(const YamlNode& node);
    // A part of a message, which may be in one of its traits.
    const YamlNode* part(const YamlNode& node, std::string_view key);
    bool over_websocket();
    void note_bindings(const YamlNode& node);
    void left_out(base::Span span, std::string what);

    const YamlNode& root_;
    json_schema::References& references_;
    base::Diagnostics& diagnostics_;
    json_schema::SchemaReader schemas_;
    json_schema::Values values_;
    json_schema::FieldMaker fields_;
    json_schema::FreeNames message_names_;
    // By message and channel.
    std::map<std::pair<const YamlNode*, const YamlNode*>, std::vector<std::size_t>> made_;
    std::set<const YamlNode*> shared_;
    std::set<const YamlNode*> assumed_;  // properties that were reported
    std::set<std::string> bindings_;     // the protocols whose bindings were reported
    bool enveloped_ = true;
};

}  // namespace treaty::formats::asyncapi
