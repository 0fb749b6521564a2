// What has been seen of the component's part, in all sessions: its steps, and for each field of its messages
// the classes of values (empty, one, boundary, large, ...).
//
// Merging adds the counts, so several testers have one coverage.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drive/value_class.h"
#include "expr/value.h"
#include "model/net.h"

namespace treaty::drive {

struct Coverage {
    struct Step {
        model::NodeId node;
        bool to_component = false;
        std::uint64_t seen = 0;
    };
    std::vector<Step> steps;  // by node
    std::map<std::pair<model::MessageId, std::size_t>, std::map<std::string_view, std::uint64_t>>
        values;  // by field

    Coverage() = default;
    explicit Coverage(const model::Net& net);

    std::size_t covered() const { return covered_; }
    bool seen(model::NodeId node, bool to_component) const;
    void note(model::NodeId node, bool to_component);
    void note(model::MessageId message, std::span<const expr::Value> fields);
    // Whether some field has a value of a class that was not seen yet.
    bool adds(model::MessageId message, std::span<const expr::Value> fields) const;
    void merge(const Coverage& other);  // of the same net

private:
    std::size_t covered_ = 0;
};

}  // namespace treaty::drive
