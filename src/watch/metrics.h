// The numbers of a watch as Prometheus text format, over HTTP at a local address.
//
// A user of net/server.h with a loop of its own, on which serve() does what there is to do and never blocks:
// it gives all requests that have come the same page, and continues to send what clients have not read yet.
// Each connection is closed after one answer. If there are too many, the one that has been idle longest is
// closed for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/server.h"
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

    // Answers the requests that have come; page() is only called if there are any.
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
