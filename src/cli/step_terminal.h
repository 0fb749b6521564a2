// Stepping at a terminal: shows where a walk is and what can come next, reads what to do, until it is
// left.
//
// Lines come from standard input and are echoed where it is not a terminal, so that a transcript of a script
// reads like one of a person. Everything goes to one stream. An interrupt or the end of the input leaves the
// walk.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "api/step.h"
#include "draw/style.h"

namespace treaty::cli {

class StepTerminal {
public:
    StepTerminal(api::StepSession& walk, draw::Style style, std::FILE* out);

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
    Next choose(std::size_t number);
    Next wander(std::size_t events);
    // Asks for the fields that are open; nothing if the person wants none of it.
    std::optional<step::Values> ask_values(const api::EnabledEvent& event);
    std::optional<expr::Value> ask_value(const api::EventField& field);
    std::string text_of(const api::EnabledEvent& event) const;

    api::StepSession& walk_;
    draw::Style style_;
    std::FILE* out_;
    std::string buffer_;  // read, not used yet
    bool end_of_input_ = false, echo_;
};

}  // namespace treaty::cli
