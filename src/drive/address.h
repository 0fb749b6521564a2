// Where the component under test is reached, as the user writes it after --via.
//
//   tcp://HOST:PORT          the component listens, the tester connects
//   tcp-listen://HOST:PORT   the tester listens, the component connects
//   unix:PATH, unix-listen:PATH
//   stdio:                   the component's standard input and output
//
// {port} stands for a free port and {tmp} for a folder of the session's own, here and in the command.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace treaty::drive {

enum class AddressKind : std::uint8_t { tcp, unix_socket, stdio };

struct Address {
    AddressKind kind = AddressKind::stdio;
    bool listen = false;  // the tester listens
    std::string host;
    std::uint16_t port = 0;
    std::string path;
};

// Gives nothing, and the reason in `fault`, for what is no address.
std::optional<Address> parse_address(std::string_view text, std::string& fault);

// Replaces {name} by its value; an unknown name stays as it is.
std::string expand(std::string_view text, const std::map<std::string, std::string>& values);

// A port of the loopback interface that nobody uses just now; 0 if there is none.
std::uint16_t free_port();

}  // namespace treaty::drive
