// Makes a message by going through its layout: where the bytes have a shape that no condition gives, such as
// a tree, numbers are drawn as they would be read, and what follows from them follows. A number before a
// check is drawn again until the check holds. A message that grows too large is given up; the caller tries
// again.
#include <algorithm>
#include <charconv>

#include "wire/binary_layout.h"

namespace treaty::wire {
namespace {

constexpr std::size_t most_bytes = 64;
constexpr std::size_t most_rounds = 60;
constexpr int tries_for_a_check = 200;

class Drawer {
public:
    Drawer(const expr::Pool& pool, const BinaryLayout& layout, solve::Choices& choices, Scratch& scratch)
        : pool_(pool), layout_(layout), choices_(choices), scratch_(scratch) {
        scratch.cells.assign(layout.cell_count, Cell());
        scratch.texts_used = 0;
        lists_.resize(layout.fields.size());
    }

    std::optional<std::vector<expr::Value>> run() {
        if (!items(layout_.items)) return std::nullopt;
        std::vector<expr::Value> values;
        for (std::size_t f = 0; f < layout_.fields.size(); ++f) {
            if (layout_.fields[f].list)
                values.push_back(expr::Sequence{std::move(lists_[f])});
            else
                values.push_back(value_of(pool_.types(), layout_.fields[f].type, scratch_.cells[f]));
        }
        return values;
    }

private:
    bool items(const std::vector<BinaryItem>& list) {
        for (std::size_t k = 0; k < list.size(); ++k) {
            bool checked = k + 1 < list.size() && list[k + 1].kind == BinaryKind::check && is_number(list[k]);
            if (!(checked ? until(list[k], list[k + 1]) : item(list[k]))) return false;
        }
        return true;
    }

    static bool is_number(const BinaryItem& i) {
        return i.kind == BinaryKind::bits || i.kind == BinaryKind::varint || i.kind == BinaryKind::decimal;
    }

    bool holds(const Formula& condition) const {
        auto truth = condition.number(scratch_);
        return truth && *truth != 0;
    }

    bool until(const BinaryItem& number, const BinaryItem& check) {
        for (int i = 0; i < tries_for_a_check; ++i) {
            std::size_t mark = choices_.made().size();
            if (!draw_number(number)) return false;
            if (holds(check.condition)) return keep(number);
            choices_.rewind(mark);
        }
        return false;
    }

    bool item(const BinaryItem& i) {
        switch (i.kind) {
            case BinaryKind::bits:
            case BinaryKind::varint:
            case BinaryKind::decimal: return draw_number(i) && keep(i);
            case BinaryKind::byte_string:
            case BinaryKind::line: return draw_text(i) && keep(i);
            case BinaryKind::check: return holds(i.condition);
            case BinaryKind::conditional: return !holds(i.condition) || items(i.inner);
            case BinaryKind::repeat: return repeat(i);
            case BinaryKind::block:
            case BinaryKind::part: return items(i.inner);
            case BinaryKind::text: return draw_pattern(i) && keep(i);
            case BinaryKind::protobuf: return false;  // any values do
            case BinaryKind::literal: break;
        }
        return true;
    }

    // Mostly small, because many numbers are sizes.
    bool draw_number(const BinaryItem& i) {
        if (i.cell == BinaryItem::none) return true;
        std::int64_t low = i.low, high = i.high;
        if (i.kind != BinaryKind::decimal) low = std::max<std::int64_t>(low, 0);
        if (i.kind == BinaryKind::bits && i.width < 63)
            high = std::min(high, (std::int64_t{1} << i.width) - 1);
        if (i.kind == BinaryKind::varint && i.width < 9)
            high = std::min(high, (std::int64_t{1} << (7 * i.width)) - 1);
        std::optional<std::int64_t> computed;
        if (i.value && i.at_once) computed = i.value.number(scratch_);
        std::int64_t n = computed.value_or(0);
        if (!computed) {
            std::int64_t small = std::max<std::int64_t>(low, -1);
            if (small + 6 < high && !choices_.flag(20) && low <= 6) high = small + 6, low = small;
            auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
            n = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + choices_.draw(width));
        }
        scratch_.cells[i.cell].number = n;
        return true;
    }

    bool draw_text(const BinaryItem& i) {
        std::size_t n = 0;
        if (i.size) {
            auto size = i.size.number(scratch_);
            if (!size || *size < 0 || *size > static_cast<std::int64_t>(most_bytes)) return false;
            n = static_cast<std::size_t>(*size);
        } else {
            n = static_cast<std::size_t>(choices_.draw(8));
        }
        if (i.value) return true;  // it is computed when it is written
        if (i.transform != Transform::none) n = size_before(i.transform, n);
        std::string& text = scratch_.text();
        for (std::size_t k = 0; k < n; ++k) text += static_cast<char>('a' + choices_.draw(26));
        if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = text;
        return true;
    }

    bool draw_pattern(const BinaryItem& i) {
        if (!i.pattern) return false;
        if (i.cell == BinaryItem::none || i.value) return true;  // computed when it is written
        std::string& text = scratch_.text();
        text = i.pattern->draw(choices_);
        Cell& cell = scratch_.cells[i.cell];
        cell.text = text;
        if (i.holds_text) return true;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cell.number);
        return error == std::errc() && cell.number >= i.low && cell.number <= i.high;
    }

    // How long a value is whose bytes are this many, or nearly: what is computed from it follows it.
    static std::size_t size_before(Transform transform, std::size_t bytes) {
        std::size_t n = 0;
        while (n < bytes && transformed(transform, std::string(n + 1, 'a')).size() <= bytes) ++n;
        return n;
    }

    // The element of a list that has just been drawn.
    bool keep(const BinaryItem& i) {
        if (i.list == BinaryItem::none) return true;
        lists_[i.list].push_back(
            value_of(pool_.types(), layout_.fields[i.list].element, scratch_.cells[i.cell]));
        return true;
    }

    bool repeat(const BinaryItem& i) {
        std::size_t left = static_cast<std::size_t>(i.size ? 0 : choices_.draw(4));
        if (i.size) {
            auto n = i.size.number(scratch_);
            if (!n || *n < 0 || *n > static_cast<std::int64_t>(most_rounds)) return false;
            left = static_cast<std::size_t>(*n);
        }
        while (left > 0) {
            if (++rounds_ > most_rounds) return false;
            --left;
            if (!round(i)) return false;
            if (!i.more) continue;
            auto added = i.more.number(scratch_);
            if (!added || *added < 0 || *added > static_cast<std::int64_t>(most_rounds)) return false;
            left += static_cast<std::size_t>(*added);
        }
        return true;
    }

    bool round(const BinaryItem& i) {
        std::size_t wanted = 0;
        for (std::uint32_t f : i.lists) wanted = std::max(wanted, lists_[f].size());
        clear(i.inner);
        if (!items(i.inner)) return false;
        for (std::uint32_t f : i.lists)
            if (lists_[f].size() == wanted)
                lists_[f].push_back(value_of(pool_.types(), layout_.fields[f].element, Cell()));
        return true;
    }

    void clear(const std::vector<BinaryItem>& inner) {
        for (const BinaryItem& i : inner) {
            if (i.list != BinaryItem::none) scratch_.cells[i.cell] = Cell();
            if (i.kind != BinaryKind::repeat) clear(i.inner);
        }
    }

    const expr::Pool& pool_;
    const BinaryLayout& layout_;
    solve::Choices& choices_;
    Scratch& scratch_;
    std::vector<std::vector<expr::Value>> lists_;  // by field
    std::size_t rounds_ = 0;
};

}  // namespace

std::optional<std::vector<expr::Value>> draw_binary(const expr::Pool& pool, const BinaryLayout& layout,
                                                    solve::Choices& choices, Scratch& scratch) {
    return Drawer(pool, layout, choices, scratch).run();
}

}  // namespace treaty::wire
