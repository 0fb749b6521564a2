// Other spellings of the same protocol: each rewrite changes the text and keeps the meaning.
//
// A rewrite is tried at a place drawn at random and gives nothing where it does not apply. The result may
// still be refused by the language (a branch must begin with its decider, say): then that spelling does not
// exist.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ast.h"
#include "generate.h"

namespace treaty::verdicts {

struct Rewrite {
    std::string_view name;
    std::optional<File> (*apply)(const File& file, Random& random);
    bool same_order;  // also for somebody who sees the interactions of all roles one by one
    bool same_names;
};

const std::vector<Rewrite>& rewrites();

}  // namespace treaty::verdicts
