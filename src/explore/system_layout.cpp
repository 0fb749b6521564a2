#include "explore/system_layout.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace treaty::explore {

using model::Edge;
using model::Event;
using model::EventKind;
using model::Machine;
using model::Mode;
using model::StateId;

namespace {

// Bits that can tell n things apart.
std::uint32_t bits_for(std::uint64_t n) {
    return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}

// Any bits of a state, counted from the beginning of word 0; at most 64.
std::uint64_t read_bits(const std::uint64_t* state, std::size_t offset, std::uint32_t bits) {
    if (bits == 0) return 0;
    std::size_t word = offset / 64, shift = offset % 64;
    std::uint64_t value = state[word] >> shift;
    if (shift + bits > 64) value |= state[word + 1] << (64 - shift);
    return bits == 64 ? value : value & ((std::uint64_t(1) << bits) - 1);
}

void write_bits(std::uint64_t* state, std::size_t offset, std::uint32_t bits, std::uint64_t value) {
    if (bits == 0) return;
    std::size_t word = offset / 64, shift = offset % 64;
    std::uint64_t mask = bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
    state[word] = (state[word] & ~(mask << shift)) | (value << shift);
    if (shift + bits > 64)
        state[word + 1] = (state[word + 1] & ~(mask >> (64 - shift))) | (value >> (64 - shift));
}

std::size_t offset_of(const Field& field) {
    return std::size_t(field.word) * 64 + field.shift;
}

}  // namespace

std::uint32_t ChannelLayout::symbol(const Parcel& parcel) const {
    auto found = std::lower_bound(symbols.begin(), symbols.end(), parcel);
    return found != symbols.end() && *found == parcel ? static_cast<std::uint32_t>(found - symbols.begin())
                                                      : ChannelCode::none;
}

std::uint32_t ChannelLayout::length(const std::uint64_t* state) const {
    if (code) return static_cast<std::uint32_t>(code->contents[read_field(state, field)].size());
    std::size_t at = offset_of(field);
    if (!bag) return static_cast<std::uint32_t>(read_bits(state, at, length_bits));
    std::uint64_t sum = 0;
    for (std::size_t s = 0; s < symbols.size(); ++s)
        sum += read_bits(state, at + s * symbol_bits, symbol_bits);
    return static_cast<std::uint32_t>(sum);
}

bool ChannelLayout::push(std::uint64_t* state, std::uint32_t symbol) const {
    if (code) {
        std::uint32_t next = code->push(static_cast<std::uint32_t>(read_field(state, field)), symbol);
        if (next == ChannelCode::none) return false;
        write_field(state, field, next);
        return true;
    }
    std::uint32_t before = length(state);
    if (before >= capacity) return false;
    std::size_t at = offset_of(field);
    if (bag) {
        at += std::size_t(symbol) * symbol_bits;
        write_bits(state, at, symbol_bits, read_bits(state, at, symbol_bits) + 1);
    } else {
        write_bits(state, at, length_bits, before + 1);
        write_bits(state, at + length_bits + std::size_t(before) * symbol_bits, symbol_bits, symbol);
    }
    return true;
}

bool ChannelLayout::take(std::uint64_t* state, std::uint32_t symbol) const {
    if (code) {
        std::uint32_t next = code->take(static_cast<std::uint32_t>(read_field(state, field)), symbol);
        if (next == ChannelCode::none) return false;
        write_field(state, field, next);
        return true;
    }
    std::size_t at = offset_of(field);
    if (bag) {
        at += std::size_t(symbol) * symbol_bits;
        std::uint64_t count = read_bits(state, at, symbol_bits);
        if (count > 0) write_bits(state, at, symbol_bits, count - 1);
        return count > 0;
    }
    std::uint64_t before = read_bits(state, at, length_bits);
    std::size_t messages = at + length_bits, all = std::size_t(capacity) * symbol_bits;
    if (before == 0 || read_bits(state, messages, symbol_bits) != symbol) return false;
    write_bits(state, at, length_bits, before - 1);
    // The rest moves up by one message; zeros follow it.
    for (std::size_t done = 0; done < all; done += 64) {
        std::uint32_t here = static_cast<std::uint32_t>(std::min<std::size_t>(64, all - done));
        std::size_t from = done + symbol_bits;
        std::uint32_t left =
            from >= all ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(64, all - from));
        write_bits(state, messages + done, here, read_bits(state, messages + from, left));
    }
    return true;
}

std::vector<std::uint32_t> ChannelLayout::content(const std::uint64_t* state) const {
    if (code) return code->contents[read_field(state, field)];
    std::vector<std::uint32_t> result;
    std::size_t at = offset_of(field);
    if (bag) {
        for (std::uint32_t s = 0; s < symbols.size(); ++s)
            result.insert(result.end(), read_bits(state, at + std::size_t{s} * symbol_bits, symbol_bits), s);
        return result;
    }
    std::uint64_t n = read_bits(state, at, length_bits);
    for (std::size_t i = 0; i < n; ++i)
        result.push_back(
            static_cast<std::uint32_t>(read_bits(state, at + length_bits + i * symbol_bits, symbol_bits)));
    return result;
}

SystemLayout::SystemLayout(const Semantics& semantics, std::vector<std::uint32_t> machines,
                           const std::vector<std::uint32_t>& capacities)
    : semantics_(semantics), machines_(std::move(machines)) {
    const model::System& system = semantics.system();
    std::vector<std::vector<Parcel>> symbols(semantics.channels().size());
    std::vector<bool> wanted(semantics.channels().size(), false);
    for (std::uint32_t i : machines_) {
        const Machine& m = system.machines()[i];
        for (std::size_t s = 0; s < m.state_count() && system.channels().mode != Mode::sync; ++s)
            for (const Edge& e : m.out(StateId(s))) {
                const Event& event = system.alphabet().event(e.label);
                if (event.kind == EventKind::silent) continue;
                std::size_t channel = semantics.channel_of(event);
                wanted[channel] = true;
                if (event.kind == EventKind::send) symbols[channel].push_back({event.from, event.message});
            }
    }
    // A machine and the channels it reads lie together, so that most steps change one word.
    std::vector<bool> placed(wanted.size(), false);
    auto add_channel = [&](std::size_t c) {
        ChannelLayout channel;
        channel.channel = c;
        channel.symbols = std::move(symbols[c]);
        std::sort(channel.symbols.begin(), channel.symbols.end());
        channel.symbols.erase(std::unique(channel.symbols.begin(), channel.symbols.end()),
                              channel.symbols.end());
        channel.capacity = capacities[c];
        channel.bag = system.channels().mode == Mode::bag;
        auto k = static_cast<std::uint32_t>(channel.symbols.size());
        channel.code = make_channel_code(k, channel.capacity, channel.bag);
        std::uint64_t bits = 0;
        if (channel.code) {
            bits = bits_for(channel.code->size());
        } else {
            channel.length_bits = channel.bag ? 0 : bits_for(std::uint64_t(channel.capacity) + 1);
            channel.symbol_bits = channel.bag ? bits_for(std::uint64_t(channel.capacity) + 1) : bits_for(k);
            bits = channel.length_bits +
                   std::uint64_t(channel.symbol_bits) * (channel.bag ? k : channel.capacity);
        }
        channel.field = place(static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, UINT32_MAX / 2)));
        channels_.push_back(std::move(channel));
        placed[c] = true;
    };
    for (std::uint32_t i : machines_) {
        fields_.push_back(place(bits_for(system.machines()[i].state_count())));
        for (std::size_t c = 0; c < wanted.size(); ++c)
            if (wanted[c] && !placed[c] && semantics.channels()[c].to == system.machines()[i].role())
                add_channel(c);
    }
    for (std::size_t c = 0; c < wanted.size(); ++c)
        if (wanted[c] && !placed[c]) add_channel(c);
}

// First fit; the two highest bits of word 0 are the tables'.
Field SystemLayout::place(std::uint32_t bits) {
    if (bits > 62) {
        auto word = static_cast<std::uint32_t>(used_.size());
        for (std::uint64_t left = bits; left > 0; left -= std::min<std::uint64_t>(left, 64))
            used_.push_back(64);
        return {word, 0, bits, ~std::uint64_t(0)};
    }
    for (std::uint32_t w = 0;; ++w) {
        if (w == used_.size()) used_.push_back(0);
        if (used_[w] + bits > (w == 0 ? 62 : 64)) continue;
        std::uint32_t shift = bits == 0 ? 0 : used_[w];
        used_[w] += bits;
        return {w, shift, bits, (std::uint64_t(1) << bits) - 1};
    }
}

const ChannelLayout* SystemLayout::channel_of(const Event& event) const {
    if (semantics_.channels().empty()) return nullptr;
    std::size_t wanted = semantics_.channel_of(event);
    for (const ChannelLayout& c : channels_)
        if (c.channel == wanted) return &c;
    return nullptr;
}

Configuration SystemLayout::unpack(const std::uint64_t* state) const {
    Configuration c = semantics_.initial();
    for (std::size_t i = 0; i < machines_.size(); ++i)
        c.states[machines_[i]] = StateId(read_field(state, fields_[i]));
    for (const ChannelLayout& channel : channels_)
        for (std::uint32_t s : channel.content(state))
            c.contents[channel.channel].push_back(channel.symbols[s]);
    return c;
}

}  // namespace treaty::explore
