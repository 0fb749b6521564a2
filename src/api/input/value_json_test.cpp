#include "api/input/value_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "api/input/inputs.h"
#include "api/input/value_input.h"

namespace treaty::api {
namespace {

TEST(ValueJson, TextsThatAreNotUtf8AreNeverAlike) {
    EXPECT_EQ(json_of_text("caf\xc3\xa9").dump(), "\"caf\xc3\xa9\"");
    EXPECT_EQ(json_of_text("\x9f").dump(), R"({"hex":"9f"})");
    for (std::string text : {"", "a", "\x9f", "\xff"}) EXPECT_EQ(text_of_json(json_of_text(text)), text);
    EXPECT_FALSE(text_of_json(3));
    EXPECT_FALSE(text_of_json({{"hex", "9"}}));
}

TEST(ValueJson, FieldsKeepTheirOrder) {
    expr::DatumFields fields{{"b", 1}, {"a", expr::DatumList{true, expr::Datum(), expr::Bytes{"\x01"}}}};
    EXPECT_EQ(json_of(fields).dump(), R"({"b":1,"a":[true,null,"01"]})");
}

// What is shown of a value can be typed again.
TEST(ValueJson, ReadingIsTheInverse) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", R"(
enum Colour { red, green }
record Point { x: int, y: optional<int> }
message m(n: int in 0..9, t: string, c: Colour, b: bytes, l: list<int>, p: Point)
protocol P(A, B) { A -> B: m(let n, let t, let c, let b, let l, let p) }
)");
    auto document = workspace.open("p.treaty");
    auto* s = document->loaded.get<model::Specification>();
    ASSERT_TRUE(s) << (document->diagnostics.all().empty() ? "" : document->diagnostics.all()[0].message);
    const auto& fields = s->messages.back().fields;
    const char* texts[] = {"7", "\"x y\"", "\"green\"", "\"00ff\"", "[1,-2]", R"({"x":1,"y":null})"};
    ASSERT_EQ(fields.size(), std::size(texts));
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto value = read_value(*s, fields[i].type, texts[i]);
        ASSERT_TRUE(value) << texts[i];
        EXPECT_EQ(json_of(*value, fields[i].type, *s->types, *s->names).dump(), texts[i]);
    }
    EXPECT_FALSE(read_value(*s, fields[0].type, "10"));
    EXPECT_TRUE(read_value(*s, fields[1].type, "bare words"));
    EXPECT_FALSE(read_value(*s, fields[2].type, "blue"));
    EXPECT_EQ(describe_type(*s, fields[2].type), "one of red, green");
}

}  // namespace
}  // namespace treaty::api
