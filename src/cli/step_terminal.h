// Stepping at a terminal: shows where a walk stands and what can come next, reads what to do, until it is
// left.
//
// Lines come from standard input and are echoed where it is no terminal, so that a transcript of a script
// reads like one of a person. Everything goes to one stream. An interrupt or the end of the input leaves the
// walk.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "base/source.h"
#include "model/specification.h"
#include "report/run.h"
#include "report/style.h"
#include "step/walk.h"

namespace treaty::cli {

// What a walk is about, for names, lines and data; the specification and the protocol may be null.
struct StepSubject {
    const model::Specification* specification = nullptr;
    const model::Protocol* protocol = nullptr;
    const base::SourceMap* sources = nullptr;
    std::string title;
    std::vector<std::string> roles;  // the lifelines of the chart
};

// The events taken so far.
report::Run run_of(const step::Walk& walk, const StepSubject& subject);

// The run as a chart; as a list where a chart does not fit, or where nobody takes part.
std::string drawn(const report::Run& run, const report::Style& style);

class StepTerminal {
public:
    StepTerminal(step::Walk& walk, const StepSubject& subject, report::Style style, std::FILE* out,
                 std::uint64_t seed);

    void run();  // until the person leaves, or the conversation is over

private:
    enum class Next : std::uint8_t { show, ask, leave };

    std::optional<std::string> read_line(const std::string& prompt);
    void say(const std::string& text);
    void show();
    void show_options();
    void show_help();
    void show_chart();
    void show_protocol();
    Next obey(const std::string& line);
    Next choose(std::size_t option);
    Next wander(std::size_t events);
    // Asks for the fields that are open; nothing if the person wants none of it.
    std::optional<step::Values> ask_values(const step::Option& option);
    std::optional<expr::Value> ask_value(const expr::Field& field, const expr::Value* proposal);
    std::string text_of(const step::Option& option) const;
    std::uint32_t line_of(model::NodeId node) const;

    step::Walk& walk_;
    const StepSubject& subject_;
    report::Style style_;
    std::FILE* out_;
    std::uint64_t random_;
    std::string buffer_;  // read, not used yet
    bool end_of_input_ = false, echo_;
};

}  // namespace treaty::cli
