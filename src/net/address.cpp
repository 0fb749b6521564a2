#include "net/address.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace treaty::net {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

base::Result<void> take_host_and_port(std::string_view text, Address& address, unsigned least = 1) {
    std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return base::Fault{"expected HOST:PORT"};
    std::string_view host = text.substr(0, colon), port = text.substr(colon + 1);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    address.host = host;
    unsigned number = 0;
    auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size() || number < least || number > 65535)
        return base::Fault{fmt::format("`{}` is not a port number", port)};
    address.port = static_cast<std::uint16_t>(number);
    return {};
}

// The options after the question mark of an encrypted address.
base::Result<void> take_files(std::string_view text, Address& address) {
    while (!text.empty()) {
        std::string_view one = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        if (take_prefix(one, "ca="))
            address.ca = one;
        else if (take_prefix(one, "cert="))
            address.certificate = one;
        else if (take_prefix(one, "key="))
            address.key = one;
        else
            return base::Fault{fmt::format("unknown option `{}`; known: ca=FILE, cert=FILE, key=FILE", one)};
    }
    if (address.certificate.empty() == address.key.empty()) return {};
    return base::Fault{"cert=FILE and key=FILE must be given together"};
}

base::Result<Address> unix_address(std::string_view path, bool listen) {
    Address address;
    address.kind = AddressKind::unix_socket;
    address.listen = listen;
    address.path = path;
    if (!path.empty() && path.size() < 100) return address;
    return base::Fault{"the path of a Unix socket must have 1 to 99 bytes"};
}

// What follows "pty:".
base::Result<Address> terminal_address(std::string_view text) {
    constexpr std::uint32_t most = 10'000'000;
    Address address;
    address.kind = AddressKind::pty;
    if (text.empty()) return address;
    if (take_prefix(text, "?baud=")) {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address.baud);
        if (error == std::errc() && end == text.data() + text.size() && address.baud >= 50 &&
            address.baud <= most)
            return address;
    }
    return base::Fault{fmt::format("a pseudo-terminal is pty: or pty:?baud=N, with N from 50 to {}", most)};
}

struct Scheme {
    std::string_view name;
    AddressKind kind;
    bool encrypted;
    Layer layer;
};
constexpr std::array schemes{
    Scheme{"tcp", AddressKind::tcp, false, Layer::none},
    Scheme{"tls", AddressKind::tcp, true, Layer::none},
    Scheme{"udp", AddressKind::udp, false, Layer::none},
    Scheme{"ws", AddressKind::tcp, false, Layer::websocket},
    Scheme{"wss", AddressKind::tcp, true, Layer::websocket},
    Scheme{"http", AddressKind::tcp, false, Layer::http},
    Scheme{"https", AddressKind::tcp, true, Layer::http},
};

}  // namespace

base::Result<Address> parse_address(std::string_view text) {
    if (text == "stdio" || text == "stdio:") return Address{};
    if (take_prefix(text, "pty:")) return terminal_address(text);
    if (take_prefix(text, "unix-listen:")) return unix_address(text, true);
    if (take_prefix(text, "unix:")) return unix_address(text, false);
    std::size_t colon = text.find("://");
    std::string_view word = text.substr(0, colon == std::string_view::npos ? 0 : colon);
    bool listen = word.ends_with("-listen");
    if (listen) word.remove_suffix(7);
    const Scheme* scheme =
        std::find_if(schemes.begin(), schemes.end(), [&](const Scheme& s) { return s.name == word; });
    if (scheme == schemes.end())
        return base::Fault{
            "an address must begin with tcp://, tls://, udp://, ws://, wss://, http://, https:// or unix:, "
            "each also with -listen, or be stdio: or pty:"};
    Address address;
    address.kind = scheme->kind;
    address.listen = listen;
    address.encrypted = scheme->encrypted;
    address.layer = scheme->layer;
    text.remove_prefix(colon + 3);
    if (scheme->encrypted) {
        std::size_t question = text.find('?');
        if (question != std::string_view::npos)
            if (auto taken = take_files(text.substr(question + 1), address); !taken)
                return base::Fault{taken.error()};
        text = text.substr(0, question);
    }
    std::size_t slash = text.find('/');
    address.path = slash == std::string_view::npos ? "/" : text.substr(slash);
    if (scheme->layer == Layer::none && address.path != "/")
        return base::Fault{"only WebSocket and HTTP addresses have a path"};
    if (auto taken = take_host_and_port(text.substr(0, slash), address); !taken)
        return base::Fault{taken.error()};
    return address;
}

base::Result<Address> parse_host_and_port(std::string_view text, bool listen) {
    Address address;
    address.kind = AddressKind::tcp;
    address.listen = listen;
    if (take_host_and_port(text, address, listen ? 0 : 1)) return address;
    return base::Fault{fmt::format("{} is not HOST:PORT", text)};
}

std::string host_and_port(const Address& address) {
    bool bare = address.host.find(':') == std::string::npos;
    return fmt::format("{}{}{}:{}", bare ? "" : "[", address.host, bare ? "" : "]", address.port);
}

}  // namespace treaty::net
