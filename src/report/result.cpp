#include "report/result.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "draw/sequence_chart.h"

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

draw::Ink ink_of(base::Answer answer) {
    switch (answer) {
        case base::Answer::holds: return draw::Ink::good;
        case base::Answer::fails: return draw::Ink::error;
        case base::Answer::conditional:
        case base::Answer::undecided: return draw::Ink::warning;
    }
    return draw::Ink::plain;
}

// "1001 pairs, depth 1000, stopped by the state limit".
std::string print_bound(const api::Bound& bound) {
    std::string out, stopped;
    for (const auto& [name, value] : bound.reached) {
        if (const auto* text = std::get_if<std::string>(&value)) {
            stopped = *text == "interrupted" ? *text
                                             : fmt::format("{} by the {}{}", name, *text,
                                                           text->ends_with("limit") ? "" : " limit");
            continue;
        }
        std::uint64_t number = std::get<std::uint64_t>(value);
        bool measure = name == "depth" || name == "length";  // the others count something
        std::string what = number == 1 && name.ends_with('s') ? name.substr(0, name.size() - 1) : name;
        out += out.empty() ? "" : ", ";
        out += measure ? fmt::format("{} {}", name, number) : fmt::format("{} {}", number, what);
    }
    if (!stopped.empty()) out += (out.empty() ? "" : ", ") + stopped;
    return out;
}

Json to_json(const api::Bound& bound) {
    Json out = Json::object();
    for (const auto& [name, value] : bound.reached) {
        Json& field = out[name];
        std::visit([&](const auto& v) { field = v; }, value);
    }
    return out;
}

// A picture where it fits, else a list; without the ending if the text before it states the same.
std::string print_witness(model::Run run, const std::string& before, const draw::Style& style) {
    if (before.find(run.ending) != std::string::npos) run.ending.clear();
    draw::Chart chart = draw::chart_of(run);
    // Events without roles are a list, not a chart.
    bool roles = std::any_of(run.events.begin(), run.events.end(),
                             [](const model::RunEvent& e) { return e.direction != model::Direction::none; });
    bool fits = roles && chart.items.size() <= 200 && draw::text_columns(chart) <= style.width;
    return fits ? draw::to_text(chart, style) : print(run, style);
}

}  // namespace

Json to_json(std::string_view verb, const api::Answer& answer, const Own& own,
             const base::SourceMap& sources) {
    Json out = {{"treaty", envelope_version}, {"verb", verb}, {"input", answer.inputs}};
    out["answer"] = answer.verdict ? Json(base::to_string(*answer.verdict)) : Json(nullptr);
    if (!answer.reason.empty()) out["reason"] = answer.reason;
    if (!answer.condition.empty()) out["condition"] = answer.condition;
    if (!answer.bound.empty()) out["bound"] = to_json(answer.bound);
    if (answer.witness) out["witness"] = to_json(*answer.witness);
    Json reported = Json::array();
    for (const base::Diagnostic& diagnostic : answer.diagnostics.all())
        reported.push_back(to_json(diagnostic, sources));
    out["diagnostics"] = std::move(reported);
    if (answer.diagnostics.dropped() > 0) out["diagnostics_dropped"] = answer.diagnostics.dropped();
    out["stats"] = own.stats;
    for (const auto& [name, value] : own.fields.items())
        if (!out.contains(name)) out[name] = value;
    return out;
}

std::string to_json_text(std::string_view verb, const api::Answer& answer, const Own& own,
                         const base::SourceMap& sources) {
    return to_json(verb, answer, own, sources).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string to_terminal(const api::Answer& answer, const Own& own, const draw::Style& style) {
    std::string out = own.text;
    if (answer.verdict && !own.quiet) {
        out += draw::paint(style, ink_of(*answer.verdict), base::to_string(*answer.verdict));
        if (!answer.reason.empty()) out += ": " + base::printable(answer.reason);
        out += '\n';
    }
    if (!answer.condition.empty()) out += "condition: " + base::printable(answer.condition) + '\n';
    if (!answer.bound.empty()) out += "reached: " + print_bound(answer.bound) + '\n';
    out += own.details;
    if (answer.witness) out += '\n' + print_witness(*answer.witness, out, style);
    if (answer.witness && !own.rest.empty()) out += '\n';
    return out + own.rest;
}

}  // namespace treaty::report
