// A capacity that is as good as none: when channels of this size show everything that unbounded ones do.
//
// Over unbounded FIFO channels most questions are undecidable, and a plain loop such as "A sends m to B,
// again and again" already has infinitely many configurations. For many systems a small capacity k is enough,
// because every run can be reordered and continued into one that never needs more room. Two conditions, each
// of them enough, are checked on the configurations that are reachable with capacity k.
//
//   certain      A role that finds a channel full when it wants to send finds room after steps of others that
//   these do in
//                any case, or receives that change nothing else they may do, before or after.
//
//   or all of (after Lange and Yoshida, "Verifying asynchronous interactions via communicating session
//   automata", 2019): exhaustive   a role that finds a channel full when it wants to send finds room after
//   steps of others; sends        where a machine can send one thing, it can send everything else its state
//   offers, at the latest
//                after `certain` steps have made room;
//   receives     where a machine can receive from one sender, nothing that it would take from another sender
//   can
//                come first, however long it waits;
//   and no configuration lets a machine choose between sending and receiving.
//
// Then for every run r from a configuration reachable with capacity k there is a continuation c such that r c
// is equal, up to the order of events of different machines, to a run that never exceeds k. Hence over
// unbounded channels a deadlock, an unspecified reception, an orphan message or a stuck role exists exactly
// if it exists with capacity k. If no machine's own events had to change places either (`same_words`), all
// runs spell words of a language that is closed under prefixes and under reordering events of different
// machines exactly if the runs with capacity k do.
//
// Why: follow r step by step. A step that finds no room waits for others to make some. With `certain` steps
// they do what they do in r, perhaps earlier. Otherwise one of the others may do something else than in r. If
// that was a send, r's send is possible as well and is taken instead (`sends`); a receive from another sender
// is excluded by `receives`. Each such correction does one more event of r, so they come to an end.
//
// Only for fifo systems of deterministic machines without silent steps; else, and where no capacity up to
// `most` will do within the limit, there is none, with the reason. Cost: the configurations with capacity k,
// plainly stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/system.h"

namespace treaty::explore {

struct ExhaustiveBound {
    std::optional<std::uint32_t> bound;
    bool same_words = false;
    std::string reason;  // empty exactly if there is a bound
};

ExhaustiveBound exhaustive_bound(const model::System& system, std::uint32_t most = 3,
                                 std::size_t max_configurations = 20'000);

}  // namespace treaty::explore
