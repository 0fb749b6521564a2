// One pass over a queue of instances. A call asks for the instance of its callee, which gets its name at once
// and its body when its turn comes, so that protocols that call each other in a circle cause no problem here:
// the resolver of the Treaty language turns calls in tail position into loops and refuses the others.
#include "formats/scribble/expand.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/scribble/messages.h"

namespace treaty::formats::scribble {
namespace {

using lang::Step;
using lang::StepKind;

constexpr std::size_t max_steps = 500'000;

struct Declaration {
    std::uint32_t module = 0;
    std::uint32_t protocol = 0;
    friend auto operator<=>(const Declaration&, const Declaration&) = default;
};

struct Argument {
    NameId type;               // of a type parameter
    PlainSignature signature;  // of a signature parameter
};

struct Instance {
    Declaration declaration;
    std::vector<Argument> arguments;  // one per parameter
    NameId name;
};

struct HiddenRole {
    Declaration maker;
    Name role;
};

struct OpenLoop {
    NameId written;
    NameId name;
    std::span<const LoopVariable> variables;
};

// Where a statement is: loops that have begun just here, so that going back to them is a round without a
// message, and whether nothing follows it in the protocol.
struct Place {
    std::vector<NameId> heads;
    bool tail = true;
};

class Expander {
public:
    Expander(std::span<const Module> modules, base::Names& names, lang::Syntax& out,
             base::Diagnostics& diagnostics)
        : modules_(modules),
          names_(names),
          out_(out),
          diagnostics_(diagnostics),
          messages_(names, out, diagnostics) {
        for (std::uint32_t m = 0; m < modules.size(); ++m)
            for (std::uint32_t i = 0; i < modules[m].protocols.size(); ++i) {
                const ProtocolDeclaration& p = modules[m].protocols[i];
                declared_.try_emplace(std::tuple(m, p.parent, p.name.id), i);
                makes_roles_ = makes_roles_ || !p.new_roles.empty();
            }
    }

    std::vector<NameId> run() {
        for (const Module& m : modules_)
            for (NameId t : m.types) messages_.declare_type(t, {m.file, 0, 1});
        for (const lang::SyntaxExpr& e : out_.exprs)
            if (e.kind == lang::SyntaxExprKind::name) used_.insert(e.name);
        start();
        messages_.check_choices();
        return std::move(hidden_);
    }

private:
    const ProtocolDeclaration& at(Declaration d) const { return modules_[d.module].protocols[d.protocol]; }

    void start() {
        const auto& own = modules_[0].protocols;
        bool all = std::all_of(own.begin(), own.end(), [](const auto& p) { return p.aux; });
        for (const ProtocolDeclaration& p : own)
            if (all || !p.aux) taken_.insert(p.name.id);
        // Protocols with parameters are what they are called with; without a call, what they are by
        // themselves.
        absl::flat_hash_set<std::uint32_t> called;
        for (std::uint32_t i = 0; i < own.size(); ++i)
            for (Declaration d : callees({0, i}))
                if (d.module == 0 && d.protocol != i) called.insert(d.protocol);
        for (std::uint32_t i = 0; i < own.size(); ++i)
            if (own[i].parameters.empty() || !called.contains(i)) as_declared(i, all || !own[i].aux);
        work();
        for (std::uint32_t i = 0; i < own.size(); ++i)
            if (!instantiated_.contains(i)) as_declared(i, all || !own[i].aux);
        work();
    }

    void work() {
        for (; !queue_.empty(); queue_.pop_front()) emit(queue_.front());
    }

    void as_declared(std::uint32_t protocol, bool shown) {
        Instance instance{{0, protocol}, {}, {}};
        for (const Parameter& p : at(instance.declaration).parameters)
            instance.arguments.push_back({p.name.id, {{p.name.id, p.name.span}, {}}});
        request(std::move(instance), shown);
    }

    std::vector<Declaration> callees(Declaration from) const {
        std::vector<Declaration> found;
        std::vector<const Block*> open = {&at(from).body};
        while (!open.empty()) {
            const Block* b = open.back();
            open.pop_back();
            for (const Statement& s : b->statements) {
                for (const Block& inner : s.blocks) open.push_back(&inner);
                if (s.kind != StatementKind::call) continue;
                if (auto callee = find(from, s.callee)) found.push_back(*callee);
            }
        }
        return found;
    }

    // --- instances

    std::string key_of(const Instance& i) const {
        std::string key = fmt::format("{}.{}", i.declaration.module, i.declaration.protocol);
        for (std::size_t k = 0; k < i.arguments.size(); ++k) {
            const Argument& a = i.arguments[k];
            if (!at(i.declaration).parameters[k].is_signature)
                key += fmt::format("|{}", a.type.index);
            else {
                key += fmt::format("|{}(", a.signature.label.id.index);
                for (const PlainPayload& p : a.signature.payload) key += fmt::format("{},", p.type.index);
            }
        }
        return key;
    }

    NameId request(Instance instance, bool shown = false) {
        std::string key = key_of(instance);
        if (auto known = instances_.find(key); known != instances_.end()) return known->second;
        NameId own = at(instance.declaration).name.id;
        instance.name = own;
        for (std::size_t i = 2; !shown && taken_.contains(instance.name); ++i)
            instance.name = names_.intern(fmt::format("{}_{}", names_.text(own), i));
        taken_.insert(instance.name);
        instances_[key] = instance.name;
        if (instance.declaration.module == 0) instantiated_.insert(instance.declaration.protocol);
        if (!shown) hidden_.push_back(instance.name);
        if (instances_.size() > max_instances) {
            if (!std::exchange(too_large_, true))
                diagnostics_.report(codes::scribble_too_large, at(instance.declaration).name.span,
                                    fmt::format("protocols have more than {} instances", max_instances));
            return instance.name;
        }
        queue_.push_back(instance);
        return instance.name;
    }

    void emit(const Instance& instance) {
        const ProtocolDeclaration& p = at(instance.declaration);
        current_ = &instance;
        loops_.clear();
        hidden_names_.clear();
        hidden_roles_ = roles_made_by(instance.declaration);
        lang::ProtocolSyntax syntax;
        syntax.span = p.span;
        syntax.name = {instance.name, p.name.span};
        std::vector<Name> roles = p.roles;
        for (std::size_t i = 0; i < hidden_roles_.size(); ++i)
            roles.push_back(name_hidden_role(hidden_roles_[i], roles));
        syntax.roles = append(out_.names, roles);
        std::vector<lang::StepId> steps;
        statements(p.body, {}, steps);
        syntax.body = add_block(p.body.span.valid() ? p.body.span : p.span, steps);
        out_.items.push_back({lang::ItemKind::protocol, static_cast<std::uint32_t>(out_.protocols.size())});
        out_.protocols.push_back(syntax);
    }

    // --- roles that nested protocols make

    // Those of all protocols that can be reached by calls, its own first.
    const std::vector<HiddenRole>& roles_made_by(Declaration d) {
        auto [known, added] = made_by_.try_emplace(std::pair(d.module, d.protocol));
        if (!added || !makes_roles_) return known->second;
        std::vector<HiddenRole>& found = known->second;
        std::vector<Declaration> seen = {d};
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (const Name& r : at(seen[i]).new_roles) found.push_back({seen[i], r});
            for (Declaration callee : callees(seen[i]))
                if (std::find(seen.begin(), seen.end(), callee) == seen.end()) seen.push_back(callee);
        }
        return found;
    }

    Name name_hidden_role(const HiddenRole& h, const std::vector<Name>& roles) {
        auto taken = [&](NameId id) {
            return std::any_of(roles.begin(), roles.end(), [&](const Name& n) { return n.id == id; });
        };
        NameId id = h.role.id;
        bool own = h.maker == current_->declaration;
        for (std::size_t i = 1; !own && taken(id); ++i)
            id = names_.intern(
                i == 1
                    ? fmt::format("{}_{}", names_.text(at(h.maker).name.id), names_.text(h.role.id))
                    : fmt::format("{}_{}_{}", names_.text(at(h.maker).name.id), names_.text(h.role.id), i));
        hidden_names_.push_back(id);
        return {id, h.role.span};
    }

    // --- names

    // The protocol that a name means inside the body of `from`: declared inside it or around it, in its
    // module, or imported.
    std::optional<Declaration> find(Declaration from, const QualifiedName& name) const {
        const Module& m = modules_[from.module];
        NameId last = name.parts.back().id;
        if (name.parts.size() == 1) {
            for (std::uint32_t scope = from.protocol;; scope = m.protocols[scope].parent) {
                if (auto found = declared_in(from.module, scope, last)) return found;
                if (scope == no_parent) break;
            }
            for (const Import& i : m.imports)
                if (i.member.id && (i.alias.id ? i.alias.id : i.member.id) == last && i.target != no_module)
                    return declared_in(i.target, no_parent, i.member.id);
            return std::nullopt;
        }
        std::span<const Name> prefix = std::span(name.parts).first(name.parts.size() - 1);
        if (names_module(prefix, m.name)) return declared_in(from.module, no_parent, last);
        for (const Import& i : m.imports) {
            if (i.member.id || i.target == no_module) continue;
            bool alias = i.alias.id && prefix.size() == 1 && prefix[0].id == i.alias.id;
            if (alias || names_module(prefix, i.module)) return declared_in(i.target, no_parent, last);
        }
        return std::nullopt;
    }

    // By its full name, or by its last part alone.
    static bool names_module(std::span<const Name> prefix, const QualifiedName& module) {
        if (module.parts.empty()) return false;
        if (prefix.size() == 1 && prefix[0].id == module.parts.back().id) return true;
        return std::equal(prefix.begin(), prefix.end(), module.parts.begin(), module.parts.end(),
                          [](const Name& a, const Name& b) { return a.id == b.id; });
    }

    std::optional<Declaration> declared_in(std::uint32_t module, std::uint32_t parent, NameId name) const {
        auto found = declared_.find(std::tuple(module, parent, name));
        if (found == declared_.end()) return std::nullopt;
        return Declaration{module, found->second};
    }

    const Argument* parameter(const QualifiedName& name, bool signature) const {
        if (name.parts.size() != 1) return nullptr;
        const auto& parameters = at(current_->declaration).parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            if (parameters[i].name.id == name.parts[0].id && parameters[i].is_signature == signature)
                return &current_->arguments[i];
        return nullptr;
    }

    NameId type_of(const QualifiedName& name) const {
        const Argument* a = parameter(name, false);
        return a ? a->type : name.parts.back().id;
    }

    PlainSignature plain(const Signature& s) {
        if (!s.in_parens)
            if (const Argument* a = parameter(s.name, true))
                return {{a->signature.label.id, s.span}, a->signature.payload};
        PlainSignature result;
        if (s.name.parts.empty())
            result.label = {names_.intern("message"), {s.span.file, s.span.begin, s.span.begin + 1}};
        else
            result.label = {s.name.parts.back().id, s.name.span};
        for (const Payload& p : s.payload)
            result.payload.push_back({p.field, type_of(p.type), p.refinement, p.span});
        return result;
    }

    // --- building the tree

    template <class T>
    static lang::Range append(std::vector<T>& table, const std::vector<T>& items) {
        lang::Range range{static_cast<std::uint32_t>(table.size()), static_cast<std::uint32_t>(items.size())};
        table.insert(table.end(), items.begin(), items.end());
        return range;
    }

    lang::BlockId add_block(Span span, const std::vector<lang::StepId>& steps) {
        lang::Block b;
        b.span = span;
        b.steps = append(out_.step_lists, steps);
        out_.blocks.push_back(b);
        return lang::BlockId(out_.blocks.size() - 1);
    }

    void add_step(Step s, const Statement& from, std::vector<lang::StepId>& to) {
        s.span = from.span;
        s.head = from.head;
        if (out_.steps.size() >= max_steps) {
            if (!std::exchange(too_large_, true))
                diagnostics_.report(
                    codes::scribble_too_large, at(current_->declaration).name.span,
                    fmt::format("with all instances there are more than {} steps", max_steps));
            return;
        }
        out_.steps.push_back(s);
        to.push_back(lang::StepId(out_.steps.size() - 1));
    }

    void hole(const Statement& s, std::vector<lang::StepId>& to) {
        Step wrong;
        wrong.kind = StepKind::wrong;
        add_step(wrong, s, to);
    }

    // True if the statements do nothing but go back to one of the loops that begin here.
    bool statements(const Block& block, Place place, std::vector<lang::StepId>& to) {
        for (std::size_t i = 0; i < block.statements.size() && !too_large_; ++i) {
            Place here{i == 0 ? place.heads : std::vector<NameId>(),
                       place.tail && i + 1 == block.statements.size()};
            if (statement(block.statements[i], here, to)) return true;
        }
        return false;
    }

    bool statement(const Statement& s, const Place& place, std::vector<lang::StepId>& to) {
        switch (s.kind) {
            case StatementKind::wrong: hole(s, to); return false;
            case StatementKind::message: message(s, to); return false;
            case StatementKind::call: call(s, to); return false;
            case StatementKind::jump: return jump(s, place, to);
            case StatementKind::choice: return choice(s, place, to);
            case StatementKind::rec: return recursion(s, place, to);
            case StatementKind::par: parallel(s, place, to); return false;
        }
        return false;
    }

    void message(const Statement& s, std::vector<lang::StepId>& to) {
        PlainSignature signature = plain(s.message);
        Step step;
        step.kind = StepKind::interaction;
        step.name = messages_.use(signature);
        step.role = s.role;
        step.roles = append(out_.names, s.receivers);
        std::vector<lang::ArgumentSyntax> arguments;
        bool binds = false;
        for (const PlainPayload& p : signature.payload) {
            lang::ArgumentSyntax a;
            a.span = p.span;
            if (p.field.id && used_.contains(p.field.id)) a.bind = p.field;
            binds = binds || a.bind.id;
            arguments.push_back(a);
            if (p.refinement)
                step.condition = step.condition ? conjunction(step.condition, p.refinement) : p.refinement;
        }
        if (binds) {
            step.has_arguments = true;
            step.arguments = append(out_.arguments, arguments);
        }
        add_step(step, s, to);
    }

    lang::SyntaxExprId conjunction(lang::SyntaxExprId a, lang::SyntaxExprId b) {
        lang::SyntaxExpr e;
        e.kind = lang::SyntaxExprKind::binary;
        e.op = lang::TokenKind::kw_and;
        e.span = base::cover(out_[a].span, out_[b].span);
        e.op_span = e.span;
        e.children = append(out_.expr_lists, {a, b});
        out_.exprs.push_back(e);
        return lang::SyntaxExprId(out_.exprs.size() - 1);
    }

    bool choice(const Statement& s, const Place& place, std::vector<lang::StepId>& to) {
        if (s.blocks.size() == 1) return statements(s.blocks[0], place, to);
        std::vector<std::pair<Span, std::vector<lang::StepId>>> branches;
        for (const Block& b : s.blocks) {
            std::vector<lang::StepId> steps;
            if (statements(b, place, steps))
                continue;  // goes back without a message: the same choice once more
            branches.emplace_back(b.span, std::move(steps));
        }
        if (branches.empty()) return true;
        if (branches.size() < s.blocks.size())
            diagnostics_.report(codes::scribble_no_meaning, s.head,
                                "a branch that only repeats the loop is left out");
        if (branches.size() == 1) {
            to.insert(to.end(), branches[0].second.begin(), branches[0].second.end());
            return false;
        }
        Step step;
        step.kind = StepKind::choice;
        step.role = s.role;
        std::vector<lang::BlockId> blocks;
        blocks.reserve(branches.size());
        for (const auto& [span, steps] : branches) blocks.push_back(add_block(span, steps));
        step.blocks = append(out_.block_lists, blocks);
        add_step(step, s, to);
        return false;
    }

    void parallel(const Statement& s, const Place& place, std::vector<lang::StepId>& to) {
        if (s.blocks.size() == 1) {
            statements(s.blocks[0], {{}, place.tail}, to);
            return;
        }
        Step step;
        step.kind = StepKind::par;
        std::vector<lang::BlockId> blocks;
        for (const Block& b : s.blocks) {
            std::vector<lang::StepId> steps;
            statements(b, {{}, place.tail}, steps);
            blocks.push_back(add_block(b.span, steps));
        }
        step.blocks = append(out_.block_lists, blocks);
        add_step(step, s, to);
    }

    void assign(Name name, lang::SyntaxExprId value, const Statement& s, std::vector<lang::StepId>& to) {
        Step step;
        step.kind = StepKind::let;
        step.name = name;
        step.condition = value;
        add_step(step, s, to);
    }

    bool recursion(const Statement& s, const Place& place, std::vector<lang::StepId>& to) {
        OpenLoop loop{s.loop.id, s.loop.id, s.variables};
        auto open = [&](NameId id) {
            return std::any_of(loops_.begin(), loops_.end(), [&](const OpenLoop& l) { return l.name == id; });
        };
        for (std::size_t i = 2; open(loop.name); ++i)
            loop.name = names_.intern(fmt::format("{}_{}", names_.text(s.loop.id), i));
        for (const LoopVariable& v : s.variables) assign(v.name, v.first, s, to);
        loops_.push_back(loop);
        Place inside = place;
        inside.heads.push_back(loop.name);
        std::vector<lang::StepId> steps;
        bool idle = statements(s.blocks[0], inside, steps);
        loops_.pop_back();
        if (idle && idle_target_ != loop.name) return true;
        if (idle && place.tail) {
            diagnostics_.report(codes::scribble_no_meaning, s.head,
                                "this loop never sends anything and is left out");
            return false;
        }
        if (idle) {  // what follows is never reached: the resolver refuses such a loop
            Step back;
            back.kind = StepKind::jump;
            back.name = {loop.name, s.loop.span};
            steps.clear();
            add_step(back, s, steps);
        }
        Step step;
        step.kind = StepKind::rec;
        step.name = {loop.name, s.loop.span};
        std::vector<lang::BlockId> blocks = {add_block(s.blocks[0].span, steps)};
        step.blocks = append(out_.block_lists, blocks);
        add_step(step, s, to);
        return false;
    }

    bool jump(const Statement& s, const Place& place, std::vector<lang::StepId>& to) {
        auto loop = std::find_if(loops_.rbegin(), loops_.rend(),
                                 [&](const OpenLoop& l) { return l.written == s.loop.id; });
        Step step;
        step.kind = StepKind::jump;
        step.name = s.loop;
        if (loop == loops_.rend()) {
            add_step(step, s, to);  // the resolver reports the unknown loop
            return false;
        }
        if (std::find(place.heads.begin(), place.heads.end(), loop->name) != place.heads.end()) {
            idle_target_ = loop->name;
            return true;
        }
        if (s.next.size() != loop->variables.size()) {
            diagnostics_.report(codes::scribble_reference, s.span,
                                fmt::format("loop `{}` takes {} values, not {}", names_.text(s.loop.id),
                                            loop->variables.size(), s.next.size()));
            hole(s, to);
            return false;
        }
        next_values(s, *loop, to);
        step.name.id = loop->name;
        add_step(step, s, to);
        return false;
    }

    // All values are computed before the first variable changes.
    void next_values(const Statement& s, const OpenLoop& loop, std::vector<lang::StepId>& to) {
        if (s.next.size() == 1) return assign({loop.variables[0].name.id, s.span}, s.next[0], s, to);
        std::vector<NameId> kept;
        for (std::size_t i = 0; i < s.next.size(); ++i) {
            kept.push_back(names_.intern(fmt::format("next_{}", names_.text(loop.variables[i].name.id))));
            assign({kept[i], s.span}, s.next[i], s, to);
        }
        for (std::size_t i = 0; i < s.next.size(); ++i) {
            lang::SyntaxExpr e;
            e.kind = lang::SyntaxExprKind::name;
            e.name = kept[i];
            e.span = s.span;
            out_.exprs.push_back(e);
            assign({loop.variables[i].name.id, s.span}, lang::SyntaxExprId(out_.exprs.size() - 1), s, to);
        }
    }

    // --- calls

    void call(const Statement& s, std::vector<lang::StepId>& to) {
        auto callee = find(current_->declaration, s.callee);
        std::string name;
        for (const Name& part : s.callee.parts)
            name += fmt::format("{}{}", name.empty() ? "" : ".", names_.text(part.id));
        auto fault = [&](Span span, std::string why) {
            diagnostics_.report(codes::scribble_reference, span, std::move(why));
            hole(s, to);
        };
        if (!callee) return fault(s.callee.span, fmt::format("unknown protocol `{}`", name));
        const ProtocolDeclaration& p = at(*callee);
        if (p.parameters.size() != s.arguments.size())
            return fault(s.callee.span, fmt::format("`{}` takes {} parameters, not {}", name,
                                                    p.parameters.size(), s.arguments.size()));
        Instance instance{*callee, {}, {}};
        for (std::size_t i = 0; i < p.parameters.size(); ++i) {
            const Signature& given = s.arguments[i];
            Argument& a = instance.arguments.emplace_back();
            if (p.parameters[i].is_signature)
                a.signature = plain(given);
            else if (given.in_parens)
                return fault(given.span, fmt::format("`{}` is a type, not a message",
                                                     names_.text(p.parameters[i].name.id)));
            else
                a.type = type_of(given.name);
        }
        Step step;
        step.kind = StepKind::call;
        std::vector<Name> roles;
        if (!role_arguments(s, p, name, roles) || !hidden_arguments(s, *callee, roles)) return hole(s, to);
        step.name = {request(std::move(instance)), s.callee.span};
        step.roles = append(out_.names, roles);
        add_step(step, s, to);
    }

    // In the order of the callee's roles.
    bool role_arguments(const Statement& s, const ProtocolDeclaration& p, std::string_view name,
                        std::vector<Name>& out) {
        bool named = std::any_of(s.roles.begin(), s.roles.end(),
                                 [](const RoleArgument& a) { return a.as.id.valid(); });
        if (!named) {
            for (const RoleArgument& a : s.roles) out.push_back(a.given);
            if (out.empty() && p.roles.size() == at(current_->declaration).roles.size())
                out = at(current_->declaration).roles;
            return check_count(s, p, name, out.size());
        }
        if (!check_count(s, p, name, s.roles.size())) return false;
        for (std::size_t i = 0; i < p.roles.size(); ++i) {
            auto given = std::find_if(s.roles.begin(), s.roles.end(),
                                      [&](const RoleArgument& a) { return a.as.id == p.roles[i].id; });
            if (given == s.roles.end() && !s.roles[i].as.id)
                given = s.roles.begin() + static_cast<std::ptrdiff_t>(i);
            if (given == s.roles.end()) {
                diagnostics_.report(
                    codes::scribble_reference, s.callee.span,
                    fmt::format("no argument for the role `{}` of `{}`", names_.text(p.roles[i].id), name));
                return false;
            }
            out.push_back(given->given);
        }
        return true;
    }

    // Here, because roles that are added would blur the count.
    bool check_count(const Statement& s, const ProtocolDeclaration& p, std::string_view name,
                     std::size_t given) {
        if (given == p.roles.size()) return true;
        diagnostics_
            .report(codes::scribble_reference, s.callee.span,
                    fmt::format("`{}` takes {} roles, not {}", name, p.roles.size(), given))
            .label(p.span, "declared here");
        return false;
    }

    bool hidden_arguments(const Statement& s, Declaration callee, std::vector<Name>& roles) {
        for (const HiddenRole& wanted : roles_made_by(callee)) {
            for (std::size_t i = 0; i < hidden_roles_.size(); ++i) {
                if (hidden_roles_[i].maker != wanted.maker || hidden_roles_[i].role.id != wanted.role.id)
                    continue;
                NameId id = hidden_names_[i];
                if (std::any_of(roles.begin(), roles.end(), [&](const Name& n) { return n.id == id; })) {
                    diagnostics_
                        .report(codes::scribble_unsupported, s.span,
                                fmt::format("a nested protocol that creates a new role `{}` in each round is "
                                            "not supported",
                                            names_.text(id)))
                        .label(wanted.role.span, "created here")
                        .help("a protocol has a fixed number of roles");
                    return false;
                }
                roles.push_back({id, s.callee.span});
                break;
            }
        }
        return true;
    }

    std::span<const Module> modules_;
    base::Names& names_;
    lang::Syntax& out_;
    base::Diagnostics& diagnostics_;
    Messages messages_;
    absl::flat_hash_map<std::tuple<std::uint32_t, std::uint32_t, NameId>, std::uint32_t>
        declared_;              // module, parent, name
    bool makes_roles_ = false;  // some protocol has new roles
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::vector<HiddenRole>> made_by_;
    absl::flat_hash_set<NameId> used_;   // names that occur in conditions
    absl::flat_hash_set<NameId> taken_;  // names of protocols
    absl::flat_hash_map<std::string, NameId> instances_;
    absl::flat_hash_set<std::uint32_t> instantiated_;  // protocols of the first module
    std::deque<Instance> queue_;
    std::vector<NameId> hidden_;
    bool too_large_ = false;  // and reported
    // The instance whose body is being written.
    const Instance* current_ = nullptr;
    std::vector<HiddenRole> hidden_roles_;
    std::vector<NameId> hidden_names_;
    std::vector<OpenLoop> loops_;
    NameId idle_target_;  // the loop that statements() found to start over
};

}  // namespace

std::vector<NameId> expand(std::span<const Module> modules, base::Names& names, lang::Syntax& out,
                           base::Diagnostics& diagnostics) {
    return Expander(modules, names, out, diagnostics).run();
}

}  // namespace treaty::formats::scribble
