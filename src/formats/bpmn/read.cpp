// From the graph of a choreography to nested steps.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "formats/bpmn/bpmn.h"
#include "formats/bpmn/graph.h"
#include "formats/codes.h"
#include "formats/json_schema/values.h"
#include "formats/made_text.h"
#include "formats/names.h"
#include "lang/print.h"

namespace treaty::formats {
namespace {

using bpmn::Choreography;
using bpmn::Flow;
using bpmn::Graph;
using bpmn::Node;
using bpmn::NodeKind;
using bpmn::none;

constexpr std::size_t most_lines = 20'000;
constexpr std::size_t most_nested = 150;

// The steps of one graph.
class Steps {
public:
    Steps(const Choreography& made, std::size_t graph, base::Diagnostics& diagnostics, MadeText& out,
          json_schema::FreeNames& labels, std::size_t nested)
        : made_(made),
          graph_(made.graphs[graph]),
          diagnostics_(diagnostics),
          out_(out),
          labels_(labels),
          nested_(nested),
          meeting_(bpmn::meeting_points(graph_)),
          heads_(bpmn::loop_heads(graph_)),
          label_of_(graph_.nodes.size()) {}

    void write(int indent) { walk(indent, graph_.start, false); }

private:
    struct Nesting {
        std::size_t& depth;
        explicit Nesting(std::size_t& d) : depth(++d) {}
        ~Nesting() { --depth; }
    };

    bool is_stop(std::size_t at) const { return std::ranges::find(stops_, at) != stops_.end(); }
    bool is_open(std::size_t at) const { return !label_of_[at].empty(); }
    std::size_t next_of(std::size_t at) const {
        return graph_.nodes[at].out.empty() ? none : graph_.nodes[at].out.front().to;
    }
    // Past gateways that only bring flows together.
    std::size_t past_joins(std::size_t at) const {
        for (std::size_t steps = 0; at != none && !is_stop(at) && !is_open(at) && steps < graph_.nodes.size();
             ++steps) {
            const Node& node = graph_.nodes[at];
            if (node.kind != NodeKind::exclusive || node.out.size() != 1) return at;
            at = node.out.front().to;
        }
        return at;
    }

    // From the node to a stop, an end, or back to an open loop. `head`: the loop of the node is open already.
    void walk(int indent, std::size_t at, bool head) {
        Nesting nesting(nested_);
        for (; at != none && !is_stop(at); head = false) {
            if (too_large(at)) return;
            const Node& node = graph_.nodes[at];
            if (!head && is_open(at))
                return out_.line(indent, fmt::format("continue {}", label_of_[at]), node.span);
            if (!head && heads_[at]) {
                if (auto loop = plain_loop(at)) {
                    repeat(indent, at, *loop);
                    at = loop->exit;
                    continue;
                }
                label_of_[at] = labels_.take(lang::writable_role(node.name) ? node.name : "Again");
                out_.line(indent, fmt::format("rec {} {{", label_of_[at]), node.span);
                walk(indent + 1, at, true);
                out_.line(indent, "}");
                label_of_[at].clear();
                return;
            }
            switch (node.kind) {
                case NodeKind::start: break;
                case NodeKind::end: return;
                case NodeKind::task: task(indent, node); break;
                case NodeKind::inner: inner(indent, node); break;
                case NodeKind::exclusive:
                    if (node.out.size() > 1) {
                        at = choose(indent, at);
                        continue;
                    }
                    break;
                case NodeKind::parallel:
                    if (node.out.size() > 1) {
                        at = fork(indent, at);
                        continue;
                    }
                    if (node.in > 1) return unstructured(node);
                    break;
            }
            at = next_of(at);
        }
    }

    bool too_large(std::size_t at) {
        if (gave_up_) return true;
        if (nested_ <= most_nested && out_.lines() <= most_lines) return false;
        gave_up_ = true;
        diagnostics_.report(
            codes::bpmn_too_large, graph_.nodes[at].span,
            fmt::format("the protocol becomes too large: at most {} blocks in one another and {} lines",
                        most_nested, most_lines));
        return true;
    }

    void unstructured(const Node& node) {
        gave_up_ = true;
        diagnostics_
            .report(codes::bpmn_flow, node.span,
                    "the branches of a parallel gateway do not meet where they should")
            .help(
                "a parallel gateway that divides the flow needs one that brings the same branches together");
    }

    void task(int indent, const Node& node) {
        int inside = indent + (node.repeated ? 1 : 0);
        if (node.repeated) out_.line(indent, fmt::format("repeat at {} {{", node.initiator), node.span);
        out_.line(inside, fmt::format("{} -> {}: {}", node.initiator, node.other, node.request), node.span);
        if (!node.response.empty())
            out_.line(inside, fmt::format("{} -> {}: {}", node.other, node.initiator, node.response),
                      node.span);
        if (node.repeated) out_.line(indent, "}");
    }

    void inner(int indent, const Node& node) {
        if (node.repeated) out_.line(indent, fmt::format("repeat at {} {{", node.initiator), node.span);
        Steps steps(made_, node.graph, diagnostics_, out_, labels_, nested_);
        steps.write(indent + (node.repeated ? 1 : 0));
        gave_up_ = gave_up_ || steps.gave_up_;
        if (node.repeated) out_.line(indent, "}");
    }

    // --- choices

    // Who sends first after a node; empty if it cannot be told.
    std::string decider(std::size_t at, std::set<std::size_t>& seen) const {
        if (at == none || !seen.insert(at).second || is_stop(at)) return {};
        const Node& node = graph_.nodes[at];
        if (node.kind == NodeKind::task || node.kind == NodeKind::inner) return node.initiator;
        for (const Flow& flow : node.out)
            if (std::string found = decider(flow.to, seen); !found.empty()) return found;
        return {};
    }
    std::string decider(std::size_t at) const {
        std::set<std::size_t> seen;
        return decider(at, seen);
    }

    // Whether a way from `from` reaches one of the nodes without passing `but`.
    template <class Wanted>
    bool reaches(std::size_t from, std::size_t but, Wanted wanted) const {
        std::set<std::size_t> seen;
        std::vector<std::size_t> pending{from};
        while (!pending.empty()) {
            std::size_t at = pending.back();
            pending.pop_back();
            if (at == but || !seen.insert(at).second) continue;
            if (wanted(at)) return true;
            if (is_stop(at)) continue;
            for (const Flow& flow : graph_.nodes[at].out) pending.push_back(flow.to);
        }
        return false;
    }

    // Where the branches of a node meet, inside of what is being written; none if they go on separately.
    std::size_t meeting(std::size_t at) const {
        auto brings_together = [&](std::size_t n) {
            const Node& node = graph_.nodes[n];
            return node.kind == NodeKind::exclusive || node.kind == NodeKind::parallel || node.in > 1;
        };
        std::size_t join = meeting_[at];
        while (join != none && !is_stop(join) && !brings_together(join)) join = meeting_[join];
        if (join == none || is_stop(join)) return join;
        bool leaves = reaches(at, join, [&](std::size_t n) { return is_stop(n); });
        return leaves || is_open(join) ? none : join;
    }

    std::size_t choose(int indent, std::size_t at) {
        const Node& node = graph_.nodes[at];
        std::size_t join = meeting(at);
        bool own_stop = join != none && !is_stop(join);
        if (own_stop) stops_.push_back(join);
        std::vector<const Flow*> branches;
        bool may_skip = false;
        for (const Flow& flow : node.out) {
            std::size_t first = past_joins(flow.to);
            bool nothing = first == none || is_stop(first) || graph_.nodes[first].kind == NodeKind::end;
            may_skip = may_skip || nothing;
            if (!nothing)
                branches.push_back(&flow);
            else
                note(indent, node, flow.condition, ": nothing");
        }
        std::string who = decider(at);
        if (!branches.empty()) {
            if (may_skip) out_.line(indent, fmt::format("optional at {} {{", who), node.span);
            out_.choose(
                indent + (may_skip ? 1 : 0), who, branches.size(),
                [&](int deeper, std::size_t i) {
                    note(deeper, node, branches[i]->condition);
                    walk(deeper, branches[i]->to, false);
                },
                node.span);
            if (may_skip) out_.line(indent, "}");
        }
        if (own_stop) stops_.pop_back();
        return join;
    }

    // The question is that of the gateway.
    void note(int indent, const Node& node, const std::string& condition, std::string_view after = "") {
        if (condition.empty()) return;
        out_.comment(indent,
                     fmt::format("{}{}{}{}", node.name, node.name.empty() ? "" : " ", condition, after));
        diagnostics_.report(
            codes::diagram_not_said, node.span,
            fmt::format("the condition `{}` is a comment: the diagram does not state what it means",
                        condition));
    }

    std::size_t fork(int indent, std::size_t at) {
        const Node& node = graph_.nodes[at];
        std::size_t join = meeting(at);
        auto arrives = [&](const Flow& flow) {
            return flow.to == join || reaches(flow.to, at, [&](std::size_t n) { return n == join; });
        };
        std::vector<const Flow*> together, apart;  // the latter are endless, or there is no join
        for (const Flow& flow : node.out) (join != none && arrives(flow) ? together : apart).push_back(&flow);
        if (together.size() == 1) {  // it goes on by itself
            apart.clear();
            for (const Flow& flow : node.out) apart.push_back(&flow);
            together.clear();
            join = none;
        }
        bool meets = join != none && !is_stop(join) && graph_.nodes[join].kind == NodeKind::parallel &&
                     graph_.nodes[join].in == together.size();
        if (join != none && !meets) {
            unstructured(node);
            return none;
        }
        std::erase_if(apart, [&](const Flow* flow) {
            std::size_t first = past_joins(flow->to);
            return first == none || is_stop(first) || graph_.nodes[first].kind == NodeKind::end;
        });
        if (apart.empty()) {
            if (!meets) return none;
            segments(indent, node, together, join);
            return next_of(join);
        }
        std::size_t count = apart.size() + (meets ? 1 : 0);
        if (count > 1) out_.line(indent, "par {", node.span);
        int inner = indent + (count > 1 ? 1 : 0);
        if (meets) {
            segments(inner, node, together, join);
            walk(inner, next_of(join), false);
        }
        for (std::size_t i = 0; i < apart.size(); ++i) {
            if (meets || i > 0) out_.line(indent, "} and {", node.span);
            walk(inner, apart[i]->to, false);
        }
        if (count > 1) out_.line(indent, "}");
        return none;
    }

    // Branches that end at the same gateway.
    void segments(int indent, const Node& node, std::vector<const Flow*> branches, std::size_t join) {
        stops_.push_back(join);
        std::erase_if(branches, [&](const Flow* flow) { return past_joins(flow->to) == join; });
        bool several = branches.size() > 1;
        for (std::size_t i = 0; i < branches.size(); ++i) {
            if (several) out_.line(indent, i == 0 ? "par {" : "} and {", node.span);
            walk(indent + (several ? 1 : 0), branches[i]->to, false);
            if (several && i + 1 == branches.size()) out_.line(indent, "}");
        }
        stops_.pop_back();
    }

    // --- loops

    struct Loop {
        const Flow* body = nullptr;
        std::size_t exit = none;
    };

    // A gateway that begins a round or leaves: one way leads back to it and nowhere else, the other one leads
    // on.
    std::optional<Loop> plain_loop(std::size_t head) const {
        const Node* node = &graph_.nodes[head];
        if (node->kind != NodeKind::exclusive || node->out.size() != 2) return std::nullopt;
        for (std::size_t i : {0u, 1u}) {
            std::size_t body = node->out[i].to, exit = node->out[1 - i].to;
            auto leaves = [&](std::size_t n) {
                return is_stop(n) || is_open(n) || n == exit || graph_.nodes[n].out.empty();
            };
            bool returns = !reaches(body, head, leaves) && body != head;
            bool stays = exit != head && !decider(body).empty();
            if (returns && stays) return Loop{&node->out[i], exit};
        }
        return std::nullopt;
    }

    void repeat(int indent, std::size_t head, const Loop& loop) {
        const Node& node = graph_.nodes[head];
        out_.line(indent, fmt::format("repeat at {} {{", decider(loop.body->to)), node.span);
        stops_.push_back(head);
        note(indent + 1, node, loop.body->condition);
        walk(indent + 1, loop.body->to, false);
        stops_.pop_back();
        out_.line(indent, "}");
    }

    const Choreography& made_;
    const Graph& graph_;
    base::Diagnostics& diagnostics_;
    MadeText& out_;
    json_schema::FreeNames& labels_;
    std::size_t nested_;
    bool gave_up_ = false;
    std::vector<std::size_t> meeting_;
    std::vector<bool> heads_;
    std::vector<std::string> label_of_;  // of open loops, by node
    std::vector<std::size_t> stops_;     // where the blocks around end, the innermost last
};

void write_protocol(const Choreography& one, const std::string& name, MadeText& out,
                    base::Diagnostics& diagnostics) {
    out.line(0, fmt::format("protocol {}({}) {{", name, fmt::join(one.roles, ", ")), one.span);
    json_schema::FreeNames labels;
    Steps(one, 0, diagnostics, out, labels, 0).write(1);
    out.line(0, "}");
}

}  // namespace

Loaded load_bpmn(const Loading& loading) {
    std::size_t errors = loading.diagnostics.errors();
    auto all = bpmn::read_graphs(loading.sources, loading.file, loading.diagnostics);
    if (!all) return {};
    MadeText text({loading.file, 0, 0});
    json_schema::FreeNames names;
    for (const Choreography& one : *all) {
        std::string_view stem = stem_of(loading.sources.path(loading.file));
        std::string name =
            lang::writable_role(one.name) ? one.name : protocol_name(one.name.empty() ? stem : one.name);
        write_protocol(one, names.take(name), text, loading.diagnostics);
    }
    if (loading.diagnostics.errors() > errors) return {};
    return text.read(loading);
}

}  // namespace treaty::formats
