#include "cli/notation_list.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::cli {
namespace {

std::string extensions_of(const api::NotationInfo& one) {
    std::string out;
    for (const std::string& extension : one.extensions)
        out += fmt::format("{}.{}", out.empty() ? "" : " ", extension);
    return out;
}

std::string directions_of(const api::NotationInfo& one) {
    return one.read ? one.written ? "read, written" : "read" : "written";
}

}  // namespace

std::string list_notations() {
    std::size_t width = 0;
    for (const api::NotationInfo& one : api::notations()) width = std::max(width, extensions_of(one).size());
    std::string out;
    for (const api::NotationInfo& one : api::notations())
        out += fmt::format("{:<{}}  {:<13}  {}: {}\n", extensions_of(one), width, directions_of(one),
                           one.title, one.carries);
    return out;
}

std::string explain(const api::NotationInfo& one) {
    std::string out = fmt::format("{} ({}): {}\n\nexpresses: {}\n", one.title, extensions_of(one),
                                  directions_of(one), one.carries);
    if (!one.read_by.empty()) out += fmt::format("read by: treaty {}\n", one.read_by);
    return out + fmt::format("more: {}\n", one.page);
}

report::Json to_json(const api::NotationInfo& one) {
    report::Json json = {{"title", one.title},     {"extensions", one.extensions}, {"read", one.read},
                         {"written", one.written}, {"carries", one.carries},       {"page", one.page}};
    if (!one.read_by.empty()) json["read_by"] = one.read_by;
    return json;
}

report::Json notations_to_json() {
    report::Json all = report::Json::array();
    for (const api::NotationInfo& one : api::notations()) all.push_back(to_json(one));
    return all;
}

}  // namespace treaty::cli
