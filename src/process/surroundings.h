// What a program finds when it starts: environment variables and a working directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treaty::process {

struct Surroundings {
    // NAME=VALUE: added to the variables of this process. The last one of a name counts.
    std::vector<std::string> variables;
    std::string directory;  // empty: that of this process

    bool empty() const { return variables.empty() && directory.empty(); }
    friend bool operator==(const Surroundings&, const Surroundings&) = default;
};

// Whether the text is NAME=VALUE, with a name that is not empty.
bool is_variable(std::string_view text);

// The whole environment of a program: the variables of this process with those of the surroundings.
std::vector<std::string> environment_of(const Surroundings& surroundings);

}  // namespace treaty::process
