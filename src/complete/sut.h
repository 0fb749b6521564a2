// A system under test: runs one test and reports which verdicts were seen.
//
// A test is a trace and a set of events that is offered after it. T(t, a) offers {a}: taking it is a
// failure. A conf test offers a set of which something must be taken: refusing all of it is a failure. If the
// trace cannot be done to its end the verdict is inconclusive. A successful end is offered like an event, as
// the label 0: T(t, 0) fails if the system can end after t, and a conf test whose set has 0 is passed by
// ending. A system that is not deterministic may give several verdicts; all that it can give are assumed to
// be seen (Cavalcanti 2017: testability), by repeating where one run shows only one. Refusing is for states
// without silent steps, as in failures refinement: a model that only runs silently for ever refuses nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explore/refine/normal.h"
#include "model/alphabet.h"

namespace treaty::complete {

enum class TestKind : std::uint8_t { trace, conf };

struct Test {
    std::vector<model::LabelId> trace;
    explore::Acceptance offer;  // sorted; the label 0 is a successful end
    TestKind kind = TestKind::trace;
    // How many of its first events are those of the test before: what a system that remembers need not do
    // again.
    std::size_t same = 0;
};

enum class WorldFault : std::uint8_t { none, start, gone, silent, nonsense };

struct Verdicts {
    bool pass = false, fail = false, inconclusive = false;
    std::size_t done = 0;  // events of the trace that some run has done
    // After the trace it may run silently for ever. Known of a model; of a program it cannot be known.
    bool silent_for_ever = false;
    WorldFault fault = WorldFault::none;
    std::string why;  // of the fault
};

std::vector<std::string_view> names_of(const Verdicts& verdicts);  // of "inc", "pass", "fail"
std::string to_string(const Verdicts& verdicts);                   // "pass", "fail", "inc", "inc, pass"

class Sut {
public:
    virtual ~Sut() = default;
    virtual Verdicts run(const Test& test) = 0;
};

// A model in the place of a system: every verdict it can give, at once. Labels of tests are those of `names`;
// the graph and names must outlive it. Cost: O(events that are not those of the test before) a test.
class GraphSut final : public Sut {
public:
    GraphSut(explore::Graph& graph, const model::Alphabet& names)
        : normal_(graph), map_(names, graph.alphabet()) {}
    Verdicts run(const Test& test) override;

private:
    // Where the trace of the last test led, event by event, as far as it could be done.
    struct Place {
        explore::NormalId node;
        bool refusable;  // some event before may have been refused
    };
    bool refusable(explore::NormalId node, const explore::Acceptance& offer);
    void follow(const Test& test);

    explore::NormalForm normal_;
    explore::LabelMap map_;
    std::vector<Place> places_;
};

}  // namespace treaty::complete
