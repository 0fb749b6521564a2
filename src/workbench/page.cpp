#include "workbench/page.h"

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "workbench/gate.h"

namespace treaty::workbench {
namespace {

constexpr std::string_view index_name = "index.html";
constexpr std::string_view nonce_mark = "NONCE";

struct EmbeddedFile {
    std::string_view name;
    std::string_view bytes;  // compressed with gzip, but for the page itself, which is filled in
};

#include "workbench/page_files.inc"

std::string_view type_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
        {{".html", "text/html; charset=utf-8"},
         {".js", "text/javascript; charset=utf-8"},
         {".css", "text/css; charset=utf-8"},
         {".json", "application/json"},
         {".svg", "image/svg+xml"}}};
    for (const auto& [ending, type] : known)
        if (name.ends_with(ending)) return type;
    return "application/octet-stream";
}

}  // namespace

Page Page::embedded() {
    Page page;
    for (const EmbeddedFile& file : embedded_files)
        page.files_[std::string(file.name)] = {std::string(file.bytes), file.name != index_name};
    return page;
}

base::Result<Page> Page::from(const std::string& folder) {
    Page page;
    std::error_code fault;
    for (std::filesystem::directory_iterator at(folder, fault); !fault && at != std::filesystem::end(at);
         at.increment(fault)) {
        if (!at->is_regular_file(fault)) continue;
        auto bytes = base::read_file(at->path().string(), std::size_t{16} << 20);
        if (!bytes) return base::Fault{bytes.error()};
        page.files_[at->path().filename().string()] = {std::move(*bytes), false};
    }
    if (!page.files_.contains(std::string(index_name)))
        return base::Fault{fmt::format("{} has no {}", folder, index_name)};
    return page;
}

net::Reply Page::find(const std::string& name) const {
    auto found = files_.find(name.empty() ? std::string(index_name) : name);
    std::string nonce = new_token();
    net::Reply reply{.fields = protective_fields(nonce)};
    if (found == files_.end()) {
        reply.status = 404;
        reply.body = "there is no such file\n";
        reply.fields.push_back({"Content-Type", "text/plain; charset=utf-8"});
        return reply;
    }
    reply.body = found->second.bytes;
    reply.fields.push_back({"Content-Type", std::string(type_of(found->first))});
    if (found->second.compressed) reply.fields.push_back({"Content-Encoding", "gzip"});
    if (found->first == index_name)
        if (std::size_t at = reply.body.find(nonce_mark); at != std::string::npos)
            reply.body.replace(at, nonce_mark.size(), nonce);
    return reply;
}

}  // namespace treaty::workbench
