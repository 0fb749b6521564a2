// What carries messages between the tester and the component: a socket, its standard input and output, a
// WebSocket.
//
// Nothing here blocks. What cannot be sent at once is kept (up to a limit) and sent by flush(). Most
// transports are a stream: bytes come in any pieces. Some carry whole messages: then each send() is one of
// them and each piece received is one. A transport that has to be opened by an exchange of its own (TLS,
// WebSocket, a connection that is not established yet) does that within receive() and flush(); what is sent
// before is kept until it is open, and the call that opens it gives nothing yet.
//
// Waiting is the loop's (loop.h) on which it was opened: await_events() states for what, once for each wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/loop.h"

namespace treaty::net {

class Transport {
public:
    static constexpr std::size_t most_unsent = std::size_t{64} << 20;

    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // False if the other side is gone, or does not read what is sent to it.
    virtual bool send(std::string_view bytes) = 0;
    // What has come, if anything; valid until the next call. After the last piece closed() is true.
    virtual std::optional<std::string_view> receive() = 0;
    virtual void finish() = 0;        // nothing more will be sent
    virtual bool closed() const = 0;  // nothing more will come
    // Whether the other side can tell that finish() was called, and can be seen to close in its turn.
    virtual bool has_end() const { return true; }
    virtual bool flush() = 0;  // sends what was kept; false as for send()
    virtual std::size_t unsent()
        const = 0;  // how much is kept and can be sent as soon as the other side reads
    bool pending() const { return unsent() > 0; }
    // How much the other side has not read yet, as far as that is known: at least what is kept here.
    virtual std::size_t unread() const { return unsent(); }
    // Why a message of this size cannot be sent now, through no fault of the other side; empty if it can.
    virtual std::string obstacle(std::size_t bytes) const {
        return bytes <= most_unsent ? "" : "it is longer than 64 MB";
    }
    virtual bool opening() const { return false; }
    virtual bool whole_messages() const { return false; }
    // For transports where every question must get an answer (HTTP): whether one is open, to answer all
    // that are with nothing, and to say of the one that was received last that it is not taken.
    virtual bool owes() const { return false; }
    virtual void answer_open_requests() {}
    virtual void refuse(std::string_view) {}
    // What the other side did against the rules of the transport itself; empty if nothing.
    virtual std::string fault() const { return {}; }
    // Whether that is only that it was closed in the middle of something.
    virtual bool broken_off() const { return false; }
    // Ended by a fault of the connection (a reset), not because the other side closed it.
    virtual bool broken() const { return false; }
    // It was reset, and as far as can be told because the other side closed it before it had read everything.
    virtual bool reset_unread() const { return false; }
    // It was to be connected, and the other side was not there.
    virtual bool refused() const { return false; }

    // Makes the next wait of the loop end when something can be received, unless that is not wanted now, when
    // what is kept can be sent, or when the connection breaks.
    enum class Await : std::uint8_t { all, all_but_input };
    virtual void await_events(Await what = Await::all) = 0;
    // Called inside the loop's wait() for each of these events. Nothing: only the wait ends.
    virtual void on_wake(Wake) {}
    // While input is not awaited: the other side is gone in both directions.
    virtual bool hung_up() const { return false; }
};

// Like receive(), but looks again at one that was opened just now: what opened it may have come with more,
// and nothing else need come to tell so.
std::optional<std::string_view> receive_also_opened(Transport& transport);

}  // namespace treaty::net
