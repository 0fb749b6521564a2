#include "wire/binary_layout.h"

#include <algorithm>
#include <cstring>

#include <absl/container/flat_hash_set.h>

#include "expr/digest.h"
#include "expr/print.h"

namespace treaty::wire {
namespace {

namespace forms = model::forms;
using expr::TypeKind;
using model::Item;

class Compiler {
public:
    Compiler(const expr::Pool& pool, const Layout& layout, const MessageShape& shape)
        : pool_(pool), layout_(layout) {
        out_.message = layout.message.index;
        for (std::size_t i = 0; i < layout.fields.size(); ++i) {
            cells_[layout.fields[i]] = static_cast<std::uint32_t>(i);
            expr::TypeId type = i < shape.fields.size() ? shape.fields[i].type : pool.types().unknown();
            FieldKind kind{type,
                           is_text(type),
                           pool.types().kind(type) == TypeKind::list,
                           !is_simple(pool.types(), type),
                           false,
                           type};
            if (kind.list) {
                kind.element = pool.types()[type].element;
                kind.element_text = is_text(kind.element);
            }
            out_.fields.push_back(kind);
        }
        out_.cell_count = layout.fields.size();
    }

    BinaryLayout run() {
        declare(layout_.items);
        out_.items = items(layout_.items);
        mark_lengths(out_.items);
        return std::move(out_);
    }

private:
    bool is_text(expr::TypeId type) const {
        TypeKind k = pool_.types().kind(type);
        return k == TypeKind::string || k == TypeKind::bytes;
    }

    void declare(std::span<const Item> list) {
        for (const Item& i : list) {
            if (model::is<forms::Protobuf>(i)) continue;  // its names are fields of the message
            expr::VarId variable = model::variable_of(i);
            if (variable && !cells_.contains(variable))
                cells_[variable] = static_cast<std::uint32_t>(out_.cell_count++);
            declare(model::inner_of(i));
        }
    }

    std::vector<BinaryItem> items(std::span<const Item> list) {
        std::vector<BinaryItem> result;
        for (const Item& i : list) result.push_back(item(i));
        return result;
    }

    BinaryItem item(const Item& i) {
        BinaryItem b;
        std::visit([&](const auto& form) { fill(form, b); }, i.form);
        if (const auto* field = model::as<forms::Field>(i)) {
            b.value = formula(field->value);
            b.role = role_of(field->value);
        }
        if (b.kind == BinaryKind::literal) b.role = PieceRole::tag;
        measure(b.size);
        measure(b.more);
        if (const auto* named = model::as<forms::Named>(i)) variable(*named, model::list_of(i), b);
        b.at_once = all_read(b.value);
        bool part = b.kind == BinaryKind::part;
        if (part && b.cell == BinaryItem::none) b.cell = static_cast<std::uint32_t>(out_.cell_count++);
        out_.has_parts = out_.has_parts || part;
        if (b.cell != BinaryItem::none && !part) read_.insert(b.cell);
        if (b.protobuf)
            read_.insert(b.protobuf->carries().begin(), b.protobuf->carries().end());
        else
            b.inner = items(model::inner_of(i));
        if (b.cell != BinaryItem::none) read_.insert(b.cell);
        if (b.kind == BinaryKind::repeat) collect_lists(b.inner, b.lists);
        if (b.kind == BinaryKind::repeat) mark_late(b.inner);
        return b;
    }

    Formula formula(expr::ExprId e) const { return Formula(pool_, e, cells_); }

    // What each form has for itself.
    static void fill(const forms::Literal& form, BinaryItem& b) { b.text = form.text; }
    void fill(const forms::Pattern& form, BinaryItem& b) { pattern(form.regex, b); }
    void fill(const forms::Text& form, BinaryItem& b) { pattern(form.regex, b); }
    void pattern(const model::Regex& regex, BinaryItem& b) {
        b.kind = BinaryKind::text;
        b.text = regex.pattern;
        auto made = StreamPattern::make(regex.pattern);
        if (made) b.pattern = std::make_shared<const StreamPattern>(std::move(*made));
        out_.has_open_ends = true;
    }
    // Documents have engines of their own.
    static void fill(const forms::JsonConstant&, BinaryItem&) {}
    static void fill(const forms::JsonValue&, BinaryItem&) {}
    static void fill(const forms::JsonObject&, BinaryItem&) {}
    static void fill(const forms::JsonMember&, BinaryItem&) {}
    static void fill(const forms::JsonArray&, BinaryItem&) {}
    static void fill(const forms::JsonEach&, BinaryItem&) {}
    static void fill(const forms::HttpRequest&, BinaryItem&) {}
    static void fill(const forms::HttpStatus&, BinaryItem&) {}
    static void fill(const forms::HttpHeader&, BinaryItem&) {}
    static void fill(const forms::FormBody&, BinaryItem&) {}
    static void fill(const forms::TextBody&, BinaryItem&) {}
    static void fill(const forms::BytesBody&, BinaryItem&) {}
    static void fill(const forms::AnyBody&, BinaryItem&) {}
    // Inside a protobuf message, which has a layout of its own.
    static void fill(const forms::ProtobufField&, BinaryItem&) {}
    static void fill(const forms::ProtobufOneof&, BinaryItem&) {}
    void fill(const forms::Protobuf& form, BinaryItem& b) const {
        b.kind = BinaryKind::protobuf;
        b.protobuf = std::make_shared<const ProtobufLayout>(pool_, form);
    }
    static void fill(const forms::Bits& form, BinaryItem& b) {
        b.kind = BinaryKind::bits;
        b.width = form.width;
        b.little_endian = form.little_endian;
    }
    void fill(const forms::ByteString& form, BinaryItem& b) const {
        b.kind = BinaryKind::byte_string;
        b.size = formula(form.size);
        b.key = formula(form.key);
        b.transform = form.transform;
    }
    static void fill(const forms::Decimal& form, BinaryItem& b) {
        b.kind = BinaryKind::decimal;
        b.text = form.end;
    }
    static void fill(const forms::Line& form, BinaryItem& b) {
        b.kind = BinaryKind::line;
        b.text = form.end;
        b.transform = form.transform;
    }
    static void fill(const forms::Varint& form, BinaryItem& b) {
        b.kind = BinaryKind::varint;
        b.width = form.most_bytes;
    }
    void fill(const forms::Check& form, BinaryItem& b) const {
        b.kind = BinaryKind::check;
        b.text = expr::print(pool_, form.condition);
        b.condition = formula(form.condition);
    }
    void fill(const forms::Conditional& form, BinaryItem& b) const {
        b.kind = BinaryKind::conditional;
        b.condition = formula(form.condition);
    }
    void fill(const forms::Repeat& form, BinaryItem& b) {
        b.kind = BinaryKind::repeat;
        b.text = form.until;
        out_.has_open_ends = out_.has_open_ends || !form.until.empty();
        b.size = formula(form.count);
        b.more = formula(form.more);
    }
    static void fill(const forms::Block& form, BinaryItem& b) {
        b.kind = BinaryKind::block;
        b.width = form.width;
        b.little_endian = form.little_endian;
    }
    static void fill(const forms::Part&, BinaryItem& b) { b.kind = BinaryKind::part; }

    // What a computed value is for, by what it is computed with.
    PieceRole role_of(expr::ExprId value) const {
        if (!value) return PieceRole::data;
        if (pool_.variables_of(value).empty()) return PieceRole::tag;
        if (uses(value, [](expr::Op op) {
                return expr::is_checksum(op) || op == expr::Op::sha1 || op == expr::Op::sha256;
            }))
            return PieceRole::checksum;
        return uses(value, [](expr::Op op) { return op == expr::Op::size; }) ? PieceRole::length
                                                                             : PieceRole::data;
    }

    template <class Wanted>
    bool uses(expr::ExprId value, Wanted wanted, int depth = 0) const {
        constexpr int deepest = 100;  // of functions that call each other
        const expr::Node& node = pool_[value];
        if (wanted(node.op)) return true;
        if (expr::has_function(node.op) && depth < deepest) {
            expr::ExprId body = pool_.function(expr::FunctionId(node.payload)).body;
            if (body && uses(body, wanted, depth + 1)) return true;
        }
        auto children = pool_.children(value);
        return std::any_of(children.begin(), children.end(),
                           [&](expr::ExprId child) { return uses(child, wanted, depth); });
    }

    // What a size or a count is computed from.
    void measure(const Formula& size) {
        if (size) measures_.insert(size.uses().begin(), size.uses().end());
    }

    void mark_lengths(std::vector<BinaryItem>& items) const {
        for (BinaryItem& i : items) {
            bool number = i.kind == BinaryKind::bits || i.kind == BinaryKind::decimal ||
                          i.kind == BinaryKind::varint || (i.kind == BinaryKind::text && !i.holds_text);
            if (number && i.role == PieceRole::data && measures_.contains(i.cell)) i.role = PieceRole::length;
            mark_lengths(i.inner);
        }
    }

    bool all_read(const Formula& f) const {
        return std::all_of(f.uses().begin(), f.uses().end(),
                           [&](std::uint32_t c) { return read_.contains(c); });
    }

    void mark_late(std::vector<BinaryItem>& items) const {
        for (BinaryItem& i : items) {
            i.late = !i.at_once && !all_read(i.value);
            mark_late(i.inner);
        }
    }

    void variable(const forms::Named& named, expr::VarId list, BinaryItem& b) {
        if (named.name) b.name = pool_.names().text(named.name);
        if (!named.variable) return;
        b.cell = cells_.at(named.variable);
        b.is_field = b.cell < layout_.fields.size();
        const expr::Type& type = pool_.types()[pool_.variable(named.variable).type];
        b.holds_text = type.kind == TypeKind::string || type.kind == TypeKind::bytes;
        if (type.low) b.low = *type.low;
        if (type.high) b.high = *type.high;
        if (type.kind == TypeKind::boolean) b.low = 0, b.high = 1;
        if (type.kind == TypeKind::enumeration)
            b.low = 0, b.high = static_cast<std::int64_t>(type.members.size()) - 1;
        for (std::size_t f = 0; f < layout_.fields.size(); ++f)
            if (list && layout_.fields[f] == list) b.list = static_cast<std::uint32_t>(f);
        if (b.list != BinaryItem::none) b.is_field = true;
    }

    static void collect_lists(const std::vector<BinaryItem>& items, std::vector<std::uint32_t>& lists) {
        for (const BinaryItem& i : items) {
            if (i.list != BinaryItem::none) lists.push_back(i.list);
            if (i.kind != BinaryKind::repeat) collect_lists(i.inner, lists);
        }
    }

    const expr::Pool& pool_;
    const Layout& layout_;
    CellMap cells_;
    absl::flat_hash_set<std::uint32_t> read_;
    absl::flat_hash_set<std::uint32_t> measures_;  // cells that sizes and counts are computed from
    BinaryLayout out_;
};

}  // namespace

BinaryLayout compile_layout(const expr::Pool& pool, const Layout& layout, const MessageShape& shape) {
    return Compiler(pool, layout, shape).run();
}

std::string transformed(Transform transform, std::string_view value) {
    switch (transform) {
        case Transform::base64: return *expr::coded(expr::Op::base64, value);
        case Transform::hex: return *expr::coded(expr::Op::hex, value);
        case Transform::reversed: return {value.rbegin(), value.rend()};
        default: return std::string(value);
    }
}

std::optional<std::string> restored(Transform transform, std::string_view bytes) {
    switch (transform) {
        case Transform::base64: return expr::coded(expr::Op::unbase64, bytes);
        case Transform::hex: return expr::coded(expr::Op::unhex, bytes);
        default: return transformed(transform, bytes);
    }
}

void xor_into(char* to, std::string_view from, std::string_view key) {
    if (key.empty()) {
        if (!from.empty()) std::memcpy(to, from.data(), from.size());
        return;
    }
    std::size_t i = 0;
    if (key.size() == 4 || key.size() == 8) {
        std::uint64_t mask = 0, word = 0;
        char wide[8];
        std::memcpy(wide, key.data(), 4);
        std::memcpy(wide + 4, key.data() + key.size() - 4, 4);
        std::memcpy(&mask, wide, 8);
        for (; i + 8 <= from.size(); i += 8) {
            std::memcpy(&word, from.data() + i, 8);
            word ^= mask;
            std::memcpy(to + i, &word, 8);
        }
        for (; i < from.size(); ++i) to[i] = static_cast<char>(from[i] ^ wide[i % 8]);
    }
    for (; i < from.size(); ++i) to[i] = static_cast<char>(from[i] ^ key[i % key.size()]);
}

}  // namespace treaty::wire
