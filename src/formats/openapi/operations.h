// The operations of a document as messages: one for each request, one for each response.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/json_schema/message.h"

namespace treaty::formats::openapi {

using json_schema::Direction;
using json_schema::FieldMaker;
using json_schema::FreeNames;
using json_schema::Message;
using json_schema::References;
using json_schema::Schema;
using json_schema::SchemaReader;
using json_schema::Values;

// The links of a response to the operations that come after it.
struct Link {
    std::string operation = {};  // its id
    std::vector<std::pair<std::string, std::string>> parameters =
        {};  // "path.id" or "id", "$response.body#/id"
    base::Span span = {};
};

struct Response {
    std::size_t message = 0;  // in Operations::messages
    std::vector<Link> links = {};
    std::string status = {};  // "200", "4XX", "default"; "any" if the document lists no response
};

struct Operation {
    std::string id = {};
    base::Span span = {};
    std::vector<std::size_t> requests = {};  // one, or one for each variant of the body
    std::vector<Response> responses = {};
};

class OperationReader {
public:
    // `values` and `message_names` are shared by documents whose messages become one text.
    OperationReader(const YamlNode& root, References& references, base::Diagnostics& diagnostics,
                    Values& values, FreeNames& message_names)
        : root_(root),
          references_(references),
          diagnostics_(diagnostics),
          schemas_(references, diagnostics),
          values_(values),
          fields_(values),
          message_names_(message_names) {}

    // By its operationId, and as it is written.
    using Wanted = std::function<bool(std::string_view id, const YamlNode& operation)>;

    // All operations, or those that are wanted.
    void read(const Wanted& wanted = {});

    std::vector<Message> messages;
    std::vector<Operation> operations;
    bool too_many() const { return schemas_.too_many(); }

private:
    struct Content {
        std::string kind = {};  // "json", "form", "text", "bytes"; empty: any
        std::shared_ptr<const Schema> schema = {};
    };

    void read_path(const std::string& path, const YamlNode& item, const Wanted& wanted);
    void read_operation(const std::string& path, std::string_view method, const YamlNode& item,
                        const YamlNode& node);
    std::vector<const YamlNode*> parameters_of(const YamlNode& item, const YamlNode& operation);
    Message request_without_body(const std::string& path, std::string_view method,
                                 const std::vector<const YamlNode*>& parameters, FreeNames& free);
    void add_parameter(Message& message, FreeNames& free, const YamlNode& parameter, std::string& path,
                       std::string& query, std::string& headers);
    std::optional<Content> content_of(const YamlNode& holder);
    void add_body(Message& message, FreeNames& free, const Content& content, const Schema& schema,
                  Direction direction);
    void add_responses(Operation& operation, const YamlNode& responses);
    void add_response(Operation& operation, const std::string& status, const YamlNode& node);
    std::vector<Link> links_of(const YamlNode& response);
    std::size_t add(Message message);
    void left_out(base::Span span, std::string what);

    const YamlNode& root_;
    References& references_;
    base::Diagnostics& diagnostics_;
    SchemaReader schemas_;
    Values& values_;
    FieldMaker fields_;
    FreeNames& message_names_;
    std::map<std::string, std::size_t> same_;  // responses by all that they are
    std::string prefix_;                       // the path of the server
};

}  // namespace treaty::formats::openapi
