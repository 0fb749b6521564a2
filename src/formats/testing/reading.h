// Helpers of the tests of readers and writers.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "formats/load.h"
#include "model/specification.h"

namespace treaty::formats::testing {

// A text in a source map of its own, and what a reader says about it.
template <class Model>
struct ReadResult {
    std::optional<Model> model;
    base::Diagnostics diagnostics;
    base::SourceMap sources;
};

template <class Model, class Reader>
std::unique_ptr<ReadResult<Model>> read(Reader reader, std::string path, std::string text) {
    auto result = std::make_unique<ReadResult<Model>>();
    base::FileId file = result->sources.add(std::move(path), std::move(text));
    result->model = reader(result->sources, file, result->diagnostics);
    return result;
}

// One line a diagnostic: "T0603 2:5 expected `;`".
inline std::string listing(const base::SourceMap& sources, base::Diagnostics& diagnostics) {
    diagnostics.sort_by_place();
    std::string out;
    for (const base::Diagnostic& d : diagnostics.all()) {
        out += base::to_string(*d.code);
        if (d.span.valid()) {
            base::Position at = sources.begin(d.span);
            out += fmt::format(" {}:{}", at.line, at.column);
        }
        out += fmt::format(" {}\n", d.message);
    }
    return out;
}

inline std::string listing(const base::Diagnostics& diagnostics) {
    std::string out;
    for (const base::Diagnostic& d : diagnostics.all())
        out += fmt::format("{} {}\n", base::to_string(*d.code), d.message);
    return out;
}

// A file of any notation, as it was loaded, and what was reported.
struct LoadResult {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    Loaded loaded;
};

template <class Writer>
std::optional<std::string> written(Writer writer, LossPolicy policy = LossPolicy::refuse,
                                   std::string* report = nullptr) {
    base::Diagnostics diagnostics;
    Conversion conversion("x", diagnostics, policy);
    auto text = writer(conversion);
    if (report) *report = listing(diagnostics);
    return text;
}

// A protocol as one line: ";" for sequence, "+" for choice, "|" for parallel, "*" for repeat.
inline std::string tree(const model::Specification& s, const model::Protocol& p, model::NodeId id) {
    const model::Node& n = p[id];
    auto name = [&](auto x) { return x ? std::string(s.alphabet->name(x)) : std::string("_"); };
    std::string out;
    auto list = [&](std::string head) {
        out = head + "(";
        for (std::size_t i = 0; i < p.children(id).size(); ++i)
            out += (i ? " " : "") + tree(s, p, p.children(id)[i]);
        return out + ")";
    };
    switch (n.kind) {
        case model::NodeKind::interaction:
            return fmt::format("{}>{}:{}", name(n.role), name(n.to), name(n.message));
        case model::NodeKind::sequence: return list(";");
        case model::NodeKind::choice: return list("+" + name(n.role));
        case model::NodeKind::parallel: return list("|");
        case model::NodeKind::repeat: return list("*" + name(n.role));
        default: return list(std::string(model::to_string(n.kind)));
    }
}

inline std::string tree(const model::Specification& s) {
    return tree(s, s.protocols.back(), s.protocols.back().root());
}

// A text with a few random changes: bytes replaced, inserted, removed, pieces copied or cut out.
inline std::string mutated(std::string text, std::mt19937& random, std::string_view alphabet) {
    auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        std::size_t at = below(text.size() + 1);
        std::size_t length = below(12);
        switch (below(5)) {
            case 0: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
            case 1:
                if (at < text.size()) text[at] = alphabet[below(alphabet.size())];
                break;
            case 2: text.erase(at, length); break;
            case 3: text.insert(at, text.substr(below(text.size() + 1), length)); break;
            default: text.insert(at, 1, static_cast<char>(below(256))); break;
        }
    }
    return text;
}

}  // namespace treaty::formats::testing
