// For tests: a text that has been read, and what was reported about it as lines that are easy to compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/source.h"
#include "lang/format.h"
#include "lang/lexer.h"
#include "lang/read.h"
#include "model/specification.h"

namespace treaty::lang::testing {

struct Reading {
    base::SourceMap sources;
    base::FileId file;
    base::Diagnostics diagnostics;
    std::optional<model::Specification> spec;

    explicit Reading(std::string text) : file(sources.add("test.treaty", std::move(text))) {
        spec = read(sources, file, diagnostics);
    }

    // "T0202 3:5" for each, one per line.
    std::string codes() const {
        std::string all;
        for (const base::Diagnostic& d : diagnostics.all()) {
            base::Position p = sources.begin(d.span);
            all += fmt::format("{} {}:{}\n", to_string(*d.code), p.line, p.column);
        }
        return all;
    }

    // The same with the message, and the hint where there is one.
    std::string messages() const {
        std::string all;
        for (const base::Diagnostic& d : diagnostics.all()) {
            base::Position p = sources.begin(d.span);
            all += fmt::format("{} {}:{} {}{}{}\n", to_string(*d.code), p.line, p.column, d.message,
                               d.hint.empty() ? "" : "; ", d.hint);
        }
        return all;
    }
};

// The canonical form of a text, or what is wrong with it.
inline std::string formatted(std::string text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("test.treaty", std::move(text));
    std::optional<std::string> result = format(sources, file, diagnostics);
    if (result) return *result;
    std::string why = "not formatted:\n";
    for (const base::Diagnostic& d : diagnostics.all()) why += d.message + "\n";
    return why;
}

// The comments of a text, in order.
inline std::vector<std::string> comments_of(std::string text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::Names names;
    base::FileId file = sources.add("test.treaty", std::move(text));
    std::vector<std::string> all;
    for (const Comment& c : lex(sources, file, names, diagnostics).comments)
        all.emplace_back(sources.text(base::Span{file, c.begin, c.end}));
    return all;
}

// The tokens of a text as texts, without the end.
inline std::vector<std::string> tokens_of(std::string text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::Names names;
    base::FileId file = sources.add("test.treaty", std::move(text));
    std::vector<std::string> all;
    for (const Token& t : lex(sources, file, names, diagnostics).tokens)
        if (t.kind != TokenKind::end_of_file)
            all.emplace_back(sources.text(base::Span{file, t.begin, t.end}));
    return all;
}

}  // namespace treaty::lang::testing
