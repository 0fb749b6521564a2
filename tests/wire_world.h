// A specification with one wire, read from a text that a test makes, and random numbers.
#pragma once

#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "lang/read.h"
#include "wire/shapes.h"

namespace treaty {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) {
    return static_cast<std::size_t>(random() % bound);
}

// Throws if the text does not mean anything: what a test writes is meant to be right.
struct WireWorld {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::optional<model::Specification> read;
    std::vector<wire::MessageShape> shapes;

    explicit WireWorld(const std::string& text) {
        read = lang::read(sources, sources.add("test.treaty", text), diagnostics);
        if (!read || !diagnostics.ok())
            throw std::runtime_error((diagnostics.all().empty() ? "" : diagnostics.all()[0].message) + "\n" +
                                     text);
        shapes = wire::message_shapes(*read);
    }
};

}  // namespace treaty
