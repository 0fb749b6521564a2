// Expansion walks the tree once, with one frame for each `do` that is open.
//
// A frame holds the arguments of its call (already resolved in the caller) and what fills the hole,
// together with the frame the filler was written in, so that a filler never sees the parameters of the
// definition it is put into. A definition inside a definition also sees the outer one's parameters: its
// frame points to the frame of the outer call.
//
// Whether a controller occurs in the body of its loop is asked without looking at the body again: each role
// remembers when it last took part, and the loop remembers when its body began.

#include "formats/gc/expand.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/gc/lexer.h"

namespace treaty::formats::gc {
namespace {

using base::Span;
using model::RoleId;

struct Frame {
    DefinitionId definition;
    std::vector<Name> arguments;
    TreeId filler;
    const Frame* filler_frame = nullptr;
    const Frame* outer = nullptr;  // of the definition around this one
    Span call;
};

// Who may send first: no one yet, one role, or several; and whether there may be no step at all.
struct First {
    RoleId role;
    bool several = false;
    bool nullable = true;
};

void merge(First& into, const First& other) {
    into.several |= other.several || (into.role && other.role && into.role != other.role);
    if (!into.role) into.role = other.role;
}

class Expander {
public:
    Expander(const Tree& tree, base::Diagnostics& diagnostics) : tree_(tree), diagnostics_(diagnostics) {}

    std::optional<model::Specification> run(std::string name, Span whole) {
        collect_roles();
        if (stopped_ || diagnostics_.errors() > errors_before_) return std::nullopt;
        builder_.emplace(std::move(name), whole, roles_);
        block(tree_.root, nullptr);
        auto protocol = builder_->finish();
        if (!protocol) return std::nullopt;
        for (auto [node, decider] : deciders_) protocol->set_decider(node, decider);
        specification_.protocols.push_back(std::move(*protocol));
        for (Span span : first_use_) specification_.messages.push_back({span, false, {}, {}, {}});
        return std::move(specification_);
    }

private:
    // Names.

    Name resolve(const Name& name, const Frame* frame) const {
        for (const Frame* f = frame; f; f = f->outer) {
            const Definition& d = tree_.definitions[f->definition.index];
            auto found = d.positions.find(name.text);
            if (found != d.positions.end()) return f->arguments[found->second];
        }
        return name;
    }

    RoleId role(const Name& written, const Frame* frame) {
        Name name = resolve(written, frame);
        if (!role_name(name.text) && name.span != written.span && told_.insert(name.span.begin).second) {
            diagnostics_
                .report(codes::gc_role_name, name.span,
                        fmt::format("role `{}` does not begin with a letter", name.text))
                .label(written.span, "used as a role here");
        }
        RoleId id = specification_.alphabet->role(name.text);
        if (id.index >= last_seen_.size()) last_seen_.resize(id.index + 1, 0);
        return id;
    }

    model::MessageId message(const Name& written, const Frame* frame) {
        model::MessageId id = specification_.alphabet->message(resolve(written, frame).text);
        if (id.index == first_use_.size()) first_use_.push_back(written.span);
        return id;
    }

    // The roles of a protocol are in its head, so they are found before it is built: by a first walk that
    // builds nothing.
    void collect_roles() {
        errors_before_ = diagnostics_.errors();
        block(tree_.root, nullptr);
        for (std::size_t i = 0; i < specification_.alphabet->role_count(); ++i) roles_.push_back(RoleId(i));
        steps_ = 0;
        clock_ = 1;
        last_broken_ = 0;
        last_seen_.assign(last_seen_.size(), 0);
    }

    // Limits.

    bool enter(Span span, Kind kind, const Frame* frame) {
        if (stopped_) return false;
        std::uint32_t limit = model::Protocol::max_depth;
        bool opens = kind == Kind::choice || kind == Kind::fork || kind == Kind::loop;  // itself and a block
        if (depth_ >= limit || open_ + (opens ? 2 : 0) > limit) {
            report_stop(codes::gc_too_deep, span, frame, fmt::format("nested deeper than {} levels", limit));
            return false;
        }
        if (frame && ++steps_ > max_expansion) {
            report_stop(codes::gc_too_large, span, frame,
                        fmt::format("the definitions expand to more than {} steps", max_expansion));
            return false;
        }
        ++depth_;
        return true;
    }

    void report_stop(const base::Code& code, Span span, const Frame* frame, std::string message) {
        stopped_ = true;
        auto& d = diagnostics_.report(code, span, std::move(message));
        if (frame) d.label(frame->call, "expanded from here");
    }

    // Building; without a builder only the walk matters.

    model::NodeId open(model::NodeKind kind, Span span) {
        ++open_;
        return builder_ ? builder_->open(kind, span) : model::NodeId();
    }
    void close() {
        --open_;
        if (builder_) builder_->close();
    }

    First block(TreeId id, const Frame* frame) {
        if (stopped_) return {};
        open(model::NodeKind::sequence, tree_[id].span);
        First first;
        step(id, frame, first);
        close();
        return first;
    }

    // Adds the steps of a part to the open sequence; `first` is that of the sequence so far.
    void step(TreeId id, const Frame* frame, First& first) {
        const TreeNode& node = tree_[id];
        if (!enter(node.span, node.kind, frame)) return;
        switch (node.kind) {
            case Kind::broken: last_broken_ = clock_; break;
            case Kind::empty: break;
            case Kind::interaction: interaction(node, frame, first); break;
            case Kind::choice: then(first, choice(node, frame)); break;
            case Kind::fork: then(first, fork(node, frame)); break;
            case Kind::loop: then(first, loop(node, frame)); break;
            case Kind::call: call(node, frame, first); break;
            case Kind::hole:
                if (frame && frame->filler) step(frame->filler, frame->filler_frame, first);
                break;
            case Kind::sequence:
                for (TreeId child : tree_.children(node)) step(child, frame, first);
                break;
        }
        --depth_;
    }

    static void then(First& sequence, const First& next) {
        if (!sequence.nullable) return;
        merge(sequence, next);
        sequence.nullable = next.nullable;
    }

    void interaction(const TreeNode& node, const Frame* frame, First& first) {
        RoleId from = role(node.subject, frame);
        last_seen_[from.index] = clock_;
        for (const Name& receiver : tree_.names(node)) {
            RoleId to = role(receiver, frame);
            if (to == from) {
                self_message(node, receiver, frame);
                last_broken_ = clock_;
                continue;
            }
            last_seen_[to.index] = clock_;
            model::MessageId m = message(node.message, frame);
            if (builder_) builder_->interaction(node.span, from, to, m);
        }
        then(first, {from, false, false});
    }

    // Only arguments can make the two equal here: what is written twice was found by the parser.
    void self_message(const TreeNode& node, const Name& receiver, const Frame* frame) {
        if (!frame || !told_.insert(receiver.span.begin).second) return;
        diagnostics_
            .report(codes::gc_self_message, node.span,
                    fmt::format("`{}` sends to itself", resolve(receiver, frame).text))
            .label(frame->call, "with the arguments given here");
    }

    First choice(const TreeNode& node, const Frame* frame) {
        RoleId decider = node.subject.text.empty() ? RoleId() : role(node.subject, frame);
        model::NodeId id = open(model::NodeKind::choice, node.span);
        First first;
        first.nullable = false;
        bool every = true;  // one role sends first in each branch
        for (TreeId child : tree_.children(node)) {
            First branch = block(child, frame);
            every = every && branch.role && !branch.several && !branch.nullable;
            merge(first, branch);
            first.nullable = first.nullable || branch.nullable;
        }
        close();
        // A role that takes no part otherwise is not known to anything but this choice; then it stays.
        bool takes_part = !decider || last_seen_[decider.index] > 0;
        if (every && !first.several && decider != first.role && takes_part) {
            if (decider && told_.insert(node.subject.span.begin).second)
                diagnostics_
                    .report(codes::gc_other_decider, node.subject.span,
                            fmt::format("`{}` does not decide this choice: {} sends first in every branch",
                                        specification_.alphabet->name(decider),
                                        specification_.alphabet->name(first.role)))
                    .help(fmt::format("name {} instead", specification_.alphabet->name(first.role)));
            decider = first.role;
        }
        if (builder_) deciders_.emplace_back(id, decider);
        return first;
    }

    First fork(const TreeNode& node, const Frame* frame) {
        First first;
        open(model::NodeKind::parallel, node.span);
        for (TreeId child : tree_.children(node)) {
            First part = block(child, frame);
            merge(first, part);
            first.nullable = first.nullable && part.nullable;
        }
        close();
        return first;
    }

    First loop(const TreeNode& node, const Frame* frame) {
        RoleId controller = node.subject.text.empty() ? RoleId() : role(node.subject, frame);
        std::size_t began = ++clock_;
        model::NodeId id = open(model::NodeKind::repeat, node.span);
        First first = block(tree_.children(node)[0], frame);
        close();
        bool whole = last_broken_ < began && !stopped_;
        if (!controller) {
            if (first.role && !first.several && !first.nullable) {
                controller = first.role;
            } else if (whole && told_.insert(node.span.begin).second) {
                diagnostics_
                    .report(codes::gc_no_controller, node.span, "no role is known to control this loop")
                    .help("name it: `repeat P { ... }`");
            }
        } else if (whole && last_seen_[controller.index] < began &&
                   told_.insert(node.subject.span.begin).second) {
            diagnostics_
                .report(codes::gc_controller_absent, node.subject.span,
                        fmt::format("`{}` controls this loop but takes no part in it",
                                    specification_.alphabet->name(controller)))
                .label(node.span, "the loop");
        }
        if (builder_) deciders_.emplace_back(id, controller);
        first.nullable = true;
        return first;
    }

    void call(const TreeNode& node, const Frame* frame, First& first) {
        const Definition& d = tree_.definitions[node.definition.index];
        Frame inner;
        inner.definition = node.definition;
        inner.call = node.span;
        for (const Name& argument : tree_.names(node)) inner.arguments.push_back(resolve(argument, frame));
        if (node.child_count == 1) {
            inner.filler = tree_.children(node)[0];
            inner.filler_frame = frame;
        }
        inner.outer = frame;
        while (inner.outer && inner.outer->definition != d.enclosing) inner.outer = inner.outer->outer;
        step(d.body, &inner, first);
    }

    const Tree& tree_;
    base::Diagnostics& diagnostics_;
    model::Specification specification_;
    std::optional<model::ProtocolBuilder> builder_;
    std::vector<RoleId> roles_;
    std::vector<std::pair<model::NodeId, RoleId>> deciders_;  // known only after their branches
    std::vector<Span> first_use_;                             // of each message
    std::vector<std::size_t> last_seen_;                      // of each role, by the clock
    std::size_t clock_ = 1;                                   // ticks where a loop begins
    std::size_t last_broken_ = 0;
    std::size_t steps_ = 0;
    std::size_t errors_before_ = 0;
    std::uint32_t depth_ = 0, open_ = 0;
    bool stopped_ = false;
    absl::flat_hash_set<std::uint32_t> told_;  // where a fault of an expansion was reported
};

}  // namespace

std::optional<model::Specification> expand(const Tree& tree, std::string protocol_name, base::Span whole,
                                           base::Diagnostics& diagnostics) {
    return Expander(tree, diagnostics).run(std::move(protocol_name), whole);
}

}  // namespace treaty::formats::gc
