// Writing a binary layout: the same items from left to right. Computed fields are computed, fields of the
// message are given, anything else that only the bytes have is zero. What could not be read back is refused.
#include <algorithm>
#include <charconv>

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include "base/wording.h"
#include "wire/binary_layout.h"

namespace treaty::wire {
namespace {

class Writer {
public:
    Writer(const BinaryLayout& layout, std::span<const expr::Value> values, Scratch& scratch,
           std::string& out)
        : layout_(layout),
          values_(values),
          scratch_(scratch),
          out_(out),
          start_(out.size()),
          carried_(values.size()) {
        scratch.cells.assign(layout.cell_count, Cell());
        for (std::size_t f = 0; f < values.size(); ++f) scratch.cells[f] = cell_of(values[f]);
        if (layout.has_parts) find_open(layout.items);
    }

    std::optional<EncodeFault> run() {
        bool written = items(layout_.items);
        if (written && filled_ != 0) fault(BinaryItem::none, "the bits do not fill whole bytes");
        if (!fault_) fill_gaps();
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
                return fault(BinaryItem::none, "the message is longer than the limit");
            if (!item(i)) return false;
        }
        return true;
    }

    bool item(const BinaryItem& i) {
        mark(i);
        if (layout_.has_parts && i.value && !known(i.value)) return leave_gap(i);
        switch (i.kind) {
            case BinaryKind::bits:
            case BinaryKind::decimal:
            case BinaryKind::varint: return number(i);
            case BinaryKind::byte_string: return bytes(i);
            case BinaryKind::line: {
                std::string_view text;
                if (!text_of(i, text)) return false;
                if (i.transform != Transform::none) {
                    std::string& kept = scratch_.text();
                    kept = transformed(i.transform, text);
                    text = kept;
                }
                if (text.find(i.text) != std::string_view::npos ||
                    (!text.empty() && ends_inside(text, i.text)))
                    return fault(field_of(i), fmt::format("`{}` contains its own terminator", i.name));
                out_ += text;
                out_ += i.text;
                return true;
            }
            case BinaryKind::check: {
                auto holds = i.condition.number(scratch_);
                return (holds && *holds != 0) || fault(BinaryItem::none, "a check of the layout fails");
            }
            case BinaryKind::conditional: {
                auto holds = i.condition.number(scratch_);
                if (!holds) return fault(BinaryItem::none, "a condition of the layout cannot be computed");
                return *holds == 0 || items(i.inner);
            }
            case BinaryKind::repeat:
                if (!repeat(i)) return false;
                out_ += i.text;
                return true;
            case BinaryKind::block: return block(i);
            case BinaryKind::part: return part(i);
            case BinaryKind::text: return pattern_text(i);
            case BinaryKind::protobuf: return protobuf(i);
            case BinaryKind::literal: break;
        }
        out_ += i.text;
        return true;
    }

    bool protobuf(const BinaryItem& i) {
        for (std::uint32_t f : i.protobuf->carries())
            if (f < carried_.size()) carried_[f] = true;
        ProtobufFault why;
        return i.protobuf->write(values_, out_, why) || fault(why.field, std::move(why.reason));
    }

    // Whether it ends where it should is seen when all is written (BinaryEngine).
    bool pattern_text(const BinaryItem& i) {
        if (!i.pattern) return fault(field_of(i), "this pattern cannot be written byte by byte");
        std::size_t begin = out_.size();
        if (i.cell == BinaryItem::none) {
            out_ += i.pattern->simplest();
        } else if (i.holds_text) {
            std::string_view text;
            if (!text_of(i, text)) return false;
            // What only the bytes have, and nothing computes.
            out_ += !i.is_field && !i.value ? std::string_view(i.pattern->simplest()) : text;
        } else if (number(i)) {
            std::size_t written = out_.size() - begin, sign = out_[begin] == '-' ? 1 : 0;
            if (written < i.pattern->digits()) out_.insert(begin + sign, i.pattern->digits() - written, '0');
        } else {
            return false;
        }
        std::string_view text = std::string_view(out_).substr(begin);
        return i.pattern->matches(text) ||
               fault(field_of(i),
                     fmt::format("the text of `{}` does not match its pattern: {}", i.name, readable(text)));
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

    // Parts whose bytes are not there yet, and what is computed from them.
    void find_open(const std::vector<BinaryItem>& list) {
        open_.resize(layout_.cell_count);
        for (const BinaryItem& i : list) {
            if (i.kind == BinaryKind::part) open_[i.cell] = true;
            find_open(i.inner);
        }
    }

    bool known(const Formula& formula) const {
        const auto& uses = formula.uses();
        return std::none_of(uses.begin(), uses.end(), [&](std::uint32_t c) { return open_[c]; });
    }

    struct Gap {
        const BinaryItem* item;
        std::size_t bit;  // in out_
        std::size_t bits;
    };
    struct Range {
        std::uint32_t cell;
        std::size_t begin, end;  // in out_
    };

    // A field that is computed from bytes that come later is written when they are there.
    bool leave_gap(const BinaryItem& i) {
        std::size_t width = i.kind == BinaryKind::bits ? i.width : 0;
        auto size = i.size && i.kind == BinaryKind::byte_string ? i.size.number(scratch_) : std::nullopt;
        if (size && *size > 0 && *size < (1 << 20)) width = static_cast<std::size_t>(*size) * 8;
        if (width == 0 || i.transform != Transform::none || i.key || i.is_field)
            return fault(field_of(i), fmt::format("`{}` is computed from bytes that come later, so it must "
                                                  "be a plain number of bits or bytes",
                                                  i.name));
        gaps_.push_back({&i, out_.size() * 8 + filled_, width});
        if (i.cell != BinaryItem::none) open_[i.cell] = true;
        for (std::size_t left = width; left > 0; left -= std::min<std::size_t>(left, 8))
            bits(0, static_cast<std::uint32_t>(std::min<std::size_t>(left, 8)), false);
        return true;
    }

    bool part(const BinaryItem& i) {
        std::size_t begin = out_.size(), gaps = gaps_.size();
        if (!items(i.inner)) return false;
        if (filled_ != 0) return fault(BinaryItem::none, "the bits do not fill whole bytes");
        parts_.push_back({i.cell, begin, out_.size()});
        std::string& kept = scratch_.text();
        kept = out_.substr(begin);
        scratch_.cells[i.cell].text = kept;
        open_[i.cell] = gaps_.size() > gaps;
        return true;
    }

    // Bytes were inserted: what follows moves.
    void moved(std::size_t at, std::size_t by) {
        for (Gap& g : gaps_)
            if (g.bit >= at * 8) g.bit += by * 8;
        for (Range& p : parts_)
            if (p.begin >= at) p.begin += by, p.end += by;
    }

    // Each time one whose parts are complete; a sum over its own bytes never is.
    void fill_gaps() {
        while (!gaps_.empty() && !fault_) {
            std::size_t k = 0;
            while (k < gaps_.size() && !known(gaps_[k].item->value)) ++k;
            if (k == gaps_.size()) {
                fault(BinaryItem::none, fmt::format("`{}` is computed from itself", gaps_[0].item->name));
                return;
            }
            Gap gap = gaps_[k];
            gaps_.erase(gaps_.begin() + static_cast<std::ptrdiff_t>(k));
            if (!fill(gap)) return;
            for (const Range& p : parts_) {
                bool open = std::any_of(gaps_.begin(), gaps_.end(), [&](const Gap& g) {
                    return g.bit >= p.begin * 8 && g.bit < p.end * 8;
                });
                open_[p.cell] = open;
                scratch_.cells[p.cell].text = std::string_view(out_).substr(p.begin, p.end - p.begin);
            }
        }
    }

    bool fill(const Gap& gap) {
        const BinaryItem& i = *gap.item;
        std::string bytes;
        if (i.kind == BinaryKind::byte_string) {
            auto text = i.value.text(scratch_);
            if (!text || text->size() * 8 != gap.bits)
                return fault(BinaryItem::none, fmt::format("`{}` has no value of its width", i.name));
            bytes = *text;
            if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = (scratch_.text() = bytes);
        } else {
            auto n = i.value.number(scratch_);
            bool fits = n && *n >= 0 && (i.width >= 63 || *n < std::int64_t{1} << i.width);
            if (!fits)
                return fault(BinaryItem::none,
                             fmt::format("the computed value of `{}` does not fit into its bits", i.name));
            if (i.cell != BinaryItem::none) scratch_.cells[i.cell].number = *n;
            bool swap = i.little_endian && i.width % 8 == 0;
            for (std::size_t k = 0; k < i.width; ++k) {
                std::size_t from = swap ? k / 8 * 8 + 7 - k % 8 : i.width - 1 - k;
                std::size_t at = gap.bit + k;
                if (static_cast<std::uint64_t>(*n) >> from & 1)
                    out_[at / 8] = static_cast<char>(out_[at / 8] | 0x80 >> at % 8);
            }
        }
        for (std::size_t k = 0; k < bytes.size(); ++k) out_[gap.bit / 8 + k] = bytes[k];
        if (i.cell != BinaryItem::none) open_[i.cell] = false;
        return true;
    }

    bool number(const BinaryItem& i) {
        std::int64_t n = i.cell != BinaryItem::none ? scratch_.cells[i.cell].number : 0;
        if (i.value) {
            auto computed = i.value.number(scratch_);
            if (!computed) return fault(field_of(i), fmt::format("`{}` cannot be computed", i.name));
            if (i.is_field && n != *computed)
                return fault(field_of(i),
                             fmt::format("`{}` is {}, but the layout requires {}", i.name, n, *computed));
            n = *computed;
            if (i.cell != BinaryItem::none) scratch_.cells[i.cell].number = n;
        }
        if (i.kind == BinaryKind::decimal || i.kind == BinaryKind::text) {
            char digits[24];
            auto [end, error] = std::to_chars(digits, digits + sizeof digits, n);
            out_.append(digits, end);
            if (i.kind == BinaryKind::decimal) out_ += i.text;
            return true;
        }
        std::uint32_t width = i.kind == BinaryKind::varint ? i.width * 7 : i.width;
        bool small = n >= 0 && (width >= 63 || n < std::int64_t{1} << width);
        if (!small)
            return fault(field_of(i),
                         fmt::format("{} does not fit into the {} bits of `{}`", n, width, i.name));
        if (i.kind == BinaryKind::varint)
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
        if (!computed) return fault(field_of(i), fmt::format("`{}` cannot be computed", i.name));
        if (i.is_field && text != *computed)
            return fault(field_of(i), fmt::format("`{}` differs from what the layout computes", i.name));
        text = *computed;
        if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = text;
        return true;
    }

    bool bytes(const BinaryItem& i) {
        std::string_view text;
        if (!text_of(i, text)) return false;
        if (i.transform != Transform::none && (i.is_field || i.value)) {
            std::string& kept = scratch_.text();
            kept = transformed(i.transform, text);
            text = kept;
        }
        if (i.size) {
            auto size = i.size.number(scratch_);
            if (!size || *size < 0)
                return fault(field_of(i), fmt::format("the size of `{}` cannot be computed", i.name));
            auto wanted = static_cast<std::uint64_t>(*size);
            if (!i.is_field && !i.value) {
                if (wanted > scratch_.limits.message_bytes)
                    return fault(BinaryItem::none, "the message is longer than the limit");
                std::string& zeros = scratch_.text();
                zeros.assign(wanted, '\0');
                text = zeros;
                if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = text;
            }
            if (text.size() != wanted)
                return fault(field_of(i), fmt::format("`{}` has {}, but the layout has room for {}", i.name,
                                                      base::counted(text.size(), "byte"), wanted));
        }
        std::string_view key;
        if (i.key) {
            auto found = i.key.text(scratch_);
            if (!found) return fault(field_of(i), "the key cannot be computed");
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

    bool count(const Formula& formula, std::size_t& times) {
        auto n = formula.number(scratch_);
        if (!n || *n < 0) return fault(BinaryItem::none, "a count of the layout cannot be computed");
        if (static_cast<std::uint64_t>(*n) > scratch_.limits.items)
            return fault(BinaryItem::none, "too many repetitions");
        times = static_cast<std::size_t>(*n);
        return true;
    }

    bool repeat(const BinaryItem& i) {
        std::size_t times = i.lists.empty() ? 0 : list(i.lists[0]).size();
        for (std::uint32_t f : i.lists) carried_[f] = true;
        if (i.size && !count(i.size, times)) return false;
        if (i.more) return tree(i, times);
        for (std::uint32_t f : i.lists)
            if (list(f).size() != times)
                return fault(f, fmt::format("the list has {} elements, but there is room for {}",
                                            list(f).size(), times));
        for (std::size_t k = 0; k < times; ++k) {
            std::size_t before = out_.size();
            if (!round(i, k)) return false;
            if (!i.size && out_.size() == before)
                return fault(BinaryItem::none, "a repetition that consumes no bytes never ends");
        }
        return true;
    }

    // Rounds that ask for more rounds, as in decoding.
    bool tree(const BinaryItem& i, std::size_t times) {
        std::vector<std::size_t> open;
        if (times > 0) open.push_back(times);
        std::size_t k = 0;
        while (!open.empty()) {
            for (std::uint32_t f : i.lists)
                if (k >= list(f).size())
                    return fault(f, "the layout ends before all elements of the list are written");
            std::size_t added = 0;
            if (k >= scratch_.limits.items) return fault(BinaryItem::none, "too many repetitions");
            if (!round(i, k++) || !count(i.more, added)) return false;
            --open.back();
            if (added == 0) {
                while (!open.empty() && open.back() == 0) open.pop_back();
                continue;
            }
            if (open.size() >= most_nested)
                return fault(BinaryItem::none, fmt::format("nested deeper than {} levels", most_nested));
            open.push_back(added);
        }
        for (std::uint32_t f : i.lists)
            if (list(f).size() != k)
                return fault(
                    f, fmt::format("the list has {} elements, but there is room for {}", list(f).size(), k));
        return true;
    }

    bool round(const BinaryItem& i, std::size_t k) {
        set_elements(i.inner, k);
        std::size_t first = carried_now_.size();
        if (!items(i.inner)) return false;
        // What a round leaves out is read back as zero or empty.
        for (std::uint32_t f : i.lists) {
            auto from = carried_now_.begin() + static_cast<std::ptrdiff_t>(first);
            if (std::find(from, carried_now_.end(), f) != carried_now_.end()) continue;
            Cell c = cell_of(list(f)[k]);
            if (c.number != 0 || !c.text.empty())
                return fault(
                    f,
                    fmt::format(
                        "the layout does not write element {} of this list, so it must be zero or empty", k));
        }
        carried_now_.resize(first);
        return true;
    }

    const base::SharedVector<expr::Value>& list(std::uint32_t field) const { return values_[field].items(); }

    void set_elements(const std::vector<BinaryItem>& inner, std::size_t k) {
        for (const BinaryItem& i : inner) {
            if (i.list != BinaryItem::none) scratch_.cells[i.cell] = cell_of(list(i.list)[k]);
            if (i.kind != BinaryKind::repeat) set_elements(i.inner, k);
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
            moved(at, count);
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
        if (i.list != BinaryItem::none) carried_now_.push_back(i.list);
        if (field < carried_.size()) carried_[field] = true;
    }

    // A field under a condition that does not hold is read back as zero or empty, so nothing else may be lost
    // there.
    void check_carried() {
        for (std::uint32_t f = 0; f < values_.size(); ++f) {
            if (carried_[f]) continue;
            Cell c = cell_of(values_[f]);
            if (c.number != 0 || !c.text.empty())
                fault(f, "the layout does not write this field here, so it must be zero or empty");
        }
    }

    const BinaryLayout& layout_;
    std::span<const expr::Value> values_;
    Scratch& scratch_;
    std::string& out_;
    std::size_t start_;
    std::uint64_t partial_ = 0;
    std::uint32_t filled_ = 0;
    absl::InlinedVector<bool, 64> carried_;  // by field: the layout has written it
    std::vector<bool> open_;                 // by cell: not known yet; of layouts with parts
    std::vector<Gap> gaps_;
    std::vector<Range> parts_;
    std::vector<std::uint32_t> carried_now_;  // lists, in the rounds under way
    std::optional<EncodeFault> fault_;
};

}  // namespace

std::optional<EncodeFault> encode_binary(const BinaryLayout& layout, std::span<const expr::Value> values,
                                         Scratch& scratch, std::string& out) {
    return Writer(layout, values, scratch, out).run();
}

}  // namespace treaty::wire
