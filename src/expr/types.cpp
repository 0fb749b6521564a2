#include "expr/types.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/check.h"

namespace treaty::expr {
namespace {

std::string bound(std::optional<std::int64_t> value) {
    return value ? fmt::format("{}", *value) : std::string();
}

bool wraps(TypeKind kind) {
    return kind == TypeKind::list || kind == TypeKind::optional || kind == TypeKind::set ||
           kind == TypeKind::map;
}

char letter_of(TypeKind wrapping) {
    switch (wrapping) {
        case TypeKind::list: return 'l';
        case TypeKind::optional: return 'o';
        case TypeKind::set: return 's';
        default: return 'm';
    }
}

}  // namespace

Types::Types() {
    for (TypeKind kind : {TypeKind::unknown, TypeKind::boolean, TypeKind::integer, TypeKind::real,
                          TypeKind::string, TypeKind::bytes}) {
        Type type;
        type.kind = kind;
        add(std::move(type), {});
    }
}

TypeId Types::add(Type type, TypeId base) {
    TypeId id(types_.size());
    types_.push_back(std::move(type));
    bases_.push_back(base ? base : id);
    return id;
}

TypeId Types::integer(std::optional<std::int64_t> low, std::optional<std::int64_t> high) {
    if (!low && !high) return integer();
    auto [entry, fresh] = interned_.try_emplace(fmt::format("i{}..{}", bound(low), bound(high)));
    if (fresh) {
        Type type;
        type.kind = TypeKind::integer;
        type.low = low;
        type.high = high;
        entry->second = add(std::move(type), integer());
    }
    return entry->second;
}

// The base of a wrapped type is the wrapped base; it is made first, so that base() needs no building.
TypeId Types::wrap(TypeKind kind, TypeId element) {
    TypeId plain = base(element);
    TypeId plain_wrapped = plain == element ? TypeId() : wrap(kind, plain);
    auto [known, fresh] = interned_.try_emplace(fmt::format("{}{}", letter_of(kind), element.index));
    if (fresh) {
        Type type;
        type.kind = kind;
        type.element = element;
        known->second = add(std::move(type), plain_wrapped);
    }
    return known->second;
}

TypeId Types::entry(TypeId key, TypeId value) {
    bool plain = base(key) == key && base(value) == value;
    TypeId plain_entry = plain ? TypeId() : entry(base(key), base(value));
    auto [known, fresh] = interned_.try_emplace(fmt::format("e{},{}", key.index, value.index));
    if (fresh) {
        Type type;
        type.kind = TypeKind::record;
        type.fields = {{NameId(), key}, {NameId(), value}};
        known->second = add(std::move(type), plain_entry);
    }
    return known->second;
}

TypeId Types::list(TypeId element) {
    return wrap(TypeKind::list, element);
}

TypeId Types::optional(TypeId element) {
    return wrap(TypeKind::optional, element);
}

TypeId Types::set(TypeId element) {
    return wrap(TypeKind::set, element);
}

TypeId Types::map(TypeId key, TypeId value) {
    return wrap(TypeKind::map, entry(key, value));
}

TypeId Types::item_of(TypeId collection) const {
    switch (kind(collection)) {
        case TypeKind::list:
        case TypeKind::set: return types_[collection.index].element;
        case TypeKind::map: return key_of(collection);
        default: return {};
    }
}

TypeId Types::enumeration(NameId name, std::vector<NameId> members) {
    Type type;
    type.kind = TypeKind::enumeration;
    type.name = name;
    type.members = std::move(members);
    return add(std::move(type), {});
}

TypeId Types::record(NameId name, std::vector<Field> fields) {
    Type type;
    type.kind = TypeKind::record;
    type.name = name;
    type.fields = std::move(fields);
    return add(std::move(type), {});
}

void Types::set_fields(TypeId record, std::vector<Field> fields) {
    TREATY_CHECK(kind(record) == TypeKind::record && types_[record.index].fields.empty());
    for (const Field& field : fields) TREATY_CHECK(!contains(field.type, record));
    types_[record.index].fields = std::move(fields);
}

bool Types::fits(TypeId from, TypeId to) const {
    while (true) {
        from = base(from);
        to = base(to);
        TypeKind a = kind(from);
        TypeKind b = kind(to);
        if (from == to || a == TypeKind::unknown || b == TypeKind::unknown) return true;
        if (a == TypeKind::integer && b == TypeKind::real) return true;
        if (a != b || !wraps(a)) return false;
        if (a == TypeKind::set) return interchangeable(types_[from.index].element, types_[to.index].element);
        if (a == TypeKind::map && !interchangeable(key_of(from), key_of(to))) return false;
        from = a == TypeKind::map ? value_of(from) : types_[from.index].element;
        to = a == TypeKind::map ? value_of(to) : types_[to.index].element;
    }
}

// Without a conversion of values.
bool Types::interchangeable(TypeId a, TypeId b) const {
    return base(a) == base(b) || kind(a) == TypeKind::unknown || kind(b) == TypeKind::unknown;
}

// Walks down both types as long as they are the same wrapping, joins the cores, and wraps the result again.
TypeId Types::join(TypeId a, TypeId b) {
    struct Wrapping {
        TypeKind kind;
        TypeId key;  // of a map
    };
    std::vector<Wrapping> wrappings;
    auto joined_key = [&](TypeId x, TypeId y) { return x == y ? x : join(x, y); };
    TypeId core;
    while (true) {
        TypeKind ka = kind(a);
        TypeKind kb = kind(b);
        if (a == b || kb == TypeKind::unknown) {
            core = a;
        } else if (ka == TypeKind::unknown) {
            core = b;
        } else if (base(a) == base(b) && !wraps(ka)) {
            core = base(a);
        } else if ((ka == TypeKind::integer && kb == TypeKind::real) ||
                   (ka == TypeKind::real && kb == TypeKind::integer)) {
            core = real();
        } else if (ka == TypeKind::map && kb == ka && interchangeable(key_of(a), key_of(b))) {
            wrappings.push_back({ka, joined_key(key_of(a), key_of(b))});
            a = value_of(a);
            b = value_of(b);
            continue;
        } else if (ka == kb && wraps(ka) && ka != TypeKind::map && (ka != TypeKind::set || fits(a, b))) {
            wrappings.push_back({ka, {}});
            a = types_[a.index].element;
            b = types_[b.index].element;
            continue;
        } else {
            return {};
        }
        break;
    }
    for (auto outer = wrappings.rbegin(); outer != wrappings.rend(); ++outer)
        core = outer->kind == TypeKind::map ? map(outer->key, core) : wrap(outer->kind, core);
    return core;
}

bool Types::contains(TypeId outer, TypeId inner) const {
    std::vector<TypeId> pending{outer};
    absl::flat_hash_set<TypeId> seen{outer};
    while (!pending.empty()) {
        TypeId id = pending.back();
        pending.pop_back();
        if (id == inner) return true;
        const Type& type = types_[id.index];
        if (type.element && seen.insert(type.element).second) pending.push_back(type.element);
        for (const Field& field : type.fields)
            if (seen.insert(field.type).second) pending.push_back(field.type);
    }
    return false;
}

// A type that holds no record in the making is older than its parts only if it is a record that got its
// fields late, so ids give no order; each type is settled once all its parts are.
std::size_t Types::nesting(TypeId id) const {
    absl::flat_hash_map<TypeId, std::size_t> depth;
    std::vector<TypeId> pending{id};
    while (!pending.empty()) {
        TypeId at = pending.back();
        const Type& type = types_[at.index];
        std::size_t below = 0;
        bool ready = true;
        auto part = [&](TypeId inner) {
            auto known = depth.find(inner);
            if (known == depth.end()) {
                pending.push_back(inner);
                ready = false;
            } else {
                below = std::max(below, known->second);
            }
        };
        if (type.element) part(type.element);
        for (const Field& field : type.fields) part(field.type);
        if (!ready) continue;
        depth[at] = below + 1;
        pending.pop_back();
    }
    return depth[id];
}

std::string Types::print(TypeId id, const base::Names& names) const {
    std::string text;
    std::size_t closing = 0;
    for (;; id = kind(id) == TypeKind::map ? value_of(id) : types_[id.index].element, ++closing) {
        const Type& type = types_[id.index];
        switch (type.kind) {
            case TypeKind::list: text += "list<"; continue;
            case TypeKind::optional: text += "optional<"; continue;
            case TypeKind::set: text += "set<"; continue;
            case TypeKind::map: text += fmt::format("map<{}, ", print(key_of(id), names)); continue;
            case TypeKind::unknown: text += "unknown"; break;
            case TypeKind::boolean: text += "bool"; break;
            case TypeKind::real: text += "real"; break;
            case TypeKind::string: text += "string"; break;
            case TypeKind::bytes: text += "bytes"; break;
            case TypeKind::enumeration:
            case TypeKind::record: text += names.text(type.name); break;
            case TypeKind::integer:
                text += "int";
                if (type.low || type.high)
                    text += fmt::format(" in {}..{}", bound(type.low), bound(type.high));
                break;
        }
        break;
    }
    return text + std::string(closing, '>');
}

}  // namespace treaty::expr
