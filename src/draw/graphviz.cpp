#include "draw/graphviz.h"

#include <unistd.h>

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "process/run.h"

namespace treaty::draw {
namespace {

constexpr std::string_view helper_name = "treaty-layout";

// Where the helper is: beside this program as in the build folder, below the same prefix, where it was to be
// installed.
std::string find_helper() {
    std::error_code error;
    std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const std::filesystem::path& folder :
         {here, here.parent_path() / "libexec" / "treaty", std::filesystem::path(TREATY_LIBEXEC_DIR)}) {
        std::string path = (folder / helper_name).string();
        if (access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

Drawing no_drawing(std::string why) {
    return {std::nullopt, std::move(why)};
}

}  // namespace

Drawing svg_of_dot(const std::string& dot, const base::Deadline& deadline, std::chrono::milliseconds limit) {
    using End = process::RunResult::End;
    std::string helper = find_helper();
    if (helper.empty())
        return no_drawing(fmt::format("cannot draw: the program {} is not installed", helper_name));
    auto ran = process::run({helper}, dot, deadline.part(limit));
    if (!ran) return no_drawing(fmt::format("cannot draw: {}", ran.error()));
    process::RunResult& result = *ran;
    if (result.end == End::killed)
        return no_drawing(deadline.interrupted()
                              ? "interrupted while Graphviz was laying the graph out"
                              : fmt::format("Graphviz needs more than {:.3g} seconds to lay the graph out",
                                            std::chrono::duration<double>(limit).count()));
    if (result.end != End::exited || result.number != 0 || result.output.empty())
        return no_drawing("Graphviz broke down over this graph");
    char kind = result.output.front();
    result.output.erase(0, 1);
    if (kind == layout_is_svg) return {std::move(result.output), {}};
    return no_drawing(std::move(result.output));
}

}  // namespace treaty::draw
