// Errors in the user's input, in words that help to correct them.
//
// Every kind of diagnostic is one Code, listed in the codes.def of the folder that reports it, with a
// stable number that users may search for. A Diagnostics collects them and never stops a reader: the
// reader goes on to find the next fault. Beyond max_kept further ones are only counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace treaty::base {

enum class Severity : std::uint8_t { note, warning, error };

std::string_view to_string(Severity severity);

// number prints as T and four digits. title is a short description of the kind (the catalogue shows
// it); explanation states what it means and how to correct it.
struct Code {
    std::uint16_t number;
    Severity severity;
    std::string_view title;
    std::string_view explanation;
};

std::string to_string(const Code& code);  // "T0312"

struct Label {
    Span span;
    std::string text;
};

struct Diagnostic {
    const Code* code;
    Severity severity;
    Span span;  // may be invalid: about the whole run, or about something without a text
    std::string message;
    std::vector<Label> labels;  // the other places involved
    std::string hint;           // how to mend it, where known

    Diagnostic& label(Span at, std::string text);
    Diagnostic& help(std::string text);
};

class Diagnostics {
public:
    static constexpr std::size_t max_kept = 1000;

    // The reference stays valid until the next report.
    Diagnostic& report(const Code& code, Span span, std::string message);
    // With another severity than the kind usually has, where what it means depends on the rest.
    Diagnostic& report(const Code& code, Severity severity, Span span, std::string message);

    const std::vector<Diagnostic>& all() const { return kept_; }
    std::size_t errors() const { return errors_; }
    std::size_t warnings() const { return warnings_; }
    std::size_t dropped() const { return dropped_; }
    bool ok() const { return errors_ == 0; }

    // By file, offset, then code: the order people read in. A diagnostic that is reported twice is kept
    // once.
    void sort_by_place();
    void append(Diagnostics&& other);

private:
    std::vector<Diagnostic> kept_;
    Diagnostic overflow_{};
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
    std::size_t dropped_ = 0;
};

}  // namespace treaty::base
