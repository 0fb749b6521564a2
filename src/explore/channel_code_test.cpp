#include "explore/channel_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace treaty::explore {
namespace {

TEST(ChannelCode, counts_contents) {
    EXPECT_EQ(make_channel_code(2, 3, false)->size(), 15u);
    EXPECT_EQ(make_channel_code(1, 5, false)->size(), 6u);
    EXPECT_EQ(make_channel_code(3, 2, true)->size(), 10u);  // five over two
    EXPECT_EQ(make_channel_code(0, 4, false)->size(), 1u);
    EXPECT_EQ(make_channel_code(4, 0, false)->size(), 1u);
    EXPECT_FALSE(make_channel_code(2, 20, false));
    EXPECT_FALSE(make_channel_code(5000, 1, true));
}

TEST(ChannelCode, pushes_and_takes_like_a_queue_or_a_bag) {
    for (bool bag : {false, true})
        for (std::uint32_t symbols = 1; symbols <= 3; ++symbols)
            for (std::uint32_t capacity = 0; capacity <= 4; ++capacity) {
                auto code = make_channel_code(symbols, capacity, bag);
                ASSERT_TRUE(code);
                EXPECT_TRUE(code->contents[0].empty());
                std::set<std::vector<std::uint32_t>> distinct(code->contents.begin(), code->contents.end());
                EXPECT_EQ(distinct.size(), code->size());
                for (std::uint32_t c = 0; c < code->size(); ++c)
                    for (std::uint32_t s = 0; s < symbols; ++s) {
                        auto content = code->contents[c];
                        auto more = content;
                        more.push_back(s);
                        if (bag) std::sort(more.begin(), more.end());
                        std::uint32_t pushed = code->push(c, s);
                        ASSERT_EQ(pushed != ChannelCode::none, content.size() < capacity);
                        if (pushed != ChannelCode::none) {
                            EXPECT_EQ(code->contents[pushed], more);
                        }
                        auto at = std::find(content.begin(), content.end(), s);
                        bool possible = bag ? at != content.end() : at == content.begin() && !content.empty();
                        std::uint32_t taken = code->take(c, s);
                        ASSERT_EQ(taken != ChannelCode::none, possible);
                        if (!possible) continue;
                        content.erase(at);
                        EXPECT_EQ(code->contents[taken], content);
                    }
            }
}

}  // namespace
}  // namespace treaty::explore
