// A wire made ready to run: bytes to messages and back, from one description.
//
// A Codec is compiled once from a Wire and is then immutable: any number of Decoders and Encoders, in any
// threads, may share it; it refers to the pool and the wire, which must outlive it. A Decoder is fed with
// chunks of bytes and gives one message after the other; how the bytes are cut into chunks changes nothing
// but when a message comes. An Encoder appends the bytes of a message. Decoding what was encoded gives the
// same values; a value that a layout cannot carry is refused when encoding, never written wrongly.
//
// Bytes are decoded as the first message, in the order of the file, whose layout matches and whose condition
// (`where`) holds for the fields that were read. If layouts match but no condition holds, they are decoded as
// the first whose layout matches: so data that breaks the condition is shown as data, not as unknown bytes.
//
// Limits bound what hostile lengths can ask for. Neither direction allocates a message once its buffers have
// grown, except for lists, records and optionals. Nothing throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/pool.h"
#include "model/wire.h"

namespace treaty::wire {

using base::NameId;
using model::Framing;
using model::Layout;
using model::Wire;
using MessageIndex = std::uint32_t;  // of a MessageId of the specification

// A message as a wire without layouts (json, http) needs to know it, and as everyone's values are typed.
struct MessageShape {
    NameId name;
    std::vector<expr::Field> fields;
    std::vector<expr::VarId> parameters = {};  // the fields, as `where` names them
    expr::ExprId where = {};                   // none: nothing further
};

struct Limits {
    std::size_t message_bytes = std::size_t{16} << 20;
    std::size_t items = 1'000'000;  // of repetitions and lists, in one message
};

// One field of a message, without a copy: what it holds depends on the field's type.
struct FieldView {
    std::int64_t number = 0;             // int, bool, enumeration
    std::string_view text;               // string, bytes
    const expr::Value* value = nullptr;  // all other types
};

// What a part of a message is there for. A length or a count states how much follows, a checksum is computed
// from other bytes, and a tag is the same in every message of its layout.
enum class PieceRole : std::uint8_t { data, length, checksum, tag };

// How the bytes of a part hold its value; `other` is any but a number.
enum class PieceCoding : std::uint8_t { other, bits, little_endian, decimal, varint };

// A part of a message and its position, for people to read.
struct Piece {
    std::string name;  // of the field, or what it is
    std::string value;
    std::uint64_t bit_begin = 0;  // in the stream
    std::uint64_t bit_end = 0;
    unsigned depth = 0;
    PieceRole role = PieceRole::data;
    PieceCoding coding = PieceCoding::other;
    std::string hexadecimal = {};  // the number once more, "0x92e2", where that is how people know it
};

// Views stay valid until the Decoder is fed or asked again.
struct Decoded {
    MessageIndex message = 0;
    std::uint32_t layout = 0;  // of the wire; for json and http the message's position
    std::uint64_t begin = 0;   // offsets in the stream
    std::uint64_t end = 0;
    bool condition_holds = true;     // the message's `where`; false only if no message fits whose does
    std::vector<FieldView> fields;   // one per field of the message
    std::vector<MessageIndex> also;  // other messages that these bytes could be, in order
    std::vector<Piece> pieces;       // when explaining
};

struct DecodeFault {
    std::uint64_t offset = 0;  // in the stream, of the first byte that does not fit
    std::string reason;
};

struct EncodeFault {
    std::uint32_t field = 0xffffffffu;  // the field that is wrong, if one is
    std::string reason;
};

class Engine;
struct Scratch;
struct DecodeStep;

class Codec {
public:
    // shapes: by MessageIndex, all messages of the specification.
    Codec(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes);
    ~Codec();
    Codec(Codec&&) noexcept;
    Codec& operator=(Codec&&) noexcept;

    const Wire& wire() const { return *wire_; }
    const expr::Pool& pool() const { return *pool_; }
    std::span<const MessageShape> shapes() const { return shapes_; }
    bool carries(MessageIndex message) const;
    const Engine& engine() const { return *engine_; }
    expr::Value value(const FieldView& field, expr::TypeId type) const;

private:
    const expr::Pool* pool_;
    const Wire* wire_;
    std::vector<MessageShape> shapes_;
    std::unique_ptr<Engine> engine_;
};

enum class DecodeStatus : std::uint8_t {
    message,  // one was decoded
    more,     // feed more bytes, or finish
    end,      // finished, and every byte belonged to a message
    fault,    // these bytes match no message
};

class Decoder {
public:
    explicit Decoder(const Codec& codec, Limits limits = {});
    ~Decoder();

    // Adds bytes. They are not copied: they must stay unchanged until next() returns `more`.
    void feed(std::string_view bytes);
    void finish();  // no more bytes will come
    DecodeStatus next(Decoded& out);
    const DecodeFault& fault() const { return fault_; }
    // After a fault: goes on after the message if its end is known (lines, length-prefixed), and returns
    // whether it is.
    bool skip();

    // After a fault: looks at the same bytes again, when something else is expected now.
    void again() { faulted_ = false; }

    // Only these messages may come next; none: all messages of the wire. `otherwise`: all that may come at
    // all: if none of the expected ones matches with its condition, one of these that does is taken; and if
    // none of the expected ones matches at all, any of these.
    void expect(std::span<const MessageIndex> messages, std::span<const MessageIndex> otherwise = {});
    void explain(bool on) { explain_ = on; }
    std::uint64_t offset() const { return offset_; }  // of the next message

    // The bytes of the message that next() has just given.
    std::string_view raw(const Decoded& message) const {
        auto size = static_cast<std::size_t>(message.end - message.begin);
        return {window_.data() - size, size};
    }
    // What has come and is not decoded yet.
    std::string_view waiting() const { return window_; }
    // All field values of a message as Values.
    std::vector<expr::Value> values(const Decoded& message) const;

private:
    DecodeStep decode(Decoded& out);
    DecodeStep decode_once(Decoded& out);

    const Codec& codec_;
    Limits limits_;
    std::unique_ptr<Scratch> scratch_;
    std::vector<bool> otherwise_;  // by message; empty: nothing but what is expected
    std::string buffer_;           // bytes kept from earlier chunks
    std::string_view window_;      // what is not yet decoded: in buffer_ or in the caller's chunk
    bool own_ = false;             // window_ is in buffer_
    std::uint64_t offset_ = 0;
    std::size_t needed_ = 0;  // do not try again with fewer bytes
    std::size_t resync_ = 0;  // bytes to skip after a fault; 0: not known
    bool ended_ = false;
    bool faulted_ = false;
    bool explain_ = false;
    DecodeFault fault_;
};

class Encoder {
public:
    explicit Encoder(const Codec& codec, Limits limits = {});
    ~Encoder();

    // Appends the message's bytes to out; on a fault out is as before.
    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> fields,
                                      std::string& out);
    // Also values outside the declared ranges, as far as the layout has room: for messages that are wrong on
    // purpose.
    void allow_out_of_range(bool on) { out_of_range_ = on; }

private:
    const Codec& codec_;
    Limits limits_;
    bool out_of_range_ = false;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace treaty::wire
