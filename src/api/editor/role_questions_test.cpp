// What roles know and have to do, and what can be asked of a file.
#include <gtest/gtest.h>

#include "api/editor/known_values.h"
#include "api/editor/notation_outline.h"
#include "api/editor/offers.h"
#include "api/editor/role_view.h"
#include "api/editor/text_repairs.h"

namespace treaty::api {
namespace {

constexpr const char* path = "/supply.treaty";
const std::string supply =
    "message order(amount: int)\nmessage deliver(amount: int)\n\nprotocol Supply(shop, office, depot) {\n"
    "  shop -> office: order(let n)\n  let m = n + 1\n  office -> depot: deliver(m)\n  depot -> shop: "
    "done\n}\n";

std::uint32_t at(const std::string& text, const std::string& part) {
    return static_cast<std::uint32_t>(text.find(part));
}

class RoleQuestions : public testing::Test {
protected:
    void open(const std::string& text, const std::string& name = path) { workspace_.set_overlay(name, text); }
    std::size_t states(const std::string& role, const std::string& part, bool& from_here,
                       const std::string& text = supply) {
        open(text);
        RoleView view = role_view(workspace_, {path, "", role, at(text, part)}, {});
        from_here = view.from_here;
        return view.machine ? view.machine->state_count() : 0;
    }
    Workspace workspace_;
};

TEST_F(RoleQuestions, AComputedValueIsKnownToThoseWhoKnowItsParts) {
    open(supply);
    std::vector<Hint> hints = knowledge_hints(workspace_, path);
    ASSERT_EQ(hints.size(), 1u);
    EXPECT_EQ(hints[0].text, "known to shop, office");
    EXPECT_EQ(hints[0].offset, at(supply, "n + 1") + 5);
    EXPECT_EQ(who_knows(workspace_, path, at(supply, "m)"), "m"),
              (std::vector<std::string>{"shop", "office"}));
    EXPECT_TRUE(who_knows(workspace_, path, at(supply, "m)"), "none").empty());
}

TEST_F(RoleQuestions, ATextWithFaultsHasNoKnowledge) {
    open(supply + "protocol");
    EXPECT_TRUE(knowledge_hints(workspace_, path).empty());
}

TEST_F(RoleQuestions, TheViewOfARoleBeginsAtTheStep) {
    bool from_here = false;
    EXPECT_EQ(states("shop", "shop -> office", from_here), 3u);
    EXPECT_TRUE(from_here);
    EXPECT_EQ(states("shop", "shop: done", from_here), 2u);
    EXPECT_TRUE(from_here);
    EXPECT_EQ(states("shop", "protocol", from_here), 3u);
    EXPECT_FALSE(from_here);
    EXPECT_EQ(states("nobody", "shop -> office", from_here), 0u);
}

TEST_F(RoleQuestions, InsideParallelPartsTheViewIsTheWhole) {
    bool from_here = true;
    std::string text = "protocol P(a, b) {\n  par {\n    a -> b: x\n  } and {\n    a -> b: y\n  }\n}\n";
    EXPECT_EQ(states("a", "a -> b: y", from_here, text), 4u);
    EXPECT_FALSE(from_here);
}

std::vector<OfferKind> kinds(const std::vector<Offer>& offers) {
    std::vector<OfferKind> result;
    for (const Offer& one : offers) result.push_back(one.kind);
    return result;
}

TEST_F(RoleQuestions, WhatIsOfferedFitsTheFile) {
    using enum OfferKind;
    open(
        "protocol Part(a, b, n: int) {\n  a -> b: x\n}\nprotocol P(a, b) {\n  do Part(a, b, 1)\n}\n"
        "property Q at a {\n  after a -> b: x\n  forbid a -> b: x\n}\n");
    EXPECT_EQ(kinds(offers(workspace_, path)), (std::vector<OfferKind>{check, draw, check, explore, project,
                                                                       draw, step, test, check_property}));
    open("A -> B : m", "/a.gc");
    EXPECT_EQ(offers(workspace_, "/a.gc").size(), 6u);
    EXPECT_EQ(roles_in(workspace_, "/a.gc", ""), (std::vector<std::string>{"A", "B"}));
    EXPECT_EQ(natural_picture(workspace_, "/a.gc"), ShowKind::msc);
    open("channel a\nP = a -> STOP\n", "/a.csp");
    EXPECT_EQ(kinds(offers(workspace_, "/a.csp")), std::vector<OfferKind>{run_script});
    ASSERT_EQ(notation_outline(workspace_, "/a.csp").size(), 1u);
    EXPECT_EQ(notation_outline(workspace_, "/a.csp")[0].declared.begin, 10u);
    open("A -> B : ", "/b.gc");
    EXPECT_TRUE(offers(workspace_, "/b.gc").empty());
    EXPECT_TRUE(notation_outline(workspace_, "/b.gc").empty());
}

TEST_F(RoleQuestions, CampaignsHaveTheirPlaces) {
    open("[[campaign]]\nname = \"one\"\nfile = \"a.treaty\"\ncut = \"b\"\n", "/p/treaty.toml");
    std::vector<CampaignPlace> found = campaigns_of(workspace_, "/p/treaty.toml");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, "one");
    EXPECT_EQ(found[0].cut, "b");
    EXPECT_EQ(found[0].line, 2u);
    EXPECT_EQ(kinds(offers(workspace_, "/p/treaty.toml")), std::vector<OfferKind>{OfferKind::run_campaign});
    open("[[campaign]]\nname = 3\n", "/p/treaty.toml");
    EXPECT_TRUE(campaigns_of(workspace_, "/p/treaty.toml").empty());
    EXPECT_TRUE(campaigns_of(workspace_, "/none/treaty.toml").empty());
}

TEST(NamesIn, AreThoseInBackquotes) {
    EXPECT_EQ(names_in("`depot` cannot know `n`, but"), (std::vector<std::string>{"depot", "n"}));
    EXPECT_TRUE(names_in("nothing ` here").empty());
}

}  // namespace
}  // namespace treaty::api
