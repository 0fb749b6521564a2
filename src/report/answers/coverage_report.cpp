#include "report/answers/coverage_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/wording.h"

namespace treaty::report {
namespace {

using base::counted;
using Cause = campaign::Missing::Cause;

std::string_view to_string(Cause cause) {
    switch (cause) {
        case Cause::choice: return "choice";
        case Cause::loop: return "loop";
        case Cause::condition: return "condition";
        case Cause::interruption: return "interruption";
        case Cause::not_reached: break;
    }
    return "not reached";
}

// ": B decides at line 14 and always chose another branch": why a step that is possible was not seen.
std::string why(const api::UnseenStep& step, std::string_view component) {
    if (step.wrong) return fmt::format(": {} sent it only with wrong data", component);
    if (step.unread) return ": a failure ended the session before it was read";
    std::string_view by = step.decider.empty() ? "nobody" : std::string_view(step.decider);
    std::uint32_t line = step.at.value_or(0);
    switch (step.cause) {
        case Cause::choice:
            return fmt::format(": {} decides at line {} and always chose another branch", by, line);
        case Cause::loop: return fmt::format(": {} decides at line {} and never began a round", by, line);
        case Cause::condition: return fmt::format(": the condition at line {} never had this outcome", line);
        case Cause::interruption: return fmt::format(": {} never interrupted at line {}", by, line);
        case Cause::not_reached: break;
    }
    return step.up_to_component ? fmt::format(": {} never sent it", component) : "";
}

std::string sentence(const api::UnseenStep& step, std::string_view component) {
    return fmt::format(
        "{} (line {}){}", step.step, step.line,
        step.reachable ? why(step, component) : ": cannot happen, its conditions exclude each other");
}

// "ask.x: negative, at a power of two"; empty if every class that is reachable was seen.
std::string unseen_values(const api::SeenField& field) {
    std::string classes;
    for (const auto& one : field.unseen)
        if (one.reachable) classes += (classes.empty() ? "" : ", ") + one.name;
    return classes.empty() ? "" : fmt::format("{}.{}: {}", field.message, field.field, classes);
}

std::vector<std::string> all_unseen_values(const api::TestedCoverage& coverage) {
    std::vector<std::string> result;
    for (const api::SeenField& field : coverage.fields)
        if (std::string text = unseen_values(field); !text.empty()) result.push_back(std::move(text));
    return result;
}

// "; the other 2 depend on B and never came": nothing is missing that the tester could have brought about.
std::string all_but(const api::TestedCoverage& c, std::string_view component) {
    if (c.unseen.empty() || c.up_to_component + c.impossible < c.unseen.size()) return "";
    bool one = c.unseen.size() == 1;
    std::string others = one ? "; the other one" : fmt::format("; the other {}", c.unseen.size());
    if (c.up_to_component == 0) return others + " cannot happen";
    if (c.impossible > 0)
        return fmt::format("{} depend on {} and never came, or cannot happen", others, component);
    return fmt::format("{} {} on {} and never came", others, one ? "depends" : "depend", component);
}

std::string print_values(const api::TestedCoverage& coverage) {
    const campaign::Measure& classes = coverage.value_classes;
    if (classes.total == 0) return "";
    std::string text = fmt::format("values: {} of {} {}\n", classes.covered, classes.total,
                                   classes.total == 1 ? "class" : "classes");
    std::vector<std::string> never = all_unseen_values(coverage);
    for (const std::string& one : never) text += fmt::format("    never seen: {}\n", one);
    return text;
}

Json to_json(const campaign::Measure& m) {
    return {{"covered", m.covered}, {"total", m.total}};
}

Json to_json(const api::UnseenStep& step, std::string_view component) {
    Json json = {{"step", step.step},
                 {"line", step.line},
                 {"by", step.by_tester ? "tester" : component},
                 {"reachable", step.reachable},
                 {"cause", to_string(step.cause)}};
    if (step.at) json["at"] = *step.at;
    if (!step.decider.empty()) json["decider"] = step.decider;
    return json;
}

Json to_json(const api::MergedCoverage& merged) {
    Json values = Json::object();
    for (const auto& [field, classes] : merged.seen.values)
        for (const auto& [one, times] : classes) values[field.first][field.second][one] = times;
    return {{"runs", merged.seen.runs},
            {"sessions", merged.seen.sessions},
            {"covered", merged.seen.steps.size()},
            {"total", merged.total},
            {"values", std::move(values)}};
}

}  // namespace

std::vector<std::string> never_seen(const api::TestedCoverage& coverage, std::string_view component) {
    std::vector<std::string> result;
    for (const api::UnseenStep& step : coverage.unseen) result.push_back(sentence(step, component));
    for (const std::string& one : all_unseen_values(coverage)) result.push_back("values of " + one);
    return result;
}

std::string print(const api::TestedCoverage& c, std::string_view component, bool all_passed,
                  ValueClasses values) {
    std::string text = fmt::format("coverage: {} of {}{}\n", c.covered, counted(c.total, "step"),
                                   all_passed ? all_but(c, component) : "");
    for (const api::UnseenStep& step : c.unseen)
        text += fmt::format("    never seen: {}\n", sentence(step, component));
    if (values == ValueClasses::shown) text += print_values(c);
    if (c.merged && c.merged->seen.runs > 1)
        text += fmt::format("    over {} runs: {} of {}\n", c.merged->seen.runs, c.merged->seen.steps.size(),
                            counted(c.merged->total, "step"));
    return text;
}

Json to_json(const api::TestedCoverage& c, std::string_view component) {
    Json roles = Json::object(), missing = Json::array(), values = Json::object(),
         values_missing = Json::array();
    for (const auto& [role, measure] : c.roles) roles[role] = to_json(measure);
    for (const api::UnseenStep& step : c.unseen) missing.push_back(to_json(step, component));
    for (const api::SeenField& field : c.fields) {
        Json& classes = values[field.message][field.field];
        for (const auto& [one, count] : field.classes) classes[one] = count;
        for (const auto& one : field.unseen)
            values_missing.push_back({{"message", field.message},
                                      {"field", field.field},
                                      {"class", one.name},
                                      {"reachable", one.reachable}});
    }
    Json json = {{"covered", c.covered},
                 {"total", c.total},
                 {"messages", to_json(c.messages)},
                 {"branches", to_json(c.branches)},
                 {"guards", to_json(c.guards)},
                 {"roles", std::move(roles)},
                 {"up_to_component", c.up_to_component},
                 {"impossible", c.impossible},
                 {"missing", std::move(missing)},
                 {"value_classes", to_json(c.value_classes)},
                 {"values", std::move(values)},
                 {"values_missing", std::move(values_missing)}};
    if (c.merged) json["merged"] = to_json(*c.merged);
    return json;
}

}  // namespace treaty::report
