// Members, truth values and integers are numbers here, and what earlier cases take is a set of ranges of
// them; texts are compared as a whole.
#include "lang/match_cases.h"

#include <array>
#include <map>

#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/type_expr.h"

namespace treaty::lang {
namespace {

using expr::ExprId;
using expr::Op;
using expr::TypeId;
using expr::TypeKind;

class Cases {
public:
    Cases(Context& context, const Scope& scope, const Step& match, ExprId subject)
        : c_(context),
          scope_(scope),
          pool_(*context.spec.pool),
          types_(*context.spec.types),
          match_(match),
          subject_(subject),
          type_(pool_[subject].type),
          matchable_(can_be_matched()) {}

    std::vector<ExprId> run() {
        std::vector<ExprId> conditions;
        const CaseSyntax* otherwise = nullptr;
        auto cases = c_.syntax.cases_of(match_);
        for (const CaseSyntax& c : cases) {
            if (otherwise)
                unreached(c.span, "this case is never reached")
                    .label(otherwise->span, "`else` takes all other values");
            bool is_else = c.values.count == 0;
            if (is_else && !otherwise) otherwise = &c;
            conditions.push_back(is_else ? pool_.boolean(true) : condition(c));
        }
        if (otherwise && otherwise == &cases.back()) conditions.back() = ExprId();
        if (!matchable_ || unknown_) return conditions;
        std::string missing = values_left();
        if (otherwise && missing.empty())
            unreached(otherwise->span, "this `else` is never reached: the cases before it take all values")
                .help("remove it, so that a new value without a case is noticed");
        if (!otherwise && !missing.empty())
            c_.report(codes::missing_case, match_.head, fmt::format("this match has no case for {}", missing))
                .help("add the missing cases, or else { ... }");
        if (!otherwise && missing.empty()) conditions.back() = ExprId();
        return conditions;
    }

private:
    struct Taken {
        std::int64_t high;
        Span span;
    };

    TypeKind kind() const { return types_.kind(type_); }
    bool is_unknown(ExprId e) const { return types_.kind(pool_[e].type) == TypeKind::unknown; }
    bool is_text() const { return kind() == TypeKind::string || kind() == TypeKind::bytes; }
    Span span_of(const CaseValueSyntax& v) const {
        return v.high ? base::cover(c_.syntax[v.low].span, c_.syntax[v.high].span) : c_.syntax[v.low].span;
    }

    bool can_be_matched() {
        if (kind() == TypeKind::unknown) return false;
        if (is_text() || kind() == TypeKind::enumeration || kind() == TypeKind::boolean ||
            kind() == TypeKind::integer)
            return true;
        c_.report(codes::type_mismatch, c_.syntax[match_.condition].span,
                  fmt::format("a match needs an enumeration, int, bool, string or bytes, but this is {}",
                              types_.print(type_, *c_.spec.names)));
        return false;
    }

    base::Diagnostic& unreached(Span at, std::string message) {
        return c_.report(codes::unreached_case, at, std::move(message));
    }

    // True for a case with a fault.
    ExprId condition(const CaseSyntax& c) {
        ExprId any;
        for (const CaseValueSyntax& v : Syntax::part(c_.syntax.case_values, c.values)) {
            ExprId one = condition(v);
            any = any ? pool_.logical_or(any, one) : one;
        }
        return any;
    }

    ExprId condition(const CaseValueSyntax& v) {
        TypeId wanted = matchable_ ? type_ : TypeId();
        ExprId low = type_constant(c_, scope_, v.low, wanted, "the value of this match");
        ExprId high = v.high ? type_constant(c_, scope_, v.high, wanted, "the value of this match") : low;
        if (is_unknown(low) || is_unknown(high)) unknown_ = true;
        if (!matchable_ || is_unknown(low) || is_unknown(high) || !take(v, low, high))
            return pool_.boolean(true);
        if (!v.high) return pool_.equal(subject_, low);
        TypeId truth = types_.boolean();
        return pool_.logical_and(pool_.make(Op::greater_equal, truth, std::array{subject_, low}),
                                 pool_.make(Op::less_equal, truth, std::array{subject_, high}));
    }

    std::int64_t number(ExprId literal) const {
        const expr::Value& v = pool_.literal_of(literal);
        if (kind() == TypeKind::integer) return v.integer();
        return kind() == TypeKind::boolean ? v.boolean() : std::get<expr::EnumMember>(v.v).index;
    }

    // Counts the values as taken; false if they cannot be, which is reported.
    bool take(const CaseValueSyntax& v, ExprId low, ExprId high) {
        if (is_text()) return v.high ? no_range(v) : take_text(v, low);
        if (v.high && kind() == TypeKind::boolean) return no_range(v);
        std::int64_t from = number(low), to = number(high);
        if (from > to) {
            c_.report(codes::bad_range, span_of(v), "this range is empty")
                .help("the smaller bound comes first");
            return false;
        }
        // Ranges do not overlap, so if any overlaps with this one, the last that begins in or before it does.
        auto next = taken_.upper_bound(to);
        if (next != taken_.begin() && std::prev(next)->second.high >= from) {
            auto earlier = std::prev(next);
            std::string both = text(std::max(from, earlier->first), std::min(to, earlier->second.high));
            unreached(span_of(v), fmt::format("an earlier case takes {} already", both))
                .label(earlier->second.span, "here");
            return false;
        }
        taken_.emplace(from, Taken{to, span_of(v)});
        return true;
    }

    bool take_text(const CaseValueSyntax& v, ExprId literal) {
        auto [earlier, added] = texts_.try_emplace(
            expr::print(pool_.literal_of(literal), type_, types_, *c_.spec.names), span_of(v));
        if (!added)
            unreached(span_of(v), fmt::format("an earlier case takes {} already", earlier->first))
                .label(earlier->second, "here");
        return added;
    }

    bool no_range(const CaseValueSyntax& v) {
        c_.report(codes::bad_range, span_of(v),
                  fmt::format("a range needs numbers or members of an enumeration, but this is {}",
                              types_.print(type_, *c_.spec.names)));
        return false;
    }

    // `red`, `1..9`
    std::string text(std::int64_t low, std::int64_t high) const {
        auto one = [&](std::int64_t n) -> std::string {
            if (kind() == TypeKind::integer) return std::to_string(n);
            if (kind() == TypeKind::boolean) return n != 0 ? "true" : "false";
            return std::string(c_.text(types_[type_].members[static_cast<std::size_t>(n)]));
        };
        return low == high ? fmt::format("`{}`", one(low)) : fmt::format("`{}..{}`", one(low), one(high));
    }

    // The values that no case takes, as a message names them; empty if there are none.
    std::string values_left() const {
        const expr::Type& t = types_[type_];
        if (is_text() || (kind() == TypeKind::integer && (!t.low || !t.high))) return "other values";
        std::int64_t next = t.low.value_or(0);
        std::int64_t last = t.high.value_or(1);
        if (kind() == TypeKind::enumeration) last = static_cast<std::int64_t>(t.members.size()) - 1;
        constexpr std::size_t shown = 4;
        std::vector<std::string> gaps;
        auto gap = [&](std::int64_t from, std::int64_t to) {
            bool members = kind() == TypeKind::enumeration;
            for (; members && from < to; ++from) gaps.push_back(text(from, from));
            if (from <= to) gaps.push_back(text(from, to));
        };
        bool reached_end = false;
        for (const auto& [low, taken] : taken_) {
            if (low > next) gap(next, low - 1);
            reached_end = taken.high >= last;
            if (!reached_end) next = taken.high + 1;
        }
        if (!reached_end) gap(next, last);
        std::string all;
        for (std::size_t i = 0; i < gaps.size() && i < shown; ++i)
            all += fmt::format("{}{}", i == 0 ? "" : i + 1 == gaps.size() ? " and " : ", ", gaps[i]);
        if (gaps.size() > shown) all += fmt::format(" and {} more", gaps.size() - shown);
        return all;
    }

    Context& c_;
    const Scope& scope_;
    expr::Pool& pool_;
    expr::Types& types_;
    const Step& match_;
    ExprId subject_;
    TypeId type_;
    std::map<std::int64_t, Taken> taken_;  // by the lowest value; they do not overlap
    std::map<std::string, Span> texts_;    // as literals
    bool matchable_;
    bool unknown_ = false;  // a value is wrong, which is reported: the intended one is not known
};

}  // namespace

std::vector<ExprId> type_cases(Context& context, const Scope& scope, const Step& match, ExprId subject) {
    return Cases(context, scope, match, subject).run();
}

}  // namespace treaty::lang
