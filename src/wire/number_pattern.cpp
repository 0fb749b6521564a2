#include "wire/number_pattern.h"

#include <fmt/format.h>

#include "solve/automaton.h"

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
    Language(const solve::Automaton& pattern, bool zeros_in_front)
        : pattern_(pattern), zeros_(zeros_in_front ? "0*" : "") {}

    bool has(const std::string& form) const {
        auto shape = solve::Automaton::of(form);
        auto both = shape ? pattern_.both(*shape) : std::nullopt;
        return !both || !both->empty();  // what cannot be found out may be
    }
    bool has_zero() const { return has(zeros_.empty() ? "0" : "-?0+"); }
    // Numbers of so many digits: `{2}`, `{0,3}`, `*` is how many follow the first.
    bool has(const std::string& sign, const std::string& after) const {
        return has(fmt::format("{}{}[1-9][0-9]{}", sign, zeros_, after));
    }
    // The least and the largest that is not 0, as far as the digits determine it.
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
    const solve::Automaton& pattern_;
    std::string zeros_;
};

}  // namespace

std::optional<std::size_t> one_length(const solve::PatternTree& tree) {
    constexpr std::size_t longest = 18;               // digits that a number surely has room for
    std::vector<std::optional<std::size_t>> lengths;  // by node; children come before their parents
    for (const solve::PatternNode& n : tree.nodes) {
        std::optional<std::size_t> length = n.kind == solve::PatternKind::set ? 1 : 0;
        for (std::size_t k = 0; k < n.children.size() && length; ++k) {
            std::optional<std::size_t> inner = lengths[n.children[k]];
            if (n.kind == solve::PatternKind::either && k > 0)
                length = inner == length ? length : std::nullopt;
            else if (n.kind == solve::PatternKind::repeat)
                length =
                    inner && (n.low == n.high || *inner == 0) ? std::optional(*inner * n.low) : std::nullopt;
            else
                length = inner ? std::optional(*length + *inner) : std::nullopt;
        }
        lengths.push_back(length && *length <= longest ? length : std::nullopt);
    }
    return lengths[tree.root];
}

NumberBounds number_bounds(const std::string& pattern, Side side) {
    auto automaton = solve::Automaton::of(pattern);
    auto tree = solve::read_pattern(pattern);
    if (!automaton || !tree) return {};
    Language language(*automaton, side == Side::reading || one_length(*tree));
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
