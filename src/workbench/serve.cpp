#include "workbench/serve.h"

#include <map>

#include <fmt/format.h>

#include "lsp/clients.h"
#include "workbench/gate.h"
#include "workbench/page.h"
#include "workbench/tab.h"

namespace treaty::workbench {
namespace {

constexpr std::size_t shortest_token = 16;
// A text of the editor is at most 4 MB, which may need twice as much in JSON.
constexpr std::size_t longest_message = std::size_t{16} << 20;
constexpr std::size_t most_unsent = std::size_t{64} << 20;
constexpr std::size_t most_tabs = 50;

class Service {
public:
    Service(const ServeOptions& options, const Folder& folder, Page page, net::Loop loop)
        : page_(std::move(page)),
          bench_{options, folder, loop},
          editor_{.stop = options.stop, .read = folder.reader()},
          editors_(loop, editor_) {}

    // Before the threads end, which wait for what is asked.
    ~Service() { tabs_.clear(); }

    // What `gate` admits; it must outlive this.
    void open(const Gate& gate) { gate_ = &gate; }

    void handle(const net::Request& request, const net::Responder& responder) {
        net::Reply refusal;
        std::optional<std::string> asked = gate_->admit(request, refusal);
        if (!asked) return responder.reply(std::move(refusal));
        bool editor = *asked == "lsp";
        if (!editor && *asked != "socket") return responder.reply(page_.find(*asked));
        if (!request.wants_websocket())
            return responder.reply({.status = 426, .body = "a WebSocket is expected here\n"});
        if ((editor ? editors_.count() : tabs_.size()) >= most_tabs)
            return responder.reply({.status = 503, .body = "too many tabs are open\n"});
        if (editor)
            editors_.accept(responder);
        else
            accept(responder);
    }

private:
    void accept(const net::Responder& responder) {
        net::Channel::Handlers handlers;
        handlers.message = [this](net::Channel& channel, std::string_view text) {
            if (auto tab = tabs_.find(&channel); tab != tabs_.end()) tab->second->receive(text);
        };
        handlers.closed = [this](net::Channel& channel) { tabs_.erase(&channel); };
        if (auto channel = responder.accept(std::move(handlers)))
            tabs_.emplace(channel.get(), std::make_unique<Tab>(bench_, channel));
    }

    const Gate* gate_ = nullptr;
    Page page_;
    Bench bench_;
    lsp::ServeOptions editor_;
    lsp::Clients editors_;
    std::map<net::Channel*, std::unique_ptr<Tab>> tabs_;
};

base::Result<Page> page_of(const ServeOptions& options) {
    if (options.page) return Page::from(*options.page);
    Page page = Page::embedded();
    if (page.empty())
        return base::Fault{
            "this program was built without the page, because npm was missing; install npm and build it "
            "again"};
    return page;
}

}  // namespace

base::Result<bool> serve(const ServeOptions& options,
                         const std::function<void(const std::string& url)>& listening) {
    auto folder = Folder::open(options.folder);
    if (!folder) return base::Fault{folder.error()};
    auto page = page_of(options);
    if (!page) return base::Fault{page.error()};
    if (!options.token.empty() && options.token.size() < shortest_token)
        return base::Fault{fmt::format("a token has at least {} characters", shortest_token)};
    net::Loop loop;
    Service service(options, *folder, std::move(*page), loop);
    net::ServerOptions limits;
    limits.longest_message = longest_message;
    limits.longest_body = 0;
    limits.most_unsent = most_unsent;
    limits.idle_time = std::chrono::milliseconds(0);  // a person may think for hours
    auto server = net::Server::open(loop, options.address, limits,
                                    [&](const net::Request& request, const net::Responder& responder) {
                                        service.handle(request, responder);
                                    });
    if (!server) return base::Fault{server.error()};
    net::Address at = (*server)->address();
    std::vector<std::string> hosts = names_of(at);
    for (const std::string& host : options.hosts) {
        hosts.push_back(host);
        hosts.push_back(fmt::format("{}:{}", host, at.port));
    }
    Gate gate(options.token.empty() ? new_token() : options.token, std::move(hosts));
    service.open(gate);
    listening(
        fmt::format("{}://{}/{}/", at.encrypted ? "https" : "http", net::host_and_port(at), gate.token()));
    while (!options.stop.requested()) loop.wait(base::Clock::now() + std::chrono::milliseconds(200));
    (*server)->stop();
    return true;
}

}  // namespace treaty::workbench
