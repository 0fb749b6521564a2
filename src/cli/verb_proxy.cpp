#include <cstdio>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/traffic_verbs.h"
#include "report/wording.h"
#include "watch/codes.h"
#include "watch/proxy.h"

namespace treaty::cli {
namespace {

struct Request {
    std::vector<std::string> listen, to, between;
    std::string output = "-", certificate, key, authority, addresses;
    bool tls_to = false;
};

std::optional<watch::ProxyOptions> options_of(Session& session, const Request& request) {
    watch::ProxyOptions options;
    if (request.listen.empty() || request.listen.size() != request.to.size() ||
        request.between.size() > request.listen.size()) {
        session.report(
            watch::codes::proxy_failed,
            "each --listen ADDRESS needs its --to ADDRESS, and at most one --between CLIENT,SERVICE");
        return std::nullopt;
    }
    for (std::size_t i = 0; i < request.listen.size(); ++i) {
        watch::Link link{request.listen[i], request.to[i], fmt::format("client{}", i + 1),
                         fmt::format("service{}", i + 1)};
        if (i < request.between.size()) {
            auto comma = request.between[i].find(',');
            link.client = request.between[i].substr(0, comma);
            if (comma != std::string::npos) link.service = request.between[i].substr(comma + 1);
            bool plain = (link.client + link.service).find_first_of("\"\\\n") == std::string::npos;
            if (comma == std::string::npos || link.client.empty() || link.service.empty() || !plain) {
                session.report(watch::codes::proxy_failed,
                               fmt::format("{} is not CLIENT,SERVICE", request.between[i]));
                return std::nullopt;
            }
        }
        options.links.push_back(std::move(link));
    }
    options.certificate = request.certificate;
    options.key = request.key.empty() ? request.certificate : request.key;
    options.tls_to = request.tls_to || !request.authority.empty();
    options.authority = request.authority;
    return options;
}

void forward(Session& session, const Request& request, const watch::ProxyOptions& options) {
    std::FILE* out = request.output == "-" ? stdout : std::fopen(request.output.c_str(), "ab");
    std::string fault = out ? "" : fmt::format("{}: cannot be written", request.output);
    auto proxy = out ? watch::Proxy::make(options, out, fault) : nullptr;
    if (!proxy) {
        session.report(watch::codes::proxy_failed, fault);
        session.result.world_failed = true;
        if (out && out != stdout) std::fclose(out);
        return;
    }
    std::string where;
    for (std::size_t i = 0; i < options.links.size(); ++i)
        where += fmt::format("{} -> {}\n", proxy->addresses()[i], options.links[i].to);
    if (!request.addresses.empty() && !session.write(request.addresses, where)) return;
    fmt::print(stderr, "{}", where);
    const base::Deadline& deadline = session.options.deadline;
    while (!base::interrupt_flag() && !deadline.passed() && !proxy->record_failed()) proxy->step(50);
    bool failed = proxy->record_failed();
    const watch::ProxyCounts counts = proxy->counts();
    proxy.reset();
    if (out != stdout) std::fclose(out);
    if (failed) {
        session.report(watch::codes::proxy_failed, fmt::format("{}: cannot be written", request.output));
        session.result.world_failed = true;
        return;
    }
    session.result.extra = {{"connections", counts.connections}, {"refused", counts.refused},
                            {"broken", counts.broken},           {"bytes", counts.bytes},
                            {"records", counts.records},         {"held", counts.held}};
    session.result.answer = base::Answer::holds;
    session.result.reason =
        fmt::format("{}, {} in {}", report::counted(counts.connections, "connection"),
                    report::counted(counts.bytes, "byte"), report::counted(counts.records, "record"));
}

}  // namespace

int verb_proxy(Arguments arguments) {
    Session session("proxy");
    CommandLine line(session);
    Request request;
    line.option("--listen", "ADDRESS", request.listen,
                "where clients connect, HOST:PORT (port 0: a free one). Repeat it for each link");
    line.option("--to", "ADDRESS", request.to, "where the service of the link listens, HOST:PORT");
    line.option("--between", "CLIENT,SERVICE", request.between,
                "what the records call the two sides of the link: the roles");
    line.option("-o,--output", "FILE", request.output,
                "the log, JSON lines, appended to (default: standard output)");
    line.option("--addresses", "FILE", request.addresses, "write where it listens, a line a link");
    line.option("--cert", "FILE", request.certificate, "end TLS here, with this certificate (PEM)");
    line.option("--key", "FILE", request.key, "its key (default: in the same file)");
    line.flag("--tls-to", request.tls_to, "speak TLS to the services");
    line.option("--ca", "FILE", request.authority,
                "check the services' certificates against these, and the host's name in them");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = request.listen;
    if (auto options = options_of(session, request)) forward(session, request, *options);
    return session.finish();
}

}  // namespace treaty::cli
