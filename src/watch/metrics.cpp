#include "watch/metrics.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

namespace treaty::watch {

std::unique_ptr<MetricsServer> MetricsServer::open(const std::string& address, std::string& fault) {
    auto colon = address.rfind(':');
    sockaddr_in at{};
    at.sin_family = AF_INET;
    std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
    std::string port = colon == std::string::npos ? address : address.substr(colon + 1);
    bool number =
        !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stoul(port) > 65535 || inet_pton(AF_INET, host.c_str(), &at.sin_addr) != 1) {
        fault = fmt::format("{} is not HOST:PORT", address);
        return nullptr;
    }
    at.sin_port = htons(static_cast<std::uint16_t>(std::stoul(port)));
    std::unique_ptr<MetricsServer> server(new MetricsServer());
    server->listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int yes = 1;
    ::setsockopt(server->listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socklen_t size = sizeof at;
    auto* name = reinterpret_cast<sockaddr*>(&at);
    if (::bind(server->listener_, name, size) != 0 || ::listen(server->listener_, 16) != 0 ||
        ::getsockname(server->listener_, name, &size) != 0) {
        fault = fmt::format("{}: {}", address, std::strerror(errno));
        return nullptr;
    }
    server->port_ = ntohs(at.sin_port);
    return server;
}

MetricsServer::~MetricsServer() {
    for (int fd : clients_) ::close(fd);
    for (int fd : waiting_) ::close(fd);
    if (listener_ >= 0) ::close(listener_);
}

bool MetricsServer::asked() {
    for (int fd; clients_.size() < 64 &&
                 (fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
        clients_.push_back(fd);
    std::erase_if(clients_, [&](int fd) {
        char request[4096];
        ssize_t got = ::recv(fd, request, sizeof request, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
        if (got <= 0)
            ::close(fd);
        else
            waiting_.push_back(fd);
        return true;
    });
    return !waiting_.empty();
}

void MetricsServer::answer(const std::string& text) {
    std::string response = fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: "
        "close\r\n\r\n{}",
        text.size(), text);
    for (int fd : waiting_) {
        // A page of counters fits into a socket's buffer; whoever has none left gets what fits.
        (void)!::send(fd, response.data(), response.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        ::shutdown(fd, SHUT_WR);
        ::close(fd);
    }
    waiting_.clear();
}

std::string metrics_text(const Watcher& watcher, const Monitor& monitor, const Merge& merge,
                         const model::Specification& specification, const model::Protocol& protocol) {
    std::string text;
    auto put = [&](std::string_view name, std::string_view kind, std::string_view help, std::uint64_t value) {
        text += fmt::format("# HELP treaty_{0} {1}\n# TYPE treaty_{0} {2}\ntreaty_{0} {3}\n", name, help,
                            kind, value);
    };
    const MonitorCounts& c = monitor.counts();
    const Totals& t = watcher.totals();
    put("messages_total", "counter", "Records judged.", c.messages);
    put("filtered_total", "counter", "Events that the protocol does not have.", c.filtered);
    put("garbled_total", "counter", "Records not understood.", merge.garbled());
    put("late_total", "counter", "Records whose time went backwards.", merge.late());
    put("duplicated_total", "counter", "Records that came twice.", c.duplicated);
    put("orphaned_total", "counter", "Records of sessions that had ended.", c.orphaned);
    put("verdicts_total", "counter", "Verdicts written.", watcher.verdicts());
    put("sessions_live", "gauge", "Sessions that are live.", monitor.sessions());
    put("sessions_live_failed", "gauge", "Live sessions that have failed.", monitor.failing());
    put("sessions_ended_total", "counter", "Sessions that have ended.", t.sessions);
    put("sessions_failed_total", "counter", "Ended sessions that failed.", t.failed);
    put("sessions_expired_total", "counter", "Sessions that expired.", c.expired);
    put("sessions_crowded_out_total", "counter", "Sessions ended because there were too many.", c.crowded);
    put("behind_bytes", "gauge", "Bytes that are there and not yet read: back-pressure.", merge.behind());
    text +=
        "# HELP treaty_role_messages_total Messages of a role in ended sessions.\n"
        "# TYPE treaty_role_messages_total counter\n";
    for (std::size_t i = 0; i < t.roles.size(); ++i)
        text += fmt::format("treaty_role_messages_total{{role=\"{}\"}} {}\n",
                            specification.alphabet->name(protocol.roles()[i]), t.roles[i].messages);
    text +=
        "# HELP treaty_property_verdicts_total Verdicts of properties in ended sessions.\n"
        "# TYPE treaty_property_verdicts_total counter\n";
    for (std::size_t i = 0; i < t.properties.size(); ++i)
        for (auto [verdict, n] : {std::pair{"pass", t.properties[i].pass},
                                  {"fail", t.properties[i].fail},
                                  {"inconclusive", t.properties[i].inconclusive}})
            text += fmt::format("treaty_property_verdicts_total{{property=\"{}\",verdict=\"{}\"}} {}\n",
                                specification.names->text(specification.properties[i].name), verdict, n);
    return text;
}

}  // namespace treaty::watch
