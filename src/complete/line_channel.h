// Lines to and from a program: one that is started, by its standard input and output or at an address, or one
// that runs already. Addresses are those of net/address.h; what carries whole messages (a datagram, a
// WebSocket, the body of an HTTP request) carries a line each.
//
// open() starts or connects anew; close() ends what was started. Every wait has a time limit. A line longer
// than max_line counts as nonsense. Nothing throws; failures of the environment are returned.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "drive/stage.h"
#include "process/surroundings.h"

namespace treaty::complete {

// How a program under test is started, and where it is reached.
struct Place {
    std::string command;                      // for the shell; empty: it runs already
    std::string via;                          // an address, with placeholders
    bool calls = false;                       // it connects to the tester, not the tester to it
    bool bound = true;                        // a connection, or a program, is one conversation
    process::Surroundings surroundings = {};  // of the command
};

// Whether the text is meant as an address and not as a command: it begins with a scheme.
bool looks_like_address(std::string_view text);
// sut: an address, or a command; via: where the command is reached, empty for its standard streams. A
// fault if one of them is not an address.
base::Result<Place> parse_place(const std::string& sut, const std::string& via);

class LineChannel {
public:
    static constexpr std::size_t max_line = 65536;
    enum class ReadResult : std::uint8_t { line, silence, closed, too_long };

    explicit LineChannel(Place place);
    ~LineChannel() { close(); }
    LineChannel(const LineChannel&) = delete;
    LineChannel& operator=(const LineChannel&) = delete;

    const Place& place() const { return place_; }
    base::Result<void> open(std::chrono::milliseconds patience);
    bool is_open() const { return transport_ != nullptr; }
    void close();
    bool write(std::string_view line);  // false: the other side no longer reads
    ReadResult read(std::string& line, std::chrono::milliseconds patience);
    // How the program ended, if it has: "it exited with 3". Waits for it a moment.
    std::string ending();
    // The last line it wrote to its standard error; empty if there is none.
    std::string last_words() const;

private:
    bool take_line(std::string& line);
    bool fill();

    Place place_;
    std::unique_ptr<drive::Stage> stage_;
    std::unique_ptr<net::Transport> transport_;
    std::string buffer_;
};

}  // namespace treaty::complete
