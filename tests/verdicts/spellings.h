// One protocol, written in several ways: rewritten, and carried over into other notations and back.
#pragma once

#include <string>
#include <vector>

#include "ast.h"
#include "generate.h"
#include "model/specification.h"

namespace treaty::verdicts {

struct Spelling {
    std::string what;
    std::string text;
    model::Specification specification;
    bool same_order = true;  // also for somebody who sees the interactions of all roles one by one
    bool same_names = true;
};

// Up to three rewrites in a row; nothing if none applied, or the language refuses what came of it.
std::optional<Spelling> rewritten(const File& file, Random& random);

// A text of Treaty written by the converter for that extension, without losses, and read again; nothing if
// the notation cannot carry it.
std::optional<Spelling> carried_over(const std::string& text, const std::string& extension);

}  // namespace treaty::verdicts
