// Each node is compiled between two places that exist already, `in` and `out`. A loop never uses `in` as its
// head: other branches of a choice may start at `in`, and a round must not lead back to them. So a loop
// steps silently to a head of its own; reduce_net removes that step where it is not needed.
//
// A first sweep finds the subtrees that do nothing in the view. They get no places: a sequence skips them,
// a parallel block drops them, a choice has one silent step for all of them.
#include "choreo/net_compiler.h"

#include <algorithm>

#include "base/check.h"
#include "choreo/compile_net.h"
#include "choreo/value_presence.h"
#include "expr/has_value.h"
#include "expr/simplify.h"
#include "model/endings.h"

namespace treaty::choreo {
namespace {

using model::Net;
using model::NetBuilder;
using model::Node;
using model::NodeId;
using model::NodeKind;
using model::PlaceId;
using model::Transition;

class Compiler {
public:
    Compiler(const model::Specification& specification, const model::Protocol& protocol, const RoleView* view)
        : spec_(specification),
          protocol_(protocol),
          view_(view),
          net_(std::string(view ? specification.alphabet->name(view->role) : protocol.name()),
               specification.alphabet, protocol.has_data() ? specification.pool : nullptr),
          heads_(protocol.loop_count()) {}

    std::optional<Net> run() {
        if (spec_.pool) note_presences(*spec_.pool, protocol_);
        find_idle();
        for (std::size_t i = 0; i < protocol_.semaphore_count(); ++i)
            semaphores_.push_back(net_.place({}, true));
        PlaceId start = net_.place(protocol_.root());
        PlaceId end = net_.place();
        net_.initial(start);
        net_.final(end);
        compile(protocol_.root(), start, end);
        if (refused_) return std::nullopt;
        auto net = net_.finish();
        TREATY_CHECK(net.has_value());
        return net;
    }

private:
    // Whether the node is something of its own in the view, children apart.
    bool acts(NodeId id) const {
        const Node& node = protocol_[id];
        switch (node.kind) {
            case NodeKind::interaction: return !view_ || node.role == view_->role || node.to == view_->role;
            case NodeKind::assign: return !view_ || view_->knowledge.guard[id.index];
            case NodeKind::signal:
            case NodeKind::wait: return true;
            case NodeKind::while_loop: return !view_;  // its guard may keep the conversation from going on
            default: return false;
        }
    }

    // Idle: nothing happens in it, no jump leaves it, and its end can be reached.
    void find_idle() {
        std::size_t n = protocol_.size();
        idle_.assign(n, false);
        std::vector<bool> quiet(n);
        model::Endings endings(protocol_);
        first_use_.assign(protocol_.semaphore_count(), NodeId());
        last_use_.assign(protocol_.semaphore_count(), NodeId());
        for (std::size_t i = n; i-- > 0;) {
            NodeId id(i);
            const Node& node = protocol_[id];
            quiet[i] = !acts(id);
            for (NodeId child : protocol_.children(id)) quiet[i] = quiet[i] && quiet[child.index];
            if (node.semaphore) {
                first_use_[node.semaphore.index] = id;
                if (!last_use_[node.semaphore.index]) last_use_[node.semaphore.index] = id;
            }
            idle_[i] = quiet[i] && endings.ends(id) && !endings.leaves(id);
        }
    }

    void step(NodeId node, std::vector<PlaceId> from, std::vector<PlaceId> to, expr::ExprId guard = {}) {
        if (from == to && !guard) return;
        Transition t;
        t.label = spec_.alphabet->silent();
        t.node = node;
        t.from = std::move(from);
        t.to = std::move(to);
        t.guard = guard;
        net_.transition(std::move(t));
    }

    void compile(NodeId id, PlaceId in, PlaceId out) {
        const Node& node = protocol_[id];
        if (idle_[id.index]) return step(id, {in}, {out});
        switch (node.kind) {
            case NodeKind::sequence: return sequence(id, in, out);
            case NodeKind::interaction: return interaction(id, in, out);
            case NodeKind::choice: return choice(id, in, out);
            case NodeKind::parallel: return parallel(id, in, out);
            case NodeKind::repeat:
            case NodeKind::while_loop: return loop(id, in, out);
            case NodeKind::recursion: {
                PlaceId head = net_.place(id);
                heads_[node.loop.index] = {head, enclosing_.size()};
                step(id, {in}, {head});
                return compile(protocol_.children(id)[0], head, out);
            }
            case NodeKind::jump: return jump(id, in);
            case NodeKind::conditional: return conditional(id, in, out);
            case NodeKind::interrupt: return interrupt(id, in, out);
            case NodeKind::assign: return assign(id, in, out);
            case NodeKind::signal: return step(id, {in}, {out, semaphores_[node.semaphore.index]});
            case NodeKind::wait: return step(id, {in, semaphores_[node.semaphore.index]}, {out});
        }
    }

    // The children that do something.
    std::vector<NodeId> busy(NodeId id) const {
        std::vector<NodeId> result;
        for (NodeId child : protocol_.children(id))
            if (!idle_[child.index]) result.push_back(child);
        return result;
    }

    void sequence(NodeId id, PlaceId in, PlaceId out) {
        auto children = busy(id);
        PlaceId at = in;
        for (std::size_t i = 0; i < children.size(); ++i) {
            PlaceId next = i + 1 == children.size() ? out : net_.place(children[i + 1]);
            compile(children[i], at, next);
            at = next;
        }
    }

    void interaction(NodeId id, PlaceId in, PlaceId out) {
        const Node& node = protocol_[id];
        model::Alphabet& alphabet = *spec_.alphabet;
        Transition t;
        t.node = id;
        t.from = {in};
        t.to = {out};
        auto arguments = protocol_.arguments(id);
        t.data.assign(arguments.begin(), arguments.end());
        if (!view_) {
            t.label = alphabet.interaction(node.role, node.to, node.message);
            t.where = node.guard;
        } else if (node.role == view_->role) {
            t.label = alphabet.send(node.role, node.to, node.message);
            if (view_->knowledge.guard[id.index]) t.where = node.guard;
        } else {
            t.label = alphabet.receive(node.role, node.to, node.message);
            receive_data(node, t);
            if (view_->knowledge.guard[id.index]) t.where = node.guard;
        }
        if (t.where) t.where = predicate(t);
        if (!t.data.empty()) {
            t.guard = arguments_have_values(t);
            add_bound_presences(*spec_.pool, t.data, t.assignments);
        }
        net_.transition(std::move(t));
    }

    // It is asked before the companions of what the event binds are set.
    expr::ExprId predicate(const Transition& t) const {
        absl::flat_hash_map<expr::VarId, expr::ExprId> bound;
        for (const model::Argument& a : t.data)
            if (expr::VarId presence = a.bind ? spec_.pool->presence(a.bind) : expr::VarId())
                bound[presence] = spec_.pool->boolean(true);
        expr::ExprId held = expr::holds(*spec_.pool, t.where);
        return bound.empty() ? held : expr::simplify(*spec_.pool, expr::substitute(*spec_.pool, held, bound));
    }

    // The event can happen only where what it carries has a value.
    expr::ExprId arguments_have_values(const Transition& t) const {
        expr::ExprId all;
        for (const model::Argument& a : t.data) {
            if (!a.value || !expr::may_lack_value(*spec_.pool, a.value)) continue;
            expr::ExprId one = expr::has_value(*spec_.pool, a.value);
            all = all ? spec_.pool->logical_and(all, one) : one;
        }
        return all;
    }

    // A variable that the receiver does not know yet is what it learns; any other value it cannot compute
    // itself may be anything.
    void receive_data(const Node& node, Transition& t) {
        expr::Pool& pool = *spec_.pool;
        for (std::size_t i = 0; i < t.data.size(); ++i) {
            model::Argument& a = t.data[i];
            if (!a.value || view_->knowledge.knows_argument(node.first_argument + i)) continue;
            if (pool[a.value].op == expr::Op::var)
                a = {pool.var_of(a.value), {}};
            else
                a = {pool.declare(pool.names().intern("_"), pool[a.value].type), {}};
        }
    }

    void choice(NodeId id, PlaceId in, PlaceId out) {
        auto children = busy(id);
        for (NodeId child : children) compile(child, in, out);
        if (children.size() < protocol_.children(id).size()) step(id, {in}, {out});
    }

    void parallel(NodeId id, PlaceId in, PlaceId out) {
        auto children = busy(id);
        enclosing_.push_back({id, {}, true});
        if (children.size() == 1) {
            compile(children[0], in, out);
        } else {
            std::vector<PlaceId> starts, ends;
            for (NodeId child : children) {
                starts.push_back(net_.place(child));
                ends.push_back(net_.place());
            }
            step(id, {in}, starts);
            for (std::size_t i = 0; i < children.size(); ++i) compile(children[i], starts[i], ends[i]);
            step(id, ends, {out});
        }
        enclosing_.pop_back();
    }

    bool evaluates(NodeId id) const { return !view_ || view_->knowledge.guard[id.index]; }
    expr::ExprId guard(NodeId id) const {
        return evaluates(id) ? expr::holds(*spec_.pool, protocol_[id].guard) : expr::ExprId();
    }
    expr::ExprId negated_guard(NodeId id) const {
        return evaluates(id) ? expr::does_not_hold(*spec_.pool, protocol_[id].guard) : expr::ExprId();
    }

    void loop(NodeId id, PlaceId in, PlaceId out) {
        NodeId body = protocol_.children(id)[0];
        PlaceId head = net_.place(id);
        step(id, {in}, {head});
        if (protocol_[id].kind == NodeKind::repeat || !evaluates(id)) {
            compile(body, head, head);
            step(id, {head}, {out});
        } else {
            PlaceId round = net_.place(body);
            step(id, {head}, {round}, guard(id));
            compile(body, round, head);
            step(id, {head}, {out}, negated_guard(id));
        }
    }

    void conditional(NodeId id, PlaceId in, PlaceId out) {
        auto children = protocol_.children(id);
        if (!evaluates(id)) return choice(id, in, out);
        for (std::size_t i = 0; i < 2; ++i) {
            PlaceId branch = net_.place(children[i]);
            step(id, {in}, {branch}, i == 0 ? guard(id) : negated_guard(id));
            compile(children[i], branch, out);
        }
    }

    void assign(NodeId id, PlaceId in, PlaceId out) {
        Transition t;
        t.label = spec_.alphabet->silent();
        t.node = id;
        t.from = {in};
        t.to = {out};
        t.assignments = computation(*spec_.pool, protocol_[id].variable, protocol_[id].guard);
        net_.transition(std::move(t));
    }

    // A jump ends every interruptible block that it leaves, as their normal end would.
    void jump(NodeId id, PlaceId in) {
        const Head& head = heads_[protocol_[id].loop.index];
        std::vector<PlaceId> from{in};
        for (std::size_t i = head.depth; i < enclosing_.size(); ++i) {
            if (enclosing_[i].parallel)
                refused_ = true;
            else
                from.push_back(enclosing_[i].active);
        }
        step(id, std::move(from), {head.place});
    }

    void interrupt(NodeId id, PlaceId in, PlaceId out) {
        auto children = protocol_.children(id);
        PlaceId active = net_.place();
        std::size_t first = net_.places().size();
        PlaceId body_in = net_.place(children[0]);
        PlaceId body_out = net_.place();
        step(id, {in}, {active, body_in});
        enclosing_.push_back({id, active, false});
        compile(children[0], body_in, body_out);
        enclosing_.pop_back();
        step(id, {active, body_out}, {out});
        Transition cut;
        cut.label = spec_.alphabet->silent();
        cut.node = id;
        cut.from = {active};
        for (std::size_t p = first; p < net_.places().size(); ++p) cut.clears.push_back(PlaceId(p));
        for (std::size_t s = 0; s < semaphores_.size(); ++s)
            if (used_only_in(children[0], s)) cut.clears.push_back(semaphores_[s]);
        handler(children[1], std::move(cut), out);
    }

    bool used_only_in(NodeId node, std::size_t semaphore) const {
        return first_use_[semaphore] && first_use_[semaphore] >= node &&
               last_use_[semaphore].index < protocol_[node].subtree_end;
    }

    // Where the handler starts with events, they do the interrupting themselves: then nothing silent can
    // cut off a block before there is anything to see of it.
    void handler(NodeId id, Transition cut, PlaceId out) {
        PlaceId in = net_.place(id);
        std::size_t first = net_.transitions().size();
        compile(id, in, out);
        auto& transitions = net_.transitions();
        std::vector<std::size_t> starts;
        bool eager = true;
        for (std::size_t i = first; i < transitions.size(); ++i) {
            const Transition& t = transitions[i];
            if (!std::binary_search(t.from.begin(), t.from.end(), in)) continue;
            starts.push_back(i);
            eager = eager && !t.silent() && t.from.size() == 1;
        }
        constexpr std::size_t most_copies = 8;  // of the list of places to empty
        if (eager && starts.size() <= most_copies) {
            for (std::size_t i : starts) {
                transitions[i].from = cut.from;
                transitions[i].clears = cut.clears;
            }
        } else {
            cut.to = {in};
            net_.transition(std::move(cut));
        }
    }

    struct Head {
        PlaceId place;
        std::size_t depth = 0;  // of enclosing_ when the recursion was entered
    };
    struct Enclosing {
        NodeId node;
        PlaceId active;
        bool parallel;
    };

    const model::Specification& spec_;
    const model::Protocol& protocol_;
    const RoleView* view_;
    NetBuilder net_;
    std::vector<bool> idle_;
    std::vector<PlaceId> semaphores_;
    std::vector<NodeId> first_use_, last_use_;  // by semaphore
    std::vector<Head> heads_;                   // by loop
    std::vector<Enclosing> enclosing_;
    bool refused_ = false;
};

}  // namespace

std::optional<Net> compile_view(const model::Specification& specification, const model::Protocol& protocol,
                                const RoleView* view) {
    return Compiler(specification, protocol, view).run();
}

std::optional<model::Net> compile_net(const model::Specification& specification,
                                      const model::Protocol& protocol) {
    return compile_view(specification, protocol, nullptr);
}

}  // namespace treaty::choreo
