#include "net/datagram.h"

namespace treaty::net {

Datagrams::Datagrams(std::shared_ptr<Waitable<DatagramSocket>> socket, bool listens)
    : socket_(std::move(socket)), listens_(listens) {}

Datagrams::~Datagrams() {
    error_code ignored;
    socket_->io.close(ignored);
}

bool Datagrams::send(std::string_view bytes) {
    if (bytes.size() > longest_sent || unsent_.size() >= most_kept) return false;
    unsent_.emplace_back(bytes);
    return flush();
}

bool Datagrams::flush() {
    while (!unsent_.empty() && (!listens_ || peer_)) {
        error_code error;
        if (listens_)
            socket_->io.send_to(asio::buffer(unsent_.front()), *peer_, 0, error);
        else
            socket_->io.send(asio::buffer(unsent_.front()), 0, error);
        if (error == asio::error::connection_refused) continue;  // the refusal is of an earlier one
        if (error == asio::error::would_block) break;
        if (error) return false;
        unsent_.pop_front();
    }
    return true;
}

std::optional<std::string_view> Datagrams::receive() {
    buffer_.resize(longest);
    error_code error;
    DatagramEndpoint from;
    std::size_t size = listens_ ? socket_->io.receive_from(asio::buffer(buffer_), from, 0, error)
                                : socket_->io.receive(asio::buffer(buffer_), 0, error);
    if (error) {
        closed_ = error != asio::error::would_block && error != asio::error::connection_refused;
        return std::nullopt;
    }
    if (listens_) peer_ = from;
    return std::string_view(buffer_).substr(0, size);
}

void Datagrams::await_events(Await what) {
    if (what == Await::all && !closed_) Waitable<DatagramSocket>::wait(socket_, asio::socket_base::wait_read);
    if (pending()) Waitable<DatagramSocket>::wait(socket_, asio::socket_base::wait_write);
}

}  // namespace treaty::net
