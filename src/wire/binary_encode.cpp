// Writing a binary layout: the same items from left to right. Computed fields are computed, fields of the
// message are given, anything else that only the bytes have is zero. What could not be read back is refused.
#include <charconv>

#include <fmt/format.h>

#include "wire/binary_layout.h"

namespace treaty::wire {
namespace {

class Writer {
public:
    Writer(const BinaryLayout& layout, std::span<const expr::Value> values, Scratch& scratch,
           std::string& out)
        : layout_(layout), values_(values), scratch_(scratch), out_(out), start_(out.size()) {
        scratch.cells.assign(layout.cell_count, Cell());
        for (std::size_t f = 0; f < values.size(); ++f) scratch.cells[f] = cell_of(values[f]);
    }

    std::optional<EncodeFault> run() {
        bool written = items(layout_.items);
        if (written && filled_ != 0) fault(BinaryItem::none, "the bits do not fill whole bytes");
        if (!fault_) check_carried();
        return std::move(fault_);
    }

private:
    static Cell cell_of(const expr::Value& v) {
        Cell c;
        c.value = &v;
        if (auto i = std::get_if<std::int64_t>(&v.v))
            c.number = *i;
        else if (auto b = std::get_if<bool>(&v.v))
            c.number = *b ? 1 : 0;
        else if (auto m = std::get_if<expr::EnumMember>(&v.v))
            c.number = m->index;
        else if (auto s = std::get_if<std::string>(&v.v))
            c.text = *s;
        else if (auto y = std::get_if<expr::Bytes>(&v.v))
            c.text = y->data;
        else if (auto l = std::get_if<expr::Sequence>(&v.v))
            c.number = static_cast<std::int64_t>(l->items.size());
        return c;
    }

    bool fault(std::uint32_t field, std::string why) {
        if (!fault_) fault_ = EncodeFault{field, std::move(why)};
        return false;
    }
    std::uint32_t field_of(const BinaryItem& i) const {
        if (i.list != BinaryItem::none) return i.list;
        return i.is_field ? i.cell : BinaryItem::none;
    }

    bool items(const std::vector<BinaryItem>& list) {
        for (const BinaryItem& i : list) {
            if (out_.size() - start_ > scratch_.limits.message_bytes)
                return fault(BinaryItem::none, "the message is over the limit");
            if (!item(i)) return false;
        }
        return true;
    }

    bool item(const BinaryItem& i) {
        mark(i);
        switch (i.kind) {
            case ItemKind::bits:
            case ItemKind::decimal:
            case ItemKind::varint: return number(i);
            case ItemKind::byte_string: return bytes(i);
            case ItemKind::line: {
                std::string_view text;
                if (!text_of(i, text)) return false;
                if (text.find(i.text) != std::string_view::npos ||
                    (text.size() > 0 && ends_inside(text, i.text)))
                    return fault(field_of(i), fmt::format("the end of `{}` would stand inside it", i.name));
                out_ += text;
                out_ += i.text;
                return true;
            }
            case ItemKind::conditional: {
                auto holds = i.condition.number(scratch_);
                if (!holds) return fault(BinaryItem::none, "a condition of the layout has no value");
                return *holds == 0 || items(i.inner);
            }
            case ItemKind::repeat: return repeat(i);
            case ItemKind::block: return block(i);
            default: out_ += i.text; return true;
        }
    }

    // Whether the terminator could be found earlier, across the text's end.
    static bool ends_inside(std::string_view text, std::string_view terminator) {
        for (std::size_t k = 1; k < terminator.size() && k <= text.size(); ++k) {
            std::string joined(text.substr(text.size() - k));
            joined += terminator;
            if (joined.find(terminator) < k) return true;
        }
        return false;
    }

    bool number(const BinaryItem& i) {
        std::int64_t n = i.cell != BinaryItem::none ? scratch_.cells[i.cell].number : 0;
        if (i.value) {
            auto computed = i.value.number(scratch_);
            if (!computed) return fault(field_of(i), fmt::format("`{}` has no value", i.name));
            if (i.is_field && n != *computed)
                return fault(field_of(i),
                             fmt::format("`{}` is {}, but the layout says {}", i.name, n, *computed));
            n = *computed;
            if (i.cell != BinaryItem::none) scratch_.cells[i.cell].number = n;
        }
        if (i.kind == ItemKind::decimal) {
            char digits[24];
            auto [end, error] = std::to_chars(digits, digits + sizeof digits, n);
            out_.append(digits, end);
            out_ += i.text;
            return true;
        }
        std::uint32_t width = i.kind == ItemKind::varint ? i.width * 7 : i.width;
        bool small = n >= 0 && (width >= 63 || n < std::int64_t{1} << width);
        if (!small)
            return fault(field_of(i),
                         fmt::format("{} does not fit into the {} bits of `{}`", n, width, i.name));
        if (i.kind == ItemKind::varint)
            varint(static_cast<std::uint64_t>(n));
        else
            bits(static_cast<std::uint64_t>(n), i.width, i.little_endian);
        return true;
    }

    void bits(std::uint64_t n, std::uint32_t width, bool little) {
        if (filled_ == 0 && width % 8 == 0) {
            std::uint32_t size = width / 8;
            for (std::uint32_t k = 0; k < size; ++k)
                out_ += static_cast<char>(n >> (8 * (little ? k : size - 1 - k)) & 0xff);
            return;
        }
        for (std::uint32_t left = width; left > 0;) {
            std::uint32_t take = std::min(8 - filled_, left);
            left -= take;
            partial_ = partial_ << take | (n >> left & ((1u << take) - 1));
            filled_ += take;
            if (filled_ < 8) continue;
            out_ += static_cast<char>(partial_);
            partial_ = 0;
            filled_ = 0;
        }
    }

    void varint(std::uint64_t n) {
        do {
            out_ += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
            n >>= 7;
        } while (n > 0);
    }

    bool text_of(const BinaryItem& i, std::string_view& text) {
        text = i.cell != BinaryItem::none ? scratch_.cells[i.cell].text : std::string_view();
        if (!i.value) return true;
        auto computed = i.value.text(scratch_);
        if (!computed) return fault(field_of(i), fmt::format("`{}` has no value", i.name));
        if (i.is_field && text != *computed)
            return fault(field_of(i), fmt::format("`{}` is not what the layout computes", i.name));
        text = *computed;
        if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = text;
        return true;
    }

    bool bytes(const BinaryItem& i) {
        std::string_view text;
        if (!text_of(i, text)) return false;
        if (i.size) {
            auto size = i.size.number(scratch_);
            if (!size || *size < 0)
                return fault(field_of(i), fmt::format("the size of `{}` has no value", i.name));
            auto wanted = static_cast<std::uint64_t>(*size);
            if (!i.is_field && !i.value) {
                if (wanted > scratch_.limits.message_bytes)
                    return fault(BinaryItem::none, "the message is over the limit");
                std::string& zeros = scratch_.text();
                zeros.assign(wanted, '\0');
                text = zeros;
                if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = text;
            }
            if (text.size() != wanted)
                return fault(field_of(i), fmt::format("`{}` has {} bytes, but the layout has room for {}",
                                                      i.name, text.size(), wanted));
        }
        std::string_view key;
        if (i.key) {
            auto found = i.key.text(scratch_);
            if (!found) return fault(field_of(i), "the key has no value");
            key = *found;
        }
        if (key.empty()) {
            out_ += text;
            return true;
        }
        std::size_t at = out_.size();
        out_.resize(at + text.size());
        xor_into(out_.data() + at, text, key);
        return true;
    }

    bool repeat(const BinaryItem& i) {
        std::size_t times = 0;
        if (!i.lists.empty()) times = list(i.lists[0]).size();
        if (i.size) {
            auto n = i.size.number(scratch_);
            if (!n || *n < 0) return fault(BinaryItem::none, "a count of the layout has no value");
            if (static_cast<std::uint64_t>(*n) > scratch_.limits.items)
                return fault(BinaryItem::none, "too many repetitions");
            times = static_cast<std::size_t>(*n);
        }
        for (std::uint32_t f : i.lists)
            if (list(f).size() != times)
                return fault(f, fmt::format("the list has {} elements, but there is room for {}",
                                            list(f).size(), times));
        for (std::size_t k = 0; k < times; ++k) {
            set_elements(i.inner, k);
            std::size_t before = out_.size();
            if (!items(i.inner)) return false;
            if (!i.size && out_.size() == before)
                return fault(BinaryItem::none, "a repetition that takes no bytes has no end");
        }
        return true;
    }

    const std::vector<expr::Value>& list(std::uint32_t field) const { return values_[field].items(); }

    void set_elements(const std::vector<BinaryItem>& inner, std::size_t k) {
        for (const BinaryItem& i : inner) {
            if (i.list != BinaryItem::none) scratch_.cells[i.cell] = cell_of(list(i.list)[k]);
            if (i.kind != ItemKind::repeat) set_elements(i.inner, k);
        }
    }

    bool block(const BinaryItem& i) {
        // The length comes first and is known last: room for it is made when the block is written.
        std::size_t at = out_.size();
        if (i.width > 0) out_.append(i.width / 8, '\0');
        std::size_t begin = out_.size();
        if (!items(i.inner)) return false;
        if (filled_ != 0) return fault(BinaryItem::none, "the bits do not fill whole bytes");
        std::uint64_t n = out_.size() - begin;
        if (i.width == 0) {
            if (n >= std::uint64_t{1} << 28)
                return fault(BinaryItem::none, "the block is too long for its length");
            char length[8];
            std::size_t count = 0;
            do {
                length[count++] = static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
                n >>= 7;
            } while (n > 0);
            out_.insert(at, length, count);
            return true;
        }
        if (i.width < 64 && n >= std::uint64_t{1} << i.width)
            return fault(BinaryItem::none, "the block is too long for its length");
        std::uint32_t size = i.width / 8;
        for (std::uint32_t k = 0; k < size; ++k)
            out_[at + k] = static_cast<char>(n >> (8 * (i.little_endian ? k : size - 1 - k)) & 0xff);
        return true;
    }

    void mark(const BinaryItem& i) {
        std::uint32_t field = field_of(i);
        if (field < 64) carried_ |= std::uint64_t{1} << field;
    }

    // A field under a condition that does not hold is read back as zero or empty, so nothing else may be lost
    // there.
    void check_carried() {
        for (std::uint32_t f = 0; f < values_.size() && f < 64; ++f) {
            if (carried_ >> f & 1) continue;
            Cell c = cell_of(values_[f]);
            if (c.number != 0 || !c.text.empty())
                fault(f, "the layout leaves this field out here, so it must be zero or empty");
        }
    }

    const BinaryLayout& layout_;
    std::span<const expr::Value> values_;
    Scratch& scratch_;
    std::string& out_;
    std::size_t start_;
    std::uint64_t partial_ = 0;
    std::uint32_t filled_ = 0;
    std::uint64_t carried_ = 0;
    std::optional<EncodeFault> fault_;
};

}  // namespace

std::optional<EncodeFault> encode_binary(const BinaryLayout& layout, std::span<const expr::Value> values,
                                         Scratch& scratch, std::string& out) {
    return Writer(layout, values, scratch, out).run();
}

}  // namespace treaty::wire
