// A system under test: runs one test and says which verdicts were seen.
//
// A test is a trace and a set of events that is offered behind it. T(t, a) offers {a}: taking it is a
// failure. A conf test offers a set of which something must be taken: refusing all of it is a failure. If the
// trace cannot be done to its end the verdict is inconclusive. A system that is not deterministic may give
// several verdicts; all that it can give are assumed to be seen (the seed's first testability hypothesis), by
// repeating where one run shows only one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explore/refine_normal.h"
#include "model/alphabet.h"

namespace treaty::complete {

enum class TestKind : std::uint8_t { trace, conf };

struct Test {
    std::vector<model::LabelId> trace;
    explore::Acceptance offer;
    TestKind kind = TestKind::trace;
};

enum class WorldFault : std::uint8_t { none, start, gone, silent, nonsense };

struct Verdicts {
    bool pass = false, fail = false, inconclusive = false;
    std::size_t done = 0;  // events of the trace that some run has done
    WorldFault fault = WorldFault::none;
    std::string why;  // of the fault
};

std::string to_string(const Verdicts& verdicts);  // "pass", "fail", "inc", "inc, pass"

class Sut {
public:
    virtual ~Sut() = default;
    virtual Verdicts run(const Test& test) = 0;
};

// A model in the place of a system: every verdict it can give, at once. Labels of tests are those of `names`;
// the graph and names must outlive it. Cost: O(length of the trace) a test.
class GraphSut final : public Sut {
public:
    GraphSut(explore::Graph& graph, const model::Alphabet& names)
        : normal_(graph), map_(names, graph.alphabet()) {}
    Verdicts run(const Test& test) override;

private:
    explore::NormalForm normal_;
    explore::LabelMap map_;
};

}  // namespace treaty::complete
