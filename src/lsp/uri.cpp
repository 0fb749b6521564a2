#include "lsp/uri.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/percent.h"

namespace treaty::lsp {
namespace {

constexpr std::string_view file_scheme = "file://";

}  // namespace

std::string path_of(std::string_view uri, std::string_view extension) {
    if (!uri.starts_with(file_scheme)) {
        std::string path(uri);
        bool has_extension = !std::filesystem::path(path).extension().empty();
        return has_extension ? path : fmt::format("{}.{}", path, extension);
    }
    std::string_view rest = uri.substr(file_scheme.size());
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // a host, which is this one
    return std::filesystem::path(base::from_percent(rest).value_or(std::string(rest)))
        .lexically_normal()
        .string();
}

std::string uri_of(std::string_view path) {
    if (!path.starts_with('/')) return std::string(path);
    std::string out(file_scheme);
    base::append_percent(out, path, "-._~/");
    return out;
}

}  // namespace treaty::lsp
