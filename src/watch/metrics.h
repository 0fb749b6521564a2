// A watch's numbers for whoever asks: Prometheus text format over HTTP at a local address.
//
// Nothing waits for anybody: serve() answers those who have asked by now, with what it is given, and returns.
// A client that sends more than a request line's worth, or reads nothing, is hung up on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "watch/watcher.h"

namespace treaty::watch {

class MetricsServer {
public:
    // HOST:PORT; null if it is not free, then `fault` says why.
    static std::unique_ptr<MetricsServer> open(const std::string& address, std::string& fault);
    ~MetricsServer();
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    // Whether somebody has asked; then `text` is due.
    bool asked();
    void answer(const std::string& text);
    std::uint16_t port() const { return port_; }

private:
    MetricsServer() = default;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::vector<int> clients_;  // connected, their request not read yet
    std::vector<int> waiting_;  // asked
};

// All counters, by name, with their help lines.
std::string metrics_text(const Watcher& watcher, const Monitor& monitor, const Merge& merge,
                         const model::Specification& specification, const model::Protocol& protocol);

}  // namespace treaty::watch
