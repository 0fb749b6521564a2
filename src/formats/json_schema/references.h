// What `$ref` means, in the document and in files beside it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "formats/notation.h"
#include "formats/yaml_tree.h"

namespace treaty::formats::json_schema {

class References {
public:
    References(const Loading& loading, const YamlNode& root) : loading_(loading), root_(root) {}

    // What a node means: itself, or what its `$ref` names, at last. Null after reporting that there is
    // nothing.
    const YamlNode* follow(const YamlNode& node);
    // By a pointer such as "#/components/schemas/Pet", written at `at`.
    const YamlNode* find(std::string_view reference, const YamlNode& at);

    // The last part of a node's `$ref`: "Pet"; empty if it has none.
    static std::string name_of(const YamlNode& node);
    // A part of a pointer: ~1 is a slash, ~0 a tilde, %7B a brace.
    static std::string decoded(std::string_view part);

private:
    const YamlNode* document(std::string_view path, const YamlNode& at);

    const Loading& loading_;
    const YamlNode& root_;
    std::map<std::string, std::unique_ptr<YamlNode>> others_;  // by path; null: could not be read
};

}  // namespace treaty::formats::json_schema
