// For tests: what a protocol with data over few values does, found by trying every value.
//
// Written from docs/semantics.md alone and without any of the engines: steps that remain to be done, and the
// values of the variables. A variable that is not in the list has no value. Only expr/evaluate.h is shared.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expr/evaluate.h"
#include "model/specification.h"

namespace treaty::testing {

using Values = std::map<expr::VarId, expr::Value>;
using Payload = std::vector<expr::Value>;

struct PayloadLess {
    bool operator()(const Payload& a, const Payload& b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
};

struct ValuesLess {
    bool operator()(const Values& a, const Values& b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](auto& x, auto& y) {
            return x.first != y.first ? x.first < y.first : x.second < y.second;
        });
    }
};

class Reference {
public:
    // Steps that remain to be done; equal ones are one object.
    struct Term {
        enum class Kind : std::uint8_t { step, sequence, parallel } kind = Kind::step;
        model::NodeId node;
        std::vector<const Term*> parts;
    };
    struct Place {
        const Term* term = nullptr;  // null: nothing remains
        Values values;
        friend bool operator==(const Place&, const Place&) = default;
        friend bool operator<(const Place& a, const Place& b) {
            return a.term != b.term ? std::less<>()(a.term, b.term) : ValuesLess()(a.values, b.values);
        }
    };
    // One way to do an interaction next, with each of the data that it may carry.
    struct Move {
        model::NodeId node;
        std::map<Payload, Place, PayloadLess> after;
    };
    struct Next {
        std::vector<Move> moves;
        std::vector<Values> ends;  // ways to be done
    };

    Reference(const model::Specification& specification, const model::Protocol& protocol,
              std::map<expr::TypeId, std::vector<expr::Value>> domains)
        : specification_(specification), protocol_(protocol), domains_(std::move(domains)) {}

    Place start() { return {step(protocol_.root()), {}}; }

    Next next(const Place& place) { return next(place.term, place.values); }

    // All places that runs lead to; nothing if there are more than this.
    std::set<Place> reached(std::size_t limit) {
        std::set<Place> seen;
        std::vector<Place> pending{start()};
        while (!pending.empty() && seen.size() <= limit) {
            Place place = std::move(pending.back());
            pending.pop_back();
            if (!seen.insert(place).second) continue;
            for (Move& move : next(place).moves)
                for (auto& [payload, after] : move.after) pending.push_back(std::move(after));
        }
        if (seen.size() > limit) seen.clear();
        return seen;
    }

    // All data that the message may carry by its own declaration.
    std::vector<Payload> payloads(model::MessageId message) const {
        std::vector<Payload> all{{}};
        if (message.index >= specification_.messages.size()) return all;
        for (const expr::Field& field : specification_.messages[message.index].fields) {
            std::vector<Payload> longer;
            for (const Payload& p : all)
                for (const expr::Value& value : domains_.at(field.type)) {
                    longer.push_back(p);
                    longer.back().push_back(value);
                }
            all = std::move(longer);
        }
        std::erase_if(all, [&](const Payload& p) { return !declared(message, p); });
        return all;
    }

private:
    using NodeKind = model::NodeKind;

    const Term* step(model::NodeId node) { return made({Term::Kind::step, node, {}}); }
    const Term* both(const Term* first, const Term* then) {
        if (!first || !then) return first ? first : then;
        return made({Term::Kind::sequence, {}, {first, then}});
    }
    const Term* beside(std::vector<const Term*> parts) {
        return made({Term::Kind::parallel, {}, std::move(parts)});
    }
    const Term* made(Term term) {
        auto key = std::make_tuple(term.kind, term.node, term.parts);
        auto [entry, fresh] = terms_.try_emplace(key);
        if (fresh) entry->second = std::make_unique<Term>(std::move(term));
        return entry->second.get();
    }

    Next next(const Term* term, const Values& values) {
        if (!term) return {{}, {values}};
        if (term->kind == Term::Kind::sequence) return next_in_sequence(*term, values);
        if (term->kind == Term::Kind::parallel) return next_in_parallel(*term, values);
        return next_of_step(term->node, values);
    }

    Next next_in_sequence(const Term& term, const Values& values) {
        Next first = next(term.parts[0], values), all;
        for (Move& move : first.moves)
            for (auto& [payload, after] : move.after) after.term = both(after.term, term.parts[1]);
        all.moves = std::move(first.moves);
        for (const Values& end : first.ends) add(all, next(term.parts[1], end));
        return all;
    }

    Next next_in_parallel(const Term& term, const Values& values) {
        Next all{{}, {values}};
        for (std::size_t i = 0; i < term.parts.size(); ++i) {
            for (Move& move : next(term.parts[i], values).moves) {
                for (auto& [payload, after] : move.after) {
                    auto parts = term.parts;
                    parts[i] = after.term;
                    after.term = beside(std::move(parts));
                }
                all.moves.push_back(std::move(move));
            }
            std::vector<Values> ends;
            for (const Values& end : all.ends)
                for (Values& more : next(term.parts[i], end).ends) ends.push_back(std::move(more));
            all.ends = std::move(ends);
        }
        return all;
    }

    Next next_of_step(model::NodeId id, const Values& values) {
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        Next all;
        switch (node.kind) {
            case NodeKind::sequence: {
                const Term* term = nullptr;
                for (std::size_t i = children.size(); i-- > 0;) term = both(step(children[i]), term);
                return next(term, values);
            }
            case NodeKind::choice:
                for (model::NodeId child : children) add(all, next(step(child), values));
                return all;
            case NodeKind::parallel: {
                std::vector<const Term*> parts;
                for (model::NodeId child : children) parts.push_back(step(child));
                return next(beside(std::move(parts)), values);
            }
            case NodeKind::repeat:
                all.ends.push_back(values);
                add(all, next(both(step(children[0]), step(id)), values));
                return all;
            case NodeKind::recursion: return next(step(children[0]), values);
            case NodeKind::jump: return next(step(protocol_.loop_node(node.loop)), values);
            case NodeKind::while_loop:
                if (!holds(node.guard, values)) return {{}, {values}};
                return next(both(step(children[0]), step(id)), values);
            case NodeKind::conditional:
                return next(step(children[holds(node.guard, values) ? 0 : 1]), values);
            case NodeKind::assign: {
                Values after = values;
                auto result = value(node.guard, values);
                if (result)
                    after[node.variable] = *result;
                else
                    after.erase(node.variable);
                return {{}, {after}};
            }
            case NodeKind::interaction: return {{interaction(id, values)}, {}};
            default: return all;
        }
    }

    Move interaction(model::NodeId id, const Values& values) {
        const model::Node& node = protocol_[id];
        Move move{id, {}};
        for (const Payload& payload : payloads(node.message)) {
            Values after = values;
            if (carries(id, payload, values, after)) move.after[payload] = {nullptr, std::move(after)};
        }
        return move;
    }

    bool carries(model::NodeId id, const Payload& payload, const Values& values, Values& after) {
        const model::Node& node = protocol_[id];
        auto arguments = protocol_.arguments(id);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (arguments[i].bind) after[arguments[i].bind] = payload[i];
            if (!arguments[i].value) continue;
            auto wanted = value(arguments[i].value, values);
            if (!wanted || !(*wanted == payload[i])) return false;
        }
        return !node.guard || holds(node.guard, after);
    }

    bool declared(model::MessageId id, const Payload& payload) const {
        const model::Message& message = specification_.messages[id.index];
        Values own;
        for (std::size_t i = 0; i < payload.size(); ++i) own[message.variables[i]] = payload[i];
        return !message.where || holds(message.where, own);
    }

    std::optional<expr::Value> value(expr::ExprId e, const Values& values) const {
        expr::Environment environment;
        for (const auto& [variable, v] : values) environment.set(variable, v);
        auto result = expr::evaluate(*specification_.pool, e, environment);
        if (auto* found = std::get_if<expr::Value>(&result)) return *found;
        return std::nullopt;
    }
    bool holds(expr::ExprId e, const Values& values) const {
        auto result = value(e, values);
        return result && result->boolean();
    }

    static void add(Next& all, Next more) {
        for (Move& move : more.moves) all.moves.push_back(std::move(move));
        for (Values& end : more.ends) all.ends.push_back(std::move(end));
    }

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    std::map<expr::TypeId, std::vector<expr::Value>> domains_;
    std::map<std::tuple<Term::Kind, model::NodeId, std::vector<const Term*>>, std::unique_ptr<Term>> terms_;
};

}  // namespace treaty::testing
