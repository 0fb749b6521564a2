#include "api/proxy.h"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "api/inquiry.h"
#include "base/wording.h"
#include "net/address.h"
#include "watch/codes.h"

namespace treaty::api {
namespace {

constexpr int step_ms = 50;  // how long a request to stop may wait

struct CloseLog {
    void operator()(std::FILE* file) const {
        if (file != stdout) std::fclose(file);
    }
};
using Log = std::unique_ptr<std::FILE, CloseLog>;

// The names of the two sides go into every record as they are.
bool names_fit(const Inquiry& inquiry, const watch::Link& link) {
    bool plain = (link.client + link.service).find_first_of("\"\\\n") == std::string::npos;
    if (!link.client.empty() && !link.service.empty() && plain) return true;
    inquiry.report(watch::codes::proxy_failed,
                   fmt::format("{},{} is not CLIENT,SERVICE", link.client, link.service));
    return false;
}

bool addresses_fit(const Inquiry& inquiry, const watch::Link& link) {
    auto listen = net::parse_host_and_port(link.listen, true), to = net::parse_host_and_port(link.to, false);
    if (listen && to) return true;
    inquiry.report(watch::codes::proxy_failed, listen ? to.error() : listen.error());
    return false;
}

watch::ProxyOptions options_of(const ProxyQuestion& question) {
    watch::ProxyOptions options;
    options.links = question.links;
    options.certificate = question.certificate;
    options.key = question.key.empty() ? question.certificate : question.key;
    options.tls_to = question.tls_to || !question.authority.empty();
    options.authority = question.authority;
    return options;
}

void forward(const Inquiry& inquiry, const ProxyQuestion& question, ProxyAnswer& answer) {
    for (const watch::Link& link : question.links)
        if (!names_fit(inquiry, link) || !addresses_fit(inquiry, link)) return;
    std::string unwritable = fmt::format("{}: cannot be written", question.log);
    Log log(question.log == "-" ? stdout : std::fopen(question.log.c_str(), "ab"));
    if (!log) return inquiry.environment_failed(watch::codes::proxy_failed, unwritable);
    auto made = watch::Proxy::make(options_of(question), log.get());
    if (!made) return inquiry.environment_failed(watch::codes::proxy_failed, made.error());
    std::unique_ptr<watch::Proxy> proxy = std::move(*made);
    bool wanted = !question.listening || question.listening(proxy->addresses());
    while (wanted && !inquiry.context.deadline.passed() && !proxy->record_failed()) proxy->step(step_ms);
    if (proxy->record_failed()) return inquiry.environment_failed(watch::codes::proxy_failed, unwritable);
    answer.counts = proxy->counts();
    inquiry.holds(fmt::format("{}, {} in {}", base::counted(answer.counts.connections, "connection"),
                              base::counted(answer.counts.bytes, "byte"),
                              base::counted(answer.counts.records, "record")));
}

}  // namespace

ProxyAnswer proxy(const Workspace& workspace, const ProxyQuestion& question, const Context& context) {
    ProxyAnswer answer;
    for (const watch::Link& link : question.links) answer.inputs.push_back(link.listen);
    forward(Inquiry(workspace, context, answer), question, answer);
    return answer;
}

}  // namespace treaty::api
