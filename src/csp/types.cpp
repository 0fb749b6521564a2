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
    // Also after a fault: whoever asks again is told the same.
    struct Busy {
        bool& busy;
        explicit Busy(bool& b) : busy(b) { busy = true; }
        ~Busy() { busy = false; }
    } busy(a.resolving);
    std::vector<ValueId> fields;
    if (a.type) type_fields(a.type, fields);
    a.fields = std::move(fields);
    a.resolved = true;
}

void Evaluator::type_fields(AstId type, std::vector<ValueId>& into) {
    const AstNode& node = syntax_[type];
    if (node.kind == Ast::dot) {
        for (AstId kid : node.kids) type_fields(kid, into);
        return;
    }
    const Global* global = node.kind == Ast::name ? scopes_.global(node.name) : nullptr;
    if (global && global->meaning == Meaning::type)
        return type_fields(syntax_.types[global->index].type, into);
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

// Every choice of one value a field, as sequences (or behind a prefix, as dots when the prefix begins one).
void Evaluator::product(std::span<const ValueId> fields, std::size_t from, std::vector<ValueId>& prefix,
                        base::Span span, std::vector<ValueId>& into) {
    if (from == fields.size()) {
        bool event = !prefix.empty() && values_.kind(prefix[0]) == Kind::atom;
        into.push_back(event ? values_.dot(prefix) : values_.make(Kind::sequence, 0, prefix));
        if (into.size() > max_elements) fail(codes::too_large, span, "more than a million values");
        return;
    }
    if (values_.kind(fields[from]) == Kind::integers)
        fail(codes::too_large, span, "a field of type Int has infinitely many values");
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
    std::vector<ValueId> fields = atom(parts[0]).fields;
    std::size_t next = parts.size() - 1;
    if (next >= fields.size())
        fail(codes::bad_event, node.span,
             fmt::format("{} carries only {} fields", print(parts[0]), fields.size()));
    if (node.number == 0 || fields.size() - next == 1) return fields[next];
    std::vector<ValueId> whole{parts[0]}, events;
    product(std::span(fields).subspan(next), 0, whole, node.span, events);
    for (ValueId& e : events) e = values_.dot(values_.parts(e).subspan(1));
    return values_.set(std::move(events));
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

std::size_t Evaluator::component_end(std::span<const ValueId> flat, std::size_t at) {
    ValueId first = flat[at++];
    if (values_.kind(first) != Kind::atom) return at;
    for (std::size_t n = atom(first).fields.size(); n > 0 && at < flat.size(); --n)
        at = component_end(flat, at);
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

// The event itself, if its channel carries it.
ValueId Evaluator::check_event(ValueId event, base::Span span) {
    std::vector<ValueId> parts = components(event);
    if (values_.kind(parts[0]) != Kind::atom || !atom(parts[0]).channel)
        fail(codes::wrong_kind, span, fmt::format("{} is not an event", print(event)));
    const Atom& channel = atom(parts[0]);
    std::string_view name = syntax_.names.text(channel.name);
    if (parts.size() - 1 != channel.fields.size())
        fail(codes::bad_event, span,
             fmt::format("{} has {} fields, but {} carries {}", print(event), parts.size() - 1, name,
                         channel.fields.size()));
    for (std::size_t i = 0; i < channel.fields.size(); ++i)
        if (!values_.contains(channel.fields[i], parts[i + 1]))
            fail(codes::bad_event, span,
                 fmt::format("{} does not carry {} in field {}", name, print(parts[i + 1]), i + 1));
    return event;
}

std::vector<ValueId> Evaluator::extensions(ValueId event, base::Span span) {
    std::vector<ValueId> parts = components(event);
    if (values_.kind(parts[0]) != Kind::atom || !atom(parts[0]).channel)
        fail(codes::wrong_kind, span, fmt::format("{} is not a channel or an event", print(event)));
    std::vector<ValueId> fields = atom(parts[0]).fields;
    if (parts.size() - 1 > fields.size()) check_event(event, span);
    for (std::size_t i = 1; i < parts.size(); ++i)
        if (!values_.contains(fields[i - 1], parts[i]))
            fail(codes::bad_event, span,
                 fmt::format("{} does not carry {} in field {}", syntax_.names.text(atom(parts[0]).name),
                             print(parts[i]), i));
    std::vector<ValueId> found;
    product(fields, parts.size() - 1, parts, span, found);
    return found;
}

std::optional<std::uint64_t> Evaluator::event_count(std::size_t channel) {
    std::uint64_t count = 1;
    for (ValueId field : atom(values_.make(Kind::atom, static_cast<std::int64_t>(channel))).fields) {
        if (values_.kind(field) == Kind::integers) return std::nullopt;
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
    const AstNode& node;
    AstId body;
    Environment env;
    std::vector<ValueId> parts;  // the channel, then its fields so far
    const std::function<void(ValueId, ValueId)>& take;
};

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
    Offer offer{event, whole.kids[1], std::move(env), components(channel), take};
    if (values_.kind(offer.parts[0]) != Kind::atom || !atom(offer.parts[0]).channel)
        fail(codes::wrong_kind, event.span, fmt::format("{} is not a channel", print(channel)));
    offer_fields(offer, 1);
}

void Evaluator::offer_fields(Offer& offer, std::size_t field) {
    if (field == offer.node.kids.size()) {
        ValueId event = check_event(values_.dot(offer.parts), offer.node.span);
        return offer.take(event, head(later(offer.body, offer.env)));
    }
    const AstNode& f = syntax_[offer.node.kids[field]];
    if (f.kind == Ast::input) return offer_input(offer, field);
    std::size_t before = offer.parts.size();
    ValueId value = evaluate(f.kids[0], offer.env);
    // A dot such as 1.2 is two fields; a constructor keeps its own.
    std::vector<ValueId> flat{offer.parts[0], value};
    std::vector<ValueId> found = components(values_.dot(flat));
    offer.parts.insert(offer.parts.end(), found.begin() + 1, found.end());
    offer_fields(offer, field + 1);
    offer.parts.resize(before);
}

void Evaluator::offer_input(Offer& offer, std::size_t field) {
    const AstNode& f = syntax_[offer.node.kids[field]];
    std::vector<ValueId> fields = atom(offer.parts[0]).fields;
    std::size_t next = offer.parts.size() - 1;
    if (next >= fields.size())
        fail(codes::bad_event, f.span,
             fmt::format("{} carries only {} fields", print(offer.parts[0]), fields.size()));
    bool last = field + 1 == offer.node.kids.size();
    std::vector<ValueId> candidates;
    if (f.kids.size() > 1) {
        ValueId set = evaluate(f.kids[1], offer.env);
        expect_kind(set, Kind::set, f.span);
        if (values_.kind(set) == Kind::integers)
            fail(codes::too_large, f.span, "an input of any integer: give it a finite set, as in ?x:{0..9}");
        candidates.assign(values_.parts(set).begin(), values_.parts(set).end());
    } else if (last && fields.size() - next > 1) {
        std::vector<ValueId> whole{offer.parts[0]}, events;
        product(std::span(fields).subspan(next), 0, whole, f.span, events);
        for (ValueId e : events) candidates.push_back(values_.dot(values_.parts(e).subspan(1)));
    } else {
        if (values_.kind(fields[next]) == Kind::integers)
            fail(codes::too_large, f.span, "an input of any integer: give it a finite set, as in ?x:{0..9}");
        candidates.assign(values_.parts(fields[next]).begin(), values_.parts(fields[next]).end());
    }
    for (ValueId value : candidates) {
        count_step();
        std::size_t names = offer.env.size(), before = offer.parts.size(), fitted = 0;
        if (fits_input(offer, field, value, fitted)) {
            std::vector<ValueId> flat{offer.parts[0], value};
            std::vector<ValueId> found = components(values_.dot(flat));
            offer.parts.insert(offer.parts.end(), found.begin() + 1, found.end());
            offer_fields(offer, field + fitted);
            offer.parts.resize(before);
        }
        offer.env.resize(names);
    }
}

// ?x.y takes two fields, but ?Mix.y one: a constructor's parts belong to it.
bool Evaluator::fits_input(Offer& offer, std::size_t field, ValueId value, std::size_t& fitted) {
    const auto& kids = offer.node.kids;
    const AstNode& pattern = syntax_[syntax_[kids[field]].kids[0]];
    fitted = 1;
    if (pattern.kind != Ast::name || !scopes_.constant(pattern.name))
        return match(syntax_[kids[field]].kids[0], value, offer.env);
    ValueId constructor = values_.make(Kind::atom, atom_ids_.at(pattern.name));
    std::vector<ValueId> parts = components(value);
    std::size_t arity = atom(constructor).fields.size();
    if (parts[0] != constructor || parts.size() != arity + 1) return false;
    for (; fitted <= arity; ++fitted) {
        bool there = field + fitted < kids.size() && syntax_[kids[field + fitted]].kind == Ast::input;
        if (!there)
            fail(codes::bad_event, pattern.span, fmt::format("{} has {} fields", print(constructor), arity));
        if (!match(syntax_[kids[field + fitted]].kids[0], parts[fitted], offer.env)) return false;
    }
    return true;
}

}  // namespace treaty::csp
