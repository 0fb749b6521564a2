// .csp, scripts of CSPM: any bytes are read, named, typed and evaluated without a crash, and whatever is not
// a script says why. Looking at the types changes nothing, and twice it gives the same answer.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "csp/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace treaty;
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("input.csp", std::string(reinterpret_cast<const char*>(data), size));
    auto script = csp::Script::read(sources, file, diagnostics);
    TREATY_CHECK((script != nullptr) == diagnostics.ok());
    if (!script) return 0;
    base::Diagnostics types, again;
    script->check_types(types);
    script->check_types(again);
    TREATY_CHECK(types.all().size() == again.all().size() && types.dropped() == again.dropped());
    for (std::size_t i = 0; i < types.all().size(); ++i)
        TREATY_CHECK(types.all()[i].message == again.all()[i].message);
    explore::Limits limits;
    limits.states = 300;
    limits.time = base::Deadline::after(std::chrono::milliseconds(200));
    for (std::size_t i = 0; i < script->assertion_count(); ++i) {
        csp::Checked checked = script->check(i, limits);
        TREATY_CHECK(checked.answer || !diagnostics.ok());
    }
    return 0;
}
