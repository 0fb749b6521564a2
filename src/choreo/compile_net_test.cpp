#include "choreo/compile_net.h"

#include <gtest/gtest.h>

#include "choreo/net_machine.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"

namespace treaty::choreo {
namespace {

using testing::read;
using testing::TestProtocol;

model::Net compile(const TestProtocol& t) {
    auto net = compile_net(*t.spec, *t.protocol);
    EXPECT_TRUE(net.has_value());
    return std::move(*net);
}

std::string global_label(const model::Specification& spec, const model::Node& n) {
    return spec.alphabet->print(spec.alphabet->interaction(n.role, n.to, n.message));
}

// The words of the net that end successfully, up to a number of events.
std::set<std::string> words(const model::Net& net, std::size_t length) {
    auto steps = testing::net_steps(net);
    std::set<std::string> result;
    std::set<std::pair<std::string, std::string>> seen;
    std::function<void(const std::string&, std::string, std::size_t)> walk =
        [&](const std::string& state, std::string word, std::size_t n) {
            if (!seen.insert({state, word}).second) return;
            if (steps.successful(state)) result.insert(word);
            for (auto& [label, next] : steps.next(state)) {
                if (label.empty())
                    walk(next, word, n);
                else if (n < length)
                    walk(next, word + label.substr(label.find(": ") + 2), n + 1);
            }
        };
    walk(steps.initial, "", 0);
    return result;
}

using Words = std::set<std::string>;

TEST(CompileNet, SequenceAndChoice) {
    EXPECT_EQ(words(compile(read("A->B:x ; ch B { B->A:y } { B->A:z ; A->B:u }")), 9), (Words{"xy", "xzu"}));
}

TEST(CompileNet, EmptyProtocolEndsAtOnce) {
    EXPECT_EQ(words(compile(read("0")), 9), (Words{""}));
}

TEST(CompileNet, ParallelInterleaves) {
    EXPECT_EQ(words(compile(read("par { A->B:x ; A->B:y } { C->D:z } ; A->B:e")), 9),
              (Words{"xyze", "xzye", "zxye"}));
}

TEST(CompileNet, LoopsLeadBackToTheirOwnHeadOnly) {
    EXPECT_EQ(words(compile(read("ch A { rep A { A->B:x } } { A->B:y }")), 2), (Words{"", "x", "xx", "y"}));
}

TEST(CompileNet, RecursionContinuesAndLeaves) {
    EXPECT_EQ(words(compile(read("rec L { A->B:x ; ch A { A->B:y ; cont L } { A->B:z } } ; B->A:e")), 6),
              (Words{"xze", "xyxze"}));
}

TEST(CompileNet, InterruptCutsOffEveryBranchAndExcludesTheNormalEnd) {
    auto all = words(compile(read("try { par { A->B:x } { C->D:y } } { A->B:c } ; A->B:e")), 9);
    EXPECT_EQ(all, (Words{"ce", "xce", "yce", "xyce", "yxce", "xye", "yxe"}));
}

TEST(CompileNet, InterruptedSignalsDoNotLeakIntoTheNextRound) {
    auto all =
        words(compile(read("rep A { try { par { A->B:x ; sig s } { wait s ; B->A:y } } { A->B:c } }")), 3);
    EXPECT_TRUE(all.contains("xc"));
    EXPECT_TRUE(all.contains("xyc"));
    EXPECT_FALSE(all.contains("xcy"));
    for (const auto& word : all) EXPECT_FALSE(word.starts_with("xcy")) << word;
}

TEST(CompileNet, WaitNeedsASignal) {
    EXPECT_EQ(words(compile(read("par { A->B:x ; sig s } { wait s ; C->D:y }")), 9), (Words{"xy"}));
}

TEST(CompileNet, JumpOutOfAnInterruptibleBlockEndsIt) {
    auto all = words(compile(read("rec L { try { ch A { A->B:x ; cont L } { A->B:y } } { A->B:c } }")), 3);
    EXPECT_EQ(all, (Words{"c", "y", "yc", "xc", "xy", "xyc", "xxc", "xxy"}));
}

TEST(CompileNet, JumpOutOfAParallelBranchIsRefused) {
    auto t = read("rec L { par { A->B:x ; cont L } { C->D:y } }");
    EXPECT_FALSE(compile_net(*t.spec, *t.protocol).has_value());
}

TEST(CompileNet, OneTransitionAnInteractionAndLinearSize) {
    auto t =
        read("rep A { par { A->B:x } { try { C->D:y } { D->C:z } } } ; ch A { A->B:u } { A->B:v } { 0 }");
    auto net = compile(t);
    std::map<std::uint32_t, int> count;
    for (const auto& tr : net.transitions())
        if (!tr.silent()) ++count[tr.node.index];
    EXPECT_EQ(count.size(), 5u);
    for (auto [node, n] : count) EXPECT_EQ(n, 1);
    EXPECT_LE(net.places().size(), 3 * t.protocol->size());
    EXPECT_LE(net.transitions().size(), 3 * t.protocol->size());
}

TEST(CompileNet, TenParallelBranchesStayApart) {
    std::string text = "par";
    for (int i = 0; i < 10; ++i) text += " { A->B:x ; B->A:y }";
    auto net = compile(read(text));
    EXPECT_LE(net.places().size(), 45u);
}

TEST(CompileNet, AgreesWithTheTreeOnRandomProtocols) {
    int decided = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(500); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 7;
        shape.recursion = shape.interrupts = true;
        shape.semaphores = seed % 3 == 0;
        auto protocol = random_protocol(spec, shape, seed);
        auto net = compile_net(spec, protocol);
        ASSERT_TRUE(net.has_value()) << "seed " << seed;
        testing::TreeSteps tree(protocol, [&](const model::Node& n) { return global_label(spec, n); });
        auto outcome = testing::same_weak_traces(tree.steps(), testing::net_steps(*net), 4, 80);
        decided += outcome.decided;
        ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference << "\n"
                                  << testing::write(spec, protocol);
    }
    EXPECT_GT(decided, 300);
}

}  // namespace
}  // namespace treaty::choreo
