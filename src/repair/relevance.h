// Which additions can help to repair a problem: a set of additions that has none of them leaves the
// problem as it is. So a search that tries, for one problem at a time, all that are relevant misses no set,
// and problems of which no addition is relevant to two need as many additions as they are.
//
// The reasons, by kind:
//   order     something must be between the two interactions;
//   data      the value, or what it is computed from, must come to the role in some message, or another role
//             check the guard;
//   deciders  only the first interactions of the continuations from the state decide;
//   untold    what a role can tell apart are its first events on the two ways: those change only by what is
//             added to its part before them. Where its own event is one of the two, anything before that
//             makes the decision one of others, which the role need not see if it goes on alike. Or the role
//             comes to know what the guards ask. What another one is
//             ready to send too early changes by what is added to that one's part, or to the role's. An
//             addition is a message of its own, so it makes two ways alike only by taking over the guard of
//             what the role sends, wherever that is;
//   together  anything.
#pragma once

#include <cstdint>
#include <vector>

#include "repair/addition.h"

namespace treaty::repair {

// A set of additions: a bit each, the sayings of one position together.
class AdditionSet {
public:
    AdditionSet(std::size_t positions, std::size_t sayings)
        : width_((sayings + 63) / 64), words_(positions * width_) {}

    void add(AdditionSpace::Index i) { words_[word(i)] |= bit(i); }
    void add(std::size_t position, const AdditionSet& sayings) {  // those of its first position
        for (std::size_t w = 0; w < width_; ++w) words_[position * width_ + w] |= sayings.words_[w];
    }
    void remove(AdditionSpace::Index i) { words_[word(i)] &= ~bit(i); }
    bool has(AdditionSpace::Index i) const { return words_[word(i)] & bit(i); }
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
    template <class Visit>  // visit(index)
    void each(Visit visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest; rest &= rest - 1)
                visit(AdditionSpace::Index{
                    w / width_, w % width_ * 64 + static_cast<std::size_t>(__builtin_ctzll(rest))});
    }

private:
    std::size_t word(AdditionSpace::Index i) const { return i.position * width_ + i.saying / 64; }
    static std::uint64_t bit(AdditionSpace::Index i) { return std::uint64_t{1} << (i.saying % 64); }

    std::size_t width_;
    std::vector<std::uint64_t> words_;
};

// Answers for one draft; what it is given must outlive it. Cost per problem: the states between the
// decision and what a role does next, the positions, and the sayings.
class Relevance {
public:
    Relevance(const model::SymbolicGraph& graph, const AdditionSpace& space) : graph_(graph), space_(space) {}

    AdditionSet to(const Problem& problem) const;
    // Those of them that could repair it alone.
    AdditionSet alone(const Problem& problem, symbolic::CommunicationMode mode) const;

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
    void take(Reach& out, std::vector<model::GraphStateId>& pending, model::GraphStateId s,
              model::GraphEdgeId e, model::RoleId role) const;
    void walk(Reach& out, std::vector<model::GraphStateId>& pending, model::RoleId role) const;
    bool guarded_send(const Addition& position, model::RoleId role) const;
    // Whether what others do there comes between the decision and the role's own part in it.
    bool puts_off(const Problem& problem, const Addition& position) const;
    bool within(const Reach& reach, const Addition& position) const;
    AdditionSet sayings(model::RoleId role) const;  // in which it has a part
    AdditionSet telling(model::RoleId role, const std::vector<expr::VarId>& variables) const;
    AdditionSet at(const Problem& problem, const AdditionSet& what) const;
    AdditionSet anything() const;
    AdditionSet untold(const Problem& problem) const;
    std::vector<expr::VarId> asked(model::GraphStateId s) const;  // by the guards

    const model::SymbolicGraph& graph_;
    const AdditionSpace& space_;
};

// Problems of one draft, each with the additions that are relevant to it; what it points to must outlive it.
struct RelevantProblem {
    const Problem* problem = nullptr;
    const AdditionSet* relevant = nullptr;
};

// A number of additions without which these problems are not repaired.
std::size_t lower_bound(const std::vector<RelevantProblem>& problems);

// Whether, once this addition is made, so many others may repair the problems to which it is not relevant.
bool may_be_completed(const std::vector<RelevantProblem>& problems, AdditionSpace::Index addition,
                      std::size_t others);

}  // namespace treaty::repair
