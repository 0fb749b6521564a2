// What a test has covered of the component's part: steps, branches, values; and what was never seen, with the
// decision that would have led there.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/input/inputs.h"
#include "api/inquiry.h"
#include "api/program/kept_failures.h"
#include "campaign/missing.h"
#include "roles/role_part.h"

namespace treaty::api {

// A step that was never seen.
struct UnseenStep {
    std::string step;  // "A -> B: m"
    std::uint32_t line = 0;
    bool by_tester = false;        // who sends it; else the component
    bool reachable = true;         // no: its conditions exclude each other, proved
    bool up_to_component = false;  // only the component can bring it about
    bool wrong = false;            // it came, but with wrong data
    bool unread = false;           // a failure ended a session when it was expected on another connection
    campaign::Missing::Cause cause = campaign::Missing::Cause::not_reached;
    std::optional<std::uint32_t> at;  // the line of the choice, the loop, the condition
    std::string decider;              // who decides there; empty where data does
};

// The classes of values of a field, each with how often it was seen.
struct SeenField {
    std::string message, field;
    std::vector<std::pair<std::string, std::uint64_t>> classes;
    struct Unseen {
        std::string name;
        bool reachable = true;  // no: no message that is allowed has such a value
    };
    std::vector<Unseen> unseen;
};

struct TestedCoverage {
    std::size_t covered = 0, total = 0;  // steps
    campaign::Measure messages, branches, guards;
    std::vector<std::pair<std::string, campaign::Measure>> roles;  // steps with each other role
    // Of the unseen steps: those that depend on what the component decides, and those that can never happen.
    std::size_t up_to_component = 0, impossible = 0;
    std::vector<UnseenStep> unseen;   // in the order of the protocol
    campaign::Measure value_classes;  // those that are reachable
    std::vector<SeenField> fields;
    std::optional<MergedCoverage> merged;  // with earlier runs, if there is a store
};

// part: of the component. patience: how much time of the processor proofs may take that unseen steps are
// impossible.
TestedCoverage tested_coverage(const Inquiry& inquiry, const ProtocolInput& input, roles::RolePart& part,
                               const roles::Coverage& coverage, std::chrono::milliseconds patience);

}  // namespace treaty::api
