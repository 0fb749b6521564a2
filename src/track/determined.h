// What a role can take that cannot tell where it is.
//
// Two branches, or a step that may be left out, can look the same to a role for a while:
//
//     optional at A { A -> B: m }  A -> B: m        choice at A { A -> C: x  A -> B: m  A -> B: n } or { A ->
//     C: y  A -> B: m }
//
// After one `m`, B's part is in one of two configurations, and one of them takes nothing more. But B was not
// told which, so B has to be ready for whatever either of them takes: that is what its machine says, which is
// deterministic (docs/semantics.md). Here the configurations that the role cannot tell apart, because it took
// and sent the same on the way to them, are one group. Groups differ in what the role did on its own and the
// tester does not know yet. What can be sent is what every group takes.
//
// Followed only while it is asked: a session hardly ever needs it. Work is bounded, for a session as a whole;
// beyond the bound nothing can be taken, as far as this knows. Not safe for concurrent use.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "track/inference.h"

namespace treaty::track {

class Determined {
public:
    explicit Determined(Inference& inference);

    // The next event that was observed, in the order in which it was.
    void observe(model::LabelId label, std::span<const expr::Value> values);
    std::size_t observed() const { return observed_; }

    // Whether every group takes this input, whatever the role does on its own until it arrives; with these
    // values, where it would take it at once. False once there are too many groups.
    bool takes(model::LabelId input);
    bool takes(model::LabelId input, std::span<const expr::Value> values);

private:
    struct Group {
        std::vector<Configuration> members;  // nothing is pending in them
        std::vector<Pending> pending;
        friend bool operator==(const Group&, const Group&) = default;
    };
    using Markings = std::vector<Marking>;  // ascending
    using Node = std::pair<Markings, std::vector<model::LabelId>>;
    struct Reached;

    bool add(std::vector<Group>& groups, Group group) const;
    std::vector<Configuration> after(const std::vector<Configuration>& members, model::LabelId label,
                                     const Values* values);
    bool explained(const Group& group);
    bool drains(const Group& group, model::LabelId input);
    Markings silently(Markings from);
    Markings step(const Markings& from, model::LabelId label);
    bool spend(std::size_t work);

    Inference& inference_;
    std::vector<Group> groups_;
    std::size_t observed_ = 0, work_ = 0;
    bool lost_ = false;
};

}  // namespace treaty::track
