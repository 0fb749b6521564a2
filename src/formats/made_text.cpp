#include "formats/made_text.h"

#include <fmt/format.h>

#include "formats/names.h"
#include "lang/parser.h"
#include "lang/resolve.h"

namespace treaty::formats {

void MadeText::line(int indent, std::string_view text, base::Span span) {
    text_ += fmt::format("{:{}}{}\n", "", text.empty() ? 0 : 2 * indent, text);
    spans_.push_back(span.valid() ? span : start_);
}

void MadeText::comment(int indent, std::string_view text) {
    while (!text.empty()) {
        std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        std::string plain(text.substr(0, end));
        for (char& c : plain)
            if (static_cast<unsigned char>(c) < 0x20) c = ' ';
        if (!plain.empty()) line(indent, "// " + plain);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void MadeText::append(const MadeText& other) {
    text_ += other.text_;
    spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
}

Loaded MadeText::read(const Loading& loading) const {
    base::FileId file = loading.sources.add(path_of_made_text(loading.sources.path(loading.file)), text_);
    if (loading.files) loading.files->push_back(file);
    model::Specification specification;
    base::Diagnostics found;
    lang::Syntax syntax = lang::parse(loading.sources, file, *specification.names, found);
    // What is inside of steps and declarations points at the text that was made.
    auto moved = [&](base::Span& span) {
        if (span.valid() && span.file == file)
            span = span_of(loading.sources.line_number(file, span.begin) - 1);
    };
    for (lang::Step& step : syntax.steps) {
        moved(step.span);
        moved(step.head);
    }
    for (lang::MessageSyntax& message : syntax.messages) moved(message.span);
    for (lang::LayoutSyntax& layout : syntax.layouts) moved(layout.span);
    for (lang::ProtocolSyntax& protocol : syntax.protocols) moved(protocol.span);
    auto resolved = lang::resolve(loading.sources, syntax, std::move(specification), found, loading.knowing);
    bool ok = found.ok();
    loading.diagnostics.append(std::move(found));
    if (!ok || !resolved) return {};
    return loaded(std::move(resolved));
}

std::string protocol_name(std::string_view title) {
    std::string name;
    bool begins = true;
    for (char c : title) {
        bool lower = c >= 'a' && c <= 'z';
        bool part = lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (part) name += begins && lower ? static_cast<char>(c - 'a' + 'A') : c;
        begins = !part;
    }
    return identifier_of(name);
}

}  // namespace treaty::formats
