#include "net/server.h"

#include <map>

#include <fmt/format.h>

#include "net/server_connection.h"

namespace treaty::net {
namespace {

constexpr auto step_time = std::chrono::milliseconds(50);        // how long a request to stop may wait
constexpr auto exhausted_time = std::chrono::milliseconds(100);  // until descriptors may be free again
constexpr int most_accepted = 64;  // at once; then those that are there have their turn

}  // namespace

std::string_view Request::field(std::string_view name) const {
    for (const Field& field : fields)
        if (boost::beast::iequals({field.name.data(), field.name.size()}, {name.data(), name.size()}))
            return field.value;
    return {};
}

std::string_view Request::path() const {
    return std::string_view(target).substr(0, target.find('?'));
}

bool Request::wants_websocket() const {
    auto has = [&](std::string_view name, const char* token) {
        std::string_view value = field(name);
        return http::token_list({value.data(), value.size()}).exists(token);
    };
    return method == "GET" && has("Upgrade", "websocket") && has("Connection", "upgrade");
}

bool same_origin(const Request& request) {
    std::string_view origin = request.origin();
    if (origin.empty()) return true;
    std::size_t scheme = origin.find("://");
    return scheme != std::string_view::npos && origin.substr(scheme + 3) == request.host();
}

struct Server::Impl : ServerSide, std::enable_shared_from_this<Server::Impl> {
    std::shared_ptr<Listener> listener;
    std::map<std::uint64_t, std::shared_ptr<Connection>> connections;
    std::uint64_t last_number = 0;
    bool full = false;
    asio::steady_timer pause;

    Impl(const Loop& on, std::shared_ptr<Listener> at, ServerOptions how, Handler by)
        : listener(std::move(at)), pause(on.context()->io) {
        loop = on;
        options = std::move(how);
        handler = std::move(by);
    }

    void start() {
        listener->on_wake([weak = weak_from_this()] {
            if (auto here = weak.lock()) here->accept_all(true);
        });
        accept_all(false);
    }

    void accept_soon() {
        loop.post([weak = weak_from_this()] {
            if (auto here = weak.lock()) here->accept_all(false);
        });
    }

    // one_waits: as far as known. An old connection is closed only if a new one waits.
    void accept_all(bool one_waits) {
        for (int accepted = 0; !stopping; ++accepted) {
            if (accepted == most_accepted) return accept_soon();
            if (connections.size() >= options.most_connections) {
                auto idle = longest_idle();
                full = idle == connections.end();
                if (full) return;
                if (!one_waits) break;
                connections.erase(idle);
            }
            one_waits = false;
            auto transport = listener->accept();
            if (!transport) break;
            auto one = std::make_shared<Connection>(*this, ++last_number, std::move(transport));
            connections.emplace(last_number, one);
            one->start();
        }
        if (stopping) return;
        if (!listener->exhausted()) return listener->await_events();
        pause.expires_after(exhausted_time);
        pause.async_wait([weak = weak_from_this()](error_code error) {
            auto here = weak.lock();
            if (here && !error) here->accept_all(false);
        });
    }

    std::map<std::uint64_t, std::shared_ptr<Connection>>::iterator longest_idle() {
        auto oldest = connections.end();
        for (auto one = connections.begin(); one != connections.end(); ++one)
            if (one->second->idle() &&
                (oldest == connections.end() || one->second->since() < oldest->second->since()))
                oldest = one;
        return oldest;
    }

    void became_idle() override {
        if (std::exchange(full, false)) accept_soon();
    }

    void gone(std::uint64_t number) override {
        connections.erase(number);
        if (std::exchange(full, false)) accept_soon();
    }

    void stop() {
        stopping = true;
        full = false;
        listener->on_wake(nullptr);
        pause.cancel();
        close_connections();
    }

    void close_connections() {
        for (auto& [number, one] : connections) one->close();
    }
};

base::Result<std::unique_ptr<Server>> Server::open(const Loop& loop, Address address, ServerOptions options,
                                                   Handler handler) {
    address.listen = true;
    if (address.kind == AddressKind::stdio) address.kind = AddressKind::tcp;
    if (address.host.empty()) address.host = "127.0.0.1";
    auto listener = Listener::open(loop, address);
    if (!listener) return base::Fault{listener.error()};
    return std::make_unique<Server>(loop, std::move(*listener), std::move(options), std::move(handler));
}

Server::Server(const Loop& loop, std::shared_ptr<Listener> listener, ServerOptions options, Handler handler)
    : impl_(std::make_shared<Impl>(loop, std::move(listener), std::move(options), std::move(handler))) {
    impl_->start();
}

Server::~Server() {
    if (!impl_->stopping) impl_->listener->on_wake(nullptr);
}

const Address& Server::address() const {
    return impl_->listener->address();
}

std::size_t Server::connections() const {
    return impl_->connections.size();
}

std::size_t Server::unsent() const {
    std::size_t all = 0;
    for (const auto& [number, one] : impl_->connections) all += one->unsent();
    return all;
}

void Server::close_connections() {
    impl_->close_connections();
}

void Server::stop() {
    impl_->stop();
}

void Server::run(const base::Deadline& deadline, std::chrono::milliseconds grace) {
    while (!deadline.passed()) impl_->loop.wait(Clock::now() + step_time);
    stop();
    for (Time until = Clock::now() + grace; connections() > 0 && Clock::now() < until;)
        impl_->loop.wait(until);
    for (const auto& [number, one] : std::exchange(impl_->connections, {})) one->leave();
}

}  // namespace treaty::net
