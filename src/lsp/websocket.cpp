#include "lsp/clients.h"
#include "lsp/serve.h"
#include "lsp/server.h"

namespace treaty::lsp {
namespace {

// A client that reads nothing does not keep its messages here for ever.
constexpr std::size_t most_unsent = std::size_t{64} << 20;

}  // namespace

Clients::Clients(net::Loop loop, const ServeOptions& options)
    : loop_(std::move(loop)), options_(options), ending_(1) {}

Clients::~Clients() = default;

void Clients::accept(const net::Responder& responder) {
    net::Channel::Handlers handlers;
    handlers.message = [this](net::Channel& channel, std::string_view text) { receive(channel, text); };
    handlers.closed = [this](net::Channel& channel) { drop(channel); };
    std::shared_ptr<net::Channel> channel = responder.accept(std::move(handlers));
    if (!channel) return;
    std::weak_ptr<net::Channel> to = channel;
    auto write = [loop = loop_, to](const std::string& content) mutable {
        loop.post([to, content] {
            auto open = to.lock();
            if (open && !open->send(content)) open->close();
        });
        return !to.expired();
    };
    servers_.emplace(channel.get(), std::make_unique<Server>(write, options_));
}

void Clients::receive(net::Channel& channel, std::string_view text) {
    auto found = servers_.find(&channel);
    if (found == servers_.end()) return;
    found->second->receive(read_content(text));
    if (found->second->exited()) channel.close();
}

void Clients::drop(net::Channel& channel) {
    auto found = servers_.find(&channel);
    if (found == servers_.end()) return;
    // Tasks are functions that can be copied, so the server is shared for the moment.
    std::shared_ptr<Server> last = std::move(found->second);
    servers_.erase(found);
    ending_.run([last]() mutable { last.reset(); });
}

base::Result<bool> serve_websocket(const net::Address& address, const ServeOptions& options,
                                   const std::function<void(const net::Address&)>& listening) {
    net::Loop loop;
    Clients clients(loop, options);
    net::ServerOptions limits;
    limits.longest_message = MessageReader::max_content;
    limits.most_unsent = most_unsent;
    limits.idle_time = std::chrono::milliseconds(0);  // a person may think for hours
    auto server = net::Server::open(
        loop, address, limits, [&](const net::Request& request, const net::Responder& responder) {
            if (!net::same_origin(request))
                return responder.reply({.status = 403, .body = "pages of other servers are not served\n"});
            if (!request.wants_websocket())
                return responder.reply({.status = 426, .body = "a WebSocket is expected here\n"});
            clients.accept(responder);
        });
    if (!server) return base::Fault{server.error()};
    listening((*server)->address());
    while (!options.stop.requested()) loop.wait(base::Clock::now() + std::chrono::milliseconds(200));
    (*server)->stop();
    return true;
}

}  // namespace treaty::lsp
