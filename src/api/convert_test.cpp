#include "api/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treaty::api::convert_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* ping = "protocol P(A, B) {\n  A -> B: ping\n  B -> A: pong\n}\n";

ConvertAnswer ask(const Workspace& workspace, ConvertQuestion question) {
    return convert(workspace, question, Context{});
}

TEST(Convert, TheNotationSaysWhatAProtocolIsWrittenAs) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", ping);
    ConvertAnswer machines = ask(workspace, {.file = "p.treaty", .notation = "fsa"});
    EXPECT_EQ(machines.verdict, Verdict::holds);
    EXPECT_THAT(machines.text, HasSubstr(".outputs A"));
    ConvertAnswer machine = ask(workspace, {.file = "p.treaty", .notation = "aut", .allow_loss = true});
    EXPECT_THAT(machine.text, StartsWith("des (0, 2, 3)"));
    ConvertAnswer protocol = ask(workspace, {.file = "p.treaty", .notation = "gc"});
    EXPECT_THAT(protocol.text, HasSubstr("A -> B"));
}

TEST(Convert, AKindGoesBeforeWhatTheNotationWouldHold) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", ping);
    ConvertAnswer protocol = ask(workspace, {.file = "p.treaty", .notation = "json"});
    ConvertAnswer net = ask(workspace, {.file = "p.treaty", .notation = "json", .kind = ModelKind::net});
    EXPECT_EQ(protocol.verdict, Verdict::holds);
    EXPECT_EQ(net.verdict, Verdict::holds);
    EXPECT_THAT(net.text, HasSubstr("\"net\""));
    EXPECT_NE(protocol.text, net.text);
}

TEST(Convert, WhatWouldBeLostIsRefusedUnlessThatIsAllowed) {
    Workspace workspace;
    workspace.set_overlay("p.treaty",
                          "message m(n: int)\nprotocol P(A, B) {\n  A -> B: m(let n) where n > 0\n}\n");
    ConvertAnswer refused = ask(workspace, {.file = "p.treaty", .notation = "gc"});
    EXPECT_FALSE(refused.verdict);
    EXPECT_GT(refused.diagnostics.errors(), 0u);
    EXPECT_TRUE(refused.text.empty());
    ConvertAnswer lossy = ask(workspace, {.file = "p.treaty", .notation = "gc", .allow_loss = true});
    EXPECT_EQ(lossy.verdict, Verdict::holds);
    EXPECT_GT(lossy.diagnostics.warnings(), 0u);
}

TEST(Convert, KindsAndExtensionsByName) {
    EXPECT_EQ(parse_model_kind("net"), ModelKind::net);
    EXPECT_FALSE(parse_model_kind("nets"));
    EXPECT_EQ(extension_of("a/b.c/shop.GC"), "gc");
    EXPECT_EQ(extension_of("shop"), "");
}

}  // namespace
}  // namespace treaty::api::convert_test
