#include "wire/number_pattern.h"

#include <fmt/format.h>

#include "expr/automaton.h"

namespace treaty::wire {
namespace {

constexpr int most_digits = 18;  // below them every number is one

std::int64_t ten_to(int n) {
    std::int64_t result = 1;
    while (n-- > 0) result *= 10;
    return result;
}

class Language {
public:
    Language(const expr::Automaton& pattern, Side side)
        : pattern_(pattern), zeros_(side == Side::writing ? "" : "0*") {}

    bool has(const std::string& form) const {
        auto shape = expr::Automaton::of(form);
        auto both = shape ? pattern_.both(*shape) : std::nullopt;
        return !both || !both->empty();  // what cannot be found out may be
    }
    bool has_zero() const { return has(zeros_.empty() ? "0" : "-?0+"); }
    // Numbers of so many digits: `{2}`, `{0,3}`, `*` say how many stand behind the first.
    bool has(const std::string& sign, const std::string& behind) const {
        return has(fmt::format("{}{}[1-9][0-9]{}", sign, zeros_, behind));
    }
    // The least and the largest that is not 0, as far as digits tell.
    std::int64_t least(const std::string& sign) const {
        int digits = 1;
        while (digits < most_digits && !has(sign, fmt::format("{{0,{}}}", digits - 1))) ++digits;
        return ten_to(digits - 1);
    }
    std::int64_t largest(const std::string& sign) const {
        if (has(sign, fmt::format("{{{}}}[0-9]*", most_digits))) return INT64_MAX;
        int digits = 1;
        while (has(sign, fmt::format("{{{}}}[0-9]*", digits))) ++digits;
        return ten_to(digits) - 1;
    }

private:
    const expr::Automaton& pattern_;
    std::string zeros_;
};

}  // namespace

NumberBounds number_bounds(const std::string& pattern, Side side) {
    auto automaton = expr::Automaton::of(pattern);
    if (!automaton) return {};
    Language language(*automaton, side);
    bool negative = language.has("-", "*"), zero = language.has_zero(), positive = language.has("", "*");
    if (!negative && !zero && !positive) return {};  // nothing of it is a number: another fault
    NumberBounds bounds;
    if (!negative) bounds.low = zero ? 0 : language.least("");
    if (!positive) bounds.high = zero ? 0 : -language.least("-");
    if (std::int64_t largest = negative ? language.largest("-") : INT64_MAX; largest != INT64_MAX)
        bounds.low = -largest;
    if (positive) bounds.high = language.largest("");
    return bounds;
}

}  // namespace treaty::wire
