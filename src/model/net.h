// Net: a labelled Petri net with data, what running conversations are tracked on.
//
// Parallel segments have tokens of their own, so a net stays as small as its text: nothing is multiplied
// out. A transition takes a token from each of `from`, empties each of `clears` (that is how an interrupt
// cuts off what it interrupts), checks its guard, and puts a token on each of `to`. A silent transition
// lets the conversation go on without an event. The net ends successfully in the marking that has exactly
// the tokens of `final`, semaphores apart.
//
// Lists of tokens are multisets: a place that is listed twice has two tokens, an arc of weight 2 is listed
// twice in `from` or `to`. A marking is such a list, too. So numbers of tokens cost memory in proportion;
// they are bounded (max_tokens), and what only reads nets of protocols never meets a second token.
// Frozen once built; reading from many threads is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/pool.h"
#include "model/alphabet.h"
#include "model/protocol.h"

namespace treaty::model {

using PlaceId = base::Id<struct PlaceTag>;
using TransitionId = base::Id<struct TransitionTag>;

struct Assignment {
    expr::VarId variable;
    expr::ExprId value;
    friend bool operator==(const Assignment&, const Assignment&) = default;
};

struct Place {
    NodeId node;             // the step of the protocol that this place is before; none for inner ones
    bool semaphore = false;  // tokens here are signals: they may be left over at the end
    std::string name;        // as a file names it; empty for places of protocols
};

struct Transition {
    LabelId label;
    NodeId node;                          // where it comes from
    std::vector<PlaceId> from;            // sorted; a place once for each token
    std::vector<PlaceId> to;              // sorted; a place once for each token
    std::vector<PlaceId> clears;          // sorted, without repeats
    expr::ExprId guard;                   // checked before; none means true
    std::vector<Argument> data;           // of the event: what it binds or must equal
    expr::ExprId where;                   // on the event's data; none means true
    std::vector<Assignment> assignments;  // after
    bool silent() const { return label.index == 0; }
    bool plain_silent() const { return silent() && !guard && clears.empty() && assignments.empty(); }
};

// Equal neighbours of a sorted list of tokens, as one place and how many.
struct Tokens {
    PlaceId place;
    std::uint32_t count;
    friend bool operator==(const Tokens&, const Tokens&) = default;

    template <typename H>
    friend H AbslHashValue(H h, const Tokens& tokens) {
        return H::combine(std::move(h), tokens.place, tokens.count);
    }
};
std::vector<Tokens> counted(std::span<const PlaceId> tokens);

class Net {
public:
    // On all arcs together, and in the initial and the final marking together.
    static constexpr std::size_t max_tokens = 10'000'000;

    const Alphabet& alphabet() const { return *alphabet_; }
    const std::shared_ptr<Alphabet>& alphabet_ptr() const { return alphabet_; }
    const std::shared_ptr<expr::Pool>& pool() const { return pool_; }  // null for nets without data
    // The same over copies of its tables, in which all ids mean the same.
    Net over(std::shared_ptr<Alphabet> alphabet, std::shared_ptr<expr::Pool> pool) const;
    std::span<const Place> places() const { return places_; }
    std::span<const Transition> transitions() const { return transitions_; }
    std::span<const PlaceId> initial() const { return initial_; }  // sorted; a place once for each token
    std::span<const PlaceId> final() const { return final_; }      // sorted; a place once for each token
    std::span<const TransitionId> consumers(PlaceId place) const;  // that take from it, each once
    std::span<const TransitionId> producers(PlaceId place) const;  // that put on it, each once
    std::string_view name() const { return name_; }

private:
    friend class NetBuilder;
    std::string name_;
    std::shared_ptr<Alphabet> alphabet_;
    std::shared_ptr<expr::Pool> pool_;
    std::vector<Place> places_;
    std::vector<Transition> transitions_;
    std::vector<PlaceId> initial_;
    std::vector<PlaceId> final_;
    std::vector<std::uint32_t> consumer_rows_, producer_rows_;
    std::vector<TransitionId> consumers_, producers_;
};

class NetBuilder {
public:
    NetBuilder(std::string name, std::shared_ptr<Alphabet> alphabet,
               std::shared_ptr<expr::Pool> pool = nullptr);

    PlaceId place(NodeId node = {}, bool semaphore = false, std::string name = {});
    TransitionId transition(Transition transition);  // its places are sorted here
    void initial(PlaceId place);                     // one more token; the same for final
    void final(PlaceId place);

    Alphabet& alphabet() { return *net_.alphabet_; }
    std::vector<Transition>& transitions() { return net_.transitions_; }  // for passes over a net being built
    std::vector<Place>& places() { return net_.places_; }

    // Refuses dangling places, transitions without a source, an unmarked net, too many tokens; fault() says
    // which.
    std::optional<Net> finish();
    const std::string& fault() const { return fault_; }

private:
    Net net_;
    std::string fault_;
};

}  // namespace treaty::model
