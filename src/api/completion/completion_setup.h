// What `complete` works with, made from its question: specification, fault domain, alphabet, system under
// test.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/complete.h"
#include "complete/product.h"
#include "complete/program_sut.h"
#include "model/machine.h"

namespace treaty::api {

// Its parts point at one another, so it stays where it is. It lives no longer than the answer.
class CompletionSetup {
public:
    CompletionSetup(const Inquiry& inquiry, const CompleteQuestion& question, CompleteAnswer& answer);
    CompletionSetup(const CompletionSetup&) = delete;
    CompletionSetup& operator=(const CompletionSetup&) = delete;

    // Fills in what the answer has before the first test. False after reporting why it cannot be tested, or
    // with the verdict "undecided". Must be called first.
    bool make();

    const explore::Limits& limits() const { return limits_; }
    const model::Alphabet& names() const { return *specification_.alphabet; }
    const csp::Script* script() const { return specification_.script.get(); }  // null if it is not from one
    const complete::Product& product() const { return *product_; }
    complete::Sut& sut() { return *sut_; }  // unless only a plan is wanted
    bool tests_program() const { return place_.has_value(); }
    // What the verdict does not cover (api/completion/tested_alphabet.h).
    std::string caveat(bool program) const { return alphabet_.caveat(program); }

private:
    bool load_specification();
    bool load_sut();
    bool load_domain();
    void choose_ends();
    bool make_domain();
    void make_sut();
    bool is_process(std::string_view text) const;
    bool known_command() const;
    bool choose_program();
    // A process of the specification's script, or of another file.
    bool load_other(const std::string& text, std::optional<ProcessInput>& input,
                    std::unique_ptr<csp::ProcessGraph>& process);
    bool refuse(std::string why) const;

    explore::Graph& domain() const;
    bool sut_is_model() const { return sut_process_ || sut_input_; }
    explore::Graph& sut_graph() const { return sut_process_ ? *sut_process_ : *sut_input_->graph; }
    // A graph as it is tested: with its ends, or without.
    explore::Graph& seen(explore::Graph& graph);

    const Inquiry& inquiry_;
    const CompleteQuestion& question_;
    CompleteAnswer& answer_;
    explore::Limits limits_;
    ProcessInput specification_;
    std::optional<ProcessInput> domain_input_, sut_input_;             // from other files
    std::unique_ptr<csp::ProcessGraph> domain_process_, sut_process_;  // of the specification's own script
    std::optional<model::Machine> domain_machine_;                     // made here
    std::unique_ptr<explore::MachineGraph> domain_graph_;
    std::vector<std::unique_ptr<explore::WithoutEnds>> without_ends_;
    TestedAlphabet alphabet_;
    bool ends_ = false;                     // whether ends are tested
    std::optional<complete::Place> place_;  // of a program under test
    complete::ProgramOptions program_;
    std::unique_ptr<complete::Sut> sut_;
    std::unique_ptr<complete::Product> product_;
};

}  // namespace treaty::api
