#include <algorithm>

#include <fmt/format.h>

#include "base/wording.h"
#include "csp/codes.h"
#include "csp/typing/inference.h"
#include "csp/typing/typing.h"

namespace treaty::csp {

void check_types(const Syntax& syntax, const Scopes& scopes, base::Diagnostics& diagnostics) {
    base::Diagnostics found;
    try {
        typing::Inference(syntax, scopes, found).run();
    } catch (const typing::TooLarge&) {
        found.report(codes::types_unchecked, {}, "the types of this script are too large to be checked");
    }
    found.sort_by_place();
    diagnostics.append(std::move(found));
}

}  // namespace treaty::csp

namespace treaty::csp::typing {

Inference::Inference(const Syntax& syntax, const Scopes& scopes, base::Diagnostics& diagnostics)
    : syntax_(syntax),
      scopes_(scopes),
      diagnostics_(diagnostics),
      solver_(syntax.names),
      types_(solver_.types),
      used_(syntax, scopes),
      integer_(types_.basic(Shape::integer)),
      boolean_(types_.basic(Shape::boolean)),
      character_(types_.basic(Shape::character)),
      process_(types_.basic(Shape::process)),
      event_(types_.basic(Shape::event)),
      unknown_(types_.unknown()) {}

void Inference::run() {
    prepare();
    annotated_ = annotations(syntax_.global);
    // Others may be inferred before them.
    for (std::size_t i = 0; i < definitions_.size(); ++i)
        if (auto found = annotated_.find(syntax_.global.definitions[i].name); found != annotated_.end())
            definitions_[i] = found->second.scheme;
    for (const std::vector<std::uint32_t>& group : groups_of(dependencies())) infer_global(group);
    solver_.enter();
    subtypes();
    check_nametypes();
    settle(0);
    for (const Assertion& a : syntax_.assertions) {
        assertion(a);
        settle(0);
    }
}

// Datatypes are known before anything else; what their constructors carry is inferred.
void Inference::prepare() {
    std::uint32_t types = 0;
    datatypes_.resize(syntax_.datatypes.size());
    for (std::uint32_t i = 0; i < syntax_.datatypes.size(); ++i) {
        const DatatypeDeclaration& d = syntax_.datatypes[i];
        if (d.subtype) continue;
        datatypes_[i] = types_.numbered(Shape::datatype, types++);
        types_.datatype_names.push_back(d.name);
        for (std::uint32_t k = 0; k < d.constructors.size(); ++k) constructor_places_.push_back({i, k});
    }
    for (std::uint32_t i = 0; i < syntax_.datatypes.size(); ++i) {
        const DatatypeDeclaration& d = syntax_.datatypes[i];
        if (!d.subtype) continue;
        const Global* first = scopes_.global(d.constructors.front().name);
        bool known = first && first->meaning == Meaning::constructor;
        datatypes_[i] = known ? datatypes_[constructor_places_[first->index].datatype] : unknown_;
    }
    solver_.datatype_fields.resize(types);
    channels_.resize(syntax_.channels.size());
    constructors_.resize(constructor_places_.size());
    nametypes_.resize(syntax_.types.size());
    definitions_.resize(syntax_.global.definitions.size());
}

// Channels, constructors, named types and definitions are the nodes of one graph, in this order.
std::size_t Inference::node_of(const Global& global) const {
    std::size_t constructors = channels_.size(), nametypes = constructors + constructors_.size();
    std::size_t definitions = nametypes + nametypes_.size();
    switch (global.meaning) {
        case Meaning::channel: return global.index;
        case Meaning::constructor: return constructors + global.index;
        case Meaning::type: return nametypes + global.index;
        case Meaning::definition: return definitions + global.index;
        default: return SIZE_MAX;
    }
}

std::vector<std::vector<std::uint32_t>> Inference::dependencies() {
    std::vector<std::vector<std::uint32_t>> edges;
    auto add = [&](const std::vector<base::NameId>& names) {
        std::vector<std::uint32_t>& to = edges.emplace_back();
        for (base::NameId name : names) {
            const Global* global = scopes_.global(name);
            bool declared = global && global->meaning == Meaning::definition && annotated_.contains(name);
            std::size_t node = global && !declared ? node_of(*global) : SIZE_MAX;
            if (node != SIZE_MAX) to.push_back(static_cast<std::uint32_t>(node));
        }
    };
    auto add_type = [&](AstId type) { add(type ? used_.of(type) : std::vector<base::NameId>()); };
    for (const ChannelDeclaration& c : syntax_.channels) add_type(c.type);
    for (const ConstructorPlace& place : constructor_places_)
        add_type(syntax_.datatypes[place.datatype].constructors[place.index].type);
    for (const TypeDeclaration& type : syntax_.types) add_type(type.type);
    for (const Definition& d : syntax_.global.definitions) add(used_.of(d));
    return edges;
}

void Inference::settle(std::size_t from) {
    solver_.settle(from, [&](const Solver::Equation& equation) {
        report(equation.span, equation.why, equation.a, equation.b);
    });
}

void Inference::infer_global(std::span<const std::uint32_t> group) {
    std::size_t constructors = channels_.size(), nametypes = constructors + constructors_.size();
    std::size_t definitions = nametypes + nametypes_.size(), from = solver_.open_equations();
    auto scheme_of = [&](std::uint32_t node) -> Scheme& {
        return node < constructors  ? channels_[node]
               : node < nametypes   ? constructors_[node - constructors]
               : node < definitions ? nametypes_[node - nametypes]
                                    : definitions_[node - definitions];
    };
    auto annotation = [&](std::uint32_t node) -> const Declared* {
        if (node < definitions) return nullptr;
        auto found = annotated_.find(syntax_.global.definitions[node - definitions].name);
        return found == annotated_.end() ? nullptr : &found->second;
    };
    solver_.enter();
    for (std::uint32_t node : group)
        if (!annotation(node)) scheme_of(node) = Scheme{solver_.fresh()};
    for (std::uint32_t node : group) {
        TypeId found;
        if (node < constructors) {
            found = carrier(syntax_.channels[node].type, event_, "a channel carries the values of {type}");
        } else if (node < nametypes) {
            ConstructorPlace place = constructor_places_[node - constructors];
            found = carrier(syntax_.datatypes[place.datatype].constructors[place.index].type,
                            datatypes_[place.datatype], "a constructor carries the values of {type}");
        } else if (node < definitions) {
            found = element_type(syntax_.types[node - nametypes].type, "a named type is {type}");
        } else {
            const Definition& d = syntax_.global.definitions[node - definitions];
            const Declared* given = annotation(node);
            TypeId type = definition_type(d, given);
            if (!given) expect(scheme_of(node).type, type, d.span, {"it is used as {type}"});
            infer_clauses(d, type, given);
            continue;
        }
        solver_.at({}, {});
        solver_.equate(scheme_of(node).type, found);
    }
    settle(from);
    solver_.leave();
    std::vector<Scheme> schemes;
    for (std::uint32_t node : group)
        if (!annotation(node)) schemes.push_back(scheme_of(node));
    solver_.generalise(schemes, from);
    std::size_t next = 0;
    for (std::uint32_t node : group) {
        if (!annotation(node)) scheme_of(node) = std::move(schemes[next++]);
        if (node < nametypes) carried(node, scheme_of(node).type);
        if (node < nametypes || node >= definitions) continue;
        TypeId named = types_.resolve(scheme_of(node).type);
        if (types_.shape(named) == Shape::field)
            say(codes::wrong_fields, syntax_[syntax_.types[node - nametypes].type].span,
                fmt::format("a named type has complete values, but this is {}", types_.describe(named)));
    }
}

// What a channel or constructor carries must be complete, and is looked at when its datatype is compared.
void Inference::carried(std::uint32_t node, TypeId type) {
    bool channel = node < channels_.size();
    ConstructorPlace place = channel ? ConstructorPlace{} : constructor_places_[node - channels_.size()];
    AstId written = channel ? syntax_.channels[node].type
                            : syntax_.datatypes[place.datatype].constructors[place.index].type;
    for (type = types_.resolve(type); types_.shape(type) == Shape::field;
         type = types_.resolve(types_[type].parts[1])) {
        TypeId field = types_.resolve(types_[type].parts[0]);
        if (!channel) solver_.datatype_fields[types_[datatypes_[place.datatype]].number].push_back(field);
        std::vector<TypeId> parts{field};
        if (types_.shape(field) == Shape::dot) parts = types_[field].parts;
        for (TypeId part : parts)
            if (types_.shape(types_.resolve(part)) == Shape::field)
                say(codes::wrong_fields, syntax_[written].span,
                    fmt::format("a {} carries complete values, but this has {}",
                                channel ? "channel" : "constructor", types_.describe(part)));
    }
}

// What a channel or constructor carries: dots and tuples of sets are products.
TypeId Inference::element_type(AstId type, std::string_view what) {
    stack_.check();
    const AstNode& node = syntax_[type];
    if (node.kind == Ast::dot || node.kind == Ast::tuple) {
        std::vector<TypeId> parts;
        for (AstId kid : node.kids) parts.push_back(element_type(kid, what));
        return node.kind == Ast::dot ? types_.dot_of(std::move(parts))
                                     : types_.make(Shape::tuple, std::move(parts));
    }
    TypeId element = solver_.fresh(needs_set);
    return expect(type, types_.set_of(element), {what}) ? element : unknown_;
}

TypeId Inference::carrier(AstId type, TypeId result, std::string_view what) {
    if (!type) return result;
    TypeId field[] = {element_type(type, what)};
    return types_.fields_to(field, result);
}

void Inference::subtypes() {
    for (std::size_t i = 0; i < syntax_.datatypes.size(); ++i) {
        const DatatypeDeclaration& d = syntax_.datatypes[i];
        if (!d.subtype) continue;
        for (const Constructor& c : d.constructors) {
            if (!c.type) continue;  // all its values
            TypeId field = element_type(c.type, "a constructor carries the values of {type}");
            const Global* global = scopes_.global(c.name);
            if (!global || global->meaning != Meaning::constructor) continue;
            // Its first fields; the others take all their values.
            TypeId constructor = solver_.instance(constructors_[global->index]);
            Solver::Dot dot = solver_.reduce({{constructor, 0}, {field, 0}});
            if (dot.failed)
                say(codes::type_mismatch, c.span,
                    fmt::format("`{}` carries {} in its datatype, but here {}", text(c.name),
                                types_.describe(dot.expected), types_.describe(dot.found)));
            else if (!dot.unknown && !dot.stuck && dot.parts.size() > 1)
                say(codes::wrong_fields, c.span,
                    fmt::format("`{}` has more fields here than in its datatype", text(c.name)));
        }
    }
}

// A function with a variable for each parameter and for its result, or just a variable.
TypeId Inference::definition_type(const Definition& d, const Declared* declared) {
    TypeId type = solver_.fresh();
    const auto& groups = d.clauses.front().parameters;
    for (std::size_t i = groups.size(); i-- > 0;) {
        std::vector<TypeId> parameters;
        for (std::size_t k = 0; k < groups[i].size(); ++k) parameters.push_back(solver_.fresh());
        type = function(std::move(parameters), type);
    }
    if (declared) expect(type, declared->rigid, d.span, {"`{name}` is declared as {type}", text(d.name)});
    return type;
}

void Inference::infer_clauses(const Definition& d, TypeId type, const Declared* declared) {
    if (declared) inside_.push_back(declared);
    for (const Clause& clause : d.clauses)
        if (same_parameters(d, clause)) infer_clause(d, clause, type, declared != nullptr);
    if (declared) inside_.pop_back();
}

bool Inference::same_parameters(const Definition& d, const Clause& clause) {
    auto total = [](const Clause& c) {
        std::size_t count = 0;
        for (const auto& group : c.parameters) count += group.size();
        return count;
    };
    const Clause& first = d.clauses.front();
    bool same = std::ranges::equal(first.parameters, clause.parameters,
                                   [](const auto& a, const auto& b) { return a.size() == b.size(); });
    if (same) return true;
    std::size_t one = total(first), other = total(clause);
    std::string what = one == other ? "groups its parameters in another way"
                                    : fmt::format("has {}", base::counted(other, "parameter"));
    auto* said =
        say(codes::argument_count, clause.span,
            fmt::format("this clause of `{}` {}{}", text(d.name), what,
                        one == other ? " than the first" : fmt::format(", but the first has {}", one)));
    if (said) said->label(first.span, "the first clause");
    return false;
}

void Inference::infer_clause(const Definition& d, const Clause& clause, TypeId type, bool declared) {
    Scope scope(*this);
    std::string name = text(d.name);
    for (const auto& group : clause.parameters) {
        for (std::size_t k = 0; k < group.size(); ++k) {
            std::string_view why = declared ? "`{name}` is declared to take {type} here"
                                            : "the clauses of `{name}` before take {type} here";
            expect(pattern(group[k]), types_[type].parts[k], syntax_[group[k]].span, {why, name});
        }
        type = types_.resolve(types_[type].parts.back());
    }
    std::string_view why = declared ? "`{name}` is declared to give {type}"
                           : d.clauses.size() > 1 && &clause != &d.clauses.front()
                               ? "the clauses of `{name}` before give {type}"
                               : "`{name}` is used as {type}";
    expect(clause.body, type, {why, name});
}

TypeId Inference::let(const AstNode& node) {
    Scope scope(*this);
    const Declarations& declarations = syntax_.lets[static_cast<std::size_t>(node.number)];
    auto annotated = annotations(declarations);
    absl::flat_hash_map<base::NameId, std::uint32_t> indices;
    for (std::size_t i = 0; i < declarations.definitions.size(); ++i)
        indices[declarations.definitions[i].name] = static_cast<std::uint32_t>(i);
    for (const auto& [name, type] : annotated) bind(name, type.scheme);
    std::vector<std::vector<std::uint32_t>> edges;
    for (const Definition& d : declarations.definitions) {
        std::vector<std::uint32_t>& to = edges.emplace_back();
        for (base::NameId name : used_.of(d))
            if (auto found = indices.find(name); found != indices.end() && !annotated.contains(name))
                to.push_back(found->second);
    }
    for (const std::vector<std::uint32_t>& group : groups_of(edges))
        infer_local(declarations, group, annotated);
    return infer(node.kids[0]);
}

void Inference::infer_local(const Declarations& declarations, std::span<const std::uint32_t> group,
                            const absl::flat_hash_map<base::NameId, Declared>& annotated) {
    std::size_t from = solver_.open_equations();
    auto annotation = [&](std::uint32_t i) -> const Declared* {
        auto found = annotated.find(declarations.definitions[i].name);
        return found == annotated.end() ? nullptr : &found->second;
    };
    std::vector<Scheme> schemes;
    std::vector<base::NameId> names;
    solver_.enter();
    for (std::uint32_t i : group) {
        if (annotation(i)) continue;
        names.push_back(declarations.definitions[i].name);
        schemes.push_back({solver_.fresh()});
        bind(names.back(), schemes.back());
    }
    std::size_t next = 0;
    for (std::uint32_t i : group) {
        const Definition& d = declarations.definitions[i];
        const Declared* given = annotation(i);
        TypeId type = definition_type(d, given);
        if (!given) expect(schemes[next++].type, type, d.span, {"it is used as {type}"});
        infer_clauses(d, type, given);
    }
    settle(from);
    solver_.leave();
    solver_.generalise(schemes, from);
    for (std::size_t i = 0; i < names.size(); ++i) locals_[names[i]].back() = std::move(schemes[i]);
}

void Inference::assertion(const Assertion& a) {
    expect_process(a.left);
    if (a.asked == Asked::refinement) expect_process(a.right);
    if (a.asked == Asked::has_trace) expect(a.right, types_.sequence_of(event_), {"a trace is {type}"});
}

}  // namespace treaty::csp::typing
