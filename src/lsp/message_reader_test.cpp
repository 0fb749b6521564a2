#include "lsp/message_reader.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace treaty::lsp {
namespace {

std::string framed(std::string_view content) {
    return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

std::vector<Incoming> all_of(MessageReader& reader) {
    std::vector<Incoming> result;
    while (auto one = reader.next()) result.push_back(std::move(*one));
    return result;
}

std::vector<Incoming> all_of(std::string_view bytes) {
    MessageReader reader;
    reader.feed(bytes);
    return all_of(reader);
}

TEST(MessageReader, ReadsMessagesInPiecesOfAnySize) {
    std::string bytes = framed(R"({"a":1})") + "content-type: x\r\nCONTENT-LENGTH:  7 \r\n\r\n{\"b\":2}" +
                        framed(R"({"c":"é"})");
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        MessageReader reader;
        std::vector<Incoming> found;
        for (std::size_t at = 0; at < bytes.size(); at += size) {
            reader.feed(std::string_view(bytes).substr(at, size));
            for (Incoming& one : all_of(reader)) found.push_back(std::move(one));
        }
        ASSERT_EQ(found.size(), 3u) << size;
        EXPECT_EQ(found[0].message, Json({{"a", 1}}));
        EXPECT_EQ(found[1].message, Json({{"b", 2}}));
        EXPECT_EQ(found[2].message, Json({{"c", "é"}}));
    }
}

TEST(MessageReader, AHeaderWithoutALengthIsAFaultAndReadingContinues) {
    for (std::string_view header :
         {"Content-Type: x\r\n\r\n", "Content-Length: \r\n\r\n", "Content-Length: -3\r\n\r\n",
          "Content-Length: 7x\r\n\r\n", "Content-Length: 99999999999999999999999\r\n\r\n", "\r\n\r\n"}) {
        auto found = all_of(std::string(header) + R"({"lost":0})" + framed(R"({"a":1})"));
        ASSERT_EQ(found.size(), 2u) << header;
        EXPECT_EQ(found[0].fault, parse_error);
        EXPECT_EQ(found[1].message, Json({{"a", 1}}));
    }
}

TEST(MessageReader, AnEndlessHeaderIsAFault) {
    auto found = all_of(std::string(3 * MessageReader::max_header, 'x') + framed(R"({"a":1})"));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].fault, parse_error);
    EXPECT_EQ(found[1].message, Json({{"a", 1}}));
}

TEST(MessageReader, AMessageThatIsTooLongIsPassedOver) {
    MessageReader reader;
    std::size_t length = std::size_t{1} << 30;
    reader.feed(fmt::format("Content-Length: {}\r\n\r\n", length));
    auto found = all_of(reader);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].fault, invalid_request);
    std::string piece(1 << 20, '{');
    for (std::size_t sent = 0; sent < length; sent += piece.size()) reader.feed(piece);
    EXPECT_TRUE(all_of(reader).empty());
    reader.feed(framed(R"({"a":1})"));
    found = all_of(reader);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].message, Json({{"a", 1}}));
}

TEST(MessageReader, ContentThatIsNotAnObjectIsAFault) {
    EXPECT_EQ(all_of(framed("{")).at(0).fault, parse_error);
    EXPECT_EQ(all_of(framed("")).at(0).fault, parse_error);
    EXPECT_EQ(all_of(framed("{\"a\":\"\xff\"}")).at(0).fault, parse_error);
    EXPECT_EQ(all_of(framed("[1]")).at(0).fault, invalid_request);
    EXPECT_EQ(all_of(framed("3")).at(0).fault, invalid_request);
}

TEST(MessageReader, DeepNestingIsAFaultButBracketsInStringsAreNot) {
    std::string deep(MessageReader::max_depth + 1, '[');
    EXPECT_EQ(all_of(framed("{\"a\":" + deep)).at(0).fault, parse_error);
    EXPECT_EQ(all_of(framed("{\"a\":\"\\\"" + deep + "\"}")).at(0).fault, 0);
}

}  // namespace
}  // namespace treaty::lsp
