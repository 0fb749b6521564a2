// Resolving the steps of a protocol, top-down, straight into a ProtocolBuilder.
#include "lang/resolve_protocol.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"
#include "lang/call_graph.h"
#include "lang/codes.h"
#include "lang/match_cases.h"
#include "lang/type_expr.h"

namespace treaty::lang {
namespace {

using expr::ExprId;
using expr::TypeId;
using model::NodeKind;
using model::RoleId;

constexpr std::size_t max_call_depth = 100;
constexpr std::size_t max_expanded = 200'000;  // steps that come from calls
constexpr std::uint32_t not_tail = std::numeric_limits<std::uint32_t>::max();

// Types of variables that turned out more precise than where they were first bound (`let xs = []`).
using Refinements = absl::flat_hash_map<std::uint32_t, TypeId>;  // by offset of the binding

// One protocol being expanded: the one asked for, and those it calls.
struct Frame {
    std::uint32_t protocol;
    std::vector<RoleId> roles;
    absl::flat_hash_map<NameId, RoleId> role_of;
    model::LoopId loop;  // where a tail call to it jumps; none if nothing calls it back
    std::vector<expr::VarId> parameters;
    Scope scope;
    std::vector<std::pair<NameId, model::LoopId>> loops;  // the `rec` blocks that are open
};

std::string counted(std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

class ProtocolResolver {
public:
    ProtocolResolver(Context& context, std::uint32_t position, Refinements& refinements)
        : c_(context),
          pool_(*context.spec.pool),
          types_(*context.spec.types),
          refinements_(refinements),
          position_(position) {}

    std::optional<ResolvedProtocol> run() {
        const ProtocolSyntax& p = c_.syntax.protocols[position_];
        std::vector<RoleId> roles;
        absl::flat_hash_map<NameId, Span> seen;
        for (const Name& r : Syntax::part(c_.syntax.names, p.roles)) {
            auto [it, added] = seen.try_emplace(r.id, r.span);
            if (added)
                roles.push_back(c_.spec.alphabet->role(c_.text(r.id)));
            else
                c_.report(codes::declared_twice, r.span,
                          fmt::format("role `{}` is listed twice", c_.text(r.id)))
                    .label(it->second, "first here");
        }
        builder_.emplace(std::string(c_.text(p.name.id)), p.span, roles);
        std::vector<expr::VarId> parameters;
        for (const expr::Field& f : c_.parameters[position_])
            parameters.push_back(pool_.declare(f.name, types_.base(f.type)));
        body(position_, roles, parameters, 0);
        check_handed_back(p, parameters);
        if (too_large_ || calls_broken_)
            c_.broken.insert(p.name.id);  // so that its callers do not report the same
        if (too_large_) return std::nullopt;
        std::optional<model::Protocol> built = builder_->finish();
        if (!built) {
            if (c_.diagnostics->ok())
                c_.report(codes::too_large, p.name.span,
                          fmt::format("this protocol cannot be built: {}", builder_->fault()));
            return std::nullopt;
        }
        called_.resize(built->size(), false);
        absl::flat_hash_set<expr::VarId> own;
        auto declared = Syntax::part(c_.syntax.fields, p.parameters);
        for (std::size_t i = 0; i < declared.size() && i < parameters.size(); ++i)
            if (!declared[i].handed_back) own.insert(parameters[i]);
        return ResolvedProtocol{std::move(*built), std::move(holes_), std::move(called_),
                                std::move(given_values_), std::move(own)};
    }

    bool refined() const { return refined_; }

private:
    Frame& frame() { return frames_.back(); }
    bool outermost() const { return frames_.size() == 1; }

    // Faults inside a called protocol are reported where that protocol is resolved for itself.
    base::Diagnostic& report(const base::Code& code, Span span, std::string message) {
        return outermost() ? c_.report(code, span, std::move(message))
                           : muted_.report(code, span, std::move(message));
    }

    template <class F>
    auto muted(F f) {
        if (outermost()) return f();
        base::Diagnostics* real = std::exchange(c_.diagnostics, &muted_);
        auto missing_variables = std::exchange(c_.missing_variables, {});
        auto missing_functions = std::exchange(c_.missing_functions, {});
        auto result = f();
        c_.diagnostics = real;
        c_.missing_variables = std::move(missing_variables);
        c_.missing_functions = std::move(missing_functions);
        return result;
    }

    ExprId value(SyntaxExprId id, TypeId wanted = {}, std::string_view what = {}) {
        return muted([&] { return type_expression(c_, frame().scope, id, wanted, what); });
    }
    ExprId condition(SyntaxExprId id) {
        return muted([&] { return type_condition(c_, frame().scope, id); });
    }

    [[gnu::noinline]] void hole(const Step& s) {
        for (const Name& n : Syntax::part(c_.syntax.names, s.roles))
            if (s.kind == StepKind::wrong) bind(n, types_.unknown());
        for (const ArgumentSyntax& a : Syntax::part(c_.syntax.arguments, s.arguments))
            if (a.bind.id) bind(a.bind, types_.unknown());
        holes_.push_back(builder_->open(NodeKind::sequence, s.head));
        builder_->close();
    }

    // --- calls

    void body(std::uint32_t protocol, std::vector<RoleId> roles, std::vector<expr::VarId> parameters,
              std::uint32_t tail) {
        const ProtocolSyntax& p = c_.syntax.protocols[protocol];
        Frame f;
        f.protocol = protocol;
        f.roles = roles;
        auto names = Syntax::part(c_.syntax.names, p.roles);
        for (std::size_t i = 0, k = 0; i < names.size() && k < roles.size(); ++i)
            if (f.role_of.try_emplace(names[i].id, roles[k]).second) ++k;
        auto declared = Syntax::part(c_.syntax.fields, p.parameters);
        for (std::size_t i = 0; i < declared.size() && i < parameters.size(); ++i)
            f.scope.bind(declared[i].name.id, parameters[i], declared[i].name.span);
        f.parameters = std::move(parameters);
        frames_.push_back(std::move(f));
        std::size_t first = builder_->size();
        bool loops = calls_.called_back(protocol);
        if (loops) {
            frame().loop = builder_->loop(std::string(c_.text(p.name.id)));
            builder_->open_recursion(p.span, frame().loop);
        }
        if (p.body) block(p.body, tail);
        if (loops) builder_->close();
        frames_.pop_back();
        if (outermost() && !too_large_) {
            called_.resize(first, false);
            called_.resize(builder_->size(), true);
        }
    }

    [[gnu::noinline]] void call(const Step& s, std::uint32_t tail) {
        auto callee = c_.protocols.find(s.name.id);
        if (callee == c_.protocols.end() || c_.broken.contains(s.name.id)) {
            calls_broken_ = true;
            if (!c_.broken.contains(s.name.id) && !c_.lost.contains(s.name.id)) {
                std::vector<std::string_view> candidates;
                for (const auto& [n, i] : c_.protocols) candidates.push_back(c_.text(n));
                report(codes::unknown_protocol, s.name.span,
                       fmt::format("unknown protocol `{}`", c_.text(s.name.id)))
                    .help(did_you_mean(c_.text(s.name.id), candidates));
            }
            return hole(s);
        }
        std::vector<RoleId> roles;
        std::vector<CallValue> values;
        bool fine = call_roles(s, callee->second, roles);
        if (!call_values(s, callee->second, values) || !fine) return hole(s);
        for (std::size_t i = frames_.size(); i-- > 0;) {
            if (frames_[i].protocol != callee->second || frames_[i].roles != roles) continue;
            if (i >= tail) return start_over(s, frames_[i], values);
            report(codes::recursive_call, s.head,
                   fmt::format("`{}` calls itself here, and more steps follow", c_.text(s.name.id)))
                .help("a protocol starts over by calling itself as its last step");
            return hole(s);
        }
        if (frames_.size() == 1) outermost_call_ = s.head;
        if (builder_->depth() + calls_.depth_needed(callee->second) > model::Protocol::max_depth ||
            frames_.size() > max_call_depth) {
            if (!too_large_)
                c_.report(codes::nested_too_deeply, outermost_call_, "calls are nested too deeply here")
                    .help("call fewer protocols inside one another");
            too_large_ = true;
            return hole(s);
        }
        std::vector<expr::VarId> parameters;
        const auto& declared = c_.parameters[callee->second];
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].handed_back) {
                parameters.push_back(values[i].handed_back);
                continue;
            }
            expr::VarId v = pool_.declare(declared[i].name, types_.base(declared[i].type));
            given_values_.insert(v);
            builder_->assign(s.head, v, values[i].value);
            parameters.push_back(v);
        }
        body(callee->second, roles, std::move(parameters),
             tail == not_tail ? static_cast<std::uint32_t>(frames_.size()) : tail);
    }

    // What a call has for one parameter: the value that it gives, or the variable that gets one.
    struct CallValue {
        ExprId value;
        expr::VarId handed_back;
    };

    // The values of a call, typed where the call is; false if one is wrong, which has been reported.
    bool call_values(const Step& s, std::uint32_t callee, std::vector<CallValue>& values) {
        const ProtocolSyntax& p = c_.syntax.protocols[callee];
        const auto& parameters = c_.parameters[callee];
        auto declared = Syntax::part(c_.syntax.fields, p.parameters);
        auto given = Syntax::part(c_.syntax.arguments, s.arguments);
        if (parameters.size() != declared.size()) return false;  // declared twice
        bool fine = true;
        for (std::size_t i = p.roles.count; i < given.size(); ++i) {
            const ArgumentSyntax& a = given[i];
            std::size_t k = i - p.roles.count;
            TypeId type = k < parameters.size() ? parameters[k].type : types_.unknown();
            CallValue v;
            if (a.bind.id)
                v.handed_back = bind(a.bind, types_.base(type));
            else if (a.value)
                v.value = value(a.value, type,
                                k < declared.size() ? fmt::format("`{}`", c_.text(declared[k].name.id)) : "");
            if (k < declared.size() && !right_way(a, declared[k])) fine = false;
            if (v.value && types_.kind(pool_[v.value].type) == expr::TypeKind::unknown) fine = false;
            values.push_back(v);
        }
        return fine && values.size() == parameters.size();
    }

    // Whether a value is given where one is needed, and a name where one is handed back.
    bool right_way(const ArgumentSyntax& a, const FieldSyntax& parameter) {
        std::string_view name = c_.text(parameter.name.id);
        std::string help;
        if (a.field.id)
            help = "write the values in the order of the declaration, without their names";
        else if (parameter.handed_back && !a.bind.id)
            help = fmt::format("write let and a name for it, for example let {}", name);
        else if (!parameter.handed_back && !a.value)
            help = fmt::format("give `{}` a value", name);
        if (help.empty()) return true;
        report(codes::wrong_call_value, a.span,
               parameter.handed_back ? fmt::format("`{}` is handed back by the called protocol", name)
                                     : fmt::format("`{}` is a value that the call gives", name))
            .label(parameter.name.span, "declared here")
            .help(help);
        return false;
    }

    // A call of a protocol that is open, as the last step: its parameters get new values, all at once.
    void start_over(const Step& s, const Frame& f, const std::vector<CallValue>& values) {
        std::vector<std::pair<expr::VarId, ExprId>> changes;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].value) {
                changes.emplace_back(f.parameters[i], values[i].value);
            } else if (values[i].handed_back != f.parameters[i]) {
                report(codes::wrong_call_value, s.head,
                       fmt::format("`{}` starts over here, and would hand back a value under another name",
                                   c_.text(s.name.id)))
                    .help("hand it back under the name that it has in this protocol");
                return hole(s);
            }
        }
        std::erase_if(changes, [&](const auto& c) { return pool_.var(c.first) == c.second; });
        if (changes.size() > 1)
            for (auto& [v, e] : changes) {
                expr::VarId kept = pool_.declare(pool_.variable(v).name, pool_.variable(v).type);
                builder_->assign(s.head, kept, e);
                e = pool_.var(kept);
            }
        for (const auto& [v, e] : changes) builder_->assign(s.head, v, e);
        builder_->jump(s.head, f.loop);
    }

    // A parameter that is handed back gets a value in some step.
    void check_handed_back(const ProtocolSyntax& p, const std::vector<expr::VarId>& parameters) {
        auto declared = Syntax::part(c_.syntax.fields, p.parameters);
        for (std::size_t i = 0; i < declared.size() && i < parameters.size(); ++i)
            if (declared[i].handed_back && !bound_.contains(parameters[i]))
                c_.report(codes::wrong_call_value, declared[i].name.span,
                          fmt::format("`{}` is handed back, but no step gives it a value",
                                      c_.text(declared[i].name.id)))
                    .help(fmt::format("bind it with let {}", c_.text(declared[i].name.id)));
    }

    bool call_roles(const Step& s, std::uint32_t callee, std::vector<RoleId>& roles) {
        const ProtocolSyntax& p = c_.syntax.protocols[callee];
        auto names = Syntax::part(c_.syntax.names, s.roles);
        bool fine = true;
        for (const Name& n : names.first(std::min<std::size_t>(names.size(), p.roles.count))) {
            RoleId r = role(n);
            if (!r)
                fine = false;
            else if (std::find(roles.begin(), roles.end(), r) != roles.end()) {
                report(codes::wrong_role_count, n.span, fmt::format("`{}` is given twice", c_.text(n.id)))
                    .help("each role of the called protocol is played by a different one");
                fine = false;
            }
            roles.push_back(r);
        }
        std::size_t given = std::max<std::size_t>(names.size(), s.arguments.count);
        if (fine && given != p.roles.count + p.parameters.count) {
            std::string has = counted(p.roles.count, "role");
            if (p.parameters.count > 0) has += " and " + counted(p.parameters.count, "value");
            report(codes::wrong_role_count, s.head,
                   fmt::format("`{}` has {}, but {} {} given", c_.text(s.name.id), has, given,
                               given == 1 ? "is" : "are"))
                .label(p.span, "declared here");
            fine = false;
        }
        if (fine && names.size() < p.roles.count) {
            report(codes::wrong_role_count, c_.syntax.arguments[s.arguments.first + names.size()].span,
                   "a role is needed here")
                .label(p.span, "declared here");
            fine = false;
        }
        return fine;
    }

    // --- steps
    //
    // step() recurses as deep as blocks nest; what it calls for single steps stays out of line, so that its
    // frame, of which there may be hundreds, is small.

    void block(BlockId id, std::uint32_t tail) {
        builder_->open(NodeKind::sequence, c_.syntax[id].span);
        std::size_t mark = frame().scope.enter();
        auto steps = c_.syntax.steps_of(id);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!outermost() && ++expanded_ > max_expanded && !too_large_) {
                c_.report(codes::too_large, c_.syntax.protocols[position_].name.span,
                          fmt::format("with its calls expanded this protocol has more than {} steps",
                                      max_expanded));
                too_large_ = true;
            }
            if (too_large_ && !outermost()) break;
            step(c_.syntax[steps[i]], i + 1 == steps.size() ? tail : not_tail);
        }
        frame().scope.leave(mark);
        builder_->close();
    }

    void step(const Step& s, std::uint32_t tail) {
        auto blocks = c_.syntax.blocks_of(s);
        switch (s.kind) {
            case StepKind::wrong: return hole(s);
            case StepKind::interaction: return interaction(s);
            case StepKind::call: return call(s, tail);
            case StepKind::choice:
                builder_->open_choice(s.head, decider(s));
                for (BlockId b : blocks) block(b, tail);
                break;
            case StepKind::optional:
                builder_->open_choice(s.head, decider(s));
                block(blocks[0], tail);
                builder_->open(NodeKind::sequence, s.head);
                builder_->close();
                break;
            case StepKind::par:
                builder_->open(NodeKind::parallel, s.head);
                for (BlockId b : blocks) block(b, not_tail);
                break;
            case StepKind::repeat:
                builder_->open_repeat(s.head, decider(s));
                block(blocks[0], not_tail);
                break;
            case StepKind::rec: return recursion(s, tail);
            case StepKind::jump: return jump(s);
            case StepKind::while_loop:
                builder_->open_while(s.head, condition(s.condition));
                block(blocks[0], not_tail);
                break;
            case StepKind::if_else:
            case StepKind::when: {
                builder_->open_conditional(s.head, condition(s.condition));
                block(blocks[0], tail);
                if (blocks.size() > 1)
                    block(blocks[1], tail);
                else {
                    builder_->open(NodeKind::sequence, s.head);
                    builder_->close();
                }
                break;
            }
            case StepKind::try_interrupt:
                builder_->open(NodeKind::interrupt, s.head);
                for (BlockId b : blocks) block(b, not_tail);
                break;
            case StepKind::match: return match(s, tail);
            case StepKind::let: return let(s);
            case StepKind::signal:
                builder_->signal(s.head, builder_->semaphore(std::string(c_.text(s.name.id))));
                return;
            case StepKind::wait:
                builder_->wait(s.head, builder_->semaphore(std::string(c_.text(s.name.id))));
                return;
        }
        builder_->close();
    }

    // The first case, or else (the second, or else ...).
    [[gnu::noinline]] void match(const Step& s, std::uint32_t tail) {
        ExprId subject = value(s.condition);
        std::vector<ExprId> conditions = muted([&] { return type_cases(c_, frame().scope, s, subject); });
        auto blocks = c_.syntax.blocks_of(s);
        auto cases = c_.syntax.cases_of(s);
        std::size_t open = 0;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            Span at = i == 0 ? s.head : cases[i].span;
            if (conditions[i]) {
                if (i > 0) builder_->open(NodeKind::sequence, at);
                builder_->open_conditional(at, conditions[i]);
                open += i > 0 ? 2 : 1;
            }
            block(blocks[i], tail);
        }
        if (!conditions.empty() && conditions.back()) {  // reported: a value has no case
            builder_->open(NodeKind::sequence, s.head);
            builder_->close();
        }
        for (; open > 0; --open) builder_->close();
    }

    RoleId role(const Name& name) {
        auto found = frame().role_of.find(name.id);
        if (found != frame().role_of.end()) return found->second;
        if (outermost() && !missing_roles_.insert(name.id).second) return {};
        std::vector<std::string_view> candidates;
        for (const auto& [n, r] : frame().role_of) candidates.push_back(c_.text(n));
        std::string hint = did_you_mean(c_.text(name.id), candidates);
        if (hint.empty())
            hint = fmt::format("add it to the roles of `{}`",
                               c_.text(c_.syntax.protocols[frame().protocol].name.id));
        report(codes::unknown_role, name.span,
               fmt::format("`{}` is not a role of this protocol", c_.text(name.id)))
            .help(hint);
        return {};
    }

    [[gnu::noinline]] RoleId decider(const Step& s) { return s.role.id ? role(s.role) : RoleId(); }

    [[gnu::noinline]] void recursion(const Step& s, std::uint32_t tail) {
        auto& loops = frame().loops;
        for (const auto& [name, loop] : loops)
            if (name == s.name.id)
                report(codes::shadowed_loop, s.name.span,
                       fmt::format("this loop is inside another one called `{}`", c_.text(name)));
        model::LoopId loop = builder_->loop(std::string(c_.text(s.name.id)));
        builder_->open_recursion(s.head, loop);
        loops.emplace_back(s.name.id, loop);
        block(c_.syntax.blocks_of(s)[0], tail);
        frame().loops.pop_back();
        builder_->close();
    }

    [[gnu::noinline]] void jump(const Step& s) {
        auto& loops = frame().loops;
        for (std::size_t i = loops.size(); i-- > 0;)
            if (loops[i].first == s.name.id) {
                builder_->jump(s.head, loops[i].second);
                return;
            }
        std::vector<std::string_view> candidates;
        for (const auto& [name, loop] : loops) candidates.push_back(c_.text(name));
        std::string hint = did_you_mean(c_.text(s.name.id), candidates);
        if (hint.empty()) hint = fmt::format("put the continue inside rec {} {{ ... }}", c_.text(s.name.id));
        report(codes::unknown_loop, s.name.span,
               fmt::format("this step is not inside a loop `{}`", c_.text(s.name.id)))
            .help(hint);
        hole(s);
    }

    // --- data

    // Gives a name to a new value: the variable of that name if one is visible, otherwise a new one.
    expr::VarId bind(const Name& name, TypeId type) {
        if (auto known = refinements_.find(name.span.begin); known != refinements_.end())
            type = known->second;
        if (const Scope::Binding* b = frame().scope.find(name.id)) {
            bound_.insert(b->variable);
            TypeId before = pool_.variable(b->variable).type;
            if (!types_.fits(type, before)) {
                report(codes::type_mismatch, name.span,
                       fmt::format("`{}` is {}, but here it becomes {}", c_.text(name.id),
                                   types_.print(before, *c_.spec.names), types_.print(type, *c_.spec.names)))
                    .label(b->span, "first bound here")
                    .help("use another name");
                return b->variable;
            }
            TypeId joined = types_.join(before, type);
            // A range counts for the whole life of a variable, so it goes where a value from elsewhere comes
            // in.
            bool wider = type != before && types_.base(before) != before;
            if (joined && (wider || types_.base(joined) != types_.base(before))) {
                refinements_[b->span.begin] = wider ? types_.base(joined) : joined;
                refined_ = true;
            }
            return b->variable;
        }
        expr::VarId v = pool_.declare(name.id, type);
        bound_.insert(v);
        frame().scope.bind(name.id, v, name.span);
        return v;
    }

    [[gnu::noinline]] void let(const Step& s) {
        TypeId declared = s.type ? types_.base(c_.step_types.at(s.type)) : TypeId();
        TypeId known = declared;
        if (const Scope::Binding* b = known ? nullptr : frame().scope.find(s.name.id))
            known = types_.base(pool_.variable(b->variable).type);
        bool empty = c_.syntax[s.condition].kind == SyntaxExprKind::set && known;
        ExprId e = declared || empty ? value(s.condition, known, fmt::format("`{}`", c_.text(s.name.id)))
                                     : value(s.condition);
        bool fine = types_.kind(pool_[e].type) != expr::TypeKind::unknown;
        TypeId type = declared && fine ? declared : pool_[e].type;
        expr::VarId v = bind(s.name, types_.base(type));
        if (types_.kind(type) == expr::TypeKind::unknown) return hole(s);
        builder_->assign(s.head, v, e);
    }

    [[gnu::noinline]] void interaction(const Step& s) {
        RoleId from = role(s.role);
        bool fine = from.valid();
        std::vector<RoleId> to;
        for (const Name& n : Syntax::part(c_.syntax.names, s.roles)) {
            RoleId r = role(n);
            if (r && r == from) {
                report(codes::self_message, n.span, fmt::format("`{}` sends to itself", c_.text(n.id)));
                r = RoleId();
            }
            if (!r) fine = false;
            to.push_back(r);
        }
        std::vector<model::Argument> arguments;
        model::MessageId message;
        bool data_fine = message_data(s, message, arguments);
        ExprId where = s.condition ? condition(s.condition) : ExprId();
        std::int64_t within = -1;
        if (s.within.valid()) {
            if (auto d = base::parse_duration(c_.text(s.within)))
                within = d->count();
            else
                report(codes::bad_number, s.within, "this duration is too long");
        }
        if (!fine || !data_fine) return hole_after_binding(s);
        builder_->interaction(s.head, from, to[0], message, arguments, where, within);
        for (std::size_t i = 1; i < to.size(); ++i) {
            // The others get what the first one got.
            std::vector<model::Argument> same;
            for (const model::Argument& a : arguments)
                same.push_back(a.bind ? model::Argument{{}, pool_.var(a.bind), a.span} : a);
            builder_->interaction(s.head, from, to[i], message, same, {}, within);
        }
    }

    void hole_after_binding(const Step& s) {
        holes_.push_back(builder_->open(NodeKind::sequence, s.head));
        builder_->close();
    }

    // The arguments in the order of the message's fields; false if they are wrong, which has been reported.
    // Binds names in any case.
    bool message_data(const Step& s, model::MessageId& message, std::vector<model::Argument>& out) {
        auto arguments = Syntax::part(c_.syntax.arguments, s.arguments);
        message = c_.message(s.name.id, s.name.span);
        bool known = c_.spec.messages[message.index].declared;
        if (!known) {
            check_spelling(s);
            bool broken =
                c_.broken.contains(s.name.id) || (!arguments.empty() && c_.lost.contains(s.name.id));
            if (!arguments.empty() && !broken && outermost() && missing_messages_.insert(s.name.id).second)
                undeclared(s);
            for (const ArgumentSyntax& a : arguments) {
                if (a.bind.id)
                    bind(a.bind, types_.unknown());
                else if (a.value)
                    value(a.value);
            }
            return arguments.empty() && !broken;
        }
        std::vector<expr::Field> fields = c_.spec.messages[message.index].fields;
        std::vector<model::Argument> values(fields.size());
        std::vector<bool> given(fields.size(), false);
        bool fine = true;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            std::size_t at = position(arguments[i], i, fields, s, fine);
            TypeId wanted = at < fields.size() ? fields[at].type : TypeId();
            model::Argument a =
                argument(arguments[i], wanted, at < fields.size() ? fields[at].name : NameId());
            if (at >= fields.size()) continue;
            bool bound_before = a.bind && std::any_of(values.begin(), values.end(),
                                                      [&](const auto& v) { return v.bind == a.bind; });
            if (bound_before) {
                report(codes::given_twice, arguments[i].span,
                       fmt::format("`{}` gets two values from one message", c_.text(arguments[i].bind.id)))
                    .help("use two names");
                fine = false;
            }
            if (given[at]) {
                report(codes::given_twice, arguments[i].span,
                       fmt::format("`{}` is given twice", c_.text(fields[at].name)));
                fine = false;
            }
            given[at] = true;
            values[at] = a;
        }
        bool all_named = !arguments.empty() && std::all_of(arguments.begin(), arguments.end(),
                                                           [](const auto& a) { return a.field.id.valid(); });
        if (fine && s.has_arguments && !all_named && arguments.size() != fields.size()) {
            report(codes::wrong_argument_count, s.head,
                   fmt::format("`{}` has {} field{}, but gets {} value{}", c_.text(s.name.id), fields.size(),
                               fields.size() == 1 ? "" : "s", arguments.size(),
                               arguments.size() == 1 ? "" : "s"))
                .label(c_.spec.messages[message.index].span, "declared here");
            fine = false;
        }
        if (uses_own_binding(values)) fine = false;
        if (!arguments.empty()) out = std::move(values);
        return fine;
    }

    // Whether a field uses a value that the same message binds: is it the old one or the new one?
    bool uses_own_binding(const std::vector<model::Argument>& values) {
        for (const model::Argument& a : values) {
            if (!a.value) continue;
            for (expr::VarId v : pool_.variables_of(a.value)) {
                if (std::none_of(values.begin(), values.end(), [&](const auto& b) { return b.bind == v; }))
                    continue;
                report(codes::unknowable, a.span,
                       fmt::format("`{}` gets its value only with this message",
                                   c_.text(pool_.variable(v).name)))
                    .help("bind this field too, and relate the two with `where`");
                return true;
            }
        }
        return false;
    }

    std::size_t position(const ArgumentSyntax& a, std::size_t i, const std::vector<expr::Field>& fields,
                         const Step& s, bool& fine) {
        if (!a.field.id) return i;
        for (std::size_t k = 0; k < fields.size(); ++k)
            if (fields[k].name == a.field.id) return k;
        std::vector<std::string_view> candidates;
        for (const expr::Field& f : fields) candidates.push_back(c_.text(f.name));
        report(codes::unknown_field, a.field.span,
               fmt::format("`{}` has no field `{}`", c_.text(s.name.id), c_.text(a.field.id)))
            .help(did_you_mean(c_.text(a.field.id), candidates));
        fine = false;
        return fields.size();
    }

    model::Argument argument(const ArgumentSyntax& a, TypeId wanted, NameId field) {
        if (a.bind.id) return {bind(a.bind, wanted ? wanted : types_.unknown()), {}, a.span};
        if (!a.value) return {{}, {}, a.span};
        ExprId e = value(a.value, wanted, field ? fmt::format("`{}`", c_.text(field)) : std::string());
        // An argument in error may have any value: the fault has been reported.
        if (types_.kind(pool_[e].type) == expr::TypeKind::unknown) return {{}, {}, a.span};
        return {{}, e, a.span};
    }

    void undeclared(const Step& s) {
        std::string fields;
        for (const ArgumentSyntax& a : Syntax::part(c_.syntax.arguments, s.arguments)) {
            NameId n = a.field.id ? a.field.id : a.bind.id;
            fields += fmt::format("{}{}: int", fields.empty() ? "" : ", ", n ? c_.text(n) : "field");
        }
        report(codes::undeclared_message, s.name.span,
               fmt::format("`{}` carries data but is not declared", c_.text(s.name.id)))
            .help(fmt::format("declare it, for example: message {}({})", c_.text(s.name.id), fields));
    }

    void check_spelling(const Step& s) {
        if (c_.broken.contains(s.name.id) || !warned_.insert(s.name.id).second) return;
        constexpr std::size_t too_many_to_compare = 500;
        if (c_.syntax.messages.size() > too_many_to_compare) return;
        std::vector<std::string_view> declared;
        for (const MessageSyntax& m : c_.syntax.messages) declared.push_back(c_.text(m.name.id));
        std::string hint = did_you_mean(c_.text(s.name.id), declared);
        if (!hint.empty() && s.arguments.count == 0)
            report(codes::misspelt_message, s.name.span,
                   fmt::format("`{}` is not declared, but looks like a message that is", c_.text(s.name.id)))
                .help(hint);
    }

    Context& c_;
    expr::Pool& pool_;
    expr::Types& types_;
    Refinements& refinements_;
    std::uint32_t position_;
    std::optional<model::ProtocolBuilder> builder_;
    std::vector<Frame> frames_;
    std::vector<model::NodeId> holes_;
    base::Diagnostics muted_;
    CallGraph calls_{c_};
    absl::flat_hash_set<NameId> warned_, missing_roles_, missing_messages_;  // have been reported
    std::vector<bool> called_;
    absl::flat_hash_set<expr::VarId> given_values_;  // parameters that a call gives a value
    absl::flat_hash_set<expr::VarId> bound_;         // variables that a step gives a value
    Span outermost_call_;
    std::size_t expanded_ = 0;
    bool refined_ = false;
    bool too_large_ = false;  // and reported
    bool calls_broken_ = false;
};

}  // namespace

std::optional<ResolvedProtocol> resolve_protocol(Context& context, std::uint32_t position) {
    // A variable first bound to `[]` or `none` gets its type from a later binding: then start over with it.
    // Each round settles at least one variable; the bound is only a guard.
    Refinements refinements;
    base::Diagnostics* real = context.diagnostics;
    for (int round = 0;; ++round) {
        base::Diagnostics found;
        context.diagnostics = &found;
        context.missing_variables.clear();
        context.missing_functions.clear();
        ProtocolResolver resolver(context, position, refinements);
        auto result = resolver.run();
        context.diagnostics = real;
        if (resolver.refined() && round < 8) continue;
        real->append(std::move(found));
        return result;
    }
}

}  // namespace treaty::lang
