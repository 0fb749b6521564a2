#include "report/result.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/sequence_chart.h"
#include "report/utf8.h"

namespace treaty::report {
namespace {

Json to_json(const base::Label& label, const base::SourceMap& sources) {
    base::Position position = sources.begin(label.span);
    return {{"file", sources.path(label.span.file)},
            {"line", position.line},
            {"column", position.column},
            {"message", label.text}};
}

Json to_json(const base::Diagnostic& diagnostic, const base::SourceMap& sources) {
    Json out = {{"code", base::to_string(*diagnostic.code)},
                {"severity", base::to_string(diagnostic.severity)},
                {"message", diagnostic.message}};
    if (diagnostic.span.valid()) {
        base::Position begin = sources.begin(diagnostic.span);
        out["file"] = sources.path(diagnostic.span.file);
        out["line"] = begin.line;
        out["column"] = begin.column;
    }
    Json labels = Json::array();
    for (const base::Label& label : diagnostic.labels)
        if (label.span.valid()) labels.push_back(to_json(label, sources));
    if (!labels.empty()) out["labels"] = std::move(labels);
    if (!diagnostic.hint.empty()) out["hint"] = diagnostic.hint;
    return out;
}

Ink ink_of(base::Answer answer) {
    switch (answer) {
        case base::Answer::holds: return Ink::good;
        case base::Answer::fails: return Ink::error;
        case base::Answer::conditional:
        case base::Answer::undecided: return Ink::warning;
    }
    return Ink::plain;
}

std::string print_bound(const Json& bound) {
    std::string out;
    for (const auto& [name, value] : bound.items()) {
        std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, shown);
    }
    return out;
}

// A picture where it fits, else a list; without the ending where what was printed before it says the same.
std::string print_witness(Run run, const std::string& before, const Style& style) {
    if (before.find(run.ending) != std::string::npos) run.ending.clear();
    Chart chart = chart_of(run);
    // Events of nobody in particular are a list, not a chart.
    bool roles = std::any_of(run.events.begin(), run.events.end(),
                             [](const RunEvent& e) { return e.direction != Direction::none; });
    bool fits = roles && chart.items.size() <= 200 && text_columns(chart) <= style.width;
    return fits ? to_text(chart, style) : print(run, style);
}

}  // namespace

base::Exit Result::exit() const {
    if (answer) return base::exit_of(*answer);
    return world_failed ? base::Exit::world_failed : base::Exit::bad_input;
}

Json to_json(const Result& result, const base::Diagnostics& diagnostics, const base::SourceMap& sources) {
    Json out = {{"treaty", envelope_version}, {"verb", result.verb}, {"input", result.inputs}};
    out["answer"] = result.answer ? Json(base::to_string(*result.answer)) : Json(nullptr);
    if (!result.reason.empty()) out["reason"] = result.reason;
    if (!result.condition.empty()) out["condition"] = result.condition;
    if (!result.bound.is_null()) out["bound"] = result.bound;
    if (result.witness) out["witness"] = to_json(*result.witness);
    Json reported = Json::array();
    for (const base::Diagnostic& diagnostic : diagnostics.all())
        reported.push_back(to_json(diagnostic, sources));
    out["diagnostics"] = std::move(reported);
    if (diagnostics.dropped() > 0) out["diagnostics_dropped"] = diagnostics.dropped();
    out["stats"] = result.stats;
    for (const auto& [name, value] : result.extra.items())
        if (!out.contains(name)) out[name] = value;
    return out;
}

std::string to_json_text(const Result& result, const base::Diagnostics& diagnostics,
                         const base::SourceMap& sources) {
    return to_json(result, diagnostics, sources).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string to_terminal(const Result& result, const Style& style) {
    std::string out = result.text;
    if (result.answer && !result.quiet) {
        out += paint(style, ink_of(*result.answer), base::to_string(*result.answer));
        if (!result.reason.empty()) out += ": " + printable(result.reason);
        out += '\n';
    }
    if (!result.condition.empty()) out += "condition: " + printable(result.condition) + '\n';
    if (result.bound.is_object() && !result.bound.empty())
        out += "reached: " + print_bound(result.bound) + '\n';
    if (result.witness) {
        out += '\n' + print_witness(*result.witness, out, style);
    }
    return out;
}

}  // namespace treaty::report
