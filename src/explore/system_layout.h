// Where each part of a configuration is in a packed state.
//
// A machine's state takes as many bits as its number of states needs. A channel whose contents can be
// numbered (channel_code.h) takes the bits of that number; any other holds a length and its messages one
// after the other (queues) or a count for each message (bags). Fields do not cross words unless they are
// longer than one. An empty channel is all zeros. The capacity of each channel is given: the bound, or a
// guess to be raised when it is too small. Machines may be a part of the system's: those of some groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explore/channel_code.h"
#include "explore/configuration.h"

namespace treaty::explore {

// Some bits of a state, least significant first. Longer than 64 only for channels; then it starts a word.
struct Field {
    std::uint32_t word = 0;
    std::uint32_t shift = 0;
    std::uint32_t bits = 0;
    std::uint64_t mask = 0;  // as many ones, at most a word's
};

struct ChannelLayout {
    std::size_t channel = 0;      // in Semantics::channels()
    std::vector<Parcel> symbols;  // what machines send into it, sorted
    std::uint32_t capacity = 0;
    bool bag = false;
    Field field;
    std::optional<ChannelCode> code;  // else:
    std::uint32_t length_bits = 0;    // queues: the length, then the messages
    std::uint32_t symbol_bits = 0;    // of a message in a queue, of a count in a bag

    std::uint32_t symbol(const Parcel& parcel) const;  // ChannelCode::none if it is never sent

    // On the words of a state. push and take leave it as it was and return false if they are not possible.
    std::uint32_t length(const std::uint64_t* state) const;
    bool push(std::uint64_t* state, std::uint32_t symbol) const;
    bool take(std::uint64_t* state, std::uint32_t symbol) const;
    std::vector<std::uint32_t> content(const std::uint64_t* state) const;
};

class SystemLayout {
public:
    // machines: positions in the system, in ascending order; whole groups. capacities: one per channel of the
    // system.
    SystemLayout(const Semantics& semantics, std::vector<std::uint32_t> machines,
                 const std::vector<std::uint32_t>& capacities);

    const Semantics& semantics() const { return semantics_; }
    std::span<const std::uint32_t> machines() const { return machines_; }
    const Field& machine(std::size_t i) const { return fields_[i]; }  // of machines()[i]
    std::span<const ChannelLayout> channels() const { return channels_; }
    std::size_t words() const { return used_.size(); }
    std::uint32_t bits(std::size_t word) const { return used_[word]; }  // low ones that are used

    // The layout's channel that holds the event's message; none for sync.
    const ChannelLayout* channel_of(const model::Event& event) const;
    // The whole configuration; machines that are left out stay in their initial states.
    Configuration unpack(const std::uint64_t* state) const;

private:
    Field place(std::uint32_t bits);

    const Semantics& semantics_;
    std::vector<std::uint32_t> machines_;
    std::vector<Field> fields_;
    std::vector<ChannelLayout> channels_;
    std::vector<std::uint32_t> used_{0};  // bits of each word
};

// Of fields that lie in one word.
inline std::uint64_t read_field(const std::uint64_t* state, const Field& field) {
    return (state[field.word] >> field.shift) & field.mask;
}
inline void write_field(std::uint64_t* state, const Field& field, std::uint64_t value) {
    state[field.word] = (state[field.word] & ~(field.mask << field.shift)) | (value << field.shift);
}

}  // namespace treaty::explore
