#include "process/placeholders.h"

#include <cstdlib>

namespace treaty::process {

std::string expand(std::string_view text, const std::map<std::string, std::string>& values) {
    std::string out;
    while (!text.empty()) {
        std::size_t open = text.find('{');
        std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
        if (close == std::string_view::npos) break;
        out += text.substr(0, open);
        std::string name(text.substr(open + 1, close - open - 1));
        const char* variable = name.starts_with("env:") ? std::getenv(name.c_str() + 4) : nullptr;
        auto value = values.find(name);
        if (variable)
            out += variable;
        else
            out += value == values.end() ? text.substr(open, close - open + 1) : value->second;
        text.remove_prefix(close + 1);
    }
    return out += text;
}

std::vector<std::string> names_of_ports(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t open = text.find("{port:"); open != std::string_view::npos;
         open = text.find("{port:", open + 1)) {
        std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) break;
        if (close > open + 6) names.emplace_back(text.substr(open + 1, close - open - 1));
    }
    return names;
}

}  // namespace treaty::process
