// What a test shows of the component's part: the lines of the protocol's text and the states of the machine,
// each with how often it was seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/input/inputs.h"
#include "api/inquiry.h"
#include "model/machine.h"
#include "roles/coverage.h"

namespace treaty::api {

// A line of the protocol's text, with how often its steps were seen.
struct TestedLine {
    std::uint32_t number = 0;
    std::string text;
    bool is_step = false;
    std::uint64_t seen = 0;
};

// A state of the component's machine and what leads out of it.
struct TestedState {
    struct Edge {
        std::string label;       // "client?mail"
        std::size_t target = 0;  // a state by its place in the list
        bool counted = true;     // no: nothing is exchanged
        std::uint64_t seen = 0;
    };
    std::string name;
    bool final = false;
    std::vector<Edge> edges;
};

struct TestDetails {
    std::vector<TestedLine> lines;
    std::vector<TestedState>
        states;  // the initial one first; none if there is no machine, or too large a one
    std::optional<model::Machine> machine;  // the same, if it is small enough to be drawn
};

// In Graphviz's language, edges of the classes `seen` and `unseen`; empty if there is nothing to draw.
std::string to_dot(const TestDetails& details);
// The same to be coloured later: the edges have the classes `step-0`, `step-1`, ... in the order of the
// states and their edges, and no numbers.
std::string to_dot_of_steps(const TestDetails& details);

class DetailsMaker {
public:
    // Derives the machine. All must outlive it.
    DetailsMaker(const Inquiry& inquiry, const ProtocolInput& input, model::RoleId component);

    TestDetails of(const roles::Coverage& coverage) const;

private:
    const Inquiry& inquiry_;
    const ProtocolInput& input_;
    std::optional<model::Machine> machine_;  // none: it has too many states, or cannot be derived
};

}  // namespace treaty::api
