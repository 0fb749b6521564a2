// Wires over a stream of bytes, and length-prefixed ones. Layouts are tried in the order of the file; one
// that still needs bytes is waited for before a later one is tried, so that the cut into chunks cannot
// matter.
#include <fmt/format.h>

#include "wire/binary_layout.h"
#include "wire/engine.h"

namespace treaty::wire {
namespace {

class BinaryEngine final : public Engine {
public:
    BinaryEngine(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
        : pool_(pool), prefix_(wire.framing == Framing::length_prefixed ? wire.prefix_bytes : 0) {
        for (const Layout& l : wire.layouts) {
            layouts_.push_back(compile_layout(pool, l, shapes[l.message]));
            if (by_message_.size() <= l.message) by_message_.resize(l.message + 1, none);
            by_message_[l.message] = static_cast<std::uint32_t>(layouts_.size() - 1);
        }
    }

    Step decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        if (prefix_ == 0) return any_layout(window, ended, false, scratch, out);
        std::uint64_t n = 0;
        if (window.size() < prefix_) return Step::more_than(prefix_);
        for (std::uint32_t k = 0; k < prefix_; ++k) n = n << 8 | static_cast<unsigned char>(window[k]);
        if (n > scratch.limits.message_bytes)
            return Step::fault_at(0, fmt::format("a length of {} bytes is over the limit of {}", n,
                                                 scratch.limits.message_bytes));
        std::size_t whole = prefix_ + static_cast<std::size_t>(n);
        if (window.size() < whole) return Step::more_than(whole);
        Step step = any_layout(window.substr(prefix_, static_cast<std::size_t>(n)), true, true, scratch, out);
        if (scratch.explain) {
            for (Piece& p : scratch.pieces) p.bit_begin += prefix_ * 8, p.bit_end += prefix_ * 8;
            scratch.pieces.insert(scratch.pieces.begin(),
                                  Piece{"length", fmt::format("{}", n), 0, prefix_ * 8, 0});
        }
        step.resync = whole;
        if (step.kind == Step::Kind::message) return Step::message_of(whole);
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
            return EncodeFault{0xffffffffu, "the message is too long for its length"};
        for (std::uint32_t k = 0; k < prefix_; ++k)
            out[start + k] = static_cast<char>(n >> (8 * (prefix_ - 1 - k)) & 0xff);
        return std::nullopt;
    }

    std::optional<std::vector<expr::Value>> draw(MessageIndex message, expr::Choices& choices,
                                                 Scratch& scratch) const override {
        return draw_binary(pool_, layouts_[by_message_[message]], choices, scratch);
    }

    bool carries(MessageIndex message) const override {
        return message < by_message_.size() && by_message_[message] != none;
    }

private:
    static constexpr std::uint32_t none = 0xffffffffu;

    Step any_layout(std::string_view window, bool ended, bool whole, Scratch& scratch, Decoded& out) const {
        Step best;
        bool tried = false;
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            if (!scratch.is_expected(layouts_[i].message)) continue;
            Step step = decode_binary(pool_, layouts_[i], window, whole, scratch, out.fields);
            if (step.kind == Step::Kind::message && step.bytes == 0 && !whole)
                step = Step::fault_at(0, "a message of no bytes would come for ever");
            if (step.kind == Step::Kind::message) {
                out.message = layouts_[i].message;
                out.layout = static_cast<std::uint32_t>(i);
                return step;
            }
            if (step.kind == Step::Kind::more) {
                if (!ended) return step;
                step = Step::fault_at(window.size(), "the bytes end inside a message");
            }
            if (!tried || step.bytes >= best.bytes) best = std::move(step);
            tried = true;
        }
        return tried ? std::move(best) : Step::fault_at(0, "no message is expected here");
    }

    const expr::Pool& pool_;
    std::uint32_t prefix_;
    std::vector<BinaryLayout> layouts_;
    std::vector<std::uint32_t> by_message_;
};

}  // namespace

std::unique_ptr<Engine> make_binary_engine(const expr::Pool& pool, const Wire& wire,
                                           std::span<const MessageShape> shapes) {
    return std::make_unique<BinaryEngine>(pool, wire, shapes);
}

}  // namespace treaty::wire
