#include "cli/step_terminal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/limits.h"
#include "cli/value_input.h"
#include "cli/wire_inputs.h"
#include "report/sequence_chart.h"
#include "report/utf8.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using report::Ink;
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

bool closes(std::string_view line) {
    return line.find('}') != std::string_view::npos &&
           line.find_first_not_of(" \t\r}") == std::string_view::npos;
}

report::RunEvent event_of(const model::Alphabet& alphabet, model::LabelId label, model::RoleId actor) {
    const model::Event& event = alphabet.event(label);
    report::RunEvent out;
    out.direction = report::Direction::none;
    out.message = alphabet.print(label);
    if (actor) out.message = fmt::format("{}: tau", alphabet.name(actor));
    if (event.kind == model::EventKind::silent || event.kind == model::EventKind::plain) return out;
    out.direction = event.kind == model::EventKind::send      ? report::Direction::sent
                    : event.kind == model::EventKind::receive ? report::Direction::received
                                                              : report::Direction::both;
    out.from = alphabet.name(event.from);
    out.to = alphabet.name(event.to);
    out.message = alphabet.name(event.message);
    return out;
}

const std::vector<expr::Field>* fields_of(const StepSubject& subject, const model::Alphabet& alphabet,
                                          model::LabelId label) {
    const model::Event& event = alphabet.event(label);
    bool message = event.kind != model::EventKind::silent && event.kind != model::EventKind::plain;
    return subject.specification && message ? &subject.specification->message(event.message).fields : nullptr;
}

}  // namespace

report::Run run_of(const step::Walk& walk, const StepSubject& subject) {
    report::Run run;
    run.roles = subject.roles;
    for (const step::Taken& taken : walk.taken()) {
        report::RunEvent event = event_of(walk.alphabet(), taken.label, taken.actor);
        const auto* fields = fields_of(subject, walk.alphabet(), taken.label);
        for (std::size_t i = 0; fields && i < taken.values.size() && i < fields->size(); ++i)
            event.data[std::string(subject.specification->names->text((*fields)[i].name))] =
                to_json(*subject.specification, (*fields)[i].type, taken.values[i]);
        if (subject.protocol && taken.node && (*subject.protocol)[taken.node].span.valid())
            event.line = subject.sources->begin((*subject.protocol)[taken.node].span).line;
        run.events.push_back(std::move(event));
    }
    return run;
}

std::string drawn(const report::Run& run, const report::Style& style) {
    constexpr std::size_t longest_chart = 200;
    report::Chart chart = report::chart_of(run);
    bool fits = !chart.lifelines.empty() && run.events.size() <= longest_chart &&
                report::text_columns(chart) <= style.width;
    return fits ? report::to_text(chart, style) : report::print(run, style);
}

StepTerminal::StepTerminal(step::Walk& walk, const StepSubject& subject, report::Style style, std::FILE* out,
                           std::uint64_t seed)
    : walk_(walk),
      subject_(subject),
      style_(style),
      out_(out),
      random_(seed),
      echo_(isatty(STDIN_FILENO) != 1) {}

void StepTerminal::say(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

// poll() and not read() waits, so that an interrupt ends the waiting.
std::optional<std::string> StepTerminal::read_line(const std::string& prompt) {
    say(paint(style_, Ink::bold, prompt) + ' ');
    while (true) {
        std::size_t end = buffer_.find('\n');
        if (end != std::string::npos || (end_of_input_ && !buffer_.empty())) {
            std::string line = buffer_.substr(0, end);
            buffer_.erase(0, end == std::string::npos ? end : end + 1);
            if (echo_) say(report::printable(line) + '\n');
            return trimmed(std::move(line));
        }
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (base::interrupt_flag() || end_of_input_ || buffer_.size() > longest_line) break;
        if (poll(&input, 1, -1) < 0) continue;  // interrupted
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

std::uint32_t StepTerminal::line_of(model::NodeId node) const {
    if (!subject_.protocol || !node || !(*subject_.protocol)[node].span.valid()) return 0;
    return subject_.sources->begin((*subject_.protocol)[node].span).line;
}

std::string StepTerminal::text_of(const step::Option& option) const {
    report::RunEvent event = event_of(walk_.alphabet(), option.label, option.actor);
    const auto* fields = fields_of(subject_, walk_.alphabet(), option.label);
    std::string data;
    for (std::size_t i = 0; fields && i < fields->size(); ++i) {
        const model::Specification& s = *subject_.specification;
        bool fixed = i < option.fixed.size() && option.fixed[i];
        data += fmt::format("{}{}", data.empty() ? "" : ", ", s.names->text((*fields)[i].name));
        if (fixed) data += " = " + expr::print(*option.fixed[i], (*fields)[i].type, *s.types, *s.names);
    }
    if (!data.empty()) event.message += fmt::format("({})", data);
    return report::printable(report::print(event));
}

void StepTerminal::show_options() {
    std::vector<std::string> texts;
    std::size_t widest = 0;
    for (const step::Option& option : walk_.options()) {
        texts.push_back(text_of(option));
        widest = std::max(widest, std::min<std::size_t>(texts.back().size(), 60));
    }
    std::size_t digits = fmt::formatted_size("{}", texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::uint32_t line = line_of(walk_.options()[i].node);
        std::string place = line > 0 ? paint(style_, Ink::faint, fmt::format("  line {}", line)) : "";
        std::string number = paint(style_, Ink::bold, fmt::format("{:>{}}", i + 1, digits));
        say(line > 0 ? fmt::format("  {}  {:<{}}{}\n", number, texts[i], widest, place)
                     : fmt::format("  {}  {}\n", number, texts[i]));
    }
}

void StepTerminal::show() {
    std::size_t events = walk_.taken().size();
    std::string head = events == 0 ? "at the beginning" : "after " + report::counted(events, "event");
    say('\n' + paint(style_, Ink::bold, head) + '\n');
    for (const std::string& line : walk_.where())
        say("  " + paint(style_, Ink::faint, report::printable(line)) + '\n');
    show_options();
    switch (walk_.standing()) {
        case Standing::going: break;
        case Standing::may_end: say(paint(style_, Ink::good, "it may also end here") + '\n'); break;
        case Standing::over: say(paint(style_, Ink::good, "the conversation is over") + '\n'); break;
        case Standing::stuck:
            say(paint(style_, Ink::error, "stuck: nothing can come next, and this is no end") + '\n');
            break;
        case Standing::lost:
            say(paint(style_, Ink::warning, "too many situations are possible here") + '\n');
            break;
    }
}

void StepTerminal::show_help() {
    say("  N    take the event with this number; its open data is asked for (an empty line takes what is "
        "proposed)\n"
        "  r    take an event at random, with proposed data; r 10 takes ten\n"
        "  b    back: undo the last event; b 3 undoes three\n"
        "  c    draw what was taken so far as a sequence chart\n"
        "  l    list the protocol; > marks the lines of the events that can come next\n"
        "  q    leave (so does the end of the input)\n"
        "  ?    this\n");
}

void StepTerminal::show_chart() {
    if (walk_.taken().empty())
        say("  nothing was taken yet\n");
    else
        say('\n' + drawn(run_of(walk_, subject_), style_));
}

void StepTerminal::show_protocol() {
    if (!subject_.protocol || !subject_.protocol->span().valid()) return say("  there is no text to show\n");
    std::vector<std::uint32_t> marked;
    for (const step::Option& option : walk_.options()) marked.push_back(line_of(option.node));
    base::FileId file = subject_.protocol->span().file;
    std::uint32_t first = subject_.sources->begin(subject_.protocol->span()).line, last = first;
    for (std::size_t i = 0; i < subject_.protocol->size(); ++i) {
        base::Span span = (*subject_.protocol)[model::NodeId(i)].span;
        if (span.valid() && span.file == file)
            last = std::max(last, subject_.sources->line_number(file, span.end));
    }
    // Behind the last step only what closes is left.
    while (closes(subject_.sources->line(file, last + 1))) ++last;
    for (std::uint32_t line = first; line <= last; ++line) {
        bool next = std::find(marked.begin(), marked.end(), line) != marked.end();
        std::string text = fmt::format("{} {:>3}  {}", next ? ">" : " ", line,
                                       report::printable(std::string(subject_.sources->line(file, line))));
        say(paint(style_, next ? Ink::bold : Ink::plain, text) + '\n');
    }
}

std::optional<expr::Value> StepTerminal::ask_value(const expr::Field& field, const expr::Value* proposal) {
    const model::Specification& s = *subject_.specification;
    std::string prompt = fmt::format("  {} ({})", s.names->text(field.name), describe_type(s, field.type));
    if (proposal)
        prompt +=
            fmt::format(" [{}]", report::printable(expr::print(*proposal, field.type, *s.types, *s.names)));
    while (auto line = read_line(prompt + ":")) {
        if (line->empty() && proposal) return *proposal;
        if (auto value = read_value(s, field.type, *line)) return value;
        say(fmt::format("  this is not {}\n", describe_type(s, field.type)));
    }
    return std::nullopt;
}

std::optional<step::Values> StepTerminal::ask_values(const step::Option& option) {
    step::Values values;
    const auto* fields = fields_of(subject_, walk_.alphabet(), option.label);
    for (std::size_t i = 0; fields && i < option.fixed.size(); ++i) {
        if (option.fixed[i]) {
            values.push_back(*option.fixed[i]);
            continue;
        }
        auto value = ask_value((*fields)[i], option.proposal ? &(*option.proposal)[i] : nullptr);
        if (!value) return std::nullopt;
        values.push_back(std::move(*value));
    }
    return values;
}

StepTerminal::Next StepTerminal::choose(std::size_t option) {
    if (option == 0 || option > walk_.options().size()) {
        say(walk_.options().empty() ? "  there is nothing to choose\n"
                                    : fmt::format("  there are 1 to {}\n", walk_.options().size()));
        return Next::ask;
    }
    auto values = ask_values(walk_.options()[option - 1]);
    if (!values) return Next::leave;
    if (walk_.take(option - 1, *values)) return Next::show;
    say("  the protocol does not allow these values here\n");
    return Next::ask;
}

StepTerminal::Next StepTerminal::wander(std::size_t events) {
    for (std::size_t i = 0; i < std::min(events, most_random) && !base::interrupt_flag(); ++i) {
        std::vector<std::size_t> possible;
        for (std::size_t k = 0; k < walk_.options().size(); ++k)
            if (walk_.options()[k].proposal) possible.push_back(k);
        if (possible.empty()) {
            if (i == 0) say("  there is nothing to choose\n");
            return i == 0 ? Next::ask : Next::show;
        }
        random_ = base::mix(random_ + 0x9e3779b97f4a7c15);
        std::size_t option = possible[random_ % possible.size()];
        step::Option chosen = walk_.options()[option];
        std::string text = text_of(chosen);
        if (!walk_.take(option, *chosen.proposal)) return Next::show;
        say(fmt::format("  took {}  {}\n", option + 1,
                        report::printable(report::print(run_of(walk_, subject_).events.back()))));
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
        say(fmt::format("  {} means nothing here; ? helps\n", report::printable(line)));
    }
    return Next::ask;
}

void StepTerminal::run() {
    say(fmt::format("{}\n", paint(style_, Ink::faint,
                                  subject_.title + ". A number takes an event, b goes back, ? helps.")));
    for (Next next = Next::show; next != Next::leave;) {
        if (next == Next::show) show();
        auto line = read_line(">");
        next = line ? obey(*line) : Next::leave;
    }
}

}  // namespace treaty::cli
