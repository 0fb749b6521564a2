// Messages of a document, on the way to the .treaty text that declares them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json_schema/values.h"

namespace treaty::formats::json_schema {

struct Message {
    std::string name = {};
    std::vector<std::string> fields = {};  // their names
    std::vector<std::string> types = {};   // one for each field
    // What is demanded of each field alone, with `placeholder` for its value; the conditions say the same.
    std::vector<std::string> demands = {};
    static constexpr char placeholder = '\1';
    std::vector<std::shared_ptr<const Schema>> schemas = {};  // one for each field
    std::vector<std::string> conditions = {};
    std::string layout = {};  // without "name(fields) = "
    base::Span span = {};
    // Where the fields come from, as the document names them: "path.id", "query.page", "body#/name".
    std::map<std::string, std::string> sources = {};

    // A field that comes from no schema.
    void add(std::string field, std::string type);

    // "name(a, b)", or the name alone if there are no arguments.
    std::string with(const std::vector<std::string>& arguments) const;
    std::string declaration() const;  // "message name(a: int) where a > 0"
    std::string layout_line() const;  // "name(a) = ..."
};

// "ended_code": one of several kinds of a message.
std::string name_of_variant(const std::string& message, const Schema& variant);

// What a reference such as "body#/items/0/id" means in a message: a field, and the way into it.
struct Path {
    std::size_t field = 0;
    std::vector<std::string> rest = {};
};
std::optional<Path> path_of(const Message& message, std::string_view source);

// A value that is a field of a message, or a part of one.
struct Part {
    std::string value = {};  // an expression
    std::string type = {};
    std::string demands = {};  // as Message::demands
    std::string guard = {};    // what must hold, so that it is there; empty: nothing
};

// Values of a document as fields of a message.
class FieldMaker {
public:
    explicit FieldMaker(Values& values) : values_(values) {}

    // One field for the value, which is a parameter or a property. Gives the field's name.
    std::string add(Message& message, FreeNames& free, const std::string& name, const Schema& schema,
                    bool may_be_missing, Direction direction);

    // One field for each property of an object. Gives the members as a layout has them, without braces;
    // `source` and the name of the property is where a field comes from. In a form every parameter may be
    // missing.
    std::string add_properties(Message& message, FreeNames& free, const Schema& object,
                               std::string_view source, Direction direction, bool in_form = false);

    // A JSON value: an object as the fields of the message, anything else as one field, which is called
    // `single` if it is not a list. Gives its layout; empty if the language has no such values.
    std::string add_json(Message& message, FreeNames& free, const Schema& schema, std::string_view source,
                         const std::string& single, Direction direction);

    // `variable`: what the field is called. Nothing if no value can be there.
    std::optional<Part> part(const Message& message, const Path& path, const std::string& variable);

private:
    Values& values_;
};

}  // namespace treaty::formats::json_schema
