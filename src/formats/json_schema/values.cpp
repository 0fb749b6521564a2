#include "formats/json_schema/values.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "formats/codes.h"

namespace treaty::formats::json_schema {
namespace {

constexpr std::uint64_t longest_counted = 200;  // characters, by a pattern

constexpr std::array reserved = std::to_array<std::string_view>(
    {"after",     "and",    "at",     "choice",  "const",    "continue",  "do",       "else",
     "enum",      "expect", "false",  "forbid",  "function", "if",        "implies",  "in",
     "interrupt", "let",    "match",  "matches", "message",  "mod",       "none",     "not",
     "optional",  "or",     "over",   "par",     "permutes", "predicate", "property", "protocol",
     "rec",       "record", "repeat", "signal",  "then",     "true",      "try",      "type",
     "wait",      "when",   "where",  "while",   "wire",     "within",    "xor",      "all",
     "any",       "count",  "fold",   "for",     "with",     "without",   "some",     "has",
     "value",     "size"});

// Formats that a pattern can state. What is sent has no day that some month lacks.
std::string_view pattern_of_format(std::string_view format, Direction direction) {
    bool request = direction == Direction::request;
    if (format == "date")
        return request ? "(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
                       : "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
    if (format == "date-time")
        return request
                   ? "(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:"
                     "[0-5][0-9]Z"
                   : "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:"
                     "([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})";
    if (format == "uuid")
        return "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
    if (format == "email" && request) return "[a-z]{1,8}@[a-z]{1,8}\\.org";
    return {};
}

// Whether a pattern has alternatives at its outermost level: then an anchor belongs to one of them only.
bool has_outer_alternatives(std::string_view pattern) {
    int depth = 0;
    bool in_class = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        char c = pattern[i];
        if (c == '\\') {
            ++i;
        } else if (in_class) {
            in_class = c != ']';
        } else if (c == '[') {
            in_class = true;
        } else if (c == '(' || c == ')') {
            depth += c == '(' ? 1 : -1;
        } else if (c == '|' && depth == 0) {
            return true;
        }
    }
    return false;
}

// A pattern of JSON Schema matches anywhere; one of the language matches all. Empty: it has no counterpart.
std::string whole(std::string_view pattern) {
    if (has_outer_alternatives(pattern)) return {};
    bool from_start = pattern.starts_with('^');
    if (from_start) pattern.remove_prefix(1);
    bool to_end = pattern.ends_with('$') && !pattern.ends_with("\\$");
    if (to_end) pattern.remove_suffix(1);
    constexpr std::string_view anything = "[\\s\\S]*";
    return fmt::format("{}{}{}", from_start ? "" : anything, pattern, to_end ? "" : anything);
}

std::string pattern_literal(std::string_view pattern) {
    std::string out = "/";
    bool escaped = false;
    for (char c : pattern) {
        if (c == '/' && !escaped) out += '\\';
        escaped = c == '\\' && !escaped;
        out += c;
    }
    return out + "/";
}

}  // namespace

std::string FreeNames::take(std::string_view wanted) {
    std::string name(wanted);
    for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
    return name;
}

std::string name_near(std::string_view text) {
    std::string name;
    bool was_lower = false;
    for (char c : text) {
        bool upper = c >= 'A' && c <= 'Z';
        bool digit = c >= '0' && c <= '9';
        bool lower = c >= 'a' && c <= 'z';
        if (upper && was_lower) name += '_';
        was_lower = lower || digit;
        if (upper)
            name += static_cast<char>(c - 'A' + 'a');
        else if (lower || digit)
            name += c;
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty()) name = "x";
    if (name[0] >= '0' && name[0] <= '9') name = "n" + name;
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) name += '_';
    return name;
}

void Values::left_out(base::Span span, std::string what) {
    if (!told_.emplace(span.file.index, span.begin).second) return;
    diagnostics_.report(codes::document_left_out, span, std::move(what));
}

bool Values::expressible(const Schema& schema) {
    switch (schema.kind) {
        case Schema::Kind::unknown:
            left_out(schema.span, fmt::format("left out: this {}", schema.why));
            return false;
        case Schema::Kind::variants:
            left_out(schema.span, "left out: oneOf and anyOf are read only for a whole body");
            return false;
        case Schema::Kind::list: return expressible(*schema.items);
        case Schema::Kind::object:
            if (schema.properties.empty()) {
                left_out(schema.span, "left out: an object without listed properties");
                return false;
            }
            return true;
        default: return true;
    }
}

const std::map<std::string, std::string>& Values::field_names(const Schema& schema) {
    auto [found, is_new] = fields_.try_emplace(schema.node);
    if (is_new) {
        FreeNames free;
        for (const Schema::Property& property : schema.properties)
            found->second[property.name] = free.take(name_near(property.name));
    }
    return found->second;
}

std::string Values::record(const Schema& schema, const std::string& hint) {
    auto known = records_.find(schema.node);
    if (known != records_.end()) return known->second;
    std::string name = name_near(schema.name.empty() ? hint : schema.name);
    name[0] = static_cast<char>(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0]);
    name = record_names_.take(name);
    records_[schema.node] = name;
    std::string fields;
    for (const Schema::Property& property : schema.properties) {
        if (!expressible(*property.schema) || property.schema->is_constant()) continue;
        std::string inner = type(*property.schema, fmt::format("{}_{}", name, property.name));
        fields += fmt::format("{}{}: {}", fields.empty() ? "" : ", ", field_names(schema).at(property.name),
                              may_be_missing(property) ? fmt::format("optional<{}>", inner) : inner);
    }
    declarations_.push_back(fmt::format("record {} {{ {} }}", name, fields));
    return name;
}

std::string Values::type(const Schema& schema, const std::string& hint) {
    switch (schema.kind) {
        case Schema::Kind::boolean: return "bool";
        case Schema::Kind::integer: {
            if (schema.least && schema.most && !schema.above_least && !schema.below_most)
                return fmt::format("int in {}..{}", *schema.least, *schema.most);
            if (schema.format == "int32" && !schema.least && !schema.most)
                return "int in -2147483648..2147483647";
            return "int";
        }
        case Schema::Kind::number: return "real";
        case Schema::Kind::list: return fmt::format("list<{}>", type(*schema.items, hint + "_item"));
        case Schema::Kind::object: return record(schema, hint);
        default: return "string";
    }
}

void Values::text_conditions(const Schema& schema, const std::string& value, Direction direction,
                             std::vector<std::string>& into) {
    auto matches = [&](std::string_view pattern) {
        into.push_back(fmt::format("{} matches {}", value, pattern_literal(pattern)));
    };
    if (std::string_view known = pattern_of_format(schema.format, direction); !known.empty()) matches(known);
    if (!schema.pattern.empty()) {
        std::string pattern = whole(schema.pattern);
        re2::RE2 compiled(pattern, re2::RE2::Quiet);
        if (pattern.empty() || !compiled.ok() || schema.pattern.find('\n') != std::string::npos)
            left_out(schema.span, fmt::format("the pattern `{}` is not checked", schema.pattern));
        else
            matches(pattern);
    }
    // Lengths count characters, and size() counts bytes: a text has at least as many of these.
    if (schema.longest && *schema.longest <= longest_counted)
        matches(fmt::format("[\\s\\S]{{{},{}}}", std::min(schema.fewest.value_or(0), *schema.longest),
                            *schema.longest));
    else if (schema.fewest && *schema.fewest > 0)
        into.push_back(fmt::format("size({}) >= {}", value, *schema.fewest));
    if (schema.longest && *schema.longest > longest_counted) {
        if (direction == Direction::request)
            into.push_back(fmt::format("size({}) <= {}", value, *schema.longest));
        else
            left_out(schema.span, fmt::format("`maxLength: {}` is not checked", *schema.longest));
    }
}

void Values::conditions(const Schema& schema, const std::string& value, Direction direction,
                        std::vector<std::string>& into) {
    using Kind = Schema::Kind;
    if (!schema.allowed.empty())
        into.push_back(fmt::format("{} in [{}]", value, fmt::join(schema.allowed, ", ")));
    if (schema.kind == Kind::text && schema.allowed.empty()) text_conditions(schema, value, direction, into);
    if (schema.kind == Kind::integer || schema.kind == Kind::number) {
        bool in_type = type(schema, "").starts_with("int in") && schema.least;
        if (schema.least && !in_type)
            into.push_back(fmt::format("{} {} {}", value, schema.above_least ? ">" : ">=", *schema.least));
        if (schema.most && !in_type)
            into.push_back(fmt::format("{} {} {}", value, schema.below_most ? "<" : "<=", *schema.most));
        if (schema.multiple && *schema.multiple != "0")
            into.push_back(fmt::format("{} mod {} == 0", value, *schema.multiple));
    }
    if (schema.kind == Kind::list) {
        if (schema.fewest && *schema.fewest > 0)
            into.push_back(fmt::format("size({}) >= {}", value, *schema.fewest));
        if (schema.longest) into.push_back(fmt::format("size({}) <= {}", value, *schema.longest));
        std::string element = fmt::format("e{}", ++inner_);
        std::vector<std::string> each;
        conditions(*schema.items, element, direction, each);
        if (!each.empty())
            into.push_back(fmt::format("(all {} in {}: {})", element, value, fmt::join(each, " and ")));
        --inner_;
    }
    if (schema.kind != Kind::object) return;
    for (const Schema::Property& property : schema.properties) {
        const Schema& inner = *property.schema;
        if (inner.kind == Kind::unknown || inner.kind == Kind::variants || inner.is_constant() ||
            !expressible(inner))
            continue;
        std::string field = fmt::format("{}.{}", value, field_names(schema).at(property.name));
        std::vector<std::string> found;
        bool missing = may_be_missing(property);
        conditions(inner, missing ? fmt::format("value({})", field) : field, direction, found);
        if (found.empty()) continue;
        if (missing)
            into.push_back(fmt::format("(has({}) implies {})", field, fmt::join(found, " and ")));
        else
            into.insert(into.end(), found.begin(), found.end());
    }
}

// Whether a value is written in JSON as the language writes it, without a layout of its own.
bool Values::plain(const Schema& schema) {
    if (schema.kind == Schema::Kind::list) return plain(*schema.items);
    if (schema.kind != Schema::Kind::object) return true;
    return std::ranges::all_of(schema.properties, [&](const Schema::Property& property) {
        return field_names(schema).at(property.name) == property.name && !property.schema->is_constant() &&
               expressible(*property.schema) && plain(*property.schema);
    });
}

std::string Values::member(const Schema::Property& property, const std::string& value) {
    const Schema& inner = *property.schema;
    std::string key = string_literal(property.name);
    if (inner.is_constant())
        return property.required ? fmt::format("{}: {}", key, inner.allowed.front()) : std::string();
    if (!expressible(inner)) return {};
    if (!may_be_missing(property)) return fmt::format("{}: {}", key, layout(inner, value));
    if (!plain(inner))
        left_out(
            inner.span,
            fmt::format(
                "`{}` may be missing and has properties of other names or kinds; they are read by the names "
                "of their fields",
                property.name));
    return fmt::format("{}{}: {}", property.required ? "" : "optional ", key, value);
}

std::string Values::layout(const Schema& schema, const std::string& value) {
    if (schema.kind == Schema::Kind::list && schema.items->kind == Schema::Kind::object &&
        !schema.items->nullable) {
        std::string element = fmt::format("e{}", ++inner_);
        std::string out = fmt::format("[{} for {} in {}]", layout(*schema.items, element), element, value);
        --inner_;
        return out;
    }
    if (schema.kind != Schema::Kind::object) return value;
    std::string members;
    for (const Schema::Property& property : schema.properties) {
        std::string one =
            member(property, fmt::format("{}.{}", value, field_names(schema).at(property.name)));
        if (!one.empty()) members += fmt::format("{}{}", members.empty() ? "" : ", ", one);
    }
    if (!schema.closed) members += members.empty() ? "..." : ", ...";
    return fmt::format("{{ {} }}", members);
}

}  // namespace treaty::formats::json_schema
