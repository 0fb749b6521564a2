// The list of notations.
#include "formats/notation.h"

#include <set>

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace treaty::formats::notation_test {
namespace {

TEST(Notations, EachHasWhatAListNeeds) {
    std::set<std::string_view> extensions;
    for (const Notation& notation : notations()) {
        SCOPED_TRACE(notation.title);
        EXPECT_FALSE(notation.extensions.empty());
        EXPECT_FALSE(notation.carries.empty());
        EXPECT_FALSE(notation.section.empty());
        EXPECT_TRUE(notation.is_read() || notation.is_written());
        EXPECT_EQ(notation.picture, !notation.is_read());
        if (!notation.recognises) {
            EXPECT_EQ(notation_of(fmt::format("x.{}", notation.extensions.front()), "")->title,
                      notation.title);
        }
        for (std::string_view extension : notation.extensions)
            EXPECT_TRUE(extensions.insert(extension).second || notation.recognises) << extension;
    }
    EXPECT_EQ(notations().front().extensions.front(), "treaty");
    EXPECT_EQ(find_notation("nothing"), nullptr);
    EXPECT_EQ(find_notation("NUSCR"), nullptr);
    EXPECT_NE(notation_of("x.NUSCR", ""), nullptr);
}

TEST(Notations, SharedExtensionsAreToldApartByTheText) {
    EXPECT_EQ(notation_of("a.json", "{\"treaty\": 1}")->title, "JSON");
    EXPECT_EQ(notation_of("a.json", "{\"info\": {\"openapi\": 1}}")->title, "JSON");
    EXPECT_EQ(notation_of("a.json", " {\"x\": [{}], \"openapi\" : \"3.0.0\"}")->section, "OpenAPI");
    EXPECT_EQ(notation_of("a.json", "{\"asyncapi\": \"3.0.0\"}")->section, "AsyncAPI");
    EXPECT_EQ(notation_of("a.yaml", "asyncapi: 2.6.0\n")->section, "AsyncAPI");
    EXPECT_EQ(notation_of("a.yml", "info: {}\n'openapi': 3.1.0\n")->section, "OpenAPI");
}

}  // namespace
}  // namespace treaty::formats::notation_test
