#include <fmt/format.h>

#include "base/file.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "formats/codes.h"
#include "lang/format.h"

namespace treaty::cli {
namespace {

struct Request {
    std::vector<std::string> files;
    bool check = false;
    bool in_place = false;
};

// One file; false if it could not be read, parsed or written.
bool format_file(Session& session, const Request& request, const std::string& path, std::size_t& changed) {
    base::FileText text = base::read_file(path);
    if (!text.text) {
        session.report(formats::codes::unreadable, text.fault);
        return false;
    }
    base::FileId file = session.sources.add(path, std::move(*text.text));
    auto formatted = lang::format(session.sources, file, session.diagnostics);
    if (!formatted) return false;
    bool differs = *formatted != session.sources.text(file);
    if (differs) ++changed;
    session.result.extra["files"].push_back({{"file", path}, {"changed", differs}});
    if (request.check) {
        if (differs)
            session.report(codes::not_formatted, fmt::format("{} is not in canonical form", path))
                .help(fmt::format("treaty fmt --in-place {}", path));
        return true;
    }
    if (request.in_place && path != "-") return !differs || session.write(path, *formatted);
    session.result.text += *formatted;
    session.result.extra["files"].back()["text"] = *formatted;
    return true;
}

}  // namespace

int verb_fmt(Arguments arguments) {
    Session session("fmt");
    CommandLine line(session);
    Request request;
    line.positionals("FILE", request.files, "Treaty files; - is standard input");
    line.flag("--check", request.check, "change nothing, exit 1 if a file would change");
    line.flag("-i,--in-place", request.in_place, "rewrite the files");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = request.files;
    session.result.extra["files"] = report::Json::array();
    session.result.quiet = true;
    bool good = true;
    std::size_t changed = 0;
    for (const std::string& path : request.files) good = format_file(session, request, path, changed) && good;
    if (!good) return session.finish();
    if (request.check && changed > 0)
        return session.fails(fmt::format("{} of {} files would change", changed, request.files.size()));
    return session.holds();
}

}  // namespace treaty::cli
