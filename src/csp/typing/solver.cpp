#include "csp/typing/solver.h"

#include <algorithm>

namespace treaty::csp::typing {
namespace {

// More rounds than this find nothing in scripts that people write.
constexpr int max_rounds = 100;
constexpr std::size_t max_kept_equations = 200;

}  // namespace

bool Solver::require(Relation relation, TypeId a, TypeId b) {
    std::size_t before = open_.size();
    datatypes_asked_.clear();
    fault_ = Fault::none;
    bool solved = relation == Relation::equal     ? unify(a, b)
                  : relation == Relation::extends ? extend(a, b)
                                                  : complete_with(a, b);
    if (!solved) {
        types.undo(0);
        open_.resize(before);
    }
    types.keep();
    return solved;
}

bool Solver::require_needs(TypeId type, Needs needs) {
    datatypes_asked_.clear();
    fault_ = Fault::none;
    bool able = add_needs(type, needs);
    if (!able) types.undo(0);
    types.keep();
    return able;
}

bool Solver::defer(Relation relation, TypeId a, TypeId b) {
    open_.push_back({relation, a, b, why_, span_});
    return true;
}

bool Solver::unify(TypeId a, TypeId b) {
    Nest nest(*this);
    a = types.resolve(a);
    b = types.resolve(b);
    if (a == b) return true;
    Shape left = types.shape(a), right = types.shape(b);
    if (left == Shape::unknown || right == Shape::unknown) return true;
    if (left == Shape::variable) return unify_variable(a, b);
    if (right == Shape::variable) return unify_variable(b, a);
    if (left == Shape::dot) return unify_dot(a, b);
    if (right == Shape::dot) return unify_dot(b, a);
    if (left != right) return fail(Fault::mismatch);
    if (left == Shape::datatype || left == Shape::rigid)
        return types[a].number == types[b].number || fail(Fault::mismatch);
    if (left == Shape::field) return unify_fields(a, b);
    return unify_parts(a, b);
}

bool Solver::unify_parts(TypeId a, TypeId b) {
    std::size_t count = types[a].parts.size();
    if (types[b].parts.size() != count) return fail(Fault::mismatch);
    for (std::size_t i = 0; i < count; ++i)
        if (!unify(types[a].parts[i], types[b].parts[i])) return false;
    return true;
}

bool Solver::unify_variable(TypeId variable, TypeId type) {
    if (types.shape(type) == Shape::dot) {
        std::vector<Part> parts;
        flatten(type, 0, parts);
        Dot dot = reduce_parts(std::move(parts));
        if (dot.failed) return fail(Fault::mismatch);
        if (dot.unknown) return true;
        type = types.resolve(type_of(dot));
        if (type == variable) return true;
        types.start_walk();
        if (!prepare(variable, type)) {
            // Succ.n has the type of n, if Succ takes what it makes.
            if (!dot.stuck) return fail(Fault::infinite);
            TypeId head = types.resolve(dot.parts[0].type);
            if (!choosing_ || types.shape(head) != Shape::field)
                return defer(Relation::equal, variable, type);
            std::vector<TypeId> fields;
            TypeId result;
            split(head, fields, result);
            return unify(variable, result) && unify(type, result);
        }
    } else {
        types.start_walk();
        if (!prepare(variable, type)) return fail(Fault::infinite);
    }
    Needs needs = types[variable].needs;
    types.bind(variable, type);
    return add_needs(type, types.shape(type) == Shape::variable ? needs : needs & ~one_field);
}

// The variables in the type belong to no deeper definition than this one. False if it is one of them.
bool Solver::prepare(TypeId variable, TypeId type) {
    Nest nest(*this);
    type = types.resolve(type);
    if (type == variable) return false;
    if (!types.first_visit(type)) return true;
    if (types.shape(type) == Shape::variable)
        types.set_level(type, std::min(types[type].level, types[variable].level));
    for (std::size_t i = 0; i < types[type].parts.size(); ++i)
        if (!prepare(variable, types[type].parts[i])) return false;
    return true;
}

// Int, Bool, Char, tuples, sequences and sets of them can be compared; processes and functions cannot, and
// functions cannot be in sets either.
bool Solver::add_needs(TypeId type, Needs needs) {
    Nest nest(*this);
    type = types.resolve(type);
    Shape shape = types.shape(type);
    bool order = (needs & needs_order) != 0, equality = order || (needs & needs_equality) != 0;
    if (shape != Shape::variable) needs &= static_cast<Needs>(~one_field);
    if (needs == 0) return true;
    auto parts = [&](Needs of_parts) {
        for (std::size_t i = 0; i < types[type].parts.size(); ++i)
            if (!add_needs(types[type].parts[i], of_parts)) return false;
        return true;
    };
    auto unless = [&](bool bad) { return !bad || fail(Fault::incomparable); };
    switch (shape) {
        case Shape::unknown:
        case Shape::integer:
        case Shape::character: return true;
        case Shape::boolean:
        case Shape::event: return unless(order);
        case Shape::process: return unless(equality);
        case Shape::function: return fail(Fault::incomparable);
        case Shape::datatype:
            return order ? fail(Fault::incomparable) : datatype_needs(types[type].number, needs);
        case Shape::rigid: {
            Needs given = types[type].needs;
            if (order) return unless((given & needs_order) == 0);
            if (equality) return unless((given & (needs_order | needs_equality)) == 0);
            return unless((given & (needs_order | needs_equality | needs_set)) == 0);
        }
        // Ordered by inclusion, and by being a prefix.
        case Shape::set: return parts(equality ? needs_equality : needs_set);
        case Shape::sequence: return parts(order ? needs_equality : needs);
        case Shape::tuple:
        case Shape::dot: return parts(needs);
        case Shape::field: return order ? fail(Fault::incomparable) : parts(needs);
        case Shape::variable: types.add_needs(type, needs); return true;
    }
    return true;
}

bool Solver::datatype_needs(std::uint32_t datatype, Needs needs) {
    if (std::find(datatypes_asked_.begin(), datatypes_asked_.end(), datatype) != datatypes_asked_.end())
        return true;
    datatypes_asked_.push_back(datatype);
    for (std::size_t i = 0; i < datatype_fields[datatype].size(); ++i)
        if (!add_needs(datatype_fields[datatype][i], needs)) return false;
    return true;
}

// What {| a |} makes of a.
bool Solver::extend(TypeId a, TypeId b) {
    Nest nest(*this);
    a = types.resolve(a);
    std::vector<TypeId> fields;
    TypeId result;
    switch (types.shape(a)) {
        case Shape::unknown:
        case Shape::rigid: return true;
        case Shape::event:
        case Shape::datatype: return unify(a, b);
        case Shape::field: split(a, fields, result); return unify(result, b);
        case Shape::variable: return defer(Relation::extends, a, b);
        case Shape::dot: break;
        default: return fail(Fault::mismatch);
    }
    std::vector<Part> parts;
    flatten(a, 0, parts);
    Dot dot = reduce_parts(std::move(parts));
    if (dot.unknown) return true;
    if (dot.failed) return fail(Fault::mismatch);
    if (dot.parts.size() == 1) return extend(dot.parts[0].type, b);
    if (!dot.stuck || *dot.stuck > 0) return fail(Fault::fields);
    TypeId head = types.resolve(dot.parts[0].type);
    if (types.shape(head) == Shape::field) {
        split(head, fields, result);
        if (!unify(result, b)) return false;
    }
    return defer(Relation::extends, type_of(dot), b);
}

bool Solver::complete_with(TypeId a, TypeId b) {
    Nest nest(*this);
    a = types.resolve(a);
    std::vector<TypeId> fields;
    TypeId result;
    switch (types.shape(a)) {
        case Shape::unknown:
        case Shape::rigid:
        case Shape::event:
        case Shape::datatype: return true;
        case Shape::field: split(a, fields, result); return unify(types.dot_of(std::move(fields)), b);
        case Shape::variable: return defer(Relation::extensions, a, b);
        case Shape::dot: break;
        default: return fail(Fault::mismatch);
    }
    std::vector<Part> parts;
    flatten(a, 0, parts);
    Dot dot = reduce_parts(std::move(parts));
    if (dot.unknown) return true;
    if (dot.failed) return fail(Fault::mismatch);
    if (dot.parts.size() == 1) return complete_with(dot.parts[0].type, b);
    if (!dot.stuck || *dot.stuck > 0) return fail(Fault::fields);
    return defer(Relation::extensions, type_of(dot), b);
}

// One pass over the equations from here on; how many became simpler. When choosing, at most one is settled.
std::size_t Solver::retry(std::size_t from, bool choosing,
                          const std::function<void(const Equation&)>& report) {
    std::vector<Equation> todo(open_.begin() + static_cast<std::ptrdiff_t>(from), open_.end());
    open_.resize(from);
    std::size_t progress = 0;
    for (const Equation& equation : todo) {
        if (choosing && (progress > 0 || (!concerns(equation.a) && !concerns(equation.b)))) {
            open_.push_back(equation);
            continue;
        }
        at(equation.span, equation.why);
        std::uint64_t before = types.changes();
        std::size_t open = open_.size();
        choosing_ = choosing;
        bool solved = require(equation.relation, equation.a, equation.b);
        choosing_ = false;
        if (!solved) report(equation);
        if (!solved || types.changes() != before || open_.size() == open) ++progress;
    }
    return progress;
}

void Solver::settle(std::size_t from, const std::function<void(const Equation&)>& report) {
    for (int round = 0; round < max_rounds && open_.size() > from; ++round)
        if (retry(from, false, report) == 0 && retry(from, true, report) == 0) return;
}

// Whether it has a variable of the definitions that are being settled.
bool Solver::concerns(TypeId type) {
    types.start_walk();
    return any_variable(type, [&](TypeId variable) { return types[variable].level >= level_; });
}

bool Solver::shares(TypeId type) {
    types.start_walk();
    return any_variable(type, [&](TypeId variable) { return types[variable].level == Types::generic; });
}

bool Solver::any_variable(TypeId type, const std::function<bool(TypeId)>& which) {
    Nest nest(*this);
    type = types.resolve(type);
    if (!types.first_visit(type)) return false;
    if (types.shape(type) == Shape::variable) return which(type);
    for (std::size_t i = 0; i < types[type].parts.size(); ++i)
        if (any_variable(types[type].parts[i], which)) return true;
    return false;
}

// Whether there is any.
bool Solver::mark_generic(TypeId type) {
    bool any = false;
    types.start_walk();
    any_variable(type, [&](TypeId variable) {
        if (types[variable].level > level_) types.set_level(variable, Types::generic), any = true;
        return false;
    });
    return any;
}

void Solver::generalise(std::span<Scheme> schemes, std::size_t from) {
    bool any = false;
    for (Scheme& scheme : schemes) {
        scheme.generic = mark_generic(scheme.type);
        any = any || scheme.generic;
    }
    auto inner = [&](TypeId type) {
        types.start_walk();
        return any_variable(type, [&](TypeId variable) { return types[variable].level > level_; });
    };
    std::vector<Equation> others, outer, kept;
    for (std::size_t i = from; i < open_.size(); ++i)
        (inner(open_[i].a) || inner(open_[i].b) ? others : outer).push_back(open_[i]);
    open_.resize(from);
    open_.insert(open_.end(), outer.begin(), outer.end());
    // Equations about the definitions' types, directly or through other equations.
    for (bool more = any; more;) {
        more = false;
        for (Equation& equation : others) {
            if (!equation.a || kept.size() >= max_kept_equations) continue;
            if (!shares(equation.a) && !shares(equation.b)) continue;
            mark_generic(equation.a);
            mark_generic(equation.b);
            kept.push_back(equation);
            equation.a = {};
            more = true;
        }
    }
    for (Scheme& scheme : schemes)
        if (scheme.generic) scheme.equations = kept;
}

TypeId Solver::instance(const Scheme& scheme) {
    if (!scheme.generic) return scheme.type;
    absl::flat_hash_map<TypeId, TypeId> copies;
    TypeId type = copy(scheme.type, copies);
    for (const Equation& equation : scheme.equations) {
        TypeId a = copy(equation.a, copies), b = copy(equation.b, copies);
        open_.push_back({equation.relation, a, b, why_, span_});
    }
    return type;
}

TypeId Solver::copy(TypeId type, absl::flat_hash_map<TypeId, TypeId>& copies) {
    Nest nest(*this);
    type = types.resolve(type);
    if (auto known = copies.find(type); known != copies.end()) return known->second;
    TypeId made = type;
    if (types.shape(type) == Shape::variable) {
        if (types[type].level == Types::generic) made = fresh(types[type].needs);
    } else if (!types[type].parts.empty()) {
        std::vector<TypeId> parts;
        bool changed = false;
        for (std::size_t i = 0; i < types[type].parts.size(); ++i) {
            TypeId part = types[type].parts[i];
            parts.push_back(copy(part, copies));
            changed = changed || parts.back() != types.resolve(part);
        }
        if (changed) made = types.make(types.shape(type), std::move(parts));
    }
    copies.emplace(type, made);
    return made;
}

}  // namespace treaty::csp::typing
