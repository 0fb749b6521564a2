// Lines to and from a program: one that is started, by its standard input and output, or one that listens on
// TCP or on a Unix socket.
//
// open() starts or connects anew; close() ends what was started. Every wait has a time limit. A line longer
// than max_line counts as nonsense. Nothing throws; what the world does is returned.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace treaty::complete {

// "tcp://host:port", "unix:path", or a command for the shell.
struct Address {
    std::string command;
    std::string host, port;  // instead of a command
    std::string path;        // instead of both
};
// Nothing if it begins like an address and is none.
std::optional<Address> parse_address(const std::string& text);

class LineChannel {
public:
    static constexpr std::size_t max_line = 65536;
    enum class Got : std::uint8_t { line, silence, closed, too_long };

    explicit LineChannel(Address address) : address_(std::move(address)) {}
    ~LineChannel() { close(); }
    LineChannel(const LineChannel&) = delete;
    LineChannel& operator=(const LineChannel&) = delete;

    std::optional<std::string> open(std::chrono::milliseconds patience);  // why it failed
    bool is_open() const { return in_ >= 0; }
    void close();
    bool write(std::string_view line);  // false: nobody reads
    Got read(std::string& line, std::chrono::milliseconds patience);
    // How the program ended, if it has: "it exited with 3". Waits for it a moment.
    std::string ending();

private:
    std::optional<std::string> start();
    std::optional<std::string> connect(std::chrono::milliseconds patience);
    std::optional<std::string> connect_unix(std::chrono::milliseconds patience);
    // Uses the socket if it gets a connection in time, else closes it; the error otherwise, 0 if there is
    // none.
    int settle(int socket, int error, std::chrono::steady_clock::time_point end);

    Address address_;
    int in_ = -1, out_ = -1;
    pid_t child_ = -1;
    std::string buffer_;
};

}  // namespace treaty::complete
