#include <algorithm>

#include "base/check.h"
#include "base/hex.h"
#include "formats/json/data.h"
#include "formats/json/ops.h"

namespace treaty::formats {
namespace {

using expr::ExprId;
using expr::Op;
using expr::TypeId;
using expr::TypeKind;

// How many parts of a text a literal takes, up to a limit.
std::size_t weight(const expr::Value& value, std::size_t limit) {
    if (auto* text = std::get_if<std::string>(&value.v)) return 1 + text->size() / 40;
    if (auto* bytes = std::get_if<expr::Bytes>(&value.v)) return 1 + bytes->data.size() / 20;
    auto* sequence = std::get_if<expr::Sequence>(&value.v);
    std::size_t total = 1;
    if (!sequence) return total;
    for (const expr::Value& item : sequence->items) {
        if (total > limit) break;
        total += weight(item, limit);
    }
    return total;
}

}  // namespace

void JsonDataWriter::write_head(std::span<const TypeId> named) {
    std::vector<TypeId> all(named.begin(), named.end());
    std::vector<bool> listed(pool_.types().size());
    for (TypeId id : all) listed[id.index] = true;
    for (std::size_t i = 0; i < pool_.types().size(); ++i) {
        TypeKind kind = pool_.types().kind(TypeId(i));
        if (kind != TypeKind::enumeration && kind != TypeKind::record) continue;
        if (!pool_.types()[TypeId(i)].name) continue;  // the entry of a map
        if (!listed[i]) all.push_back(TypeId(i));
    }
    if (!all.empty()) {
        out_.key("types").open_array();
        for (TypeId id : all) named_type(id);
        out_.close_array();
    }
    out_.key("variables").open_array();
    for (std::size_t i = 0; i < pool_.variable_count(); ++i) {
        const expr::Variable& v = pool_.variable(expr::VarId(i));
        out_.open_object(Layout::flat);
        out_.text("name", pool_.names().text(v.name));
        out_.key("type");
        type(v.type);
        if (pool_.is_item_variable(expr::VarId(i))) out_.key("item").boolean(true);
        out_.close_object();
    }
    out_.close_array();
    if (pool_.function_count() == 0) return;
    out_.key("functions").open_array();
    for (std::size_t i = 0; i < pool_.function_count(); ++i) {
        const expr::Function& f = pool_.function(expr::FunctionId(i));
        out_.open_object(Layout::flat);
        if (f.name) out_.text("name", pool_.names().text(f.name));
        variables("parameters", f.parameters);
        out_.key("result");
        type(f.result);
        condition("body", f.body);
        out_.close_object();
    }
    out_.close_array();
}

void JsonDataWriter::named_type(TypeId id) {
    const expr::Type& t = pool_.types()[id];
    bool enumeration = t.kind == TypeKind::enumeration;
    out_.open_object(Layout::flat);
    out_.text(enumeration ? "enumeration" : "record", pool_.names().text(t.name));
    out_.key(enumeration ? "members" : "fields").open_array();
    for (base::NameId member : t.members) out_.text(pool_.names().text(member));
    for (const expr::Field& f : t.fields) {
        out_.open_object();
        out_.text("name", pool_.names().text(f.name));
        out_.key("type");
        type(f.type);
        out_.close_object();
    }
    out_.close_array();
    out_.close_object();
}

// The word for a type that is made of another one; empty for other types.
static std::string_view wrapping(TypeKind kind) {
    switch (kind) {
        case TypeKind::list: return "list";
        case TypeKind::optional: return "optional";
        case TypeKind::set: return "set";
        case TypeKind::map: return "map";
        default: return {};
    }
}

void JsonDataWriter::type(TypeId id) {
    const expr::Types& types = pool_.types();
    std::size_t wraps = 0;
    for (std::string_view word = wrapping(types.kind(id)); !word.empty(); ++wraps) {
        out_.open_object(Layout::flat);
        bool map = types.kind(id) == TypeKind::map;
        if (map) {
            out_.key("key");
            type(types.key_of(id));
        }
        out_.key(word);
        id = map ? types.value_of(id) : types[id].element;
        word = wrapping(types.kind(id));
    }
    const expr::Type& t = types[id];
    switch (t.kind) {
        case TypeKind::unknown: out_.text("unknown"); break;
        case TypeKind::boolean: out_.text("bool"); break;
        case TypeKind::real: out_.text("real"); break;
        case TypeKind::string: out_.text("string"); break;
        case TypeKind::bytes: out_.text("bytes"); break;
        case TypeKind::integer:
            if (!t.low && !t.high) {
                out_.text("int");
                break;
            }
            out_.open_object(Layout::flat);
            out_.key("int").open_array();
            for (const auto& bound : {t.low, t.high}) {
                if (bound)
                    out_.integer(*bound);
                else
                    out_.null();
            }
            out_.close_array();
            out_.close_object();
            break;
        default:
            out_.open_object(Layout::flat);
            out_.text("named", pool_.names().text(t.name));
            out_.close_object();
    }
    for (; wraps > 0; --wraps) out_.close_object();
}

// By its type, as the header of expr/value.h reads it; recursion goes as deep as types nest, which is
// bounded.
void JsonDataWriter::value(const expr::Value& v, TypeId type_id) {
    const expr::Type& t = pool_.types()[type_id];
    if (auto* x = std::get_if<bool>(&v.v)) return out_.boolean(*x);
    if (auto* x = std::get_if<std::int64_t>(&v.v)) return out_.integer(*x);
    if (auto* x = std::get_if<double>(&v.v)) return out_.real(*x);
    if (auto* x = std::get_if<std::string>(&v.v)) return out_.text(*x);
    if (auto* x = std::get_if<expr::Bytes>(&v.v)) return out_.text(base::to_hex(x->data));
    if (auto* x = std::get_if<expr::EnumMember>(&v.v)) {
        if (x->index < t.members.size()) return out_.text(pool_.names().text(t.members[x->index]));
        return out_.null();
    }
    const auto& items = v.items();
    out_.open_array(Layout::flat);
    for (std::size_t i = 0; i < items.size(); ++i) {
        TypeId part = t.kind == TypeKind::record && i < t.fields.size() ? t.fields[i].type : t.element;
        value(items[i], part ? part : pool_.types().unknown());
    }
    out_.close_array();
}

// Sizes as trees, up to just beyond the limit; each part is counted once.
std::size_t JsonDataWriter::size_of(ExprId id) {
    if (sizes_.size() < pool_.size()) sizes_.resize(pool_.size(), 0);
    std::vector<ExprId> pending{id};
    while (!pending.empty()) {
        ExprId at = pending.back();
        if (sizes_[at.index] != 0) {
            pending.pop_back();
            continue;
        }
        std::size_t size = pool_[at].op == Op::literal || pool_[at].op == Op::matches
                               ? weight(pool_.literal_of(at), max_inline)
                               : 1;
        bool ready = true;
        for (ExprId child : pool_.children(at)) {
            size += sizes_[child.index];
            if (sizes_[child.index] == 0) {
                pending.push_back(child);
                ready = false;
            }
        }
        if (!ready) continue;
        sizes_[at.index] = static_cast<std::uint32_t>(std::min(size, max_inline + 1));
        pending.pop_back();
    }
    return sizes_[id.index];
}

// The position in the table of an expression that is too large to repeat; what it needs comes before it.
std::uint32_t JsonDataWriter::shared(ExprId id) {
    std::vector<ExprId> pending{id};
    while (!pending.empty()) {
        ExprId at = pending.back();
        std::size_t before = pending.size();
        if (!shared_ids_.contains(at)) {
            auto children = pool_.children(at);
            for (auto child = children.rbegin(); child != children.rend(); ++child)
                if (size_of(*child) > max_inline && !shared_ids_.contains(*child)) pending.push_back(*child);
            if (pending.size() > before) continue;
            shared_ids_.emplace(at, static_cast<std::uint32_t>(shared_.size()));
            shared_.push_back(at);
        }
        pending.pop_back();
    }
    return shared_ids_.at(id);
}

void JsonDataWriter::expression(ExprId id) {
    if (size_of(id) > max_inline)
        out_.integer(shared(id));
    else
        node(id);
}

void JsonDataWriter::node(ExprId id) {
    const expr::Node& n = pool_[id];
    out_.open_object(Layout::flat);
    if (n.op == Op::var) {
        out_.integer("var", pool_.var_of(id).index);
        out_.close_object();
        return;
    }
    if (n.op == Op::literal) {
        out_.key("literal");
        value(pool_.literal_of(id), n.type);
    } else {
        out_.text("op", op_name(n.op));
    }
    if (n.op == Op::field) out_.integer("field", n.payload);
    if (expr::has_function(n.op)) out_.integer("function", n.payload);
    if (n.op == Op::matches) out_.text("pattern", pool_.literal_of(id).string());
    out_.key("type");
    type(n.type);
    if (n.child_count > 0) {
        out_.key("args").open_array();
        for (ExprId child : pool_.children(id)) expression(child);
        out_.close_array();
    }
    out_.close_object();
}

void JsonDataWriter::write_expressions() {
    if (shared_.empty()) return;
    out_.key("expressions").open_array();
    // All that an entry refers to is in the table before it, so writing entries adds none.
    std::size_t count = shared_.size();
    for (std::size_t i = 0; i < count; ++i) node(shared_[i]);
    TREATY_CHECK(shared_.size() == count);
    out_.close_array();
}

void JsonDataWriter::condition(std::string_view key, ExprId id) {
    if (!id) return;
    out_.key(key);
    expression(id);
}

void JsonDataWriter::arguments(std::string_view key, std::span<const model::Argument> arguments) {
    if (arguments.empty()) return;
    out_.key(key).open_array(Layout::flat);
    for (const model::Argument& a : arguments) {
        if (a.bind) {
            out_.open_object();
            out_.integer("let", a.bind.index);
            out_.close_object();
        } else if (a.value) {
            expression(a.value);
        } else {
            out_.null();
        }
    }
    out_.close_array();
}

void JsonDataWriter::assignments(std::string_view key, std::span<const model::Assignment> assignments) {
    if (assignments.empty()) return;
    out_.key(key).open_array(Layout::flat);
    for (const model::Assignment& a : assignments) {
        out_.open_object();
        out_.integer("variable", a.variable.index);
        out_.key("value");
        expression(a.value);
        out_.close_object();
    }
    out_.close_array();
}

void JsonDataWriter::variables(std::string_view key, std::span<const expr::VarId> variables) {
    out_.key(key).open_array(Layout::flat);
    for (expr::VarId v : variables) out_.integer(v.index);
    out_.close_array();
}

}  // namespace treaty::formats
