#include "wire/document_places.h"

#include <map>
#include <string>

#include <fmt/format.h>

#include "wire/engine.h"

namespace treaty::wire {
namespace {

namespace forms = model::forms;
using expr::TypeKind;
using expr::Value;
using model::Item;

// What is in a place: a field, or a constant as text.
struct Held {
    expr::VarId variable;
    std::string text;
};
using Places = std::map<std::string, Held>;

// A value of one part only is a field or a constant as a whole.
void note(const std::string& place, const forms::Template& parts, Places& out) {
    if (parts.size() == 1) out[place] = {parts[0].variable, parts[0].text};
}

void note_path(const forms::Template& path, Places& out) {
    std::size_t step = 0;
    forms::Template segment;
    auto flush = [&] {
        note(fmt::format("path {}", step++), segment, out);
        segment.clear();
    };
    for (const forms::TextPart& p : path) {
        if (p.variable) {
            segment.push_back(p);
            continue;
        }
        std::string_view rest = p.text;
        for (std::size_t slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
            if (slash > 0) segment.push_back({std::string(rest.substr(0, slash)), {}, {}});
            flush();
            rest.remove_prefix(slash + 1);
        }
        if (!rest.empty()) segment.push_back({std::string(rest), {}, {}});
    }
    flush();
}

void note_json(const Item& item, const std::string& place, Places& out) {
    if (const auto* value = model::as<forms::JsonValue>(item)) {
        if (value->fields.empty()) out[place] = {value->variable, {}};
    } else if (const auto* constant = model::as<forms::JsonConstant>(item)) {
        Held held;
        if (const auto* text = std::get_if<std::string>(&constant->value))
            held.text = *text;
        else if (const auto* number = std::get_if<std::int64_t>(&constant->value))
            held.text = fmt::format("{}", *number);
        else if (const auto* flag = std::get_if<bool>(&constant->value))
            held.text = *flag ? "true" : "false";
        else
            return;
        out[place] = std::move(held);
    } else if (const auto* object = model::as<forms::JsonObject>(item)) {
        for (const Item& inner : object->inner)
            if (const auto* member = model::as<forms::JsonMember>(inner); member && !member->inner.empty())
                note_json(member->inner.front(), place + "." + member->key, out);
    } else if (const auto* array = model::as<forms::JsonArray>(item)) {
        for (std::size_t i = 0; i < array->inner.size(); ++i)
            note_json(array->inner[i], fmt::format("{}[{}]", place, i), out);
    }
}

Places places_of(const model::Layout& layout) {
    Places out;
    for (const Item& item : layout.items) {
        if (const auto* request = model::as<forms::HttpRequest>(item)) {
            note_path(request->path, out);
            for (const forms::Parameter& p : request->query) note("query " + p.name, p.value, out);
        } else if (const auto* header = model::as<forms::HttpHeader>(item)) {
            std::string name = header->header;
            for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
            note("header " + name, header->value, out);
        } else if (const auto* form = model::as<forms::FormBody>(item)) {
            for (const forms::Parameter& p : form->parameters) note("form " + p.name, p.value, out);
        } else if (model::is_json(item)) {
            note_json(item, "json", out);
        }
    }
    return out;
}

}  // namespace

std::vector<Value> with_constants_of(const expr::Pool& pool, const model::Layout& layout,
                                     std::vector<Value> values, const model::Layout& other) {
    Places mine = places_of(layout), theirs = places_of(other);
    for (const auto& [place, held] : mine) {
        auto there = theirs.find(place);
        if (!held.variable || there == theirs.end() || there->second.variable) continue;
        for (std::size_t f = 0; f < layout.fields.size() && f < values.size(); ++f) {
            if (layout.fields[f] != held.variable) continue;
            expr::TypeId type = pool.variable(held.variable).type;
            bool optional = pool.types().kind(type) == TypeKind::optional;
            if (optional) type = pool.types()[type].element;
            FieldView view;
            if (!is_simple(pool.types(), type) || !field_of_text(pool, type, there->second.text, view))
                continue;
            Value value;
            switch (pool.types().kind(type)) {
                case TypeKind::boolean: value = view.number != 0; break;
                case TypeKind::integer: value = view.number; break;
                case TypeKind::enumeration:
                    value = expr::EnumMember{static_cast<std::uint32_t>(view.number)};
                    break;
                case TypeKind::bytes: value = expr::Bytes{there->second.text}; break;
                default: value = there->second.text;
            }
            values[f] = optional ? Value(expr::Sequence{{std::move(value)}}) : std::move(value);
        }
    }
    return values;
}

}  // namespace treaty::wire
