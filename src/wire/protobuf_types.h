// What protobuf can encode: the kinds of fields, their words, their numbers, and what has which type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "expr/pool.h"
#include "model/wire.h"

namespace treaty::wire {

using model::forms::ProtobufKind;

// Whether a list of them may be one field, packed.
bool is_packable(ProtobufKind kind);

// The words for kinds in layouts, those of .proto files: "int32", "enum", "message".
std::string_view protobuf_word(ProtobufKind kind);
std::optional<ProtobufKind> protobuf_kind(std::string_view word);

// The numbers that a field can have; 19000 to 19999 belong to protobuf itself.
constexpr std::int64_t most_protobuf_number = (std::int64_t{1} << 29) - 1;
bool is_protobuf_number(std::int64_t number);

// The numbers that the kind has room for, as far as Treaty has them (63 bits); nothing if it is not one of an
// integer.
struct ProtobufRange {
    std::int64_t low = 0, high = 0;
};
std::optional<ProtobufRange> protobuf_range(ProtobufKind kind);

// Why a value of this type cannot be such a field; empty if it can. Fields inside it are not looked at.
std::string protobuf_type_fault(const expr::Pool& pool, const model::forms::ProtobufField& field,
                                expr::TypeId type, bool in_oneof);

// Why the protobuf messages in the items of a model's layout are not ones that a codec can be made of; empty
// if they are.
std::string protobuf_fault(const expr::Pool& pool, const model::Layout& layout,
                           std::span<const model::Item> items);

}  // namespace treaty::wire
