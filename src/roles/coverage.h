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

#include "expr/value.h"
#include "model/net.h"
#include "roles/value_class.h"

namespace treaty::roles {

struct Coverage {
    struct Step {
        model::NodeId node;
        bool to_component = false;
        std::uint64_t seen = 0;
        bool wrong = false;   // it came with wrong data
        bool due = false;     // a failure ended a session when it was expected
        bool unread = false;  // the same, on another connection
    };
    std::vector<Step> steps;  // by node
    std::map<std::pair<model::MessageId, std::size_t>, std::map<std::string_view, std::uint64_t>>
        values;  // by field

    Coverage() = default;
    explicit Coverage(const model::Net& net);

    std::size_t covered() const { return covered_; }
    bool seen(model::NodeId node, bool to_component) const;
    void note(model::NodeId node, bool to_component);
    // Of steps of the component that do not count as seen.
    void note_wrong(model::NodeId node);
    void note_due(model::NodeId node);
    void note_unread(model::NodeId node);
    // That a failure ended a session, as `other`, of the same net, knows it.
    void note_failures(const Coverage& other);
    void note(model::MessageId message, std::span<const expr::Value> fields);
    // Whether some field has a value of a class that was not seen yet.
    bool adds(model::MessageId message, std::span<const expr::Value> fields) const;
    void merge(const Coverage& other);  // of the same net

private:
    std::size_t covered_ = 0;
};

}  // namespace treaty::roles
