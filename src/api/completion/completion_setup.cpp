#include "api/completion/completion_setup.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/program/tester_setup.h"
#include "base/suggest.h"
#include "complete/domains.h"
#include "formats/names.h"
#include "formats/notation.h"

namespace treaty::api {
namespace {

constexpr std::size_t largest_mutants = 2'000'000;                 // states
constexpr std::chrono::seconds patience_where_silence_refuses{2};  // silence is waited for often then

bool is_model_file(const std::string& text) {
    const formats::Notation* notation =
        formats::find_notation(formats::extension_of(split_process(text).file));
    return notation && notation->is_read() && text.find(' ') == std::string::npos;
}

}  // namespace

CompletionSetup::CompletionSetup(const Inquiry& inquiry, const CompleteQuestion& question,
                                 CompleteAnswer& answer)
    : inquiry_(inquiry), question_(question), answer_(answer), limits_(process_limits(inquiry)) {}

bool CompletionSetup::make() {
    if (!load_specification() || !load_sut() || !load_domain()) return false;
    choose_ends();
    if (!make_domain()) return false;
    make_sut();
    product_ = std::make_unique<complete::Product>(seen(*specification_.graph), seen(domain()),
                                                   question_.observation, limits_);
    // A fault of a script may show only when a process is worked out.
    if (!inquiry_.diagnostics().ok()) return false;
    answer_.alphabet = alphabet_.found();
    answer_.alphabet->ends = ends_;
    return true;
}

bool CompletionSetup::refuse(std::string why) const {
    inquiry_.report(codes::bad_usage, std::move(why));
    return false;
}

bool CompletionSetup::load_specification() {
    if (question_.observation == explore::Observation::failures_divergences) {
        inquiry_.report(codes::bad_usage, "--in failures-divergences cannot be tested")
            .help("models are traces and failures");
        return false;
    }
    auto input = load_process(inquiry_, {question_.file, question_.specification}, limits_, answer_.chosen);
    if (!input) return false;
    specification_ = std::move(*input);
    answer_.names = specification_.alphabet;
    alphabet_.begin(specification_);
    alphabet_.add(*specification_.graph);
    for (const std::string& event : question_.events) alphabet_.add(event);
    return true;
}

bool CompletionSetup::load_other(const std::string& text, std::optional<ProcessInput>& input,
                                 std::unique_ptr<csp::ProcessGraph>& process) {
    if (is_model_file(text)) {
        input = load_process(inquiry_, split_process(text), limits_, answer_.chosen);
        return input.has_value();
    }
    if (!specification_.script)
        return refuse(fmt::format("{} is not a file, and there is no script to find it in", text));
    process = specification_.script->graph(text, limits_);
    return process != nullptr;
}

bool CompletionSetup::is_process(std::string_view text) const {
    if (!specification_.script) return false;
    std::string_view name = text.substr(0, text.find('('));
    for (std::string_view built_in : {"STOP", "SKIP", "DIV", "RUN", "CHAOS"})
        if (name == built_in) return true;
    return specification_.script->defines(name);
}

bool CompletionSetup::load_sut() {
    if (question_.sut.empty()) {
        if (question_.plan) return true;
        inquiry_.report(codes::bad_usage, "treaty complete needs --sut, or --plan")
            .help(
                "--sut takes a process of the script, a model's file, a command, or an address such as "
                "tcp://host:port");
        return false;
    }
    if (!is_process(question_.sut) && !is_model_file(question_.sut)) return choose_program();
    if (!question_.via.empty()) return refuse("--via is the address of a command; a model has none");
    if (!load_other(question_.sut, sut_input_, sut_process_)) return false;
    alphabet_.add(sut_graph());
    return true;
}

// A single word that is not a command is more likely a process with a slip in its name.
bool CompletionSetup::known_command() const {
    const std::string& word = question_.sut;
    if (!specification_.script || word.find_first_of(" /:'\"$;|&<>") != std::string::npos) return true;
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    for (std::size_t at = 0; at <= folders.size();) {
        std::size_t end = std::min(folders.find(':', at), folders.size());
        if (access((folders.substr(at, end - at) + '/' + word).c_str(), X_OK) == 0) return true;
        at = end + 1;
    }
    std::vector<std::string_view> names = specification_.script->definitions();
    auto& fault = inquiry_.report(codes::bad_usage,
                                  fmt::format("{} is neither a process of the script nor a command", word));
    std::string_view meant = base::nearest(word, names);
    if (!meant.empty()) fault.help(fmt::format("did you mean {}?", meant));
    return false;
}

bool CompletionSetup::choose_program() {
    if (question_.times == 0) return refuse("--times must be at least 1");
    if (!known_command()) return false;
    program_.times = question_.times;
    program_.keep = question_.keep;
    program_.silence_refuses = question_.silence_refuses;
    if (program_.silence_refuses) program_.patience = patience_where_silence_refuses;
    if (question_.patience) program_.patience = *question_.patience;
    if (!question_.via.empty() && complete::looks_like_address(question_.sut))
        return refuse(
            fmt::format("--via is the address of a command, and {} is not a command", question_.sut));
    auto place = complete::parse_place(question_.sut, question_.via);
    if (place) {
        place_ = std::move(*place);
        place_->surroundings = question_.surroundings;
        return usable(inquiry_, question_.surroundings);
    }
    const std::string& written = question_.via.empty() ? question_.sut : question_.via;
    return refuse(fmt::format("{} is not an address: {}", written, place.error()));
}

// A named domain determines the events by itself.
bool CompletionSetup::load_domain() {
    answer_.domain_name = question_.domain.empty() ? "any process over the alphabet" : question_.domain;
    if (question_.domain.empty() || question_.domain == "mutants")
        return alphabet_.add_declared(inquiry_, specification_.script.get(), question_.alphabet);
    if (!question_.alphabet.empty())
        return refuse(fmt::format("the domain {} determines the events, so --alphabet is not allowed",
                                  question_.domain));
    if (!load_other(question_.domain, domain_input_, domain_process_)) return false;
    alphabet_.add(domain());
    return true;
}

// Ends are tested where a model can end, unless one of the notations cannot express it.
void CompletionSetup::choose_ends() {
    bool known = specification_.knows_ends && (!sut_input_ || sut_input_->knows_ends) &&
                 (!domain_input_ || domain_input_->knows_ends);
    bool automatic = question_.ends == TestEnds::automatic, wanted = alphabet_.some_model_ends();
    ends_ = question_.ends == TestEnds::always || (automatic && wanted && known);
    answer_.ends_unknown = automatic && wanted && !known;
}

// The domains that are made from the specification and the alphabet.
bool CompletionSetup::make_domain() {
    if (domain_input_ || domain_process_) return true;
    auto ends = ends_ ? complete::Ends::seen : complete::Ends::ignored;
    const std::vector<model::LabelId>& events = alphabet_.found().events;
    if (question_.domain.empty()) {
        domain_machine_ = complete::any_process(specification_.alphabet, events, question_.observation, ends);
    } else {
        answer_.domain_name = "the mutants of the specification";
        std::optional<model::Machine> compiled;
        if (specification_.script)
            compiled = csp::compile(static_cast<csp::ProcessGraph&>(*specification_.graph),
                                    specification_.alphabet, specification_.name);
        const model::Machine* of = specification_.machine ? specification_.machine.get()
                                   : compiled             ? &*compiled
                                                          : nullptr;
        if (of) domain_machine_ = complete::mutants(*of, events, largest_mutants, ends);
        if (!domain_machine_) {
            inquiry_.undecided("the specification is too large for a domain of mutants");
            return false;
        }
    }
    domain_graph_ = std::make_unique<explore::MachineGraph>(*domain_machine_);
    return true;
}

// The system under test, now that it is known what can be seen of it.
void CompletionSetup::make_sut() {
    if (sut_is_model())
        sut_ = std::make_unique<complete::GraphSut>(seen(sut_graph()), *specification_.alphabet);
    program_.ends = ends_;
    if (place_) sut_ = std::make_unique<complete::ProgramSut>(*place_, *specification_.alphabet, program_);
}

explore::Graph& CompletionSetup::domain() const {
    if (domain_process_) return *domain_process_;
    return domain_input_ ? *domain_input_->graph : *domain_graph_;
}

explore::Graph& CompletionSetup::seen(explore::Graph& graph) {
    if (ends_) return graph;
    without_ends_.push_back(std::make_unique<explore::WithoutEnds>(graph));
    return *without_ends_.back();
}

}  // namespace treaty::api
