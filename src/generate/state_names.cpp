#include "generate/state_names.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "generate/identifiers.h"

namespace treaty::generate {
namespace {

constexpr std::size_t named_messages = 3;  // more of them make a name too long to read

// "AOrBOrMore".
std::string listed(const StateCode& state, bool sends, const model::Alphabet& alphabet) {
    std::vector<std::string> names;
    for (const Operation& operation : state.operations) {
        if (operation.sends != sends) continue;
        std::string name = camel_case(alphabet.name(operation.message));
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    if (names.size() > named_messages) {
        names.resize(named_messages - 1);
        names.push_back("More");
    }
    return fmt::format("{}", fmt::join(names, "Or"));
}

std::string name_of(const StateCode& state, const model::Alphabet& alphabet) {
    if (state.is_done()) return "Done";
    std::string name;
    if (state.sends()) name = "Send" + listed(state, true, alphabet);
    if (state.receives()) name += "Receive" + listed(state, false, alphabet);
    return name;
}

}  // namespace

void name_states(RoleCode& code, const model::Alphabet& alphabet) {
    std::map<std::string, std::size_t> used;
    for (StateCode& state : code.states) {
        std::string name = name_of(state, alphabet);
        std::size_t count = ++used[name];
        while (count > 1 && used.contains(fmt::format("{}{}", name, count))) ++count;
        if (count > 1) {
            used[name] = count;
            name += std::to_string(count);
            ++used[name];
        }
        state.name = std::move(name);
    }
}

}  // namespace treaty::generate
