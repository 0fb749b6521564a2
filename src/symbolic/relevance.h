// Which additions can help to repair a problem: a set of additions that has none of them leaves the
// problem as it is. So a search that tries, for one problem at a time, all that are relevant misses no set,
// and problems of which no addition is relevant to two need as many additions as they are.
//
// The reasons, by kind:
//   order     something must stand between the two interactions;
//   data      the value, or what it is computed from, must come to the role in some message, or another role
//             check the guard;
//   deciders  only the first interactions of the continuations from the state decide;
//   untold    what a role can tell apart are its first events on the two ways: those change only by what is
//             added to its part before them. Or it comes to know what the guards ask. What another one is
//             ready to send too early changes by what is added to that one's part, or to the role's. An
//             addition is a message of its own, so it makes two ways alike only by taking over the guard of
//             what the role sends, wherever that is;
//   together  anything.
#pragma once

#include <cstdint>
#include <vector>

#include "symbolic/additions.h"

namespace treaty::symbolic {

// A set of additions: a bit each, the sayings of one place together.
class AdditionSet {
public:
    AdditionSet(std::size_t places, std::size_t sayings)
        : width_((sayings + 63) / 64), words_(places * width_) {}

    void add(std::size_t place, std::size_t saying) { word(place, saying) |= bit(saying); }
    void add(std::size_t place, const AdditionSet& sayings) {  // those of its first place
        for (std::size_t w = 0; w < width_; ++w) words_[place * width_ + w] |= sayings.words_[w];
    }
    bool has(std::size_t place, std::size_t saying) const {
        return words_[place * width_ + saying / 64] & bit(saying);
    }
    void join(const AdditionSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    }
    void meet(const AdditionSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    }
    bool meets(const AdditionSet& other) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            if (words_[w] & other.words_[w]) return true;
        return false;
    }
    std::size_t size() const {
        std::size_t n = 0;
        for (std::uint64_t w : words_) n += static_cast<std::size_t>(__builtin_popcountll(w));
        return n;
    }
    template <class Visit>  // visit(place, saying)
    void each(Visit visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest; rest &= rest - 1)
                visit(w / width_, w % width_ * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    }

private:
    std::uint64_t& word(std::size_t place, std::size_t saying) {
        return words_[place * width_ + saying / 64];
    }
    static std::uint64_t bit(std::size_t saying) { return std::uint64_t{1} << (saying % 64); }

    std::size_t width_;
    std::vector<std::uint64_t> words_;
};

// Answers for one draft; what it is given must outlive it. Cost a problem: the states between the decision
// and what a role does next, the places, and the sayings.
class Relevance {
public:
    Relevance(const SymbolicGraph& graph, const AdditionSpace& space) : graph_(graph), space_(space) {}

    AdditionSet to(const Problem& problem) const;
    // Those of them that could repair it alone.
    AdditionSet alone(const Problem& problem, CommunicationMode mode) const;

private:
    // What is between an edge and the first event of a role.
    struct Reach {
        model::ByGraphState<bool> states;                     // after edges without the role
        model::ByGraphState<model::ByGraphEdge<bool>> edges;  // by state: up to the first with the role
    };
    Reach reach(const Problem& problem, model::RoleId role) const;
    // What is between an edge and what the rival does first, from any place that others come to before the
    // role hears of the way.
    Reach rivals_reach(const Problem& problem) const;
    void take(Reach& out, std::vector<GraphStateId>& pending, GraphStateId s, GraphEdgeId e,
              model::RoleId role) const;
    void walk(Reach& out, std::vector<GraphStateId>& pending, model::RoleId role) const;
    bool guarded_send(const Addition& place, model::RoleId role) const;
    bool within(const Reach& reach, const Addition& place) const;
    AdditionSet sayings(model::RoleId role) const;  // in which it has a part
    AdditionSet telling(model::RoleId role, const std::vector<VarId>& variables) const;
    AdditionSet at(const Problem& problem, const AdditionSet& what) const;
    AdditionSet anything() const;
    AdditionSet untold(const Problem& problem) const;
    std::vector<VarId> asked(GraphStateId s) const;  // by the guards

    const SymbolicGraph& graph_;
    const AdditionSpace& space_;
};

// At least so many additions are needed for these problems of a draft.
std::size_t at_least(const std::vector<const Problem*>& problems,
                     const std::vector<const AdditionSet*>& relevant);

}  // namespace treaty::symbolic
