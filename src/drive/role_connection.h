// The connection to one other role: messages in, messages out.
//
// Bytes that could be several messages are read as one that is expected now if possible, else as any that can
// come at all, else as any that the wire knows: then it is a message, though one that is not allowed here. If
// several still fit, the caller decides. What was read stays valid until the next read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/transport.h"
#include "roles/role_part.h"
#include "wire/codec.h"

namespace treaty::drive {

class RoleConnection {
public:
    enum class ReadResult : std::uint8_t { nothing, message, fault };
    // Whether this message may come now.
    using MayCome = std::function<bool(model::MessageId, std::span<const expr::Value>)>;

    // can_come: all messages that the other side ever sends here, ascending.
    RoleConnection(const wire::Codec& codec, model::RoleId role, std::vector<wire::MessageIndex> can_come,
                   std::unique_ptr<net::Transport> transport);

    model::RoleId role() const { return role_; }
    net::Transport& transport() { return *transport_; }
    const net::Transport& transport() const { return *transport_; }
    bool ended() const { return ended_; }  // nothing more will come, and all that came was read

    // Takes bytes from the transport when there are none left. now: what is expected, ascending; empty:
    // anything.
    ReadResult read(std::span<const wire::MessageIndex> now, const MayCome& may_come);
    model::MessageId message() const { return message_; }
    std::vector<expr::Value> take_values() { return std::move(values_); }
    std::string fault() const;           // the bytes that match no message, quoted; at most one line
    std::uint64_t fault_offset() const;  // in what fault() shows, of the first byte that does not match
    std::string_view waiting() const { return decoder_->waiting(); }
    // Whether bytes have come that are not a whole message; blanks between documents are none.
    bool has_rest() const { return decoder_->waiting().size() > blanks(); }
    // The bytes that are not a whole message, quoted and cut, and what is missing, as the rest of a sentence:
    // "\"PONG\", which is not a complete message (the line does not end with "\r\n")".
    std::string incomplete() const;
    const wire::DecodeFault& decode_fault() const { return fault_; }
    // Whether it is only the beginning of a message, since the other side has closed the connection.
    bool broken_off() const;
    void skip();  // goes on after the bytes that match no message

    // Whether the transport takes it; a fault if the values cannot be written. wrong: also values outside
    // their ranges.
    base::Result<bool> write(model::MessageId message, std::span<const expr::Value> values,
                             bool wrong = false);
    // The same for bytes as they are.
    bool send(std::string_view bytes);

    std::uint64_t sent_bytes() const { return sent_bytes_; }
    std::uint64_t received_bytes() const { return received_bytes_; }

private:
    ReadResult decode(std::span<const wire::MessageIndex> now);
    bool fill();
    std::size_t blanks() const;
    void choose(const MayCome& may_come);

    const wire::Codec& codec_;
    model::RoleId role_;
    std::vector<wire::MessageIndex> can_come_;
    std::unique_ptr<net::Transport> transport_;
    std::optional<wire::Decoder> decoder_;  // a new one for each piece that is a whole message
    wire::Encoder encoder_;
    wire::Decoded decoded_;
    std::string bytes_, rest_;
    wire::DecodeFault fault_;  // with what can come at all
    model::MessageId message_;
    std::vector<expr::Value> values_;
    std::uint64_t sent_bytes_ = 0, received_bytes_ = 0;
    bool last_ = false, ended_ = false;
};

// The messages that come from `role` in this part: sent by the component (`send`) or to it, ascending.
std::vector<wire::MessageIndex> messages_with(const roles::RolePart& part, model::RoleId role,
                                              model::EventKind kind);

}  // namespace treaty::drive
