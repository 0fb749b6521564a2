#include "api/workspace.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "formats/import.h"
#include "formats/load.h"

namespace treaty::api {
namespace {

// Lengths count too, so that nothing can move from one text to the next.
std::string digest_of(const base::SourceMap& sources, const std::vector<base::FileId>& files) {
    std::uint64_t one = 1, other = 2;
    for (base::FileId file : files) {
        std::uint64_t text = base::hash_bytes(sources.text(file));
        one = base::combine(one, text);
        other = base::mix(other ^ text) + sources.text(file).size();
    }
    return fmt::format("{:016x}{:016x}", one, base::mix(other));
}

}  // namespace

Workspace::Workspace(base::ReadFile read_file)
    : read_file_(std::move(read_file)), sources_(std::make_shared<base::SourceMap>()) {}

Workspace::~Workspace() = default;

base::Result<std::string> Workspace::read(const std::string& path) const {
    {
        std::lock_guard lock(mutex_);
        if (auto overlay = overlays_.find(path); overlay != overlays_.end()) return overlay->second;
    }
    return read_file_(path);
}

void Workspace::set_overlay(const std::string& path, std::string text) {
    std::lock_guard lock(mutex_);
    overlays_[path] = std::move(text);
}

void Workspace::drop_overlay(const std::string& path) {
    std::lock_guard lock(mutex_);
    overlays_.erase(path);
}

std::shared_ptr<const Document> Workspace::open(const std::string& path, lang::Knowing knowing) const {
    Key key{path, knowing};
    std::shared_ptr<const Document> known;
    {
        std::lock_guard lock(mutex_);
        if (auto place = documents_.find(key); place != documents_.end()) known = place->second;
    }
    if (known && is_current(*known)) return known;
    std::shared_ptr<const Document> made = parse(path, knowing);
    std::lock_guard lock(mutex_);
    return documents_[key] = made;
}

// A file that could not be read is tried again each time.
bool Workspace::is_current(const Document& document) const {
    if (document.sources.empty() || document.path == "-") return document.path == "-";
    for (base::FileId file : document.sources) {
        std::string path(sources_->path(file));
        if (formats::is_library_path(path)) continue;
        base::Result<std::string> now = read(path);
        if (!now || *now != sources_->text(file)) return false;
    }
    return true;
}

std::shared_ptr<const Document> Workspace::parse(const std::string& path, lang::Knowing knowing) const {
    // Its texts are released with it.
    std::shared_ptr<Document> document(new Document, [sources = sources_](Document* old) {
        for (base::FileId file : old->sources) sources->release(file);
        delete old;
    });
    document->path = path;
    document->loaded = formats::load(
        path, *sources_, document->diagnostics, knowing,
        [this](const std::string& name) { return read(name); }, &document->sources);
    document->digest = digest_of(*sources_, document->sources);
    return document;
}

}  // namespace treaty::api
