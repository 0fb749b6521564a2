#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/gc/gc.h"
#include "formats/gc/lexer.h"
#include "formats/gc/loops.h"

namespace treaty::formats {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

bool writable(std::string_view name) {
    return !name.empty() && !gc::keyword(name) && std::all_of(name.begin(), name.end(), gc::name_character);
}

class Writer {
public:
    Writer(const model::Specification& specification, const model::Protocol& protocol, Conversion& conversion)
        : specification_(specification), protocol_(protocol), conversion_(conversion) {}

    std::optional<std::string> run() {
        surroundings();
        name_roles();
        name_messages();
        steps(gc::steps_of(protocol_, protocol_.root()), 0);
        out_ += '\n';
        if (!conversion_.ok()) return std::nullopt;
        return std::move(out_);
    }

private:
    const model::Alphabet& alphabet() const { return *specification_.alphabet; }

    // Declarations other than the protocol.
    void surroundings() {
        for (const model::Protocol& p : specification_.protocols)
            if (&p != &protocol_)
                conversion_.lose(
                    p.span(), fmt::format("a .gc file has one protocol; `{}` would be left out", p.name()));
        for (const model::Wire& w : specification_.wires)
            conversion_.lose(w.span, fmt::format(".gc cannot express wires; `{}` would be left out",
                                                 specification_.names->text(w.name)));
        for (const model::Property& p : specification_.properties)
            conversion_.lose(p.span, fmt::format(".gc cannot express properties; `{}` would be left out",
                                                 specification_.names->text(p.name)));
    }

    void name_roles() {
        absl::flat_hash_set<RoleId> acting;
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const Node& n = protocol_[NodeId(i)];
            acting.insert(n.role);
            acting.insert(n.to);
        }
        absl::flat_hash_map<std::string, RoleId> taken;
        for (RoleId role : protocol_.roles()) {
            std::string name(alphabet().name(role));
            if (!acting.contains(role)) {
                conversion_.lose(
                    protocol_.span(),
                    fmt::format("role `{}` neither sends nor receives; .gc cannot declare such a role",
                                name));
                continue;
            }
            name_role(role, name, taken);
        }
        // Then those that need another name, so that they never take one from a role that has it.
        for (RoleId role : protocol_.roles()) {
            std::string name(alphabet().name(role));
            if (acting.contains(role) && !roles_.contains(role) && writable(name))
                rename_role(role, name, taken);
        }
    }

    void name_role(RoleId role, const std::string& name, absl::flat_hash_map<std::string, RoleId>& taken) {
        if (!writable(name)) {
            conversion_.refuse(protocol_.span(), fmt::format("role `{}` is not a valid name in .gc", name));
        } else if (gc::role_name(name)) {
            roles_[role] = name;
            taken[name] = role;
        }
    }

    void rename_role(RoleId role, const std::string& name, absl::flat_hash_map<std::string, RoleId>& taken) {
        std::string lettered = "P" + name;
        auto [other, added] = taken.try_emplace(lettered, role);
        if (!added) {
            conversion_.refuse(protocol_.span(),
                               fmt::format("role `{}` would become `{}` in .gc, as role `{}` does", name,
                                           lettered, alphabet().name(other->second)));
            return;
        }
        roles_[role] = lettered;
        conversion_.rename(
            protocol_.span(),
            fmt::format("role `{}` becomes `{}`: roles of .gc begin with a letter", name, lettered));
    }

    void name_messages() {
        absl::flat_hash_set<model::MessageId> told;
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const Node& n = protocol_[NodeId(i)];
            if (n.kind != NodeKind::interaction || writable(alphabet().name(n.message))) continue;
            if (told.insert(n.message).second)
                conversion_.refuse(n.span, fmt::format("message `{}` is not a valid name in .gc",
                                                       alphabet().name(n.message)));
        }
    }

    std::string name(RoleId role) const {
        auto found = roles_.find(role);
        return found == roles_.end() ? std::string("Unnamed") : found->second;
    }

    // Text.

    void indent(std::size_t level) { out_.append(2 * level, ' '); }

    void steps(const std::vector<NodeId>& list, std::size_t level) {
        bool any = false;
        for (NodeId id : list) {
            if (protocol_[id].kind == NodeKind::assign) {
                conversion_.lose(protocol_[id].span, ".gc cannot express computed values");
                continue;
            }
            if (any) out_ += ";\n";
            step(id, level);
            any = true;
        }
        if (!any) {
            indent(level);
            out_ += "(o)";
        }
    }

    void step(NodeId id, std::size_t level) {
        const Node& n = protocol_[id];
        switch (n.kind) {
            case NodeKind::interaction: return interaction(id, level);
            case NodeKind::choice: return braces(choice_head(n.role), '+', parts_of(id), level);
            case NodeKind::parallel: return braces("", '|', parts_of(id), level);
            case NodeKind::repeat: return repeat(id, level);
            case NodeKind::recursion: return recursion(id, level);
            case NodeKind::jump: return;  // reported at its recursion
            case NodeKind::while_loop:
                conversion_.refuse(n.span, ".gc cannot express `while`, which depends on data");
                break;
            case NodeKind::conditional:
                conversion_.refuse(n.span, ".gc cannot express `if` and `match`, which depend on data");
                break;
            case NodeKind::interrupt: conversion_.refuse(n.span, ".gc cannot express interrupts"); break;
            case NodeKind::signal:
            case NodeKind::wait: conversion_.refuse(n.span, ".gc cannot express `signal` and `wait`"); break;
            case NodeKind::sequence:
            case NodeKind::assign: break;  // opened by steps_of, left out by steps
        }
        for (NodeId child : protocol_.children(id)) inside_refused(child);
    }

    // A part that is refused as a whole is still searched for further faults.
    void inside_refused(NodeId id) { steps(gc::steps_of(protocol_, id), 0); }

    void interaction(NodeId id, std::size_t level) {
        const Node& n = protocol_[id];
        std::string_view message = alphabet().name(n.message);
        if (n.argument_count > 0)
            conversion_.lose(n.span, fmt::format(".gc cannot express the data of message `{}`", message));
        if (n.guard || specification_.message(n.message).where)
            conversion_.lose(n.span,
                             fmt::format(".gc cannot express the condition on message `{}`", message));
        if (n.within_ns >= 0)
            conversion_.lose(n.span,
                             fmt::format(".gc cannot express the time limit of message `{}`", message));
        indent(level);
        out_ += fmt::format("{} -> {} : {}", name(n.role), name(n.to), message);
    }

    // Parts between braces: the branches of a choice, the threads of a fork, the body of a loop.
    using Steps = std::vector<NodeId>;
    void braces(std::string head, char separator, const std::vector<Steps>& parts, std::size_t level) {
        indent(level);
        out_ += head + "{\n";
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i > 0) {
                indent(level);
                out_ += separator;
                out_ += '\n';
            }
            steps(parts[i], level + 1);
            out_ += '\n';
        }
        indent(level);
        out_ += '}';
    }

    std::vector<Steps> parts_of(NodeId id) const {
        std::vector<Steps> parts;
        for (NodeId child : protocol_.children(id)) parts.push_back(gc::steps_of(protocol_, child));
        return parts;
    }

    std::string choice_head(RoleId decider) const {
        return decider ? fmt::format("sel {} ", name(decider)) : "sel ";
    }

    bool takes_part(RoleId role, NodeId subtree) const {
        for (std::uint32_t i = subtree.index; i < protocol_[subtree].subtree_end; ++i) {
            const Node& n = protocol_[NodeId(i)];
            if (n.kind == NodeKind::interaction && (n.role == role || n.to == role)) return true;
        }
        return false;
    }

    void repeat(NodeId id, std::size_t level) {
        const Node& n = protocol_[id];
        NodeId body = protocol_.children(id)[0];
        if (!n.role) {
            conversion_.refuse(n.span, "a loop of .gc needs a role that controls it");
        } else if (!takes_part(n.role, body)) {
            conversion_.refuse(n.span,
                               fmt::format("`{}` controls this loop but takes no part in it, which .gc does "
                                           "not allow",
                                           alphabet().name(n.role)));
        }
        braces(fmt::format("repeat {} ", name(n.role)), ' ', parts_of(id), level);
    }

    void recursion(NodeId id, std::size_t level) {
        const Node& n = protocol_[id];
        auto shape = gc::loop_shape(protocol_, id);
        if (!shape) {
            conversion_
                .refuse(n.span,
                        fmt::format(".gc cannot express the loop `rec {}`", protocol_.loop_name(n.loop)))
                .help("it must be one choice by one role, and every `continue` must end its branch");
            inside_refused(protocol_.children(id)[0]);
            return;
        }
        RoleId decider = protocol_[shape->choice].role;
        bool acts = std::all_of(shape->again.begin(), shape->again.end(),
                                [&](NodeId branch) { return takes_part(decider, branch); });
        if (!acts)
            conversion_.refuse(n.span,
                               fmt::format("`{}` decides whether `{}` goes on but takes no part in it, which "
                                           ".gc does not allow",
                                           alphabet().name(decider), protocol_.loop_name(n.loop)));
        std::vector<Steps> rounds, exits;
        for (NodeId branch : shape->again) {
            rounds.push_back(gc::steps_of(protocol_, branch));
            rounds.back().pop_back();  // the jump
        }
        for (NodeId branch : shape->leave) exits.push_back(gc::steps_of(protocol_, branch));
        rounds_of_loop(decider, rounds, level);
        if (exits.size() == 1 && exits[0].empty()) return;
        out_ += ";\n";
        if (exits.size() == 1) return steps(exits[0], level);
        braces(choice_head(decider), '+', exits, level);
    }

    void rounds_of_loop(RoleId controller, const std::vector<Steps>& rounds, std::size_t level) {
        std::string head = fmt::format("repeat {} ", name(controller));
        if (rounds.size() == 1) return braces(head, ' ', rounds, level);
        indent(level);
        out_ += head + "{\n";
        braces(choice_head(controller), '+', rounds, level + 1);
        out_ += '\n';
        indent(level);
        out_ += '}';
    }

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    Conversion& conversion_;
    absl::flat_hash_map<RoleId, std::string> roles_;
    std::string out_;
};

}  // namespace

std::optional<std::string> write_gc(const model::Specification& specification, Conversion& conversion) {
    const model::Protocol* protocol = specification.main_protocol();
    if (!protocol) {
        conversion.refuse({}, "the file has no protocol");
        return std::nullopt;
    }
    return Writer(specification, *protocol, conversion).run();
}

}  // namespace treaty::formats
