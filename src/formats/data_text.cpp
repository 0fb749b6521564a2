#include "formats/data_text.h"

#include <fmt/format.h>

#include "expr/print.h"

namespace treaty::formats {

std::string variable_name(const expr::Pool& pool, expr::VarId variable) {
    return std::string(pool.names().text(pool.variable(variable).name));
}

std::string arguments_text(const expr::Pool& pool, std::span<const model::Argument> arguments) {
    std::string out;
    for (const model::Argument& a : arguments) {
        out += out.empty() ? "(" : ", ";
        if (a.bind) {
            out += "let " + variable_name(pool, a.bind);
        } else {
            out += a.value ? expr::print(pool, a.value) : "_";
        }
    }
    return out.empty() ? out : out + ")";
}

std::string assignments_text(const expr::Pool& pool, std::span<const model::Assignment> assignments) {
    std::string out;
    for (const model::Assignment& a : assignments) {
        if (!out.empty()) out += ", ";
        out += fmt::format("{} := {}", variable_name(pool, a.variable), expr::print(pool, a.value));
    }
    return out;
}

}  // namespace treaty::formats
