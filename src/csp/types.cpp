// Channels and datatypes: what their fields may be, which events there are, which a prefix offers.

#include <algorithm>

#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/evaluator.h"

namespace treaty::csp {

Evaluator::Atom& Evaluator::atom(ValueId value) {
    Atom& found = atoms_[static_cast<std::size_t>(values_.number(value))];
    if (!found.resolved) resolve(found);
    return found;
}

void Evaluator::resolve(Atom& a) {
    if (a.resolving)
        fail(codes::too_large, a.span, fmt::format("{} contains itself", syntax_.names.text(a.name)));
    // Also after a fault: asking again gives the same answer.
    struct Busy {
        bool& busy;
        explicit Busy(bool& b) : busy(b) { busy = true; }
        ~Busy() { busy = false; }
    } busy(a.resolving);
    std::vector<ValueId> fields;
    if (a.type) type_fields(a.type, fields);
    a.fields = a.channel ? apart(fields, a) : std::move(fields);
    a.resolved = true;
}

// channel c : {x.y | ...} has two fields, if the values are all combinations of one x and one y.
std::vector<ValueId> Evaluator::apart(const std::vector<ValueId>& fields, const Atom& a) {
    std::vector<ValueId> found;
    for (ValueId field : fields) {
        std::vector<std::vector<ValueId>> columns;
        auto values = values_.infinite(field) ? std::span<const ValueId>() : values_.parts(field);
        for (ValueId value : values) {
            std::vector<ValueId> parts = whole_values(value);
            if (columns.empty()) columns.resize(parts.size());
            if (columns.size() != parts.size()) not_a_product(a);
            for (std::size_t i = 0; i < parts.size(); ++i) columns[i].push_back(parts[i]);
        }
        if (columns.size() < 2) {
            found.push_back(field);
            continue;
        }
        std::size_t combinations = 1;
        for (std::vector<ValueId>& column : columns) {
            found.push_back(values_.set(std::move(column)));
            combinations *= std::max<std::size_t>(1, values_.parts(found.back()).size());
            if (combinations > values.size()) not_a_product(a);
        }
    }
    return found;
}

// 0.L.1.true is 0, L.1 and true if L has one field.
std::vector<ValueId> Evaluator::whole_values(ValueId value) {
    if (values_.kind(value) != Kind::dot) return {value};
    auto flat = values_.parts(value);
    std::vector<ValueId> found;
    for (std::size_t at = 0; at < flat.size();) {
        std::size_t end = component_end(flat, at);
        found.push_back(values_.dot(flat.subspan(at, end - at)));
        at = end;
    }
    return found;
}

void Evaluator::not_a_product(const Atom& a) {
    fail(codes::unsupported, a.span,
         fmt::format("a channel such as {}, whose fields depend on each other, is not supported",
                     syntax_.names.text(a.name)));
}

void Evaluator::type_fields(AstId type, std::vector<ValueId>& into, std::uint32_t nesting) {
    const AstNode& node = syntax_[type];
    if (nesting > max_nesting) fail(codes::too_large, node.span, "this type contains itself");
    if (node.kind == Ast::dot) {
        for (AstId kid : node.kids) type_fields(kid, into, nesting + 1);
        return;
    }
    const Global* global = node.kind == Ast::name ? scopes_.global(node.name) : nullptr;
    if (global && global->meaning == Meaning::type)
        return type_fields(syntax_.types[global->index].type, into, nesting + 1);
    into.push_back(type_set(type));
}

// A type in its own right: dots and tuples of sets are products.
ValueId Evaluator::type_set(AstId type) {
    const AstNode& node = syntax_[type];
    if (node.kind != Ast::dot && node.kind != Ast::tuple) {
        ValueId set = evaluate(type);
        expect_kind(set, Kind::set, node.span);
        return set;
    }
    std::vector<ValueId> fields, prefix, all;
    if (node.kind == Ast::dot)
        type_fields(type, fields);
    else
        for (AstId kid : node.kids) fields.push_back(type_set(kid));
    product(fields, 0, prefix, node.span, all);
    if (node.kind == Ast::tuple)
        for (ValueId& v : all) v = values_.make(Kind::tuple, 0, values_.parts(v));
    return values_.set(std::move(all));
}

// Every choice of one value per field, as sequences (or after a prefix, as dots when the prefix begins one).
void Evaluator::product(std::span<const ValueId> fields, std::size_t from, std::vector<ValueId>& prefix,
                        base::Span span, std::vector<ValueId>& into) {
    if (from == fields.size()) {
        bool event = !prefix.empty() && values_.kind(prefix[0]) == Kind::atom;
        into.push_back(event ? values_.dot(prefix) : values_.make(Kind::sequence, 0, prefix));
        if (into.size() > max_elements) fail(codes::too_large, span, "more than a million values");
        return;
    }
    if (values_.infinite(fields[from]))
        fail(codes::too_large, span,
             fmt::format("a field of type {} has infinitely many values", print(fields[from])));
    for (ValueId value : values_.parts(fields[from])) {
        count_step();
        prefix.push_back(value);
        product(fields, from + 1, prefix, span, into);
        prefix.pop_back();
    }
}

// What `$x` may select: the values of the next field, or of all that follow together.
ValueId Evaluator::field_values(const AstNode& node, Environment& env) {
    ValueId part = evaluate(node.kids[0], env);
    std::vector<ValueId> parts = components(part);
    if (values_.kind(parts[0]) != Kind::atom || !atom(parts[0]).channel)
        fail(codes::wrong_kind, node.span, fmt::format("{} is not a channel", print(part)));
    return values_.set(following(parts[0], rest(parts, node.span),
                                 node.number == 0 ? Follow::next : Follow::all, node.span));
}

ValueId Evaluator::datatype_set(std::uint32_t index, base::Span span) {
    const DatatypeDeclaration& type = syntax_.datatypes[index];
    std::vector<ValueId> all;
    for (const Constructor& c : type.constructors) {
        ValueId head = values_.make(Kind::atom, atom_ids_.at(c.name));
        std::vector<ValueId> fields = atom(head).fields, prefix{head};
        if (type.subtype && c.type) {
            fields.clear();
            type_fields(c.type, fields);
        }
        product(fields, 0, prefix, span, all);
    }
    return values_.set(std::move(all));
}

std::size_t Evaluator::arity(ValueId head) {
    const Atom& a = atoms_[static_cast<std::size_t>(values_.number(head))];
    if (a.channel) return atom(head).fields.size();
    std::vector<std::uint32_t> inside;
    return a.resolved ? a.fields.size() : a.type ? type_arity(a.type, inside) : 0;
}

// inside: the named types that are being looked at. What is defined by itself is reported by type_fields().
std::size_t Evaluator::type_arity(AstId type, std::vector<std::uint32_t>& inside) const {
    const AstNode& node = syntax_[type];
    if (node.kind == Ast::dot) {
        std::size_t fields = 0;
        for (AstId kid : node.kids) fields += type_arity(kid, inside);
        return fields;
    }
    const Global* global = node.kind == Ast::name ? scopes_.global(node.name) : nullptr;
    if (!global || global->meaning != Meaning::type) return 1;
    if (std::find(inside.begin(), inside.end(), global->index) != inside.end()) return 1;
    inside.push_back(global->index);
    std::size_t fields = type_arity(syntax_.types[global->index].type, inside);
    inside.pop_back();
    return fields;
}

std::size_t Evaluator::component_end(std::span<const ValueId> flat, std::size_t at) {
    ValueId first = flat[at++];
    if (values_.kind(first) != Kind::atom) return at;
    for (std::size_t n = arity(first); n > 0 && at < flat.size(); --n) at = component_end(flat, at);
    return at;
}

std::vector<ValueId> Evaluator::components(ValueId value) {
    if (values_.kind(value) != Kind::dot) return {value};
    auto flat = values_.parts(value);
    std::vector<ValueId> found{flat[0]};
    for (std::size_t at = 1; at < flat.size();) {
        std::size_t end = component_end(flat, at);
        found.push_back(values_.dot(flat.subspan(at, end - at)));
        at = end;
    }
    return found;
}

// How many fields a component still needs: a constructor may have none, or some, of its own.
std::size_t Evaluator::missing(ValueId component) {
    std::size_t open = 1;
    ValueId lone[] = {component};
    auto flat =
        values_.kind(component) == Kind::dot ? values_.parts(component) : std::span<const ValueId>(lone);
    for (ValueId v : flat) {
        std::size_t fields = values_.kind(v) == Kind::atom ? arity(v) : 0;
        if (fields + open == 0) return 0;
        open += fields - 1;
    }
    return open;
}

// A component after the head that is not allowed is a fault.
void Evaluator::check_fields(std::span<const ValueId> parts, std::size_t count, base::Span span) {
    const std::vector<ValueId>& fields = atom(parts[0]).fields;
    for (std::size_t i = 1; i <= count; ++i)
        if (!values_.contains(fields[i - 1], parts[i]))
            fail(codes::bad_event, span,
                 fmt::format("{} does not carry {} in field {}", print(parts[0]), print(parts[i]), i));
}

// Whether what the channel or constructor carries can be listed: a datatype that contains itself cannot.
bool Evaluator::listable(ValueId head) {
    const Atom& a = atoms_[static_cast<std::size_t>(values_.number(head))];
    if (a.channel) return !atom(head).fields.empty();
    std::vector<std::uint32_t> inside;
    return a.resolved || !a.type || listable(a.type, inside);
}

// inside: the types that are being looked at.
bool Evaluator::listable(AstId type, std::vector<std::uint32_t>& inside) {
    const AstNode& node = syntax_[type];
    for (AstId kid : node.kids)
        if (!listable(kid, inside)) return false;
    const Global* global = node.kind == Ast::name ? scopes_.global(node.name) : nullptr;
    bool named = global && global->meaning == Meaning::type;
    if (!global || (!named && global->meaning != Meaning::datatype)) return true;
    std::uint32_t number = 2 * global->index + (named ? 1 : 0);
    if (std::find(inside.begin(), inside.end(), number) != inside.end()) return false;
    inside.push_back(number);
    if (named && !listable(syntax_.types[global->index].type, inside)) return false;
    if (!named)
        for (const Constructor& c : syntax_.datatypes[global->index].constructors)
            if (c.type && !listable(c.type, inside)) return false;
    inside.pop_back();
    return true;
}

// A dot in the text: the values of its channels and constructors must be of their types, so that
// X.2 is a fault wherever it is used and not only in an event. Fields may be missing.
ValueId Evaluator::check_dot(ValueId value, base::Span span) {
    if (values_.kind(value) != Kind::dot || checked_dots_.contains(value)) return value;
    auto flat = values_.parts(value);
    for (ValueId part : flat)
        if (values_.kind(part) == Kind::atom && !listable(part)) return value;
    bool event = values_.kind(flat[0]) == Kind::atom && atom(flat[0]).channel;
    std::size_t at = 0;
    do at = check_component(flat, at, span);
    while (at < flat.size() && !event);
    if (at < flat.size())
        fail(codes::bad_event, span,
             fmt::format("{} has more than the {} field{} that {} carries", print(value),
                         atom(flat[0]).fields.size(), atom(flat[0]).fields.size() == 1 ? "" : "s",
                         print(flat[0])));
    checked_dots_.insert(value);
    return value;
}

// Returns the position after it.
std::size_t Evaluator::check_component(std::span<const ValueId> flat, std::size_t at, base::Span span) {
    ValueId head = flat[at++];
    if (values_.kind(head) != Kind::atom) return at;
    const std::vector<ValueId> fields = atom(head).fields;
    for (std::size_t i = 0; i < fields.size() && at < flat.size(); ++i) {
        std::size_t end = component_end(flat, at);
        ValueId field = values_.dot(flat.subspan(at, end - at));
        if (missing(field) > 0)
            check_component(flat, at, span);
        else if (!values_.contains(fields[i], field))
            fail(codes::bad_event, span,
                 fmt::format("{} does not carry {} in field {}", print(head), print(field), i + 1));
        at = end;
    }
    return at;
}

// What is missing after a channel or constructor and some components, the last perhaps a constructor without
// all its fields: set by set, the first of them with what completes that constructor.
std::vector<ValueId> Evaluator::rest(std::span<const ValueId> parts, base::Span span) {
    std::vector<ValueId> fields = atom(parts[0]).fields;
    std::size_t given = parts.size() - 1;
    if (given > fields.size())
        fail(codes::bad_event, span,
             fmt::format("{} carries only {} fields", print(parts[0]), fields.size()));
    bool begun = given > 0 && missing(parts[given]) > 0;
    check_fields(parts, begun ? given - 1 : given, span);
    if (!begun) return {fields.begin() + static_cast<std::ptrdiff_t>(given), fields.end()};
    ValueId lone[] = {parts[given]};
    auto begin = values_.kind(lone[0]) == Kind::dot ? values_.parts(lone[0]) : std::span<const ValueId>(lone);
    std::vector<ValueId> ends;
    for (ValueId value : values_.parts(fields[given - 1])) {
        count_step();
        if (values_.kind(value) != Kind::dot) continue;
        auto flat = values_.parts(value);
        if (flat.size() > begin.size() && std::equal(begin.begin(), begin.end(), flat.begin()))
            ends.push_back(values_.dot(flat.subspan(begin.size())));
    }
    if (ends.empty()) check_fields(parts, given, span);
    std::vector<ValueId> left{values_.set(std::move(ends))};
    left.insert(left.end(), fields.begin() + static_cast<std::ptrdiff_t>(given), fields.end());
    return left;
}

std::vector<ValueId> Evaluator::following(ValueId head, std::span<const ValueId> left, Follow how,
                                          base::Span span) {
    std::vector<ValueId> found;
    if (left.empty())
        fail(codes::bad_event, span,
             fmt::format("{} carries only {} fields", print(head), atom(head).fields.size()));
    if (how == Follow::all && left.size() > 1) {
        std::vector<ValueId> whole{head};
        product(left, 0, whole, span, found);
        for (ValueId& e : found) e = values_.dot(values_.parts(e).subspan(1));
        return found;
    }
    if (values_.infinite(left[0]))
        fail(codes::too_large, span,
             fmt::format("a field of type {} has infinitely many values", print(left[0])));
    for (ValueId value : values_.parts(left[0])) {
        auto flat = values_.parts(value);
        bool several = how == Follow::next && values_.kind(value) == Kind::dot;
        found.push_back(several ? values_.dot(flat.first(component_end(flat, 0))) : value);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// The event itself, if its channel carries it.
ValueId Evaluator::check_event(ValueId event, base::Span span) {
    std::vector<ValueId> parts = components(event);
    if (values_.kind(parts[0]) != Kind::atom || !atom(parts[0]).channel)
        fail(codes::wrong_kind, span, fmt::format("{} is not an event", print(event)));
    const Atom& channel = atom(parts[0]);
    if (parts.size() - 1 != channel.fields.size())
        fail(codes::bad_event, span,
             fmt::format("{} has {} fields, but {} carries {}", print(event), parts.size() - 1,
                         print(parts[0]), channel.fields.size()));
    if (parts.size() > 1 && missing(parts.back()) > 0)
        fail(codes::bad_event, span,
             fmt::format("{} is not a complete event: {} needs {} more field{}", print(event),
                         print(parts.back()), missing(parts.back()), missing(parts.back()) == 1 ? "" : "s"));
    check_fields(parts, channel.fields.size(), span);
    return event;
}

std::vector<ValueId> Evaluator::extensions(ValueId event, base::Span span) {
    std::vector<ValueId> parts = components(event);
    if (values_.kind(parts[0]) != Kind::atom)
        fail(codes::wrong_kind, span, fmt::format("{} is not a channel or an event", print(event)));
    std::vector<ValueId> left = rest(parts, span);
    if (left.empty()) return {event};
    std::vector<ValueId> found = following(parts[0], left, Follow::all, span);
    for (ValueId& end : found) {
        ValueId whole[] = {event, end};
        end = values_.dot(whole);
    }
    return found;
}

std::optional<std::uint64_t> Evaluator::event_count(std::size_t channel) {
    std::uint64_t count = 1;
    for (ValueId field : atom(values_.make(Kind::atom, static_cast<std::int64_t>(channel))).fields) {
        if (values_.infinite(field)) return std::nullopt;
        if (__builtin_mul_overflow(count, values_.parts(field).size(), &count)) return UINT64_MAX;
    }
    return count;
}

std::vector<ValueId> Evaluator::events_of(std::size_t channel) {
    return extensions(values_.make(Kind::atom, static_cast<std::int64_t>(channel)),
                      syntax_.channels[channel].span);
}

ValueId Evaluator::all_events(base::Span span) {
    if (all_events_) return all_events_;
    std::vector<ValueId> all;
    for (const ChannelDeclaration& c : syntax_.channels) {
        std::vector<ValueId> some = extensions(values_.make(Kind::atom, atom_ids_.at(c.name)), span);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all_events_ = values_.set(std::move(all));
}

// One way through the fields of a communication, as far as it has come.
struct Evaluator::Offer {
    struct Field {
        AstId pattern;  // none: an output
        AstId value;    // of an output; of an input its set, if any
        base::Span span;
    };
    base::Span span;
    AstId body;
    Environment env;
    std::vector<ValueId> parts;  // the channel, then its fields so far
    const std::function<void(ValueId, ValueId)>& take;
    std::vector<Field> fields = {};
};

// ?(x.y) takes two fields, as ?x.y does; with a constructor, or from a set, a dot is one.
void Evaluator::add_fields(AstId field, Offer& offer) {
    const AstNode& f = syntax_[field];
    if (f.kind != Ast::input) return offer.fields.push_back({{}, f.kids[0], f.span});
    AstId set = f.kids.size() > 1 ? f.kids[1] : AstId();
    const AstNode& pattern = syntax_[f.kids[0]];
    std::vector<AstId> patterns;
    if (pattern.kind == Ast::dot && !set && !names_constant(pattern.kids[0]))
        dotted_parts(pattern, patterns);
    else
        patterns.push_back(f.kids[0]);
    for (AstId p : patterns) offer.fields.push_back({p, set, f.span});
}

void Evaluator::offered(ValueId prefix, const std::function<void(ValueId, ValueId)>& take) {
    AstId id = node(prefix);
    const AstNode& whole = syntax_[id];
    const AstNode& event = syntax_[whole.kids[0]];
    Environment env = restored(id, values_.parts(prefix));
    if (event.kind != Ast::communicate) {
        ValueId what = check_event(evaluate(whole.kids[0], env), event.span);
        return take(what, head(later(whole.kids[1], env)));
    }
    ValueId channel = evaluate(event.kids[0], env);
    Offer offer{event.span, whole.kids[1], std::move(env), components(channel), take};
    for (std::size_t i = 1; i < event.kids.size(); ++i) add_fields(event.kids[i], offer);
    if (values_.kind(offer.parts[0]) != Kind::atom || !atom(offer.parts[0]).channel)
        fail(codes::wrong_kind, event.span, fmt::format("{} is not a channel", print(channel)));
    offer_fields(offer, 0);
}

// The components so far and what follows them: a dot such as 1.2 is two fields, a constructor takes its
// own first.
std::vector<ValueId> Evaluator::joined(std::span<const ValueId> parts, ValueId more) {
    std::vector<ValueId> all(parts.begin(), parts.end());
    all.push_back(more);
    return components(values_.dot(all));
}

void Evaluator::offer_fields(Offer& offer, std::size_t field) {
    if (field == offer.fields.size()) {
        ValueId event = check_event(values_.dot(offer.parts), offer.span);
        return offer.take(event, head(later(offer.body, offer.env)));
    }
    if (offer.fields[field].pattern) return offer_input(offer, field);
    offer_with(offer, field, evaluate(offer.fields[field].value, offer.env));
}

void Evaluator::offer_with(Offer& offer, std::size_t field, ValueId value) {
    std::vector<ValueId> before = offer.parts;
    offer.parts = joined(before, value);
    offer_fields(offer, field + 1);
    offer.parts = std::move(before);
}

// ?x.y takes two fields, but ?Mix.y one: of a constructor the pattern names only the head, and what follows
// are its own fields.
void Evaluator::offer_input(Offer& offer, std::size_t field) {
    const Offer::Field& f = offer.fields[field];
    bool last = field + 1 == offer.fields.size();
    std::vector<ValueId> candidates;
    if (f.value) {
        ValueId set = evaluate(f.value, offer.env);
        expect_kind(set, Kind::set, f.span);
        if (values_.infinite(set)) any_input(set, f.span);
        candidates.assign(values_.parts(set).begin(), values_.parts(set).end());
    } else {
        std::vector<ValueId> left = rest(offer.parts, f.span);
        if (left.size() == 1 && values_.infinite(left[0])) any_input(left[0], f.span);
        candidates = following(offer.parts[0], left, last ? Follow::all : Follow::next, f.span);
        if (names_constant(f.pattern)) {
            ValueId constructor = values_.make(Kind::atom, atom_ids_.at(syntax_[f.pattern].name));
            auto begins = [&](ValueId v) {
                return v == constructor ||
                       (values_.kind(v) == Kind::dot && values_.parts(v)[0] == constructor);
            };
            if (std::any_of(candidates.begin(), candidates.end(), begins))
                offer_with(offer, field, constructor);
            return;
        }
    }
    for (ValueId value : candidates) {
        count_step();
        std::size_t names = offer.env.size();
        if (match(f.pattern, value, offer.env)) offer_with(offer, field, value);
        offer.env.resize(names);
    }
}

void Evaluator::any_input(ValueId set, base::Span span) {
    if (values_.kind(set) == Kind::integers)
        fail(codes::too_large, span, "an input of any integer: give it a finite set, as in ?x:{0..9}");
    fail(codes::too_large, span,
         fmt::format("an input of any value of {}: give it a finite set, as in ?x:{{<>}}", print(set)));
}

}  // namespace treaty::csp
