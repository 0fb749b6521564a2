// What the fixers of single diagnostics have in common: a text, a place in it, and the repairs found.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/editor/document.h"
#include "api/editor/quick_fixes.h"

namespace treaty::api {

// Self: the fixer, whose member functions add the repairs of one diagnostic each.
template <typename Self>
class Fixer {
public:
    using Table = std::map<std::string, void (Self::*)()>;  // by code

    Fixer(const EditorDocument& document, TextRange place) : d_(document), place_(place) {}

protected:
    // The repairs for a diagnostic of this code; none if the place is not in the text.
    std::vector<QuickFix> fixes(const Table& all, const std::string& code) {
        auto found = all.find(code);
        if (found != all.end() && place_.end <= d_.text().size())
            (static_cast<Self*>(this)->*found->second)();
        return std::move(fixes_);
    }

    std::string_view written() const { return d_.text().substr(place_.begin, place_.end - place_.begin); }

    void add(std::string title, TextRange range, std::string text, bool preferred = true) {
        fixes_.push_back({std::move(title), {{range, std::move(text)}}, preferred});
    }

    void change_to(std::string_view text) {
        add(fmt::format("Change to `{}`", text), place_, std::string(text));
    }

    const EditorDocument& d_;
    TextRange place_;

private:
    std::vector<QuickFix> fixes_;
};

}  // namespace treaty::api
