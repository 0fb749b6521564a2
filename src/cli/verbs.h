// The verbs: one file each, one function each, listed once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treaty::cli {

using Arguments = std::span<const std::string>;  // after the verb

struct Verb {
    std::string_view name;
    std::string_view summary;  // one line
    std::string_view details;  // what its help adds: how it does it, examples
    int (*run)(Arguments arguments);
};

std::span<const Verb> verbs();  // in the order help shows them
const Verb* find_verb(std::string_view name);

// What `treaty help` shows.
std::string overview();

int verb_check(Arguments arguments);
int verb_show(Arguments arguments);
int verb_project(Arguments arguments);
int verb_unfold(Arguments arguments);
int verb_explore(Arguments arguments);
int verb_step(Arguments arguments);
int verb_conform(Arguments arguments);
int verb_diff(Arguments arguments);
int verb_tests(Arguments arguments);
int verb_comply(Arguments arguments);
int verb_mutate(Arguments arguments);
int verb_run(Arguments arguments);
int verb_refine(Arguments arguments);
int verb_complete(Arguments arguments);
int verb_test(Arguments arguments);
int verb_replay(Arguments arguments);
int verb_simulate(Arguments arguments);
int verb_watch(Arguments arguments);
int verb_proxy(Arguments arguments);
int verb_mine(Arguments arguments);
int verb_convert(Arguments arguments);
int verb_data(Arguments arguments);
int verb_decode(Arguments arguments);
int verb_fmt(Arguments arguments);
int verb_lsp(Arguments arguments);
int verb_serve(Arguments arguments);
int verb_generate(Arguments arguments);
int verb_help(Arguments arguments);

}  // namespace treaty::cli
