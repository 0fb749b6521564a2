#include "choreo/initial_actions.h"

#include <gtest/gtest.h>

#include "choreo/available_messages.h"
#include "choreo/testing/notation.h"

namespace treaty::choreo {
namespace {

using model::NodeId;
using testing::read;
using testing::TestProtocol;

// The first node of a kind.
NodeId find(const TestProtocol& t, model::NodeKind kind) {
    for (std::size_t i = 0; i < t.protocol->size(); ++i)
        if ((*t.protocol)[NodeId(i)].kind == kind) return NodeId(i);
    return {};
}

// "A->B:x A->B:y passes", the interactions and flags.
std::string text_of(const TestProtocol& t, const FirstActions& f, bool inside) {
    std::string text;
    for (const InitialAction& a : f.actions)
        text += (text.empty() ? "" : " ") + std::string(t.at((*t.protocol)[a.node].span));
    if (inside && f.passes) text += " passes";
    if (f.returns) text += " returns";
    if (f.finishes) text += " finishes";
    return text;
}

std::string inside(const TestProtocol& t, NodeId part, const char* role, NodeId decision = {}) {
    Participants participants(*t.protocol);
    return text_of(t, InitialActions(*t.spec, *t.protocol, participants).inside(part, t.role(role), decision),
                   true);
}
std::string after(const TestProtocol& t, NodeId part, const char* role, NodeId decision = {}) {
    Participants participants(*t.protocol);
    return text_of(t, InitialActions(*t.spec, *t.protocol, participants).after(part, t.role(role), decision),
                   false);
}

TEST(InitialActions, OfSequencesChoicesAndParallelBlocks) {
    auto t = read("A->B:x ; ch A { A->B:y } { C->B:z } ; par { B->C:u } { A->C:v }");
    EXPECT_EQ(inside(t, NodeId(0u), "A"), "A->B:x");
    EXPECT_EQ(inside(t, NodeId(0u), "C"), "C->B:z B->C:u A->C:v");
    EXPECT_EQ(inside(t, find(t, model::NodeKind::choice), "C"), "C->B:z passes");
    EXPECT_EQ(inside(t, find(t, model::NodeKind::parallel), "B"), "B->C:u");
    EXPECT_EQ(after(t, find(t, model::NodeKind::choice), "A"), "A->C:v");
    EXPECT_EQ(after(t, find(t, model::NodeKind::parallel), "A"), " finishes");
}

TEST(InitialActions, LoopsMayBePassedAndLeadBack) {
    auto t = read("rep A { A->B:x ; rep A { A->C:y } } ; B->C:z");
    NodeId outer = find(t, model::NodeKind::repeat);
    NodeId inner = NodeId(outer.index + 3);
    ASSERT_EQ((*t.protocol)[inner].kind, model::NodeKind::repeat);
    EXPECT_EQ(inside(t, outer, "C"), "A->C:y passes");
    EXPECT_EQ(after(t, inner, "B", inner), "A->B:x B->C:z");
    EXPECT_EQ(after(t, inner, "C", inner), "B->C:z returns");
}

TEST(InitialActions, JumpsAreFollowed) {
    auto t = read("rec L { A->B:x ; ch A { A->B:y ; cont L } { A->C:z } } ; C->A:e");
    NodeId choice = find(t, model::NodeKind::choice);
    auto branches = t.protocol->children(choice);
    EXPECT_EQ(inside(t, branches[0], "C", choice), " returns");
    EXPECT_EQ(inside(t, branches[0], "C"), "A->C:z");
    EXPECT_EQ(after(t, choice, "C", choice), "C->A:e");
}

TEST(Participants, OfSubtrees) {
    auto t = read("A->B:x ; ch C { C->D:y } { 0 } ; rep B { B->A:z }");
    Participants p(*t.protocol);
    EXPECT_EQ(p.of(NodeId(0u)).size(), 4u);
    EXPECT_EQ(p.of(find(t, model::NodeKind::choice)), (std::vector{t.role("C"), t.role("D")}));
    EXPECT_TRUE(p.takes_part(t.role("A"), find(t, model::NodeKind::repeat)));
    EXPECT_FALSE(p.takes_part(t.role("C"), find(t, model::NodeKind::repeat)));
}

std::vector<std::string> available(const TestProtocol& t, const char* role,
                                   std::vector<model::RoleId> senders) {
    std::vector<std::string> result;
    for (NodeId n : available_messages(*t.protocol, t.role(role), NodeId(0u), From::start, senders))
        result.emplace_back(t.at((*t.protocol)[n].span));
    return result;
}

TEST(AvailableMessages, OnlyWhatNeedsNothingFromTheSilentRole) {
    auto t = read("A->C:a ; C->B:k ; B->C:b ; A->C:c");
    EXPECT_EQ(available(t, "C", {t.role("A"), t.role("B")}), (std::vector<std::string>{"A->C:a"}));
    auto free = read("A->C:a ; B->C:b");
    EXPECT_EQ(available(free, "C", {free.role("A"), free.role("B")}),
              (std::vector<std::string>{"A->C:a", "B->C:b"}));
}

TEST(AvailableMessages, ChoicesAndLoopsMayOrMayNotMakeOthersWait) {
    auto t = read("ch A { A->C:x ; C->B:k } { A->B:l } ; B->C:b");
    EXPECT_EQ(available(t, "C", {t.role("A"), t.role("B")}), (std::vector<std::string>{"A->C:x", "B->C:b"}));
    auto loop = read("rep A { C->B:k ; B->A:l } ; B->C:b");
    EXPECT_EQ(available(loop, "C", {loop.role("B")}), (std::vector<std::string>{"B->C:b"}));
    auto both = read("par { C->B:k } { A->D:n } ; B->C:b ; D->C:d");
    EXPECT_EQ(available(both, "C", {both.role("B"), both.role("D")}), (std::vector<std::string>{"D->C:d"}));
}

}  // namespace
}  // namespace treaty::choreo
