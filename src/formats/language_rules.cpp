#include "formats/language_rules.h"

#include <fmt/format.h>

#include "formats/codes.h"
#include "lang/print.h"
#include "lang/read.h"

namespace treaty::formats {
namespace {

// A text that was read again, for its diagnostics.
struct Reading {
    base::SourceMap sources;
    base::FileId file;
    base::Diagnostics diagnostics;
};

std::unique_ptr<Reading> read_again(std::string text) {
    auto reading = std::make_unique<Reading>();
    reading->file = reading->sources.add("model.treaty", std::move(text));
    lang::read(reading->sources, reading->file, reading->diagnostics);
    return reading;
}

}  // namespace

bool check_language_rules(const model::Specification& specification, base::FileId file,
                          base::Diagnostics& diagnostics) {
    if (lang::unwritable_name(specification)) return true;
    auto reading = read_again(lang::print(specification));
    if (reading->diagnostics.ok()) return true;
    for (const base::Diagnostic& d : reading->diagnostics.all()) {
        if (d.severity != base::Severity::error) continue;
        std::string line;
        if (d.span.valid()) {
            std::uint32_t number = reading->sources.begin(d.span).line;
            line = std::string(reading->sources.line(reading->file, number));
            line.erase(0, line.find_first_not_of(' '));
            if (line.size() > 100) line = line.substr(0, 100) + "...";
        }
        auto& report = diagnostics.report(codes::json_model, {file, 0, 1},
                                          fmt::format("{} ({})", d.message, base::to_string(*d.code)));
        if (!line.empty()) report.help(fmt::format("in .treaty it would be: {}", line));
    }
    return false;
}

std::optional<model::Specification> with_writable_names(const model::Specification& specification,
                                                        Conversion& conversion) {
    if (!lang::unwritable_name(specification)) return std::nullopt;
    const model::Alphabet& before = *specification.alphabet;
    model::Specification result = specification.copy();
    result.alphabet = std::make_shared<model::Alphabet>();
    model::Alphabet& after = *result.alphabet;
    auto rename = [&](std::string_view name, std::string_view what, char letter, auto taken, auto writable) {
        if (writable(name)) return std::string(name);
        std::string renamed;
        for (char c : name) {
            bool part =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            renamed += part ? c : '_';
        }
        if (!writable(renamed)) renamed.insert(0, 1, letter);
        std::string free = renamed;
        for (int i = 2; taken(free); ++i) free = fmt::format("{}_{}", renamed, i);
        conversion.rename({}, fmt::format("{} `{}` becomes `{}`, a valid name in .treaty", what, name, free));
        return free;
    };
    for (std::size_t i = 0; i < before.role_count(); ++i)
        after.role(rename(
            before.name(model::RoleId(i)), "role", 'R',
            [&](std::string_view n) { return before.find_role(n).valid() || after.find_role(n).valid(); },
            [](std::string_view n) { return lang::writable_role(n); }));
    for (std::size_t i = 0; i < before.message_count(); ++i)
        after.message(rename(
            before.name(model::MessageId(i)), "message", 'm',
            [&](std::string_view n) {
                return before.find_message(n).valid() || after.find_message(n).valid();
            },
            [](std::string_view n) { return lang::writable_message(n); }));
    for (std::size_t i = 1; i < before.label_count(); ++i) after.label(before.event(model::LabelId(i)));
    return result;
}

TreatyText treaty_text(const model::Specification& specification) {
    if (auto name = lang::unwritable_name(specification))
        return {std::nullopt, fmt::format("`{}` is not a valid name in .treaty", *name)};
    std::string text = lang::print(specification);
    auto reading = read_again(text);
    for (const base::Diagnostic& d : reading->diagnostics.all())
        if (d.severity == base::Severity::error)
            return {std::nullopt, fmt::format("in .treaty this would be an error: {}", d.message)};
    return {std::move(text), {}};
}

}  // namespace treaty::formats
