// A mapping held against a protocol: whether the names that it gives are names of the protocol, and where the
// fields of its messages come from.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "watch/mapping/mapping.h"
#include "watch/record.h"

namespace treaty::watch {

// Where the value of a field comes from.
struct FieldSource {
    enum class Kind : std::uint8_t { none, text, slot, member } kind = Kind::none;
    const Template* text = nullptr;
    std::size_t slot = 0;
    std::string path;
};

// By field of the message.
std::vector<FieldSource> field_sources(const Mapping& mapping, const MessageRule& rule,
                                       const model::Specification& specification, model::MessageId message);

// The names of messages that a rule can give; nothing if they depend on the records.
std::optional<std::vector<std::string>> possible_names(const Mapping& mapping, const MessageRule& rule);

// Whether every message that the mapping can give has a value for each of its fields. One that has not is
// named, by message and field.
struct UnmappedField {
    const MessageRule* rule = nullptr;
    std::string message, field;
};
std::optional<UnmappedField> unmapped_field(const Mapping& mapping, const Vocabulary& vocabulary);

// Reports what the protocol does not have: roles and fields as errors, messages as warnings; and that data
// cannot be judged, unless data is not to be judged.
void check_mapping(const Mapping& mapping, const Vocabulary& vocabulary, bool data_wanted,
                   base::Diagnostics& diagnostics);

}  // namespace treaty::watch
