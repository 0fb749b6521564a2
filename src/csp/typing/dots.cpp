// Dots: which part fills which field of the channel or constructor before it.
//
// A dot is read from its head. A part that lacks fields takes the parts after it, one per field; a part that
// lacks fields itself takes its own first. So with q : Col => Event and Bx : Int => Col, q.Bx.1 is an event.
// A variable after a part that lacks fields may fill one field or several, so there reading stops until more
// is known: the whole must be an event, say, and then the last variable takes all fields that remain.

#include <algorithm>
#include <iterator>

#include "csp/typing/solver.h"

namespace treaty::csp::typing {

void Solver::flatten(TypeId type, std::uint32_t place, std::vector<Part>& into) {
    Nest nest(*this);
    type = types.resolve(type);
    if (types.shape(type) != Shape::dot) return into.push_back({type, place});
    for (std::size_t i = 0; i < types[type].parts.size(); ++i) flatten(types[type].parts[i], place, into);
}

// Int=>Bool=>Event is the fields Int and Bool and the result Event.
void Solver::split(TypeId field, std::vector<TypeId>& fields, TypeId& result) {
    for (result = types.resolve(field); types.shape(result) == Shape::field;
         result = types.resolve(types[result].parts[1])) {
        std::vector<Part> parts;
        flatten(types[result].parts[0], 0, parts);
        for (const Part& part : parts) fields.push_back(part.type);
    }
}

TypeId Solver::type_of(const Dot& dot) {
    if (dot.unknown || dot.failed) return types.unknown();
    std::vector<TypeId> parts;
    for (const Part& part : dot.parts) parts.push_back(part.type);
    return types.dot_of(std::move(parts));
}

Solver::Dot Solver::reduce(std::vector<Part> parts) {
    datatypes_asked_.clear();
    std::size_t before = open_.size();
    std::vector<Part> flat;
    for (const Part& part : parts) flatten(part.type, part.place, flat);
    Dot dot = reduce_parts(std::move(flat));
    if (dot.failed) {
        types.undo(0);
        open_.resize(before);
    }
    types.keep();
    return dot;
}

Solver::Dot Solver::reduce_parts(std::vector<Part> parts) {
    Nest nest(*this);
    Dot dot;
    for (Part& part : parts) {
        part.type = types.resolve(part.type);
        dot.unknown = dot.unknown || types.shape(part.type) == Shape::unknown;
    }
    if (dot.unknown) return dot;
    for (std::size_t at = 0; at < parts.size() && !dot.stuck && !dot.failed;) {
        TypeId head = types.resolve(parts[at].type);
        bool open = types.shape(head) == Shape::variable && at + 1 < parts.size() &&
                    (types[head].needs & one_field) == 0;
        if (types.shape(head) == Shape::field) {
            consume(parts, at, dot);
        } else if (open) {
            dot.stuck = dot.parts.size();
            for (; at < parts.size(); ++at) dot.parts.push_back(parts[at]);
        } else {
            dot.parts.push_back({head, parts[at++].place});
        }
    }
    return dot;
}

// Gives the part `at` what it lacks, as far as that is certain; `at` is then the first part that is left.
void Solver::consume(std::span<const Part> parts, std::size_t& at, Dot& dot) {
    struct Lack {
        TypeId type;
        std::uint32_t owner;
    };
    std::vector<Lack> lacks;  // the next one last
    auto add = [&](const Part& part) {
        std::vector<TypeId> fields;
        TypeId result;
        split(part.type, fields, result);
        for (std::size_t i = fields.size(); i-- > 0;) lacks.push_back({fields[i], part.place});
        return result;
    };
    const Part head = parts[at++];
    TypeId result = add(head);
    auto rest = [&] {
        std::vector<TypeId> fields;
        for (std::size_t i = lacks.size(); i-- > 0;) fields.push_back(lacks[i].type);
        return Part{types.fields_to(fields, result), head.place};
    };
    for (; !lacks.empty() && at < parts.size(); ++at) {
        TypeId value = types.resolve(parts[at].type);
        const Lack lack = lacks.back();
        if (types.shape(value) == Shape::variable) {
            bool one = (types[value].needs & one_field) != 0 || (choosing_ && at + 1 < parts.size());
            if (!one) {
                dot.stuck = dot.parts.size();
                dot.parts.push_back(rest());
                for (; at < parts.size(); ++at) dot.parts.push_back(parts[at]);
                return;
            }
        }
        lacks.pop_back();
        TypeId whole = types.shape(value) == Shape::field ? add({value, parts[at].place}) : value;
        if (!unify(whole, lack.type)) {
            dot.failed = true;
            dot.owner = lack.owner;
            dot.value = parts[at].place;
            dot.expected = lack.type;
            dot.found = whole;
            return;
        }
    }
    dot.parts.push_back(rest());
}

TypeId Solver::completed(TypeId type) {
    type = types.resolve(type);
    if (types.shape(type) != Shape::dot) return type;
    TypeId head = types.resolve(types[type].parts[0]);
    if (types.shape(head) != Shape::field) return type;
    std::vector<TypeId> fields;
    TypeId result;
    split(head, fields, result);
    return equate(type, result) ? result : type;
}

// Both lack fields. What the last of one side takes may be several fields of the other.
bool Solver::unify_fields(TypeId a, TypeId b) {
    std::vector<TypeId> left, right;
    TypeId left_result, right_result;
    split(a, left, left_result);
    split(b, right, right_result);
    if (!unify(left_result, right_result)) return false;
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        if (i >= left.size() || i >= right.size()) return fail(Fault::fields);
        auto remaining = [&](const std::vector<TypeId>& all) {
            return types.dot_of({all.begin() + static_cast<std::ptrdiff_t>(i), all.end()});
        };
        auto takes_all = [&](const std::vector<TypeId>& all) {
            return i + 1 == all.size() && types.shape(types.resolve(all[i])) == Shape::variable;
        };
        if (takes_all(left) || takes_all(right)) return unify(remaining(left), remaining(right));
        if (!unify(left[i], right[i])) return false;
    }
    return true;
}

// The other is neither a dot nor a variable, or it is a dot.
bool Solver::unify_dot(TypeId dot, TypeId other) {
    std::vector<Part> parts;
    flatten(dot, 0, parts);
    Dot found = reduce_parts(std::move(parts));
    if (found.unknown) return true;
    if (found.failed) return fail(Fault::mismatch);
    if (found.parts.size() == 1) return unify(found.parts[0].type, other);
    if (types.shape(other) == Shape::dot) {
        std::vector<Part> others;
        flatten(other, 0, others);
        Dot second = reduce_parts(std::move(others));
        if (second.unknown) return true;
        if (second.failed) return fail(Fault::mismatch);
        if (second.parts.size() == 1) return unify(type_of(found), second.parts[0].type);
        return unify_dots(std::move(found.parts), std::move(second.parts));
    }
    if (!found.stuck || *found.stuck > 0) return fail(Fault::fields);
    if (types.shape(types.resolve(found.parts[0].type)) == Shape::field) return finish(found.parts, other);
    switch (types.shape(other)) {
        case Shape::event:
        case Shape::datatype:
        case Shape::rigid:
        case Shape::field: return defer(Relation::equal, type_of(found), other);
        default: return fail(Fault::mismatch);
    }
}

// The first part lacks fields, and the second is a variable. The whole is an event or the like, or lacks the
// fields that the target lacks: so the number of fields that the other parts fill is known.
bool Solver::finish(std::span<const Part> parts, TypeId target) {
    std::vector<TypeId> lacks, wanted;
    TypeId result, wanted_result;
    split(parts[0].type, lacks, result);
    split(target, wanted, wanted_result);
    if (!unify(result, wanted_result)) return false;
    if (wanted.size() > lacks.size()) return fail(Fault::fields);
    std::size_t filled = lacks.size() - wanted.size();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!unify(lacks[filled + i], wanted[i])) return false;
    lacks.resize(filled);
    std::reverse(lacks.begin(), lacks.end());
    auto take = [&](std::size_t count) {
        std::vector<TypeId> taken(lacks.rbegin(), lacks.rbegin() + static_cast<std::ptrdiff_t>(count));
        lacks.resize(lacks.size() - count);
        return types.dot_of(std::move(taken));
    };
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (lacks.empty()) return fail(Fault::fields);
        TypeId value = types.resolve(parts[i].type);
        if (types.shape(value) == Shape::unknown) return true;
        std::size_t after = parts.size() - 1 - i;
        if (types.shape(value) == Shape::field) {
            std::vector<TypeId> fields;
            TypeId whole;
            split(value, fields, whole);
            if (!unify(whole, take(1))) return false;
            for (std::size_t k = fields.size(); k-- > 0;) lacks.push_back(fields[k]);
            continue;
        }
        bool one = types.shape(value) != Shape::variable || (types[value].needs & one_field) != 0;
        if (after == 0 && !one) {
            if (!unify(value, take(lacks.size()))) return false;
        } else if (one || choosing_) {
            if (!unify(value, take(1))) return false;
        } else if (std::ranges::all_of(parts.subspan(i + 1), [&](const Part& p) { return closed(p.type); })) {
            if (lacks.size() < after + 1) return fail(Fault::fields);
            if (!unify(value, take(lacks.size() - after))) return false;
        } else {
            std::reverse(lacks.begin(), lacks.end());
            std::vector<TypeId> left{types.fields_to(lacks, result)};
            for (; i < parts.size(); ++i) left.push_back(parts[i].type);
            return defer(Relation::equal, types.dot_of(std::move(left)), result);
        }
    }
    return lacks.empty() || fail(Fault::fields);
}

// It fills one field, whatever else becomes known.
bool Solver::closed(TypeId type) const {
    type = types.resolve(type);
    Shape shape = types.shape(type);
    return (shape != Shape::variable && shape != Shape::field) || (types[type].needs & one_field) != 0;
}

bool Solver::unify_dots(std::vector<Part> a, std::vector<Part> b) {
    Nest nest(*this);
    auto definite = [&](const Part& part) {
        TypeId type = types.resolve(part.type);
        return closed(type) || (choosing_ && types.shape(type) == Shape::variable);
    };
    std::size_t alike = 0;
    for (; alike + 1 < std::min(a.size(), b.size()) && definite(a[alike]) && definite(b[alike]); ++alike)
        if (!unify(a[alike].type, b[alike].type)) return false;
    a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(alike));
    b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(alike));
    auto whole = [&](const std::vector<Part>& parts) {
        std::vector<TypeId> all(parts.size());
        std::ranges::transform(parts, all.begin(), &Part::type);
        return types.dot_of(std::move(all));
    };
    if (a.size() == 1 || b.size() == 1) return unify(whole(a), whole(b));
    return unify_heads(std::move(a), std::move(b));
}

// One of the heads lacks fields or is a variable that might.
bool Solver::unify_heads(std::vector<Part> a, std::vector<Part> b) {
    auto shape = [&](const Part& part) { return types.shape(types.resolve(part.type)); };
    if (shape(b[0]) == Shape::field && shape(a[0]) != Shape::field) std::swap(a, b);
    auto whole = [&](const std::vector<Part>& parts, std::size_t from) {
        std::vector<TypeId> all;
        for (std::size_t i = from; i < parts.size(); ++i) all.push_back(parts[i].type);
        return types.dot_of(std::move(all));
    };
    auto pairwise = [&] {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!unify(a[i].type, b[i].type)) return false;
        return true;
    };
    if (shape(a[0]) == Shape::field) {
        std::vector<TypeId> fields, others;
        TypeId result, other_result;
        split(a[0].type, fields, result);
        if (shape(b[0]) == Shape::field) {
            split(b[0].type, others, other_result);
            if (!unify(result, other_result)) return false;
            bool alike = a.size() == b.size() && fields.size() == others.size();
            std::size_t mark = types.mark(), open = open_.size();
            if (alike && (a.size() == 2 || choosing_) && pairwise()) return true;
            types.undo(mark);
            open_.resize(open);
            // Two constructors with other fields: the values are alike if both have all of them.
            if (alike || choosing_) return unify(whole(a, 0), result) && unify(whole(b, 0), result);
            return defer(Relation::equal, whole(a, 0), whole(b, 0));
        }
        // What follows the variable is not a field any more.
        if (closed(b[0].type) && a.size() == 2) {
            if (!unify(result, b[0].type)) return false;
            std::ranges::transform(std::span(b).subspan(1), std::back_inserter(fields), &Part::type);
            return unify(a[1].type, types.dot_of(std::move(fields)));
        }
        return defer(Relation::equal, whole(a, 0), whole(b, 0));
    }
    // Values that no constructor makes: each is one part.
    auto plain = [&](const std::vector<Part>& parts) {
        return std::ranges::all_of(parts, [&](const Part& part) {
            Shape s = shape(part);
            return s != Shape::variable && s != Shape::field && s != Shape::datatype && s != Shape::event;
        });
    };
    if (a.size() == b.size() && (plain(a) || plain(b))) return pairwise();
    return defer(Relation::equal, whole(a, 0), whole(b, 0));
}

}  // namespace treaty::csp::typing
