// Who begins, who decides, what is never reached: each rule on its own, and the facts against every path.
#include "lang/structure.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "lang/codes.h"
#include "lang/print.h"
#include "lang/testing/reading.h"
#include "model/protocol.h"
#include "model/testing/endless.h"

namespace treaty::lang {
namespace {

using model::NodeId;
using model::NodeKind;
using testing::Reading;

std::string faults(const std::string& steps) {
    return Reading("protocol P(A, B, C) {\nA -> B: begin\nB -> C: begin\n" + steps + "}\n").messages();
}

TEST(Structure, TheDeciderSendsFirst) {
    EXPECT_EQ(faults("choice at A {\nA -> B: a\n} or {\nB -> A: b\n}\n"),
              "T0402 7:1 `A` decides this choice, but here `B` sends first; begin with a message from `A`, "
              "or let `B` decide\n");
    EXPECT_EQ(faults("choice at A {\nA -> B: a\n} or {\noptional at A {\nA -> C: c\n}\nB -> A: b\n}\n"),
              "T0402 10:1 `A` decides this choice, but here `B` sends first; begin with a message from `A`, "
              "or let `B` decide\n");
    EXPECT_EQ(faults("repeat at A {\nB -> A: b\n}\n"),
              "T0402 5:1 `A` decides this loop, but here `B` sends first; begin with a message from `A`, or "
              "let `B` decide\n");
    EXPECT_EQ(faults("optional at A {\nB -> A: b\n}\n"),
              "T0402 5:1 `A` decides this choice, but here `B` sends first; begin with a message from `A`, "
              "or let `B` decide\n");
    EXPECT_EQ(faults("choice at A {\nA -> B: a\n} or {\nlet x = 1\nsignal s\nA -> C: c\n} or {\n}\nrepeat at "
                     "A {\nA -> B: a\n}\n"),
              "");
}

TEST(Structure, ALoopNeedsSomeoneWhoDecides) {
    EXPECT_EQ(faults("repeat {\nchoice {\nA -> B: a\n} or {\nB -> A: b\n}\n}\n"),
              "T0403 4:1 no role decides whether there is another round; let every round begin with a "
              "message from one role\n");
    EXPECT_EQ(faults("repeat {\npar {\nA -> B: a\n} and {\nA -> C: b\n}\n}\n"), "");
    EXPECT_EQ(faults("choice {\nA -> B: a\n} or {\nB -> A: b\n}\n"), "");  // not said, and no fault
}

TEST(Structure, NothingFollowsAStepThatGoesBack) {
    EXPECT_EQ(faults("rec again {\nA -> B: a\ncontinue again\nB -> A: b\nA -> B: c\n}\n"),
              "T0404 7:1 this step is never reached; `B` never gets here: every path before it goes back to "
              "the start of a loop\n");
    EXPECT_EQ(faults("rec again {\nA -> B: a\nchoice {\nA -> B: b\ncontinue again\n} or {\nA -> B: "
                     "c\ncontinue again\n}\n}\nB -> C: d\n"),
              "T0404 14:1 this step is never reached; `B` never gets here: every path before it goes back to "
              "the start of a loop\n");
    EXPECT_EQ(faults("rec again {\nA -> B: a\nchoice {\nA -> B: b\ncontinue again\n} or {\nA -> B: "
                     "c\n}\n}\nB -> C: d\n"),
              "");
}

TEST(Structure, ARoundHasAMessage) {
    EXPECT_EQ(faults("rec again {\ncontinue again\n}\n"),
              "T0405 5:1 this loop can start over without any message\n");
    EXPECT_EQ(faults("rec again {\noptional {\nA -> B: a\n}\ncontinue again\n}\n"),
              "T0405 8:1 this loop can start over without any message\n");
    EXPECT_EQ(faults("rec outer {\nA -> B: a\nrec inner {\nchoice {\nA -> B: b\ncontinue inner\n} or "
                     "{\ncontinue inner\n} or {\ncontinue outer\n}\n}\n}\n"),
              "T0405 11:1 this loop can start over without any message\n");
    EXPECT_EQ(faults("repeat at A {\nlet x = 1\n}\n"),
              "T0405 4:1 a round of this loop may pass without any message; a round begins with a message, "
              "so that every role notices it\n");
    EXPECT_EQ(faults("while 1 < 2 {\noptional {\nA -> B: a\n}\n}\n"),
              "T0405 4:1 a round of this loop may pass without any message; a round begins with a message, "
              "so that every role notices it\n");
}

TEST(Structure, ProtocolsThatCallOneAnotherSendSomething) {
    EXPECT_EQ(Reading("protocol P(A, B) {\ndo Q(A, B)\n}\nprotocol Q(A, B) {\ndo P(A, B)\n}\nprotocol R(A, "
                      "B) {\nA -> B: x\ndo P(A, B)\n}\n")
                  .codes(),
              "T0215 1:1\nT0405 2:1\nT0215 4:1\nT0405 5:1\n");
}

TEST(Structure, ContinueStaysInsideItsSegment) {
    EXPECT_EQ(faults("rec again {\nA -> B: a\npar {\nA -> B: b\ncontinue again\n} and {\nB -> A: c\n}\n}\n"),
              "T0409 8:1 `continue` cannot leave this par; put the loop inside the segment\n");
    EXPECT_EQ(
        faults("rec again {\nA -> B: a\ntry {\nA -> B: b\n} interrupt {\nB -> A: c\ncontinue again\n}\n}\n"),
        "T0409 10:1 `continue` cannot leave this try; put the loop inside the try\n");
    EXPECT_EQ(faults("par {\nrec again {\nA -> B: b\nchoice at A {\nA -> B: c\ncontinue again\n} or {\nA -> "
                     "B: d\n}\n}\n} and {\nB -> A: c\n}\n"),
              "");
}

TEST(Structure, SomeoneSignalsWhatIsWaitedFor) {
    EXPECT_EQ(faults("par {\nA -> B: a\nsignal done\n} and {\nwait doen\nB -> A: b\n}\n"),
              "T0406 8:1 no step signals `doen`, so this waits for ever\n");
    EXPECT_EQ(faults("par {\nA -> B: a\nsignal done\n} and {\nwait done\nB -> A: b\n}\n"), "");
}

TEST(Structure, RolesTakePart) {
    EXPECT_EQ(Reading("protocol P(A, B, C, D) {\nA -> B: a\n}\n").messages(),
              "T0215 1:1 the roles `C`, `D` send and receive nothing\n");
    EXPECT_EQ(Reading("protocol P(A, B, C) {\nA -> B: a\n}\n").messages(),
              "T0215 1:1 role `C` sends and receives nothing\n");
}

TEST(Structure, AFaultInACalledProtocolIsSaidOnce) {
    EXPECT_EQ(Reading("protocol Q(a, b) {\nchoice at a {\nb -> a: x\n} or {\na -> b: y\n}\n}\n"
                      "protocol P(A, B) {\ndo Q(A, B)\ndo Q(B, A)\n}\n"
                      "protocol T(A, B) {\nA -> B: go\nrepeat at A {\nB -> A: x\n}\ndo T(B, A)\n}\n")
                  .codes(),
              "T0402 3:1\nT0402 15:1\n");
}

// --- the facts, against every path of random trees

struct Path {
    int first = -1;  // who sends first; -1: nobody
    bool jumped = false;
    friend auto operator<=>(const Path&, const Path&) = default;
};

std::set<Path> after(const std::set<Path>& one, const std::set<Path>& other) {
    std::set<Path> all;
    for (const Path& a : one) {
        if (a.jumped)
            all.insert(a);
        else
            for (const Path& b : other) all.insert({a.first < 0 ? b.first : a.first, b.jumped});
    }
    return all;
}

// Every path through a node, as far as it matters: who sends first, and whether it comes to the node's end.
std::set<Path> paths(const model::Protocol& p, NodeId id) {
    auto children = p.children(id);
    std::set<Path> all;
    switch (p[id].kind) {
        case NodeKind::sequence:
            all = {{}};
            for (NodeId c : children) all = after(all, paths(p, c));
            return all;
        case NodeKind::interaction: return {{static_cast<int>(p[id].role.index), false}};
        case NodeKind::jump: return {{-1, true}};
        case NodeKind::choice:
        case NodeKind::conditional:
            for (NodeId c : children) all.merge(paths(p, c));
            return all;
        case NodeKind::recursion: {
            // A way back starts over, which shows nothing new of how it may begin or end.
            return paths(p, children[0]);
        }
        case NodeKind::parallel: {
            all = {{}};
            for (NodeId c : children) {
                std::set<Path> met;
                for (const Path& a : all)
                    for (const Path& b : paths(p, c))
                        for (int first : {a.first, b.first})
                            if (first >= 0 || (a.first < 0 && b.first < 0))
                                met.insert({first, a.jumped || b.jumped});
                all = std::move(met);
            }
            return all;
        }
        case NodeKind::repeat:
        case NodeKind::while_loop: {
            all = {{}};
            std::set<Path> body = paths(p, children[0]);
            all.merge(after({{}}, body));
            all.merge(after(body, body));
            return all;
        }
        case NodeKind::interrupt: {
            std::set<Path> body = paths(p, children[0]), cut = {{}};
            for (const Path& b : body) cut.insert({b.first, false});
            all = after(cut, paths(p, children[1]));
            all.merge(body);
            return all;
        }
        default: return {{}};
    }
}

class TreeMaker {
public:
    explicit TreeMaker(std::uint32_t seed) : random_(seed) {}

    model::Protocol make() {
        builder_.emplace("P", base::Span{},
                         std::vector<model::RoleId>{model::RoleId(0u), model::RoleId(1u), model::RoleId(2u)});
        sequence(3);
        return std::move(*builder_->finish());
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }

    void sequence(int depth) {
        builder_->open(NodeKind::sequence, {});
        for (std::size_t n = below(4); n > 0; --n) step(depth);
        builder_->close();
    }

    void step(int depth) {
        std::size_t what = below(depth == 0 ? 4 : 11);
        model::RoleId from(below(3));
        switch (what) {
            case 0:
            case 1:
                builder_->interaction({}, from, model::RoleId((from.index + 1) % 3), model::MessageId(0u));
                return;
            case 2: builder_->signal({}, builder_->semaphore("s")); return;
            case 3:
                if (!loops_.empty()) builder_->jump({}, loops_[below(loops_.size())]);
                return;
            case 4: builder_->open_choice({}, {}); break;
            case 5: builder_->open(NodeKind::parallel, {}); break;
            case 6: builder_->open_repeat({}, {}); break;
            case 7: builder_->open_while({}, expr::ExprId(0u)); break;
            case 8: builder_->open_conditional({}, expr::ExprId(0u)); break;
            case 9: builder_->open(NodeKind::interrupt, {}); break;
            default: {
                model::LoopId loop = builder_->loop("L");
                builder_->open_recursion({}, loop);
                loops_.push_back(loop);
                sequence(depth - 1);
                loops_.pop_back();
                builder_->close();
                return;
            }
        }
        bool two = what != 6 && what != 7;
        sequence(depth - 1);
        if (two) sequence(depth - 1);
        builder_->close();
    }

    std::mt19937 random_;
    std::optional<model::ProtocolBuilder> builder_;
    std::vector<model::LoopId> loops_;
};

TEST(Structure, FactsAgreeWithEveryPath) {
    std::size_t nodes = 0, endless = 0;
    for (std::uint32_t seed = 1; seed <= 4000; ++seed) {
        model::Protocol p = TreeMaker(seed).make();
        Structure s = analyse_structure(p, {});
        for (std::size_t i = 0; i < p.size(); ++i) {
            std::set<Path> all = paths(p, NodeId(i));
            bool ends = false, skippable = false;
            std::set<int> first;
            for (const Path& path : all) {
                ends |= !path.jumped;
                skippable |= !path.jumped && path.first < 0;
                if (path.first >= 0) first.insert(path.first);
            }
            std::set<int> found;
            for (const FirstSender& f : s.first_senders[i]) {
                found.insert(static_cast<int>(f.role.index));
                EXPECT_EQ(p[f.node].role, f.role);
            }
            ++nodes;
            endless += !ends;
            ASSERT_EQ(s.ends[i], ends) << "seed " << seed << ", node " << i;
            ASSERT_EQ(s.skippable[i], skippable) << "seed " << seed << ", node " << i;
            ASSERT_EQ(found, first) << "seed " << seed << ", node " << i;
        }
    }
    EXPECT_GT(nodes, 20000u);
    EXPECT_GT(endless, 1000u);
}

TEST(Structure, ALoopThatNeverEndsHoldsUpOnlyItsRoles) {
    auto codes = [](const std::string& steps) {
        return testing::Reading("protocol P(A, B, C, D) {\n" + steps + "}\n").codes();
    };
    std::string loop = "rec X {\nA -> B: m\ncontinue X\n}\n";
    EXPECT_EQ(codes(loop + "C -> D: n\n"), "");
    EXPECT_EQ(codes(loop + "C -> D: n\nB -> D: k\n"), "T0404 7:1\n");
    EXPECT_EQ(codes(loop + "C -> D: n\nD -> A: k\n"), "T0404 7:1\n");
    EXPECT_EQ(codes("par {\n" + loop + "} and {\nC -> D: n\n}\nD -> C: k\n"), "");
    EXPECT_EQ(codes("par {\n" + loop + "} and {\nC -> D: n\n}\nD -> A: k\n"), "T0404 10:1\n");
    EXPECT_EQ(codes("rec Y {\n" + loop + "}\nC -> D: n\n"), "");
    EXPECT_EQ(codes("choice at A {\nA -> C: a\n" + loop +
                    "} or {\nA -> C: b\nrec Z {\nA -> B: k\ncontinue Z\n}\n}\nC -> D: n\n"),
              "");
    EXPECT_EQ(codes("rec Z {\n" + loop + "C -> D: n\ncontinue Z\n}\n"), "T0409 8:1\n");
    EXPECT_EQ(codes("rec Z {\nA -> B: m\ncontinue Z\nC -> D: n\n}\n"), "T0404 5:1\n");
    EXPECT_EQ(codes("rec Z {\nA -> B: m\ncontinue Z\ncontinue Z\n}\nC -> D: n\n"), "T0404 5:1\n");
    EXPECT_EQ(codes(loop + "choice at B {\nB -> C: n\n} or {\nB -> D: k\n}\n"), "T0404 6:1\n");
}

// Against runs of all roles, each loop a few rounds and then for ever.
TEST(Structure, WhatIsNeverReachedIsWhatNoRunReaches) {
    std::size_t reported = 0, reached = 0, missed = 0;
    for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
        model::Specification spec;
        spec.protocols.push_back(model::testing::EndlessProtocols(spec, seed).make());
        const model::Protocol& p = spec.protocols[0];
        bool never = !model::testing::PlainRuns(p).everything_happens();
        testing::Reading r(print(spec));
        bool says = false, other = false;
        for (const base::Diagnostic& d : r.diagnostics.all()) {
            if (d.severity != base::Severity::error) continue;
            (d.code->number == codes::unreachable_step.number ? says : other) = true;
        }
        if (says) {
            ASSERT_TRUE(never) << "seed " << seed << "\n" << print(spec);
        }
        reported += says;
        reached += !never;
        missed += never && !says && !other;
    }
    EXPECT_GT(reported, 300u);
    EXPECT_GT(reached, 300u);
    // Two roles may get past an endless part in different branches only; that is left to the exploration.
    EXPECT_LT(missed, 40u);
}

}  // namespace
}  // namespace treaty::lang
