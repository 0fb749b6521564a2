// A proxy between services that forwards bytes untouched and records them: JSON lines for `treaty watch`.
//
// Any number of links at once: a client that connects to the address of a link is connected to its target.
// What comes is recorded before it is passed on, in one process, so a log never shows an effect before its
// cause. A line is
//
//   {"time": 1700000000.123456, "from": "buyer", "to": "vendor", "dir": "->", "connection": "1", "raw": "0a"}
//
// with the bytes in hexadecimal digits, as they come, cut anywhere. A side that reads slowly holds back the
// other one: at most `most_unsent` bytes wait in each direction, and held() tells how often that was so. With
// a certificate the proxy ends TLS on the side of the client and records what was inside; with `tls_to` it
// speaks TLS to the targets. One thread; faults of one connection end that connection only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace treaty::watch {

struct Link {
    std::string listen, to;       // HOST:PORT; port 0 listens at a free one
    std::string client, service;  // what the records call the two sides
};

struct ProxyOptions {
    std::vector<Link> links;
    std::string certificate, key;  // PEM files; empty: no TLS towards clients
    bool tls_to = false;           // TLS towards the targets
    // PEM file that the targets' certificates are checked against: signed by one of these, and for the host
    // of the link, by its name or its number; empty: not checked.
    std::string authority;
};

struct ProxyCounts {
    std::uint64_t connections = 0;
    std::uint64_t refused = 0;  // clients whose target could not be reached; not in `connections`
    std::uint64_t broken = 0;
    std::uint64_t bytes = 0, records = 0;
    std::uint64_t held = 0;  // times that a slow reader held back its partner
};

class Proxy {
public:
    static constexpr std::size_t most_unsent = std::size_t{1} << 20;

    // A fault if an address is not free, or a file cannot be used. Records are written to `out`, which stays
    // the caller's.
    static base::Result<std::unique_ptr<Proxy>> make(const ProxyOptions& options, std::FILE* out);
    ~Proxy();

    // The addresses it listens at, by link.
    std::vector<std::string> addresses() const;
    // Waits for at most so long and does what there is to do.
    void step(int timeout_ms);
    std::size_t live() const;
    const ProxyCounts& counts() const;
    bool record_failed() const;  // the log could not be written

private:
    struct Impl;
    explicit Proxy(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace treaty::watch
