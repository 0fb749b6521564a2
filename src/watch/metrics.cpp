#include "watch/metrics.h"

#include <fmt/format.h>

namespace treaty::watch {
namespace {

constexpr std::size_t most_at_once = 64;
constexpr int most_turns = 1000;  // the watch goes on, however much callers send

base::Result<net::Address> address_of(const std::string& text) {
    bool port_only = text.find(':') == std::string::npos;
    return net::parse_host_and_port(port_only ? "127.0.0.1:" + text : text, true);
}

}  // namespace

bool MetricsServer::is_address(const std::string& text) {
    return bool(address_of(text));
}

base::Result<std::unique_ptr<MetricsServer>> MetricsServer::open(const std::string& address) {
    auto at = address_of(address);
    if (!at) return base::Fault{fmt::format("{} is not HOST:PORT", address)};
    std::unique_ptr<MetricsServer> made(new MetricsServer());
    net::ServerOptions options;
    options.most_connections = most_at_once;
    auto server = net::Server::open(made->loop_, *at, options,
                                    [one = made.get()](const net::Request&, net::Responder responder) {
                                        one->asked_.push_back(std::move(responder));
                                    });
    if (!server) return base::Fault{fmt::format("{}: {}", address, server.error())};
    made->server_ = std::move(*server);
    return made;
}

void MetricsServer::serve(const std::function<std::string()>& page) {
    for (int turns = 0; turns < most_turns && asked_.size() < most_at_once; ++turns)
        if (!loop_.wait(base::Clock::now())) break;
    if (asked_.empty()) return;
    std::string text = page();
    for (const net::Responder& one : std::exchange(asked_, {}))
        one.reply({200, text, {{"Content-Type", "text/plain; version=0.0.4"}}, true});
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
    put("records_total", "counter", "Records read.", c.records);
    put("messages_total", "counter", "Messages of the protocol, each counted once.", c.messages);
    put("filtered_total", "counter", "Records of messages that are not in the protocol.", c.filtered);
    put("untimed_total", "counter", "Messages whose `within` was not checked.", c.untimed);
    put("garbled_total", "counter", "Records not understood.", merge.garbled());
    put("late_total", "counter", "Records whose time went backwards.", merge.late());
    put("duplicated_total", "counter", "Duplicate records.", c.duplicated);
    put("orphaned_total", "counter", "Records of sessions that had ended.", c.orphaned);
    put("verdicts_total", "counter", "Verdicts written.", watcher.verdicts());
    put("sessions_live", "gauge", "Sessions that are live.", monitor.sessions());
    put("sessions_live_failed", "gauge", "Live sessions that have failed.", monitor.failing());
    put("sessions_ended_total", "counter", "Sessions that have ended.", t.sessions);
    put("sessions_failed_total", "counter", "Ended sessions that failed.", t.failed);
    put("sessions_expired_total", "counter", "Sessions that expired.", c.expired);
    put("sessions_crowded_out_total", "counter", "Sessions ended because there were too many at once.",
        c.crowded);
    put("behind_bytes", "gauge", "Bytes that are available and not yet read: back-pressure.", merge.unread());
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
