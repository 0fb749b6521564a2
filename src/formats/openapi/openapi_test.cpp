// OpenAPI documents as protocols.
#include "formats/openapi/openapi.h"

#include <gtest/gtest.h>

#include "formats/testing/documents.h"

namespace treaty::formats::openapi_test {
namespace {

using Result = testing::LoadedDocument;

std::unique_ptr<Result> load(const std::map<std::string, std::string>& files,
                             const std::string& path = "api.yaml") {
    return testing::load_document(files, path);
}

std::unique_ptr<Result> load(const std::string& text) {
    return load(std::map<std::string, std::string>{{"api.yaml", text}});
}

// A document with one operation.
std::string get(std::string_view operation, std::string_view rest = "") {
    return fmt::format("openapi: 3.0.0\ninfo: {{title: Api}}\npaths:\n  /x:\n    get: {}\n{}", operation,
                       rest);
}

constexpr std::string_view comment =
    "// The document does not state an order: any operation can be called at any time.\n";

TEST(OpenApi, AnOperationIsARequestAndItsResponses) {
    auto r = load(
        get("{operationId: getIt, responses: {'200': {content: {application/json: {schema: {type: object, "
            "required: [n], properties: {n: {type: integer, minimum: 0, maximum: 9}, s: {type: string}}}}}}, "
            "'404': {}}}"));
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_EQ(r->treaty(),
              "// Api\nmessage get_it\nmessage get_it_200(n: int in 0..9, s: optional<string>)\nmessage "
              "get_it_404\n\n" +
                  std::string(comment) +
                  "protocol Api(client, server) {\n  repeat at client {\n    client -> server: get_it\n    "
                  "choice at "
                  "server {\n      server -> client: get_it_200\n    } or {\n      server -> client: "
                  "get_it_404\n    }\n  "
                  "}\n}\n\nwire ApiHttp over http {\n  get_it = GET \"/x\"\n  get_it_200(n, s) = 200 json { "
                  "\"n\": n, "
                  "optional \"s\": s, ... }\n  get_it_404 = 404 ...\n}\n");
}

TEST(OpenApi, SchemasAreTypesAndConditions) {
    auto type_of = [](std::string_view schema) {
        auto r = load(
            get(fmt::format("{{operationId: a, responses: {{'200': {{content: {{application/json: {{schema: "
                            "{{type: array, items: {}}}}}}}}}}}}}",
                            schema)));
        EXPECT_TRUE(r->loaded) << schema << "\n" << r->told();
        std::size_t begin = r->treaty().find("a_200(items: ");
        std::size_t end = r->treaty().find('\n', begin);
        return begin == std::string::npos ? r->told() : r->treaty().substr(begin + 13, end - begin - 13);
    };
    EXPECT_EQ(type_of("{type: boolean}"), "list<bool>)");
    EXPECT_EQ(type_of("{type: number}"), "list<real>)");
    EXPECT_EQ(type_of("{type: integer, format: int32}"), "list<int in -2147483648..2147483647>)");
    EXPECT_EQ(type_of("{type: integer, minimum: 3}"), "list<int>) where all e1 in items: e1 >= 3");
    EXPECT_EQ(type_of("{type: integer, minimum: 0, exclusiveMinimum: true}"),
              "list<int>) where all e1 in items: e1 > 0");
    EXPECT_EQ(type_of("{type: integer, exclusiveMaximum: 7, multipleOf: 2}"),
              "list<int>) where all e1 in items: e1 < 7 and e1 mod 2 == 0");
    EXPECT_EQ(type_of("{type: string, enum: [a, b]}"),
              "list<string>) where all e1 in items: e1 in [\"a\", \"b\"]");
    EXPECT_EQ(type_of("{enum: [1, 2]}"), "list<int>) where all e1 in items: e1 in [1, 2]");
    EXPECT_EQ(type_of("{type: string, minLength: 2, maxLength: 4}"),
              "list<string>) where all e1 in items: e1 matches /[\\s\\S]{2,4}/");
    EXPECT_EQ(type_of("{type: string, pattern: '^a/b$'}"),
              "list<string>) where all e1 in items: e1 matches /a\\/b/");
}

TEST(OpenApi, WhatIsLeftOutIsReported) {
    auto told = [](std::string_view schema) {
        auto r = load(
            get(fmt::format("{{operationId: a, responses: {{'200': {{content: {{application/json: {{schema: "
                            "{{type: object, properties: {{p: {}}}}}}}}}}}}}}}",
                            schema)));
        EXPECT_TRUE(r->loaded) << r->told();
        return r->told();
    };
    for (std::string_view schema :
         {"{}", "{type: object}", "{oneOf: [{type: string}, {type: integer}]}",
          "{type: string, pattern: 'a(?=b)'}", "{type: string, pattern: '^a|b$'}",
          "{type: array, items: {type: string}, uniqueItems: true}", "{type: string, not: {enum: [x]}}",
          "{type: [string, integer]}", "{type: number, multipleOf: 0.1}"})
        EXPECT_NE(told(schema).find("T0863"), std::string::npos) << schema;
    EXPECT_EQ(told("{type: string}").find("T0863"), std::string::npos);
}

TEST(OpenApi, References) {
    auto r =
        load({{"d/api.yaml", get("{operationId: a, responses: {'200': {$ref: 'parts.yaml#/ok~1fine'}}}")},
              {"d/parts.yaml",
               "ok/fine: {content: {application/json: {schema: {$ref: '#/S'}}}}\nS: {type: object, "
               "required: [x], properties: {x: {type: integer}}}\n"}},
             "d/api.yaml");
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_NE(r->treaty().find("message a_200(x: int)"), std::string::npos) << r->treaty();
    EXPECT_TRUE(load(get("{responses: {'200': {$ref: '#/no'}}}"))->tells("T0862 5:"));
    EXPECT_TRUE(load(get("{responses: {'200': {$ref: 'no.yaml'}}}"))->tells("no.yaml is not there"));
    EXPECT_TRUE(load(get("{responses: {'200': {$ref: '#/a'}}}", "a: {$ref: '#/b'}\nb: {$ref: '#/a'}\n"))
                    ->tells("leads back to itself"));
    auto inside = load(get("{responses: {'200': {content: {application/json: {schema: {$ref: '#/N'}}}}}}",
                           "N: {type: object, properties: {n: {$ref: '#/N'}, v: {type: integer}}}\n"));
    ASSERT_TRUE(inside->loaded) << inside->told();
    EXPECT_TRUE(inside->tells("contains itself"));
}

TEST(OpenApi, LinksAreOrder) {
    auto r = load(
        "openapi: 3.1.0\ninfo: {title: Shop}\npaths:\n"
        "  /o:\n    post: {operationId: add, responses: {'201': {content: {application/json: {schema: {type: "
        "object, required: [id], properties: {id: {type: integer}}}}}, links: {one: {operationId: find, "
        "parameters: {id: $response.body#/id}}}}}}\n"
        "  /o/{id}:\n    get: {operationId: find, parameters: [{name: id, in: path, required: true, schema: "
        "{type: integer}}], responses: {'200': {}}}\n");
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_NE(r->treaty().find(
                  "server -> client: add_201(let got_id)\n      optional at client {\n        client -> "
                  "server: find(got_id)\n"),
              std::string::npos)
        << r->treaty();
}

TEST(OpenApi, HostileDocumentsEndInADiagnostic) {
    EXPECT_TRUE(load(get("{}", testing::alias_bomb()))->tells("T0861"));
    EXPECT_TRUE(load("openapi: 3.0.0\nx: " + std::string(100'000, '['))->tells("T086"));
    EXPECT_TRUE(load("openapi: 3.0.0\nx: " + std::string(100'000, '{'))->tells("T086"));
    EXPECT_TRUE(load("openapi: 3.0.0\na: &a [*a]\n")->tells("T086"));
    EXPECT_TRUE(load("openapi: 3.0.0\na: 1\na: 2\n")->tells("T0860 3:1 the key `a` is there twice"));
    EXPECT_TRUE(load("openapi: 2.0\n")->tells("T0862"));
    EXPECT_TRUE(load("openapi: 3.0.0\n")->tells("T0862"));
    EXPECT_TRUE(load("openapi: 3.0.0\npaths: {}\n")->tells("T0862"));
    // Schemas that use each other several times grow exponentially.
    std::string wide = "S0: {type: integer}\n";
    for (int i = 1; i < 40; ++i)
        wide += fmt::format(
            "S{0}: {{type: object, properties: {{a: {{$ref: '#/S{1}'}}, b: {{$ref: '#/S{1}'}}}}}}\n", i,
            i - 1);
    EXPECT_TRUE(
        load(get("{responses: {'200': {content: {application/json: {schema: {$ref: '#/S39'}}}}}}", wide))
            ->tells("T0861"));
}

TEST(OpenApi, NoTextCrashesIt) {
    constexpr unsigned seed = 5;
    std::mt19937 random(seed);
    const std::string good =
        get("{operationId: a, parameters: [{name: q, in: query, schema: {type: string, enum: [a, b]}}], "
            "responses: {'200': "
            "{content: {application/json: {schema: {type: array, items: {$ref: '#/S'}}}}}, default: {}}}",
            "S: {type: object, required: [x], properties: {x: {type: integer, minimum: 1}, y: {allOf: "
            "[{$ref: '#/S'}]}}}\n");
    for (int i = 0; i < 1500; ++i) {
        auto r = load(testing::mutated(good, random, "{}[]:,'\"#&*- \n0a"));
        EXPECT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok())
            << "seed " << seed << " round " << i << "\n"
            << r->told();
    }
}

}  // namespace
}  // namespace treaty::formats::openapi_test
