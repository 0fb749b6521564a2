// What a document calls itself.
#pragma once

#include <string>

#include "formats/notation.h"
#include "formats/yaml_tree.h"

namespace treaty::formats::json_schema {

struct Heading {
    std::string title;     // with the version: "Pet store 1.2"
    std::string protocol;  // a name for its protocol: "PetStore"
};

// From `info`; without a title from the name of the file.
Heading heading_of(const YamlNode& root, const Loading& loading);

}  // namespace treaty::formats::json_schema
