// Who knows what where: each rule on its own, and all of them against every path of small random protocols.
#include "lang/knowledge.h"

#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "lang/testing/reading.h"

namespace treaty::lang {
namespace {

using testing::Reading;

// What is reported about steps inside `protocol P(A, B, C) { ... }`, with a message n that carries a number.
std::string faults(const std::string& steps) {
    return Reading("message n(x: int)\nmessage two(x: int, y: int)\nprotocol P(A, B, C) {\n" + steps + "}\n")
        .messages();
}

TEST(Knowledge, SenderAndReceiverKnowWhatAMessageCarries) {
    EXPECT_EQ(faults("A -> B: n(let x)\nB -> C: n(x)\nC -> A: n(x)\n"), "");
    EXPECT_EQ(faults("A -> B: n(let x)\nC -> A: n(x)\n"),
              "T0401 5:11 `C` cannot know `x`, but sends it here; add a message from `A` to `C` that carries "
              "`x` before this step\n");
}

TEST(Knowledge, TheMessageThatCouldCarryItIsNamed) {
    Reading r("message n(x: int)\nprotocol P(A, B, C) {\nA -> B: n(let x)\nB -> C: go\nC -> A: n(x)\n}\n");
    EXPECT_EQ(r.messages(),
              "T0401 5:11 `C` cannot know `x`, but sends it here; let `B -> C: go` carry `x`\n");
    ASSERT_EQ(r.diagnostics.all()[0].labels.size(), 2u);
    EXPECT_EQ(r.diagnostics.all()[0].labels[0].text, "bound here; only `A` and `B` know it");
    EXPECT_EQ(r.sources.text(r.diagnostics.all()[0].labels[1].span), "B -> C: go");
}

TEST(Knowledge, OnlyABareNameTellsItsValue) {
    EXPECT_NE(faults("A -> B: n(let x)\nB -> C: n(x + 1)\nC -> A: n(x)\n"), "");
}

TEST(Knowledge, AComputedValueIsKnownToThoseWhoKnowItsParts) {
    EXPECT_EQ(faults("let k = 3\nC -> A: n(k)\nA -> B: n(let x)\nlet y = x + k\nB -> C: n(y)\n"), "");
    EXPECT_EQ(faults("A -> B: n(let x)\nB -> C: n(let z)\nlet y = x + z\nA -> B: n(y)\n"),
              "T0401 7:11 `A` cannot know `y`, but sends it here; add a message from `B` to `A` that carries "
              "`y` before this step\n");
}

TEST(Knowledge, ANewValueIsNotTheOldOne) {
    EXPECT_NE(faults("A -> B, C: n(let x)\nB -> C: go\nA -> B: n(let x)\nC -> A: n(x)\n"), "");
}

TEST(Knowledge, WherePathsMeetOnlyWhatAllKnowIsKnown) {
    EXPECT_NE(faults("A -> B: n(let x)\nchoice at A {\nA -> C: n(x)\n} or {\nA -> C: go\n}\nC -> A: n(x)\n"),
              "");
    EXPECT_EQ(faults("A -> B: n(let x)\nchoice at A {\nA -> C: n(x)\n} or {\nA -> B: go\nB -> C: n(x)\n}\nC "
                     "-> A: n(x)\n"),
              "");
}

TEST(Knowledge, APathThatGoesBackDoesNotArrive) {
    EXPECT_EQ(faults("A -> B: n(let x)\nrec again {\nA -> B: go\nchoice at A {\nA -> C: never\ncontinue "
                     "again\n} or {\n"
                     "A -> C: n(x)\n}\n}\nC -> A: n(x)\n"),
              "");
}

TEST(Knowledge, ALoopMayNotRun) {
    EXPECT_NE(faults("A -> B: n(let x)\nrepeat at A {\nA -> C: n(x)\n}\nC -> A: n(x)\n"), "");
}

TEST(Knowledge, ALoopMayRunAgain) {
    // In the second round x is the value that only B and C know.
    EXPECT_EQ(faults("A -> B: n(let x)\nrepeat at A {\nA -> B: n(x)\nB -> C: n(let x)\n}\n"),
              "T0401 6:11 `A` cannot know `x`, but sends it here; add a message from `B` to `A` that carries "
              "`x` before this step\n");
}

TEST(Knowledge, WhatSegmentsTellAddsUp) {
    EXPECT_EQ(faults("A -> B: n(let x)\npar {\nA -> C: n(x)\n} and {\nB -> A: go\n}\nC -> A: n(x)\n"), "");
    EXPECT_EQ(Reading("message n(x: int)\nprotocol P(A, B, C, D) {\nA -> B: n(let x)\npar {\nA -> C: n(x)\n} "
                      "and {\nB -> D: n(x)\n}\n"
                      "C -> A: n(x)\nD -> A: n(x)\n}\n")
                  .messages(),
              "");
}

TEST(Knowledge, SegmentsDoNotHearOneAnother) {
    EXPECT_NE(faults("A -> B: n(let x)\npar {\nA -> C: n(x)\n} and {\nC -> B: n(x)\n}\n"), "");
}

TEST(Knowledge, SegmentsMayNotShareWhatOneOfThemChanges) {
    EXPECT_NE(faults("A -> B: n(let x)\npar {\nA -> B: n(let x)\n} and {\nB -> A: n(x)\n}\n").find("T0407"),
              std::string::npos);
    EXPECT_NE(
        faults("A -> B: n(let x)\npar {\nB -> A: n(x)\n} and {\nlet x = 3\nA -> C: go\n}\n").find("T0407"),
        std::string::npos);
    EXPECT_NE(faults("let x = 1\npar {\nA -> B: n(let x)\n} and {\nB -> A: n(let x)\n}\n").find("T0407"),
              std::string::npos);
    EXPECT_EQ(faults("A -> B, C: n(let x)\npar {\nA -> B: n(x)\n} and {\nC -> A: n(x)\n}\n"), "");
    EXPECT_EQ(faults("par {\nA -> B: n(let x)\nB -> A: n(x)\n} and {\nC -> A: n(let x)\nA -> C: n(x)\n}\n"),
              "");
}

TEST(Knowledge, AnInterruptionMayComeBeforeItIsTold) {
    EXPECT_NE(faults("A -> B: n(let x)\ntry {\nA -> C: n(x)\n} interrupt {\nC -> A: n(x)\n}\n"), "");
    EXPECT_NE(
        faults(
            "A -> B, C: n(let x)\ntry {\nA -> B: n(let x)\nA -> C: n(x)\n} interrupt {\nC -> A: n(x)\n}\n"),
        "");
    EXPECT_EQ(faults("A -> B, C: n(let x)\ntry {\nA -> B: n(let x)\nA -> C: n(x)\n} interrupt {\nA -> C: "
                     "n(x)\n}\nC -> B: n(x)\n"),
              "");
}

TEST(Knowledge, WhoSendsByAConditionMustKnowIt) {
    EXPECT_EQ(faults("A -> B: n(let x)\nC -> A: n(let y) where y > x\n"),
              "T0401 5:1 `C` cannot know `x`, but its condition here uses it; add a message from `A` to `C` "
              "that carries `x` before this step\n");
    EXPECT_EQ(faults("A -> B: n(let x)\nif x > 0 {\nC -> A: go\n} else {\nA -> C: go\n}\n"),
              "T0401 5:1 `C` cannot know `x`, but has to decide by it; add a message from `A` to `C` that "
              "carries `x` before this step\n");
    EXPECT_NE(faults("A -> B: n(let x)\nwhile x > 0 {\nC -> A: n(let x)\n}\n"), "");
    EXPECT_EQ(faults("A -> B: n(let x)\nwhile x > 0 {\nB -> A: n(let x)\n}\nA -> C: go\n"), "");
}

TEST(Knowledge, OneMissingMessageIsOneFault) {
    EXPECT_EQ(Reading("message n(x: int)\nprotocol P(A, B, C) {\nA -> B: n(let x)\nC -> A: n(x)\nC -> B: "
                      "n(x)\nlet y = x\nC -> A: n(y)\n}\n")
                  .codes(),
              "T0401 4:11\n");
}

TEST(Knowledge, AFaultInACalledProtocolIsSaidOnce) {
    EXPECT_EQ(Reading("message n(x: int)\nprotocol Q(a, b, c) {\na -> b: n(let x)\nc -> a: n(x)\n}\n"
                      "protocol P(A, B, C) {\ndo Q(A, B, C)\ndo Q(C, B, A)\n}\n")
                  .codes(),
              "T0401 4:11\n");
}

TEST(Knowledge, AMessageDoesNotUseWhatItBinds) {
    EXPECT_EQ(faults("A -> B: two(let x, x + 1)\nB -> C: go\n"),
              "T0401 4:20 `x` gets its value only with this message; bind this field too, and relate the "
              "two with `where`\n");
}

// --- against every path

enum class Kind {
    bind,
    send,
    assign,
    choice,
    conditional,
    repeat,
    while_loop,
    par,
    attempt,
    recursion,
    jump
};

struct Node {
    Kind kind;
    int from = 0, to = 0, variable = 0, operand = 0;
    int line = 0;
    std::vector<std::vector<Node>> blocks;
    mutable std::set<int>
        deciders{};  // conditions: who may send first after it, filled in when paths are enumerated
};

constexpr int role_count = 3;
constexpr int variable_count = 3;
const char* const role_names[] = {"A", "B", "C"};
const char* const variable_names[] = {"x", "y", "z"};

class Maker {
public:
    explicit Maker(std::uint32_t seed) : random_(seed) {}

    std::vector<Node> root() {
        std::vector<Node> steps;
        steps.reserve(variable_count);
        for (int v = 0; v < variable_count; ++v) steps.push_back(message(Kind::bind, v));
        auto more = block(2, false);
        steps.insert(steps.end(), more.begin(), more.end());
        steps.push_back(message(Kind::send, below(variable_count)));
        return steps;
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    Node message(Kind kind, int variable) {
        Node n{kind, below(role_count), 0, variable, 0, 0, {}};
        n.to = (n.from + 1 + below(role_count - 1)) % role_count;
        return n;
    }

    std::vector<Node> block(int depth, bool in_loop) {
        std::vector<Node> steps;
        for (int count = 1 + below(3); count > 0; --count) steps.push_back(step(depth, in_loop));
        return steps;
    }

    Node step(int depth, bool in_loop) {
        int what = below(depth == 0 ? 6 : 14);
        if (what < 2) return message(Kind::bind, below(variable_count));
        if (what < 5) return message(Kind::send, below(variable_count));
        Node n{Kind::assign, 0, 0, below(variable_count), below(variable_count), 0, {}};
        if (what == 5) return n;
        static constexpr Kind kinds[] = {Kind::choice,     Kind::choice, Kind::conditional, Kind::repeat,
                                         Kind::while_loop, Kind::par,    Kind::attempt,     Kind::recursion};
        n.kind = kinds[what - 6];
        bool two = n.kind != Kind::repeat && n.kind != Kind::while_loop && n.kind != Kind::recursion;
        for (int i = two ? 2 : 1; i > 0; --i)
            n.blocks.push_back(block(depth - 1, in_loop || n.kind == Kind::recursion));
        if (n.kind != Kind::recursion) return n;
        // A way back from the middle: choice { ... continue } or { ... }
        Node again{Kind::choice, 0, 0, 0, 0, 0, {block(0, true), block(0, true)}};
        again.blocks[0].push_back(Node{Kind::jump, 0, 0, 0, 0, 0, {}});
        n.blocks[0].push_back(std::move(again));
        return n;
    }

    std::mt19937 random_;
};

// The text of a tree, one step a line; sets the lines.
struct Writer {
    std::string text = "message n(x: int)\nprotocol P(A, B, C) {\n";
    int line = 3;
    int loops = 0;

    int put(const std::string& s) {
        text += s + "\n";
        return line++;
    }

    void blocks(Node& n, const std::string& separator, const std::string& loop) {
        for (std::size_t i = 0; i < n.blocks.size(); ++i) {
            if (i > 0) put("} " + separator + " {");
            steps(n.blocks[i], loop);
        }
        put("}");
    }

    void steps(std::vector<Node>& all, const std::string& loop) {
        for (Node& n : all) {
            std::string arrow = fmt::format("{} -> {}: n", role_names[n.from], role_names[n.to]);
            std::string condition = fmt::format("{} > 0", variable_names[n.variable]);
            switch (n.kind) {
                case Kind::bind:
                    n.line = put(fmt::format("{}(let {})", arrow, variable_names[n.variable]));
                    break;
                case Kind::send:
                    n.line = put(fmt::format("{}({})", arrow, variable_names[n.variable]));
                    break;
                case Kind::assign:
                    n.line = put(fmt::format("let {} = {} + 1", variable_names[n.variable],
                                             variable_names[n.operand]));
                    break;
                case Kind::choice: n.line = put("choice {"), blocks(n, "or", loop); break;
                case Kind::conditional:
                    n.line = put("if " + condition + " {"), blocks(n, "else", loop);
                    break;
                case Kind::repeat: n.line = put("repeat {"), blocks(n, "", loop); break;
                case Kind::while_loop: n.line = put("while " + condition + " {"), blocks(n, "", loop); break;
                case Kind::par: n.line = put("par {"), blocks(n, "and", ""); break;
                case Kind::attempt: n.line = put("try {"), blocks(n, "interrupt", ""); break;
                case Kind::recursion: {
                    std::string name = fmt::format("loop{}", loops++);
                    n.line = put("rec " + name + " {");
                    blocks(n, "", name);
                    break;
                }
                case Kind::jump: n.line = put(loop.empty() ? "let x = x" : "continue " + loop); break;
            }
        }
    }
};

// What happens on a path, in order.
struct Event {
    const Node* node;
    bool guard = false;  // a condition that is looked at
};
struct Path {
    std::vector<Event> events;
    bool jumped = false;
};
using Paths = std::vector<Path>;

constexpr std::size_t too_many = 6000;
constexpr int rounds = 3;

struct Enumerate {
    bool overflow = false;

    Paths after(const Paths& first, const Paths& second) {
        Paths all;
        for (const Path& a : first) {
            if (a.jumped) {
                all.push_back(a);
                continue;
            }
            for (const Path& b : second) {
                Path joined = a;
                joined.events.insert(joined.events.end(), b.events.begin(), b.events.end());
                joined.jumped = b.jumped;
                all.push_back(std::move(joined));
                if (all.size() > too_many) {
                    overflow = true;
                    return all;
                }
            }
        }
        return all;
    }

    Paths steps(const std::vector<Node>& all) {
        Paths paths{{}};
        for (const Node& n : all) {
            paths = after(paths, step(n));
            if (overflow) return paths;
        }
        return paths;
    }

    static void merge(Paths& into, Paths more) { into.insert(into.end(), more.begin(), more.end()); }

    void interleave(const std::vector<Event>& a, std::size_t i, const std::vector<Event>& b, std::size_t k,
                    Path so_far, Paths& out) {
        if (out.size() > too_many) overflow = true;
        if (overflow) return;
        if (i == a.size() && k == b.size()) return out.push_back(std::move(so_far));
        if (i < a.size()) {
            Path next = so_far;
            next.events.push_back(a[i]);
            interleave(a, i + 1, b, k, std::move(next), out);
        }
        if (k < b.size()) {
            so_far.events.push_back(b[k]);
            interleave(a, i, b, k + 1, std::move(so_far), out);
        }
    }

    // The paths after a condition, beginning with its evaluation; notes who sends first on them.
    Paths guarded(const Node& n, Paths paths) {
        for (Path& p : paths) {
            for (const Event& e : p.events)
                if (!e.guard && e.node->kind != Kind::assign) {
                    n.deciders.insert(e.node->from);
                    break;
                }
            p.events.insert(p.events.begin(), Event{&n, true});
        }
        return paths;
    }

    Paths step(const Node& n) {
        Paths all;
        switch (n.kind) {
            case Kind::bind:
            case Kind::send:
            case Kind::assign: return {{{Event{&n}}, false}};
            case Kind::jump: return {{{}, true}};
            case Kind::choice:
                for (const auto& b : n.blocks) merge(all, steps(b));
                return all;
            case Kind::conditional:
                for (const auto& b : n.blocks) merge(all, guarded(n, steps(b)));
                return all;
            case Kind::repeat:
            case Kind::while_loop: {
                Paths body = steps(n.blocks[0]), leave{{}};
                if (n.kind == Kind::while_loop) {
                    body = guarded(n, std::move(body));
                    leave = {{{Event{&n, true}}, false}};  // it is looked at to leave, too
                }
                Paths open{{}};
                all = leave;
                for (int round = 0; round < rounds && !overflow; ++round) {
                    open = after(open, body);
                    merge(all, after(open, leave));
                }
                return all;
            }
            case Kind::par:
                for (const Path& a : steps(n.blocks[0]))
                    for (const Path& b : steps(n.blocks[1])) interleave(a.events, 0, b.events, 0, {}, all);
                return all;
            case Kind::attempt: {
                Paths body = steps(n.blocks[0]), cut;
                for (const Path& p : body)
                    for (std::size_t k = 0; k <= p.events.size(); ++k)
                        cut.push_back(
                            {{p.events.begin(), p.events.begin() + static_cast<std::ptrdiff_t>(k)}, false});
                merge(all, std::move(body));
                merge(all, after(cut, steps(n.blocks[1])));
                return all;
            }
            case Kind::recursion: {
                Paths body = steps(n.blocks[0]), open{{}};
                for (int round = 0; round < rounds && !overflow; ++round) {
                    Paths back;
                    for (Path& p : after(open, body)) {
                        if (p.jumped) {
                            p.jumped = false;
                            back.push_back(std::move(p));
                        } else {
                            all.push_back(std::move(p));
                        }
                    }
                    open = std::move(back);
                }
                return all;
            }
        }
        return all;
    }
};

using Use = std::tuple<int, std::string, std::string>;  // line, role, variable

// Walks one path and adds the uses of values that are not known there.
void judge(const Path& path, std::set<Use>& unknown) {
    bool known[role_count][variable_count] = {};
    auto use = [&](int role, const Node& n) {
        if (!known[role][n.variable]) unknown.insert({n.line, role_names[role], variable_names[n.variable]});
        known[role][n.variable] = true;  // what follows is judged as if this were right
    };
    for (std::size_t i = 0; i < path.events.size(); ++i) {
        const Node& n = *path.events[i].node;
        if (path.events[i].guard) {
            for (int role : n.deciders) use(role, n);
        } else if (n.kind == Kind::bind) {
            for (int r = 0; r < role_count; ++r) known[r][n.variable] = r == n.from || r == n.to;
        } else if (n.kind == Kind::send) {
            use(n.from, n);
            known[n.to][n.variable] = true;
        } else {
            for (int r = 0; r < role_count; ++r) known[r][n.variable] = known[r][n.operand];
        }
    }
}

std::set<Use> reported(const Reading& r) {
    std::set<Use> all;
    for (const base::Diagnostic& d : r.diagnostics.all()) {
        if (to_string(*d.code) != "T0401") continue;
        auto quoted = [&](std::size_t from) { return d.message.substr(from + 1, 1); };
        std::size_t role = d.message.find('`');
        std::size_t variable = d.message.find('`', d.message.find('`', role + 1) + 1);
        all.insert({static_cast<int>(r.sources.begin(d.span).line), quoted(role), quoted(variable)});
    }
    return all;
}

// Later uses of a value by the same role are a consequence and not reported, so what is compared is:
// everything reported is true, and something is reported wherever something is wrong.
TEST(Knowledge, AgreesWithEveryPath) {
    int compared = 0, faulty = 0;
    for (std::uint32_t seed = 1; seed <= 4000; ++seed) {
        std::vector<Node> root = Maker(seed).root();
        Writer writer;
        writer.steps(root, "");
        writer.put("}");
        Reading r(writer.text);
        if (r.codes().find("T0407") != std::string::npos) continue;  // then paths do not say what is known
        Enumerate enumerate;
        Paths paths = enumerate.steps(root);
        if (enumerate.overflow) continue;
        std::set<Use> wrong;
        for (const Path& p : paths) judge(p, wrong);
        std::set<Use> found = reported(r);
        ++compared;
        faulty += !wrong.empty();
        SCOPED_TRACE(fmt::format("seed {}\n{}{}", seed, writer.text, r.messages()));
        for (const Use& u : found)
            ASSERT_TRUE(wrong.contains(u))
                << std::get<0>(u) << " " << std::get<1>(u) << " " << std::get<2>(u);
        ASSERT_EQ(found.empty(), wrong.empty());
        if (wrong.empty()) continue;
        ASSERT_EQ(std::get<0>(*found.begin()), std::get<0>(*wrong.begin()));
    }
    EXPECT_GT(compared, 1500);
    EXPECT_GT(faulty, 500);
    EXPECT_LT(faulty, compared - 200);
}

}  // namespace
}  // namespace treaty::lang
