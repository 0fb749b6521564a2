#include "net/address.h"

#include <gtest/gtest.h>

namespace treaty::net {
namespace {

TEST(Address, IsRead) {
    std::string fault;
    EXPECT_EQ(parse_address("tcp://127.0.0.1:80", fault)->port, 80);
    EXPECT_TRUE(parse_address("unix-listen:a.sock", fault)->listen);
    EXPECT_EQ(parse_address("wss-listen://[::1]:9/chat", fault)->path, "/chat");
    EXPECT_EQ(parse_address("wss-listen://[::1]:9/chat", fault)->host, "::1");
    EXPECT_EQ(parse_address("https://a:1?ca=f", fault)->ca, "f");
    EXPECT_EQ(parse_address("stdio:", fault)->kind, AddressKind::stdio);
    for (const char* wrong : {"", "tcp://", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://a:x", "unix:",
                              "http://a", "tcp://a:1/x", "tls://a:1?cert=c", "tls://a:1?x=y", "ftp://a:1"}) {
        fault.clear();
        EXPECT_FALSE(parse_address(wrong, fault)) << wrong;
        EXPECT_NE(fault, "") << wrong;
    }
}

}  // namespace
}  // namespace treaty::net
