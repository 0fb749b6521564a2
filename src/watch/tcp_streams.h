// Segments of TCP connections put back together: each direction's bytes in order, each byte once.
//
// What is seen again is dropped; what comes too early waits until the bytes before it have come. Bytes that
// are still missing when more than `most_waiting` others wait for them, or when the connection or the capture
// ends, are reported as a gap of so many bytes, and the stream goes on after it: nothing is invented, and
// nothing waits for ever. A connection whose beginning was not captured begins with the first segment of each
// side.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace treaty::watch {

struct Segment {
    std::string from, to;  // "127.0.0.1:80"
    std::uint32_t sequence = 0;
    bool syn = false, ack = false, fin = false, rst = false;
    std::string_view payload;
};

// Receives the streams. `connection` counts from 1; `from` and `to` are as in the segments.
class StreamSink {
public:
    virtual ~StreamSink() = default;
    // `opened_by_from`: the connection was opened by the side that these bytes come from, as far as is known.
    virtual void bytes(std::uint64_t connection, const Segment& segment, bool opened_by_from,
                       std::string_view bytes) = 0;
    virtual void gap(std::uint64_t connection, const Segment& segment, bool opened_by_from,
                     std::uint64_t missing) = 0;
    virtual void closed(std::uint64_t connection, const Segment& segment, bool opened_by_from) = 0;
};

class TcpStreams {
public:
    static constexpr std::size_t most_waiting = std::size_t{256} << 10;
    static constexpr std::size_t most_segments = 256;
    static constexpr std::size_t most_connections = 10'000;

    explicit TcpStreams(StreamSink& sink) : sink_(sink) {}

    void feed(const Segment& segment);
    // The capture is over: what waits is given, with the gaps before it.
    void finish();

    std::uint64_t repeated() const { return repeated_; }    // segments that were seen before
    std::uint64_t reordered() const { return reordered_; }  // segments that came too early
    std::uint64_t missing() const { return missing_; }      // bytes

private:
    struct Direction {
        bool known = false, ended = false;
        std::uint32_t next = 0;                      // the sequence number that comes next
        std::map<std::uint64_t, std::string> early;  // by distance from the beginning
        std::uint64_t given = 0;                     // distance of `next`
        std::size_t waiting = 0;
    };
    struct Connection {
        std::uint64_t number = 0;
        std::string opener;
        std::string ends[2];
        Direction directions[2];  // from ends[0], from ends[1]
    };

    Connection& connection_of(const Segment& segment);
    void take(Connection& connection, Direction& direction, const Segment& segment);
    void release(Connection& connection, Direction& direction, const Segment& segment, bool all);

    StreamSink& sink_;
    std::map<std::pair<std::string, std::string>, Connection> connections_;
    std::uint64_t count_ = 0, repeated_ = 0, reordered_ = 0, missing_ = 0;
};

}  // namespace treaty::watch
