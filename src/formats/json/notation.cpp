#include "formats/notation.h"

#include <algorithm>

#include "formats/codes.h"
#include "formats/json/json.h"
#include "formats/language_rules.h"

namespace treaty::formats {
namespace {

// A text of a line must have a name: the language has no other way to write it.
bool has_unnamed_text(const std::vector<model::Item>& items) {
    return std::ranges::any_of(items, [](const model::Item& item) {
        return std::visit(
            [](const auto& form) {
                using Form = std::decay_t<decltype(form)>;
                if constexpr (std::is_same_v<Form, model::forms::Text>) return !form.name.valid();
                if constexpr (requires { has_unnamed_text(form.inner); }) return has_unnamed_text(form.inner);
                return false;
            },
            item.form);
    });
}

bool has_unnamed_text(const model::Specification& specification) {
    for (const model::Wire& wire : specification.wires)
        for (const model::Layout& layout : wire.layouts)
            if (has_unnamed_text(layout.items)) return true;
    return false;
}

// A specification from JSON is held to the rules of the language, like one from .treaty.
Loaded read_lawful(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    Loaded result = read_json(sources, file, diagnostics);
    const model::Specification* s = result.get<model::Specification>();
    if (s && has_unnamed_text(*s)) {
        diagnostics.report(codes::json_model, {file, 0, 0}, "a text of a layout has no name");
        return {};
    }
    if (s && !check_language_rules(*s, file, diagnostics)) return {};
    return with_endless_beside(std::move(result));
}

template <class Model>
std::optional<std::string> json_of(const Model& model, Conversion&) {
    return write_json(model);
}

}  // namespace

std::vector<Notation> json_notations() {
    return {{.title = "JSON",
             .extensions = {"json"},
             .carries = "every model, exactly",
             .section = "JSON",
             .owns_extension = false,
             .read = read_lawful,
             .write_specification = json_of<model::Specification>,
             .write_system = json_of<model::System>,
             .write_machine = json_of<model::Machine>,
             .write_net = json_of<model::Net>}};
}

}  // namespace treaty::formats
