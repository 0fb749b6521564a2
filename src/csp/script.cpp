#include "csp/script.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.h"
#include "csp/codes.h"
#include "csp/parser.h"
#include "csp/typing/typing.h"
#include "explore/refine/freedom.h"

namespace treaty::csp {
namespace {

using base::Answer;
using model::LabelId;
using model::StateId;

// White space and line breaks as single blanks.
std::string one_line(std::string_view text) {
    std::string out;
    for (char c : text) {
        bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    return out;
}

void negate(Checked& checked) {
    if (checked.answer == Answer::holds) {
        checked.answer = Answer::fails;
        checked.reason = "it was asserted not to hold, but holds: " + checked.reason;
    } else if (checked.answer == Answer::fails) {
        checked.answer = Answer::holds;
        checked.reason = "as asserted, it does not hold: " + checked.reason;
    }
}

}  // namespace

Script::Script(base::SourceMap& sources, base::Diagnostics& diagnostics)
    : sources_(sources), diagnostics_(diagnostics), alphabet_(std::make_shared<model::Alphabet>()) {}
Script::~Script() = default;

std::unique_ptr<Script> Script::read(base::SourceMap& sources, base::FileId file,
                                     base::Diagnostics& diagnostics) {
    std::size_t errors = diagnostics.errors();
    std::unique_ptr<Script> script(new Script(sources, diagnostics));
    parse(sources, file, diagnostics, script->syntax_);
    // Where the text has faults declarations may be missing, and every use of them would be reported too.
    if (diagnostics.errors() > errors) return nullptr;
    script->scopes_ = std::make_unique<Scopes>(script->syntax_, diagnostics);
    if (diagnostics.errors() > errors) return nullptr;
    script->evaluator_ = std::make_unique<Evaluator>(script->syntax_, *script->scopes_, diagnostics);
    script->moves_ = std::make_unique<Moves>(*script->evaluator_, script->alphabet_);
    return script;
}

void Script::check_types(base::Diagnostics& diagnostics) const {
    csp::check_types(syntax_, *scopes_, diagnostics);
}

bool Script::defines(std::string_view name) const {
    base::NameId id = syntax_.names.find(name);
    const Global* global = id ? scopes_->global(id) : nullptr;
    return global && global->meaning == Meaning::definition;
}

bool Script::declares_channel(std::string_view name) const {
    base::NameId id = syntax_.names.find(name);
    const Global* global = id ? scopes_->global(id) : nullptr;
    return global && global->meaning == Meaning::channel;
}

bool Script::mentions(std::string_view name) const {
    return static_cast<bool>(syntax_.names.find(name));
}

std::vector<std::string_view> Script::definitions() const {
    std::vector<std::string_view> names;
    for (const Definition& d : syntax_.global.definitions) names.push_back(syntax_.names.text(d.name));
    return names;
}

std::unique_ptr<ProcessGraph> Script::graph(const std::string& process, const explore::Limits& limits) {
    std::string_view name = std::string_view(process).substr(0, process.find('('));
    auto builtins = builtin_names();
    bool known_name = defines(name) || std::find(builtins.begin(), builtins.end(), name) != builtins.end();
    if (!known_name &&
        process.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'") ==
            std::string::npos) {
        std::vector<std::string_view> known = definitions();
        auto& d = diagnostics_.report(codes::no_process, {},
                                      fmt::format("the script defines no process {}", process));
        std::string_view meant = name.size() > 1 ? base::nearest(name, known) : std::string_view();
        if (!meant.empty())
            d.help(fmt::format("did you mean {}?", meant));
        else if (!known.empty())
            d.help(fmt::format("it defines: {}", fmt::join(known, ", ")));
        return nullptr;
    }
    std::size_t errors = diagnostics_.errors();
    AstId id = expression("process", process);
    if (!id) return nullptr;
    auto made = graph_of(id, limits);
    return made->broken() && diagnostics_.errors() > errors ? nullptr : std::move(made);
}

// One that the user writes outside of the script; nothing if a fault was reported.
AstId Script::expression(const char* what, const std::string& text) {
    std::size_t errors = diagnostics_.errors();
    AstId id = parse_expression(sources_, sources_.add(what, text), diagnostics_, syntax_);
    if (id) scopes_->add(id, diagnostics_);
    return diagnostics_.errors() > errors ? AstId() : id;
}

std::unique_ptr<ProcessGraph> Script::graph_of(AstId expression, const explore::Limits& limits) {
    std::size_t needed = scopes_->used(expression).size();
    ValueId process;
    if (needed == 0) process = evaluator_->term(Term::later, {}, expression);
    return std::make_unique<ProcessGraph>(*moves_, process, limits);
}

Checked Script::check(std::size_t index, const explore::Limits& limits) {
    const Assertion& assertion = syntax_.assertions[index];
    Checked checked;
    checked.span = assertion.span;
    checked.text = one_line(sources_.text(assertion.span));
    if (limits.time.passed()) {
        checked.answer = Answer::undecided;
        checked.reason =
            fmt::format("{} before this assertion was checked", base::to_string(limits.time.reason()));
        return checked;
    }
    std::size_t errors = diagnostics_.errors();
    if (assertion.asked == Asked::refinement) {
        check_refinement(assertion, limits, checked);
    } else if (assertion.asked == Asked::has_trace) {
        check_trace(assertion, limits, checked);
    } else {
        auto graph = graph_of(assertion.left, limits);
        auto observation = assertion.model == "F" ? explore::Observation::failures
                                                  : explore::Observation::failures_divergences;
        explore::FreedomReport report =
            assertion.asked == Asked::deadlock_free     ? explore::deadlock_free(*graph, limits)
            : assertion.asked == Asked::divergence_free ? explore::divergence_free(*graph, limits)
                                                        : explore::deterministic(*graph, observation, limits);
        checked.answer = report.answer;
        checked.reason = report.reason;
        checked.trace = report.trace;
        checked.states = report.states;
        // With divergences observed, which they are unless told otherwise, what runs silently for ever can do
        // anything after that, so deadlock too.
        if (assertion.asked == Asked::deadlock_free && observation != explore::Observation::failures &&
            report.answer == Answer::holds) {
            explore::FreedomReport runs = explore::divergence_free(*graph, limits);
            if (runs.answer != Answer::holds) {
                checked.answer = runs.answer;
                checked.reason = runs.reason;
                checked.trace = runs.trace;
            }
        }
    }
    if (diagnostics_.errors() > errors) checked.answer.reset();
    if (assertion.negated) negate(checked);
    return checked;
}

void Script::check_refinement(const Assertion& assertion, const explore::Limits& limits, Checked& into) {
    auto spec = graph_of(assertion.left, limits), impl = graph_of(assertion.right, limits);
    explore::RefineOptions options;
    options.limits = limits;
    options.observation = *explore::parse_observation(assertion.model);
    explore::RefineReport report = explore::refines(*spec, *impl, options);
    into.answer = report.answer;
    into.reason = report.reason;
    into.states = report.pairs;
    if (report.counterexample) into.trace = report.counterexample->trace;
    into.counterexample = std::move(report.counterexample);
}

// The trace is one if the normal form has it; with refusals observed it must not be refusable on its way.
void Script::check_trace(const Assertion& assertion, const explore::Limits& limits, Checked& into) {
    evaluator_->enter();
    try {
        ValueId sequence = evaluator_->evaluate(assertion.right);
        auto graph = graph_of(assertion.left, limits);
        explore::NormalForm normal(*graph, limits.states);
        explore::NormalId at = normal.initial();
        if (evaluator_->values().kind(sequence) != Kind::sequence) {
            diagnostics_.report(codes::wrong_kind, syntax_[assertion.right].span,
                                "expected a sequence of events");
            return;
        }
        into.answer = Answer::holds;
        into.reason = "it can do this";
        for (ValueId event : evaluator_->values().parts(sequence)) {
            LabelId label = moves_->label(event);
            explore::NormalId next = normal.after(at, label);
            bool refused = false;
            if (assertion.model == "F" || assertion.model == "FD")
                for (const explore::Acceptance& a : normal.acceptances(at))
                    refused = refused || !std::binary_search(a.begin(), a.end(), label);
            if (normal.broken()) {
                into.answer = Answer::undecided;
                into.reason = normal.why();
                return;
            }
            into.trace.push_back(label);
            if (next && !refused) {
                at = next;
                continue;
            }
            into.answer = Answer::fails;
            into.reason = fmt::format("event {}, {}, {}", into.trace.size(), alphabet_->print(label),
                                      next ? "may be refused" : "is not possible");
            return;
        }
        into.trace.clear();
    } catch (const Fault&) {
        evaluator_->recover();
    } catch (const Limit& limit) {
        evaluator_->recover();
        into.answer = Answer::undecided;
        into.reason = limit.why.empty() ? std::string(base::to_string(limit.reason)) : limit.why;
    }
}

std::optional<model::Machine> compile(ProcessGraph& graph, const std::shared_ptr<model::Alphabet>& alphabet,
                                      const std::string& name) {
    model::MachineBuilder builder(name, alphabet);
    for (std::size_t s = 0; s < graph.known_states(); ++s) {
        for (const model::Edge& e : graph.out(StateId(s))) builder.edge(StateId(s), e.label, e.target);
        if (graph.broken()) return std::nullopt;
        builder.state(graph.final(StateId(s)));
    }
    if (graph.broken()) return std::nullopt;
    return builder.finish();
}

}  // namespace treaty::csp
