#include "drive/role_connection.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::drive {

using model::MessageId;

std::vector<wire::MessageIndex> messages_with(const roles::RolePart& part, model::RoleId role,
                                              model::EventKind kind) {
    std::vector<wire::MessageIndex> all;
    for (const model::Transition& t : part.net.transitions()) {
        const model::Event& e = part.event(t.label);
        if (e.kind == kind && (kind == model::EventKind::send ? e.to : e.from) == role)
            all.push_back(e.message.index);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

RoleConnection::RoleConnection(const wire::Codec& codec, model::RoleId role,
                               std::vector<wire::MessageIndex> can_come,
                               std::unique_ptr<net::Transport> transport)
    : codec_(codec),
      role_(role),
      can_come_(std::move(can_come)),
      transport_(std::move(transport)),
      decoder_(std::in_place, codec),
      encoder_(codec) {}

// More bytes for the decoder; false if there are none.
bool RoleConnection::fill() {
    if (last_) return false;
    bool whole = transport_->whole_messages();
    auto piece = transport_->receive();
    if (piece) {
        received_bytes_ += piece->size();
        if (whole) decoder_.emplace(codec_);
        decoder_->feed(*piece);
        if (whole) decoder_->finish();
        return true;
    }
    if (!transport_->closed()) return false;
    last_ = true;
    if (!whole) decoder_->finish();
    return !decoder_->waiting().empty();
}

RoleConnection::ReadResult RoleConnection::read(std::span<const wire::MessageIndex> now,
                                                const MayCome& may_come) {
    for (;;) {
        ReadResult got = decoder_->waiting().empty() ? ReadResult::nothing : decode(now);
        if (got == ReadResult::message) choose(may_come);
        if (got != ReadResult::nothing) return got;
        if (!fill()) break;
    }
    ended_ = last_;
    return ReadResult::nothing;
}

// First as what is expected now, then as anything that can come at all, then as anything that is a message.
RoleConnection::ReadResult RoleConnection::decode(std::span<const wire::MessageIndex> now) {
    if (now.empty())
        decoder_->expect(can_come_);
    else
        decoder_->expect(now, can_come_);
    wire::DecodeStatus status = decoder_->next(decoded_);
    if (status == wire::DecodeStatus::fault) {
        fault_ = decoder_->fault();
        decoder_->again();
        decoder_->expect({});
        status = decoder_->next(decoded_);
    }
    if (status == wire::DecodeStatus::fault) return ReadResult::fault;
    return status == wire::DecodeStatus::message ? ReadResult::message : ReadResult::nothing;
}

void RoleConnection::choose(const MayCome& may_come) {
    message_ = MessageId(decoded_.message);
    values_ = decoder_->values(decoded_);
    if (decoded_.also.empty()) return;
    std::string raw(decoder_->raw(decoded_));
    for (std::size_t i = 0; i < decoded_.also.size() && !may_come(message_, values_); ++i) {
        wire::Decoder other(codec_);
        other.expect({&decoded_.also[i], 1});
        other.feed(raw);
        other.finish();
        wire::Decoded second;
        if (other.next(second) != wire::DecodeStatus::message) continue;
        std::vector<expr::Value> values = other.values(second);
        if (!may_come(MessageId(second.message), values)) continue;
        message_ = MessageId(second.message);
        values_ = std::move(values);
        return;
    }
}

// Between documents there may be blanks; they are not what is wrong.
std::size_t RoleConnection::blanks() const {
    if (codec_.wire().framing != wire::Framing::json) return 0;
    std::string_view bytes = decoder_->waiting();
    return std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
}

std::string RoleConnection::fault() const {
    std::string_view bytes = decoder_->waiting().substr(blanks(), 60);
    return expr::quote(bytes.substr(0, bytes.find_first_of("\r\n")));
}

std::string RoleConnection::incomplete() const {
    constexpr std::size_t longest = 60;
    std::string_view bytes = decoder_->waiting().substr(blanks());
    std::string text = expr::quote(bytes.substr(0, longest)) + (bytes.size() > longest ? "..." : "") +
                       ", which is not a complete message";
    const wire::Wire& wire = codec_.wire();
    if (wire.framing == wire::Framing::lines && !bytes.ends_with(wire.terminator))
        text += fmt::format(" (the line does not end with {})", expr::quote(wire.terminator));
    return text;
}

std::uint64_t RoleConnection::fault_offset() const {
    std::uint64_t begin = decoder_->offset() + blanks();
    return fault_.offset > begin ? fault_.offset - begin : 0;
}

bool RoleConnection::broken_off() const {
    if (!last_ || transport_->whole_messages()) return false;
    wire::Decoder open(codec_);
    open.expect(can_come_);
    open.feed(decoder_->waiting());
    wire::Decoded ignored;
    return open.next(ignored) == wire::DecodeStatus::more;
}

// Documents have no frame: the next one is looked for on the next line.
void RoleConnection::skip() {
    if (codec_.wire().framing != wire::Framing::json && decoder_->skip()) return;
    std::string_view waiting = decoder_->waiting();
    rest_ = waiting.substr(std::min(waiting.size(), waiting.find('\n')));
    decoder_.emplace(codec_);
    decoder_->feed(rest_);
}

base::Result<bool> RoleConnection::write(MessageId message, std::span<const expr::Value> values, bool wrong) {
    bytes_.clear();
    encoder_.allow_out_of_range(wrong);
    if (auto fault = encoder_.encode(message.index, values, bytes_)) return base::Fault{fault->reason};
    if (std::string why = transport_->obstacle(bytes_.size()); !why.empty()) return base::Fault{why};
    return send(bytes_);
}

bool RoleConnection::send(std::string_view bytes) {
    sent_bytes_ += bytes.size();
    return transport_->send(bytes);
}

}  // namespace treaty::drive
