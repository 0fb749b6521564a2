// The numbers of a watch as Prometheus text format, over HTTP at a local address.
//
// Nothing blocks: asked() looks for new requests, answer() gives all of them the same page, and what a client
// does not read at once is sent by a later asked(). Each connection is closed after one answer. If there are
// too many, the oldest idle one is closed for the next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "net/http.h"
#include "watch/watcher.h"

namespace treaty::watch {

class MetricsServer {
public:
    // HOST:PORT; a fault if it is not free.
    static base::Result<std::unique_ptr<MetricsServer>> open(const std::string& address);
    // Whether it has that form, so that what is wrong is not the address itself.
    static bool is_address(const std::string& text);
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    // Whether there are requests; then answer() must be called.
    bool asked();
    void answer(const std::string& text);
    std::uint16_t port() const { return port_; }

private:
    static constexpr std::size_t most_at_once = 64;

    MetricsServer(base::Descriptor listener, std::uint16_t port);

    base::Descriptor listener_;
    std::uint16_t port_ = 0;
    net::HttpServer callers_;
};

// All counters, by name, with their help lines.
std::string metrics_text(const Watcher& watcher, const Monitor& monitor, const Merge& merge,
                         const model::Specification& specification, const model::Protocol& protocol);

}  // namespace treaty::watch
