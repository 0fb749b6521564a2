// A project file: whatever the text is, it is read, or every fault has a place in it.
#include <cstdint>
#include <string>

#include "api/campaigns/project_file.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace treaty;
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file =
        sources.add("folder/treaty.toml", std::string(reinterpret_cast<const char*>(data), size));
    auto project = api::read_project_file(file, sources, diagnostics);
    TREATY_CHECK(project.has_value() == diagnostics.ok());
    for (const base::Diagnostic& one : diagnostics.all()) {
        TREATY_CHECK(one.span.begin <= one.span.end && one.span.end <= size);
        TREATY_CHECK(sources.begin(one.span).line > 0);
    }
    if (!project) return 0;
    TREATY_CHECK(!project->campaigns.empty());
    for (const api::Campaign& one : project->campaigns) {
        api::TestQuestion question = api::question_of(one.settings);
        TREATY_CHECK(!one.name.empty() && one.settings.file && one.settings.cut);
    }
    return 0;
}
