#include "net/transport.h"

namespace treaty::net {

std::optional<std::string_view> receive_also_opened(Transport& transport) {
    bool opening = transport.opening();
    auto came = transport.receive();
    return came || !opening || transport.opening() ? came : transport.receive();
}

}  // namespace treaty::net
