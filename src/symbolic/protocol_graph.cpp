// What remains to be done is a stack of frames, shared where equal, so that equal remainders are one state.
// A frame is a step of the protocol, a mark left by `rec` (so that `continue` finds what follows its loop),
// parallel stacks, or a stack that may be interrupted. Walking down a stack collects conditions and
// computations until an event is met: that is one edge. Where the stack runs out, the conditions collected
// are those of termination. Signals and waits are invisible steps: a walk continues after them, with
// the signals that are left over as part of the state.

#include "symbolic/protocol_graph.h"

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "choreo/value_presence.h"
#include "expr/has_value.h"
#include "expr/simplify.h"
#include "symbolic/machine_graph.h"
#include "symbolic/stopping.h"

namespace treaty::symbolic {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;
using Substitution = absl::flat_hash_map<VarId, ExprId>;
using StackId = std::uint32_t;

constexpr StackId empty_stack = 0;
constexpr std::size_t max_silent_rounds = 40;
constexpr std::size_t max_silent_steps = 100;

using Signals = std::vector<std::uint16_t>;  // by semaphore: given and not yet taken

enum class FrameKind : std::uint8_t { end, step, mark, parallel, interruptible };

struct Frame {
    FrameKind kind = FrameKind::end;
    NodeId node;  // step; mark: the rec; interruptible: the handler
    std::vector<StackId> inner;
    StackId next = empty_stack;
    friend bool operator==(const Frame&, const Frame&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Frame& f) {
        return H::combine(std::move(h), f.kind, f.node, f.inner, f.next);
    }
};

struct Context {
    std::vector<GuardPart> guards;
    Substitution computed;
    Signals signals;
    struct Round {
        NodeId loop;
        Substitution computed;
        Signals signals;
    };
    std::vector<Round> rounds;  // loops entered since the last event
};

struct Step {
    Context context;
    NodeId node;  // none: the stack is done
    StackId target = empty_stack;
};

class Builder {
public:
    Builder(const model::Specification& specification, const model::Protocol& protocol,
            const GraphLimits& limits, model::RoleId local)
        : specification_(specification), protocol_(protocol), limits_(limits), local_(local) {
        graph_.name = protocol.name();
        graph_.pool = specification.pool;
        graph_.alphabet = specification.alphabet;
        if (graph_.pool) choreo::note_presences(*graph_.pool, protocol);
        frames_.push_back({});
        ids_[Frame{}] = empty_stack;
        for (std::size_t m = 0; m < specification.messages.size(); ++m)
            if (!specification.messages[m].variables.empty())
                graph_.payload[model::MessageId(m)] = specification.messages[m].variables;
    }

    GraphResult build() {
        for (std::size_t i = 0; i < protocol_.size(); ++i)
            interruptible_ = interruptible_ || protocol_[NodeId(i)].kind == NodeKind::interrupt;
        state_of({normalized(push(protocol_.root(), empty_stack)), Signals(protocol_.semaphore_count())});
        for (GraphStateId s = SymbolicGraph::initial; situations_.has(s) && reason_.empty(); ++s.index) {
            if (limits_.deadline.passed()) stop(why_stopped(limits_.deadline));
            Context context;
            context.signals = situations_[s].signals;
            expand(s, visible_steps(situations_[s].stack, context, 0));
        }
        if (!reason_.empty()) return base::Fault{reason_};
        return std::move(graph_);
    }

private:
    expr::Pool& pool() { return *graph_.pool; }

    StackId cons(Frame frame) {
        auto [entry, fresh] = ids_.try_emplace(frame, static_cast<StackId>(frames_.size()));
        if (fresh) frames_.push_back(std::move(frame));
        return entry->second;
    }
    StackId push(NodeId node, StackId next) { return cons({FrameKind::step, node, {}, next}); }
    void stop(std::string why) {
        if (reason_.empty()) reason_ = std::move(why);
    }

    // What remains to be done, and the signals that are left over.
    struct Situation {
        StackId stack = empty_stack;
        Signals signals;
        friend bool operator==(const Situation&, const Situation&) = default;
        template <typename H>
        friend H AbslHashValue(H h, const Situation& s) {
            return H::combine(std::move(h), s.stack, s.signals);
        }
    };

    GraphStateId state_of(Situation situation) {
        auto [entry, fresh] = states_.try_emplace(situation, situations_.next_id());
        if (fresh) {
            GraphState& state = graph_.states.emplace_back();
            if (frames_[situation.stack].kind == FrameKind::step) state.node = frames_[situation.stack].node;
            situations_.push_back(std::move(situation));
            if (situations_.size() > limits_.states) stop("the graph has too many states");
        }
        return entry->second;
    }

    // The events and ends that come next, whatever signals and waits lie before them.
    std::vector<Step> visible_steps(StackId stack, const Context& context, std::size_t depth) {
        if (depth > max_silent_steps) stop("too many signals and waits without a message");
        std::vector<Step> steps = walk(stack, context), all;
        for (Step& step : steps) {
            NodeKind kind = step.node ? protocol_[step.node].kind : NodeKind::interaction;
            if (kind == NodeKind::signal || kind == NodeKind::wait) {
                std::uint16_t& left = step.context.signals[protocol_[step.node].semaphore.index];
                if (kind == NodeKind::wait && left == 0) continue;
                left = static_cast<std::uint16_t>(kind == NodeKind::wait ? left - 1 : left + 1);
                StackId next = normalized(step.target, step.context.signals);
                append(all, visible_steps(next, step.context, depth + 1));
            } else {
                all.push_back(std::move(step));
            }
            if (!reason_.empty()) return {};
        }
        return all;
    }

    void expand(GraphStateId s, std::vector<Step> steps) {
        std::vector<ExprId> ends;
        for (Step& step : steps) {
            if (!reason_.empty()) return;
            if (step.node) {
                add_edge(s, step);
                continue;
            }
            ExprId end = pool().boolean(true);
            for (const GuardPart& part : step.context.guards) end = pool().logical_and(end, part.condition);
            ends.push_back(end);
        }
        if (ends.empty()) return;
        ExprId any = ends.front();
        for (ExprId end : ends) any = pool().logical_or(any, end);
        any = expr::simplify(pool(), any);
        if (!pool().is_false(any)) graph_.states[s].terminates = any;
    }

    void add_edge(GraphStateId s, Step& step) {
        const Node& node = protocol_[step.node];
        GraphEdge edge;
        edge.label = label_of(node);
        StackId next = normalized(step.target, step.context.signals);
        edge.target = state_of({next, step.context.signals});
        edge.node = step.node;
        edge.guards = std::move(step.context.guards);
        ExprId where = node.guard;
        set_data(graph_, edge, protocol_.arguments(step.node), where, step.context.computed);
        add_declared_condition(graph_, edge, specification_);
        for (const GraphEdge& other : graph_.states[s].out)
            if (other.label == edge.label && other.target == edge.target && other.node == edge.node &&
                graph_.guard(other) == graph_.guard(edge) && other.condition == edge.condition &&
                other.updates == edge.updates)
                return;
        graph_.states[s].out.push_back(std::move(edge));
    }

    LabelId label_of(const Node& node) {
        model::Alphabet& a = *graph_.alphabet;
        if (!local_) return a.interaction(node.role, node.to, node.message);
        return node.role == local_ ? a.send(node.role, node.to, node.message)
                                   : a.receive(node.role, node.to, node.message);
    }

    // Marks on top change nothing, and a sequence is its steps: equal remainders should be one state, so that
    // the first round of a loop begins where the others do.
    StackId normalized(StackId stack, Signals& signals) {
        stack = normalized(stack);
        return protocol_.semaphore_count() == 0 || interruptible_ ? stack : given(stack, signals);
    }

    // A signal that comes next whatever happens can always be given, and only helps: nothing is lost by
    // giving it at once, unless an interruption may come first.
    StackId given(StackId stack, Signals& signals) {
        for (;;) {
            Frame top = frames_[stack];
            NodeKind kind = top.kind == FrameKind::step ? protocol_[top.node].kind : NodeKind::interaction;
            if (top.kind == FrameKind::mark) {
                stack = top.next;
            } else if (kind == NodeKind::sequence) {
                stack = unfolded(top);
            } else if (kind == NodeKind::signal) {
                ++signals[protocol_[top.node].semaphore.index];
                stack = top.next;
            } else if (top.kind == FrameKind::parallel) {
                for (StackId& inner : top.inner) inner = given(inner, signals);
                return cons(top);
            } else {
                return stack;
            }
        }
    }

    StackId normalized(StackId stack) {
        for (;;) {
            const Frame top = frames_[stack];
            if (top.kind == FrameKind::mark)
                stack = top.next;
            else if (top.kind == FrameKind::step && protocol_[top.node].kind == NodeKind::sequence)
                stack = unfolded(top);
            else
                return stack;
        }
    }
    StackId unfolded(const Frame& sequence) {
        auto children = protocol_.children(sequence.node);
        StackId stack = sequence.next;
        for (std::size_t i = children.size(); i-- > 0;) stack = push(children[i], stack);
        return stack;
    }

    std::vector<Step> walk(StackId stack, const Context& context) {
        if (++walked_ > limits_.steps) stop("the graph takes too many steps to build");
        if (!reason_.empty()) return {};
        const Frame top = frames_[stack];
        switch (top.kind) {
            case FrameKind::end: return {{context, {}, empty_stack}};
            case FrameKind::mark: return walk(top.next, context);
            case FrameKind::step: return walk_step(top, context);
            case FrameKind::parallel: return walk_parallel(top, context);
            case FrameKind::interruptible: return walk_interruptible(top, context);
        }
        return {};
    }

    std::vector<Step> walk_step(const Frame& top, const Context& context) {
        const Node& node = protocol_[top.node];
        auto children = protocol_.children(top.node);
        switch (node.kind) {
            case NodeKind::sequence: return walk(unfolded(top), context);
            case NodeKind::interaction: return {{context, top.node, top.next}};
            case NodeKind::choice: {
                std::vector<Step> all;
                for (NodeId child : children) append(all, walk(push(child, top.next), context));
                return all;
            }
            case NodeKind::parallel: {
                Frame frame{FrameKind::parallel, {}, {}, top.next};
                for (NodeId child : children) frame.inner.push_back(push(child, empty_stack));
                return walk(cons(frame), context);
            }
            case NodeKind::repeat: {
                std::vector<Step> all = walk(top.next, context);
                append(all, walk_round(top.node, push(children[0], push(top.node, top.next)), context));
                return all;
            }
            case NodeKind::recursion:
                return walk(push(children[0], cons({FrameKind::mark, top.node, {}, top.next})), context);
            case NodeKind::jump: return walk_jump(node, top.next, context);
            case NodeKind::while_loop: {
                std::vector<Step> all = walk(top.next, refused(context, node.guard, top.node));
                append(all, walk_round(top.node, push(children[0], push(top.node, top.next)),
                                       guarded(context, node.guard, top.node)));
                return all;
            }
            case NodeKind::conditional: {
                std::vector<Step> all =
                    walk(push(children[0], top.next), guarded(context, node.guard, top.node));
                append(all, walk(push(children[1], top.next), refused(context, node.guard, top.node)));
                return all;
            }
            case NodeKind::interrupt: {
                Frame frame{
                    FrameKind::interruptible, children[1], {push(children[0], empty_stack)}, top.next};
                return walk(cons(frame), context);
            }
            case NodeKind::assign: {
                Context next = context;
                for (const auto& a : choreo::computation(pool(), node.variable, node.guard))
                    next.computed[a.variable] = computed_value(a, next.computed);
                return walk(top.next, next);
            }
            case NodeKind::signal:
            case NodeKind::wait: return {{context, top.node, top.next}};
        }
        return {};
    }

    std::vector<Step> walk_jump(const Node& node, StackId stack, const Context& context) {
        NodeId loop = protocol_.loop_node(node.loop);
        while (stack != empty_stack &&
               !(frames_[stack].kind == FrameKind::mark && frames_[stack].node == loop))
            stack = frames_[stack].next;
        if (stack == empty_stack) {
            stop("a continue leaves a parallel or interruptible block");
            return {};
        }
        return walk_round(loop, push(protocol_.children(loop)[0], stack), context);
    }

    // A round entered again without an event and without a computation in between leads nowhere new.
    std::vector<Step> walk_round(NodeId loop, StackId body, const Context& context) {
        std::size_t entered = 0;
        for (const Context::Round& round : context.rounds) {
            if (round.loop != loop) continue;
            if (round.computed == context.computed && round.signals == context.signals) return {};
            ++entered;
        }
        if (entered > max_silent_rounds) {
            stop("a loop computes for too many rounds without a message");
            return {};
        }
        Context next = context;
        next.rounds.push_back({loop, context.computed, context.signals});
        return walk(body, next);
    }

    std::vector<Step> walk_parallel(const Frame& top, const Context& context) {
        std::vector<Step> all;
        std::vector<Context> ended{context};
        for (std::size_t i = 0; i < top.inner.size(); ++i) {
            for (Step& step : walk(top.inner[i], context)) {
                if (!step.node) continue;
                Frame frame = top;
                frame.inner[i] = normalized(step.target);
                step.target = cons(frame);
                all.push_back(std::move(step));
            }
            std::vector<Context> next;
            for (const Context& c : ended)
                for (Step& step : walk(top.inner[i], c))
                    if (!step.node) next.push_back(std::move(step.context));
            ended = std::move(next);
        }
        for (const Context& c : ended) append(all, walk(top.next, c));
        return all;
    }

    std::vector<Step> walk_interruptible(const Frame& top, const Context& context) {
        std::vector<Step> all;
        for (Step& step : walk(top.inner[0], context)) {
            if (!step.node) {
                append(all, walk(top.next, step.context));
                continue;
            }
            Frame frame = top;
            frame.inner[0] = normalized(step.target);
            step.target = cons(frame);
            all.push_back(std::move(step));
        }
        append(all, walk(push(top.node, top.next), context));
        return all;
    }

    // Only what always has a value may be made simpler: a fault could disappear.
    ExprId computed_value(const model::Assignment& a, const Substitution& computed) {
        ExprId value = expr::substitute(pool(), a.value, computed);
        return pool().presence(a.variable) || pool().is_literal(a.value) ? expr::simplify(pool(), value)
                                                                         : value;
    }

    Context guarded(const Context& context, ExprId condition, NodeId node) {
        return demanded(context, expr::holds(pool(), condition), node);
    }
    Context refused(const Context& context, ExprId condition, NodeId node) {
        return demanded(context, expr::simplify(pool(), expr::does_not_hold(pool(), condition)), node);
    }
    Context demanded(const Context& context, ExprId condition, NodeId node) {
        Context next = context;
        ExprId now = expr::simplify(pool(), expr::substitute(pool(), condition, context.computed));
        if (!pool().is_true(now)) next.guards.push_back({now, node});
        return next;
    }

    static void append(std::vector<Step>& all, std::vector<Step> more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    GraphLimits limits_;
    model::RoleId local_;
    SymbolicGraph graph_;
    std::deque<Frame> frames_;
    absl::flat_hash_map<Frame, StackId> ids_;
    bool interruptible_ = false;
    model::ByGraphState<Situation> situations_;
    absl::flat_hash_map<Situation, GraphStateId> states_;
    std::size_t walked_ = 0;
    std::string reason_;
};

}  // namespace

GraphResult protocol_graph(const model::Specification& specification, const model::Protocol& protocol,
                           const GraphLimits& limits, model::RoleId local) {
    return Builder(specification, protocol, limits, local).build();
}

}  // namespace treaty::symbolic
