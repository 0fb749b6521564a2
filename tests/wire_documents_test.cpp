// JSON documents, read by a layout that takes any document as it is, against nlohmann-json: random texts,
// with and without faults, are read by both or by neither, and the values are the same. Then what is hostile:
// long documents, deep ones, members that occur twice, wrong types; each is a fault with its place. And
// random layouts of headers, paths, queries and texts: what their conditions allow can be written and is read
// back.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "expr/print.h"
#include "solve/generate.h"
#include "wire/codec.h"
#include "wire/constraints.h"
#include "wire_world.h"

namespace treaty {
namespace {

using nlohmann::json;

struct World : WireWorld {
    std::optional<wire::Codec> codec;

    explicit World(const std::string& text) : WireWorld(text) {
        codec.emplace(*read->pool, read->wires[0], shapes);
    }

    // The values of the one message, or why the bytes are not read as one.
    std::optional<std::vector<expr::Value>> decode(std::string_view bytes,
                                                   std::string* reason = nullptr) const {
        wire::Decoder decoder(*codec);
        wire::Decoded out;
        decoder.feed(bytes);
        decoder.finish();
        if (decoder.next(out) == wire::DecodeStatus::message) return decoder.values(out);
        if (reason) *reason = decoder.fault().reason;
        EXPECT_LE(decoder.fault().offset, bytes.size());
        return std::nullopt;
    }
};

std::string some_string(Random& random) {
    static constexpr std::array parts{"a", "\\n", "\\u00e9", "\xc3\xa9", "\\\"", "\\ud83d\\ude00",
                                      "/", "\\/", " ",       "\\ud800",  "\x01", "\xff",
                                      "{", "]"};
    std::string text = "\"";
    for (std::size_t n = below(random, 4); n > 0; --n)
        text += parts[below(random, below(random, 6) == 0 ? parts.size() : 9)];
    return text + "\"";
}

std::string some_number(Random& random) {
    static constexpr std::array all{
        "0", "1", "-7", "12", "-0", "9223372036854775807", "-9223372036854775808"};
    static constexpr std::array odd{"01", "1.0", "1e2",   "+1",   "9223372036854775808",
                                    "-",  "1.",  "\"1\"", "null", "true"};
    return below(random, 8) == 0 ? odd[below(random, odd.size())] : all[below(random, all.size())];
}

std::string blank(Random& random) {
    return std::array{"", "", "", " ", "\n", "\t "}[below(random, 6)];
}

// {"n": int, "s": string, "xs": [int], "o": optional int, "p": {"x": int}}, with members in any order, some
// of them missing, twice or more than there should be, and some characters lost.
std::string some_document(Random& random) {
    std::vector<std::string> members;
    auto add = [&](std::string_view key, const std::string& value) {
        if (below(random, 30) == 0) return;
        members.push_back(fmt::format("{}\"{}\"{}:{}{}{}", blank(random), key, blank(random), blank(random),
                                      value, blank(random)));
        if (below(random, 40) == 0) members.push_back(members.back());
    };
    std::string list;
    for (std::size_t n = below(random, 4); n > 0; --n)
        list += (list.empty() ? "" : ",") + some_number(random);
    add("n", some_number(random));
    add("s", some_string(random));
    add("xs", "[" + blank(random) + list + "]");
    if (below(random, 2) == 0) add("o", below(random, 3) == 0 ? "null" : some_number(random));
    add("p", "{\"x\":" + some_number(random) + (below(random, 20) == 0 ? ",\"y\":1}" : "}"));
    if (below(random, 3) == 0)
        add("more", std::array{"[1,{}]", "{\"a\":[]}", "1.5e3", "[1,]"}[below(random, 4)]);
    std::shuffle(members.begin(), members.end(), random);
    std::string text = "{" + fmt::format("{}", fmt::join(members, ",")) + "}";
    if (below(random, 6) == 0) text.erase(below(random, text.size()), 1);
    return text;
}

// What the document means, by nlohmann-json and the rules of docs/wires.md.
std::optional<std::vector<expr::Value>> meant(const std::string& text) {
    std::vector<std::vector<std::string>> keys;
    bool twice = false;
    auto watch = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key) {
            auto& level = keys.back();
            std::string key = parsed.get<std::string>();
            if (std::find(level.begin(), level.end(), key) != level.end()) twice = true;
            level.push_back(key);
        }
        return true;
    };
    json j;
    try {
        j = json::parse(text, watch);
    } catch (const json::exception&) {
        return std::nullopt;
    }
    auto integer = [](const json& v) -> std::optional<std::int64_t> {
        if (!v.is_number_integer()) return std::nullopt;
        if (v.is_number_unsigned() && v.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
        return v.get<std::int64_t>();
    };
    if (twice || !j.is_object() || !j.contains("n") || !j.contains("s") || !j.contains("xs") ||
        !j.contains("p"))
        return std::nullopt;
    auto n = integer(j["n"]);
    if (!n || !j["s"].is_string() || !j["xs"].is_array() || !j["p"].is_object()) return std::nullopt;
    expr::Sequence xs, o;
    for (const json& x : j["xs"]) {
        auto value = integer(x);
        if (!value) return std::nullopt;
        xs.items.push_back(*value);
    }
    if (j.contains("o") && !j["o"].is_null()) {
        auto value = integer(j["o"]);
        if (!value) return std::nullopt;
        o.items.push_back(*value);
    }
    auto x = j["p"].contains("x") ? integer(j["p"]["x"]) : std::nullopt;
    if (!x || j["p"].size() != 1) return std::nullopt;
    return std::vector<expr::Value>{*n, j["s"].get<std::string>(), xs, o, *x};
}

constexpr std::string_view declarations =
    "message m(n: int, s: string, xs: list<int>, o: optional<int>, x: int)\n";
constexpr std::string_view layout =
    "json { \"n\": n, \"s\": s, \"xs\": xs, optional \"o\": o, \"p\": { \"x\": x }, ... }\n}\n";

TEST(WireDocuments, ReadAsAnotherLibraryReadsThem) {
    World over_json(fmt::format("{}wire W over json {{\n  m(n, s, xs, o, x) = {}", declarations, layout));
    World over_http(
        fmt::format("{}wire W over http {{\n  m(n, s, xs, o, x) = POST \"/m\" {}", declarations, layout));
    std::size_t read = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        Random random(seed);
        std::string text = some_document(random);
        auto wanted = meant(text);
        std::string http = fmt::format("POST /m HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", text.size(), text);
        std::string reason;
        auto got = over_http.decode(http, &reason);
        ASSERT_EQ(got.has_value(), wanted.has_value()) << "seed " << seed << ": " << text << "\n" << reason;
        if (wanted) {
            ASSERT_EQ(*got, *wanted) << "seed " << seed << ": " << text;
            ASSERT_EQ(over_json.decode(text), wanted) << "seed " << seed << ": " << text;
        }
        ++(wanted ? read : refused);
    }
    EXPECT_GT(read, 4000u);
    EXPECT_GT(refused, 4000u);
}

std::string request(const std::string& body) {
    return fmt::format("POST /m HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
}

TEST(WireDocuments, FaultsNameThePlace) {
    World w(
        "record Line { sku: string, n: int in 0..9 }\nmessage m(lines: list<Line>, at: string)\n"
        "wire W over http {\n  m(lines, at) = POST \"/m\" json { \"lines\": [{ \"sku\": l.sku, \"quantity\": "
        "l.n } "
        "for l in lines], \"at\": at }\n}\n");
    auto fault = [&](const std::string& body) {
        std::string reason;
        EXPECT_FALSE(w.decode(request(body), &reason)) << body;
        return reason;
    };
    EXPECT_EQ(fault(R"({"at": "x", "lines": [{"sku": "a", "quantity": 1}, {"sku": "b", "quantity": "x"}]})"),
              "POST /m does not match `m`: lines[1].quantity: expected an integer, found `\"x\"`");
    EXPECT_EQ(fault(R"({"at": "x", "lines": [{"sku": "a", "quantity": 10}]})"),
              "POST /m does not match `m`: lines[0].quantity: expected int in 0..9, found 10");
    EXPECT_EQ(fault(R"({"at": "x"})"), "POST /m does not match `m`: the object has no member `lines`");
    EXPECT_EQ(fault(R"({"at": "x", "lines": [], "at": "y"})"),
              "POST /m does not match `m`: `at` occurs twice");
    EXPECT_EQ(fault(R"({"at": "x", "lines": [], "more": 1})"),
              "POST /m does not match `m`: unexpected member `more`");
    EXPECT_EQ(fault(R"({"at": "x", "lines": []} 1)"),
              "POST /m does not match `m`: expected the end of the document, found `1`");
    EXPECT_EQ(fault(""), "POST /m does not match `m`: expected a JSON body, found none");
}

TEST(WireDocuments, TheNearestLayoutIsBlamed) {
    World http(
        "message welcome(token: string)\nmessage rows(items: list<int>, total: int)\nmessage nothing\n"
        "message other(kind: string, total: string)\n"
        "wire W over http {\n  nothing = 200\n  welcome(token) = 200 json { \"token\": token }\n"
        "  rows(items, total) = 200 json { \"items\": items, \"total\": total }\n"
        "  other(kind, total) = 200 json { \"type\": \"other\", \"kind\": kind, \"total\": total }\n}\n");
    auto fault = [&](const World& w, const std::string& bytes) {
        std::string reason;
        EXPECT_FALSE(w.decode(bytes, &reason)) << bytes;
        return reason;
    };
    auto reply = [&](const std::string& body) {
        return fault(http, fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
    };
    std::string status = "a response with status 200 does not match ";
    EXPECT_EQ(reply(R"({"items":[],"total":"x"})"),
              status + "`rows`: total: expected an integer, found `\"x\"`");
    EXPECT_EQ(reply(R"({"total":"x","items":[]})"),
              status + "`rows`: total: expected an integer, found `\"x\"`");
    EXPECT_EQ(reply(R"({"type":"other","kind":1,"total":2})"),
              status + "`other`: kind: expected a string, found `1`");
    EXPECT_EQ(reply(R"({"token":1})"), status + "`welcome`: token: expected a string, found `1`");
    World json(
        "message a(x: int, y: int)\nmessage b(x: int, z: int)\n"
        "wire W over json {\n  a(x, y) = json { \"x\": x, \"y\": y }\n"
        "  b(x, z) = json { \"x\": x, \"z\": z }\n}\n");
    EXPECT_EQ(fault(json, R"({"x":"1","z":2})"),
              "the document matches no message; x: expected an integer, found `\"1\"`");
    EXPECT_EQ(fault(json, R"({"x":1,"z":"2"})"),
              "the document matches no message; z: expected an integer, found `\"2\"`");
}

// Fields and texts in turn, in quotation marks. In a header the value has no blank at its ends.
std::string some_template(Random& random, bool header, bool path, std::vector<std::string>& fields) {
    static constexpr std::array texts{"Bearer ", " ", "; q=", "--", "-", "aba", ":", "/", "%", " - "};
    static constexpr std::array in_path{"-", "--", "/", "a", "aba", "/b/", "."};
    auto text = [&]() -> std::string {
        return path ? in_path[below(random, in_path.size())] : texts[below(random, texts.size())];
    };
    std::string out;
    std::size_t first = fields.size(), wanted = 1 + below(random, 2);
    if (below(random, 2) == 0) out += text();
    while (header && out.starts_with(' ')) out.erase(0, 1);
    for (std::size_t n = 0; n < wanted; ++n) {
        if (n > 0) out += text();
        std::string type = std::array{"string", "string", "bytes"}[below(random, 3)];
        if (header && wanted == 1 && below(random, 3) == 0) type = "optional<string>";
        out += fmt::format("{{f{}}}", fields.size());
        fields.push_back(fmt::format("f{}: {}", first + n, type));
    }
    if (below(random, 3) == 0) out += text();
    while (header && out.ends_with(' ')) out.pop_back();
    return out;
}

// What the conditions of a layout allow can be written, and is read back as it was.
TEST(WireDocuments, TextsBesideFieldsCanBeWritten) {
    std::size_t made = 0, unknown = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        std::vector<std::string> fields;
        std::string parts = fmt::format("POST \"/{}\"", "x");
        if (below(random, 2) == 0)
            parts = fmt::format("POST \"/x/{}\"", some_template(random, false, true, fields));
        if (below(random, 2) == 0)
            parts += fmt::format(" header \"X-A\" = \"{}\"", some_template(random, true, false, fields));
        if (fields.empty() || below(random, 3) == 0)
            parts += fmt::format(" text \"{}\"", some_template(random, false, false, fields));
        std::string arguments;
        for (std::size_t f = 0; f < fields.size(); ++f)
            arguments += fmt::format("{}f{}", f > 0 ? ", " : "", f);
        std::string text = fmt::format("message m({})\nwire W over http {{\n  m({}) = {}\n}}\n",
                                       fmt::join(fields, ", "), arguments, parts);
        World w(text);
        expr::Pool& pool = *w.read->pool;
        const std::vector<expr::VarId>& variables = w.read->messages[0].variables;
        expr::ExprId all;
        for (expr::ExprId one : wire::constraints(pool, w.read->wires[0], 0, w.shapes[0], variables))
            all = all ? pool.logical_and(all, one) : one;
        solve::Generator generator(pool);
        wire::Encoder encoder(*w.codec);
        for (std::uint64_t n = 0; n < 12; ++n) {
            solve::Choices choices =
                n == 0 ? solve::Choices(std::span<const std::uint64_t>{}) : solve::Choices(seed * 100 + n);
            if (n % 3 == 1) choices.lean(solve::Lean::edges);
            solve::Generated values = generator.generate(variables, all, {}, choices);
            unknown += values.found == solve::Found::unknown;
            if (values.found != solve::Found::yes) continue;
            std::vector<expr::Value> given;
            for (expr::VarId v : variables) given.push_back(*values.values.get(v));
            std::string bytes, reason;
            auto fault = encoder.encode(0, given, bytes);
            ASSERT_FALSE(fault) << "seed " << seed << ": " << fault->reason << "\n" << text;
            auto back = w.decode(bytes, &reason);
            ASSERT_TRUE(back) << "seed " << seed << ": " << reason << "\n" << text << bytes;
            ASSERT_EQ(*back, given) << "seed " << seed << "\n" << text << bytes;
            ++made;
        }
    }
    EXPECT_GT(made, 1200u);
    EXPECT_LT(unknown, 100u);
}

TEST(WireDocuments, LongAndDeepOnesAreBounded) {
    World w(
        "message m(xs: list<int>)\nwire W over http {\n  m(xs) = POST \"/m\" json { \"xs\": xs, ... }\n}\n");
    auto begin = std::chrono::steady_clock::now();
    std::string reason;
    // 10 MB of elements: more than a million are too many, less are read.
    std::string many = "{\"xs\":[1";
    for (int i = 0; i < 900'000; ++i) many += ",123456789";
    auto read = w.decode(request(many + "]}"), &reason);
    ASSERT_TRUE(read.has_value()) << reason;
    EXPECT_EQ((*read)[0].items().size(), 900'001u);
    // As many members that nobody needs, all of them different, and one of them twice.
    std::string members = "{\"xs\":[]";
    for (int i = 0; i < 600'000; ++i) members += fmt::format(",\"m{}\":{}", i, i);
    EXPECT_TRUE(w.decode(request(members + "}"), &reason).has_value()) << reason;
    EXPECT_FALSE(w.decode(request(members + ",\"m5\":1}"), &reason).has_value());
    EXPECT_NE(reason.find("`m5` occurs twice"), std::string::npos) << reason;
    for (std::string_view open : {"[", "{\"a\":"}) {
        std::string deep = "{\"xs\":[],\"d\":";
        for (int i = 0; i < 1'000'000; ++i) deep += open;
        EXPECT_FALSE(w.decode(request(deep), &reason).has_value());
        EXPECT_NE(reason.find("nested too deeply"), std::string::npos) << reason;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace treaty
