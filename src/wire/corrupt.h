// The bytes of a message damaged on purpose, and what the wire makes of them.
//
// The damage is to bytes, not to values: a checksum that is not the one of its bytes, a length that is not
// the one that follows, another tag, bytes cut off, bits flipped, bytes added, two messages at once, one
// message in pieces. All are functions of the codec and the bytes alone, so a corruption is known by its kind
// and its number and can be made again, also of a message that has become simpler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/codec.h"

namespace treaty::wire {

enum class Damage : std::uint8_t {
    checksum,   // a field that is computed from other bytes as a checksum
    length,     // a length or a count
    tag,        // bytes that are the same in every message of this layout
    truncated,  // the last bytes are missing
    flipped,    // one bit
    trailing,   // bytes after the message
    joined,     // with another message after it, at once
    split,      // in pieces; the bytes are right
};

std::string_view to_string(Damage damage);  // "wrong checksum", ...
std::string_view word_of(Damage damage);    // "checksum", ...: as it is saved
std::optional<Damage> damage_of(std::string_view word);

struct Corruption {
    Damage damage = Damage::flipped;
    std::uint32_t number = 0;  // among those with the same damage, from 0
    std::string field;         // that is wrong; empty if it has no name, or if none is
    std::uint64_t offset = 0;  // of the first byte that is not as it should be
    std::string what;          // "`crc` is 0x92e3 instead of 0x92e2"
    std::string bytes;
    std::vector<std::size_t> cuts = {};  // split: where one piece ends and the next begins
    // Whether the message still ends where its bytes state, so that a reader can find the next one.
    bool keeps_frame = false;
};

// At most this many with the same damage; longer messages are damaged at evenly spaced places.
constexpr std::size_t most_of_one_damage = 256;

// bytes: one encoded message; next: another one, for `joined`. Empty if the bytes are not one message.
std::vector<Corruption> corruptions(const Codec& codec, std::string_view bytes, std::string_view next);

// What decoding makes of bytes.
struct Reading {
    struct Message {
        MessageIndex message = 0;
        bool condition_holds = true;
    };
    std::vector<Message> messages;     // in order
    std::optional<DecodeFault> fault;  // after them: no message goes on like this
    bool more = false;                 // after them: the beginning of another message

    bool is_valid() const;  // a message whose condition holds comes first
};

// last: no byte follows, so what is incomplete is a fault.
Reading reading_of(const Codec& codec, std::string_view bytes, bool last = false);

}  // namespace treaty::wire
