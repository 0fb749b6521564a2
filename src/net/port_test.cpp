#include "net/port.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

#include "net/open.h"

namespace treaty::net {
namespace {

TEST(Port, IsOutsideOfWhatTheKernelGivesAway) {
    EXPECT_EQ(ports_beside({32'768, 60'999}), (PortRange{10'000, 32'767}));
    EXPECT_EQ(ports_beside({1'024, 50'000}), (PortRange{50'001, 65'535}));
    EXPECT_EQ(ports_beside({1'024, 5'000}), (PortRange{10'000, 65'535}));
    EXPECT_EQ(ports_beside({1'024, 65'535}), (PortRange{10'000, 65'535}));
    EXPECT_EQ(ports_beside({10'500, 65'535}), (PortRange{10'000, 10'499}));
}

Address at(std::uint16_t port) {
    Address address;
    address.kind = AddressKind::tcp;
    address.host = "127.0.0.1";
    address.port = port;
    return address;
}

TEST(Port, BelongsToOneAtATimeAndCanBeListenedAt) {
    Loop loop;
    std::vector<ClaimedPort> claimed(200);
    std::set<std::uint16_t> numbers;
    for (const ClaimedPort& port : claimed) {
        EXPECT_NE(port.number(), 0);
        numbers.insert(port.number());
        EXPECT_TRUE(Listener::open(loop, at(port.number())));
    }
    EXPECT_EQ(numbers.size(), claimed.size());
}

TEST(Port, ATakenOneIsNotGivenAway) {
    std::optional<ClaimedPort> claimed(std::in_place);
    PortRange only{claimed->number(), claimed->number()};
    EXPECT_EQ(ClaimedPort(only).number(), 0) << "claimed";
    {
        auto listener = Listener::open(Loop(), at(only.first));
        ASSERT_TRUE(listener) << listener.error();
        claimed.reset();
        EXPECT_EQ(ClaimedPort(only).number(), 0) << "somebody listens";
    }
    EXPECT_EQ(ClaimedPort(only).number(), only.first) << "free again";
}

}  // namespace
}  // namespace treaty::net
