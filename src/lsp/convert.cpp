#include "lsp/convert.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lsp/uri.h"

namespace treaty::lsp {
namespace {

int severity_of(base::Severity severity) {
    switch (severity) {
        case base::Severity::error: return 1;
        case base::Severity::warning: return 2;
        case base::Severity::note: return 3;
    }
    return 1;
}

std::uint32_t to_number(const Json& value) {
    auto number = value.get<std::int64_t>();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, 0x7fffffff));
}

// The texts of the places, with their lines; each is prepared once.
class Places {
public:
    explicit Places(const base::SourceMap& sources) : sources_(sources) {}

    Json range(base::Span span) {
        if (!span.valid()) return {{"start", to_json(Position{})}, {"end", to_json(Position{})}};
        return range_json(text(span.file), span.begin, span.end);
    }

private:
    const Text& text(base::FileId file) {
        auto place = texts_.find(file.index);
        if (place == texts_.end())
            place = texts_.emplace(file.index, Text(std::string(sources_.text(file)))).first;
        return place->second;
    }

    const base::SourceMap& sources_;
    std::map<std::uint32_t, Text> texts_;
};

}  // namespace

Position to_position(const Json& position) {
    return {to_number(position.at("line")), to_number(position.at("character"))};
}

Json to_json(Position position) {
    return {{"line", position.line}, {"character", position.character}};
}

Json range_json(const Text& text, std::size_t begin, std::size_t end) {
    return {{"start", to_json(text.position(begin))}, {"end", to_json(text.position(end))}};
}

Json edit_json(Json range, std::string text) {
    return {{"range", std::move(range)}, {"newText", std::move(text)}};
}

Json to_json(const std::vector<api::ShownDiagnostic>& shown, const base::SourceMap& sources,
             const std::string& path) {
    constexpr int unnecessary = 1;
    Places places(sources);
    Json result = Json::array();
    for (const api::ShownDiagnostic& one : shown) {
        Json entry{{"range", places.range(one.place)},
                   {"severity", severity_of(one.severity)},
                   {"source", "treaty"}};
        entry["message"] =
            one.hint.empty() ? one.message : fmt::format("{}\nhelp: {}", one.message, one.hint);
        if (!one.code.empty()) {
            entry["code"] = one.code;
            entry["codeDescription"] = {{"href", fmt::format("treaty-help:{}", one.code)}};
        }
        if (one.never_reached) entry["tags"] = Json::array({unnecessary});
        for (const base::Label& label : one.related) {
            std::string file(sources.path(label.span.file));
            entry["relatedInformation"].push_back(
                {{"location",
                  {{"uri", uri_of(file.empty() ? path : file)}, {"range", places.range(label.span)}}},
                 {"message", label.text}});
        }
        result.push_back(std::move(entry));
    }
    return result;
}

}  // namespace treaty::lsp
