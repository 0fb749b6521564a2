// Choreography diagrams as protocols, and back.
#include "formats/bpmn/bpmn.h"

#include <gtest/gtest.h>

#include "formats/testing/documents.h"

namespace treaty::formats::bpmn_test {
namespace {

auto load(const std::string& text) {
    return testing::load_document({{"x.bpmn", text}}, "x.bpmn");
}

// A diagram of tasks between A and B. Nodes are "task", "x" (exclusive), "p" (parallel), "s" and "e"; flows
// are pairs of their positions.
std::string diagram(const std::vector<std::string>& nodes, const std::vector<std::pair<int, int>>& flows) {
    std::string text =
        "<definitions><choreography id=\"c\" name=\"P\"><participant id=\"a\" name=\"A\"/><participant "
        "id=\"b\" "
        "name=\"B\"/>\n";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::string& kind = nodes[i];
        if (kind == "x" || kind == "p" || kind == "s" || kind == "e") {
            std::string_view element = kind == "x"   ? "exclusiveGateway"
                                       : kind == "p" ? "parallelGateway"
                                       : kind == "s" ? "startEvent"
                                                     : "endEvent";
            text += fmt::format("<{} id=\"n{}\"/>\n", element, i);
        } else {
            text += fmt::format(
                "<choreographyTask id=\"n{}\" name=\"{}\" initiatingParticipantRef=\"a\"><participantRef>a"
                "</participantRef><participantRef>b</participantRef></choreographyTask>\n",
                i, kind);
        }
    }
    for (std::size_t i = 0; i < flows.size(); ++i)
        text += fmt::format("<sequenceFlow id=\"f{}\" sourceRef=\"n{}\" targetRef=\"n{}\"/>\n", i,
                            flows[i].first, flows[i].second);
    return text + "</choreography></definitions>\n";
}

TEST(Bpmn, NestedChoicesMeetWhereTheyShould) {
    auto r = load(
        diagram({"s", "x", "k", "x", "l", "m", "x", "x", "n", "e"},
                {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 7}, {2, 7}, {7, 8}, {8, 9}}));
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_EQ(r->treaty(),
              "protocol P(A, B) {\n"
              "  choice at A {\n"
              "    A -> B: k\n"
              "  } or {\n"
              "    choice at A {\n"
              "      A -> B: l\n"
              "    } or {\n"
              "      A -> B: m\n"
              "    }\n"
              "  }\n"
              "  A -> B: n\n"
              "}\n");
}

TEST(Bpmn, ALoopWithAnExitInItsMiddle) {
    auto r = load(diagram({"s", "x", "k", "x", "l", "m", "e"},
                          {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 5}, {5, 6}}));
    ASSERT_TRUE(r->loaded) << r->told();
    EXPECT_EQ(r->treaty(),
              "protocol P(A, B) {\n"
              "  rec Again {\n"
              "    A -> B: k\n"
              "    choice at A {\n"
              "      A -> B: l\n"
              "      continue Again\n"
              "    } or {\n"
              "      A -> B: m\n"
              "    }\n"
              "  }\n"
              "}\n");
}

TEST(Bpmn, HostileDiagramsEndInADiagnostic) {
    // Two chains that cross after every step never meet: the steps double each time.
    std::vector<std::string> nodes{"s", "x", "e", "e"};
    std::vector<std::pair<int, int>> flows{{0, 1}};
    int left = 1, right = 1;
    for (int i = 0; i < 60; ++i) {
        int a = static_cast<int>(nodes.size());
        for (const char* kind : {"k", "x", "l", "x"}) nodes.emplace_back(kind);
        flows.insert(flows.end(), {{left, a}, {right, a + 2}, {a, a + 1}, {a + 2, a + 3}});
        if (i > 0) flows.insert(flows.end(), {{left, a + 2}, {right, a}});
        left = a + 1;
        right = a + 3;
    }
    flows.insert(flows.end(), {{left, 2}, {right, 3}});
    EXPECT_TRUE(load(diagram(nodes, flows))->tells("T0873"));
    EXPECT_TRUE(load(diagram(std::vector<std::string>(1000, "k"), {}))->tells("T0873"));
    EXPECT_TRUE(load(diagram({"s", "p", "k", "l", "x", "m", "e"},
                             {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6}}))
                    ->tells("T0872"));
    EXPECT_TRUE(load(diagram({"e"}, {}))->tells("T0870"));
    EXPECT_TRUE(load("<a")->tells("T0690"));
}

TEST(Bpmn, NoGraphCrashesIt) {
    constexpr unsigned seed = 9;
    std::mt19937 random(seed);
    const std::string kinds[] = {"x", "x", "p", "k", "l", "m", "n", "e"};
    int loaded = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::string> nodes{"s"};
        for (std::size_t n = 2 + random() % 8; n > 0; --n)
            nodes.push_back(kinds[random() % std::size(kinds)]);
        std::vector<std::pair<int, int>> flows;
        int count = static_cast<int>(nodes.size());
        for (int n = 0; n < count; ++n) {
            if (nodes[static_cast<std::size_t>(n)] == "e") continue;
            bool gateway =
                nodes[static_cast<std::size_t>(n)] == "x" || nodes[static_cast<std::size_t>(n)] == "p";
            for (unsigned k = gateway ? 1 + random() % 2 : 1; k > 0; --k)
                flows.emplace_back(n, 1 + static_cast<int>(random() % static_cast<unsigned>(count - 1)));
        }
        std::string text = diagram(nodes, flows);
        auto r = load(text);
        ASSERT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok()) << "round " << i << "\n" << text;
        loaded += static_cast<bool>(r->loaded);
    }
    EXPECT_GT(loaded, 50);
}

TEST(Bpmn, NoTextCrashesIt) {
    constexpr unsigned seed = 8;
    std::mt19937 random(seed);
    const std::string good =
        diagram({"s", "x", "k", "l", "x", "p", "m", "n", "p", "e"},
                {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6}, {5, 7}, {6, 8}, {7, 8}, {8, 9}});
    ASSERT_TRUE(load(good)->loaded);
    for (int i = 0; i < 1500; ++i) {
        auto r = load(testing::mutated(good, random, "<>/=\"nsfab 01"));
        EXPECT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok())
            << "seed " << seed << " round " << i << "\n"
            << r->told();
    }
}

}  // namespace
}  // namespace treaty::formats::bpmn_test
