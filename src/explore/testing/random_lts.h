// Small random machines of plain events, for property tests of refinement and of what builds on it.
#pragma once

#include <memory>
#include <random>
#include <string>

#include "model/machine.h"

namespace treaty::explore {

struct RandomLts {
    std::size_t states = 4;
    std::size_t labels = 2;  // named a, b, c, ...
    std::size_t edges = 6;
    unsigned silent_percent = 25;  // of the edges
    unsigned final_percent = 15;   // of the states
};

inline model::Machine random_lts(std::mt19937_64& random, const RandomLts& shape,
                                 const std::shared_ptr<model::Alphabet>& alphabet) {
    model::MachineBuilder builder("random", alphabet);
    for (std::size_t i = 0; i < shape.states; ++i) builder.state(random() % 100 < shape.final_percent);
    for (std::size_t i = 0; i < shape.edges; ++i) {
        model::StateId from(random() % shape.states), to(random() % shape.states);
        bool silent = random() % 100 < shape.silent_percent;
        std::string name(1, static_cast<char>('a' + random() % shape.labels));
        builder.edge(from, silent ? alphabet->silent() : alphabet->plain(name), to);
    }
    return builder.finish().value();
}

}  // namespace treaty::explore
