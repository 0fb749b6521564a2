#include "explore/channel_code.h"

#include <algorithm>
#include <map>

namespace treaty::explore {
namespace {

using Content = std::vector<std::uint32_t>;

// All contents by length and then in order; none if there are too many.
std::optional<std::vector<Content>> enumerate(std::uint32_t symbols, std::uint32_t capacity, bool bag) {
    std::vector<Content> all{{}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].size() == capacity) continue;
        for (std::uint32_t s = bag && !all[i].empty() ? all[i].back() : 0; s < symbols; ++s) {
            if (all.size() == ChannelCode::most) return std::nullopt;
            all.push_back(all[i]);
            all.back().push_back(s);
        }
    }
    return all;
}

}  // namespace

std::optional<ChannelCode> make_channel_code(std::uint32_t symbols, std::uint32_t capacity, bool bag) {
    auto contents = enumerate(symbols, capacity, bag);
    if (!contents) return std::nullopt;
    ChannelCode code;
    code.symbols = symbols;
    code.contents = std::move(*contents);
    std::map<Content, std::uint32_t> number;
    for (std::uint32_t i = 0; i < code.size(); ++i) number.emplace(code.contents[i], i);
    auto find = [&](const Content& c) {
        auto known = number.find(c);
        return known == number.end() ? ChannelCode::none : known->second;
    };
    for (const Content& content : code.contents)
        for (std::uint32_t s = 0; s < symbols; ++s) {
            Content more = content;
            more.insert(bag ? std::upper_bound(more.begin(), more.end(), s) : more.end(), s);
            code.push_table.push_back(find(more));
            auto at = std::find(content.begin(), content.end(), s);
            bool possible = bag ? at != content.end() : !content.empty() && content.front() == s;
            Content less = content;
            if (possible) less.erase(less.begin() + (at - content.begin()));
            code.take_table.push_back(possible ? find(less) : ChannelCode::none);
        }
    return code;
}

}  // namespace treaty::explore
