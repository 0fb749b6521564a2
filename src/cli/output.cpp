#include "cli/output.h"

#include "formats/load.h"
#include "formats/names.h"

namespace treaty::cli {

bool write_model(Session& session, const Loaded& loaded, const std::string& path,
                 formats::LossPolicy policy) {
    auto written = formats::write(loaded, formats::extension_of(path), session.diagnostics, policy);
    if (!written.text || !session.write(path, *written.text)) return false;
    session.result.extra["output"] = path;
    return true;
}

}  // namespace treaty::cli
