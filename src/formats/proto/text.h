// Messages of a .proto file as the language has them: types, messages and layouts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json_schema/values.h"
#include "formats/made_text.h"
#include "formats/proto/schema.h"

namespace treaty::formats::proto {

// A Treaty message whose fields are those of a message of the file.
struct Part {
    std::string name = {};
    const Message* message = nullptr;  // null: no fields
    // What is written before it, as items of a layout; empty: the message has a length alone.
    std::string frame = {};
    base::Span span = {};
};

class Text {
public:
    explicit Text(MadeText& out) : out_(out) {}

    // The records and enumerations that the fields of the message need, each once.
    void declare_types(const Message& message);
    void declare(const Part& part);
    // A layout of the part, over several lines.
    void layout(int indent, const Part& part);

private:
    const std::string& record(const Message& message);
    const std::string& enumeration(const Enumeration& enumeration);
    std::string value_type(const Field& field);
    std::string type(const Field& field);
    const std::vector<std::string>& fields(const Message& message);
    std::string declaration(const Message& message);
    void notes(const Message& message);
    std::vector<std::string> members(const Message& message);
    std::string member(const Message& message, std::size_t field);

    MadeText& out_;
    json_schema::FreeNames names_;  // of types and members of enumerations
    std::map<const Message*, std::string> records_;
    std::map<const Enumeration*, std::string> enumerations_;
    std::map<const Enumeration*, std::vector<std::string>> members_;
    std::map<const Message*, std::vector<std::string>> fields_;
};

}  // namespace treaty::formats::proto
