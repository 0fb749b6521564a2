// Schemas as the language has them: types, conditions, and how values look in JSON.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "formats/json_schema/schema.h"

namespace treaty::formats::json_schema {

// Names of one kind, each given once: "pet", "pet_2".
class FreeNames {
public:
    std::string take(std::string_view wanted);

private:
    std::set<std::string> taken_;
};

// A name of the language near to the text: "X-Rate-Limit" is x_rate_limit. Never a reserved word.
std::string name_near(std::string_view text);

// Which way a value goes: what is sent must be right, what is received must be allowed.
enum class Direction : std::uint8_t { request, response };

class Values {
public:
    explicit Values(base::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    // Whether the language has such values. If not, the reason was reported.
    bool expressible(const Schema& schema);
    // The type, without `optional`. Declares records for objects.
    std::string type(const Schema& schema, const std::string& hint);
    // What must hold for `value`, which is an expression.
    void conditions(const Schema& schema, const std::string& value, Direction direction,
                    std::vector<std::string>& into);
    // The JSON of `value`, as a layout has it.
    std::string layout(const Schema& schema, const std::string& value);
    // A member of an object, ": " and its value included; empty if it is left out.
    std::string member(const Schema::Property& property, const std::string& value);

    // Whether the value of a property may be missing.
    static bool may_be_missing(const Schema::Property& property) {
        return !property.required || property.schema->nullable;
    }
    // The name of a property as a field of its record.
    const std::map<std::string, std::string>& field_names(const Schema& schema);

    const std::vector<std::string>& declarations() const { return declarations_; }

private:
    std::string record(const Schema& schema, const std::string& hint);
    bool plain(const Schema& schema);
    void text_conditions(const Schema& schema, const std::string& value, Direction direction,
                         std::vector<std::string>& into);
    void left_out(base::Span span, std::string what);

    base::Diagnostics& diagnostics_;
    FreeNames record_names_;
    std::map<const YamlNode*, std::string> records_;
    std::map<const YamlNode*, std::map<std::string, std::string>> fields_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> told_;
    std::vector<std::string> declarations_;
    int inner_ = 0;  // names of elements: e1, e2
};

}  // namespace treaty::formats::json_schema
