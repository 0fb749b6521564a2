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
            FieldKind kind{type, is_text(type), pool.types().kind(type) == TypeKind::list, false, type};
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
        return std::move(out_);
    }

private:
    bool is_text(expr::TypeId type) const {
        TypeKind k = pool_.types().kind(type);
        return k == TypeKind::string || k == TypeKind::bytes;
    }

    void declare(std::span<const Item> list) {
        for (const Item& i : list) {
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
        if (const auto* field = model::as<forms::Field>(i)) b.value = formula(field->value);
        if (const auto* named = model::as<forms::Named>(i)) variable(*named, model::list_of(i), b);
        b.at_once = all_read(b.value);
        bool part = b.kind == BinaryKind::part;
        if (part && b.cell == BinaryItem::none) b.cell = static_cast<std::uint32_t>(out_.cell_count++);
        out_.has_parts = out_.has_parts || part;
        if (b.cell != BinaryItem::none && !part) read_.insert(b.cell);
        b.inner = items(model::inner_of(i));
        if (b.cell != BinaryItem::none) read_.insert(b.cell);
        if (b.kind == BinaryKind::repeat) collect_lists(b.inner, b.lists);
        if (b.kind == BinaryKind::repeat) mark_late(b.inner);
        return b;
    }

    Formula formula(expr::ExprId e) const { return Formula(pool_, e, cells_); }

    // What each form has for itself. Text is for lines: in a binary layout it takes no bytes.
    static void fill(const forms::Literal& form, BinaryItem& b) { b.text = form.text; }
    static void fill(const forms::Pattern&, BinaryItem&) {}
    static void fill(const forms::Text&, BinaryItem&) {}
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
    void fill(const forms::Repeat& form, BinaryItem& b) const {
        b.kind = BinaryKind::repeat;
        b.size = formula(form.count);
        b.more = formula(form.more);
    }
    static void fill(const forms::Block& form, BinaryItem& b) {
        b.kind = BinaryKind::block;
        b.width = form.width;
        b.little_endian = form.little_endian;
    }
    static void fill(const forms::Part&, BinaryItem& b) { b.kind = BinaryKind::part; }

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
