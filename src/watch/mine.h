// A first protocol from traffic: a guess, made by merging states with equal futures (k-tails, Biermann 1972).
//
// Each session is a word of interactions in an order that agrees with every role's own order; interactions
// that cross each other, so that no such order exists, are one step of parallel ones. The words make a
// tree; states after which the same can happen for the next k steps are merged, and then as many more as it
// takes to have one successor for each step. The result is written as a protocol with `rec`, `choice` and
// `par`; where that text would be too long, k is lowered. It accepts every session that was seen, incomplete
// ones too, and usually more. Data is not looked at. Cost: sessions of equal words count once; linear in
// their steps for each k, times a logarithm.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "watch/record.h"

namespace treaty::watch {

struct MineOptions {
    std::size_t k = 2;
    std::size_t step_limit = 400;   // of the text
    std::size_t word_limit = 5000;  // steps of one session that are looked at
    std::string name = "Guess";
};

struct Guess {
    std::string text;                                                                   // of a .treaty file
    std::size_t k = 0, states = 0, sessions = 0, words = 0, interactions = 0, cut = 0;  // cut: too long
};

class Miner {
public:
    // The alphabet that the records speak of.
    explicit Miner(const model::Alphabet& alphabet) : alphabet_(alphabet) {}

    // Records in an order that agrees with each role's own (merge.h).
    void add(const Record& record);
    Guess guess(const MineOptions& options);

    using ParallelStep = std::vector<model::Event>;  // interactions, side by side; sorted
    using Word = std::vector<ParallelStep>;

private:
    struct Interaction {
        model::Event event;
        std::string correlation;
        bool sent = false, received = false;
        std::size_t place[2] = {};  // in its sender's and its receiver's own order
    };
    struct Session {
        std::vector<Interaction> interactions;
        std::map<model::RoleId, std::vector<std::size_t>> own;  // by role: its interactions in its order
        std::size_t open = 0;                                   // interactions before it are whole
    };
    Word word_of(const Session& session, std::size_t limit, std::size_t& cut) const;
    std::string print(const model::Event& event) const;

    friend class GuessWriter;
    const model::Alphabet& alphabet_;
    std::map<std::string, Session> sessions_;
};

}  // namespace treaty::watch
