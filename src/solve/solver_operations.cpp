// Translation operator by operator.
//
// Division: Z3 divides integers so that the remainder is never negative; ours rounds down. The two agree for
// positive divisors, and a / b = (-a) / (-b), so a negative divisor is turned positive first.
//
// `permutes` is translated where the number of items is known on one side: the other side must have as many,
// and every item must occur equally often in both.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expr/collections.h"
#include "expr/digest.h"
#include "expr/evaluate.h"
#include "expr/parts.h"
#include "solve/solver_translate.h"

namespace treaty::solve::smt {
namespace {

using expr::Environment;
using expr::ExprId;
using expr::Node;
using expr::Op;
using expr::Pool;
using expr::Result;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Types;
using expr::Value;

constexpr std::size_t max_permuted = 8;
constexpr std::size_t constant_work = 10'000;

bool is_numeral(const z3::expr& e, std::int64_t& value) {
    return e.is_numeral_i64(value);
}

class Operation {
public:
    Operation(const Pool& pool, const Terms& terms, ExprId id, std::span<const Translation* const> operands)
        : pool_(pool),
          terms_(terms),
          id_(id),
          node_(pool[id]),
          children_(pool.children(id)),
          operands_(operands) {}

    Translation run() {
        switch (node_.op) {
            case Op::logical_and:
            case Op::logical_or:
            case Op::implies: return logic();
            case Op::if_else: return conditional();
            default: break;
        }
        for (const Translation* operand : operands_) defined_ = both(defined_, operand->defined);
        TermPtr term = strict();
        return {std::move(term), std::move(defined_), {}, bits()};
    }

private:
    z3::context& context() const { return terms_.context(); }
    const Types& types() const { return pool_.types(); }
    const TermPtr& term(std::size_t i) const { return operands_[i]->term; }
    const z3::expr& z(std::size_t i) const { return term(i)->z.value(); }
    TypeId type_of(std::size_t i) const { return pool_[children_[i]].type; }
    TypeKind kind(std::size_t i) const { return types().kind(type_of(i)); }
    bool real() const { return types().kind(node_.type) == TypeKind::real; }
    TermPtr plain(z3::expr e) const { return terms_.plain(std::move(e)); }
    void require(z3::expr condition) { defined_ = both(defined_, std::move(condition)); }

    z3::expr number(std::size_t i) const {
        bool widen = kind(i) == TypeKind::integer && (real() || kind(1 - i) == TypeKind::real);
        return widen ? z3::to_real(z(i)) : z(i);
    }

    // Sums grow by their carries, products by all of it; nothing else makes longer numbers.
    double bits() const {
        if (node_.op == Op::size) return 64;
        double most = 0;
        for (const Translation* operand : operands_) most = std::max(most, operand->bits);
        if (node_.op == Op::multiply) return operands_[0]->bits + operands_[1]->bits;
        if (node_.op == Op::add || node_.op == Op::subtract)
            return most + std::log2(1 + std::exp2(-std::fabs(operands_[0]->bits - operands_[1]->bits)));
        return most;
    }

    // The right operand matters only where the left one does not decide.
    Translation logic() {
        z3::expr a = z(0);
        z3::expr b = z(1);
        bool disjunction = node_.op == Op::logical_or;
        std::optional<z3::expr> defined = operands_[0]->defined;
        if (operands_[1]->defined) {
            z3::expr needed =
                disjunction ? a || *operands_[1]->defined : z3::implies(a, *operands_[1]->defined);
            defined = both(defined, needed);
        }
        z3::expr result = disjunction ? a || b : node_.op == Op::implies ? z3::implies(a, b) : a && b;
        return {plain(result), std::move(defined), {}, bits()};
    }

    Translation conditional() {
        z3::expr condition = z(0);
        std::optional<z3::expr> defined = operands_[0]->defined;
        if (operands_[1]->defined || operands_[2]->defined) {
            z3::expr yes = operands_[1]->defined.value_or(context().bool_val(true));
            z3::expr no = operands_[2]->defined.value_or(context().bool_val(true));
            defined = both(defined, z3::ite(condition, yes, no));
        }
        TermPtr a = terms_.convert(term(1), type_of(1), node_.type);
        TermPtr b = terms_.convert(term(2), type_of(2), node_.type);
        return {terms_.choose(condition, a, b), std::move(defined), {}, bits()};
    }

    TermPtr strict() {
        switch (node_.op) {
            case Op::negate: return plain(-z(0));
            case Op::abs: return plain(z3::ite(z(0) < 0, -z(0), z(0)));
            case Op::logical_not: return plain(!z(0));
            case Op::size: return plain(size(term(0)));
            case Op::sum: return sum();
            case Op::some: return terms_.optional(context().bool_val(true), {part(0)});
            case Op::has: return plain(z(0));
            case Op::value: return held_value();
            case Op::field: return term(0)->parts.at(node_.payload);
            case Op::add: return plain(number(0) + number(1));
            case Op::subtract: return plain(number(0) - number(1));
            case Op::multiply: return plain(number(0) * number(1));
            case Op::divide:
            case Op::modulo: return division();
            case Op::concat: return concat();
            case Op::equal: return plain(equal());
            case Op::not_equal: return plain(!equal());
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal: return plain(order(node_.op));
            case Op::member: return plain(member());
            case Op::permutes: return permutes();
            case Op::at: return at();
            case Op::contains: return plain(z(0).contains(z(1)));
            case Op::starts_with: return plain(z3::prefixof(z(1), z(0)));
            case Op::ends_with: return plain(z3::suffixof(z(1), z(0)));
            case Op::min: return plain(z3::ite(order(Op::less_equal), number(0), number(1)));
            case Op::max: return plain(z3::ite(order(Op::less_equal), number(1), number(0)));
            case Op::list: return terms_.items(parts());
            case Op::record: return terms_.record(parts());
            case Op::set:
            case Op::map: return collection();
            case Op::without: return without();
            case Op::difference:
                return terms_.combine(term(0), as_set(1), [&](const Change& x, const Change& y) -> Change {
                    return {x.key, x.present && !y.present, x.value};
                });
            case Op::keys: return as_set(0);
            case Op::to_set: return to_set();
            case Op::slice: return slice();
            case Op::take:
            case Op::drop: return take_or_drop();
            case Op::with_item: return with_item();
            case Op::lower: return only_constant("lower");
            case Op::upper: return only_constant("upper");
            case Op::sorted: return only_constant("sorted");
            case Op::matches: return only_constant("matches");
            default:
                if (is_over_bytes(node_.op) || is_over_parts(node_.op) || is_over_collections(node_.op) ||
                    has_function(node_.op))
                    return only_constant(about(node_.op).name);
                throw Untranslatable{"an operator the solver does not know"};
        }
    }

    TypeId part_type(std::size_t i) const {
        const Type& type = types()[node_.type];
        return type.kind == TypeKind::record ? type.fields.at(i).type : type.element;
    }
    TermPtr part(std::size_t i) const { return terms_.convert(term(i), type_of(i), part_type(i)); }
    std::vector<TermPtr> parts() const {
        std::vector<TermPtr> result;
        for (std::size_t i = 0; i < operands_.size(); ++i) result.push_back(part(i));
        return result;
    }

    // What the solver has no theory for can still be computed when it is constant.
    TermPtr only_constant(std::string_view name) {
        if (pool_.variables_of(id_).empty()) {
            Result result = evaluate(pool_, id_, Environment(), constant_work);
            if (auto* value = std::get_if<Value>(&result)) return terms_.literal(*value, node_.type);
            require(context().bool_val(false));
            return terms_.anything(node_.type);
        }
        throw Untranslatable{fmt::format("the solver does not know `{}`", name)};
    }

    using Change = Term::Change;

    bool is_collection(std::size_t i) const { return kind(i) == TypeKind::set || kind(i) == TypeKind::map; }

    TermPtr collection() {
        std::vector<Change> all;
        z3::expr yes = context().bool_val(true);
        const Type& type = types()[node_.type];
        if (node_.op == Op::set)
            for (std::size_t i = 0; i < operands_.size(); ++i)
                all.push_back({terms_.convert(term(i), type_of(i), type.element), yes, nullptr});
        else
            for (std::size_t i = 0; i + 1 < operands_.size(); i += 2)
                all.push_back({term(i), yes,
                               terms_.convert(term(i + 1), type_of(i + 1), types().value_of(node_.type))});
        return terms_.changes(std::move(all));
    }

    TermPtr without() {
        std::vector<Change> all = term(0)->changes;
        TermPtr value = kind(0) == TypeKind::map ? terms_.anything(types().value_of(type_of(0))) : nullptr;
        all.push_back({term(1), context().bool_val(false), value});
        return terms_.changes(std::move(all));
    }

    // The keys of a map; a set as it is.
    TermPtr as_set(std::size_t i) const {
        std::vector<Change> all = term(i)->changes;
        for (Change& one : all) one.value = nullptr;
        return terms_.changes(std::move(all));
    }

    TermPtr to_set() {
        if (term(0)->form != Term::Form::items) return only_constant("to_set");
        std::vector<Change> all;
        for (const TermPtr& item : term(0)->parts) all.push_back({item, context().bool_val(true), nullptr});
        return terms_.changes(std::move(all));
    }

    z3::expr size(const TermPtr& list) const {
        if (list->form == Term::Form::changes) return terms_.size_of_changes(list);
        if (list->form == Term::Form::items)
            return context().int_val(static_cast<std::uint64_t>(list->parts.size()));
        return list->z->length();
    }

    TermPtr sum() {
        if (term(0)->form != Term::Form::items) return only_constant("sum");
        z3::expr total = real() ? context().real_val(0) : context().int_val(0);
        for (const TermPtr& item : term(0)->parts) total = total + *item->z;
        return plain(total);
    }

    TermPtr held_value() {
        require(z(0));
        return term(0)->parts.empty() ? terms_.anything(node_.type) : term(0)->parts[0];
    }

    TermPtr division() {
        z3::expr a = number(0);
        z3::expr b = number(1);
        bool quotient = node_.op == Op::divide;
        require(b != 0);
        if (real()) {
            if (quotient) return plain(a / b);
            z3::expr down(context(), Z3_mk_real2int(context(), a / b));
            return plain(a - b * z3::to_real(down));
        }
        z3::expr by_positive = quotient ? a / b : z3::mod(a, b);
        z3::expr by_negative = quotient ? (-a) / (-b) : -z3::mod(-a, -b);
        std::int64_t constant = 0;
        if (is_numeral(b, constant)) return plain(constant > 0 ? by_positive : by_negative);
        return plain(z3::ite(b > 0, by_positive, by_negative));
    }

    TermPtr united() {
        TermPtr a = terms_.convert(term(0), type_of(0), node_.type);
        TermPtr b = terms_.convert(term(1), type_of(1), node_.type);
        return terms_.combine(a, b, [&](const Change& x, const Change& y) -> Change {
            return {x.key, x.present || y.present,
                    x.value ? terms_.choose(y.present, y.value, x.value) : nullptr};
        });
    }

    TermPtr concat() {
        if (is_collection(0)) return united();
        if (types().kind(node_.type) != TypeKind::list) return plain(z3::concat(z(0), z(1)));
        TermPtr a = terms_.convert(term(0), type_of(0), node_.type);
        TermPtr b = terms_.convert(term(1), type_of(1), node_.type);
        if (a->form == Term::Form::items && b->form == Term::Form::items) {
            std::vector<TermPtr> all = a->parts;
            all.insert(all.end(), b->parts.begin(), b->parts.end());
            return terms_.items(std::move(all));
        }
        z3::sort sort = a->form == Term::Form::plain ? a->z->get_sort() : b->z->get_sort();
        return plain(z3::concat(terms_.sequence(a, sort), terms_.sequence(b, sort)));
    }

    z3::expr equal() const {
        TermPtr a = terms_.convert(term(0), type_of(0), type_of(1));
        TermPtr b = terms_.convert(term(1), type_of(1), type_of(0));
        return terms_.equal(a, b);
    }

    z3::expr order(Op op) const {
        if (op == Op::greater || op == Op::greater_equal) return order_of(1, 0, op == Op::greater);
        return order_of(0, 1, op == Op::less);
    }

    z3::expr order_of(std::size_t i, std::size_t j, bool strictly) const {
        TypeKind k = kind(i);
        if (k == TypeKind::string || k == TypeKind::bytes) {
            Z3_ast raw = strictly ? Z3_mk_str_lt(context(), z(i), z(j)) : Z3_mk_str_le(context(), z(i), z(j));
            context().check_error();
            return z3::expr(context(), raw);
        }
        if (k != TypeKind::integer && k != TypeKind::real && k != TypeKind::enumeration)
            throw Untranslatable{"the order of values other than numbers, texts and enumerations"};
        return strictly ? number(i) < number(j) : number(i) <= number(j);
    }

    z3::expr occurs(const TermPtr& x, const std::vector<TermPtr>& items) const {
        z3::expr_vector any(context());
        for (const TermPtr& item : items) any.push_back(terms_.equal(x, item));
        return z3::mk_or(any);
    }

    z3::expr member() const {
        TypeId element = types()[type_of(1)].element;
        TermPtr x = terms_.convert(term(0), type_of(0), element);
        if (term(1)->form == Term::Form::changes) return terms_.look_up(term(1), x).present;
        if (term(1)->form == Term::Form::items) {
            std::vector<TermPtr> items;
            for (const TermPtr& item : term(1)->parts)
                items.push_back(terms_.convert(item, element, type_of(0)));
            return occurs(x, items);
        }
        z3::sort basis(context(), Z3_get_seq_sort_basis(context(), z(1).get_sort()));
        z3::expr unit = x->form == Term::Form::plain ? x->z->unit() : terms_.sequence(x, basis).unit();
        if (!z3::eq(unit.get_sort(), z(1).get_sort())) throw Untranslatable{"a real in a list of integers"};
        return z(1).contains(unit);
    }

    z3::expr how_often(const TermPtr& x, const std::vector<TermPtr>& items) const {
        z3::expr count = context().int_val(0);
        for (const TermPtr& item : items)
            count = count + z3::ite(terms_.equal(x, item), context().int_val(1), context().int_val(0));
        return count;
    }

    // The first n items of a list.
    std::vector<TermPtr> first(const TermPtr& list, std::size_t n) const {
        if (list->form == Term::Form::items) return list->parts;
        std::vector<TermPtr> items;
        for (std::size_t i = 0; i < n; ++i)
            items.push_back(plain(list->z->nth(context().int_val(static_cast<std::uint64_t>(i)))));
        return items;
    }

    TermPtr permutes() {
        TermPtr a = terms_.convert(term(0), type_of(0), type_of(1));
        TermPtr b = terms_.convert(term(1), type_of(1), type_of(0));
        if (a->form != Term::Form::items) std::swap(a, b);
        if (a->form != Term::Form::items || a->parts.size() > max_permuted) return only_constant("permutes");
        if (b->form == Term::Form::items && b->parts.size() != a->parts.size())
            return plain(context().bool_val(false));
        std::vector<TermPtr> others = first(b, a->parts.size());
        z3::expr same = size(b) == context().int_val(static_cast<std::uint64_t>(a->parts.size()));
        for (const TermPtr& x : a->parts) same = same && how_often(x, a->parts) == how_often(x, others);
        return plain(same);
    }

    TermPtr at_key() {
        Change found = terms_.look_up(term(0), term(1));
        require(found.present);
        return found.value ? found.value : terms_.anything(node_.type);
    }

    TermPtr at() {
        if (is_collection(0)) return at_key();
        const z3::expr& index = z(1);
        require(index >= 0 && index < size(term(0)));
        if (term(0)->form != Term::Form::items) return plain(z(0).nth(index));
        const auto& items = term(0)->parts;
        if (items.empty()) return terms_.anything(node_.type);
        TermPtr result = items.back();
        for (std::size_t i = items.size() - 1; i-- > 0;)
            result =
                terms_.choose(index == context().int_val(static_cast<std::uint64_t>(i)), items[i], result);
        return result;
    }

    // From `from` up to `to`, which lie inside wherever the operation has a value.
    TermPtr part_of(const TermPtr& whole, const z3::expr& from, const z3::expr& to) {
        if (whole->form == Term::Form::items) {
            std::int64_t a = 0, b = 0;
            auto most = static_cast<std::int64_t>(whole->parts.size());
            if (is_numeral(from.simplify(), a) && is_numeral(to.simplify(), b)) {
                a = std::clamp<std::int64_t>(a, 0, most);
                b = std::clamp<std::int64_t>(b, a, most);
                return terms_.items({whole->parts.begin() + a, whole->parts.begin() + b});
            }
            auto sort = terms_.sequence_sort(whole);
            if (!sort) return whole;  // it is empty
            return plain(terms_.sequence(whole, *sort).extract(from, to - from));
        }
        return plain(whole->z->extract(from, to - from));
    }

    TermPtr slice() {
        require(z(1) >= 0 && z(1) <= z(2) && z(2) <= size(term(0)));
        return part_of(term(0), z(1), z(2));
    }

    TermPtr take_or_drop() {
        z3::expr all = size(term(0));
        z3::expr none = context().int_val(0);
        z3::expr n = z3::ite(z(1) < 0, none, z3::ite(z(1) > all, all, z(1)));
        return node_.op == Op::take ? part_of(term(0), none, n) : part_of(term(0), n, all);
    }

    TermPtr with_item() {
        if (is_collection(0)) {
            std::vector<Change> all = terms_.convert(term(0), type_of(0), node_.type)->changes;
            all.push_back({term(1), context().bool_val(true),
                           terms_.convert(term(2), type_of(2), types().value_of(node_.type))});
            return terms_.changes(std::move(all));
        }
        z3::expr index = z(1);
        require(index >= 0 && index < size(term(0)));
        TermPtr list = terms_.convert(term(0), type_of(0), node_.type);
        TermPtr item = terms_.convert(term(2), type_of(2), types()[node_.type].element);
        if (list->form == Term::Form::items) {
            std::vector<TermPtr> items = list->parts;
            for (std::size_t i = 0; i < items.size(); ++i)
                items[i] =
                    terms_.choose(index == context().int_val(static_cast<std::uint64_t>(i)), item, items[i]);
            return terms_.items(std::move(items));
        }
        if (item->form != Term::Form::plain) throw Untranslatable{"a list of records or optionals"};
        z3::expr before = list->z->extract(context().int_val(0), index);
        z3::expr after = list->z->extract(index + 1, list->z->length() - index - 1);
        z3::expr_vector all(context());
        for (const z3::expr& part : {before, item->z->unit(), after}) all.push_back(part);
        return plain(z3::concat(all));
    }

    const Pool& pool_;
    const Terms& terms_;
    ExprId id_;
    Node node_;
    std::span<const ExprId> children_;
    std::span<const Translation* const> operands_;
    std::optional<z3::expr> defined_;
};

}  // namespace

std::optional<z3::expr> both(const std::optional<z3::expr>& a, const std::optional<z3::expr>& b) {
    if (!a || !b) return a ? a : b;
    return *a && *b;
}

Translation translate_operator(const Pool& pool, const Terms& terms, ExprId id,
                               std::span<const Translation* const> operands) {
    return Operation(pool, terms, id, operands).run();
}

}  // namespace treaty::solve::smt
