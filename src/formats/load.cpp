#include "formats/load.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "formats/aut/aut.h"
#include "formats/codes.h"
#include "formats/diagram/diagram.h"
#include "formats/fsa/fsa.h"
#include "formats/gc/gc.h"
#include "formats/import.h"
#include "formats/json/json.h"
#include "formats/language_rules.h"
#include "formats/names.h"
#include "formats/pnml/pnml.h"
#include "formats/schora/schora.h"
#include "formats/scribble/scribble.h"
#include "lang/read.h"
#include "model/endings.h"

namespace treaty::formats {
namespace {

template <class Model>
Loaded loaded(std::optional<Model> model) {
    Loaded result;
    if (model) result.model = std::move(*model);
    return result;
}

// What goes on beside an endless loop is put beside it, as lang does it for its own texts.
Loaded apart(Loaded result) {
    if (auto* s = std::get_if<model::Specification>(&result.model))
        for (model::Protocol& p : s->protocols)
            if (auto rewritten = model::beside_endless(p)) p = std::move(rewritten->protocol);
    return result;
}

Loaded from_json(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    Loaded result = read_json(sources, file, diagnostics);
    const model::Specification* s = result.get<model::Specification>();
    if (s && !check_language_rules(*s, file, diagnostics)) return {};
    return apart(std::move(result));
}

}  // namespace

Loaded read(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    std::string extension = extension_of(sources.path(file));
    if (extension == "treaty") return loaded(lang::read(sources, file, diagnostics));
    if (extension == "gc") return loaded(read_gc(sources, file, diagnostics));
    if (extension == "mmd" || extension == "mermaid") return loaded(read_mermaid(sources, file, diagnostics));
    if (extension == "puml" || extension == "plantuml")
        return loaded(read_plantuml(sources, file, diagnostics));
    if (extension == "sgg") return loaded(read_sgg(sources, file, diagnostics));
    if (extension == "scr" || extension == "nuscr") return loaded(read_scribble(sources, file, diagnostics));
    if (extension == "fsa") return loaded(read_fsa(sources, file, diagnostics));
    if (extension == "aut") return loaded(read_aut(sources, file, diagnostics));
    if (extension == "pnml") return loaded(read_pnml(sources, file, diagnostics));
    if (extension == "schora") return apart(read_schora(sources, file, diagnostics));
    if (extension == "chor") return read_chor(sources, file, diagnostics);
    if (extension == "json") return from_json(sources, file, diagnostics);
    if (extension == "csp") {
        diagnostics
            .report(codes::unknown_extension, {},
                    fmt::format("`{}` is a CSP script, which this command does not read", sources.path(file)))
            .help("treaty run, refine and complete read .csp files");
        return {};
    }
    bool picture = extension == "dot" || extension == "svg";
    auto& d = diagnostics.report(
        picture ? codes::not_readable : codes::unknown_extension, {},
        picture ? fmt::format("`{}` is a picture, which can be written but not read", sources.path(file))
                : fmt::format("cannot tell the notation of `{}` by its extension", sources.path(file)));
    std::string_view near = base::nearest(extension, {"treaty", "gc", "sgg", "scr", "nuscr", "schora", "chor",
                                                      "fsa", "aut", "pnml", "mmd", "puml", "json"});
    d.help(!picture && !near.empty() ? fmt::format("did you mean .{}?", near)
                                     : "known extensions: .treaty, .gc, .sgg, .scr, .nuscr, .schora, .chor, "
                                       ".fsa, .aut, .pnml, .mmd, .puml and .json");
    return {};
}

Loaded load(const std::string& path, base::SourceMap& sources, base::Diagnostics& diagnostics,
            lang::Knowing knowing, const base::ReadFile& read_file, std::vector<base::FileId>* files) {
    base::Result<std::string> file = read_file(path);
    if (!file) {
        diagnostics.report(codes::unreadable, {}, file.error());
        return {};
    }
    base::FileId id = sources.add(path, std::move(*file));
    if (files) files->push_back(id);
    std::string extension = extension_of(path);
    if (extension == "scr" || extension == "nuscr")
        return loaded(load_scribble(sources, id, diagnostics, read_file, files));
    if (extension != "treaty") return read(sources, id, diagnostics);
    auto imported = follow_imports(sources, id, diagnostics, read_file, files);
    return imported ? loaded(lang::read_with(sources, *imported, id, diagnostics, knowing)) : Loaded();
}

}  // namespace treaty::formats
