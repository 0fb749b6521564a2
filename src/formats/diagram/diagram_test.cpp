// Sequence diagrams in and out.
#include "formats/diagram/diagram.h"

#include <gtest/gtest.h>

#include "formats/testing/reading.h"
#include "lang/print.h"

namespace treaty::formats::diagram_test {
namespace {

auto read(bool mermaid, std::string text) {
    return testing::read<model::Specification>(mermaid ? read_mermaid : read_plantuml,
                                               mermaid ? "shop.mmd" : "shop.puml", std::move(text));
}

std::string told(bool mermaid, std::string text) {
    auto r = read(mermaid, std::move(text));
    EXPECT_EQ(r->model.has_value(), r->diagnostics.ok());
    return testing::listing(r->sources, r->diagnostics);
}

void expect_reads_as(bool mermaid, std::string text, std::string_view treaty) {
    auto r = read(mermaid, std::move(text));
    ASSERT_TRUE(r->model) << testing::listing(r->sources, r->diagnostics);
    EXPECT_EQ(lang::print(*r->model), treaty);
}

constexpr std::string_view shop = R"(protocol Shop(Client, Server, Store) {
  Client -> Server: place_order
  choice at Server {
    Server -> Client: out_of_stock
  } or {
    Server -> Store: pick
    repeat at Store {
      Store -> Server: progress
    }
    par {
      Server -> Client: accepted
    } and {
      Server -> Store: book
    }
  }
  optional at Client {
    Client -> Server: thanks
  }
}
)";

TEST(Mermaid, AllFragments) {
    expect_reads_as(true, R"(---
title: x
---
%% a comment
sequenceDiagram
  autonumber
  actor Client as The client
  participant Server
  create participant Store
  Client->>+Server: place order(id, n)
  Note right of Server: thinks -> long
  alt nothing left
    Server-->>Client: out of stock
  else
    Server-)Store: pick;
    loop every minute
      Store-->>Server: progress
    end
    rect rgb(0, 0, 0)
    par
      Server->>Client: accepted
    and
      Server->>Store: book
    end
    end
  end
  opt polite
    Client->>-Server: thanks
  end
)",
                    shop);
}

TEST(PlantUml, AllFragments) {
    expect_reads_as(false, R"(@startuml
' a comment
/' another
one '/
title A -> B
skinparam monochrome true
actor "The client" as Client
participant Server #red
database Store
== order ==
Client -> Server ++ : place order (id)
note over Server
  thinks -> long
end note
alt nothing left
  Server --> Client : out of stock
else
  Store <-[#blue]- Server : pick
  loop every minute
    Server <-- Store : progress
  end
  par
    Client <<-- Server : accepted
  else
    Server ->> Store : book
  end
end
opt
  Client -> Server : thanks
end
@enduml
)",
                    shop);
}

TEST(Diagrams, BreakIsTheAlternativeToTheRest) {
    expect_reads_as(true, "sequenceDiagram\nA->>B: a\nbreak no\nB->>A: no\nend\nB->>A: yes\n",
                    "protocol Shop(A, B) {\n  A -> B: a\n  choice at B {\n    B -> A: no\n  } or {\n    B -> "
                    "A: yes\n  }\n}\n");
    expect_reads_as(true, "sequenceDiagram\nloop\nbreak no\nA->>B: stop\nend\nA->>B: go\nend\n",
                    "protocol Shop(A, B) {\n  rec Loop1 {\n    choice at A {\n      A -> B: stop\n    } or "
                    "{\n      A -> B: go\n      continue Loop1\n    }\n  }\n}\n");
}

TEST(Diagrams, CriticalWithOptionsIsAChoice) {
    expect_reads_as(
        true, "sequenceDiagram\ncritical save\nA->>B: save\noption full\nA->>B: drop\nend\n",
        "protocol Shop(A, B) {\n  choice at A {\n    A -> B: save\n  } or {\n    A -> B: drop\n  }\n}\n");
}

TEST(Diagrams, NamesAndReturns) {
    expect_reads_as(
        false,
        "A -> B ++ : get\nB -> C : x y\nC -> B : x-y\nreturn value\n\"End user\" -> A\nend -> A : end\n",
        "protocol Shop(A, B, C, End_user, end) {\n  A -> B: get\n  B -> C: x_y\n  C -> B: x_y_2\n  B -> A: "
        "value\n"
        "  End_user -> A: message\n  end -> A: end\n}\n");
}

TEST(Diagrams, FaultsAndGuesses) {
    EXPECT_EQ(told(true, "graph TD\nA-->B\n"), "T0850 1:1 this file contains no sequence diagram\n");
    EXPECT_EQ(told(true, "sequenceDiagram\nA->>B: m\nwhat is this\n"),
              "T0850 3:1 `what is this` is not a line of a sequence diagram\n");
    EXPECT_EQ(told(true, "sequenceDiagram\nA->>B: m\nend\n"), "T0850 3:1 no block is open here\n");
    EXPECT_EQ(told(true, "sequenceDiagram\nopt x\nA->>B: m\n"),
              "T0850 2:1 this `opt` has no `end`\nT0853 2:1 the diagram does not state who decides; assuming "
              "the first sender: "
              "`x`\n");
    EXPECT_EQ(told(true, "sequenceDiagram\nA-xB: m\nA<<->>B: n\n"),
              "T0851 2:1 lost messages (arrows with a cross) are not supported\n"
              "T0851 3:1 arrows in both directions are not supported\n");
    EXPECT_EQ(told(false, "A -> B : m\nref over A : other\n"),
              "T0851 2:1 references to other diagrams (`ref`) are not supported\n");
    EXPECT_EQ(told(false, "A -> A : think\nA -> B : m\n"), "T0852 1:1 the action inside `A` is left out\n");
    EXPECT_EQ(told(false, "return x\nA -> B : m\n"), "T0850 1:1 `return` without an activation before it\n");
    EXPECT_EQ(told(false, "title x\n"), "T0850 1:1 this diagram contains no participant\n");
    // The empty protocol: only a remark.
    EXPECT_EQ(told(false, "participant A\nparticipant B\n"),
              "T0215 1:1 the roles `A`, `B` send and receive nothing\n");
    std::string deep = "sequenceDiagram\n";
    for (int i = 0; i < 100000; ++i) deep += "opt\n";
    EXPECT_NE(told(true, deep + "A->>B: m\n").find("T0850"), std::string::npos);
}

TEST(Diagrams, WritesWhatItReads) {
    for (bool mermaid : {true, false}) {
        auto write = mermaid ? write_mermaid : write_plantuml;
        auto first = read(
            mermaid,
            mermaid ? "sequenceDiagram\nA->>B: m\nalt\nB->>A: x\nelse\nB->>A: y\nelse\nend\nloop\nA->>B: "
                      "n\npar\nB->>A: p\nand\nA->>B: q\nend\nend\nopt\nA->>B: o\nend\n"
                    : "A -> B : m\nalt\nB -> A : x\nelse\nB -> A : y\nelse\nend\nloop\nA -> B : n\npar\nB -> "
                      "A : p\nelse\nA -> B : q\nend\nend\nopt\nA -> B : o\nend\n");
        ASSERT_TRUE(first->model);
        auto text = testing::written([&](Conversion& c) { return write(*first->model, c); });
        ASSERT_TRUE(text);
        auto second = read(mermaid, *text);
        ASSERT_TRUE(second->model) << *text;
        EXPECT_EQ(lang::print(*second->model), lang::print(*first->model)) << *text;
    }
}

TEST(Diagrams, NoTextCrashesThem) {
    constexpr unsigned seed = 11;
    std::mt19937 random(seed);
    const std::string_view pieces[] = {"A", "B",   "->",   "->>",    "-x",   " ",     "\n",  ":",
                                       "m", "alt", "else", "end",    "loop", "break", "par", "\"",
                                       "[", "]",   "++",   "return", "note", "<-",    "opt"};
    for (int i = 0; i < 1000; ++i) {
        bool mermaid = random() % 2;
        std::string text = mermaid ? "sequenceDiagram\n" : "";
        for (unsigned k = random() % 60; k > 0; --k) text += pieces[random() % std::size(pieces)];
        auto r = read(mermaid, text);
        EXPECT_EQ(r->model.has_value(), r->diagnostics.ok()) << "seed " << seed << " round " << i << "\n"
                                                             << text;
    }
}

}  // namespace
}  // namespace treaty::formats::diagram_test
