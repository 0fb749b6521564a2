// The options of a question as a form: one list of them both describes the form and reads what was filled in.
//
//     Asked check(Form& form) {
//         api::CheckQuestion question;
//         form.file("file", question.file, "any file that Treaty reads");
//         return [=](const Asking& asking) { ... };
//     }
//
// What does not fit is kept as a fault with the name of its field; values stay as they were then. Paths are
// those of the folder: another one is a fault.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.h"
#include "workbench/folder.h"
#include "workbench/json.h"

namespace treaty::workbench {

enum class Needed : std::uint8_t { yes, no };

class Form {
public:
    // values: null to describe the form. live: logs may be live traffic.
    Form(const Folder& folder, const Json* values, bool live)
        : folder_(folder), values_(values), live_(live) {}

    void file(std::string_view name, std::string& into, std::string_view about, Needed needed = Needed::yes);
    // A file, or ROLE=FILE, and the like: the path is what follows the first `=`. One per line.
    void files(std::string_view name, std::vector<std::string>& into, std::string_view about,
               Needed needed = Needed::yes);
    // What is watched: files, and live traffic where it is allowed.
    void logs(std::string_view name, std::vector<std::string>& into);
    void text(std::string_view name, std::string& into, std::string_view about, Needed needed = Needed::no);
    void role(std::string_view name, std::string& into, std::string_view about, Needed needed = Needed::no);
    void texts(std::string_view name, std::vector<std::string>& into, std::string_view about,
               Needed needed = Needed::no);
    void number(std::string_view name, std::uint64_t& into, std::string_view about,
                std::uint64_t most = 1'000'000'000);
    void number(std::string_view name, std::optional<std::uint64_t>& into, std::string_view about,
                std::uint64_t most = 1'000'000'000);
    void flag(std::string_view name, bool& into, std::string_view about);
    // The first choice is the one without a wish.
    void choice(std::string_view name, std::string& into, std::initializer_list<std::string_view> choices,
                std::string_view about);
    void time(std::string_view name, std::optional<std::chrono::milliseconds>& into, std::string_view about);

    void protocol(std::string& into);
    void channels(std::optional<model::Mode>& mode, std::optional<std::uint32_t>& bound);

    void fault(std::string_view name, std::string_view text);

    Json fields() const { return fields_; }
    const std::vector<std::string>& faults() const { return faults_; }

private:
    Json& describe(std::string_view name, std::string_view kind, std::string_view about, Needed needed);
    // The value of the field; null if there is none, or it is empty.
    const Json* value(std::string_view name, Needed needed);
    std::optional<std::string> text_of(std::string_view name, Needed needed);
    bool confine(std::string_view name, const std::string& path);

    const Folder& folder_;
    const Json* values_;
    bool live_;
    Json fields_ = Json::array();
    std::vector<std::string> faults_;
};

}  // namespace treaty::workbench
