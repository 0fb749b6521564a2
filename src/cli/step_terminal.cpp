#include "cli/step_terminal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <unistd.h>

#include <fmt/format.h>

#include "api/input/value_input.h"
#include "base/utf8.h"
#include "base/wait.h"
#include "base/wording.h"
#include "cli/interrupt.h"
#include "report/answers.h"

namespace treaty::cli {
namespace {

using draw::Ink;
using step::Standing;

constexpr std::size_t longest_line = 1 << 20, most_random = 10'000;

std::optional<std::size_t> number_of(std::string_view text) {
    std::size_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t'))
        text.pop_back();
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
}

}  // namespace

StepTerminal::StepTerminal(api::StepSession& walk, draw::Style style, std::FILE* out)
    : walk_(walk), style_(style), out_(out), echo_(isatty(STDIN_FILENO) != 1) {}

void StepTerminal::say(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

// Waiting is apart from reading, so that an interrupt ends the waiting.
std::optional<std::string> StepTerminal::read_line(const std::string& prompt) {
    say(paint(style_, Ink::bold, prompt) + ' ');
    while (true) {
        std::size_t end = buffer_.find('\n');
        if (end != std::string::npos || (end_of_input_ && !buffer_.empty())) {
            std::string line = buffer_.substr(0, end);
            buffer_.erase(0, end == std::string::npos ? end : end + 1);
            if (echo_) say(base::printable(line) + '\n');
            return trimmed(std::move(line));
        }
        if (interrupt().requested() || end_of_input_ || buffer_.size() > longest_line) break;
        if (!base::wait_readable(STDIN_FILENO, base::Clock::now() + std::chrono::hours(1))) continue;
        char bytes[4096];
        ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got > 0)
            buffer_.append(bytes, static_cast<std::size_t>(got));
        else if (got == 0 || errno != EINTR)
            end_of_input_ = true;
    }
    say("\n");
    return std::nullopt;
}

std::string StepTerminal::text_of(const api::EnabledEvent& enabled) const {
    model::RunEvent event = enabled.event;
    std::string data;
    for (const api::EventField& field : enabled.fields) {
        const model::Specification& s = *walk_.specification();
        data += fmt::format("{}{}", data.empty() ? "" : ", ", field.name);
        if (field.fixed) data += " = " + expr::print(*field.fixed, field.type, *s.types, *s.names);
    }
    if (!data.empty()) event.message += fmt::format("({})", data);
    return base::printable(model::print(event));
}

void StepTerminal::show_options() {
    std::vector<api::EnabledEvent> enabled = walk_.enabled();
    std::vector<std::string> texts;
    std::size_t widest = 0;
    for (const api::EnabledEvent& event : enabled) {
        texts.push_back(text_of(event));
        widest = std::max(widest, std::min<std::size_t>(texts.back().size(), 60));
    }
    std::size_t digits = fmt::formatted_size("{}", texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::uint32_t line = enabled[i].event.line;
        std::string place = line > 0 ? paint(style_, Ink::faint, fmt::format("  line {}", line)) : "";
        std::string number = paint(style_, Ink::bold, fmt::format("{:>{}}", i + 1, digits));
        say(line > 0 ? fmt::format("  {}  {:<{}}{}\n", number, texts[i], widest, place)
                     : fmt::format("  {}  {}\n", number, texts[i]));
    }
}

void StepTerminal::show() {
    std::size_t events = walk_.events_taken();
    std::string head = events == 0 ? "at the beginning" : "after " + base::counted(events, "event");
    say('\n' + paint(style_, Ink::bold, head) + '\n');
    for (const std::string& line : walk_.where())
        say("  " + paint(style_, Ink::faint, base::printable(line)) + '\n');
    show_options();
    switch (walk_.standing()) {
        case Standing::going: break;
        case Standing::may_end: say(paint(style_, Ink::good, "it may also end here") + '\n'); break;
        case Standing::over: say(paint(style_, Ink::good, "the conversation is over") + '\n'); break;
        case Standing::stuck:
            say(paint(style_, Ink::error, "stuck: nothing can come next, but the conversation is not over") +
                '\n');
            break;
        case Standing::lost:
            say(paint(style_, Ink::warning, "too many situations are possible here") + '\n');
            break;
    }
}

void StepTerminal::show_help() {
    say("  N    take the event with this number; you are asked for open data (an empty line takes what is "
        "proposed)\n"
        "  r    take an event at random, with proposed data; r 10 takes ten\n"
        "  b    back: undo the last event; b 3 undoes three\n"
        "  c    draw the events so far as a sequence chart\n"
        "  l    list the protocol; > marks the lines of the events that can come next\n"
        "  q    quit (so does the end of the input)\n"
        "  ?    this\n");
}

void StepTerminal::show_chart() {
    if (walk_.events_taken() == 0)
        say("  no event was taken yet\n");
    else
        say('\n' + report::drawn(walk_.run(), style_));
}

void StepTerminal::show_protocol() {
    std::vector<api::WalkedLine> lines = walk_.text();
    if (lines.empty()) say("  there is no text to show\n");
    for (const api::WalkedLine& line : lines) {
        std::string text =
            fmt::format("{} {:>3}  {}", line.next ? ">" : " ", line.number, base::printable(line.text));
        say(paint(style_, line.next ? Ink::bold : Ink::plain, text) + '\n');
    }
}

std::optional<expr::Value> StepTerminal::ask_value(const api::EventField& field) {
    const model::Specification& s = *walk_.specification();
    std::string prompt = fmt::format("  {} ({})", field.name, api::describe_type(s, field.type));
    if (field.proposed)
        prompt += fmt::format(" [{}]",
                              base::printable(expr::print(*field.proposed, field.type, *s.types, *s.names)));
    while (auto line = read_line(prompt + ":")) {
        if (line->empty() && field.proposed) return *field.proposed;
        if (auto value = api::read_value(s, field.type, *line)) return value;
        say(fmt::format("  this is not {}\n", api::describe_type(s, field.type)));
    }
    return std::nullopt;
}

std::optional<step::Values> StepTerminal::ask_values(const api::EnabledEvent& event) {
    step::Values values;
    for (const api::EventField& field : event.fields) {
        auto value = field.fixed ? field.fixed : ask_value(field);
        if (!value) return std::nullopt;
        values.push_back(std::move(*value));
    }
    return values;
}

StepTerminal::Next StepTerminal::choose(std::size_t number) {
    std::vector<api::EnabledEvent> enabled = walk_.enabled();
    if (number == 0 || number > enabled.size()) {
        say(enabled.empty() ? "  nothing to choose\n" : fmt::format("  choose 1 to {}\n", enabled.size()));
        return Next::ask;
    }
    auto values = ask_values(enabled[number - 1]);
    if (!values) return Next::leave;
    if (walk_.take(number - 1, *values)) return Next::show;
    say("  the protocol does not allow these values here\n");
    return Next::ask;
}

StepTerminal::Next StepTerminal::wander(std::size_t events) {
    for (std::size_t i = 0; i < std::min(events, most_random) && !interrupt().requested(); ++i) {
        auto taken = walk_.take_random();
        if (!taken && i == 0) {
            say("  nothing to choose\n");
            return Next::ask;
        }
        if (!taken) break;
        say(fmt::format("  took {}  {}\n", *taken + 1, base::printable(model::print(walk_.last_event()))));
    }
    return Next::show;
}

StepTerminal::Next StepTerminal::obey(const std::string& line) {
    if (auto number = number_of(line)) return choose(*number);
    std::string word = line.substr(0, line.find(' '));
    std::string rest = trimmed(line.substr(word.size()));
    auto times = number_of(rest);
    bool plain = rest.empty();
    if ((word == "r" || word == "b") && !plain && !times) word.clear();
    if (word == "r") return wander(times.value_or(1));
    if (word == "b") {
        bool any = false;
        for (std::size_t i = 0; i < times.value_or(1) && walk_.back(); ++i) any = true;
        if (any) return Next::show;
        say("  this is the beginning\n");
    } else if (word == "c" && plain) {
        show_chart();
    } else if (word == "l" && plain) {
        show_protocol();
    } else if ((word == "q" || word == "quit") && plain) {
        return Next::leave;
    } else if (word == "?" || word == "h" || word == "help") {
        show_help();
    } else if (!line.empty()) {
        say(fmt::format("  unknown command {}; ? lists the commands\n", base::printable(line)));
    }
    return Next::ask;
}

void StepTerminal::run() {
    say(fmt::format("{}\n",
                    paint(style_, Ink::faint,
                          walk_.title() + ". Type a number to take an event, b to go back, ? for help.")));
    for (Next next = Next::show; next != Next::leave;) {
        if (next == Next::show) show();
        auto line = read_line(">");
        next = line ? obey(*line) : Next::leave;
    }
}

}  // namespace treaty::cli
