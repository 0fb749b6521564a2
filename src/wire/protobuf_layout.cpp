#include "wire/protobuf_layout.h"

#include <algorithm>

namespace treaty::wire {

namespace forms = model::forms;
using expr::TypeId;
using expr::TypeKind;

WireType wire_type_of(ProtobufKind kind) {
    switch (kind) {
        case ProtobufKind::fixed64:
        case ProtobufKind::sfixed64:
        case ProtobufKind::float64: return wire_eight_bytes;
        case ProtobufKind::fixed32:
        case ProtobufKind::sfixed32:
        case ProtobufKind::float32: return wire_four_bytes;
        case ProtobufKind::string:
        case ProtobufKind::bytes:
        case ProtobufKind::message: return wire_sized;
        default: return wire_varint;
    }
}

ProtobufLayout::ProtobufLayout(const expr::Pool& pool, const forms::Protobuf& form) : pool_(&pool) {
    message_.open = form.open;
    compile(form.inner, {}, 0, message_);
    for (const Field& f : message_.fields) carries_.push_back(f.position);
}

// record: of the fields; none for those of the Treaty message, which have variables.
void ProtobufLayout::compile(std::span<const model::Item> items, TypeId record, std::uint32_t oneof,
                             Message& out) {
    const expr::Types& types = pool_->types();
    for (const model::Item& i : items) {
        if (const auto* alternatives = model::as<forms::ProtobufOneof>(i)) {
            compile(alternatives->inner, record, ++oneofs_, out);
            continue;
        }
        const auto* form = model::as<forms::ProtobufField>(i);
        if (!form) continue;
        Field f;
        f.name = pool_->names().text(form->name);
        f.number = form->number;
        f.position = form->position;
        f.oneof = oneof;
        f.kind = form->kind;
        f.key = form->key;
        f.expanded = form->expanded;
        f.closed = form->closed;
        f.numbers = form->numbers;
        f.type =
            form->variable ? pool_->variable(form->variable).type : types[record].fields[form->position].type;
        f.presence = form->required ? Presence::required : Presence::plain;
        if (TypeKind kind = types.kind(f.type); kind == TypeKind::list || kind == TypeKind::optional) {
            f.presence = kind == TypeKind::list ? Presence::repeated : Presence::optional;
            f.type = types[f.type].element;
        } else if (kind == TypeKind::map) {
            f.presence = Presence::map;
            f.key_type = types.key_of(f.type);
            f.type = types.value_of(f.type);
        }
        if (f.kind == ProtobufKind::message) {
            f.message.open = form->open;
            f.message.size = types[f.type].fields.size();
            compile(form->inner, f.type, 0, f.message);
        }
        out.fields.push_back(std::move(f));
    }
    std::sort(out.fields.begin(), out.fields.end(),
              [](const Field& a, const Field& b) { return a.number < b.number; });
}

}  // namespace treaty::wire
