#include "solve/narrow.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>

#include "base/hex.h"
#include "expr/comparison.h"

namespace treaty::solve {
namespace {

using expr::Bytes;
using expr::EnumMember;
using expr::Environment;
using expr::ExprId;
using expr::Function;
using expr::FunctionId;
using expr::Node;
using expr::Op;
using expr::Pool;
using expr::Result;
using expr::TypeId;
using expr::TypeKind;
using expr::Value;
using expr::VarId;

// A protocol has few patterns and asks about them for every message, and making an automaton costs more than
// everything else here. What is kept depends on nothing but the pattern.
std::optional<Automaton> language_of(const std::string& pattern) {
    constexpr std::size_t most = 256;
    thread_local absl::flat_hash_map<std::string, std::optional<Automaton>> made;
    if (auto found = made.find(pattern); found != made.end()) return found->second;
    if (made.size() >= most) made.clear();
    return made[pattern] = Automaton::of(pattern);
}

// f(a, b) with the body of f in its place.
ExprId written_out(Pool& pool, ExprId call) {
    const Function& f = pool.function(FunctionId(pool[call].payload));
    if (!f.body) return call;
    absl::flat_hash_map<VarId, ExprId> by;
    std::vector<ExprId> arguments(pool.children(call).begin(), pool.children(call).end());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        // An argument whose type differs (an int where a real is wanted) would change what the body means.
        if (pool.types().base(pool[arguments[i]].type) !=
            pool.types().base(pool.variable(f.parameters[i]).type))
            return call;
        by[f.parameters[i]] = arguments[i];
    }
    return substitute(pool, f.body, by);
}

class Splitter {
public:
    explicit Splitter(Pool& pool) : pool_(pool) {}

    // Whether holds(e) == positive, as conjuncts.
    void split(ExprId e, bool positive, unsigned depth) {
        if (out.size() > 2000 || depth > 200) {
            out.push_back(positive ? e : pool_.logical_not(e));
            return;
        }
        std::vector<ExprId> c(pool_.children(e).begin(), pool_.children(e).end());
        switch (pool_[e].op) {
            case Op::logical_and:
                if (!positive) break;
                split(c[0], true, depth + 1);
                split(c[1], true, depth + 1);
                return;
            case Op::logical_or:
                if (positive) break;
                split(c[0], false, depth + 1);
                split(c[1], false, depth + 1);
                return;
            case Op::implies:
                if (positive) break;
                split(c[0], true, depth + 1);
                split(c[1], false, depth + 1);
                return;
            case Op::logical_not: return split(c[0], !positive, depth + 1);
            case Op::call: {
                ExprId body = written_out(pool_, e);
                if (body != e) return split(body, positive, depth + 1);
                break;
            }
            default: break;
        }
        out.push_back(positive ? e : pool_.logical_not(e));
    }

    std::vector<ExprId> out;

private:
    Pool& pool_;
};

}  // namespace

std::vector<ExprId> conjuncts_of(Pool& pool, ExprId condition) {
    Splitter splitter(pool);
    splitter.split(condition, true, 0);
    std::vector<ExprId> unique;
    for (ExprId e : splitter.out)
        if (!pool.is_true(e) && std::find(unique.begin(), unique.end(), e) == unique.end())
            unique.push_back(e);
    return unique;
}

namespace {

// size(x) in [...], all of them whole numbers.
bool lists_sizes(const Pool& pool, ExprId e) {
    auto c = pool.children(e);
    if (pool[e].op != Op::member || pool[c[0]].op != Op::size || !pool.is_literal(c[1])) return false;
    const auto& sizes = pool.literal_of(c[1]).items();
    return std::all_of(sizes.begin(), sizes.end(),
                       [](const Value& n) { return std::holds_alternative<std::int64_t>(n.v); });
}

}  // namespace

std::vector<ExprId> alternatives_of(Pool& pool, ExprId condition) {
    std::vector<ExprId> open{condition}, out;
    while (!open.empty() && out.size() < 200) {
        ExprId e = open.back();
        open.pop_back();
        std::vector<ExprId> c(pool.children(e).begin(), pool.children(e).end());
        if (pool[e].op == Op::logical_or) {
            open.push_back(c[1]);
            open.push_back(c[0]);
        } else if (pool[e].op == Op::implies) {
            open.push_back(pool.logical_and(c[0], c[1]));  // c[1] may have a value only where c[0] holds
            open.push_back(pool.logical_not(c[0]));
        } else if (pool[e].op == Op::logical_not && pool[c[0]].op == Op::logical_and) {
            std::vector<ExprId> both(pool.children(c[0]).begin(), pool.children(c[0]).end());
            open.push_back(pool.logical_not(both[1]));
            open.push_back(pool.logical_not(both[0]));
        } else if (pool[e].op == Op::logical_not && pool[c[0]].op == Op::logical_not) {
            open.push_back(pool.children(c[0])[0]);
        } else if (lists_sizes(pool, e)) {
            // One of several sizes: each is a strategy of its own.
            const Value sizes = pool.literal_of(c[1]);
            for (const Value& n : sizes.items()) out.push_back(pool.equal(c[0], pool.integer(n.integer())));
        } else {
            out.push_back(e);
        }
    }
    if (out.empty()) out.push_back(condition);
    return out;
}

namespace {

class Narrower {
public:
    Narrower(const Pool& pool, VarId variable, const Environment& known, VariableTable* table)
        : pool_(pool), variable_(variable), known_(known), table_(table) {}

    void narrow(Domain& domain, ExprId e, bool positive) {
        auto c = pool_.children(e);
        Op op = pool_[e].op;
        if (op == Op::logical_not) return narrow(domain, c[0], !positive);
        if (op == Op::literal || op == Op::var || op == Op::field) {
            if (Domain* d = place(domain, e)) d->keep_range(positive ? 1 : 0, positive ? 1 : 0);
            return;
        }
        if (op == Op::has) {
            if (Domain* d = place(domain, c[0])) (positive ? d->may_be_none : d->may_be_some) = false;
            return;
        }
        if (is_comparison(op)) return comparison(domain, positive ? op : opposite_of(op), c[0], c[1]);
        if (op == Op::member) return member(domain, c[0], c[1], positive);
        if (op == Op::permutes && positive) {
            if (!permutes(domain, c[0], c[1])) permutes(domain, c[1], c[0]);
            return;
        }
        if (op == Op::matches)
            return pattern(domain, c[0], language_of(pool_.literal_of(e).string()), positive, false);
        if (op == Op::contains || op == Op::starts_with || op == Op::ends_with)
            return affix(domain, op, c[0], c[1], positive);
    }

private:
    bool mentions(ExprId e) const {
        if (pool_.is_literal(e)) return false;
        if (pool_[e].op == Op::var) return pool_.var_of(e) == variable_;
        if (table_) {
            const auto& all = table_->of(e);
            return std::binary_search(all.begin(), all.end(), variable_);
        }
        auto all = pool_.variables_of(e);
        return std::find(all.begin(), all.end(), variable_) != all.end();
    }

    std::optional<Value> constant(ExprId e) const {
        if (mentions(e)) return std::nullopt;
        if (pool_.is_literal(e)) return pool_.literal_of(e);
        Result r = evaluate(pool_, e, known_);
        if (auto v = std::get_if<Value>(&r)) return *v;
        return std::nullopt;
    }

    // The part of the domain that an expression names: the variable, a field of it, what an optional holds.
    Domain* place(Domain& domain, ExprId e) const {
        const Node& n = pool_[e];
        if (n.op == Op::var) return pool_.var_of(e) == variable_ ? &domain : nullptr;
        if (n.op == Op::field) {
            Domain* outer = place(domain, pool_.children(e)[0]);
            return outer && !outer->options && n.payload < outer->parts.size() ? &outer->parts[n.payload]
                                                                               : nullptr;
        }
        if (n.op == Op::value) {
            Domain* outer = place(domain, pool_.children(e)[0]);
            if (!outer || outer->kind != TypeKind::optional || outer->options) return nullptr;
            outer->may_be_none = false;
            return &outer->parts[0];
        }
        if (n.op == Op::at) {
            auto index = constant(pool_.children(e)[1]);
            Domain* outer = index ? place(domain, pool_.children(e)[0]) : nullptr;
            if (!outer || outer->kind != TypeKind::list || outer->options) return nullptr;
            return outer->item(index->integer());
        }
        return nullptr;
    }

    // lower(s) and upper(s) are as long as s.
    ExprId of_same_size(ExprId e) const {
        while (pool_[e].op == Op::lower || pool_[e].op == Op::upper) e = pool_.children(e)[0];
        return e;
    }

    void comparison(Domain& domain, Op op, ExprId left, ExprId right) {
        bool in_left = mentions(left), in_right = mentions(right);
        if (in_left == in_right) return;
        if (in_right) {
            std::swap(left, right);
            op = mirrored(op);
        }
        auto value = constant(right);
        if (!value) return;
        fixed_ = pool_.is_literal(right);
        compare(domain, op, left, *value);
    }

    void compare(Domain& domain, Op op, ExprId term, const Value& value) {
        auto c = pool_.children(term);
        Op shape = pool_[term].op;
        auto number = std::get_if<std::int64_t>(&value.v);
        bool whole = number && pool_.types().kind(pool_[term].type) == TypeKind::integer;
        if (whole && (shape == Op::add || shape == Op::subtract)) return shifted(domain, op, term, *number);
        if (whole && shape == Op::negate) {
            std::int64_t n = 0;
            if (!__builtin_sub_overflow(std::int64_t{0}, *number, &n)) compare(domain, mirrored(op), c[0], n);
            return;
        }
        if (shape == Op::size && number) return sizes(domain, op, of_same_size(c[0]), *number);
        if (shape == Op::sum && whole) return sums(domain, op, c[0], *number);
        if (shape == Op::sorted && op == Op::equal) return ordered(domain, c[0], value);
        if (shape == Op::lower || shape == Op::upper) {
            if (auto language = compared_with(op, value)) pattern(domain, term, language, true, true);
            return;
        }
        if (Domain* d = place(domain, term)) restrict(*d, op, value);
    }

    // x + e < n is x < n - e.
    void shifted(Domain& domain, Op op, ExprId term, std::int64_t n) {
        auto c = pool_.children(term);
        bool minus = pool_[term].op == Op::subtract;
        if (auto right = constant(c[1]); right && std::holds_alternative<std::int64_t>(right->v)) {
            std::int64_t to = 0;
            bool over = minus ? __builtin_add_overflow(n, right->integer(), &to)
                              : __builtin_sub_overflow(n, right->integer(), &to);
            if (!over) compare(domain, op, c[0], to);
            return;
        }
        auto left = constant(c[0]);
        if (!left || !std::holds_alternative<std::int64_t>(left->v)) return;
        std::int64_t to = 0;
        bool over = minus ? __builtin_sub_overflow(left->integer(), n, &to)
                          : __builtin_sub_overflow(n, left->integer(), &to);
        if (!over) compare(domain, minus ? mirrored(op) : op, c[1], to);
    }

    void sizes(Domain& domain, Op op, ExprId of, std::int64_t n) {
        Domain* d = place(domain, of);
        if (!d || d->options) return;
        switch (op) {
            case Op::equal: d->keep_size(n, n); break;
            case Op::less: d->keep_size(0, n == INT64_MIN ? n : n - 1); break;
            case Op::less_equal: d->keep_size(0, n); break;
            case Op::greater: d->keep_size(n == INT64_MAX ? n : n + 1, INT64_MAX); break;
            case Op::greater_equal: d->keep_size(n, INT64_MAX); break;
            default:
                if (n == d->size_low) d->keep_size(n + 1, INT64_MAX);
                break;
        }
    }

    void sums(Domain& domain, Op op, ExprId of, std::int64_t n) {
        Domain* d = place(domain, of);
        if (!d || d->options) return;
        switch (op) {
            case Op::equal: d->keep_sum(n, n); break;
            case Op::less:
                if (n == INT64_MIN)
                    d->impossible = true;
                else
                    d->keep_sum(INT64_MIN, n - 1);
                break;
            case Op::less_equal: d->keep_sum(INT64_MIN, n); break;
            case Op::greater:
                if (n == INT64_MAX)
                    d->impossible = true;
                else
                    d->keep_sum(n + 1, INT64_MAX);
                break;
            case Op::greater_equal: d->keep_sum(n, INT64_MAX); break;
            default: break;
        }
    }

    // sorted(xs) == list: any order of a list that is sorted itself.
    void ordered(Domain& domain, ExprId of, const Value& value) {
        Domain* d = place(domain, of);
        if (!d || d->options || d->permutes || !alike(value, d->type)) return;
        keep_order(*d, value);
        const auto& items = d->permutes->items();
        if (!std::is_sorted(items.begin(), items.end())) d->impossible = true;
    }

    void keep_order(Domain& d, Value value) {
        d.permutes = convert(std::move(value), d.type, pool_.types());
        if (!belongs(*d.permutes, d.type, pool_.types())) d.impossible = true;
        d.how = "permutation";
    }

    // The texts that compare so with this one.
    static std::optional<Automaton> compared_with(Op op, const Value& value) {
        auto s = std::get_if<std::string>(&value.v);
        auto b = std::get_if<Bytes>(&value.v);
        constexpr std::size_t longest = 200;
        if ((!s && !b) || (s ? *s : b->data).size() > longest) return std::nullopt;
        const std::string& text = s ? *s : b->data;
        switch (op) {
            case Op::equal: return Automaton::exactly(text);
            case Op::not_equal: return Automaton::exactly(text).complement();
            case Op::less:
            case Op::less_equal: return Automaton::before(text, op == Op::less_equal);
            default: return Automaton::before(text, op == Op::greater).complement();
        }
    }

    // Whether the value is compared with those of the domain as they are. It is not where a whole number is
    // compared with a real one: 2 equals 2.0.
    bool alike(const Value& value, TypeId type) const {
        return belongs(convert(value, type, pool_.types()), pool_.types().base(type), pool_.types());
    }
    bool all_alike(const std::vector<Value>& values, TypeId type) const {
        return std::all_of(values.begin(), values.end(), [&](const Value& v) { return alike(v, type); });
    }

    void restrict(Domain& d, Op op, const Value& value) {
        if (op == Op::equal && !alike(value, d.type)) return;
        if (op == Op::equal) return d.keep_options({value}, pool_.types());
        std::optional<std::int64_t> n;
        if (auto i = std::get_if<std::int64_t>(&value.v)) n = *i;
        if (auto m = std::get_if<EnumMember>(&value.v)) n = m->index;
        if (auto b = std::get_if<bool>(&value.v)) n = *b ? 1 : 0;
        if (d.kind == TypeKind::real)
            return restrict_real(d, op, n ? static_cast<double>(*n) : std::get<double>(value.v));
        if (d.kind == TypeKind::string || d.kind == TypeKind::bytes) {
            if (op == Op::not_equal) return exclude_text(d, value);
            if (auto language = compared_with(op, value)) d.keep_texts(*language, true);
            return;
        }
        if (!n || d.intervals.empty()) return;
        switch (op) {
            case Op::not_equal: d.remove(*n); break;
            case Op::less:
                if (*n == INT64_MIN)
                    d.impossible = true;
                else
                    d.keep_range(INT64_MIN, *n - 1);
                break;
            case Op::less_equal: d.keep_range(INT64_MIN, *n); break;
            case Op::greater:
                if (*n == INT64_MAX)
                    d.impossible = true;
                else
                    d.keep_range(*n + 1, INT64_MAX);
                break;
            default: d.keep_range(*n, INT64_MAX); break;
        }
    }

    static void restrict_real(Domain& d, Op op, double n) {
        double inf = std::numeric_limits<double>::infinity();
        if (op == Op::less || op == Op::less_equal) d.keep_real(-inf, false, n, op == Op::less);
        if (op == Op::greater || op == Op::greater_equal) d.keep_real(n, op == Op::greater, inf, false);
    }

    void exclude_text(Domain& d, const Value& value) const {
        if (!fixed_) return d.exclude(convert(value, d.type, pool_.types()));
        auto s = std::get_if<std::string>(&value.v);
        auto b = std::get_if<Bytes>(&value.v);
        const std::string& text = s ? *s : b->data;
        // Only worth an automaton when the text is likely.
        if (text.size() < 40 && (d.texts || text.size() < 3)) {
            std::string how = d.how;
            d.keep_texts(Automaton::exactly(text).complement(), true);
            if (how != "any") d.how = how;
        }
    }

    void member(Domain& domain, ExprId item, ExprId list, bool positive) {
        if (mentions(item) && !mentions(list)) {
            auto held = constant(list);
            if (!held) return;
            fixed_ = pool_.is_literal(list);
            std::vector<Value> values = held->items();
            if (pool_[item].op == Op::lower || pool_[item].op == Op::upper)
                return one_of(domain, item, values, positive);
            Domain* d = place(domain, item);
            if (!d) return;
            if (positive && !all_alike(values, d->type)) return;
            if (positive) return d->keep_options(std::move(values), pool_.types());
            for (const Value& v : values) restrict(*d, Op::not_equal, v);
            return;
        }
        if (!positive || mentions(item)) return;
        auto value = constant(item);
        Domain* d = value ? place(domain, list) : nullptr;
        if (!d || d->options || d->parts.empty() || !alike(*value, d->parts[0].type)) return;
        if (!belongs(convert(*value, d->parts[0].type, pool_.types()), d->parts[0].type, pool_.types()))
            d->impossible = true;
        if (std::find(d->required.begin(), d->required.end(), *value) == d->required.end())
            d->required.push_back(convert(*value, d->parts[0].type, pool_.types()));
    }

    bool permutes(Domain& domain, ExprId one, ExprId other) {
        if (!mentions(one) || mentions(other)) return false;
        auto value = constant(other);
        Domain* d = value ? place(domain, one) : nullptr;
        if (!d || d->options || d->permutes || !alike(*value, d->type)) return false;
        keep_order(*d, std::move(*value));
        return true;
    }

    // lower(s) is one of these texts, or none of them.
    void one_of(Domain& domain, ExprId item, const std::vector<Value>& values, bool positive) {
        std::optional<Automaton> none = Automaton::all_of(ByteSet().set());
        for (const Value& v : values) {
            auto other = compared_with(Op::not_equal, v);
            none = none && other ? none->both(*other) : std::nullopt;
        }
        pattern(domain, item, none, !positive, true);
    }

    // What a text must be so that it is in the language once its letters are changed.
    static Automaton unchanged(const Automaton& language, Op change) {
        std::array<unsigned char, 256> by{};
        for (unsigned b = 0; b < 256; ++b) {
            bool large = b >= 'A' && b <= 'Z', small = b >= 'a' && b <= 'z';
            by[b] = static_cast<unsigned char>(change == Op::lower && large   ? b + 32
                                               : change == Op::upper && small ? b - 32
                                                                              : b);
        }
        return language.replaced(by);
    }

    void pattern(Domain& domain, ExprId of, std::optional<Automaton> language, bool positive, bool exact) {
        for (Op op = pool_[of].op; language && (op == Op::lower || op == Op::upper); op = pool_[of].op) {
            language = unchanged(*language, op);
            of = pool_.children(of)[0];
        }
        Domain* d = place(domain, of);
        if (!d || d->options || !language) return;
        d->keep_texts(positive ? *language : language->complement(), exact);
    }

    void affix(Domain& domain, Op op, ExprId of, ExprId what, bool positive) {
        if (!mentions(of) || mentions(what)) return;
        auto value = constant(what);
        if (!value) return;
        auto s = std::get_if<std::string>(&value->v);
        auto b = std::get_if<Bytes>(&value->v);
        const std::string& text = s ? *s : b->data;
        if (text.size() > 200) return;
        if (op == Op::contains) return pattern(domain, of, Automaton::containing(text), positive, true);
        std::string quoted;
        for (char c : text) quoted += "\\x" + base::to_hex({&c, 1});
        pattern(domain, of, Automaton::of(op == Op::starts_with ? quoted + "\\C*" : "\\C*" + quoted),
                positive, true);
    }

    const Pool& pool_;
    VarId variable_;
    const Environment& known_;
    VariableTable* table_;
    bool fixed_ = true;  // what is compared with is the same each time
};

}  // namespace

const std::vector<VarId>& VariableTable::of(ExprId e) {
    auto [at, added] = known_.try_emplace(e);
    if (added) at->second = pool_.variables_of(e);
    return at->second;
}

void narrow(const Pool& pool, Domain& domain, VarId variable, ExprId conjunct, const Environment& known,
            VariableTable* table) {
    Narrower(pool, variable, known, table).narrow(domain, conjunct, true);
}

}  // namespace treaty::solve
