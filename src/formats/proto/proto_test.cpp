// .proto files as protocols. What is read and written on the wire is compared with protobuf's own library in
// tests/protobuf_test.cpp.
#include "formats/proto/proto.h"

#include <gtest/gtest.h>

#include "formats/testing/documents.h"

namespace treaty::formats::proto_test {
namespace {

using Result = testing::LoadedDocument;

std::unique_ptr<Result> load(const std::map<std::string, std::string>& files,
                             const std::string& path = "api.proto") {
    return testing::load_document(files, path);
}

std::unique_ptr<Result> load(const std::string& text) {
    return load(std::map<std::string, std::string>{{"api.proto", text}});
}

TEST(Proto, AFieldIsAFieldOfItsType) {
    auto field = [](const std::string& text) {
        auto r = load("syntax = \"proto3\";\nmessage M { " + text + " }\n");
        EXPECT_TRUE(r->loaded) << text << "\n" << r->told();
        std::size_t begin = r->treaty().find("m(f: ");
        std::size_t end = r->treaty().find('\n', begin);
        return begin == std::string::npos ? r->told() : r->treaty().substr(begin + 5, end - begin - 6);
    };
    EXPECT_EQ(field("bool f = 1;"), "bool");
    EXPECT_EQ(field("sint32 f = 1;"), "int in -2147483648..2147483647");
    EXPECT_EQ(field("fixed64 f = 1;"), "int in 0..9223372036854775807");
    EXPECT_EQ(field("float f = 1;"), "real");
    EXPECT_EQ(field("optional string f = 1;"), "optional<string>");
    EXPECT_EQ(field("repeated bytes f = 1;"), "list<bytes>");
    EXPECT_EQ(field("map<uint32, string> f = 1;"), "map<int in 0..4294967295, string>");
}

TEST(Proto, LayoutsAreThoseOfTheFile) {
    auto r = load(
        "message M { required int32 a = 7; repeated int32 b = 2; oneof c { string d = 3; bool e = 9; } }\n");
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_TRUE(r->writes(
        "protobuf { 7: required int32 a, 2: expanded int32 b, oneof { 3: string d, 9: bool e }, ... }"))
        << r->treaty();
}

TEST(Proto, ImportsAreFoundInTheFoldersAbove) {
    auto r =
        load({{"a/b/api.proto", "syntax = \"proto3\";\nimport \"b/types.proto\";\nmessage M { T t = 1; }\n"},
              {"a/b/types.proto", "syntax = \"proto3\";\nmessage T { int32 n = 1; }\n"}},
             "a/b/api.proto");
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_TRUE(r->writes("record T { n: int in -2147483648..2147483647 }")) << r->treaty();
    EXPECT_TRUE(load({{"api.proto", "import \"api.proto\";\nmessage M {}\n"}})->tells("T0880 1:"));
    EXPECT_TRUE(
        load({{"api.proto", "import \"b.proto\";\nmessage M {}\n"}, {"b.proto", "import \"api.proto\";\n"}})
            ->tells("T0880"));
}

TEST(Proto, PlacesAreThoseOfTheText) {
    // Also on the first line, before which a `syntax` is put, and after tabs.
    EXPECT_TRUE(load("message M { strin s = 1; }\n")->tells("T0880 1:13"))
        << load("message M { strin s = 1; }\n")->told();
    EXPECT_TRUE(load("syntax = \"proto3\";\nmessage M {\n\t\tstrin s = 1;\n}\n")->tells("T0880 3:3"))
        << load("syntax = \"proto3\";\nmessage M {\n\t\tstrin s = 1;\n}\n")->told();
}

TEST(Proto, HostileFilesEndInADiagnostic) {
    auto nested = [](std::string_view open, std::size_t n) {
        std::string text = "syntax = \"proto3\";\nmessage M ";
        for (std::size_t i = 0; i < n; ++i) text += open;
        return text;
    };
    EXPECT_TRUE(load(nested("{ message A ", 100'000))->tells("T0880"));
    EXPECT_TRUE(load("option a = " + std::string(100'000, '[') + ";")->tells("T0880"));
    EXPECT_TRUE(load(nested("{ option (a) = {", 100'000))->tells("T0880"));
    EXPECT_TRUE(load(std::string(2 << 20, ' '))->tells("T0880"));
    EXPECT_TRUE(load("")->tells("T0862"));
    EXPECT_TRUE(load("/*")->tells("T0880"));
    EXPECT_TRUE(load("\"")->tells("T0880"));
    // Messages that use each other several times grow exponentially.
    std::string wide = "syntax = \"proto3\";\nmessage S0 { int32 n = 1; }\n";
    for (int i = 1; i < 40; ++i)
        wide += fmt::format("message S{0} {{ S{1} a = 1; S{1} b = 2; }}\n", i, i - 1);
    EXPECT_TRUE(load(wide)->tells("T0882"));
    // Enumerations and messages that are used many times.
    std::string many = "syntax = \"proto3\";\nenum E {";
    for (int i = 0; i < 5000; ++i) many += fmt::format(" A{0} = {0};", i);
    many += " }\nmessage M { E e = 1; }\nservice S {\n";
    for (int i = 0; i < 100; ++i) many += fmt::format("  rpc R{}(M) returns (M);\n", i);
    EXPECT_TRUE(load(many + "}\n")->tells("T0882"));
    std::string deep = "syntax = \"proto3\";\nmessage S0 { int32 n = 1; }\n";
    for (int i = 1; i < 400; ++i) deep += fmt::format("message S{0} {{ S{1} a = 1; }}\n", i, i - 1);
    EXPECT_TRUE(load(deep)->tells("T0882"));
}

TEST(Proto, NoTextCrashesIt) {
    constexpr unsigned seed = 7;
    std::mt19937 random(seed);
    const std::string good =
        "syntax = \"proto3\";\npackage p;\nimport \"google/protobuf/empty.proto\";\nservice S { rpc A(stream "
        "M) returns "
        "(stream N); rpc B(N) returns (M) { option deprecated = true; } }\nenum E { X = 0; Y = 3; }\nmessage "
        "M { "
        "repeated sint32 a = 1 [packed = false]; map<string, N> b = 2; oneof o { E e = 3; bytes f = 4; } "
        "}\nmessage N "
        "{ optional double d = 1; N n = 2; reserved 5 to 9; }\n";
    for (int i = 0; i < 1500; ++i) {
        auto r = load(testing::mutated(good, random, "{}[]();=,.<>\"'/*- \n0a"));
        EXPECT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok())
            << "seed " << seed << " round " << i << "\n"
            << r->told();
    }
}

}  // namespace
}  // namespace treaty::formats::proto_test
