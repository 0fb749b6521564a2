#include "base/diagnostic.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace treaty::base {

std::string_view to_string(Severity severity) {
    switch (severity) {
        case Severity::note: return "note";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "";
}

std::string to_string(const Code& code) {
    return fmt::format("T{:04}", code.number);
}

Diagnostic& Diagnostic::label(Span at, std::string text) {
    labels.push_back({at, std::move(text)});
    return *this;
}

Diagnostic& Diagnostic::help(std::string text) {
    hint = std::move(text);
    return *this;
}

Diagnostic& Diagnostics::report(const Code& code, Span span, std::string message) {
    return report(code, code.severity, span, std::move(message));
}

Diagnostic& Diagnostics::report(const Code& code, Severity severity, Span span, std::string message) {
    if (severity == Severity::error) ++errors_;
    if (severity == Severity::warning) ++warnings_;
    Diagnostic diagnostic{&code, severity, span, std::move(message), {}, {}};
    if (kept_.size() >= max_kept) {
        ++dropped_;
        overflow_ = std::move(diagnostic);
        return overflow_;
    }
    kept_.push_back(std::move(diagnostic));
    return kept_.back();
}

void Diagnostics::sort_by_place() {
    auto key = [](const Diagnostic& d) {
        return std::tuple(!d.span.valid(), d.span.file.index, d.span.begin, d.code->number);
    };
    std::stable_sort(kept_.begin(), kept_.end(),
                     [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
    auto repeats = [](const Diagnostic& a, const Diagnostic& b) {
        return a.code == b.code && a.span == b.span && a.message == b.message;
    };
    auto last = std::unique(kept_.begin(), kept_.end(), repeats);
    for (auto it = last; it != kept_.end(); ++it) {
        if (it->severity == Severity::error) --errors_;
        if (it->severity == Severity::warning) --warnings_;
    }
    kept_.erase(last, kept_.end());
}

void Diagnostics::append(Diagnostics&& other) {
    errors_ += other.errors_;
    warnings_ += other.warnings_;
    dropped_ += other.dropped_;
    for (Diagnostic& d : other.kept_) {
        if (kept_.size() < max_kept)
            kept_.push_back(std::move(d));
        else
            ++dropped_;
    }
}

}  // namespace treaty::base
