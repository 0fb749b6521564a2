#include "wire/protobuf_types.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace treaty::wire {
namespace {

namespace forms = model::forms;
using expr::TypeId;
using expr::TypeKind;

constexpr std::array<std::string_view, 17> words{
    "int32",    "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
    "sfixed64", "float", "double", "bool",   "string", "bytes",  "enum",    "message"};

}  // namespace

bool is_packable(ProtobufKind kind) {
    return kind != ProtobufKind::string && kind != ProtobufKind::bytes && kind != ProtobufKind::message;
}

std::string_view protobuf_word(ProtobufKind kind) {
    return words[static_cast<std::size_t>(kind)];
}

std::optional<ProtobufKind> protobuf_kind(std::string_view word) {
    auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) return std::nullopt;
    return static_cast<ProtobufKind>(found - words.begin());
}

bool is_protobuf_number(std::int64_t number) {
    return number >= 1 && number <= most_protobuf_number && (number < 19000 || number > 19999);
}

std::optional<ProtobufRange> protobuf_range(ProtobufKind kind) {
    switch (kind) {
        case ProtobufKind::int32:
        case ProtobufKind::sint32:
        case ProtobufKind::sfixed32: return ProtobufRange{INT32_MIN, INT32_MAX};
        case ProtobufKind::uint32:
        case ProtobufKind::fixed32: return ProtobufRange{0, UINT32_MAX};
        case ProtobufKind::uint64:
        case ProtobufKind::fixed64: return ProtobufRange{0, INT64_MAX};
        case ProtobufKind::int64:
        case ProtobufKind::sint64:
        case ProtobufKind::sfixed64: return ProtobufRange{INT64_MIN, INT64_MAX};
        default: return std::nullopt;
    }
}

namespace {

TypeKind type_kind_of(ProtobufKind kind) {
    switch (kind) {
        case ProtobufKind::float32:
        case ProtobufKind::float64: return TypeKind::real;
        case ProtobufKind::boolean: return TypeKind::boolean;
        case ProtobufKind::string: return TypeKind::string;
        case ProtobufKind::bytes: return TypeKind::bytes;
        case ProtobufKind::enumeration: return TypeKind::enumeration;
        case ProtobufKind::message: return TypeKind::record;
        default: return TypeKind::integer;
    }
}

std::string enumeration_fault(const forms::ProtobufField& field, const expr::Type& type, bool plain) {
    if (field.numbers.size() != type.members.size()) return "each member needs a number";
    std::vector<std::int32_t> sorted = field.numbers;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        return "two members have the same number";
    if (plain && !std::binary_search(sorted.begin(), sorted.end(), 0))
        return "a field that is left out is 0, so a member needs the number 0";
    return {};
}

}  // namespace

std::string protobuf_type_fault(const expr::Pool& pool, const forms::ProtobufField& field, TypeId type,
                                bool in_oneof) {
    const expr::Types& types = pool.types();
    TypeKind outer = types.kind(type);
    bool single = outer != TypeKind::list && outer != TypeKind::optional && outer != TypeKind::map;
    if (in_oneof && outer != TypeKind::optional) return "a field of a oneof needs an optional type";
    if (field.required && !single) return "only a field that always has one value is `required`";
    if (field.map != (outer == TypeKind::map))
        return field.map ? "only a field whose type is a map is encoded as one"
                         : "a map is encoded as map<KEY, VALUE>";
    if (field.expanded && (outer != TypeKind::list || !is_packable(field.kind)))
        return "only a list of numbers is `expanded`";
    if (field.closed && field.kind != ProtobufKind::enumeration) return "only an enum is `closed`";
    TypeId inner = type;
    if (outer == TypeKind::map) {
        inner = types.value_of(type);
        TypeKind key = type_kind_of(field.key);
        bool can_be_key = key == TypeKind::integer || key == TypeKind::boolean || key == TypeKind::string;
        if (!can_be_key) return "keys are integers, bool or string";
        if (types.kind(types.key_of(type)) != key)
            return fmt::format("the keys are {}, which is not encoded as {}",
                               types.print(types.key_of(type), pool.names()), protobuf_word(field.key));
    } else if (!single) {
        inner = types[type].element;
    }
    if (types.kind(inner) != type_kind_of(field.kind))
        return fmt::format("{} is not encoded as {}", types.print(inner, pool.names()),
                           protobuf_word(field.kind));
    if (field.kind == ProtobufKind::enumeration)
        return enumeration_fault(field, types[inner], outer == TypeKind::map || (single && !field.required));
    return {};
}

namespace {

// What of a model a codec relies on.
class FormCheck {
public:
    FormCheck(const expr::Pool& pool, const model::Layout& layout) : pool_(pool), layout_(layout) {}

    // record: of the fields; none for those of the Treaty message.
    std::string fields(std::span<const model::Item> items, TypeId record) {
        std::vector<std::uint32_t> numbers;
        return fields(items, record, false, numbers);
    }

private:
    std::string fields(std::span<const model::Item> items, TypeId record, bool in_oneof,
                       std::vector<std::uint32_t>& numbers) {
        for (const model::Item& i : items) {
            std::string fault;
            if (const auto* oneof = model::as<forms::ProtobufOneof>(i)) {
                fault = in_oneof ? "a oneof consists of fields" : fields(oneof->inner, record, true, numbers);
            } else if (const auto* field = model::as<forms::ProtobufField>(i)) {
                bool known = std::find(numbers.begin(), numbers.end(), field->number) != numbers.end();
                numbers.push_back(field->number);
                fault = known || !is_protobuf_number(field->number)
                            ? "two fields have one number, or one has a number that no field can have"
                            : this->field(*field, record, in_oneof);
            } else {
                fault = "a protobuf message consists of fields";
            }
            if (!fault.empty()) return fault;
        }
        return {};
    }

    std::string field(const forms::ProtobufField& field, TypeId record, bool in_oneof) {
        const expr::Types& types = pool_.types();
        std::size_t count = record ? types[record].fields.size() : layout_.fields.size();
        bool there = field.name.valid() && field.position < count;
        if (there && record) there = !field.variable;
        if (there && !record) there = field.variable && layout_.fields[field.position] == field.variable;
        if (!there) return "a field of a protobuf message is not at its position";
        TypeId type =
            record ? types[record].fields[field.position].type : pool_.variable(field.variable).type;
        if (std::string fault = protobuf_type_fault(pool_, field, type, in_oneof); !fault.empty())
            return fault;
        if (field.kind != ProtobufKind::message) return {};
        TypeKind kind = types.kind(type);
        if (kind == TypeKind::map)
            type = types.value_of(type);
        else if (kind != TypeKind::record)
            type = types[type].element;
        std::vector<bool> carried(types[type].fields.size());
        mark(field.inner, carried);
        if (std::find(carried.begin(), carried.end(), false) != carried.end())
            return "a message does not carry all fields of its record";
        return fields(field.inner, type);
    }

    static void mark(std::span<const model::Item> items, std::vector<bool>& carried) {
        for (const model::Item& i : items) {
            if (model::is<forms::ProtobufOneof>(i)) mark(model::inner_of(i), carried);
            const auto* field = model::as<forms::ProtobufField>(i);
            if (field && field->position < carried.size()) carried[field->position] = true;
        }
    }

    const expr::Pool& pool_;
    const model::Layout& layout_;
};

}  // namespace

std::string protobuf_fault(const expr::Pool& pool, const model::Layout& layout,
                           std::span<const model::Item> items) {
    for (const model::Item& i : items) {
        bool inside = model::is<forms::ProtobufField>(i) || model::is<forms::ProtobufOneof>(i);
        if (inside) return "a field of protobuf is not in a protobuf message";
        const auto* form = model::as<forms::Protobuf>(i);
        std::string fault = form ? FormCheck(pool, layout).fields(form->inner, {})
                                 : protobuf_fault(pool, layout, model::inner_of(i));
        if (!fault.empty()) return fault;
    }
    return {};
}

}  // namespace treaty::wire
