#include "drive/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "track/broken_condition.h"

namespace treaty::drive {
namespace {

constexpr std::size_t most_explanations = 4;

std::optional<model::LabelId> label_of(const RolePart& part, const Exchange& e) {
    return e.to_component ? part.input(e.from, e.message) : part.output(e.to, e.message);
}

// " (line 4)", or nothing if the line is not known
std::string in_line(std::uint32_t line) {
    return line > 0 ? fmt::format(" (line {})", line) : "";
}

// "ask is still on its way", "everything sent to it has been taken"
std::string situation(const RolePart& part, const track::Configuration& c) {
    std::vector<std::string_view> waiting;
    for (const track::Pending& p : c.pending)
        if (const model::Event& e = part.event(p.label); e.kind == model::EventKind::receive)
            waiting.push_back(part.name(e.message));
    if (waiting.empty()) return "it had received everything sent to it";
    return fmt::format("it had not received {} yet", fmt::join(waiting, ", "));
}

}  // namespace

std::string names_of(const RolePart& part, std::span<const track::ExpectedOutput> outputs) {
    std::vector<std::string> names;
    for (const track::ExpectedOutput& one : outputs) {
        const model::Event& e = part.event(one.label);
        std::string text =
            fmt::format("{} to {}{}", part.name(e.message), part.name(e.to), in_line(part.line_of(one.node)));
        if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

std::string print(const RolePart& part, const Exchange& exchange) {
    std::string text(part.name(exchange.message));
    const auto& fields = part.specification.message(exchange.message).fields;
    for (std::size_t i = 0; i < std::min(exchange.values.size(), fields.size()); ++i)
        text += fmt::format("{}{} = {}", i == 0 ? "(" : ", ", part.specification.names->text(fields[i].name),
                            track::print_short(part.specification, exchange.values[i], fields[i].type));
    return exchange.values.empty() ? text : text + ")";
}

std::string print_duration(std::chrono::nanoseconds duration) {
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    return ms > 0 && ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

std::string conditions_broken_by(const RolePart& part, track::Tracker& tracker, const Exchange& exchange) {
    std::string text;
    if (auto label = label_of(part, exchange))
        for (const track::BrokenCondition& one :
             track::broken_conditions(part.specification, tracker, *label, exchange.values)) {
            std::uint32_t line = part.line_of(one.node);
            text += fmt::format("{} {} requires {}", text.empty() ? ";" : " or",
                                line > 0 ? fmt::format("line {}", line) : "the protocol", one.text);
        }
    return text.empty() ? ", with data that is not allowed here" : text;
}

std::string declaration_broken_by(const RolePart& part, const Exchange& exchange) {
    std::uint32_t line = part.declaration_line(exchange.message);
    return fmt::format("; the declaration of {}{} requires {}", part.name(exchange.message), in_line(line),
                       track::broken_declaration(part.specification, exchange.message, exchange.values));
}

std::optional<std::size_t> answers_earlier(RolePart& part, std::span<const Exchange> exchanges) {
    if (exchanges.empty() || exchanges.back().to_component) return std::nullopt;
    const Exchange& wrong = exchanges.back();
    auto label = label_of(part, wrong);
    if (!label || !part.well_formed(wrong.message, wrong.values)) return std::nullopt;
    std::optional<std::size_t> found;
    std::size_t last_input = exchanges.size();
    for (std::size_t i = 0; i < exchanges.size(); ++i)
        if (exchanges[i].to_component) last_input = i;
    track::Tracker tracker(part.tracked);
    for (std::size_t i = 0; i + 1 < exchanges.size() && i < last_input; ++i) {
        auto one = label_of(part, exchanges[i]);
        if (!one || tracker.observe(*one, exchanges[i].values) != track::Outcome::allowed) break;
        track::Tracker probe = tracker;
        if (exchanges[i].to_component &&
            probe.observe_output(*label, wrong.values) == track::Outcome::allowed)
            found = i;
    }
    return found;
}

std::vector<std::string> explanations(RolePart& part, std::span<const Exchange> exchanges) {
    track::TrackOptions options;
    options.shortcut = false;
    auto all = std::make_shared<track::TrackedNet>(part.net, part.cut, options);
    track::Tracker tracker(all);
    for (std::size_t i = 0; i + 1 < exchanges.size(); ++i) {
        auto one = label_of(part, exchanges[i]);
        if (!one || tracker.observe(*one, exchanges[i].values) != track::Outcome::allowed) return {};
    }
    std::vector<std::string> texts;
    std::vector<std::string> expectations;
    for (const track::Configuration& c : tracker.configurations()) {
        std::string expected = names_of(part, all->expected_outputs({c}));
        // That it should have been silent until it had received everything is obvious.
        if (expected.empty()) continue;
        std::string text = fmt::format("if {}: expected {}", situation(part, c), expected);
        if (std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
        texts.push_back(std::move(text));
        if (std::find(expectations.begin(), expectations.end(), expected) == expectations.end())
            expectations.push_back(expected);
        if (texts.size() == most_explanations) break;
    }
    if (expectations.size() < 2) texts.clear();
    return texts;
}

}  // namespace treaty::drive
