// A watch's numbers for whoever asks: Prometheus text format over HTTP at a local address.
//
// A user of net/server.h with a loop of its own, on which serve() does what there is to do and never waits:
// it answers all that have asked by now with the same page, and goes on sending what they have not read yet.
// Each connection is closed after one answer. Where there are too many, the one that has been idle longest
// makes room for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "net/server.h"
#include "watch/watcher.h"

namespace treaty::watch {

class MetricsServer {
public:
    // HOST:PORT; null if it is not free, then `fault` says why.
    static std::unique_ptr<MetricsServer> open(const std::string& address, std::string& fault);
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    // page: what is answered; only called if somebody has asked.
    void serve(const std::function<std::string()>& page);
    std::uint16_t port() const { return server_->address().port; }

private:
    MetricsServer() = default;

    net::Loop loop_;
    std::vector<net::Responder> asked_;
    std::unique_ptr<net::Server> server_;
};

// All counters, by name, with their help lines.
std::string metrics_text(const Watcher& watcher, const Monitor& monitor, const Merge& merge,
                         const model::Specification& specification, const model::Protocol& protocol);

}  // namespace treaty::watch
