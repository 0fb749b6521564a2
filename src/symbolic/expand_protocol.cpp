// What follows a node depends only on the node: its next sibling, or what follows its parent, or the head of
// the loop whose body it is. So a place is a node that is about to be entered, together with the values of
// the variables that are still needed there.
//
// The result is a tree. Where ways separate by their values, all that follows is written in each of them; a
// loop's head that is met again with the same values becomes a jump. A part that changes nothing that is
// needed after it is written on its own, with what follows once after it.
#include "symbolic/expand_protocol.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/endings.h"
#include "symbolic/message_values.h"
#include "symbolic/stopping.h"

namespace treaty::symbolic {
namespace {

using expr::Environment;
using expr::Value;
using expr::VarId;
using model::Node;
using model::NodeId;
using model::NodeKind;

struct Tree {
    NodeKind kind = NodeKind::sequence;
    NodeId source;
    std::string message;   // interaction: its name with the values
    std::size_t loop = 0;  // recursion, jump
    std::vector<Tree> children;
};
using Trees = std::vector<Tree>;  // one after the other

// Nothing: it cannot begin.
using Unfolded = std::optional<Trees>;

// Which variables matter where.
class Needs {
public:
    Needs(const model::Specification& specification, const model::Protocol& protocol,
          const ValueChoice& choice)
        : protocol_(protocol), variables_(choice.variables) {
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            NodeId id(i);
            const Node& node = protocol[id];
            if (node.kind == NodeKind::assign) bound(node.variable, id);
            for (const model::Argument& a : protocol.arguments(id)) {
                if (a.bind) bound(a.bind, id);
                if (a.value) read(*specification.pool, a.value, id);
            }
            if (node.guard) read(*specification.pool, node.guard, id);
        }
    }

    // A variable is needed at a place after its first use if it is read later, or earlier in a loop around
    // the place.
    bool needed(VarId v, NodeId at) const {
        auto found = uses_.find(v);
        if (found == uses_.end() || found->second.first >= at) return false;
        const std::set<NodeId>& reads = found->second.reads;
        if (reads.lower_bound(at) != reads.end()) return true;
        for (NodeId loop = at; loop; loop = protocol_[loop].parent) {
            NodeKind kind = protocol_[loop].kind;
            if (kind != NodeKind::repeat && kind != NodeKind::while_loop && kind != NodeKind::recursion)
                continue;
            if (found->second.first < loop && reads.lower_bound(loop) != reads.end()) return true;
        }
        return false;
    }

    Environment at(NodeId at, const Environment& environment) const {
        Environment kept;
        for (VarId v : variables_)
            if (const Value* value = environment.get(v); value && needed(v, at)) kept.set(v, *value);
        return kept;
    }

    // Whether the part changes a variable that exists outside it.
    bool changes(NodeId part) const {
        NodeId end(protocol_[part].subtree_end);
        for (const auto& [v, uses] : uses_) {
            auto inside = uses.binds.lower_bound(part);
            if (inside != uses.binds.end() && *inside < end && variables_.contains(v) &&
                (uses.first < part || uses.last >= end))
                return true;
        }
        return false;
    }

    std::vector<Value> key(const Environment& environment) const {
        std::vector<Value> result;
        for (VarId v : variables_) {
            const Value* value = environment.get(v);
            result.emplace_back(value ? expr::Sequence{{*value}} : expr::Sequence{});
        }
        return result;
    }

private:
    struct Uses {
        NodeId first, last;
        std::set<NodeId> reads, binds;
    };

    Uses& uses(VarId v, NodeId id) {
        auto [entry, added] = uses_.try_emplace(v);
        if (added) entry->second.first = id;
        entry->second.last = id;
        return entry->second;
    }
    void bound(VarId v, NodeId id) { uses(v, id).binds.insert(id); }
    void read(const expr::Pool& pool, expr::ExprId e, NodeId id) {
        for (VarId v : pool.variables_of(e)) uses(v, id).reads.insert(id);
    }

    const model::Protocol& protocol_;
    const std::set<VarId>& variables_;
    std::map<VarId, Uses> uses_;
};

class Unfolder {
public:
    Unfolder(const model::Specification& specification, const model::Protocol& protocol,
             const ValueChoice& choice, const ExpandProtocolLimits& limits)
        : specification_(specification),
          protocol_(protocol),
          limits_(limits),
          endings_(protocol),
          needs_(specification, protocol, choice),
          values_(specification, choice) {}

    // Nothing if there is a reason.
    Unfolded run() {
        Heads heads;
        Unfolded result = from({protocol_.root(), heads}, protocol_.root(), {});
        if (!result) stuck();
        if (!reason.empty()) return std::nullopt;
        return result;
    }

    std::string reason;
    std::size_t loops = 0;

private:
    // Where this place was on the path to here, and whether a jump leads to it.
    struct Head {
        std::size_t loop;
        bool used = false;
    };
    using Heads = std::map<std::pair<NodeId, std::vector<Value>>, Head>;
    // The part that is being written on its own.
    struct Part {
        NodeId base;  // what comes after it is not followed
        Heads& heads;
    };
    static constexpr std::size_t max_depth = model::Protocol::max_depth / 2;

    void stuck() {
        if (reason.empty()) reason = "the data can leave no role anything to do before the end";
    }

    // What is entered after a node; none: the end of the part.
    NodeId after(NodeId id, NodeId base) const {
        while (id != base) {
            NodeId parent = protocol_[id].parent;
            switch (protocol_[parent].kind) {
                case NodeKind::sequence: {
                    auto children = protocol_.children(parent);
                    auto next = std::upper_bound(children.begin(), children.end(), id);
                    if (next != children.end()) return *next;
                    break;
                }
                case NodeKind::repeat:
                case NodeKind::while_loop: return parent;
                default: break;
            }
            id = parent;
        }
        return {};
    }

    model::EdgeData data_of(NodeId id) const {
        model::EdgeData data;
        const Node& node = protocol_[id];
        if (node.kind == NodeKind::assign) {
            data.assignments.push_back({node.variable, node.guard});
        } else {
            auto arguments = protocol_.arguments(id);
            data.data.assign(arguments.begin(), arguments.end());
            data.where = node.guard;
        }
        return data;
    }

    bool holds(NodeId id, const Environment& environment) const {
        return satisfied(*specification_.pool, protocol_[id].guard, environment);
    }

    // The values with which an interaction may happen, and the variables after each.
    std::vector<std::pair<std::string, Environment>> exchanges(NodeId id, const Environment& environment) {
        std::vector<std::pair<std::string, Environment>> result;
        model::EdgeData data = data_of(id);
        model::MessageId message = protocol_[id].message;
        auto rows = values_.rows(message, data, environment, {limits_.values, limits_.nodes});
        if (!rows) {
            reason = rows.error();
            return result;
        }
        for (const auto& row : *rows) {
            Environment next = environment;
            if (!values_.fits(message, data, row, next)) continue;
            result.emplace_back(row.empty() ? std::string(specification_.alphabet->name(message))
                                            : values_.name(message, row),
                                std::move(next));
        }
        return result;
    }

    Tree make(NodeKind kind, NodeId source) {
        if (++nodes_ > limits_.nodes) reason = "with all values of its data the protocol is too large";
        return {kind, source, {}, 0, {}};
    }
    Tree group(NodeKind kind, NodeId source, std::vector<Trees> parts) {
        Tree tree = make(kind, source);
        for (Trees& part : parts) {
            Tree one = make(NodeKind::sequence, source);
            one.children = std::move(part);
            tree.children.push_back(std::move(one));
        }
        return tree;
    }

    static Unfolded joined(Trees first, Unfolded rest) {
        if (!rest) return rest;
        for (Tree& tree : *rest) first.push_back(std::move(tree));
        return first;
    }

    Unfolded rest(const Part& part, NodeId at, const Environment& environment) {
        NodeId next = after(at, part.base);
        return next ? from(part, next, environment) : Trees{};
    }

    Unfolded from(const Part& part, NodeId at, const Environment& before) {
        if (depth_ >= max_depth) reason = "with all values of its data the protocol is nested too deeply";
        if (limits_.deadline.passed()) reason = why_stopped(limits_.deadline);
        if (!reason.empty()) return std::nullopt;
        ++depth_;
        Environment environment = needs_.at(at, before);
        Unfolded result = stays_in(part, at, environment) || stands_alone(part, at)
                              ? alone_then_rest(part, at, environment)
                              : inside(part, at, environment);
        --depth_;
        return result;
    }

    Unfolded inside(const Part& part, NodeId at, const Environment& environment) {
        auto children = protocol_.children(at);
        switch (protocol_[at].kind) {
            case NodeKind::sequence:
                return children.empty() ? rest(part, at, environment) : from(part, children[0], environment);
            case NodeKind::interaction: return interaction(part, at, environment);
            case NodeKind::choice: return choice(part, at, environment);
            case NodeKind::conditional:
                return from(part, children[holds(at, environment) ? 0 : 1], environment);
            case NodeKind::parallel: return parallel(part, at, environment);
            case NodeKind::repeat:
            case NodeKind::recursion:
            case NodeKind::while_loop: return loop(part, at, environment);
            case NodeKind::jump: return from(part, protocol_.loop_node(protocol_[at].loop), environment);
            case NodeKind::assign: {
                Environment next = environment;
                values_.assign(data_of(at), next);
                return rest(part, at, next);
            }
            default:
                reason = "interruption and semaphores are not tried with all values";
                return std::nullopt;
        }
    }

    // ---- parts on their own

    bool stands_alone(const Part& part, NodeId at) const {
        switch (protocol_[at].kind) {
            case NodeKind::choice:
            case NodeKind::repeat:
            case NodeKind::recursion:
            case NodeKind::while_loop: return at != part.base && !endings_.leaves(at) && !needs_.changes(at);
            default: return false;
        }
    }

    // A loop that the data never lets end.
    bool stays_in(const Part& part, NodeId at, const Environment& environment) {
        NodeKind kind = protocol_[at].kind;
        if (at == part.base || (kind != NodeKind::while_loop && kind != NodeKind::recursion)) return false;
        return !can_leave(at, environment);
    }

    Unfolded alone_then_rest(const Part& part, NodeId at, const Environment& environment) {
        Heads heads;
        Unfolded own = inside({at, heads}, at, environment);
        if (!own) return own;
        Unfolded next = rest(part, at, environment);
        if (!next) {
            if (!own->empty()) stuck();
            return next;
        }
        if (stays_in(part, at, environment)) {
            ask_for_idle(at, *own, *next);
            leave_out_unreached(*own, *next);
        }
        return joined(std::move(*own), std::move(next));
    }

    // A loop holds up the roles that it names. Where the data leaves one of them nothing to do in it, the
    // result does not name it any more.
    void ask_for_idle(NodeId loop, const Trees& own, const Trees& next) {
        model::RoleSet named = model::roles_in(protocol_, loop), active, wanted;
        add_roles(own, active);
        add_roles(next, wanted);
        for (model::RoleId role : protocol_.roles())
            if (named.has(role) && !active.has(role) && wanted.has(role))
                reason = "the data leaves a role nothing to do in an endless loop that names it";
    }
    // After an endless loop, a step of a role that is in the loop never comes, and the other role of the step
    // waits for it: it does nothing after it either.
    void leave_out_unreached(const Trees& own, Trees& next) {
        model::RoleSet held;
        add_roles(own, held);
        Trees reached;
        for (Tree& tree : next) {
            model::RoleSet roles;
            add_roles(tree, roles);
            if (!roles.meets(held)) {
                reached.push_back(std::move(tree));
                continue;
            }
            if (tree.kind != NodeKind::interaction && roles.exceeds(held))
                reason = "a part after an endless loop is reached by some of its roles only";
            held.add(roles);
        }
        next = std::move(reached);
    }
    void add_roles(const Trees& trees, model::RoleSet& roles) const {
        for (const Tree& tree : trees) add_roles(tree, roles);
    }
    void add_roles(const Tree& tree, model::RoleSet& roles) const {
        if (tree.kind == NodeKind::interaction) {
            roles.add(protocol_[tree.source].role);
            roles.add(protocol_[tree.source].to);
        }
        add_roles(tree.children, roles);
    }

    // ---- one construct each

    Unfolded interaction(const Part& part, NodeId at, const Environment& environment) {
        // Values after which the same is needed are followed together.
        std::map<std::vector<Value>, std::pair<std::vector<Trees>, Environment>> groups;
        NodeId next = after(at, part.base);
        for (auto& [message, values] : exchanges(at, environment)) {
            Environment kept = next ? needs_.at(next, values) : Environment();
            auto& [messages, common] = groups[needs_.key(kept)];
            Tree tree = make(NodeKind::interaction, at);
            tree.message = message;
            messages.push_back({std::move(tree)});
            common = std::move(kept);
        }
        if (groups.empty()) return std::nullopt;
        std::vector<Trees> ways;
        for (auto& [key, one] : groups) {
            Trees first;
            if (one.first.size() == 1)
                first = std::move(one.first[0]);
            else
                first.push_back(group(NodeKind::choice, at, std::move(one.first)));
            Unfolded way = joined(std::move(first), rest(part, at, one.second));
            if (!way) {
                stuck();
                return std::nullopt;
            }
            ways.push_back(std::move(*way));
        }
        return one_of(at, std::move(ways));
    }

    Unfolded one_of(NodeId at, std::vector<Trees> ways) {
        if (ways.empty()) return std::nullopt;
        if (ways.size() == 1) return std::move(ways[0]);
        Trees result;
        result.push_back(group(NodeKind::choice, at, std::move(ways)));
        return result;
    }

    Unfolded choice(const Part& part, NodeId at, const Environment& environment) {
        std::vector<Trees> ways;
        for (NodeId child : protocol_.children(at))
            if (Unfolded way = from(part, child, environment)) ways.push_back(std::move(*way));
        return one_of(at, std::move(ways));
    }

    Unfolded parallel(const Part& part, NodeId at, const Environment& environment) {
        if (needs_.changes(at)) {
            reason = "parallel branches change a variable that is tested after them";
            return std::nullopt;
        }
        std::vector<Trees> segments;
        for (NodeId child : protocol_.children(at)) {
            Heads heads;
            Unfolded segment = from({child, heads}, child, environment);
            if (!segment) {
                stuck();
                return std::nullopt;
            }
            segments.push_back(std::move(*segment));
        }
        Trees result;
        result.push_back(group(NodeKind::parallel, at, std::move(segments)));
        Unfolded next = rest(part, at, environment);
        if (!next) stuck();
        return joined(std::move(result), std::move(next));
    }

    Unfolded loop(const Part& part, NodeId at, const Environment& environment) {
        NodeKind kind = protocol_[at].kind;
        if (kind == NodeKind::while_loop && !holds(at, environment)) return rest(part, at, environment);
        std::pair key{at, needs_.key(environment)};
        if (auto met = part.heads.find(key); met != part.heads.end()) {
            met->second.used = true;
            Tree jump = make(NodeKind::jump, at);
            jump.loop = met->second.loop;
            Trees result;
            result.push_back(std::move(jump));
            return result;
        }
        part.heads.emplace(key, Head{loops++});
        Unfolded body = rounds(part, at, environment);
        Head head = part.heads.at(key);
        part.heads.erase(key);
        if (!body || !head.used) return body;
        Tree recursion = make(NodeKind::recursion, at);
        recursion.loop = head.loop;
        recursion.children.push_back(make(NodeKind::sequence, at));
        recursion.children[0].children = std::move(*body);
        Trees result;
        result.push_back(std::move(recursion));
        return result;
    }

    Unfolded rounds(const Part& part, NodeId at, const Environment& environment) {
        NodeId body = protocol_.children(at)[0];
        if (protocol_[at].kind != NodeKind::repeat) return from(part, body, environment);
        std::vector<Trees> ways;
        if (Unfolded again = from(part, body, environment)) ways.push_back(std::move(*again));
        if (Unfolded exit = rest(part, at, environment)) ways.push_back(std::move(*exit));
        return one_of(at, std::move(ways));
    }

    // ---- whether the data ever lets a part end

    // Whether some way from the start of the part leads out of it.
    bool can_leave(NodeId part, const Environment& environment) {
        auto [known, added] = can_leave_.try_emplace({part, needs_.key(environment)}, true);
        if (added) known->second = finds_way_out(part, environment);
        return known->second;
    }

    bool finds_way_out(NodeId part, const Environment& environment) {
        std::set<std::pair<NodeId, std::vector<Value>>> seen;
        std::vector<std::pair<NodeId, Environment>> open;
        bool left = false;
        auto reach = [&](NodeId at, const Environment& values) {
            if (!at || at < part || at.index >= protocol_[part].subtree_end) {
                left = true;
                return;
            }
            Environment kept = needs_.at(at, values);
            if (seen.emplace(at, needs_.key(kept)).second) open.emplace_back(at, std::move(kept));
        };
        reach(part, environment);
        while (!open.empty() && !left && reason.empty()) {
            auto [at, values] = std::move(open.back());
            open.pop_back();
            if (seen.size() > limits_.nodes) reason = "with all values of its data the protocol is too large";
            step(at, part, values, reach);
        }
        return left;
    }

    template <typename Reach>
    void step(NodeId at, NodeId part, const Environment& values, const Reach& reach) {
        auto children = protocol_.children(at);
        NodeId next = after(at, part);
        switch (protocol_[at].kind) {
            case NodeKind::sequence: return reach(children.empty() ? next : children[0], values);
            case NodeKind::interaction:
                for (auto& [message, changed] : exchanges(at, values)) reach(next, changed);
                return;
            case NodeKind::choice:
                for (NodeId child : children) reach(child, values);
                return;
            case NodeKind::conditional: return reach(children[holds(at, values) ? 0 : 1], values);
            case NodeKind::parallel:
                for (NodeId child : children)
                    if (!can_leave(child, values)) return;
                return reach(next, values);
            case NodeKind::repeat: reach(children[0], values); return reach(next, values);
            case NodeKind::while_loop: return reach(holds(at, values) ? children[0] : next, values);
            case NodeKind::recursion: return reach(children[0], values);
            case NodeKind::jump: return reach(protocol_.loop_node(protocol_[at].loop), values);
            case NodeKind::assign: {
                Environment changed = values;
                values_.assign(data_of(at), changed);
                return reach(next, changed);
            }
            default: return reach(next, values);  // refused where it is written
        }
    }

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    const ExpandProtocolLimits& limits_;
    model::Endings endings_;
    Needs needs_;
    MessageValues values_;
    std::map<std::pair<NodeId, std::vector<Value>>, bool> can_leave_;
    std::size_t nodes_ = 0, depth_ = 0;
};

// The tree as a protocol over messages of its own.
class Emitter {
public:
    Emitter(const model::Specification& from, const model::Protocol& protocol, std::size_t loops)
        : protocol_(protocol),
          loops_(loops),
          builder_(std::string(protocol.name()), protocol.span(), roles()) {
        result_.alphabet = copied(*from.alphabet);
    }

    base::Result<ExpandedProtocol> run(const Trees& trees) {
        source_.push_back(protocol_.root());
        builder_.open(NodeKind::sequence, protocol_.span());
        for (const Tree& tree : trees) emit(tree);
        builder_.close();
        auto made = builder_.finish();
        if (!made) return base::Fault{std::string(builder_.fault())};
        if (auto beside = model::beside_endless(*made)) {
            made = std::move(beside->protocol);
            for (NodeId& id : beside->source) id = source_[id.index];
            source_ = std::move(beside->source);
        }
        result_.messages.resize(result_.alphabet->message_count());
        result_.protocols.push_back(std::move(*made));
        return ExpandedProtocol{std::move(result_), std::move(source_)};
    }

private:
    // The same roles, messages and labels under the same numbers.
    static std::shared_ptr<model::Alphabet> copied(const model::Alphabet& from) {
        auto to = std::make_shared<model::Alphabet>();
        for (std::size_t i = 0; i < from.role_count(); ++i) to->role(from.name(model::RoleId(i)));
        for (std::size_t i = 0; i < from.message_count(); ++i) to->message(from.name(model::MessageId(i)));
        for (std::size_t i = 0; i < from.label_count(); ++i) to->label(from.event(model::LabelId(i)));
        return to;
    }

    std::vector<model::RoleId> roles() const { return {protocol_.roles().begin(), protocol_.roles().end()}; }

    void emit(const Tree& tree) {
        const Node& node = protocol_[tree.source];
        source_.push_back(tree.source);
        switch (tree.kind) {
            case NodeKind::interaction:
                builder_.interaction(node.span, node.role, node.to, result_.alphabet->message(tree.message));
                return;
            case NodeKind::jump: builder_.jump(node.span, loops_[tree.loop]); return;
            case NodeKind::recursion:
                loops_[tree.loop] = builder_.loop("L" + std::to_string(tree.loop));
                builder_.open_recursion(node.span, loops_[tree.loop]);
                break;
            case NodeKind::choice: builder_.open_choice(node.span, node.role); break;
            default: builder_.open(tree.kind, node.span);
        }
        for (const Tree& child : tree.children) emit(child);
        builder_.close();
    }

    const model::Protocol& protocol_;
    std::vector<model::LoopId> loops_;
    model::ProtocolBuilder builder_;
    model::Specification result_;
    std::vector<NodeId> source_;
};

}  // namespace

base::Result<ExpandedProtocol> expand_protocol(const model::Specification& specification,
                                               const model::Protocol& protocol,
                                               const ExpandProtocolLimits& limits) {
    ValueChoice choice = choose_values(specification, protocol, limits.values);
    Unfolder unfolder(specification, protocol, choice, limits);
    Unfolded trees = unfolder.run();
    if (!trees) return base::Fault{unfolder.reason};
    return Emitter(specification, protocol, unfolder.loops).run(*trees);
}

}  // namespace treaty::symbolic
