// Reading a binary layout: one pass from left to right over the window, with a limit where a block ends. A
// computed field is compared at once if what it is computed from has been read, otherwise when all is read.
#include <algorithm>
#include <charconv>

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include "base/wording.h"
#include "wire/binary_layout.h"

namespace treaty::wire {
namespace {

struct Check {
    const BinaryItem* item;
    std::int64_t number;
    std::string_view text;
    std::size_t at;
};

class Reader {
public:
    Reader(const expr::Pool& pool, const BinaryLayout& layout, std::string_view window, bool whole,
           Scratch& scratch, Explaining explaining)
        : pool_(pool), layout_(layout), window_(window), scratch_(scratch), explaining_(explaining) {
        limit_ = whole ? window.size() : std::string_view::npos;
        scratch.cells.assign(layout.cell_count, Cell());
        scratch.texts_used = 0;
        scratch.pieces.clear();
        scratch.lists.resize(layout.fields.size());
        for (std::size_t f = 0; f < layout.fields.size(); ++f)
            if (layout.fields[f].list) scratch.lists[f] = expr::Sequence{};
    }

    DecodeStep run(std::vector<FieldView>& fields) {
        if (!items(layout_.items) || !compare_deferred(0, true)) return std::move(step_);
        if (limit_ != std::string_view::npos && at_ != limit_)
            return DecodeStep::fault_at(at_, "the message has bytes after its last field");
        fields.resize(layout_.fields.size());
        for (std::size_t f = 0; f < fields.size(); ++f) {
            const Cell& c = scratch_.cells[f];
            fields[f] = {c.number, c.text, layout_.fields[f].whole ? &scratch_.lists[f] : nullptr};
        }
        return DecodeStep::message_of(at_);
    }

private:
    bool fault(std::size_t at, std::string why) {
        step_ = DecodeStep::fault_at(at, std::move(why));
        step_.reached = std::max(at * 8, at_ * 8 + bit_);
        return false;
    }

    bool fault(std::size_t at, std::string before, std::string_view wanted, std::string_view after) {
        fault(at, fmt::format("{}{}{}", before, wanted, after));
        step_.wanted_at = before.size();
        step_.wanted_size = wanted.size();
        return false;
    }

    // Whether n more bytes can be had.
    bool have(std::size_t n) {
        if (limit_ != std::string_view::npos && (limit_ < at_ || n > limit_ - at_))
            return fault(limit_, "the field is longer than its block");
        if (n > scratch_.limits.message_bytes || at_ + n > scratch_.limits.message_bytes)
            return fault(at_,
                         fmt::format("{} bytes exceed the limit of {}", n, scratch_.limits.message_bytes));
        if (at_ + n <= window_.size()) return true;
        step_ = DecodeStep::more_than(at_ + n);
        return false;
    }

    bool items(const std::vector<BinaryItem>& list) {
        for (const BinaryItem& i : list)
            if (!item(i)) return false;
        return true;
    }

    bool item(const BinaryItem& i) {
        switch (i.kind) {
            case BinaryKind::bits: return bits(i);
            case BinaryKind::byte_string: return bytes(i);
            case BinaryKind::check: return check(i);
            case BinaryKind::conditional: {
                auto holds = i.condition.number(scratch_);
                if (!holds) return fault(at_, "the condition cannot be computed");
                return *holds == 0 || items(i.inner);
            }
            case BinaryKind::repeat: return repeat(i);
            case BinaryKind::decimal: return decimal(i);
            case BinaryKind::line: return line(i);
            case BinaryKind::varint: {
                std::uint64_t begin = at_;
                std::int64_t n = 0;
                return varint(i.width, n) && number(i, n, begin * 8);
            }
            case BinaryKind::block: return block(i);
            case BinaryKind::part: return part(i);
            case BinaryKind::text: return text(i);
            case BinaryKind::protobuf: return protobuf(i);
            case BinaryKind::literal: break;
        }
        return literal(i.text);
    }

    bool literal(std::string_view text) {
        std::size_t there = std::min(text.size(), window_.size() - at_);
        for (std::size_t k = 0; k < there; ++k)
            if (window_[at_ + k] != text[k]) {
                fault(at_ + k, "expected ", readable(text), "");
                step_.other_layout = true;
                return false;
            }
        if (!have(text.size())) return false;
        if (scratch_.explain) note("", readable(text), at_ * 8, (at_ + text.size()) * 8, PieceRole::tag);
        at_ += text.size();
        return true;
    }

    // As far as the pattern goes: whether a byte belongs to it shows when the byte is there.
    bool text(const BinaryItem& i) {
        std::size_t begin = at_, end = std::min(limit_, window_.size());
        if (!i.pattern) return fault(at_, "this pattern cannot be read byte by byte");
        auto match = i.pattern->match(window_.substr(at_, end - at_), window_.size() >= limit_);
        if (match.kind == StreamPattern::Match::Kind::more) return have(end - at_ + 1);
        std::string name = i.name.empty() ? "this text" : fmt::format("`{}`", i.name);
        if (match.kind == StreamPattern::Match::Kind::fault)
            return fault(at_ + match.at, fmt::format("{} must match /{}/", name, i.text));
        if (!have(match.at)) return false;
        std::string_view found = window_.substr(at_, match.at);
        at_ += match.at;
        if (i.cell == BinaryItem::none || i.holds_text) return take_text(i, found, begin);
        std::int64_t n = 0;
        auto [after, error] = std::from_chars(found.data(), found.data() + found.size(), n);
        if (error != std::errc() || after != found.data() + found.size())
            return fault(begin, fmt::format("{} is not a number of 63 bits", name));
        return number(i, n, begin * 8);
    }

    bool bits(const BinaryItem& i) {
        std::uint64_t begin = at_ * 8 + bit_;
        std::uint64_t end = begin + i.width;
        std::size_t last = static_cast<std::size_t>((end + 7) / 8);
        if (last > at_ && !have(last - at_)) return false;
        std::uint64_t n = 0;
        auto byte = [&](std::size_t k) { return std::uint64_t{static_cast<unsigned char>(window_[k])}; };
        if (bit_ + i.width <= 8) {
            n = byte(at_) >> (8 - bit_ - i.width) & ((1u << i.width) - 1);
        } else if (i.little_endian && i.width % 8 == 0 && bit_ == 0) {
            for (std::size_t k = last; k-- > at_;) n = n << 8 | byte(k);
        } else if (bit_ == 0 && i.width % 8 == 0) {
            for (std::size_t k = at_; k < last; ++k) n = n << 8 | byte(k);
        } else {
            for (std::uint64_t b = begin; b < end;) {
                auto offset = static_cast<unsigned>(b % 8);
                auto take = static_cast<unsigned>(std::min<std::uint64_t>(8 - offset, end - b));
                std::uint64_t part =
                    byte(static_cast<std::size_t>(b / 8)) >> (8 - offset - take) & ((1u << take) - 1);
                n = n << take | part;
                b += take;
            }
        }
        at_ = static_cast<std::size_t>(end / 8);
        bit_ = static_cast<unsigned>(end % 8);
        if (n > static_cast<std::uint64_t>(INT64_MAX))
            return fault(static_cast<std::size_t>(begin / 8), "the number has more than 63 bits");
        return number(i, static_cast<std::int64_t>(n), begin);
    }

    // A number has been read: range, computed value, name.
    bool number(const BinaryItem& i, std::int64_t n, std::uint64_t bit_begin) {
        auto at = static_cast<std::size_t>(bit_begin / 8);
        last_ = at;
        if (n < i.low || n > i.high) return fault(at, fmt::format("`{}` cannot be {}", i.name, n));
        if (scratch_.explain) note_number(i, n, bit_begin);
        if (i.cell != BinaryItem::none) scratch_.cells[i.cell].number = n;
        if (i.list != BinaryItem::none && !collect(i, n, {})) return false;
        if (explaining_.foresee && i.cell != BinaryItem::none) {
            known_.resize(layout_.cell_count);
            known_[i.cell] = true;
            if (!leaves_room(layout_.items, i, n, at)) return false;
        }
        if (!i.value) return true;
        if (!i.at_once) checks_.push_back({&i, n, {}, at});
        return !i.at_once || compare({&i, n, {}, at});
    }

    // Whether no size that this number completes is negative. What is inside a condition or a repetition may
    // never come.
    bool leaves_room(const std::vector<BinaryItem>& list, const BinaryItem& i, std::int64_t n,
                     std::size_t at) {
        for (const BinaryItem& later : list) {
            if (later.kind == BinaryKind::part || later.kind == BinaryKind::block) {
                if (!leaves_room(later.inner, i, n, at)) return false;
                continue;
            }
            const auto& uses = later.size.uses();
            bool completed =
                later.size && std::find(uses.begin(), uses.end(), i.cell) != uses.end() &&
                std::all_of(uses.begin(), uses.end(), [&](std::uint32_t c) { return known_[c]; });
            auto size = completed ? later.size.number(scratch_) : std::nullopt;
            if (!size || *size >= 0 || *size < -1'000'000'000) continue;
            if (explaining_.forgive && !forgiven_) return forgiven_ = true;
            // As a rule the size grows with the number, one by one.
            scratch_.cells[i.cell].number = n - *size;
            bool least = later.size.number(scratch_) == 0;
            scratch_.cells[i.cell].number = n;
            fault(at, fmt::format("`{}` is {}, but must be ", i.name, number_text(i, n)),
                  least ? fmt::format("at least {}", number_text(i, n - *size)) : "larger", "");
            step_.other_layout = true;
            return false;
        }
        return true;
    }

    static std::string number_text(const BinaryItem& i, std::int64_t n) {
        bool bits = i.kind == BinaryKind::bits;
        return wire::number_text(i.role, bits, i.width, n);
    }

    bool compare(const Check& c) {
        bool constant = c.item->value.uses().empty();
        if (c.item->kind == BinaryKind::byte_string || c.item->kind == BinaryKind::line ||
            (c.item->kind == BinaryKind::text && c.item->holds_text)) {
            auto wanted = c.item->value.text(scratch_);
            if (wanted && *wanted == c.text) return true;
            fault(c.at, wanted ? fmt::format("`{}` must be {}", c.item->name, readable(*wanted))
                               : fmt::format("the required value of `{}` cannot be computed", c.item->name));
            step_.other_layout = constant;
            return false;
        }
        auto wanted = c.item->value.number(scratch_);
        if (wanted && *wanted == c.number) return true;
        std::string what = c.item->name.empty() ? "this number" : fmt::format("`{}`", c.item->name);
        if (!wanted) return fault(c.at, fmt::format("the required value of {} cannot be computed", what));
        if (constant && explaining_.forgive && !forgiven_) return forgiven_ = true;
        fault(c.at, fmt::format("{} is {}, but must be ", what, number_text(*c.item, c.number)),
              number_text(*c.item, *wanted), "");
        step_.other_layout = constant;
        return false;
    }

    // Compares the checks deferred since `first`; inside a repetition (not `all`) what is needed has not been
    // read for every one of them.
    bool compare_deferred(std::size_t first, bool all) {
        std::size_t kept = first;
        for (std::size_t k = first; k < checks_.size(); ++k) {
            if (checks_[k].item->late && !all) {
                checks_[kept++] = checks_[k];
                continue;
            }
            if (!compare(checks_[k])) return false;
        }
        checks_.erase(checks_.begin() + static_cast<std::ptrdiff_t>(kept), checks_.end());
        return true;
    }

    bool collect(const BinaryItem& i, std::int64_t n, std::string_view text) {
        const FieldKind& kind = layout_.fields[i.list];
        auto& list = std::get<expr::Sequence>(scratch_.lists[i.list].v).items;
        if (++collected_ > scratch_.limits.items)
            return fault(at_, fmt::format("more than {} items", scratch_.limits.items));
        list.push_back(value_of(pool_.types(), kind.element, Cell{n, text, nullptr}));
        scratch_.cells[i.list].number = static_cast<std::int64_t>(list.size());
        scratch_.cells[i.list].value = &scratch_.lists[i.list];
        return true;
    }

    bool bytes(const BinaryItem& i) {
        std::size_t n = 0;
        if (!i.size) {
            if (limit_ == std::string_view::npos)
                return fault(at_, "the rest of the message has no known end");
            n = limit_ - at_;
        } else {
            auto size = i.size.number(scratch_);
            if (!size || *size < 0)
                return fault(last_, "the number of bytes cannot be computed or is negative");
            n = static_cast<std::size_t>(*size);
        }
        if (!have(n)) return false;
        std::string_view raw = window_.substr(at_, n), text = raw;
        if (i.key) {
            auto key = i.key.text(scratch_);
            if (!key) return fault(at_, "the key cannot be computed");
            if (!key->empty()) {
                char* kept = scratch_.room(n);
                xor_into(kept, raw, *key);
                text = {kept, n};
            }
        }
        std::size_t begin = at_;
        at_ += n;
        return restore(i, text, begin) && take_text(i, text, begin);
    }

    bool restore(const BinaryItem& i, std::string_view& text, std::size_t begin) {
        if (i.transform == Transform::none) return true;
        auto value = restored(i.transform, text);
        if (!value) {
            std::string_view hex = "0123456789abcdef", base64 = "+/=0123456789";
            bool is_hex = i.transform == Transform::hex;
            std::size_t k = 0;
            while (k < text.size() &&
                   (is_hex ? hex.find(text[k]) != std::string_view::npos
                           : base64.find(text[k]) != std::string_view::npos ||
                                 (text[k] >= 'A' && text[k] <= 'Z') || (text[k] >= 'a' && text[k] <= 'z')))
                ++k;
            return fault(begin + (k < text.size() ? k : 0),
                         fmt::format("`{}` is not valid {}", i.name, is_hex ? "hexadecimal" : "base64"));
        }
        std::string& kept = scratch_.text();
        kept = std::move(*value);
        text = kept;
        return true;
    }

    bool take_text(const BinaryItem& i, std::string_view text, std::size_t begin) {
        last_ = begin;
        if (scratch_.explain) note(i.name, readable(text), begin * 8, at_ * 8, i.role);
        if (i.cell != BinaryItem::none) scratch_.cells[i.cell].text = text;
        if (i.list != BinaryItem::none && !collect(i, 0, text)) return false;
        if (!i.value) return true;
        if (!i.at_once) checks_.push_back({&i, 0, text, begin});
        return !i.at_once || compare({&i, 0, text, begin});
    }

    // Up to the terminator, which is taken too.
    bool up_to(const BinaryItem& i, std::string_view& text) {
        std::size_t end = window_.find(i.text, at_);
        bool beyond = limit_ != std::string_view::npos &&
                      (end == std::string_view::npos || end + i.text.size() > limit_);
        if (beyond && window_.size() >= limit_)
            return fault(limit_, fmt::format("`{}` does not end with {}", i.name, readable(i.text)));
        if (end == std::string_view::npos || end + i.text.size() > scratch_.limits.message_bytes) {
            if (window_.size() - at_ > scratch_.limits.message_bytes)
                return fault(at_, "the line is longer than the limit");
            if (end != std::string_view::npos) return fault(at_, "the line is longer than the limit");
            step_ = DecodeStep::more_than(window_.size() + 1);
            return false;
        }
        text = window_.substr(at_, end - at_);
        at_ = end + i.text.size();
        return true;
    }

    bool decimal(const BinaryItem& i) {
        std::size_t begin = at_;
        // Digits are looked at before the terminator is there, so a wrong one is seen as soon as it comes.
        std::size_t k = at_ + (at_ < window_.size() && window_[at_] == '-' ? 1 : 0);
        while (k < window_.size() && window_[k] >= '0' && window_[k] <= '9') ++k;
        if (k - at_ > 20) {
            fault(at_, "the number has more than 63 bits");
            step_.reached = (at_ + 20) * 8;
            return false;
        }
        if (k < window_.size() && !window_.substr(k).starts_with(i.text) &&
            !std::string_view(i.text).starts_with(window_.substr(k)))
            return fault(k, "expected a digit");
        std::string_view text;
        if (!up_to(i, text)) return false;
        std::int64_t n = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        bool canonical = !text.empty() && (text == "0" || (text[0] != '0' && !text.starts_with("-0")));
        if (error == std::errc::result_out_of_range) return fault(begin, "the number has more than 63 bits");
        if (error != std::errc() || end != text.data() + text.size() || !canonical)
            return fault(begin, "expected a number in decimal digits");
        return number(i, n, begin * 8);
    }

    bool line(const BinaryItem& i) {
        std::size_t begin = at_;
        std::string_view text;
        return up_to(i, text) && restore(i, text, begin) && take_text(i, text, begin);
    }

    bool varint(std::uint32_t max_bytes, std::int64_t& n) {
        std::size_t begin = at_;
        std::uint64_t value = 0;
        for (std::uint32_t k = 0; k < max_bytes; ++k) {
            if (!have(1)) return false;
            auto byte = static_cast<unsigned char>(window_[at_++]);
            value |= std::uint64_t{byte & 0x7fu} << (7 * k);
            if (byte & 0x80u) continue;
            if (byte == 0 && k > 0) return fault(at_ - 1, "the number uses more bytes than it needs");
            if (value > static_cast<std::uint64_t>(INT64_MAX))
                return fault(begin, "the number has more than 63 bits");
            n = static_cast<std::int64_t>(value);
            return true;
        }
        return fault(at_ - 1,
                     fmt::format("the number is longer than its {}", base::counted(max_bytes, "byte")));
    }

    bool block(const BinaryItem& i) {
        std::uint64_t begin = at_;
        std::int64_t n = 0;
        if (i.width == 0) {
            if (!varint(4, n)) return false;
        } else {
            std::size_t size = i.width / 8;
            if (!have(size)) return false;
            std::uint64_t value = 0;
            for (std::size_t k = 0; k < size; ++k)
                value = value << 8 |
                        static_cast<unsigned char>(window_[i.little_endian ? at_ + size - 1 - k : at_ + k]);
            if (value > static_cast<std::uint64_t>(INT64_MAX))
                return fault(at_, "the length has more than 63 bits");
            n = static_cast<std::int64_t>(value);
            at_ += size;
        }
        if (scratch_.explain)
            note("length", fmt::format("{}", n), begin * 8, at_ * 8, PieceRole::length,
                 i.width == 0      ? PieceCoding::varint
                 : i.little_endian ? PieceCoding::little_endian
                                   : PieceCoding::bits);
        // Everything of the block must come within the enclosing one, and within the limit.
        if (!have(static_cast<std::size_t>(n))) return false;
        std::size_t outer = limit_;
        limit_ = at_ + static_cast<std::size_t>(n);
        ++depth_;
        bool read = items(i.inner);
        --depth_;
        if (read && at_ != limit_) return fault(at_, "the block has bytes after its last field");
        limit_ = outer;
        return read;
    }

    // The rest of the block. What it holds is in the lists of the scratch, which every field has.
    bool protobuf(const BinaryItem& i) {
        if (limit_ == std::string_view::npos) return fault(at_, "the rest of the message has no known end");
        std::size_t begin = at_;
        if (!have(limit_ - at_)) return false;
        auto first = static_cast<std::ptrdiff_t>(scratch_.pieces.size());
        ProtobufFault why;
        if (!i.protobuf->read(window_.substr(at_, limit_ - at_), scratch_.limits, scratch_.lists,
                              scratch_.explain ? &scratch_.pieces : nullptr, depth_, why))
            return fault(begin + why.at, std::move(why.reason));
        for (auto p = scratch_.pieces.begin() + first; p != scratch_.pieces.end(); ++p) {
            p->bit_begin += begin * 8;
            p->bit_end += begin * 8;
        }
        at_ = limit_;
        last_ = begin;
        for (std::uint32_t f : i.protobuf->carries()) {
            const expr::Value& value = scratch_.lists[f];
            FieldView view = view_of(value);
            Cell& cell = scratch_.cells[f];
            cell = {view.number, view.text, &value};
            if (const auto* sequence = std::get_if<expr::Sequence>(&value.v))
                cell.number = static_cast<std::int64_t>(sequence->items.size());
        }
        return true;
    }

    // What does not hold is about what has been read; the last field is the first place where it shows.
    bool check(const BinaryItem& i) {
        auto holds = i.condition.number(scratch_);
        return (holds && *holds != 0) || fault(last_, fmt::format("these bytes violate `check {}`", i.text));
    }

    bool part(const BinaryItem& i) {
        std::size_t begin = at_;
        auto place = static_cast<std::ptrdiff_t>(scratch_.pieces.size());
        ++depth_;
        if (!items(i.inner)) return false;
        --depth_;
        scratch_.cells[i.cell].text = window_.substr(begin, at_ - begin);
        if (scratch_.explain)
            scratch_.pieces.insert(
                scratch_.pieces.begin() + place,
                Piece{i.name, base::counted(at_ - begin, "byte"), begin * 8, at_ * 8, depth_});
        return true;
    }

    bool count(const Formula& formula, std::size_t& times) {
        auto n = formula.number(scratch_);
        if (!n || *n < 0) return fault(last_, "the count cannot be computed or is negative");
        if (static_cast<std::uint64_t>(*n) > scratch_.limits.items)
            return fault(at_,
                         fmt::format("{} repetitions exceed the limit of {}", *n, scratch_.limits.items));
        times = static_cast<std::size_t>(*n);
        return true;
    }

    bool repeat(const BinaryItem& i) {
        std::size_t times = 0;
        if (i.size && !count(i.size, times)) return false;
        if (i.more) return tree(i, times);
        if (!i.text.empty()) return repeat_until(i);
        if (!i.size && limit_ == std::string_view::npos)
            return fault(at_, "a repetition without a count has no known end here");
        last_ = at_;  // without a round this is where one is missing
        ++depth_;
        for (std::size_t k = 0; i.size ? k < times : at_ < limit_; ++k) {
            std::size_t before = at_;
            if (!round(i)) return false;
            if (!i.size && at_ == before) return fault(at_, "a repetition that consumes no bytes never ends");
        }
        --depth_;
        return true;
    }

    // The text at the end is looked for before each round.
    bool repeat_until(const BinaryItem& i) {
        for (++depth_;;) {
            last_ = at_;
            std::string_view rest = window_.substr(at_), end = i.text;
            std::size_t there = std::min({rest.size(), end.size(), limit_ - at_});
            if (rest.substr(0, there) == end.substr(0, there)) {
                if (!have(end.size())) return false;
                if (scratch_.explain)
                    note("", readable(end), at_ * 8, (at_ + end.size()) * 8, PieceRole::tag);
                at_ += end.size();
                --depth_;
                return true;
            }
            std::size_t before = at_;
            if (!round(i)) return false;
            if (at_ == before) return fault(at_, "a repetition that consumes no bytes never ends");
        }
    }

    // Rounds that ask for more rounds: a tree, each element before those inside it. `open` counts what is
    // still to come of each element on the way down.
    bool tree(const BinaryItem& i, std::size_t times) {
        absl::InlinedVector<std::size_t, 16> open;
        if (times > 0) open.push_back(times);
        unsigned depth = depth_;
        while (!open.empty()) {
            depth_ = depth + static_cast<unsigned>(open.size());
            std::size_t begin = at_, added = 0;
            if (!round(i)) return false;
            if (!count(i.more, added)) return false;
            --open.back();
            if (added == 0) {
                while (!open.empty() && open.back() == 0) open.pop_back();
                continue;
            }
            if (open.size() >= most_nested)
                return fault(begin, fmt::format("nested deeper than {} levels", most_nested));
            open.push_back(added);
        }
        depth_ = depth;
        return true;
    }

    // What a round leaves out is zero or empty in its lists, so that all of them have an element a round.
    bool round(const BinaryItem& i) {
        std::size_t first = checks_.size();
        if (++rounds_ > scratch_.limits.items) return fault(at_, "too many repetitions in one message");
        std::size_t wanted = 0;
        for (std::uint32_t f : i.lists) wanted = std::max(wanted, length_of(f));
        clear_elements(i.inner);
        if (!items(i.inner) || !compare_deferred(first, false)) return false;
        for (std::uint32_t f : i.lists)
            if (length_of(f) == wanted && !absent(f)) return false;
        return true;
    }

    std::size_t length_of(std::uint32_t field) const { return scratch_.lists[field].items().size(); }

    void clear_elements(const std::vector<BinaryItem>& inner) {
        for (const BinaryItem& i : inner) {
            if (i.kind == BinaryKind::repeat) continue;
            if (i.list != BinaryItem::none) scratch_.cells[i.cell] = Cell();
            clear_elements(i.inner);
        }
    }

    bool absent(std::uint32_t field) {
        BinaryItem nothing;
        nothing.list = field;
        return collect(nothing, 0, {});
    }

    void note(std::string name, std::string value, std::uint64_t begin, std::uint64_t end, PieceRole role,
              PieceCoding coding = PieceCoding::other, std::string hexadecimal = {}) {
        if (scratch_.explain)
            scratch_.pieces.push_back({std::move(name), std::move(value), begin, end, depth_, role, coding,
                                       std::move(hexadecimal)});
    }

    // Bits are shown in hexadecimal too, with all their digits, unless they count something or are below 10;
    // checksums always.
    void note_number(const BinaryItem& i, std::int64_t n, std::uint64_t bit_begin) {
        PieceCoding coding = i.kind == BinaryKind::varint          ? PieceCoding::varint
                             : i.kind == BinaryKind::decimal       ? PieceCoding::decimal
                             : i.little_endian && i.width % 8 == 0 ? PieceCoding::little_endian
                                                                   : PieceCoding::bits;
        if (i.kind == BinaryKind::text) coding = PieceCoding::decimal;
        bool checksum = i.role == PieceRole::checksum;
        bool bits = i.kind == BinaryKind::bits && i.role != PieceRole::length && n > 9;
        std::string hexadecimal;
        if (n >= 0 && (checksum || bits))
            hexadecimal = fmt::format("0x{:0{}x}", n, i.kind == BinaryKind::bits ? (i.width + 3) / 4 : 1);
        note(i.name, fmt::format("{}", n), bit_begin, at_ * 8 + bit_, i.role, coding, std::move(hexadecimal));
    }

    const expr::Pool& pool_;
    const BinaryLayout& layout_;
    std::string_view window_;
    Scratch& scratch_;
    std::size_t limit_;
    std::size_t at_ = 0;
    std::size_t last_ = 0;  // where the last field began
    unsigned bit_ = 0;
    unsigned depth_ = 0;
    std::size_t collected_ = 0;
    std::size_t rounds_ = 0;
    absl::InlinedVector<Check, 8> checks_;
    Explaining explaining_;
    std::vector<bool> known_;  // by cell, if lengths are foreseen: has been read
    bool forgiven_ = false;
    DecodeStep step_;
};

}  // namespace

DecodeStep decode_binary(const expr::Pool& pool, const BinaryLayout& layout, std::string_view window,
                         bool whole, Scratch& scratch, std::vector<FieldView>& fields,
                         Explaining explaining) {
    return Reader(pool, layout, window, whole, scratch, explaining).run(fields);
}

}  // namespace treaty::wire
