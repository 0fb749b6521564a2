// Ways to fix the choices of one machine, counted and numbered without building any (Coto 2023, section 3.2).
//
// A state decides if it has a send and something else to do. Fixing it keeps one of its sends and drops all
// its other edges: receives beside a send (mixed choice) are dropped too, since they can still happen after
// the send. In a final state the role may also stop: then all its sends are dropped, and receives stay. The
// projections are deterministic, so no other state has to be fixed, and which state is fixed first makes no
// difference (theorem 3.12): a way is one send for each deciding state.
//
// With Mixed::also_wait a role may also wait where it could send: then its sends are dropped, and receives
// stay. That what comes after the send subsumes what comes before it is true of what each role accepts, but
// not of what they see together: who hears of the send only after a message has come can show a component
// that did not wait for it. With these ways every run of the whole machine is a run of one of its ways, if
// the machine has no cycle. A role may wait in vain, so a run that ends there says nothing (comply.h).
//
// With Keep::all every combination is a way, as in Coto 2023. With Keep::reachable choices in states that the
// other choices made unreachable are not made, so every way gives a different machine: two ways differ in the
// first state both reach and treat differently, hence in their words. That needs a machine without cycles;
// one with cycles is counted as with Keep::all.
//
// Cost: linear in the machine where different ways meet again only in sequence; states that several receives
// lead to at once make the numbering share less. It is bounded by max_steps; beyond it there is no count and
// no way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <gmpxx.h>

#include "model/machine.h"

namespace treaty::testgen {

using Count = mpz_class;

enum class Keep : std::uint8_t { all, reachable };
enum class Mixed : std::uint8_t { send_first, also_wait };

// By state: the position in out(s) of the send that is kept, or stop, or wait, or free.
struct Fixing {
    static constexpr std::uint32_t free = UINT32_MAX;
    static constexpr std::uint32_t stop = UINT32_MAX - 1;
    static constexpr std::uint32_t wait = UINT32_MAX - 2;
    static constexpr bool silent(std::uint32_t kept) { return kept == stop || kept == wait; }
    std::vector<std::uint32_t> kept;
};

// What a deciding state decides between: sends by their position in out(s), stop and wait; empty if it does
// not decide. A role that may stop need not wait.
std::vector<std::uint32_t> options_of(const model::Machine& machine, model::StateId s,
                                      Mixed mixed = Mixed::send_first);

// Whether there is a state with the option to wait.
bool may_wait(const model::Machine& machine);

class Splitting {
public:
    static constexpr std::size_t max_steps = 500'000;

    Splitting(const model::Machine& machine, Keep keep, Mixed mixed = Mixed::send_first);

    bool counted() const { return counted_; }
    const Count& count() const { return count_; }  // valid if counted()
    // The index-th way; valid for index < count().
    Fixing at(Count index) const;

private:
    friend class WayCounter;
    // The ways to fix what a set of states leads to: a sum over the sends of one state, or a product of
    // independent sets.
    struct Ways {
        std::uint32_t state = Fixing::free;  // of a sum
        std::vector<std::uint32_t> sends;    // of a sum, parallel to parts
        std::vector<std::uint32_t> parts;    // positions in ways_
        Count count;
    };
    Fixing unrank_all(Count index) const;

    Keep keep_;
    bool counted_ = true;
    Count count_ = 1;
    std::size_t states_;
    std::vector<std::vector<std::uint32_t>> options_;  // by state
    std::vector<Ways> ways_;                           // the last one is the whole
};

// The machine of a way. With Keep::reachable its states are those that are still reachable, numbered
// breadth-first; else all of them, as they were. origin[s] is the state that s was before.
struct SplitMachine {
    model::Machine machine;
    std::vector<model::StateId> origin;
    std::vector<bool> waits;  // by state
};
SplitMachine apply(const model::Machine& machine, const Fixing& fixing, Keep keep);

// All ways at once: a deciding state becomes one state for each of its options, and what leads there leads
// to each of them. In a machine without cycles a state is met once in a run, so the runs are exactly those of
// all ways together.
SplitMachine all_ways(const model::Machine& machine, Mixed mixed = Mixed::send_first);

}  // namespace treaty::testgen
