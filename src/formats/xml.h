// What readers and writers of XML have in common. pugixml reads: it expands no entities of a document, so a
// few lines cannot mean gigabytes, and it needs no stack for what is nested.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats::xml {

// Without its namespace: "bpmn2:message" is a message.
std::string_view local_name(const pugi::xml_node& node);
// The first child of that name; nothing if there is none.
pugi::xml_node child(const pugi::xml_node& node, std::string_view name);

std::string_view trimmed(std::string_view text);

// The name of the element, in the file.
base::Span span_of(const pugi::xml_node& node, base::FileId file);

// Reports T0690 and gives false if the text is not well-formed.
bool read(const base::SourceMap& sources, base::FileId file, pugi::xml_document& document,
          base::Diagnostics& diagnostics);

// A text as it is written in an element or an attribute.
std::string escaped(std::string_view text);
// XML cannot hold control characters or other bytes than UTF-8.
bool writable(std::string_view text);

}  // namespace treaty::formats::xml
