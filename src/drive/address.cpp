#include "drive/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

#include <fmt/format.h>

namespace treaty::drive {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<Address> host_and_port(std::string_view text, bool listen, std::string& fault) {
    Address address{AddressKind::tcp, listen, {}, 0, {}};
    std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        fault = "a TCP address is HOST:PORT";
        return std::nullopt;
    }
    address.host = text.substr(0, colon);
    std::string_view port = text.substr(colon + 1);
    unsigned number = 0;
    auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size() || number == 0 || number > 65535) {
        fault = fmt::format("`{}` is no port", port);
        return std::nullopt;
    }
    address.port = static_cast<std::uint16_t>(number);
    return address;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text, std::string& fault) {
    if (text == "stdio" || text == "stdio:") return Address{};
    if (take_prefix(text, "tcp://")) return host_and_port(text, false, fault);
    if (take_prefix(text, "tcp-listen://")) return host_and_port(text, true, fault);
    bool listen = take_prefix(text, "unix-listen:");
    if (listen || take_prefix(text, "unix:")) {
        if (!text.empty() && text.size() < 100) return Address{AddressKind::unix_socket, listen, {}, 0, std::string(text)};
        fault = "a path of a Unix socket has 1 to 99 bytes";
        return std::nullopt;
    }
    fault = "an address begins with tcp://, tcp-listen://, unix:, unix-listen: or is stdio:";
    return std::nullopt;
}

std::string expand(std::string_view text, const std::map<std::string, std::string>& values) {
    std::string out;
    while (!text.empty()) {
        std::size_t open = text.find('{');
        std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
        if (close == std::string_view::npos) break;
        out += text.substr(0, open);
        auto value = values.find(std::string(text.substr(open + 1, close - open - 1)));
        out += value == values.end() ? std::string(text.substr(open, close - open + 1)) : value->second;
        text.remove_prefix(close + 1);
    }
    return out += text;
}

std::uint16_t free_port() {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    auto* address = reinterpret_cast<sockaddr*>(&any);
    bool bound = bind(fd, address, size) == 0 && getsockname(fd, address, &size) == 0;
    close(fd);
    return bound ? ntohs(any.sin_port) : 0;
}

}  // namespace treaty::drive
