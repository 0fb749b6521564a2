#include "drive/explain.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::drive {
namespace {

constexpr std::size_t most_explanations = 4;

std::optional<model::LabelId> label_of(const roles::RolePart& part, const Exchange& e) {
    return e.to_component ? part.input(e.from, e.message) : part.output(e.to, e.message);
}

// " (line 4)", or nothing if the line is not known
std::string in_line(std::uint32_t line) {
    return line > 0 ? fmt::format(" (line {})", line) : "";
}

// "ask is still on its way", "everything sent to it has been taken"
std::string situation(const roles::RolePart& part, const track::Configuration& c) {
    std::vector<std::string_view> waiting;
    for (const track::Pending& p : c.pending)
        if (const model::Event& e = part.event(p.label); e.kind == model::EventKind::receive)
            waiting.push_back(part.name(e.message));
    if (waiting.empty()) return "it had received everything sent to it";
    return fmt::format("it had not received {} yet", fmt::join(waiting, ", "));
}

}  // namespace

std::string names_of(const roles::RolePart& part, std::span<const track::ExpectedOutput> outputs) {
    std::vector<std::string> names;
    for (const track::ExpectedOutput& one : outputs) {
        const model::Event& e = part.event(one.label);
        std::string text =
            fmt::format("{} to {}{}", part.name(e.message), part.name(e.to), in_line(part.line_of(one.node)));
        if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

std::string print(const roles::RolePart& part, const Exchange& exchange) {
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

std::string requirements(const roles::RolePart& part, std::span<const track::BrokenCondition> broken) {
    std::string text;
    for (const track::BrokenCondition& one : broken) {
        std::uint32_t line = part.line_of(one.node);
        text += fmt::format("{} {} requires {}", text.empty() ? ";" : " or",
                            line > 0 ? fmt::format("line {}", line) : "the protocol", one.text);
    }
    return text;
}

std::string declaration_broken_by(const roles::RolePart& part, const Exchange& exchange) {
    std::uint32_t line = part.declaration_line(exchange.message);
    return fmt::format("; the declaration of {}{} requires {}", part.name(exchange.message), in_line(line),
                       track::broken_declaration(part.specification, exchange.message, exchange.values));
}

std::optional<std::size_t> answered_again(const roles::RolePart& part, std::span<const Exchange> exchanges) {
    if (exchanges.empty() || exchanges.back().to_component || exchanges.back().values.empty())
        return std::nullopt;
    if (!part.well_formed(exchanges.back().message, exchanges.back().values)) return std::nullopt;
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < exchanges.size(); ++i)
        if (exchanges[i].to_component) inputs.push_back(i);
    if (inputs.size() < 2) return std::nullopt;
    std::size_t last = inputs.back(), answered = inputs[inputs.size() - 2];
    auto again = exchanges.subspan(last + 1), before = exchanges.subspan(answered + 1, last - answered - 1);
    auto same = [](const Exchange& a, const Exchange& b) {
        return a.to == b.to && a.message == b.message && a.values == b.values;
    };
    bool repeated =
        again.size() <= before.size() && std::equal(again.begin(), again.end(), before.begin(), same);
    return repeated ? std::optional(answered) : std::nullopt;
}

std::vector<std::string> explanations(roles::RolePart& part, std::span<const Exchange> exchanges) {
    track::TrackOptions options;
    options.shortcut = false;
    auto all = std::make_shared<track::TrackedNet>(part.net, part.cut, options);
    track::Tracker tracker(all);
    for (std::size_t i = 0; i + 1 < exchanges.size(); ++i) {
        if (exchanges[i].wrong) continue;
        auto one = label_of(part, exchanges[i]);
        if (!one || tracker.observe(*one, exchanges[i].values) != track::EventVerdict::allowed) return {};
    }
    std::vector<std::string> texts;
    std::vector<std::string> expectations;
    for (const track::Configuration& c : tracker.configurations()) {
        std::string expected = names_of(part, all->expected_outputs({c}));
        // It is obvious that it should have been silent until it had received everything.
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
