#include "solve/solver_terms.h"

#include <cmath>

#include <fmt/format.h>

namespace treaty::solve::smt {
namespace {

using expr::Bytes;
using expr::EnumMember;
using expr::Field;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Types;
using expr::Value;

constexpr std::size_t max_leaves = 2000;

z3::expr conjunction(z3::context& context, const std::vector<z3::expr>& parts) {
    z3::expr_vector all(context);
    for (const z3::expr& part : parts) all.push_back(part);
    return parts.size() == 1 ? parts[0] : z3::mk_and(all);
}

}  // namespace

TermPtr Terms::plain(z3::expr e) const {
    return std::make_shared<Term>(Term{Term::Form::plain, std::move(e), {}});
}

TermPtr Terms::record(std::vector<TermPtr> fields) const {
    return std::make_shared<Term>(Term{Term::Form::record, std::nullopt, std::move(fields)});
}

TermPtr Terms::optional(z3::expr holds, std::vector<TermPtr> held) const {
    return std::make_shared<Term>(Term{Term::Form::optional, std::move(holds), std::move(held)});
}

TermPtr Terms::items(std::vector<TermPtr> parts) const {
    return std::make_shared<Term>(Term{Term::Form::items, std::nullopt, std::move(parts)});
}

z3::expr Terms::text(const std::string& bytes) const {
    return context_.string_val(bytes.data(), static_cast<unsigned>(bytes.size()));
}

// The exact binary value, not the decimal one that was typed: what evaluate() computes with.
z3::expr Terms::real(double x) const {
    int exponent = 0;
    auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    z3::expr result = context_.real_val(fmt::format("{}", mantissa).c_str());
    for (exponent -= 53; exponent != 0;) {
        int step = std::min(std::abs(exponent), 1000);
        z3::expr power = context_.real_val(fmt::format("{:.0f}", std::ldexp(1.0, step)).c_str());
        result = exponent > 0 ? result * power : result / power;
        exponent += exponent > 0 ? -step : step;
    }
    return result.simplify();
}

TermPtr Terms::literal(const Value& value, TypeId id) const {
    const Type& type = types_[id];
    if (auto* x = std::get_if<bool>(&value.v)) return plain(context_.bool_val(*x));
    if (auto* x = std::get_if<std::int64_t>(&value.v)) return plain(context_.int_val(*x));
    if (auto* x = std::get_if<EnumMember>(&value.v)) return plain(context_.int_val(x->index));
    if (auto* x = std::get_if<std::string>(&value.v)) return plain(text(*x));
    if (auto* x = std::get_if<Bytes>(&value.v)) return plain(text(x->data));
    if (auto* x = std::get_if<double>(&value.v)) {
        if (!std::isfinite(*x)) throw Untranslatable{"a real that is not a number"};
        return plain(real(*x));
    }
    if (type.kind == TypeKind::set || type.kind == TypeKind::map) {
        std::vector<Term::Change> all;
        for (const Value& item : value.items()) {
            bool map = type.kind == TypeKind::map;
            all.push_back({map ? literal(item.items()[0], types_.key_of(id)) : literal(item, type.element),
                           context_.bool_val(true),
                           map ? literal(item.items()[1], types_.value_of(id)) : nullptr});
        }
        return changes(std::move(all));
    }
    std::vector<TermPtr> parts;
    for (const Value& item : value.items()) {
        TypeId part = type.kind == TypeKind::record ? type.fields[parts.size()].type : type.element;
        if (!part) throw Untranslatable{"data whose type is not known"};
        parts.push_back(literal(item, part));
    }
    if (type.kind == TypeKind::record) return record(std::move(parts));
    if (type.kind == TypeKind::list) return items(std::move(parts));
    if (type.kind != TypeKind::optional) throw Untranslatable{"data whose type is not known"};
    z3::expr holds = context_.bool_val(!parts.empty());
    return optional(holds, std::move(parts));
}

TermPtr Terms::anything(TypeId id) const {
    const Type& type = types_[id];
    switch (type.kind) {
        case TypeKind::boolean: return plain(context_.bool_val(false));
        case TypeKind::integer:
        case TypeKind::enumeration: return plain(context_.int_val(0));
        case TypeKind::real: return plain(context_.real_val(0));
        case TypeKind::string:
        case TypeKind::bytes: return plain(text({}));
        case TypeKind::list: return items({});
        case TypeKind::set:
        case TypeKind::map: return changes({});
        case TypeKind::optional: return optional(context_.bool_val(false), {});
        case TypeKind::record: {
            std::vector<TermPtr> fields;
            for (const Field& field : type.fields) fields.push_back(anything(field.type));
            return record(std::move(fields));
        }
        case TypeKind::unknown: break;
    }
    throw Untranslatable{"data whose type is not known"};
}

z3::sort Terms::sort_of(TypeId id) const {
    const Type& type = types_[id];
    switch (type.kind) {
        case TypeKind::boolean: return context_.bool_sort();
        case TypeKind::integer:
        case TypeKind::enumeration: return context_.int_sort();
        case TypeKind::real: return context_.real_sort();
        case TypeKind::string:
        case TypeKind::bytes: return context_.string_sort();
        case TypeKind::list: {
            z3::sort element = sort_of(type.element);
            return context_.seq_sort(element);
        }
        case TypeKind::record: throw Untranslatable{"a list of records"};
        case TypeKind::optional: throw Untranslatable{"a list of optionals"};
        case TypeKind::set:
        case TypeKind::map: throw Untranslatable{"a list of sets or maps"};
        case TypeKind::unknown: break;
    }
    throw Untranslatable{"data whose type is not known"};
}

void Terms::constrain_integer(const Type& type, const z3::expr& e, std::vector<z3::expr>& out) const {
    if (type.kind == TypeKind::enumeration) {
        out.push_back(e >= 0);
        out.push_back(e < context_.int_val(static_cast<std::uint64_t>(type.members.size())));
    }
    if (type.kind != TypeKind::integer) return;
    if (type.low) out.push_back(e >= context_.int_val(*type.low));
    if (type.high) out.push_back(e <= context_.int_val(*type.high));
}

void Terms::constrain_items(const Type& list, const z3::expr& e, std::vector<z3::expr>& out) const {
    for (int i = 0; i < constrained_items; ++i) {
        std::vector<z3::expr> one;
        constrain_integer(types_[list.element], e.nth(context_.int_val(i)), one);
        if (one.empty()) return;
        out.push_back(z3::implies(e.length() > i, conjunction(context_, one)));
    }
}

TermPtr Terms::declare(TypeId id, const std::string& name, Declared& out, std::size_t& budget) const {
    if (budget-- == 0) throw Untranslatable{"a record with very many parts"};
    const Type& type = types_[id];
    auto part = [&](TypeId inner, std::size_t i) {
        return declare(inner, fmt::format("{}.{}", name, i), out, budget);
    };
    if (type.kind == TypeKind::record) {
        std::vector<TermPtr> fields;
        for (const Field& field : type.fields) fields.push_back(part(field.type, fields.size()));
        return record(std::move(fields));
    }
    if (type.kind == TypeKind::optional) {
        z3::expr holds = context_.bool_const(name.c_str());
        return optional(holds, {part(type.element, 0)});
    }
    if (type.kind == TypeKind::set || type.kind == TypeKind::map)
        return declare_changes(id, name, out, budget);
    z3::expr e = context_.constant(name.c_str(), sort_of(id));
    constrain_integer(type, e, out.constraints);
    if (type.kind == TypeKind::integer || type.kind == TypeKind::enumeration) out.integers.push_back(e);
    if (type.kind == TypeKind::real) out.reals.push_back(e);
    if (type.kind == TypeKind::string || type.kind == TypeKind::bytes) out.texts.push_back(e);
    if (type.kind == TypeKind::list) {
        out.sequences.push_back(e);
        constrain_items(type, e, out.constraints);
    }
    return plain(e);
}

Declared Terms::declare(TypeId type, const std::string& name) const {
    if (types_.nesting(type) > Types::max_nesting) throw Untranslatable{"a type that nests very deeply"};
    Declared out;
    std::size_t budget = max_leaves;
    out.term = declare(type, name, out, budget);
    return out;
}

std::optional<z3::sort> Terms::sequence_sort(const TermPtr& list) const {
    if (list->form == Term::Form::plain) return list->z->get_sort();
    for (const TermPtr& part : list->parts) {
        std::optional<z3::sort> element;
        if (part->form == Term::Form::plain)
            element = part->z->get_sort();
        else if (part->form == Term::Form::items)
            element = sequence_sort(part);
        else
            throw Untranslatable{"a list of records or optionals whose length is not known"};
        if (element) return context_.seq_sort(*element);
    }
    return std::nullopt;
}

z3::expr Terms::sequence(const TermPtr& list, const z3::sort& sort) const {
    if (list->form == Term::Form::plain) return *list->z;
    if (list->form != Term::Form::items) throw Untranslatable{"a list of records or optionals"};
    z3::sort element(context_, Z3_get_seq_sort_basis(context_, sort));
    z3::expr_vector units(context_);
    for (const TermPtr& part : list->parts) {
        z3::expr e = part->form == Term::Form::plain ? *part->z : sequence(part, element);
        units.push_back(e.unit());
    }
    if (units.empty()) return z3::expr(context_, Z3_mk_seq_empty(context_, sort));
    return units.size() == 1 ? units[0] : z3::concat(units);
}

z3::expr Terms::equal(const TermPtr& a, const TermPtr& b) const {
    if (a->form == Term::Form::changes) return equal_changes(a, b);
    if (a->form == Term::Form::plain && b->form == Term::Form::plain) return *a->z == *b->z;
    if (a->form == Term::Form::optional) {
        z3::expr same = *a->z == *b->z;
        if (a->parts.empty() || b->parts.empty()) return same;
        return same && z3::implies(*a->z, equal(a->parts[0], b->parts[0]));
    }
    bool one_by_one = a->form == b->form;
    if (!one_by_one) {
        z3::sort sort = a->form == Term::Form::plain ? a->z->get_sort() : b->z->get_sort();
        return sequence(a, sort) == sequence(b, sort);
    }
    if (a->parts.size() != b->parts.size()) return context_.bool_val(false);
    z3::expr_vector all(context_);
    for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(equal(a->parts[i], b->parts[i]));
    return z3::mk_and(all);
}

TermPtr Terms::choose(const z3::expr& condition, const TermPtr& a, const TermPtr& b) const {
    if (a == b) return a;
    if (a->form == Term::Form::changes)
        return combine(a, b, [&](const Term::Change& x, const Term::Change& y) -> Term::Change {
            return {x.key, z3::ite(condition, x.present, y.present),
                    x.value ? choose(condition, x.value, y.value) : nullptr};
        });
    if (a->form == Term::Form::plain && b->form == Term::Form::plain)
        return plain(z3::ite(condition, *a->z, *b->z));
    if (a->form == Term::Form::optional) {
        z3::expr holds = z3::ite(condition, *a->z, *b->z);
        if (a->parts.empty()) return optional(holds, b->parts);
        if (b->parts.empty()) return optional(holds, a->parts);
        return optional(holds, {choose(condition, a->parts[0], b->parts[0])});
    }
    if (a->form == b->form && a->parts.size() == b->parts.size()) {
        std::vector<TermPtr> parts;
        for (std::size_t i = 0; i < a->parts.size(); ++i)
            parts.push_back(choose(condition, a->parts[i], b->parts[i]));
        return a->form == Term::Form::record ? record(std::move(parts)) : items(std::move(parts));
    }
    // Lists of different lengths, of which at least one has an item or is a sequence.
    auto sort = a->form == Term::Form::plain ? sequence_sort(a) : sequence_sort(b);
    if (!sort) sort = sequence_sort(a);
    if (!sort) throw Untranslatable{"a list whose items have no type"};
    return plain(z3::ite(condition, sequence(a, *sort), sequence(b, *sort)));
}

TermPtr Terms::convert(const TermPtr& term, TypeId from, TypeId to) const {
    from = types_.base(from);
    to = types_.base(to);
    if (from == to || types_.kind(to) == TypeKind::unknown) return term;
    TypeKind a = types_.kind(from);
    TypeKind b = types_.kind(to);
    if (a == TypeKind::integer && b == TypeKind::real) return plain(z3::to_real(*term->z));
    if (term->form == Term::Form::changes) {
        if (a != TypeKind::map) return term;  // items of sets are never converted, nor are keys
        std::vector<Term::Change> all = term->changes;
        for (Term::Change& one : all)
            one.value = convert(one.value, types_.value_of(from), types_.value_of(to));
        return changes(std::move(all));
    }
    if (a != b || (a != TypeKind::list && a != TypeKind::optional)) return term;
    TypeId inner = types_[from].element;
    TypeId wanted = types_[to].element;
    if (term->form == Term::Form::plain) {
        bool unknown = types_.kind(inner) == TypeKind::unknown || types_.kind(wanted) == TypeKind::unknown;
        bool reals = types_.kind(inner) == TypeKind::real && types_.kind(wanted) == TypeKind::integer;
        if (unknown || reals) return term;
        throw Untranslatable{"a list of integers in the place of a list of reals"};
    }
    std::vector<TermPtr> parts;
    for (const TermPtr& part : term->parts) parts.push_back(convert(part, inner, wanted));
    return a == TypeKind::list ? items(std::move(parts)) : optional(*term->z, std::move(parts));
}

}  // namespace treaty::solve::smt
