#include "cli/output.h"

#include <fmt/format.h>

#include "cli/codes.h"
#include "formats/aut.h"
#include "formats/fsa.h"
#include "formats/gc.h"
#include "formats/names.h"
#include "formats/pnml.h"

namespace treaty::cli {

bool write_model(Session& session, const Model& model, const std::string& path, formats::LossPolicy policy) {
    std::string extension = formats::extension_of(path);
    formats::Conversion conversion(extension, session.diagnostics, policy);
    std::optional<std::string> text;
    if (auto* system = std::get_if<model::System>(&model); system && extension == "fsa")
        text = formats::write_fsa(*system, conversion);
    else if (auto* machine = std::get_if<model::Machine>(&model); machine && extension == "aut")
        text = formats::write_aut(*machine, conversion);
    else
        session.report(codes::unknown_output, fmt::format("cannot write {}", path));
    return text && session.write(path, *text);
}

}  // namespace treaty::cli
