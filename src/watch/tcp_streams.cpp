#include "watch/tcp_streams.h"

#include <algorithm>

namespace treaty::watch {

TcpStreams::Connection& TcpStreams::connection_of(const Segment& segment) {
    std::pair key = std::minmax(segment.from, segment.to);
    Connection& connection = connections_[{key.first, key.second}];
    bool fresh = connection.number == 0;
    if (!fresh && segment.syn && !segment.ack) {
        // The same addresses once more: a new connection, unless its first segment is sent again.
        const Direction& mine = connection.directions[segment.from == connection.ends[0] ? 0 : 1];
        if (mine.ended || (mine.known && mine.given > 0 && mine.next != segment.sequence + 1)) {
            connection = {};
            fresh = true;
        }
    }
    if (fresh) {
        connection.number = ++count_;
        connection.ends[0] = segment.from;
        connection.ends[1] = segment.to;
        connection.opener = segment.syn && segment.ack ? segment.to : segment.from;
    }
    return connection;
}

// Gives what is in order now; with `all` also what follows bytes that never came.
void TcpStreams::release(Connection& connection, Direction& direction, const Segment& segment, bool all) {
    bool opened = connection.opener == segment.from;
    while (!direction.early.empty()) {
        auto first = direction.early.begin();
        std::string bytes = std::move(first->second);
        std::uint64_t at = first->first;
        bool hole = at > direction.given;
        if (hole && !all && direction.waiting <= most_waiting && direction.early.size() <= most_segments) {
            first->second = std::move(bytes);
            return;
        }
        direction.early.erase(first);
        direction.waiting -= bytes.size();
        if (hole) {
            missing_ += at - direction.given;
            sink_.gap(connection.number, segment, opened, at - direction.given);
            direction.next += static_cast<std::uint32_t>(at - direction.given);
            direction.given = at;
        }
        std::uint64_t known = direction.given - at;  // bytes of it that were given already
        if (known >= bytes.size()) continue;
        std::string_view rest = std::string_view(bytes).substr(static_cast<std::size_t>(known));
        direction.given += rest.size();
        direction.next += static_cast<std::uint32_t>(rest.size());
        sink_.bytes(connection.number, segment, opened, rest);
    }
}

void TcpStreams::take(Connection& connection, Direction& direction, const Segment& segment) {
    std::uint32_t sequence = segment.sequence + (segment.syn ? 1 : 0);
    if (!direction.known) {
        direction.known = true;
        direction.next = sequence;
    }
    if (segment.payload.empty()) return;
    // Sequence numbers wrap; the nearer way round is meant.
    auto distance = static_cast<std::int32_t>(sequence - direction.next);
    std::string_view payload = segment.payload;
    if (distance < 0) {
        auto known = static_cast<std::size_t>(-static_cast<std::int64_t>(distance));
        if (known >= payload.size()) {
            ++repeated_;
            return;
        }
        payload.remove_prefix(known);
        distance = 0;
    }
    std::uint64_t at = direction.given + static_cast<std::uint64_t>(distance);
    if (distance > 0) ++reordered_;
    std::string& place = direction.early[at];
    if (place.size() >= payload.size()) {
        ++repeated_;
        return;
    }
    direction.waiting += payload.size() - place.size();
    place = payload;
    release(connection, direction, segment, false);
}

void TcpStreams::feed(const Segment& segment) {
    Connection& connection = connection_of(segment);
    Direction& direction = connection.directions[segment.from == connection.ends[0] ? 0 : 1];
    if (direction.ended) {
        if (!segment.payload.empty()) ++repeated_;
        return;
    }
    take(connection, direction, segment);
    if (!segment.fin && !segment.rst) return;
    // What comes before the end may still be on its way; if so the end is taken for one when all is there.
    std::uint32_t end = segment.sequence + static_cast<std::uint32_t>(segment.payload.size());
    if (segment.fin && end != direction.next) return;
    release(connection, direction, segment, true);
    direction.ended = true;
    sink_.closed(connection.number, segment, connection.opener == segment.from);
    // Those that are over are kept for a while, so that what is sent again is known.
    if (connections_.size() > most_connections)
        std::erase_if(connections_, [](const auto& entry) {
            return entry.second.directions[0].ended && entry.second.directions[1].ended;
        });
}

void TcpStreams::finish() {
    for (auto& [key, connection] : connections_)
        for (int i : {0, 1}) {
            Segment last;
            last.from = connection.ends[i];
            last.to = connection.ends[1 - i];
            if (connection.directions[i].ended || !connection.directions[i].known) continue;
            release(connection, connection.directions[i], last, true);
            sink_.closed(connection.number, last, connection.opener == last.from);
        }
    connections_.clear();
}

}  // namespace treaty::watch
