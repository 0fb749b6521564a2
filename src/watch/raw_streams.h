// Bytes that were seen on connections, turned into records by the protocol's wire.
//
// One decoder for each direction of each connection. A message's record is given when its last byte has come,
// with the time and position of the piece that brought it. Bytes that match no message are a record of their
// own, because the role that sent them has violated the protocol; if the stream was joined after its
// beginning, they are a fault instead. The stream goes on after them if the wire tells where the next message
// begins, and is given up otherwise. Memory: what has come of the messages that are not whole, bounded by the
// wire's limits. All of it can be saved and loaded: what has come of messages, and the records that were not
// taken yet.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "watch/saved.h"
#include "watch/source.h"
#include "wire/codec.h"

namespace treaty::watch {

class RawStreams {
public:
    RawStreams(const Vocabulary& vocabulary, const wire::Codec& codec);
    ~RawStreams();

    // `seen` has sender, receiver, time, place and session; its message is filled in.
    void feed(const Record& seen, std::string_view connection, std::string_view bytes);
    // The beginning of the stream was not seen.
    void join(const Record& seen, std::string_view connection);
    // Bytes of the stream are missing here.
    void gap(const Record& seen, std::string_view connection, std::uint64_t missing);
    // Nothing more will come on it.
    void close(const Record& seen, std::string_view connection);

    // What has come of it: a record or a fault, or `wait` if there is nothing.
    ReadResult next(Record& record, std::string& fault);

    // With the record that next() gave last, or without it.
    void save(Saver& saver, bool with_last) const;
    bool load(Loader& loader);

private:
    struct Stream;
    struct Ready {
        Record record;
        std::string fault;  // empty: it is a record
    };
    static std::string key_of(const Record& seen, std::string_view connection);
    Stream& stream_of(const Record& seen, std::string_view connection);
    void drain(Stream& stream, const Record& seen, std::string_view connection);
    void undecodable(Stream& stream, const Record& seen, std::string_view connection);
    model::MessageId choose(const wire::Decoded& decoded, const Record& seen) const;

    const Vocabulary& vocabulary_;
    const wire::Codec& codec_;
    absl::flat_hash_map<std::string, std::unique_ptr<Stream>> streams_;
    std::deque<Ready> ready_;
    Ready last_;  // given
};

}  // namespace treaty::watch
