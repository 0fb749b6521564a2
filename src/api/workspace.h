// The files that questions are about: read through one function, parsed once, shared by all who ask.
//
//     Workspace workspace;                        // the disk
//     workspace.set_overlay("a.treaty", text);    // an editor's unsaved text replaces the file
//     std::shared_ptr<const Document> document = workspace.open("a.treaty");
//
// A Document is frozen: code that needs new names, labels or expressions takes a copy (Specification::copy).
// It is kept until the file, or one that it imports, has another text; whether it has is found out by reading
// them again. Texts live as long as a document refers to them. Safe for many threads; two that open the same
// file at the same time may both parse it, and get equal documents.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/source.h"
#include "formats/loaded.h"
#include "lang/read.h"

namespace treaty::api {

// The contents of one file, with everything that it imports.
struct Document {
    std::string path;
    formats::Loaded loaded;  // holds nothing if there was an error
    base::Diagnostics diagnostics;
    std::vector<base::FileId> sources;  // the file itself first
    // Of the text of the file and of all that it imports: tells whether what was kept about it still applies.
    std::string digest;
};

class Workspace {
public:
    explicit Workspace(base::ReadFile read_file = base::read_from_disk);
    ~Workspace();

    std::shared_ptr<const Document> open(const std::string& path,
                                         lang::Knowing knowing = lang::Knowing::demanded) const;

    // A text that is not a model: the overlay if there is one, else the file.
    base::Result<std::string> read(const std::string& path) const;

    void set_overlay(const std::string& path, std::string text);
    void drop_overlay(const std::string& path);

    // Of all documents, and of whatever else is read or made on the way to an answer.
    base::SourceMap& sources() const { return *sources_; }

private:
    using Key = std::pair<std::string, lang::Knowing>;
    std::shared_ptr<const Document> parse(const std::string& path, lang::Knowing knowing) const;
    bool is_current(const Document& document) const;

    base::ReadFile read_file_;
    std::shared_ptr<base::SourceMap> sources_;  // shared with the documents, which release their texts
    mutable std::mutex mutex_;
    std::map<std::string, std::string> overlays_;
    mutable std::map<Key, std::shared_ptr<const Document>> documents_;
};

}  // namespace treaty::api
