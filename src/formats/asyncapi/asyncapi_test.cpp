// AsyncAPI documents as protocols.
#include "formats/asyncapi/asyncapi.h"

#include <gtest/gtest.h>

#include "formats/testing/documents.h"

namespace treaty::formats::asyncapi_test {
namespace {

auto load(const std::string& text) {
    return testing::load_document({{"api.yaml", text}}, "api.yaml");
}

// A document with one operation over a WebSocket, so that the layout is the payload.
std::string receive(std::string_view message, std::string_view rest = "") {
    return fmt::format(
        "asyncapi: 3.0.0\ninfo: {{title: Api}}\nservers: {{s: {{host: x, protocol: ws}}}}\n"
        "channels: {{c: {{messages: {{m: {}}}}}}}\n"
        "operations: {{o: {{action: receive, channel: {{$ref: '#/channels/c'}}}}}}\n{}",
        message, rest);
}

TEST(AsyncApi, AnOperationIsAMessage) {
    auto r =
        load(receive("{payload: {type: object, required: [n], properties: {n: {type: integer, minimum: 0, "
                     "maximum: 9}}}}"));
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_EQ(r->treaty(),
              "// Api\n"
              "message m(n: int in 0..9)\n"
              "\n"
              "// service is the application that the document describes, client stands for all others.\n"
              "// The document does not state an order: any operation can take place at any time.\n"
              "protocol Api(client, service) {\n"
              "  repeat at client {\n"
              "    client -> service: m\n"
              "  }\n"
              "}\n"
              "\n"
              "wire ApiJson over json {\n"
              "  m(n) = json { \"n\": n, ... }\n"
              "}\n");
}

TEST(AsyncApi, BothVersionsMeanTheSame) {
    std::string two =
        "asyncapi: 2.4.0\ninfo: {title: Api}\nchannels:\n"
        "  in: {publish: {message: {name: a, payload: {type: integer}}}}\n"
        "  out: {subscribe: {message: {name: b, payload: {type: string}}}}\n";
    std::string three =
        "asyncapi: 3.0.0\ninfo: {title: Api}\nchannels:\n"
        "  in: {address: in, messages: {x: {name: a, payload: {type: integer}}}}\n"
        "  out: {address: out, messages: {y: {name: b, payload: {type: string}}}}\n"
        "operations:\n"
        "  o: {action: receive, channel: {$ref: '#/channels/in'}}\n"
        "  p: {action: send, channel: {$ref: '#/channels/out'}}\n";
    auto older = load(two), newer = load(three);
    ASSERT_TRUE(older->loaded) << older->told();
    ASSERT_TRUE(newer->loaded) << newer->told();
    EXPECT_EQ(older->treaty(), newer->treaty());
    EXPECT_TRUE(older->writes("a(payload) = json { \"channel\": \"in\", \"payload\": payload, ... }"))
        << older->treaty();
}

TEST(AsyncApi, ACorrelationIdNeedsTheSameType) {
    auto asked = [](std::string_view type) {
        return load(fmt::format(
            "asyncapi: 3.0.0\nchannels: {{c: {{messages: {{"
            "q: {{correlationId: {{location: $message.payload#/i}}, payload: {{type: object, required: [i], "
            "properties: {{i: {{type: string}}}}}}}}, "
            "r: {{correlationId: {{location: $message.payload#/i}}, payload: {{type: object, required: [i], "
            "properties: {{i: {{type: {}}}}}}}}}}}}}}}\n"
            "operations: {{o: {{action: send, channel: {{$ref: '#/channels/c'}}, messages: [{{$ref: "
            "'#/channels/c/messages/q'}}], reply: {{messages: [{{$ref: '#/channels/c/messages/r'}}]}}}}}}\n",
            type));
    };
    auto same = asked("string"), other = asked("integer");
    ASSERT_TRUE(same->loaded) << same->told();
    EXPECT_TRUE(same->writes("service -> client: q(let id)\n    client -> service: r(id)")) << same->treaty();
    ASSERT_TRUE(other->loaded) << other->told();
    EXPECT_TRUE(other->writes("service -> client: q\n    client -> service: r\n")) << other->treaty();
}

TEST(AsyncApi, HostileDocumentsEndInADiagnostic) {
    EXPECT_TRUE(load(receive("{}", testing::alias_bomb()))->tells("T0861"));
    EXPECT_TRUE(load("asyncapi: 3.0.0\nx: " + std::string(100'000, '['))->tells("T086"));
    EXPECT_TRUE(load("asyncapi: 3.0.0\nx: " + std::string(100'000, '{'))->tells("T086"));
    EXPECT_TRUE(load(receive("{$ref: '#/a'}", "a: {$ref: '#/b'}\nb: {$ref: '#/a'}\n"))
                    ->tells("leads back to itself"));
    EXPECT_TRUE(load(receive("{oneOf: [{$ref: '#/channels/c/messages/m'}, {}]}"))->tells("T086"));
    EXPECT_TRUE(load("asyncapi: 3.0.0\n")->tells("T0862"));
    EXPECT_TRUE(load("asyncapi: 2.0.0\n")->tells("T0862"));
    EXPECT_TRUE(load("asyncapi: 4.0.0\n")->tells("T0862"));
    std::string wide = "S0: {type: integer}\n";
    for (int i = 1; i < 40; ++i)
        wide += fmt::format(
            "S{0}: {{type: object, properties: {{a: {{$ref: '#/S{1}'}}, b: {{$ref: '#/S{1}'}}}}}}\n", i,
            i - 1);
    EXPECT_TRUE(load(receive("{payload: {$ref: '#/S39'}}", wide))->tells("T0861"));
}

TEST(AsyncApi, NoTextCrashesIt) {
    constexpr unsigned seed = 6;
    std::mt19937 random(seed);
    const std::string good = receive(
        "{name: n, headers: {type: object, properties: {h: {type: string}}}, correlationId: {location: "
        "$message.payload#/x}, payload: {$ref: '#/S'}}",
        "S: {type: object, required: [x], properties: {x: {type: integer, minimum: 1}}}\n");
    for (int i = 0; i < 1500; ++i) {
        auto r = load(testing::mutated(good, random, "{}[]:,'\"#&*- \n0a"));
        EXPECT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok())
            << "seed " << seed << " round " << i << "\n"
            << r->told();
    }
}

}  // namespace
}  // namespace treaty::formats::asyncapi_test
