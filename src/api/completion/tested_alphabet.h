// The alphabet that `complete` tests over.
//
// Of a script: all events that it declares, unless the user names a set; of any other file what its model
// does. What specification, domain and a model under test do belongs to it in any case. Where it is not all,
// since a channel carries too many values, the answer has it, and so has the reason of the verdict.
#pragma once

#include <string>
#include <vector>

#include "api/inquiry.h"
#include "api/models/processes.h"
#include "csp/script.h"

namespace treaty::api {

struct TestedEvents {
    std::vector<model::LabelId> events;  // of the specification's alphabet, sorted, each once
    std::vector<csp::DeclaredEvents::LeftOut> left_out;
    bool declared = false;        // all events of the script are in it, but for what is left out
    bool all_states = true;       // of the models were looked at
    std::size_t states_seen = 0;  // else: how many of each
    bool ends = false;            // whether successful ends are tested
};

class TestedAlphabet {
public:
    static constexpr std::size_t max_declared = 10'000;   // events of the script
    static constexpr std::size_t max_looked_at = 20'000;  // states of a model

    // Labels are those of the specification, which must outlive this.
    void begin(const ProcessInput& specification) { names_ = specification.alphabet.get(); }
    // What a model does.
    void add(explore::Graph& graph);
    void add(const std::string& event) { found_.events.push_back(names_->plain(event)); }
    // All events of the script, or those of `set` if it is not empty. False after reporting a fault.
    bool add_declared(const Inquiry& inquiry, csp::Script* script, const std::string& set);

    const TestedEvents& found();
    bool some_model_ends() const { return some_model_ends_; }

    // What a verdict does not cover, to follow its reason; empty if there is no such thing. What a model does
    // is all in the alphabet; what a program does is not known.
    std::string caveat(bool program) const;

private:
    model::Alphabet* names_ = nullptr;
    TestedEvents found_;
    bool some_model_ends_ = false;
};

}  // namespace treaty::api
