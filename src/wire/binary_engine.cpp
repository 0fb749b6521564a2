// Wires over a stream of bytes, and length-prefixed ones. Layouts are tried in the order of the file; one
// that still needs bytes is waited for before a later one is tried, so that the cut into chunks cannot
// matter. The first that fits and whose message's condition holds is the message; if there is none, the first
// that fits.
#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "wire/binary_layout.h"
#include "wire/condition.h"
#include "wire/engine.h"

namespace treaty::wire {
namespace {

class BinaryEngine final : public Engine {
public:
    BinaryEngine(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
        : pool_(pool),
          prefix_(wire.framing == Framing::length_prefixed ? wire.prefix_bytes : 0),
          conditions_(conditions_of(pool, shapes)) {
        for (const Layout& l : wire.layouts) {
            layouts_.push_back(compile_layout(pool, l, shapes[l.message.index]));
            if (by_message_.size() <= l.message.index) by_message_.resize(l.message.index + 1, none);
            by_message_[l.message.index] = static_cast<std::uint32_t>(layouts_.size() - 1);
        }
        absl::flat_hash_set<std::string> lengths;
        for (const BinaryLayout& l : layouts_) find_lengths(l.items, lengths);
        for (BinaryLayout& l : layouts_) mark_lengths(l.items, lengths);
    }

    DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        if (prefix_ == 0) return any_layout(window, ended, false, scratch, out);
        std::uint64_t n = 0;
        if (window.size() < prefix_) return DecodeStep::more_than(prefix_);
        for (std::uint32_t k = 0; k < prefix_; ++k) n = n << 8 | static_cast<unsigned char>(window[k]);
        if (n > scratch.limits.message_bytes)
            return DecodeStep::fault_at(0, fmt::format("a length of {} bytes exceeds the limit of {}", n,
                                                       scratch.limits.message_bytes));
        std::size_t whole = prefix_ + static_cast<std::size_t>(n);
        if (window.size() < whole) return DecodeStep::more_than(whole);
        DecodeStep step =
            any_layout(window.substr(prefix_, static_cast<std::size_t>(n)), true, true, scratch, out);
        if (scratch.explain) {
            const std::uint64_t prefix_bits = std::uint64_t{prefix_} * 8;
            for (Piece& p : scratch.pieces) p.bit_begin += prefix_bits, p.bit_end += prefix_bits;
            scratch.pieces.insert(scratch.pieces.begin(),
                                  Piece{"length", fmt::format("{}", n), 0, prefix_bits, 0, PieceRole::length,
                                        PieceCoding::bits});
        }
        step.resync = whole;
        if (step.kind == DecodeStep::Kind::message) return DecodeStep::message_of(whole);
        step.bytes += prefix_;
        return step;
    }

    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> fields,
                                      Scratch& scratch, std::string& out) const override {
        std::size_t start = out.size();
        out.append(prefix_, '\0');
        const BinaryLayout& layout = layouts_[by_message_[message]];
        if (auto fault = encode_binary(layout, fields, scratch, out)) return fault;
        if (layout.has_open_ends &&
            !reads_back(layout, fields, std::string_view(out).substr(start + prefix_)))
            return EncodeFault{0xffffffffu, "the bytes would be read back as different values"};
        std::uint64_t n = out.size() - start - prefix_;
        if (prefix_ > 0 && prefix_ < 8 && n >> (8 * prefix_) != 0)
            return EncodeFault{0xffffffffu, "the message is too long for its length field"};
        for (std::uint32_t k = 0; k < prefix_; ++k)
            out[start + k] = static_cast<char>(n >> (8 * (prefix_ - 1 - k)) & 0xff);
        return std::nullopt;
    }

    std::optional<std::vector<expr::Value>> draw(MessageIndex message, solve::Choices& choices,
                                                 Scratch& scratch) const override {
        return draw_binary(pool_, layouts_[by_message_[message]], choices, scratch);
    }

    std::optional<std::vector<expr::Value>> reread(MessageIndex message,
                                                   std::span<const expr::Value> values) const override {
        std::vector<expr::Value> read(values.begin(), values.end());
        if (!round(layouts_[by_message_[message]].items, read)) return std::nullopt;
        return read;
    }

    bool carries(MessageIndex message) const override {
        return message < by_message_.size() && by_message_[message] != none;
    }

private:
    static constexpr std::uint32_t none = 0xffffffffu;

    // False if there is no protobuf message.
    static bool round(const std::vector<BinaryItem>& items, std::span<expr::Value> values) {
        bool any = false;
        for (const BinaryItem& i : items) {
            if (i.protobuf) i.protobuf->round(values);
            any = round(i.inner, values) || any || i.protobuf;
        }
        return any;
    }

    // A pattern may go on into what follows, and a round may look like the end of its repetition.
    bool reads_back(const BinaryLayout& layout, std::span<const expr::Value> values,
                    std::string_view bytes) const {
        Scratch scratch;
        std::vector<FieldView> fields;
        DecodeStep step = decode_binary(pool_, layout, bytes, prefix_ > 0, scratch, fields);
        if (step.kind != DecodeStep::Kind::message || step.bytes != bytes.size()) return false;
        for (std::size_t f = 0; f < values.size(); ++f) {
            Cell cell{fields[f].number, fields[f].text, fields[f].value};
            expr::Value read =
                fields[f].value ? *fields[f].value : value_of(pool_.types(), layout.fields[f].type, cell);
            if (read != values[f]) return false;
        }
        return true;
    }

    // A number that is a length in one layout is one in all of them, also where it is always the same.
    static void find_lengths(const std::vector<BinaryItem>& items, absl::flat_hash_set<std::string>& names) {
        for (const BinaryItem& i : items) {
            if (i.role == PieceRole::length && !i.name.empty()) names.insert(i.name);
            find_lengths(i.inner, names);
        }
    }

    static void mark_lengths(std::vector<BinaryItem>& items, const absl::flat_hash_set<std::string>& names) {
        for (BinaryItem& i : items) {
            bool number = i.kind == BinaryKind::bits || i.kind == BinaryKind::varint;
            if (number && i.role == PieceRole::tag && names.contains(i.name)) i.role = PieceRole::length;
            mark_lengths(i.inner, names);
        }
    }

    DecodeStep one_layout(std::size_t i, std::string_view window, bool ended, bool whole, Scratch& scratch,
                          Decoded& out, Explaining explaining = {}) const {
        DecodeStep step = decode_binary(pool_, layouts_[i], window, whole, scratch, out.fields, explaining);
        if (step.kind == DecodeStep::Kind::message && step.bytes == 0 && !whole)
            step = DecodeStep::fault_at(0, "an empty message would be read again and again");
        if (step.kind == DecodeStep::Kind::more && ended)
            step = DecodeStep::fault_at(window.size(), "the input ends in the middle of a message");
        return step;
    }

    DecodeStep any_layout(std::string_view window, bool ended, bool whole, Scratch& scratch,
                          Decoded& out) const {
        DecodeStep best;
        bool tried = false;
        std::optional<std::size_t> fitting;  // the first, though its condition does not hold
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            if (!scratch.is_expected(layouts_[i].message)) continue;
            DecodeStep step = one_layout(i, window, ended, whole, scratch, out);
            if (step.kind == DecodeStep::Kind::message &&
                !conditions_[layouts_[i].message].holds(out.fields, scratch)) {
                if (!fitting) fitting = i;
                tried = true;
                continue;
            }
            if (step.kind == DecodeStep::Kind::message) return chosen(i, step, out);
            if (step.kind == DecodeStep::Kind::more) return step;
            if (!tried || farther(step, best)) best = std::move(step);
            tried = true;
        }
        if (fitting) {
            out.condition_holds = false;
            return chosen(*fitting, one_layout(*fitting, window, ended, whole, scratch, out), out);
        }
        if (!tried) return DecodeStep::fault_at(0, "no message is expected here");
        return explained(window, ended, whole, (best.reached + 7) / 8, scratch, out);
    }

    // Why no layout matches. Only now all that fit as far are gathered, so that it costs nothing while
    // messages are read. A layout in which just one number differs from its constant is worth naming, even if
    // others got further: that number may be what is wrong. To find these, no more bytes are looked at than
    // were needed to see that nothing matches (`seen`), so that the cut into chunks cannot matter.
    DecodeStep explained(std::string_view window, bool ended, bool whole, std::size_t seen, Scratch& scratch,
                         Decoded& out) const {
        std::vector<DecodeStep> steps, alike, near;
        std::vector<bool> one_wrong;
        DecodeStep best;
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            if (!scratch.is_expected(layouts_[i].message)) continue;
            DecodeStep step = one_layout(i, window, ended, whole, scratch, out, {true, false});
            if (steps.empty() || farther(step, best)) best = step;
            bool differs = step.other_layout && step.wanted_size > 0 && step.reason.starts_with('`');
            one_wrong.push_back(differs && !one_layout(i, window.substr(0, std::min(seen, window.size())),
                                                       false, false, scratch, out, {true, true})
                                                .other_layout);
            steps.push_back(std::move(step));
        }
        auto is_best = [&](const DecodeStep& s) { return !farther(s, best) && !farther(best, s); };
        bool all_differ = true, some_near = false;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!is_best(steps[i])) continue;
            all_differ = all_differ && steps[i].other_layout;
            some_near = some_near || one_wrong[i];
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (is_best(steps[i])) {
                if (!some_near || one_wrong[i] || !steps[i].other_layout)
                    alike.push_back(std::move(steps[i]));
            } else if (all_differ && one_wrong[i]) {
                near.push_back(std::move(steps[i]));
            }
        }
        best.reason = reasons(alike);
        if (!near.empty()) best.reason += "; or " + reasons(near);
        return best;
    }

    DecodeStep chosen(std::size_t layout, DecodeStep step, Decoded& out) const {
        out.message = layouts_[layout].message;
        out.layout = static_cast<std::uint32_t>(layout);
        return step;
    }

    static bool farther(const DecodeStep& a, const DecodeStep& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.reached > b.reached;
    }

    // What all of them expect there, in one sentence if their texts are alike.
    static std::string reasons(const std::vector<DecodeStep>& alike) {
        auto before = [](const DecodeStep& s) { return std::string_view(s.reason).substr(0, s.wanted_at); };
        auto after = [](const DecodeStep& s) {
            return std::string_view(s.reason).substr(s.wanted_at + s.wanted_size);
        };
        bool same = std::all_of(alike.begin(), alike.end(), [&](const DecodeStep& s) {
            return s.wanted_size > 0 && before(s) == before(alike[0]) && after(s) == after(alike[0]);
        });
        std::vector<std::string_view> parts;
        for (const DecodeStep& s : alike) {
            std::string_view part = s.reason;
            if (same) part = part.substr(s.wanted_at, s.wanted_size);
            if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
        }
        if (!same) return joined(parts, "; ", "; or ");
        return fmt::format("{}{}{}", before(alike[0]), joined(parts, ", ", " or "), after(alike[0]));
    }

    // At most five, then how many more.
    static std::string joined(const std::vector<std::string_view>& parts, std::string_view comma,
                              std::string_view last) {
        constexpr std::size_t most = 5;
        std::size_t shown = parts.size() > most + 1 ? most : parts.size();
        std::string out;
        for (std::size_t k = 0; k < shown; ++k)
            out += fmt::format("{}{}", k == 0 ? "" : k + 1 == parts.size() ? last : comma, parts[k]);
        if (shown < parts.size()) out += fmt::format("{}{} others", last, parts.size() - shown);
        return out;
    }

    const expr::Pool& pool_;
    std::uint32_t prefix_;
    std::vector<Condition> conditions_;  // by message
    std::vector<BinaryLayout> layouts_;
    std::vector<std::uint32_t> by_message_;
};

}  // namespace

std::unique_ptr<Engine> make_binary_engine(const expr::Pool& pool, const Wire& wire,
                                           std::span<const MessageShape> shapes) {
    return std::make_unique<BinaryEngine>(pool, wire, shapes);
}

}  // namespace treaty::wire
