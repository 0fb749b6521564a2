#include "wire/constraints.h"

#include <algorithm>
#include <array>

#include "wire/forms.h"

namespace treaty::wire {
namespace {

using expr::ExprId;
using expr::Op;
using expr::TypeKind;

class Collector {
public:
    Collector(expr::Pool& pool, const Wire& wire, const Layout& layout,
              std::span<const expr::VarId> variables, Side side)
        : pool_(pool),
          wire_(wire),
          layout_(layout),
          variables_(variables),
          side_(side),
          escapes_(escapes_of(wire)) {
        for (std::size_t i = 0; i < layout.fields.size() && i < variables.size(); ++i)
            by_[layout.fields[i]] = pool.var(variables[i]);
    }

    std::vector<ExprId> run() {
        items(layout_.items, false);
        return std::move(out_);
    }

private:
    expr::VarId field(const Item& item) const {
        for (std::size_t i = 0; i < layout_.fields.size() && i < variables_.size(); ++i)
            if (layout_.fields[i] == item.variable) return variables_[i];
        return {};
    }

    TypeKind kind(expr::VarId v) const { return pool_.types().kind(pool_.variable(v).type); }
    ExprId boolean(Op op, ExprId a, ExprId b) {
        return pool_.make(op, pool_.types().boolean(), std::array{a, b});
    }

    // guarded: under a condition, so computed values need not hold.
    void items(const std::vector<Item>& list, bool guarded) {
        for (const Item& i : list) {
            if (expr::VarId v = field(i); v && i.variable) of_field(i, v, guarded);
            if (is_check(i) && !guarded && only_fields(i.value))
                out_.push_back(expr::substitute(pool_, i.value, by_));
            if (i.kind != ItemKind::repeat) items(i.inner, guarded || i.kind == ItemKind::conditional);
        }
    }

    void of_field(const Item& i, expr::VarId v, bool guarded) {
        ExprId x = pool_.var(v);
        bool text = kind(v) == TypeKind::string || kind(v) == TypeKind::bytes;
        if (i.kind == ItemKind::field && text) {
            out_.push_back(pool_.matches(x, i.regex.pattern));
            if (!escaped(wire_.terminator)) without(x, v, wire_.terminator);
        }
        if (i.kind == ItemKind::line && text && transform_of(i) == Transform::none) without(x, v, i.text);
        bool number = kind(v) == TypeKind::integer;
        std::uint32_t width = i.kind == ItemKind::bits     ? i.width
                              : i.kind == ItemKind::varint ? 7 * i.width
                                                           : 64;
        if (number && (i.kind == ItemKind::bits || i.kind == ItemKind::varint)) {
            out_.push_back(boolean(Op::less_equal, pool_.integer(0), x));
            if (width < 63) out_.push_back(boolean(Op::less, x, pool_.integer(std::int64_t{1} << width)));
        }
        if (guarded) return;
        if (number && i.kind == ItemKind::field) {
            NumberBounds bounds = number_bounds(i.regex.pattern, side_);
            if (bounds.low != INT64_MIN)
                out_.push_back(boolean(Op::less_equal, pool_.integer(bounds.low), x));
            if (bounds.high != INT64_MAX)
                out_.push_back(boolean(Op::less_equal, x, pool_.integer(bounds.high)));
        }
        bool plain = transform_of(i) == Transform::none || transform_of(i) == Transform::reversed;
        if (i.kind == ItemKind::byte_string && plain && text && i.size && only_fields(i.size)) {
            ExprId size = pool_.make(Op::size, pool_.types().integer(), std::array{x});
            out_.push_back(boolean(Op::equal, size, expr::substitute(pool_, i.size, by_)));
        }
        bool same =
            i.value && pool_.types().base(pool_[i.value].type) == pool_.types().base(pool_.variable(v).type);
        if (same && only_fields(i.value))
            out_.push_back(boolean(Op::equal, x, expr::substitute(pool_, i.value, by_)));
    }

    bool escaped(const std::string& end) const {
        return std::any_of(escapes_.begin(), escapes_.end(), [&](const Escape& e) {
            return !e.at_start && end.find(e.text) != std::string::npos;
        });
    }

    bool only_fields(ExprId e) const {
        for (expr::VarId v : pool_.variables_of(e))
            if (!by_.contains(v)) return false;
        return true;
    }

    void without(ExprId x, expr::VarId v, const std::string& end) {
        if (end.empty()) return;
        ExprId literal = kind(v) == TypeKind::string ? pool_.literal(end, pool_.types().string())
                                                     : pool_.literal(expr::Bytes{end}, pool_.types().bytes());
        out_.push_back(pool_.logical_not(boolean(Op::contains, x, literal)));
    }

    expr::Pool& pool_;
    const Wire& wire_;
    const Layout& layout_;
    std::span<const expr::VarId> variables_;
    Side side_;
    std::vector<Escape> escapes_;
    absl::flat_hash_map<expr::VarId, ExprId> by_;
    std::vector<ExprId> out_;
};

// Checks that stand in a repetition itself, under no condition, about one of its lists only.
class ElementCollector {
public:
    ElementCollector(const expr::Pool& pool, const Layout& layout, std::span<const expr::VarId> variables)
        : pool_(pool), layout_(layout), variables_(variables) {}

    void items(const std::vector<Item>& list) {
        for (const Item& i : list) {
            if (i.kind == ItemKind::repeat)
                round(i.inner);
            else
                items(i.inner);
        }
    }

    std::vector<expr::ElementRule> out;

private:
    void round(const std::vector<Item>& list) {
        for (const Item& check : list) {
            std::vector<expr::VarId> used =
                is_check(check) ? pool_.variables_of(check.value) : std::vector<expr::VarId>();
            for (const Item& i : list)
                for (std::size_t f = 0; f < layout_.fields.size() && f < variables_.size(); ++f)
                    if (used.size() == 1 && i.variable == used[0] && i.collects == layout_.fields[f])
                        out.push_back({variables_[f], used[0], check.value});
        }
    }

    const expr::Pool& pool_;
    const Layout& layout_;
    std::span<const expr::VarId> variables_;
};

// A status that comes without a body, or no body.
ExprId body_allowed(expr::Pool& pool, ExprId status, ExprId body, TypeKind kind) {
    ExprId none = kind == TypeKind::bytes ? pool.literal(expr::Bytes{}, pool.types().bytes())
                                          : pool.literal(std::string(), pool.types().string());
    ExprId may = pool.make(Op::greater_equal, pool.types().boolean(), std::array{status, pool.integer(200)});
    for (std::int64_t without : {204, 304})
        may = pool.logical_and(may, pool.logical_not(pool.equal(status, pool.integer(without))));
    return pool.logical_or(may, pool.equal(body, none));
}

std::vector<ExprId> http_constraints(expr::Pool& pool, const MessageShape& shape,
                                     std::span<const expr::VarId> variables) {
    std::vector<ExprId> out;
    ExprId status, body;
    TypeKind body_kind = TypeKind::unknown;
    for (std::size_t f = 0; f < shape.fields.size() && f < variables.size(); ++f) {
        std::string_view name = pool.names().text(shape.fields[f].name);
        TypeKind kind = pool.types().kind(shape.fields[f].type);
        ExprId x = pool.var(variables[f]);
        if (name == "body" && (kind == TypeKind::bytes || kind == TypeKind::string))
            body = x, body_kind = kind;
        if (name == "status" && kind == TypeKind::integer) {
            status = x;
            out.push_back(
                pool.make(Op::less_equal, pool.types().boolean(), std::array{pool.integer(100), x}));
            out.push_back(
                pool.make(Op::less_equal, pool.types().boolean(), std::array{x, pool.integer(599)}));
        }
        if (kind != TypeKind::string || name == "body") continue;
        out.push_back(pool.matches(x, name == "method"   ? "[A-Z]+"
                                      : name == "target" ? "/[!-~]*"
                                                         : "([!-~]([ -~]*[!-~])?)?"));
    }
    if (status && body) out.push_back(body_allowed(pool, status, body, body_kind));
    return out;
}

}  // namespace

std::vector<ExprId> constraints(expr::Pool& pool, const Wire& wire, MessageIndex message,
                                const MessageShape& shape, std::span<const expr::VarId> variables,
                                Side side) {
    if (wire.framing == Framing::http) return http_constraints(pool, shape, variables);
    for (const Layout& l : wire.layouts)
        if (l.message == message) return Collector(pool, wire, l, variables, side).run();
    return {};
}

std::vector<expr::ElementRule> element_rules(const expr::Pool& pool, const Wire& wire, MessageIndex message,
                                             std::span<const expr::VarId> variables) {
    for (const Layout& l : wire.layouts) {
        if (l.message != message) continue;
        ElementCollector collector(pool, l, variables);
        collector.items(l.items);
        return std::move(collector.out);
    }
    return {};
}

}  // namespace treaty::wire
