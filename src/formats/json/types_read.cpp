// Records may contain records that are declared later, but never themselves. So all names are declared first;
// then fields are read; then one depth-first walk finds cycles and how deep records nest; and fields are set
// from the outermost record inwards, which keeps the check inside set_fields() cheap.

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/data.h"

namespace treaty::formats {

using expr::TypeId;
using expr::TypeKind;

bool has_data_part(Json object) {
    return object && object.kind() == JsonKind::object && object["variables"];
}

void JsonDataReader::declare_type(Json value) {
    if (!in_.is(value, JsonKind::object)) return;
    bool enumeration = static_cast<bool>(value["enumeration"]);
    Json name_value = enumeration ? value["enumeration"] : in_.need(value, "record");
    if (!name_value) return;
    std::string text = in_.text(name_value);
    if (!named_ids_.try_emplace(text, static_cast<std::uint32_t>(named_.size())).second)
        in_.report(codes::json_twice, name_value, "two types with the same name");
    base::NameId id = names_->intern(text);
    if (!enumeration) {
        named_.push_back(types_->record(id, {}));
        return;
    }
    std::vector<base::NameId> members;
    absl::flat_hash_set<base::NameId> seen;
    if (Json list = in_.need_array(value, "members")) {
        for (Json member : list.items()) {
            members.push_back(name(member));
            if (!seen.insert(members.back()).second)
                in_.report(codes::json_twice, member, "two members with the same name");
        }
    }
    TypeId type = types_->enumeration(id, members);
    for (std::uint32_t i = 0; i < members.size(); ++i) members_.try_emplace({type, members[i]}, i);
    named_.push_back(type);
}

JsonDataReader::WrittenRecord JsonDataReader::written_record(Json value) {
    WrittenRecord record;
    Json list = in_.need_array(value, "fields");
    if (!list) return record;
    absl::flat_hash_set<base::NameId> seen;
    for (Json field : list.items()) {
        if (!in_.is(field, JsonKind::object)) continue;
        base::NameId id = name(in_.need(field, "name"));
        if (!seen.insert(id).second) in_.report(codes::json_twice, field, "two fields with the same name");
        WrittenType type = written_type(in_.need(field, "type"));
        if (!type.core) continue;
        record.names.push_back(id);
        record.types.push_back(std::move(type));
    }
    return record;
}

void JsonDataReader::read_types(Json array) {
    if (!array) return;
    for (Json value : array.items()) declare_type(value);
    named_depth_.assign(named_.size(), 1);
    if (!in_.ok()) return;
    std::vector<WrittenRecord> records(named_.size());
    std::size_t at = 0;
    for (Json value : array.items()) {
        if (types_->kind(named_[at]) == TypeKind::record) records[at] = written_record(value);
        ++at;
    }
    std::vector<std::uint32_t> order;
    if (!order_records(array, records, order)) return;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        std::vector<expr::Field> fields;
        for (std::size_t f = 0; f < records[*i].names.size(); ++f)
            fields.push_back({records[*i].names[f], build(records[*i].types[f])});
        if (types_->kind(named_[*i]) == TypeKind::record) types_->set_fields(named_[*i], std::move(fields));
    }
}

// Inner records first; false if there is no such order or it is nested too deeply.
bool JsonDataReader::order_records(Json array, const std::vector<WrittenRecord>& records,
                                   std::vector<std::uint32_t>& order) {
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(records.size(), Mark::fresh);
    for (std::uint32_t start = 0; start < records.size(); ++start) {
        std::vector<std::uint32_t> pending{start};
        while (!pending.empty()) {
            std::uint32_t at = pending.back();
            if (marks[at] != Mark::fresh) {
                pending.pop_back();
                if (marks[at] == Mark::done) continue;
                marks[at] = Mark::done;
                for (const WrittenType& t : records[at].types) {
                    std::size_t inner = t.named == JsonReader::none_index ? 1 : named_depth_[t.named];
                    named_depth_[at] = std::max(named_depth_[at], 1 + t.wraps.size() + inner);
                }
                order.push_back(at);
                continue;
            }
            marks[at] = Mark::open;
            for (const WrittenType& t : records[at].types) {
                if (t.named == JsonReader::none_index || marks[t.named] == Mark::done) continue;
                if (marks[t.named] == Mark::open) {
                    in_.report(codes::json_model, array, "a record contains itself");
                    return false;
                }
                pending.push_back(t.named);
            }
        }
    }
    bool flat = std::all_of(named_depth_.begin(), named_depth_.end(),
                            [](std::size_t depth) { return depth <= expr::Types::max_nesting; });
    if (!flat) in_.report(codes::json_too_large, array, "types are nested too deeply");
    return flat;
}

JsonDataReader::WrittenType JsonDataReader::written_type(Json value) {
    WrittenType written;
    while (value && value.kind() == JsonKind::object) {
        static constexpr std::pair<std::string_view, TypeKind> words[] = {{"list", TypeKind::list},
                                                                          {"optional", TypeKind::optional},
                                                                          {"set", TypeKind::set},
                                                                          {"map", TypeKind::map}};
        auto wrap = std::find_if(std::begin(words), std::end(words),
                                 [&](const auto& word) { return static_cast<bool>(value[word.first]); });
        if (wrap == std::end(words)) break;
        TypeId key = wrap->second == TypeKind::map ? key_type(value) : TypeId();
        if (!in_.ok()) return written;
        written.wraps.push_back({wrap->second, key});
        value = value[wrap->first];
        if (written.wraps.size() > expr::Types::max_nesting) {
            in_.report(codes::json_too_large, value, "types are nested too deeply");
            return written;
        }
    }
    if (!value) return written;
    if (value.kind() == JsonKind::object) {
        if (Json range = value["int"]) {
            if (!in_.is(range, JsonKind::array)) return written;
            std::vector<std::optional<std::int64_t>> bounds;
            for (Json bound : range.items())
                bounds.push_back(bound.kind() == JsonKind::null ? std::nullopt
                                                                : std::optional(in_.integer(bound)));
            if (bounds.size() != 2) {
                in_.report(codes::json_type, range, "expected the least and the greatest value, or null");
                return written;
            }
            written.core = types_->integer(bounds[0], bounds[1]);
            return written;
        }
        Json named = in_.need(value, "named");
        if (!in_.is_text(named)) return written;
        auto found = named_ids_.find(in_.text(named));
        if (found == named_ids_.end()) {
            in_.report(codes::json_reference, named, "unknown type");
            return written;
        }
        written.named = found->second;
        written.core = named_[found->second];
        return written;
    }
    if (!in_.is(value, JsonKind::string)) return written;
    std::string_view text = value.string();
    if (text == "unknown") written.core = types_->unknown();
    if (text == "bool") written.core = types_->boolean();
    if (text == "int") written.core = types_->integer();
    if (text == "real") written.core = types_->real();
    if (text == "string") written.core = types_->string();
    if (text == "bytes") written.core = types_->bytes();
    if (!written.core) in_.report(codes::json_type, value, "unknown type");
    return written;
}

TypeId JsonDataReader::key_type(Json map) {
    Json key = in_.need(map, "key");
    if (!key) return types_->unknown();
    WrittenType written =
        key.kind() == JsonKind::object && !key["int"] && !key["named"] ? WrittenType() : written_type(key);
    if (written.core && types_->kind(written.core) != TypeKind::record && written.wraps.empty())
        return written.core;
    if (in_.ok()) in_.report(codes::json_type, key, "a key is a number, a text, a truth value or a member");
    return types_->unknown();
}

TypeId JsonDataReader::build(const WrittenType& written) {
    TypeId type = written.core;
    for (auto wrap = written.wraps.rbegin(); wrap != written.wraps.rend(); ++wrap) switch (wrap->kind) {
            case TypeKind::list: type = types_->list(type); break;
            case TypeKind::set: type = types_->set(type); break;
            case TypeKind::map: type = types_->map(wrap->key, type); break;
            default: type = types_->optional(type); break;
        }
    return type;
}

TypeId JsonDataReader::type(Json value) {
    WrittenType written = written_type(value);
    if (!written.core) return types_->unknown();
    std::size_t inner = written.named == JsonReader::none_index ? 1 : named_depth_[written.named];
    if (inner + written.wraps.size() > expr::Types::max_nesting) {
        in_.report(codes::json_too_large, value, "types are nested too deeply");
        return types_->unknown();
    }
    return build(written);
}

}  // namespace treaty::formats
