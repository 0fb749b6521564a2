// The notations that Treaty knows: one list, which reading, writing, `treaty convert --list` and the
// documents are made from.
//
// A notation is a folder of formats/ with
//     notation.cpp   NAME_notations(): its entries in the list, where NAME is the folder
//     page.md        its part of docs/notations.md
//     corpus/EXT/    texts that its fuzz target begins with, one folder for each extension that is read
// and its reader, its writer, or both. The build finds the folders, so a new one is added without a change
// elsewhere. CSPM is the exception: its reader needs engines and is in csp/.
//
// The list never changes while the program runs; any thread may read it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "formats/loaded.h"
#include "lang/read.h"

namespace treaty::formats {

// What a reader is given that reads other files too.
struct Loading {
    base::SourceMap& sources;
    base::FileId file;
    base::Diagnostics& diagnostics;
    lang::Knowing knowing;
    const base::ReadFile& read_file;
    std::vector<base::FileId>* files;  // gets what was added to the sources; may be null
};

struct Notation {
    using Text = std::optional<std::string>;

    std::string_view title;                    // "g-choreographies (ChorGram, ChorTest)"
    std::vector<std::string_view> extensions;  // without their dots; further ones mean the same as the first
    std::string_view carries;                  // what it can express
    std::string_view section;                  // the heading of its part of docs/notations.md
    // Files of this extension are this notation, whichever program wrote them. Not so for .json: an editor
    // leaves them.
    bool owns_extension = true;
    bool picture = false;  // made for people; nothing can be read back

    // For a notation whose files share an extension with others: whether a text is in this notation.
    bool (*recognises)(std::string_view text) = nullptr;

    // Holds nothing if an error was reported. `load`: for a notation whose files name other files.
    Loaded (*read)(const base::SourceMap& sources, base::FileId file,
                   base::Diagnostics& diagnostics) = nullptr;
    Loaded (*load)(const Loading& loading) = nullptr;
    std::string_view read_by = {};  // the commands that read it, if no reader is here

    // Nothing comes back if something was refused.
    Text (*write_specification)(const model::Specification& specification, Conversion& conversion) = nullptr;
    Text (*write_system)(const model::System& system, Conversion& conversion) = nullptr;
    Text (*write_machine)(const model::Machine& machine, Conversion& conversion) = nullptr;
    Text (*write_net)(const model::Net& net, Conversion& conversion) = nullptr;

    bool is_read_here() const { return read || load; }
    bool is_read() const { return is_read_here() || !read_by.empty(); }
    bool is_written() const { return write_specification || write_system || write_machine || write_net; }
};

// The language first, the others by their first extension.
std::span<const Notation> notations();

// By any of its extensions; null if no notation has it. One that recognises its files comes last.
const Notation* find_notation(std::string_view extension);
// By the extension of the path and, where notations share one, by the text.
const Notation* notation_of(std::string_view path, std::string_view text);

// ".treaty, .gc and .json": the first extensions of all notations that are read here, or that are written.
std::string readable_extensions();
std::string writable_extensions();

// For the entries: a reader of one kind of model, as `read` has it.
template <class Model>
Loaded loaded(std::optional<Model> model) {
    Loaded result;
    if (model) result.model = std::move(*model);
    return result;
}
template <auto reader>
Loaded read_model(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    return loaded(reader(sources, file, diagnostics));
}

// The path of a .treaty text that a reader makes of a file and adds to the sources, with comments that no
// model has. It is what the file is as .treaty.
std::string path_of_made_text(std::string_view path);

// What goes on beside an endless loop is put beside it, as lang does it for its own texts.
Loaded with_endless_beside(Loaded loaded);

}  // namespace treaty::formats
