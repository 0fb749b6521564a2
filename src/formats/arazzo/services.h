// The OpenAPI documents that an Arazzo document is about, and their operations.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "formats/arazzo/workflows.h"
#include "formats/openapi/operations.h"

namespace treaty::formats::arazzo {

// An operation of one of the services.
struct Called {
    std::size_t service = 0;
    const openapi::Operation* operation = nullptr;  // null: reported as unknown
};

class Services {
public:
    Services(const YamlNode& root, json_schema::References& references, base::Diagnostics& diagnostics)
        : root_(root), references_(references), diagnostics_(diagnostics), values_(diagnostics) {}

    // The operations that the workflows use.
    void read(const std::vector<Workflow>& workflows);

    // By `operationId`, which may begin with $sourceDescriptions.NAME, or by `operationPath`.
    Called find(const std::string& id, const std::string& path, base::Span at);

    const std::string& role(std::size_t service) const { return services_[service].role; }
    std::size_t size() const { return services_.size(); }
    const json_schema::Message& message(std::size_t service, std::size_t number) const {
        return services_[service].operations->messages[number];
    }
    const std::vector<std::string>& declarations() const { return values_.declarations(); }
    std::optional<json_schema::Part> part(const json_schema::Message& message, const json_schema::Path& path,
                                          const std::string& variable) {
        return json_schema::FieldMaker(values_).part(message, path, variable);
    }
    bool too_many() const;

private:
    // `$sourceDescriptions.NAME.id`, `{$sourceDescriptions.NAME.url}#/paths/...`, or an id alone.
    struct Reference {
        std::string_view source = {};  // empty: any of them
        std::string_view id = {};
        std::string_view pointer = {};  // with its #; instead of the id
    };
    static Reference reference(const std::string& id, const std::string& path);

    struct Service {
        std::string name;
        std::string role;
        const YamlNode* document = nullptr;
        std::unique_ptr<openapi::OperationReader> operations;
        std::map<std::string, const YamlNode*> by_pointer = {};
    };

    const YamlNode* node_at(Service& service, std::string_view pointer);

    const YamlNode& root_;
    json_schema::References& references_;
    base::Diagnostics& diagnostics_;
    json_schema::Values values_;
    json_schema::FreeNames message_names_;
    std::vector<Service> services_;
};

}  // namespace treaty::formats::arazzo
