// The alphabet that `treaty complete` tests over.
//
// Of a script: all events that it declares, unless the user names a set; of any other file what its model
// does. What specification, domain and a model under test do belongs to it in any case. Where it is not all,
// since a channel carries too many values, that is said before the tests and again with the verdict.
#pragma once

#include <string>
#include <vector>

#include "cli/processes.h"
#include "cli/session.h"

namespace treaty::cli {

class TestedAlphabet {
public:
    static constexpr std::size_t max_declared = 10'000;   // events of the script
    static constexpr std::size_t max_looked_at = 20'000;  // states of a model

    // Labels are those of the specification, which must outlive this.
    void begin(const ProcessInput& specification) { names_ = specification.alphabet.get(); }
    // What a model does.
    void add(explore::Graph& graph);
    void add(const std::string& event) { events_.push_back(names_->plain(event)); }
    // All events of the script, or those of `set` if it is not empty. False after reporting a fault.
    bool add_declared(Session& session, csp::Script* script, const std::string& set);

    // Sorted, each once.
    const std::vector<model::LabelId>& events();
    bool some_model_ends() const { return ends_; }

    // Before the tests: which events there are, and which are missing. Also to the result's JSON.
    void say(Session& session, bool ends_tested);
    // What a verdict does not cover, to stand behind it; empty if there is no such thing. What a model does
    // is all in the alphabet; what a program does nobody knows.
    std::string caveat(bool program) const;

private:
    model::Alphabet* names_ = nullptr;
    std::vector<model::LabelId> events_;
    std::vector<csp::DeclaredEvents::LeftOut> left_out_;
    bool declared_ = false;  // all events of the script are in it, but for what is left out
    bool ends_ = false;
    bool all_states_ = true;  // of the models were looked at
};

}  // namespace treaty::cli
