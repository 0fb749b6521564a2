#include "net/address.h"

#include <gtest/gtest.h>

namespace treaty::net {
namespace {

TEST(Address, IsRead) {
    EXPECT_EQ(parse_address("tcp://127.0.0.1:80")->port, 80);
    EXPECT_TRUE(parse_address("unix-listen:a.sock")->listen);
    EXPECT_EQ(parse_address("wss-listen://[::1]:9/chat")->path, "/chat");
    EXPECT_EQ(parse_address("wss-listen://[::1]:9/chat")->host, "::1");
    EXPECT_EQ(parse_address("https://a:1?ca=f")->ca, "f");
    EXPECT_EQ(parse_address("stdio:")->kind, AddressKind::stdio);
    EXPECT_EQ(parse_address("pty:")->kind, AddressKind::pty);
    EXPECT_EQ(parse_address("pty:?baud=9600")->baud, 9600u);
    for (const char* wrong :
         {"", "tcp://", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://a:x", "unix:", "http://a",
          "tcp://a:1/x", "tls://a:1?cert=c", "tls://a:1?x=y", "ftp://a:1", "pty:?baud=", "pty:?baud=1",
          "pty:?baud=9600x", "pty:/dev/tty", "pty:?speed=1"}) {
        auto read = parse_address(wrong);
        ASSERT_FALSE(read) << wrong;
        EXPECT_NE(read.error(), "") << wrong;
    }
}

}  // namespace
}  // namespace treaty::net
