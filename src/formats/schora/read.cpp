#include "formats/schora/schora.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/suggest.h"
#include "expr/simplify.h"
#include "formats/codes.h"
#include "formats/language_rules.h"
#include "formats/schora/data.h"
#include "formats/schora/parser.h"

namespace treaty::formats {
namespace {

using namespace schora;
using model::NodeKind;

// One component's expression as a protocol.
class ExpressionBuilder {
public:
    ExpressionBuilder(model::Specification& specification, const ComponentText& text, std::size_t component,
                      ScriptData& data)
        : specification_(specification),
          text_(text),
          component_(component),
          data_(data),
          builder_(text.name, text.name_span, roles()) {}

    std::optional<model::Protocol> build() {
        emit(text_.root);
        if (broken_) return std::nullopt;
        return builder_.finish();
    }

private:
    std::vector<model::RoleId> roles() {
        std::vector<model::RoleId> all;
        for (const Term& term : text_.terms)
            if (term.kind == Term::Kind::event)
                for (const std::string* name : {&term.event.from, &term.event.to}) {
                    model::RoleId role = specification_.alphabet->role(*name);
                    if (std::find(all.begin(), all.end(), role) == all.end()) all.push_back(role);
                }
        return all;
    }

    std::optional<expr::ExprId> guard(const Term& term) {
        auto [entry, fresh] = guards_.try_emplace(term.formula);
        if (fresh) entry->second = data_.guard(component_, term.formula);
        if (!entry->second) broken_ = true;
        return entry->second;
    }

    // The sender of every first event, if there is one such.
    model::RoleId first_sender(const Term& term) {
        switch (term.kind) {
            case Term::Kind::event: return specification_.alphabet->role(term.event.from);
            case Term::Kind::sequence:
            case Term::Kind::guarded: return first_sender(text_.terms[term.children[0]]);
            case Term::Kind::choice: {
                model::RoleId all;
                for (std::size_t child : term.children) {
                    model::RoleId one = first_sender(text_.terms[child]);
                    if (!one || (all && all != one)) return {};
                    all = one;
                }
                return all;
            }
            default: return {};
        }
    }

    void emit(std::size_t index) {
        const Term& term = text_.terms[index];
        switch (term.kind) {
            case Term::Kind::skip:
                builder_.open(NodeKind::sequence, term.span);
                builder_.close();
                break;
            case Term::Kind::event: emit_event(term); break;
            case Term::Kind::sequence: emit_all(NodeKind::sequence, term); break;
            case Term::Kind::parallel: emit_all(NodeKind::parallel, term); break;
            case Term::Kind::interruption: emit_all(NodeKind::interrupt, term); break;
            case Term::Kind::choice: emit_choice(term); break;
            case Term::Kind::guarded: {
                auto condition = guard(term);
                if (!condition) return;
                builder_.open_conditional(term.span, *condition);
                emit(term.children[0]);
                emit_stuck(term.span);
                builder_.close();
                break;
            }
            case Term::Kind::loop: {
                auto condition = guard(term);
                if (!condition) return;
                builder_.open_while(term.span, *condition);
                emit(term.children[0]);
                builder_.close();
                break;
            }
            case Term::Kind::reference: broken_ = true; break;
        }
    }

    void emit_all(NodeKind kind, const Term& term) {
        builder_.open(kind, term.span);
        for (std::size_t child : term.children) emit(child);
        builder_.close();
    }

    void emit_event(const Term& term) {
        model::Alphabet& a = *specification_.alphabet;
        builder_.interaction(term.span, a.role(term.event.from), a.role(term.event.to),
                             a.message(term.event.operation), data_.arguments(component_, term.event));
    }

    // Two branches whose guards are opposites are a condition with two sides.
    void emit_choice(const Term& term) {
        if (term.children.size() == 2) {
            const Term& a = text_.terms[term.children[0]];
            const Term& b = text_.terms[term.children[1]];
            if (a.kind == Term::Kind::guarded && b.kind == Term::Kind::guarded) {
                auto left = guard(a), right = guard(b);
                if (!left || !right) return;
                expr::Pool& pool = *specification_.pool;
                expr::ExprId opposite = expr::simplify(pool, pool.logical_not(*left));
                if (opposite == expr::simplify(pool, *right)) {
                    builder_.open_conditional(term.span, *left);
                    emit(a.children[0]);
                    emit(b.children[0]);
                    builder_.close();
                    return;
                }
            }
        }
        builder_.open_choice(term.span, first_sender(term));
        for (std::size_t child : term.children) emit(child);
        builder_.close();
    }

    void emit_stuck(Span span) {
        model::LoopId loop = builder_.loop("stuck");
        builder_.open_recursion(span, loop);
        builder_.jump(span, loop);
        builder_.close();
    }

    model::Specification& specification_;
    const ComponentText& text_;
    std::size_t component_;
    ScriptData& data_;
    model::ProtocolBuilder builder_;
    std::map<std::size_t, std::optional<expr::ExprId>> guards_;
    bool broken_ = false;
};

class ScriptReader {
public:
    ScriptReader(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics)
        : diagnostics_(diagnostics),
          errors_before_(diagnostics.errors()),
          text_(parse_script(sources, file, diagnostics)) {}

    std::optional<SchoraScript> read() {
        check_names();
        ScriptData data(script_.specification, text_.components, diagnostics_);
        data.resolve();
        for (std::size_t c = 0; c < text_.components.size(); ++c) {
            script_.components.emplace_back();
            if (!text_.components[c].broken) build(c, data);
        }
        for (const CommandText& command : text_.commands) add_command(command);
        if (diagnostics_.errors() != errors_before_) return std::nullopt;
        for (const SchoraComponent& c : script_.components)
            if (c.protocol && c.global()) script_.specification.protocols.push_back(*c.protocol);
        model::Specification& s = script_.specification;
        s.messages.resize(s.alphabet->message_count());
        return std::move(script_);
    }

private:
    void check_names() {
        std::map<std::string, Span> seen;
        for (const ComponentText& c : text_.components) {
            auto [entry, fresh] = seen.try_emplace(c.name, c.name_span);
            if (!fresh)
                diagnostics_
                    .report(codes::schora_component_twice, c.name_span,
                            fmt::format("the component {} is declared twice", c.name))
                    .label(entry->second, "first declared here");
        }
    }

    std::optional<std::size_t> find(const std::string& name, Span span, std::size_t before) {
        for (std::size_t i = 0; i < before; ++i)
            if (text_.components[i].name == name) return i;
        auto& d = diagnostics_.report(codes::schora_unknown_component, span,
                                      fmt::format("unknown component {}", name));
        std::vector<std::string_view> known;
        for (const ComponentText& c : text_.components) known.push_back(c.name);
        if (std::string_view near = base::nearest(name, known); !near.empty())
            d.help(fmt::format("did you mean {}?", near));
        return std::nullopt;
    }

    void build(std::size_t c, ScriptData& data) {
        const ComponentText& text = text_.components[c];
        SchoraComponent& out = script_.components[c];
        out.name = text.name;
        out.span = text.name_span;
        if (build_composition(c, out)) return;
        if (!find_view(text, out)) return;
        if (text.kind == ComponentText::Kind::graph) {
            build_graph(c, data, out);
            return;
        }
        out.protocol = ExpressionBuilder(script_.specification, text, c, data).build();
    }

    // A name, or names joined by |.
    bool build_composition(std::size_t c, SchoraComponent& out) {
        const ComponentText& text = text_.components[c];
        bool any = false, only = true;
        for (const Term& term : text.terms) {
            any = any || term.kind == Term::Kind::reference;
            only = only && (term.kind == Term::Kind::reference || term.kind == Term::Kind::parallel);
        }
        if (!any) return false;
        for (const Term& term : text.terms) {
            if (term.kind != Term::Kind::reference) continue;
            if (!only)
                diagnostics_.report(codes::schora_mixed, term.span,
                                    "the name of a component is only allowed in a composition, as in a | b");
            if (auto found = find(term.reference, term.span, c)) out.parts.push_back(*found);
        }
        return true;
    }

    // Whose events they are; false if they are of several.
    bool find_view(const ComponentText& text, SchoraComponent& out) {
        const EventText* first = nullptr;
        bool same = true;
        auto subject = [](const EventText& e) {
            return e.direction == EventText::Direction::global ? std::string()
                   : e.direction == EventText::Direction::send ? e.from
                                                               : e.to;
        };
        auto look = [&](const EventText& e) {
            if (!first) first = &e;
            if (subject(e) == subject(*first) || !same) return;
            same = false;
            diagnostics_
                .report(codes::schora_mixed, e.span,
                        fmt::format("{} mixes events from different points of view", text.name))
                .label(first->span, "the first event, from another point of view");
        };
        for (const Term& term : text.terms)
            if (term.kind == Term::Kind::event) look(term.event);
        for (const TransitionText& t : text.transitions)
            if (!t.skip) look(t.event);
        if (first && !subject(*first).empty())
            out.role = script_.specification.alphabet->role(subject(*first));
        return same;
    }

    void build_graph(std::size_t c, ScriptData& data, SchoraComponent& out) {
        const ComponentText& text = text_.components[c];
        model::Specification& s = script_.specification;
        model::MachineBuilder builder(text.name, s.alphabet, out.role, s.pool);
        std::map<std::string, model::StateId> states;
        std::map<std::string, bool> leaves;
        for (const StateText& state : text.states) {
            auto [entry, fresh] = states.try_emplace(state.name);
            if (!fresh) {
                diagnostics_.report(codes::schora_state, state.span,
                                    fmt::format("the state {} is declared twice", state.name));
                continue;
            }
            entry->second = builder.state(false, state.label.empty() ? state.name : state.label);
            leaves[state.name] = true;
        }
        bool ok = true;
        for (const TransitionText& t : text.transitions)
            ok = add_transition(c, t, data, states, leaves, builder) && ok;
        for (const auto& [name, leaf] : leaves)
            if (leaf) builder.set_final(states.at(name));
        if (ok) out.machine = builder.finish();
    }

    bool add_transition(std::size_t c, const TransitionText& t, ScriptData& data,
                        const std::map<std::string, model::StateId>& states,
                        std::map<std::string, bool>& leaves, model::MachineBuilder& builder) {
        bool known = true;
        for (auto [name, span] : {std::pair(&t.from, t.from_span), std::pair(&t.to, t.to_span)}) {
            if (states.contains(*name)) continue;
            known = false;
            diagnostics_.report(codes::schora_state, span, fmt::format("unknown state {}", *name))
                .help("list it before the transitions");
        }
        model::EdgeData edge;
        if (t.guarded) {
            auto condition = data.guard(c, t.formula);
            if (!condition) return false;
            edge.guard = *condition;
        }
        if (!known) return false;
        leaves[t.from] = false;
        model::Alphabet& a = *script_.specification.alphabet;
        LabelId label = a.silent();
        if (!t.skip) {
            model::RoleId from = a.role(t.event.from), to = a.role(t.event.to);
            model::MessageId message = a.message(t.event.operation);
            label = t.event.direction == EventText::Direction::global ? a.interaction(from, to, message)
                    : t.event.direction == EventText::Direction::send ? a.send(from, to, message)
                                                                      : a.receive(from, to, message);
            edge.data = data.arguments(c, t.event);
        }
        builder.edge(states.at(t.from), label, states.at(t.to), {}, edge);
        return true;
    }

    void add_command(const CommandText& text) {
        using Kind = SchoraCommand::Kind;
        static const std::map<std::string_view, Kind> kinds{{"showTime", Kind::show_time},
                                                            {"showStat", Kind::show_stat},
                                                            {"showSTG", Kind::show_stg},
                                                            {"showReachableSTG", Kind::show_reachable},
                                                            {"showRealizableSTG", Kind::show_realizable},
                                                            {"projection", Kind::projection},
                                                            {"conformance", Kind::conformance}};
        SchoraCommand command{kinds.at(text.name), text.span, {}, text.mode};
        for (const auto& [name, span] : text.arguments) {
            auto found = find(name, span, text_.components.size());
            if (!found) continue;
            command.components.push_back(*found);
            bool needs_global = command.kind == Kind::show_realizable || command.kind == Kind::projection;
            if (needs_global && !script_.components[*found].global())
                diagnostics_.report(
                    codes::schora_needs_global, span,
                    fmt::format("{} needs a component of interactions; {} is not one", text.name, name));
        }
        script_.commands.push_back(std::move(command));
    }

    using LabelId = model::LabelId;
    base::Diagnostics& diagnostics_;
    std::size_t errors_before_;
    ScriptText text_;
    SchoraScript script_;
};

}  // namespace

std::optional<SchoraScript> read_script(const base::SourceMap& sources, base::FileId file,
                                        base::Diagnostics& diagnostics) {
    return ScriptReader(sources, file, diagnostics).read();
}

Loaded read_schora(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    auto script = read_script(sources, file, diagnostics);
    Loaded result;
    if (!script) return result;
    if (!script->specification.protocols.empty()) {
        if (check_language_rules(script->specification, file, diagnostics))
            result.model = std::move(script->specification);
        return result;
    }
    for (SchoraComponent& c : script->components)
        if (c.machine) result.model = std::move(*c.machine);
    if (!result)
        diagnostics.report(codes::schora_needs_global, {file, 0, 0},
                           "the script has no component of interactions and no graph");
    return result;
}

Loaded read_chor(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    std::size_t before = diagnostics.errors();
    std::vector<ComponentText> components{parse_chor(sources, file, diagnostics)};
    components[0].name = "Chor";
    components[0].name_span = {file, 0, 0};
    Loaded result;
    model::Specification specification;
    ScriptData data(specification, components, diagnostics);
    data.resolve();
    for (const Term& term : components[0].terms) {
        bool local = term.kind == Term::Kind::event && term.event.direction != EventText::Direction::global;
        if (local || term.kind == Term::Kind::reference)
            diagnostics.report(codes::schora_mixed, term.span, "Chor allows only interactions");
    }
    if (diagnostics.errors() != before) return result;
    auto protocol = ExpressionBuilder(specification, components[0], 0, data).build();
    if (!protocol) return result;
    specification.protocols.push_back(std::move(*protocol));
    specification.messages.resize(specification.alphabet->message_count());
    if (check_language_rules(specification, file, diagnostics)) result.model = std::move(specification);
    return result;
}

}  // namespace treaty::formats
