// Arazzo documents as protocols.
#include "formats/arazzo/arazzo.h"

#include <gtest/gtest.h>

#include "formats/testing/documents.h"

namespace treaty::formats::arazzo_test {
namespace {

const std::string service =
    "openapi: 3.0.0\ninfo: {title: S}\npaths:\n"
    "  /a:\n    post: {operationId: a, requestBody: {content: {application/json: {schema: {type: object, "
    "properties: {n: {type: integer}, s: {type: string}}}}}}, responses: {'200': {content: "
    "{application/json: {schema: {type: object, required: [id], properties: {id: {type: integer}}}}}}, "
    "4XX: {}}}\n"
    "  /b/{id}:\n    get: {operationId: b, parameters: [{name: id, in: path, required: true, schema: {type: "
    "integer}}], responses: {'200': {}, default: {}}}\n";

auto load(const std::string& steps, const std::string& rest = "") {
    std::string text = fmt::format(
        "arazzo: 1.0.0\ninfo: {{title: Flow}}\nsourceDescriptions: [{{name: s, url: s.yaml, type: "
        "openapi}}]\n"
        "workflows: [{{workflowId: run, steps: [{}]}}]\n{}",
        steps, rest);
    return testing::load_document({{"d/flow.yaml", text}, {"d/s.yaml", service}}, "d/flow.yaml");
}

// The protocol alone.
std::string protocol(const std::string& steps) {
    auto r = load(steps);
    EXPECT_TRUE(r->loaded) << r->told();
    std::string text = r->treaty();
    std::size_t begin = text.find("protocol "), end = text.find("\nwire ");
    return begin == std::string::npos ? r->told() : text.substr(begin, end - begin);
}

TEST(Arazzo, AStepIsARequestAndItsResponses) {
    EXPECT_EQ(protocol("{stepId: one, operationId: a, outputs: {i: $response.body#/id}}, {stepId: two, "
                       "operationId: b, parameters: [{name: id, in: path, value: $steps.one.outputs.i}]}"),
              "protocol Run(client, server) {\n"
              "  client -> server: a\n"
              "  choice at server {\n"
              "    server -> client: a_200(let one_id)\n"
              "    client -> server: b(one_id)\n"
              "    choice at server {\n"
              "      server -> client: b_200\n"
              "    } or {\n"
              "      server -> client: b_default\n"
              "    }\n"
              "  } or {\n"
              "    server -> client: a_4xx\n"
              "  }\n"
              "}\n");
}

TEST(Arazzo, CriteriaOnARangeOfStatusesAreConditions) {
    std::string text = protocol(
        "{stepId: one, operationId: b, successCriteria: [{condition: $statusCode == 404}], onSuccess: "
        "[{name: "
        "x, type: goto, stepId: two}]}, {stepId: two, operationId: b}");
    EXPECT_NE(text.find("server -> client: b_default(let one_status) where one_status == 404\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("server -> client: b_default(let one_status) where not (one_status == 404)\n"),
              std::string::npos)
        << text;
}

TEST(Arazzo, ValuesNeedTheirTypes) {
    auto r = load(
        "{stepId: one, operationId: a, requestBody: {payload: {n: $inputs.x, s: $inputs.x}}}, {stepId: two, "
        "operationId: a, requestBody: {payload: {n: 7, s: seven}}}");
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_TRUE(r->writes("client -> server: a(let input_x, _)\n")) << r->treaty();
    EXPECT_TRUE(r->writes("client -> server: a(some(7), some(\"seven\"))\n")) << r->treaty();
    EXPECT_TRUE(r->tells("T0863"));
}

TEST(Arazzo, ARetryGoesRound) {
    EXPECT_EQ(protocol("{stepId: one, operationId: a, onFailure: [{name: r, type: retry, retryLimit: 5}]}"),
              "protocol Run(client, server) {\n"
              "  rec One {\n"
              "    client -> server: a\n"
              "    choice at server {\n"
              "      server -> client: a_200\n"
              "    } or {\n"
              "      server -> client: a_4xx\n"
              "      optional at client {\n"
              "        // again, at most 5 times\n"
              "        continue One\n"
              "      }\n"
              "    }\n"
              "  }\n"
              "}\n");
}

TEST(Arazzo, HostileDocumentsEndInADiagnostic) {
    EXPECT_TRUE(load("{stepId: s, operationId: a}", testing::alias_bomb())->tells("T0861"));
    EXPECT_TRUE(load("{stepId: s, operationId: nothing}")->tells("T0862"));
    EXPECT_TRUE(load("{stepId: s}")->tells("T0862"));
    EXPECT_TRUE(load("")->tells("T0862"));
    EXPECT_TRUE(testing::load_document({{"x.yaml", "arazzo: 1.0.0\n"}}, "x.yaml")->tells("T0862"));
    // Each step may lead to each later one: two to the power of their number.
    std::string many;
    for (int i = 0; i < 60; ++i)
        many += fmt::format(
            "{}{{stepId: s{}, operationId: a, onFailure: [{{name: x, type: goto, stepId: s{}}}]}}",
            i == 0 ? "" : ", ", i, std::min(i + 2, 59));
    EXPECT_TRUE(load(many)->tells("T0861"));
    std::string row;
    for (int i = 0; i < 5000; ++i)
        row += fmt::format("{}{{stepId: s{}, operationId: a}}", i == 0 ? "" : ", ", i);
    EXPECT_TRUE(load(row)->tells("T0861"));
}

TEST(Arazzo, NoTextCrashesIt) {
    constexpr unsigned seed = 7;
    std::mt19937 random(seed);
    const std::string good =
        "arazzo: 1.0.0\nsourceDescriptions: [{name: s, url: s.yaml}]\nworkflows:\n  - workflowId: run\n    "
        "steps:\n      - {stepId: one, operationId: a, requestBody: {payload: {n: $inputs.x}}, outputs: {i: "
        "$response.body#/id}, onFailure: [{name: r, type: retry}]}\n      - {stepId: half, operationId: a, "
        "requestBody: {payload: '{\"n\": {$inputs.x}}', replacements: [{target: /s, value: "
        "'a{$inputs.x}'}]}}\n  "
        "    - {stepId: two, operationId: b, parameters: [{name: id, in: path, value: "
        "$steps.one.outputs.i}], "
        "onSuccess: [{name: x, type: goto, "
        "stepId: one, criteria: [{condition: '$statusCode == 200'}]}]}\n";
    for (int i = 0; i < 1000; ++i) {
        auto r = testing::load_document(
            {{"x.yaml", testing::mutated(good, random, "{}[]:,'\"#&*$- \n0a")}, {"s.yaml", service}},
            "x.yaml");
        EXPECT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok())
            << "seed " << seed << " round " << i << "\n"
            << r->told();
    }
}

}  // namespace
}  // namespace treaty::formats::arazzo_test
