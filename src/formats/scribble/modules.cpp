#include "formats/scribble/modules.h"

#include <algorithm>
#include <filesystem>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/scribble/parser.h"

namespace treaty::formats::scribble {
namespace {

namespace fs = std::filesystem;

std::string text_of(const QualifiedName& name, const base::Names& names, std::string_view separator) {
    std::string result;
    for (const Name& part : name.parts) {
        if (!result.empty()) result += separator;
        result += names.text(part.id);
    }
    return result;
}

// The folder below which the module's packages are: a/b of module a.b.C in a/b/C.scr is taken away where it
// is there.
fs::path package_root(const Module& m, const fs::path& folder, const base::Names& names) {
    fs::path root = folder;
    for (std::size_t i = m.name.parts.size(); i-- > 0;) {
        if (i + 1 == m.name.parts.size()) continue;  // the module itself
        if (root.filename() != names.text(m.name.parts[i].id)) return folder;
        root = root.parent_path();
    }
    return root;
}

std::vector<std::string> candidates(const Module& from, const fs::path& file, const QualifiedName& wanted,
                                    const base::Names& names) {
    fs::path folder = file.parent_path();
    std::string extension = file.extension().string();
    fs::path below = text_of(wanted, names, "/") + extension;
    std::vector<std::string> paths;
    for (const fs::path& p :
         {package_root(from, folder, names) / below, folder / below, folder / below.filename()}) {
        std::string path = p.lexically_normal().string();
        if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
    return paths;
}

}  // namespace

std::vector<Module> read_modules(const base::SourceMap& sources, base::FileId file, base::SourceMap* into,
                                 const base::ReadFile& read_file, std::vector<base::FileId>* files,
                                 base::Names& names, lang::Syntax& out, base::Diagnostics& diagnostics) {
    std::vector<Module> modules;
    absl::flat_hash_map<std::string, std::uint32_t> by_path;
    modules.push_back(parse(sources, file, names, out, diagnostics));
    by_path[fs::path(sources.path(file)).lexically_normal().string()] = 0;
    auto fail = [&](const Import& i, std::string why) -> base::Diagnostic& {
        return diagnostics.report(codes::scribble_import, i.span, std::move(why));
    };
    auto find = [&](std::uint32_t from, const Import& i) {
        std::string name = text_of(i.module, names, ".");
        if (!into)
            return fail(i, fmt::format("`{}` cannot be imported by a text that is not a file", name)),
                   no_module;
        std::string path(sources.path(modules[from].file));
        std::vector<std::string> paths = candidates(modules[from], path, i.module, names);
        for (const std::string& p : paths) {
            if (auto known = by_path.find(p); known != by_path.end()) return known->second;
            base::Result<std::string> read = read_file(p);
            if (!read) continue;
            if (modules.size() >= max_modules) {
                diagnostics.report(codes::scribble_too_large, i.span,
                                   fmt::format("more than {} modules are imported", max_modules));
                return no_module;
            }
            base::FileId added = into->add(p, std::move(*read));
            if (files) files->push_back(added);
            modules.push_back(parse(sources, added, names, out, diagnostics));
            std::string declared = text_of(modules.back().name, names, ".");
            if (!declared.empty() && declared != name && !name.ends_with("." + declared) &&
                !declared.ends_with("." + name))
                fail(i, fmt::format("{} declares the module `{}`, not `{}`", p, declared, name));
            return by_path[p] = static_cast<std::uint32_t>(modules.size() - 1);
        }
        fail(i, fmt::format("unknown module `{}`", name))
            .help(fmt::format("looked for {}", fmt::join(paths, ", ")));
        return no_module;
    };
    for (std::uint32_t m = 0; m < modules.size(); ++m)
        for (std::size_t k = 0; k < modules[m].imports.size(); ++k) {
            std::uint32_t target = find(m, Import(modules[m].imports[k]));
            modules[m].imports[k].target = target;
        }
    return modules;
}

}  // namespace treaty::formats::scribble
