#include "draw/graphviz.h"

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace treaty::draw {
namespace {

const std::string small = "digraph g { a -> b [label=\"x < y & --> z\"]; b -> c; }";

TEST(Draw, GivesTheSameSvgWithoutCommentsOrVersions) {
    Drawing first = svg_of_dot(small);
    ASSERT_TRUE(first.svg) << first.fault;
    EXPECT_EQ(first.svg->rfind("<svg", 0), 0u);
    EXPECT_EQ(first.svg->find("<!--"), std::string::npos);
    EXPECT_EQ(first.svg->find("Generated"), std::string::npos);
    EXPECT_NE(first.svg->find("prefers-color-scheme"), std::string::npos);
    EXPECT_NE(first.svg->find("</svg>"), std::string::npos);
    EXPECT_EQ(svg_of_dot(small).svg, first.svg);
}

TEST(Draw, FaultsComeBackAsText) {
    testing::internal::CaptureStderr();
    for (const char* text : {"", "digraph g { a -> ", "not a graph", "digraph g { a [shape=\"\x01\" }"}) {
        Drawing drawing = svg_of_dot(text);
        EXPECT_FALSE(drawing.svg) << text;
        EXPECT_NE(drawing.fault, "") << text;
        EXPECT_EQ(drawing.fault.find('\n'), std::string::npos);
    }
    EXPECT_TRUE(svg_of_dot(small).svg);  // a fault does not stay
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Draw, RefusesWhatWouldTakeForEver) {
    std::string large = "digraph g {";
    for (std::size_t i = 0; i <= max_drawn_elements; ++i) large += "n" + std::to_string(i) + ";";
    Drawing drawing = svg_of_dot(large + "}");
    EXPECT_FALSE(drawing.svg);
    EXPECT_NE(drawing.fault.find("4001"), std::string::npos) << drawing.fault;
}

TEST(Draw, EndsALayoutThatTakesTooLong) {
    std::string tangle = "digraph g {";
    for (int i = 0; i < 3000; ++i)
        tangle += "n" + std::to_string(i * 7919 % 613) + " -> n" + std::to_string(i * 104729 % 617) + ";";
    Drawing drawing = svg_of_dot(tangle + "}", {}, std::chrono::milliseconds(200));
    EXPECT_FALSE(drawing.svg);
    EXPECT_EQ(drawing.fault, "Graphviz needs more than 0.2 seconds to lay the graph out");
}

TEST(Draw, TheUserMayInterrupt) {
    base::StopSource user;
    user.request();
    Drawing drawing = svg_of_dot(small, base::Deadline().with(user.token()));
    EXPECT_FALSE(drawing.svg);
    EXPECT_EQ(drawing.fault, "interrupted while Graphviz was laying the graph out");
}

TEST(Draw, ManyThreadsMayAsk) {
    std::string expected = svg_of_dot(small).svg.value();
    ASSERT_NE(std::signal(SIGPIPE, SIG_DFL), SIG_ERR);
    std::atomic<bool> done = false;
    // A fork without exec could take over a lock that one of these holds at that moment.
    std::vector<std::thread> allocating;
    allocating.reserve(2);
    for (int i = 0; i < 2; ++i)
        allocating.emplace_back([&done] {
            for (std::size_t n = 0; !done; ++n) std::string(100 + n % 5000, 'x').append("y");
        });
    std::vector<std::string> got(8);
    std::vector<std::thread> drawing;
    for (std::size_t i = 0; i < got.size(); ++i)
        drawing.emplace_back([&one = got[i], i] {
            for (int round = 0; round < 3; ++round) {
                EXPECT_FALSE(svg_of_dot("digraph g { n" + std::to_string(i) + " -> ").svg);
                one = svg_of_dot(small).svg.value_or("none");
            }
        });
    for (std::thread& thread : drawing) thread.join();
    done = true;
    for (std::thread& thread : allocating) thread.join();
    for (const std::string& one : got) EXPECT_EQ(one, expected);
}

}  // namespace
}  // namespace treaty::draw
