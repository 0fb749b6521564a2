#include "process/surroundings.h"

#include <unistd.h>

#include <algorithm>

namespace treaty::process {
namespace {

void set_variable(std::vector<std::string>& environment, const std::string& variable) {
    std::string_view name = std::string_view(variable).substr(0, variable.find('=') + 1);
    auto same = std::find_if(environment.begin(), environment.end(),
                             [&](const std::string& one) { return one.starts_with(name); });
    if (same == environment.end())
        environment.push_back(variable);
    else
        *same = variable;
}

}  // namespace

bool is_variable(std::string_view text) {
    std::size_t equals = text.find('=');
    return equals != std::string_view::npos && equals > 0 && text.find('\0') == std::string_view::npos;
}

std::vector<std::string> environment_of(const Surroundings& surroundings) {
    std::vector<std::string> environment;
    for (char** one = environ; one && *one; ++one) environment.emplace_back(*one);
    for (const std::string& variable : surroundings.variables) set_variable(environment, variable);
    return environment;
}

}  // namespace treaty::process
