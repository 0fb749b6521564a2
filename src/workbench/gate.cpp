#include "workbench/gate.h"

#include <algorithm>
#include <array>

#include <sys/random.h>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hex.h"

namespace treaty::workbench {
namespace {

// Takes the same time wherever they differ.
bool equal(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
    return difference == 0;
}

net::Reply refused(unsigned status, std::string text) {
    net::Reply reply{.status = status, .body = std::move(text) + '\n', .fields = protective_fields({})};
    reply.fields.push_back({"Content-Type", "text/plain; charset=utf-8"});
    reply.close = true;
    return reply;
}

}  // namespace

std::string new_token() {
    std::array<char, 16> bytes;
    TREATY_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return base::to_hex({bytes.data(), bytes.size()});
}

Gate::Gate(std::string token, std::vector<std::string> hosts)
    : token_(std::move(token)), hosts_(std::move(hosts)) {}

std::optional<std::string> Gate::admit(const net::Request& request, net::Reply& refusal) const {
    if (std::find(hosts_.begin(), hosts_.end(), request.host()) == hosts_.end()) {
        refusal = refused(403, "this server is not known under that name");
        return std::nullopt;
    }
    if (!net::same_origin(request)) {
        refusal = refused(403, "pages of other servers are not served");
        return std::nullopt;
    }
    if (request.method != "GET") {
        refusal = refused(405, "only GET is understood");
        return std::nullopt;
    }
    std::string_view path = request.path();
    std::string_view first = path.substr(std::min<std::size_t>(1, path.size()));
    std::size_t end = first.find('/');
    if (end == std::string_view::npos || !equal(first.substr(0, end), token_)) {
        refusal = refused(403, "Open the address that `treaty serve` has printed: it contains a token.");
        return std::nullopt;
    }
    return std::string(first.substr(end + 1));
}

std::vector<std::string> names_of(const net::Address& address) {
    std::vector<std::string> names{net::host_and_port(address)};
    for (std::string_view name : {"127.0.0.1", "localhost", "[::1]"})
        names.push_back(fmt::format("{}:{}", name, address.port));
    return names;
}

bool is_loopback(std::string_view host) {
    return host.empty() || host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::vector<net::Field> protective_fields(std::string_view nonce) {
    std::string style = nonce.empty() ? "'self'" : fmt::format("'self' 'nonce-{}'", nonce);
    return {{"Content-Security-Policy",
             fmt::format("default-src 'none'; script-src 'self'; style-src {}; img-src 'self' data: blob:; "
                         "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                         style)},
            {"X-Content-Type-Options", "nosniff"},
            {"Referrer-Policy", "no-referrer"},
            {"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"Cache-Control", "no-store"}};
}

}  // namespace treaty::workbench
