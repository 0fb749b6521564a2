// proxy: forwards traffic between services and records it for `watch` and `mine` (watch/proxy.h).
//
// Goes on until the context ends it; then the verdict holds, with what was forwarded. An address that cannot
// be had, a certificate that cannot be used and a log that cannot be written are failures of the environment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "watch/proxy.h"

namespace treaty::api {

struct ProxyQuestion {
    std::vector<watch::Link> links;  // at least one
    std::string log = "-";           // appended to, JSON lines; "-": standard output
    std::string certificate;         // PEM file to end TLS with on the side of clients; empty: no TLS
    std::string key;                 // of the certificate; empty: in the same file
    bool tls_to = false;             // speak TLS to the services
    std::string authority;  // PEM file to check the services' certificates against; empty: not checked
    // Called once, with the address of each link, before anything is forwarded; false ends it. May be empty.
    std::function<bool(const std::vector<std::string>& addresses)> listening;
};

struct ProxyAnswer : Answer {
    watch::ProxyCounts counts;
};

ProxyAnswer proxy(const Workspace& workspace, const ProxyQuestion& question, const Context& context);

}  // namespace treaty::api
