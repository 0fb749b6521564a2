#include "net/datagram.h"

#include <cerrno>

namespace treaty::net {

bool Datagrams::send(std::string_view bytes) {
    if (bytes.size() > longest_sent || unsent_.size() >= most_kept) return false;
    unsent_.emplace_back(bytes);
    return flush();
}

bool Datagrams::flush() {
    while (!unsent_.empty() && (!listens_ || peer_size_ > 0)) {
        const auto* to = listens_ ? reinterpret_cast<const sockaddr*>(&peer_) : nullptr;
        const std::string& one = unsent_.front();
        ssize_t n =
            sendto(socket_.get(), one.data(), one.size(), MSG_NOSIGNAL, to, listens_ ? peer_size_ : 0);
        if (n < 0 && (errno == EINTR || errno == ECONNREFUSED)) continue;  // the refusal is of an earlier one
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n < 0) return false;
        unsent_.pop_front();
    }
    return true;
}

std::optional<std::string_view> Datagrams::receive() {
    buffer_.resize(longest);
    for (;;) {
        socklen_t size = sizeof peer_;
        auto* from = listens_ ? reinterpret_cast<sockaddr*>(&peer_) : nullptr;
        ssize_t n = recvfrom(socket_.get(), buffer_.data(), longest, 0, from, listens_ ? &size : nullptr);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ECONNREFUSED)) return std::nullopt;
        if (n < 0) {
            closed_ = true;
            return std::nullopt;
        }
        if (listens_) peer_size_ = size;
        return std::string_view(buffer_).substr(0, static_cast<std::size_t>(n));
    }
}

}  // namespace treaty::net
