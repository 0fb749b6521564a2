#include <cstdio>

#include <fmt/format.h>

#include "api/proxy.h"
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"
#include "watch/codes.h"

namespace treaty::cli {
namespace {

struct Words {
    std::vector<std::string> listen, to, between;
    std::string addresses;
};

// Whether the options make links.
bool read(const Session& session, const Words& words, std::vector<watch::Link>& links) {
    if (words.listen.empty() || words.listen.size() != words.to.size() ||
        words.between.size() > words.listen.size()) {
        session.report(
            watch::codes::proxy_failed,
            "each --listen ADDRESS needs its --to ADDRESS, and at most one --between CLIENT,SERVICE");
        return false;
    }
    for (std::size_t i = 0; i < words.listen.size(); ++i) {
        watch::Link& link = links.emplace_back();
        link.listen = words.listen[i];
        link.to = words.to[i];
        std::string names =
            i < words.between.size() ? words.between[i] : fmt::format("client{0},service{0}", i + 1);
        auto comma = names.find(',');
        if (comma == std::string::npos) {
            session.report(watch::codes::proxy_failed, fmt::format("{} is not CLIENT,SERVICE", names));
            return false;
        }
        link.client = names.substr(0, comma);
        link.service = names.substr(comma + 1);
    }
    return true;
}

}  // namespace

int verb_proxy(Arguments arguments) {
    Session session("proxy");
    CommandLine line(session);
    api::ProxyQuestion question;
    Words words;
    line.option("--listen", "ADDRESS", words.listen,
                "where clients connect, HOST:PORT (port 0: a free one). Repeat it for each link");
    line.option("--to", "ADDRESS", words.to, "where the service of the link listens, HOST:PORT");
    line.option("--between", "CLIENT,SERVICE", words.between,
                "the roles at the two ends of the link, for the records");
    line.option("-o,--output", "FILE", question.log,
                "the log, JSON lines, appended to (default: standard output)");
    line.option("--addresses", "FILE", words.addresses,
                "write the addresses it listens at, one line per link");
    line.option("--cert", "FILE", question.certificate, "end TLS here, with this certificate (PEM)");
    line.option("--key", "FILE", question.key, "its key (default: in the same file)");
    line.flag("--tls-to", question.tls_to, "use TLS towards the services");
    line.option("--ca", "FILE", question.authority,
                "check the services' certificates and host names against these authorities");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = words.listen;
    if (!read(session, words, question.links)) return session.finish();
    question.listening = [&](const std::vector<std::string>& addresses) {
        std::string where;
        for (std::size_t i = 0; i < addresses.size(); ++i)
            where += fmt::format("{} -> {}\n", addresses[i], question.links[i].to);
        if (!words.addresses.empty() && !session.write(words.addresses, where)) return false;
        fmt::print(stderr, "{}", where);
        return true;
    };
    api::ProxyAnswer answer = session.ask(api::proxy, question);
    if (!session.diagnostics().ok()) return session.finish();
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
