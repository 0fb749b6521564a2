// Questions about the traffic of programs: recorded, as it is written, or as it passes a proxy.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "api/proxy.h"
#include "api/watch.h"
#include "net/address.h"
#include "report/answers.h"
#include "watch/whole_order.h"
#include "workbench/gate.h"
#include "workbench/questions.h"

namespace treaty::workbench {

namespace {

// The verdicts of a watch as they fall: the watch writes them to a file of its own, from which they are
// passed on line by line.
class Verdicts {
public:
    Verdicts() : path_((std::filesystem::temp_directory_path() / ("treaty-" + new_token())).string()) {}
    ~Verdicts() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Verdicts(const Verdicts&) = delete;
    Verdicts& operator=(const Verdicts&) = delete;

    const std::string& path() const { return path_; }

    // Those that were written since the last call; a line that is not complete yet is left for the next one.
    Json fresh() {
        Json found = Json::array();
        std::ifstream file(path_, std::ios::binary);
        file.seekg(read_);
        std::string line;
        while (found.size() < most_at_once && std::getline(file, line) && !file.eof()) {
            read_ += static_cast<std::streamoff>(line.size() + 1);
            Json verdict = Json::parse(line, nullptr, false);
            if (!verdict.is_discarded()) found.push_back(std::move(verdict));
        }
        return found;
    }

private:
    static constexpr std::size_t most_at_once = 200;
    std::string path_;
    std::streamoff read_ = 0;
};

}  // namespace

Asked read_watch(Form& form) {
    api::WatchQuestion question;
    std::string order;
    bool no_data = false;
    std::optional<std::chrono::milliseconds> idle, expire;
    form.file("file", question.file, "a protocol");
    form.logs("logs", question.logs);
    form.flag("follow", question.follow, "continue as the logs grow, until it is stopped");
    form.protocol(question.protocol);
    form.files("mappings", question.mappings, "how lines of other forms become messages: a file per line",
               Needed::no);
    form.texts("map", question.map,
               "ADDRESS=ROLE: which role an address in the logs belongs to; one per line");
    form.choice("order", order, {"causal", "sending", "reception", "both", "disjoint", "overlap"},
                "order of interactions: causal, or by a common clock");
    std::string session;
    form.text("session", session, "how to tell sessions apart: session, id or field:NAME");
    if (!session.empty()) question.session = session;
    form.text("wire", question.wire, "the wire that decodes bytes (the last one, if it is empty)");
    form.flag("no data", no_data, "judge only the messages, not their data");
    form.flag("complete", question.complete,
              "the logs hold whole sessions: a message that is still expected at the end is missing");
    form.time("idle", idle, "with follow: end after this long without a record");
    form.time("expire", expire, "end sessions that were silent for this long");
    question.order = watch::order_named(order).value_or(question.order);
    question.data = !no_data;
    question.idle = idle.value_or(std::chrono::milliseconds(0));
    question.expire = expire.value_or(std::chrono::milliseconds(0));
    return [question](Asking& asking) {
        Verdicts verdicts;
        api::WatchQuestion asked = question;
        asked.verdicts = verdicts.path();
        api::ProgressSink line = asking.context.progress;
        asking.context.progress = [&](const api::Progress& progress) {
            line(progress);
            if (Json fresh = verdicts.fresh(); !fresh.empty())
                asking.task.progress({{"verdicts", std::move(fresh)}});
        };
        api::WatchAnswer answer = api::watch(asking.workspace, asked, asking.context);
        Json shown = asking.shown("watch", answer, report::own_part(answer));
        shown["verdicts"] = verdicts.fresh();
        return shown;
    };
}

namespace {

// "8080 localhost:9090 client,server" on a line: where clients connect, where the service is, who the two
// are.
void read_links(Form& form, std::vector<watch::Link>& links) {
    std::vector<std::string> lines;
    form.texts(
        "links", lines,
        "LISTEN TO CLIENT,SERVICE, one per line: where clients connect (HOST:PORT of this machine, port 0 "
        "for a free one), where the service listens, and the two roles; for example "
        "127.0.0.1:0 127.0.0.1:2525 client,server",
        Needed::yes);
    for (const std::string& line : lines) {
        std::istringstream words(line);
        watch::Link& link = links.emplace_back();
        std::string between;
        words >> link.listen >> link.to >> between;
        std::size_t comma = between.find(',');
        auto address = net::parse_host_and_port(link.listen, true);
        if (comma == std::string::npos || !address) {
            form.fault("links", fmt::format("{} is not LISTEN TO CLIENT,SERVICE", line));
            continue;
        }
        if (!is_loopback(address->host))
            form.fault("links", fmt::format("{} can be reached from other machines", link.listen));
        link.client = between.substr(0, comma);
        link.service = between.substr(comma + 1);
    }
}

}  // namespace

Asked read_proxy(Form& form) {
    api::ProxyQuestion question;
    read_links(form, question.links);
    question.log = "recorded.jsonl";
    form.file("log", question.log, "where the records are appended (recorded.jsonl, if it is empty)",
              Needed::no);
    form.flag("tls to", question.tls_to, "use TLS towards the services");
    return [question](Asking& asking) {
        api::ProxyQuestion asked = question;
        asked.listening = [&](const std::vector<std::string>& addresses) {
            std::string line = "forwarding";
            for (std::size_t i = 0; i < addresses.size(); ++i)
                line += fmt::format(" {} → {};", addresses[i], question.links[i].to);
            asking.task.progress(
                {{"line", fmt::format("{} recording in {}", line, question.log)}, {"listening", addresses}});
            return true;
        };
        api::ProxyAnswer answer = api::proxy(asking.workspace, asked, asking.context);
        return asking.shown("proxy", answer, report::own_part(answer));
    };
}

}  // namespace treaty::workbench
