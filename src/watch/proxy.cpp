#include "watch/proxy.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace treaty::watch {

namespace {

struct Free {
    void operator()(SSL_CTX* c) const { SSL_CTX_free(c); }
    void operator()(SSL* s) const { SSL_free(s); }
    void operator()(addrinfo* a) const { freeaddrinfo(a); }
};
using Context = std::unique_ptr<SSL_CTX, Free>;
using Addresses = std::unique_ptr<addrinfo, Free>;

// Of HOST:PORT; brackets are no part of it.
std::string host_of(const std::string& address) {
    std::string host = address.substr(0, address.rfind(':'));
    if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    return host;
}

Addresses resolve(const std::string& address, bool listen, std::string& fault) {
    auto colon = address.rfind(':');
    if (colon == std::string::npos) {
        fault = fmt::format("{} is not HOST:PORT", address);
        return nullptr;
    }
    std::string host = host_of(address);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (listen ? AI_PASSIVE : 0);
    int error = getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &found);
    if (error != 0) fault = fmt::format("{}: {}", address, gai_strerror(error));
    return Addresses(found);
}

int listen_at(const std::string& address, std::string& fault) {
    Addresses found = resolve(address, true, fault);
    if (!found) return -1;
    int fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int yes = 1;
    if (fd >= 0) ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && ::bind(fd, found->ai_addr, found->ai_addrlen) == 0 && ::listen(fd, 256) == 0) return fd;
    fault = fmt::format("{}: {}", address, std::strerror(errno));
    if (fd >= 0) ::close(fd);
    return -1;
}

std::string address_of(int fd) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* address = reinterpret_cast<sockaddr*>(&storage);
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (::getsockname(fd, address, &size) != 0 ||
        getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) !=
            0)
        return "?";
    return std::strchr(host, ':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

// One end of a connection, with or without TLS.
class End {
public:
    End() = default;
    explicit End(int fd) : fd_(fd) {
        int yes = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    ~End() {
        ssl_.reset();
        if (fd_ >= 0) ::close(fd_);
    }
    End(const End&) = delete;
    End& operator=(const End&) = delete;

    void secure(SSL_CTX* context, bool server) {
        ssl_.reset(SSL_new(context));
        SSL_set_fd(ssl_.get(), fd_);
        server ? SSL_set_accept_state(ssl_.get()) : SSL_set_connect_state(ssl_.get());
    }

    // The other end must show a certificate for this host, where certificates are checked at all; a name is
    // also what it is asked for by. False if that cannot be demanded.
    bool expect(std::string host) {
        host = host.substr(0, host.find('%'));  // the zone of an address is nobody else's business
        in6_addr number{};
        if (inet_pton(AF_INET, host.c_str(), &number) == 1 || inet_pton(AF_INET6, host.c_str(), &number) == 1)
            return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str()) == 1;
        // SSL_set_tlsext_host_name, without its cast
        SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
        return SSL_set1_host(ssl_.get(), host.c_str()) == 1;
    }

    int fd() const { return fd_; }
    bool broken() const { return broken_; }
    bool read_over() const { return read_over_; }
    std::size_t unsent() const { return unsent_.size() - sent_; }
    void push(std::string_view bytes) { unsent_ += bytes; }
    void end_after_sending() { end_wanted_ = true; }

    short interest(bool reading) const {
        short wanted = 0;
        if (reading && !read_over_) wanted |= POLLIN;
        if (unsent() > 0 || wants_write_) wanted |= POLLOUT;
        // TLS has to shake hands before anything is sent; who connects begins.
        if (ssl_ && !SSL_is_init_finished(ssl_.get()))
            wanted |= SSL_is_server(ssl_.get()) || unsent() > 0 ? POLLIN : POLLOUT;
        return wanted;
    }

    // Bytes that are there now; 0 if none.
    std::size_t read(char* into, std::size_t most) {
        errno = 0;
        wants_write_ = false;
        ssize_t got = ssl_ ? SSL_read(ssl_.get(), into, static_cast<int>(most)) : ::recv(fd_, into, most, 0);
        if (got > 0) return static_cast<std::size_t>(got);
        if (ssl_) {
            int why = SSL_get_error(ssl_.get(), static_cast<int>(got));
            ERR_clear_error();
            wants_write_ = why == SSL_ERROR_WANT_WRITE;
            if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return 0;
            if (why == SSL_ERROR_ZERO_RETURN)
                read_over_ = true;
            else
                fail();
            return 0;
        }
        if (got == 0)
            read_over_ = true;
        else if (errno != EAGAIN && errno != EINTR)
            fail();
        return 0;
    }

    void flush() {
        while (unsent() > 0 && !ended_) {
            const char* from = unsent_.data() + sent_;
            ssize_t put = ssl_ ? SSL_write(ssl_.get(), from, static_cast<int>(unsent()))
                               : ::send(fd_, from, unsent(), MSG_NOSIGNAL);
            if (put > 0) {
                sent_ += static_cast<std::size_t>(put);
                continue;
            }
            if (ssl_) {
                int why = SSL_get_error(ssl_.get(), static_cast<int>(put));
                ERR_clear_error();
                if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) fail();
            } else if (errno != EAGAIN && errno != EINTR && errno != ENOTCONN) {
                fail();
            }
            return;
        }
        unsent_.clear();
        sent_ = 0;
        if (end_wanted_ && !ended_) {
            ended_ = true;
            if (ssl_) SSL_shutdown(ssl_.get());
            ::shutdown(fd_, SHUT_WR);
        }
    }
    bool all_sent() const { return ended_; }
    // The other side is gone: what it should still get is dropped.
    void leave() {
        read_over_ = ended_ = true;
        unsent_.clear();
        sent_ = 0;
    }
    void fail() {
        broken_ = true;
        leave();
    }

private:
    int fd_ = -1;
    std::unique_ptr<SSL, Free> ssl_;
    std::string unsent_;
    std::size_t sent_ = 0;
    bool read_over_ = false, broken_ = false, wants_write_ = false, end_wanted_ = false, ended_ = false;
};

struct Pair {
    std::size_t link = 0;
    std::uint64_t number = 0;
    std::unique_ptr<End> client, service;
    bool held[2] = {false, false};
    bool over() const { return client->all_sent() && service->all_sent(); }
};

}  // namespace

struct Proxy::Impl {
    ProxyOptions options;
    std::FILE* out = nullptr;
    Context towards_clients, towards_targets;
    std::vector<int> listeners;
    std::vector<Pair> pairs;
    ProxyCounts counts;
    bool failed = false;
    std::string buffer = std::string(std::size_t{1} << 16, '\0');
    std::string line;

    ~Impl() {
        for (int fd : listeners) ::close(fd);
    }

    bool prepare(std::string& fault) {
        if (!options.certificate.empty()) {
            towards_clients.reset(SSL_CTX_new(TLS_server_method()));
            SSL_CTX* c = towards_clients.get();
            if (!c || SSL_CTX_use_certificate_chain_file(c, options.certificate.c_str()) != 1 ||
                SSL_CTX_use_PrivateKey_file(c, options.key.c_str(), SSL_FILETYPE_PEM) != 1) {
                fault = fmt::format("{}, {}: no certificate with its key", options.certificate, options.key);
                ERR_clear_error();
                return false;
            }
            set_modes(c);
        }
        if (options.tls_to) {
            towards_targets.reset(SSL_CTX_new(TLS_client_method()));
            SSL_CTX* c = towards_targets.get();
            if (!options.authority.empty()) {
                if (SSL_CTX_load_verify_locations(c, options.authority.c_str(), nullptr) != 1) {
                    fault = fmt::format("{}: no certificates", options.authority);
                    ERR_clear_error();
                    return false;
                }
                SSL_CTX_set_verify(c, SSL_VERIFY_PEER, nullptr);
            }
            set_modes(c);
        }
        for (const Link& link : options.links) {
            int fd = listen_at(link.listen, fault);
            if (fd < 0) return false;
            listeners.push_back(fd);
            if (!resolve(link.to, false, fault)) return false;
        }
        return true;
    }

    static void set_modes(SSL_CTX* c) {
        SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        // Peers that end without saying so are common; what came before counts.
        SSL_CTX_set_options(c, SSL_OP_IGNORE_UNEXPECTED_EOF);
    }

    void accept(std::size_t link) {
        int fd = ::accept4(listeners[link], nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        auto client = std::make_unique<End>(fd);
        std::string fault;
        Addresses target = resolve(options.links[link].to, false, fault);
        int to = target ? ::socket(target->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
        if (to < 0) {
            ++counts.refused;
            return;
        }
        auto service = std::make_unique<End>(to);
        if (::connect(to, target->ai_addr, target->ai_addrlen) != 0 && errno != EINPROGRESS) {
            ++counts.refused;
            return;
        }
        if (towards_clients) client->secure(towards_clients.get(), true);
        if (towards_targets) {
            service->secure(towards_targets.get(), false);
            if (!service->expect(host_of(options.links[link].to))) {
                ++counts.refused;
                ERR_clear_error();
                return;
            }
        }
        pairs.push_back({link, ++counts.connections, std::move(client), std::move(service)});
    }

    void record(const Pair& pair, bool from_client, std::string_view bytes) {
        const Link& link = options.links[pair.link];
        auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
        line = fmt::format(
            R"({{"time": {}.{:06}, "from": "{}", "to": "{}", "dir": "->", "connection": "{}", "raw": ")",
            now / 1'000'000, now % 1'000'000, from_client ? link.client : link.service,
            from_client ? link.service : link.client, pair.number);
        static constexpr char digits[] = "0123456789abcdef";
        for (char c : bytes) {
            auto byte = static_cast<unsigned char>(c);
            line += digits[byte >> 4];
            line += digits[byte & 15];
        }
        line += "\"}\n";
        if (std::fwrite(line.data(), 1, line.size(), out) != line.size() || std::fflush(out) != 0)
            failed = true;
        ++counts.records;
        counts.bytes += bytes.size();
    }

    void pump(Pair& pair, bool from_client, short events) {
        End& from = from_client ? *pair.client : *pair.service;
        End& to = from_client ? *pair.service : *pair.client;
        if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && !from.read_over()) {
            while (to.unsent() < most_unsent) {
                std::size_t got = from.read(buffer.data(), buffer.size());
                if (got == 0) break;
                record(pair, from_client, {buffer.data(), got});
                to.push({buffer.data(), got});
            }
        }
        if (from.read_over()) to.end_after_sending();
        to.flush();
    }
};

Proxy::Proxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Proxy::~Proxy() = default;

std::unique_ptr<Proxy> Proxy::make(const ProxyOptions& options, std::FILE* out, std::string& fault) {
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    impl->out = out;
    if (!impl->prepare(fault)) return nullptr;
    return std::unique_ptr<Proxy>(new Proxy(std::move(impl)));
}

std::vector<std::string> Proxy::addresses() const {
    std::vector<std::string> result;
    for (int fd : impl_->listeners) result.push_back(address_of(fd));
    return result;
}

void Proxy::step(int timeout_ms) {
    std::vector<pollfd> fds;
    for (int fd : impl_->listeners) fds.push_back({fd, POLLIN, 0});
    for (Pair& pair : impl_->pairs) {
        for (bool client : {true, false}) {
            End& mine = client ? *pair.client : *pair.service;
            End& other = client ? *pair.service : *pair.client;
            bool room = other.unsent() < most_unsent;
            bool& held = pair.held[client ? 0 : 1];
            impl_->counts.held += !room && !held;
            held = !room;
            // One that is over would wake us up again and again.
            bool over = mine.read_over() && mine.all_sent();
            fds.push_back({over ? -1 : mine.fd(), mine.interest(room), 0});
        }
    }
    if (::poll(fds.data(), fds.size(), timeout_ms) <= 0) return;
    std::size_t links = impl_->listeners.size();
    for (std::size_t i = 0; i < impl_->pairs.size(); ++i) {
        Pair& pair = impl_->pairs[i];
        short client = fds[links + 2 * i].revents, service = fds[links + 2 * i + 1].revents;
        if ((client & POLLOUT) != 0) pair.client->flush();
        if ((service & POLLOUT) != 0) pair.service->flush();
        for (auto [end, events] : {std::pair{pair.client.get(), client}, {pair.service.get(), service}}) {
            if ((events & POLLIN) != 0 || (events & (POLLERR | POLLHUP)) == 0) continue;
            end->read_over() ? end->leave() : end->fail();
        }
        impl_->pump(pair, true, client);
        impl_->pump(pair, false, service);
    }
    std::erase_if(impl_->pairs, [&](const Pair& pair) {
        bool over = pair.over();
        impl_->counts.broken += over && (pair.client->broken() || pair.service->broken());
        return over;
    });
    for (std::size_t i = 0; i < links; ++i)
        if ((fds[i].revents & POLLIN) != 0) impl_->accept(i);
}

std::size_t Proxy::live() const {
    return impl_->pairs.size();
}

const ProxyCounts& Proxy::counts() const {
    return impl_->counts;
}

bool Proxy::record_failed() const {
    return impl_->failed;
}

}  // namespace treaty::watch
