// Work that the user has interrupted says so, and work whose time is up says that: wherever it stops.
#include "symbolic/stopping.h"

#include <gtest/gtest.h>

#include "choreo/testing/data.h"
#include "symbolic/check_data.h"
#include "symbolic/coherence.h"
#include "symbolic/conform.h"
#include "symbolic/product.h"
#include "symbolic/protocol_graph.h"

namespace treaty::symbolic {
namespace {

struct Stopping : ::testing::Test {
    Stopping() : protocol(choreo::testing::RandomData(spec, 7, true).make(4)) {
        auto made = protocol_graph(spec, protocol);
        EXPECT_TRUE(made) << made.error();
        graph = std::move(*made);
    }

    // What each kind of work says when it has to stop at once.
    std::vector<std::string> reasons(const base::Deadline& deadline) {
        std::vector<std::string> said{protocol_graph(spec, protocol, {1000, 1000, deadline}).error(),
                                      product({graph}, {1000, 1000, deadline}).error()};
        ConformanceLimits limits;
        limits.deadline = deadline;
        ConformReport compared = conform(graph, graph, limits);
        EXPECT_EQ(compared.conformance.answer, base::Answer::undecided);
        said.push_back(compared.conformance.reason);
        solve::Solver solver(*graph.pool);
        Reachability reach = reachability(graph, solver, {6, deadline});
        EXPECT_FALSE(reach.complete);
        Coherence coherent = coherence(graph, reach, solver);
        EXPECT_EQ(coherent.answer, base::Answer::undecided);
        said.push_back(coherent.reason);
        return said;
    }

    model::Specification spec;
    model::Protocol protocol;
    SymbolicGraph graph;
};

TEST_F(Stopping, TheTimeIsUp) {
    auto late = base::Deadline::after(std::chrono::nanoseconds(0));
    EXPECT_EQ(reasons(late), std::vector<std::string>(4, "time limit"));
}

TEST_F(Stopping, AnInterruptIsNoLimitOfTime) {
    base::StopSource user;
    user.request();
    base::Deadline stopped = base::Deadline().with(user.token());
    EXPECT_EQ(reasons(stopped), std::vector<std::string>(4, "interrupted"));
    EXPECT_EQ(reasons(base::Deadline::after(std::chrono::nanoseconds(0)).with(user.token())),
              std::vector<std::string>(4, "interrupted"));
    base::Diagnostics diagnostics;
    DataCheck checked = check_data(spec, protocol, diagnostics, stopped);
    EXPECT_FALSE(checked.complete);
    EXPECT_EQ(checked.reason, "interrupted");
}

}  // namespace
}  // namespace treaty::symbolic
