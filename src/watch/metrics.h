// A watch's numbers for whoever asks: Prometheus text format over HTTP at a local address.
//
// Nothing waits for anybody: asked() looks who has asked by now, answer() gives them all the same page, and
// what they do not read at once is sent by a later asked(). Each connection is closed after one answer. Where
// there are too many, the oldest idle one makes room for the next.
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
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    // Whether somebody has asked; then `text` is due.
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
