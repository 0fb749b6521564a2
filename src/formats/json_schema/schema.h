// A JSON Schema, as far as values of the language can have it: references replaced, allOf merged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/json_schema/references.h"

namespace treaty::formats::json_schema {

struct Schema : std::enable_shared_from_this<Schema> {
    enum class Kind : std::uint8_t { unknown, boolean, integer, number, text, list, object, variants };
    struct Property {
        std::string name;
        std::shared_ptr<const Schema> schema;
        bool required = false;
    };

    Kind kind = Kind::unknown;
    const YamlNode* node = nullptr;  // after references; the same schema used twice has one node
    base::Span span = {};
    std::string name = {};  // of the component it refers to
    std::string title = {};
    std::string why = {};  // of an unknown one: what it is, for people
    bool nullable = false;
    std::vector<std::string> allowed = {};         // literals of the language: enum, const
    std::optional<std::string> least, most;        // of numbers, as literals
    bool above_least = false, below_most = false;  // exclusive
    std::optional<std::string> multiple;           // of integers
    std::optional<std::uint64_t> fewest, longest;  // length of texts, size of lists
    std::string pattern = {}, format = {};
    std::shared_ptr<const Schema> items = {};
    std::vector<Property> properties = {};
    std::set<std::string> required = {};  // names, which may be those of properties that come later
    bool closed = false;                  // additionalProperties: false
    std::vector<std::shared_ptr<const Schema>> variants = {};

    bool is_constant() const { return allowed.size() == 1 && !nullable; }
};

class SchemaReader {
public:
    SchemaReader(References& references, base::Diagnostics& diagnostics)
        : references_(references), diagnostics_(diagnostics) {}

    // Never null. What is left out is reported at its place, once.
    std::shared_ptr<const Schema> read(const YamlNode& node);

    bool too_many() const { return made_ > most_made; }

private:
    static constexpr std::size_t most_made = 20'000;

    void read_into(const YamlNode& node, Schema& schema);
    void read_type(const YamlNode& node, Schema& schema);
    void read_allowed(const YamlNode& node, Schema& schema);
    void read_bounds(const YamlNode& node, Schema& schema);
    void read_object(const YamlNode& node, Schema& schema);
    void read_variants(const YamlNode& node, Schema& schema);
    void left_out(base::Span span, std::string what);

    References& references_;
    base::Diagnostics& diagnostics_;
    std::vector<const YamlNode*> open_;  // being read, to notice a schema inside itself
    std::set<std::pair<std::uint32_t, std::uint32_t>> told_;
    std::size_t made_ = 0;
};

// A text as a literal of the language.
std::string string_literal(std::string_view text);

}  // namespace treaty::formats::json_schema
