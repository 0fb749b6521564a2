// Packet captures: files (pcap, pcapng) and live interfaces, named "capture:lo" or "capture:lo:port 8080"
// (what follows the second colon is a filter as tcpdump takes it).
//
// TCP over IPv4 and IPv6 is put together (tcp_streams.h) and decoded by the protocol's wire (raw_streams.h).
// Role of an address: the map's entry for HOST:PORT, for HOST, or, for a client that connects to HOST:PORT,
// the entry for "->HOST:PORT". An observer of the wire sees messages pass: they count as sent and received.
// The line of a record is the number of its packet. Without a map for both ends a connection is a fault,
// once.
#include <deque>
#include <set>

#include <arpa/inet.h>
#include <pcap/pcap.h>

#include <fmt/format.h>

#include "watch/raw_streams.h"
#include "watch/source.h"
#include "watch/tcp_streams.h"

namespace treaty::watch {
namespace {

using Bytes = std::basic_string_view<unsigned char>;

std::uint16_t be16(Bytes b, std::size_t at) {
    return static_cast<std::uint16_t>((b[at] << 8) | b[at + 1]);
}
std::uint32_t be32(Bytes b, std::size_t at) {
    return (std::uint32_t{be16(b, at)} << 16) | be16(b, at + 2);
}

// The IP packet in a frame of the link; empty if there is none.
Bytes network_layer(int link, Bytes frame) {
    std::size_t header = 0;
    std::uint16_t type = 0;
    switch (link) {
        case DLT_EN10MB:
            if (frame.size() < 14) return {};
            header = 14;
            type = be16(frame, 12);
            while (type == 0x8100 && frame.size() >= header + 4) {
                type = be16(frame, header + 2);
                header += 4;
            }
            if (type != 0x0800 && type != 0x86dd) return {};
            break;
        case DLT_NULL:
        case DLT_LOOP: header = 4; break;
        case DLT_LINUX_SLL: header = 16; break;
        case DLT_LINUX_SLL2: header = 20; break;
        default: break;  // DLT_RAW: the packet itself
    }
    return frame.size() > header ? frame.substr(header) : Bytes();
}

struct Datagram {
    std::string from, to;
    Bytes payload;
};

std::string text_of(int family, const unsigned char* address) {
    char text[INET6_ADDRSTRLEN] = {};
    inet_ntop(family, address, text, sizeof text);
    return text;
}

// The TCP part of an IP packet; false if it has none.
bool transport_layer(Bytes p, Datagram& d) {
    if (p.empty()) return false;
    if (p[0] >> 4 == 4) {
        std::size_t header = std::size_t{p[0] & 15u} * 4;
        if (p.size() < 20 || header < 20 || p.size() < header || p[9] != 6) return false;
        if ((be16(p, 6) & 0x1fff) != 0) return false;  // a later fragment
        std::size_t total = be16(p, 2);
        d.from = text_of(AF_INET, p.data() + 12);
        d.to = text_of(AF_INET, p.data() + 16);
        // A length of 0 means a packet that the network card splits later.
        if (total >= header && total < p.size()) p = p.substr(0, total);
        d.payload = p.substr(header);
        return true;
    }
    if (p[0] >> 4 != 6 || p.size() < 40) return false;
    unsigned next = p[6];
    std::size_t total = 40u + be16(p, 4), header = 40;
    d.from = text_of(AF_INET6, p.data() + 8);
    d.to = text_of(AF_INET6, p.data() + 24);
    if (be16(p, 4) != 0 && total < p.size()) p = p.substr(0, total);
    while (next == 0 || next == 43 || next == 60) {
        if (p.size() < header + 8) return false;
        next = p[header];
        header += 8u + std::size_t{p[header + 1]} * 8;
    }
    if (next != 6 || p.size() < header) return false;
    d.payload = p.substr(header);
    return true;
}

class CaptureSource : public Source, private StreamSink {
public:
    CaptureSource(pcap_t* capture, const Vocabulary& vocabulary, const SourceOptions& options, bool live)
        : capture_(capture),
          vocabulary_(vocabulary),
          live_(live),
          streams_(*this),
          decoded_(vocabulary, *options.codec) {}
    ~CaptureSource() override { pcap_close(capture_); }

    ReadResult next(Record& record, std::string& fault) override {
        while (true) {
            if (ReadResult got = decoded_.next(record, fault); got != ReadResult::wait) return got;
            if (!faults_.empty()) {
                record.clear();
                record.line = number_;
                fault = std::move(faults_.front());
                faults_.pop_front();
                return ReadResult::fault;
            }
            if (ended_) return ReadResult::end;
            if (!packet()) return ReadResult::wait;
        }
    }
    void stop_following() override { live_ = false; }

private:
    // Takes one packet, or the end; false if there is none yet.
    bool packet() {
        pcap_pkthdr* header = nullptr;
        const unsigned char* bytes = nullptr;
        int got = pcap_next_ex(capture_, &header, &bytes);
        if (got == 0 && live_) return false;
        if (got != 1) {
            if (got == PCAP_ERROR) faults_.push_back(pcap_geterr(capture_));
            ended_ = true;
            streams_.finish();
            return true;
        }
        ++number_;
        seen_.line = number_;
        seen_.side = Side::both;
        seen_.time_ns =
            std::int64_t{header->ts.tv_sec} * 1'000'000'000 + std::int64_t{header->ts.tv_usec} * 1000;
        Datagram d;
        if (transport_layer(network_layer(pcap_datalink(capture_), {bytes, header->caplen}), d)) segment(d);
        return true;
    }

    static std::string address(const std::string& host, std::uint16_t port) {
        bool v6 = host.find(':') != std::string::npos;
        return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
    }

    void segment(const Datagram& d) {
        Bytes t = d.payload;
        std::size_t header = t.size() < 20 ? 0 : static_cast<std::size_t>(t[12] >> 4) * 4;
        if (header < 20 || t.size() < header) {
            faults_.push_back(fmt::format("packet {} is cut off", number_));
            return;
        }
        Segment s;
        s.from = address(d.from, be16(t, 0));
        s.to = address(d.to, be16(t, 2));
        s.sequence = be32(t, 4);
        s.fin = (t[13] & 1) != 0;
        s.syn = (t[13] & 2) != 0;
        s.rst = (t[13] & 4) != 0;
        s.ack = (t[13] & 16) != 0;
        s.payload = {reinterpret_cast<const char*>(t.data()) + header, t.size() - header};
        streams_.feed(s);
    }

    model::RoleId role_of(const std::string& address, const std::string& peer, bool opener) const {
        if (model::RoleId role = vocabulary_.role(address)) return role;
        if (opener)
            if (model::RoleId role = vocabulary_.role("->" + peer)) return role;
        return vocabulary_.role(address.substr(0, address.rfind(':')));
    }

    // False, and reported once, if their roles are not known.
    bool ends(std::uint64_t connection, const Segment& s, bool opened_by_from) {
        seen_.from = role_of(s.from, s.to, opened_by_from);
        seen_.to = role_of(s.to, s.from, !opened_by_from);
        seen_.session = std::to_string(connection);
        if (seen_.from && seen_.to && seen_.from != seen_.to) return true;
        if (strangers_.insert(connection).second)
            faults_.push_back(
                fmt::format("the roles at {} and {} are not known (name them with --map)", s.from, s.to));
        return false;
    }

    void bytes(std::uint64_t connection, const Segment& s, bool opened, std::string_view b) override {
        if (ends(connection, s, opened)) decoded_.feed(seen_, seen_.session, b);
    }
    void joined(std::uint64_t connection, const Segment& s, bool opened) override {
        if (ends(connection, s, opened)) decoded_.join(seen_, seen_.session);
    }
    void gap(std::uint64_t connection, const Segment& s, bool opened, std::uint64_t missing) override {
        if (ends(connection, s, opened)) decoded_.gap(seen_, seen_.session, missing);
    }
    void closed(std::uint64_t connection, const Segment& s, bool opened) override {
        if (!strangers_.contains(connection) && ends(connection, s, opened))
            decoded_.close(seen_, seen_.session);
    }

    pcap_t* capture_;
    const Vocabulary& vocabulary_;
    bool live_, ended_ = false;
    TcpStreams streams_;
    RawStreams decoded_;
    std::uint64_t number_ = 0;
    Record seen_;
    std::deque<std::string> faults_;
    std::set<std::uint64_t> strangers_;
};

base::Result<pcap_t*> open_live(const std::string& text) {
    auto colon = text.find(':');
    std::string device = text.substr(0, colon);
    std::string filter = colon == std::string::npos ? "tcp" : text.substr(colon + 1);
    char error[PCAP_ERRBUF_SIZE] = {};
    pcap_t* capture = pcap_create(device.c_str(), error);
    bpf_program program{};
    if (!capture) return base::Fault{error};
    pcap_set_snaplen(capture, 1 << 18);
    pcap_set_immediate_mode(capture, 1);
    pcap_set_buffer_size(capture, 16 << 20);
    if (pcap_activate(capture) >= 0 && pcap_setnonblock(capture, 1, error) == 0 &&
        pcap_compile(capture, &program, filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0 &&
        pcap_setfilter(capture, &program) == 0) {
        pcap_freecode(&program);
        return capture;
    }
    base::Fault fault{pcap_geterr(capture)};
    pcap_close(capture);
    return fault;
}

base::Result<pcap_t*> open_file(const std::string& path) {
    char error[PCAP_ERRBUF_SIZE] = {};
    if (pcap_t* capture = pcap_open_offline(path.c_str(), error)) return capture;
    return base::Fault{error};
}

}  // namespace

base::Result<std::unique_ptr<Source>> capture_source(const std::string& path, const Vocabulary& vocabulary,
                                                     const SourceOptions& options) {
    if (!options.codec) return base::Fault{"decoding a capture needs a wire, and the file declares none"};
    bool live = path.starts_with("capture:");
    auto capture = live ? open_live(path.substr(8)) : open_file(path);
    if (!capture) return base::Fault{capture.error()};
    return {std::make_unique<CaptureSource>(*capture, vocabulary, options, live)};
}

}  // namespace treaty::watch
