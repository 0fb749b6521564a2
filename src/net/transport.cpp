#include "net/transport.h"

namespace treaty::net {

void add_to(base::WaitSet& waiting, std::span<Transport* const> transports) {
    for (const Transport* one : transports) {
        if (!one->closed() && one->input() >= 0) waiting.add(one->input(), true);
        if (one->pending()) waiting.add(one->output(), false, true);
    }
}

std::optional<std::string_view> receive_also_opened(Transport& transport) {
    bool opening = transport.opening();
    auto came = transport.receive();
    return came || !opening || transport.opening() ? came : transport.receive();
}

}  // namespace treaty::net
