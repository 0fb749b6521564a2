#include "drive/explain.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::drive {
namespace {

constexpr std::size_t most_explanations = 4;

std::optional<model::LabelId> label_of(const Part& part, const Exchange& e) {
    return e.to_component ? part.input(e.from, e.message) : part.output(e.to, e.message);
}

// "ask is still on its way", "everything sent to it has been taken"
std::string situation(const Part& part, const track::Configuration& c) {
    std::vector<std::string_view> waiting;
    for (const track::Pending& p : c.pending)
        if (const model::Event& e = part.event(p.label); e.kind == model::EventKind::receive)
            waiting.push_back(part.name(e.message));
    if (waiting.empty()) return "it had taken everything sent to it";
    return fmt::format("it had not taken {} yet", fmt::join(waiting, ", "));
}

}  // namespace

std::string names_of(const Part& part, std::span<const track::ExpectedOutput> outputs) {
    std::vector<std::string> names;
    for (const track::ExpectedOutput& one : outputs) {
        const model::Event& e = part.event(one.label);
        std::string text = fmt::format("{} to {}", part.name(e.message), part.name(e.to));
        if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

std::optional<std::size_t> answers_earlier(Part& part, std::span<const Exchange> exchanges) {
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

std::vector<std::string> explanations(Part& part, std::span<const Exchange> exchanges) {
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
        // That it should have kept silent until it had taken everything goes without saying.
        if (expected.empty()) continue;
        std::string text = fmt::format("if {}: {} was expected", situation(part, c), expected);
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
