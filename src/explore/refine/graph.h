// What refinement looks at: a graph of states whose edges may be made only when they are asked for.
//
// State 0 is initial. out(s) is sorted by (label, target); the span stays valid as long as the graph lives.
// Label 0 of the alphabet is the silent step. A final state is one that can end successfully, which CSP
// writes as the event tick; there is no edge for it. A graph that cannot go on (a limit, a fault in what it
// is made from) is broken(): out() then gives nothing, why() says why, and nothing may be concluded from
// what is missing. Not safe for several threads: asking may build.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/limits.h"
#include "model/machine.h"

namespace treaty::explore {

class Graph {
public:
    virtual ~Graph() = default;
    virtual const model::Alphabet& alphabet() const = 0;
    virtual std::span<const model::Edge> out(model::StateId s) = 0;
    virtual bool final(model::StateId s) = 0;
    // Whether it is known that no state has a silent step.
    virtual bool never_silent() { return false; }
    // How many states there are, if that is known without looking; 0 otherwise.
    virtual std::size_t state_count() const { return 0; }

    bool broken() const { return broken_; }
    base::StopReason stopped() const { return stopped_; }
    const std::string& why() const { return why_; }

protected:
    void give_up(base::StopReason reason, std::string why);

private:
    bool broken_ = false;
    base::StopReason stopped_ = base::StopReason::none;
    std::string why_;
};

// A machine as a graph; the machine must outlive it. Data is not looked at.
class MachineGraph final : public Graph {
public:
    enum class Finals : std::uint8_t { seen, ignored };
    explicit MachineGraph(const model::Machine& machine, Finals finals = Finals::seen)
        : machine_(machine), finals_(finals) {}

    const model::Alphabet& alphabet() const override { return machine_.alphabet(); }
    std::span<const model::Edge> out(model::StateId s) override { return machine_.out(s); }
    bool final(model::StateId s) override { return finals_ == Finals::seen && machine_.final(s); }
    bool never_silent() override;  // looks at every state
    std::size_t state_count() const override { return machine_.state_count(); }

private:
    const model::Machine& machine_;
    Finals finals_;
};

// Another graph as a notation without ends sees it: to end is to stop. What can end and go on may stop
// silently, so that it may still refuse everything. The graph must outlive this one. State 1 is the stopped
// one; those of the other graph move up to make room for it. Cost: a copy of every edge that is asked for.
class WithoutEnds final : public Graph {
public:
    explicit WithoutEnds(Graph& of) : of_(of) {}

    const model::Alphabet& alphabet() const override { return of_.alphabet(); }
    std::span<const model::Edge> out(model::StateId s) override;
    bool final(model::StateId) override { return false; }

private:
    Graph& of_;
    absl::flat_hash_map<model::StateId, std::unique_ptr<std::vector<model::Edge>>> known_;
};

// Labels of one alphabet as labels of another, by their text; the silent step is the silent step. A message
// between roles is also found under the name of a plain event, so that a process of a script can be compared
// with a role: "A B!m" is send.A.B.m, "A B?m" receive.A.B.m, and "A -> B: m" message.A.B.m. Alphabets may
// grow meanwhile. Cost: O(1) a label after the first time.
class LabelMap {
public:
    LabelMap(const model::Alphabet& from, const model::Alphabet& to) : from_(from), to_(to) {}

    // None if `to` has no such label.
    model::LabelId operator()(model::LabelId label) { return identity() ? label : find(label); }
    bool identity() const { return &from_ == &to_; }

private:
    model::LabelId find(model::LabelId label);

    const model::Alphabet& from_;
    const model::Alphabet& to_;
    std::vector<model::LabelId> known_;
    absl::flat_hash_map<std::string, model::LabelId> texts_, plain_texts_;
    std::size_t read_ = 1;  // labels of `to` that are in texts_; the silent step never is
};

}  // namespace treaty::explore
