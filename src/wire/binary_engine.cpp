// Wires over a stream of bytes, and length-prefixed ones. Layouts are tried in the order of the file; one
// that still needs bytes is waited for before a later one is tried, so that the cut into chunks cannot
// matter. The first that fits and whose message's condition holds is the message; if there is none, the first
// that fits.
#include <algorithm>

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
            for (Piece& p : scratch.pieces) p.bit_begin += prefix_ * 8, p.bit_end += prefix_ * 8;
            scratch.pieces.insert(scratch.pieces.begin(),
                                  Piece{"length", fmt::format("{}", n), 0, prefix_ * 8, 0});
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
        if (auto fault = encode_binary(layouts_[by_message_[message]], fields, scratch, out)) return fault;
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

    bool carries(MessageIndex message) const override {
        return message < by_message_.size() && by_message_[message] != none;
    }

private:
    static constexpr std::uint32_t none = 0xffffffffu;

    DecodeStep one_layout(std::size_t i, std::string_view window, bool ended, bool whole, Scratch& scratch,
                          Decoded& out) const {
        DecodeStep step = decode_binary(pool_, layouts_[i], window, whole, scratch, out.fields);
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
        // Only now all that fit as far are gathered, so that nobody pays for it while messages are read.
        std::vector<DecodeStep> alike;
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            if (!scratch.is_expected(layouts_[i].message)) continue;
            DecodeStep step = one_layout(i, window, ended, whole, scratch, out);
            if (!farther(step, best) && !farther(best, step)) alike.push_back(std::move(step));
        }
        best.reason = reasons(alike);
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
