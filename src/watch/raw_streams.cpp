#include "watch/raw_streams.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hex.h"
#include "base/wording.h"

namespace treaty::watch {
namespace {

// A line of text in quotes, anything else in hexadecimal digits; only the beginning.
std::string shown(std::string_view bytes) {
    constexpr std::size_t longest_text = 60, longest_bytes = 24;
    std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
    bool text =
        !line.empty() && std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
    std::string_view part = text ? line.substr(0, longest_text) : bytes.substr(0, longest_bytes);
    std::string all = text ? expr::quote(part) : fmt::format("0x\"{}\"", base::to_hex(part));
    return part.size() < (text ? line : bytes).size() ? all + "..." : all;
}

}  // namespace

struct RawStreams::Stream {
    explicit Stream(const wire::Codec& codec) : decoder(codec) {}
    wire::Decoder decoder;
    bool given_up = false;
    bool joined = false;  // its first bytes may be the rest of a message
    bool closed = false;
    bool out_of_step = false;  // bytes up to the next line break belong to a message that is lost
};

RawStreams::RawStreams(const Vocabulary& vocabulary, const wire::Codec& codec)
    : vocabulary_(vocabulary), codec_(codec) {}

RawStreams::~RawStreams() = default;

std::string RawStreams::key_of(const Record& seen, std::string_view connection) {
    return fmt::format("{}\n{}\n{}\n{}", connection, seen.from.index, seen.to.index,
                       static_cast<unsigned>(seen.side));
}

RawStreams::Stream& RawStreams::stream_of(const Record& seen, std::string_view connection) {
    auto& stream = streams_[key_of(seen, connection)];
    if (!stream) stream = std::make_unique<Stream>(codec_);
    return *stream;
}

// Where the bytes could be several messages, one that the protocol sends that way.
model::MessageId RawStreams::choose(const wire::Decoded& decoded, const Record& seen) const {
    const model::Alphabet& alphabet = *vocabulary_.specification().alphabet;
    auto sent = [&](wire::MessageIndex m) {
        return alphabet.find_label(
                   {model::EventKind::interaction, seen.from, seen.to, model::MessageId(m)}) ||
               alphabet.find_label({model::EventKind::send, seen.from, seen.to, model::MessageId(m)});
    };
    if (!sent(decoded.message))
        for (wire::MessageIndex other : decoded.also)
            if (sent(other)) return model::MessageId(other);
    return model::MessageId(decoded.message);
}

void RawStreams::undecodable(Stream& stream, const Record& seen, std::string_view connection) {
    std::string reason = stream.decoder.fault().reason;
    std::string bytes = shown(stream.decoder.waiting());
    stream.given_up = !stream.decoder.skip();
    if (stream.joined || stream.closed) {
        Ready& fault = ready_.emplace_back();
        fault.record = seen;
        fault.fault = fmt::format("bytes that match no message: {}", reason);
        if (stream.given_up) fault.fault += "; the rest of the stream is skipped";
        if (stream.closed) return;  // the beginning of a message
    }
    Record& record = ready_.emplace_back().record;
    record = seen;
    record.undecodable = true;
    record.name = std::move(bytes);
    if (!stream.joined) record.misfit = fmt::format("these bytes match no message: {}", reason);
    if (stream.given_up)
        record.rest = seen.session == connection ? Record::Rest::session_lost : Record::Rest::all_lost;
}

void RawStreams::drain(Stream& stream, const Record& seen, std::string_view connection) {
    wire::Decoded decoded;
    while (!stream.given_up) {
        wire::DecodeStatus status = stream.decoder.next(decoded);
        if (status == wire::DecodeStatus::more || status == wire::DecodeStatus::end) return;
        if (status == wire::DecodeStatus::fault) {
            undecodable(stream, seen, connection);
            continue;
        }
        stream.joined = false;
        Ready& ready = ready_.emplace_back();
        ready.record = seen;
        model::MessageId message = choose(decoded, seen);
        ready.record.message = message;
        ready.record.name = vocabulary_.specification().alphabet->name(message);
        if (message.index == decoded.message) {
            ready.record.values = stream.decoder.values(decoded);
            continue;
        }
        // The same bytes once more, as the message that is meant.
        wire::Decoder again(codec_);
        wire::MessageIndex only[] = {static_cast<wire::MessageIndex>(message.index)};
        again.expect(only);
        std::string bytes(stream.decoder.raw(decoded));
        again.feed(bytes);
        again.finish();
        wire::Decoded other;
        if (again.next(other) == wire::DecodeStatus::message)
            ready.record.values = again.values(other);
        else
            ready.record.undecodable = true;
    }
}

void RawStreams::feed(const Record& seen, std::string_view connection, std::string_view bytes) {
    Stream& stream = stream_of(seen, connection);
    if (stream.given_up) return;
    if (stream.out_of_step) {
        std::size_t newline = bytes.find('\n');
        if (newline == std::string_view::npos) return;
        bytes.remove_prefix(newline + 1);
        stream.out_of_step = false;
    }
    stream.decoder.feed(bytes);
    drain(stream, seen, connection);
}

void RawStreams::join(const Record& seen, std::string_view connection) {
    stream_of(seen, connection).joined = true;
}

void RawStreams::gap(const Record& seen, std::string_view connection, std::uint64_t missing) {
    std::unique_ptr<Stream>& stream = streams_[key_of(seen, connection)];
    stream = std::make_unique<Stream>(codec_);
    stream->joined = true;
    Ready& ready = ready_.emplace_back();
    ready.record = seen;
    ready.fault = fmt::format("{} of the connection {} missing", base::counted(missing, "byte"),
                              missing == 1 ? "is" : "are");
    // After a line break a wire of lines is in step again; other wires never are.
    wire::Framing framing = codec_.wire().framing;
    stream->out_of_step = framing == wire::Framing::lines || framing == wire::Framing::json;
    stream->given_up = !stream->out_of_step;
    if (stream->given_up) ready.fault += "; the rest of the stream is skipped";
    ready_.emplace_back().record = seen;
    ready_.back().record.hole = true;
}

void RawStreams::close(const Record& seen, std::string_view connection) {
    Stream& stream = stream_of(seen, connection);
    if (!stream.given_up) {
        stream.closed = true;
        stream.decoder.finish();
        drain(stream, seen, connection);
    }
    streams_.erase(key_of(seen, connection));
}

ReadResult RawStreams::next(Record& record, std::string& fault) {
    if (ready_.empty()) return ReadResult::wait;
    std::uint32_t source = record.source;
    last_ = std::move(ready_.front());
    ready_.pop_front();
    record = last_.record;
    record.source = source;
    fault = last_.fault;
    return fault.empty() ? ReadResult::record : ReadResult::fault;
}

void RawStreams::save(Saver& saver, bool with_last) const {
    auto one = [&](const Ready& ready) {
        const Record& r = ready.record;
        saver.text(ready.fault);
        saver.number(r.line);
        saver.number(r.time_ns.has_value());
        saver.signed_number(r.time_ns.value_or(0));
        saver.number(static_cast<unsigned>(r.side));
        saver.number(r.from.index);
        saver.number(r.to.index);
        saver.number(r.message ? std::uint64_t{r.message.index} + 1 : 0);
        saver.values(r.values);
        saver.text(r.session);
        saver.text(r.correlation);
        saver.number(r.hole);
        saver.number(r.undecodable);
        saver.number(static_cast<unsigned>(r.rest));
        saver.text(r.misfit);
        saver.text(r.undecodable ? std::string_view(r.name) : std::string_view());
    };
    saver.number(ready_.size() + with_last);
    if (with_last) one(last_);
    for (const Ready& ready : ready_) one(ready);
    saver.number(streams_.size());
    for (const auto& [key, stream] : streams_) {
        saver.text(key);
        saver.number(stream->given_up);
        saver.number(stream->joined);
        saver.number(stream->out_of_step);
        saver.text(stream->given_up ? std::string_view() : stream->decoder.waiting());
    }
}

bool RawStreams::load(Loader& loader) {
    const model::Alphabet& alphabet = *vocabulary_.specification().alphabet;
    ready_.clear();
    streams_.clear();
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        Ready& ready = ready_.emplace_back();
        Record& r = ready.record;
        ready.fault = loader.text();
        r.line = loader.number();
        bool timed = loader.number() != 0;
        std::int64_t time = loader.signed_number();
        if (timed) r.time_ns = time;
        load_event(loader, alphabet, r);
        r.values = loader.values();
        r.session = loader.text();
        r.correlation = loader.text();
        r.hole = loader.number() != 0;
        r.undecodable = loader.number() != 0;
        std::uint64_t rest = loader.number();
        if (rest > static_cast<unsigned>(Record::Rest::all_lost)) loader.fail();
        r.rest = static_cast<Record::Rest>(rest);
        r.misfit = loader.text();
        if (std::string name = loader.text(); r.undecodable) r.name = std::move(name);
    }
    for (std::size_t n = loader.count(); n > 0 && loader.ok(); --n) {
        auto& stream = streams_[loader.text()];
        stream = std::make_unique<Stream>(codec_);
        stream->given_up = loader.number() != 0;
        stream->joined = loader.number() != 0;
        stream->out_of_step = loader.number() != 0;
        // It was looked at before and is not whole: asking again makes the bytes the decoder's own.
        std::string waiting = loader.text();
        wire::Decoded decoded;
        stream->decoder.feed(waiting);
        if (!waiting.empty() && stream->decoder.next(decoded) != wire::DecodeStatus::more) loader.fail();
    }
    return loader.ok();
}

}  // namespace treaty::watch
