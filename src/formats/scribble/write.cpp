#include <algorithm>

#include <fmt/format.h>

#include "formats/scribble/scribble.h"

namespace treaty::formats {
namespace {

using model::Node;
using model::NodeId;
using model::NodeKind;

class Writer {
public:
    Writer(const model::Specification& spec, Conversion& conversion) : spec_(spec), conversion_(conversion) {}

    std::string run() {
        out_ = "module treaty;\n\n";
        for (expr::TypeId t : spec_.named_types)
            out_ += fmt::format("type <treaty> \"{0}\" from \"treaty\" as {0};\n",
                                spec_.names->text((*spec_.types)[t].name));
        if (!spec_.named_types.empty()) out_ += '\n';
        for (const model::Protocol& p : spec_.protocols) protocol(p);
        if (!spec_.wires.empty()) conversion_.lose(spec_.wires[0].span, "Scribble cannot express wires");
        if (!spec_.properties.empty())
            conversion_.lose(spec_.properties[0].span, "Scribble cannot express properties");
        return std::move(out_);
    }

private:
    std::string_view role(model::RoleId r) const { return spec_.alphabet->name(r); }
    void line(std::string_view text) {
        out_.append(depth_ * 2, ' ');
        out_ += text;
        out_ += '\n';
    }

    void protocol(const model::Protocol& p) {
        p_ = &p;
        std::string roles;
        for (model::RoleId r : p.roles())
            roles += fmt::format("{}role {}", roles.empty() ? "" : ", ", role(r));
        line(fmt::format("global protocol {}({}) {{", p.name(), roles));
        ++depth_;
        step(p.root());
        --depth_;
        line("}");
    }

    void blocks(NodeId id, std::string_view head, std::string_view separator) {
        bool first = true;
        for (NodeId c : p_->children(id)) {
            line(first ? fmt::format("{} {{", head) : fmt::format("}} {} {{", separator));
            first = false;
            ++depth_;
            step(c);
            --depth_;
        }
        line("}");
    }

    std::string payload(model::MessageId id) {
        std::string result;
        for (const expr::Field& f : spec_.message(id).fields) {
            const expr::Type& t = (*spec_.types)[f.type];
            bool plain = !t.element && !t.low && !t.high;
            if (!plain)
                conversion_.refuse(spec_.message(id).span,
                                   fmt::format("Scribble cannot express a field of type {}",
                                               spec_.types->print(f.type, *spec_.names)));
            result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", spec_.names->text(f.name),
                                  spec_.types->print(f.type, *spec_.names));
        }
        return result;
    }

    void interaction(NodeId id) {
        const Node& n = (*p_)[id];
        for (const model::Argument& a : p_->arguments(id))
            if (a.value)
                conversion_.lose(a.span, "Scribble cannot express that this field has a certain value");
        if (n.guard || spec_.message(n.message).where)
            conversion_.lose(n.span, "Scribble cannot express conditions on data");
        if (n.within_ns >= 0) conversion_.lose(n.span, "Scribble cannot express time limits");
        line(fmt::format("{}({}) from {} to {};", spec_.alphabet->name(n.message), payload(n.message),
                         role(n.role), role(n.to)));
    }

    // Loops that came from calls may have the same name, one inside the other.
    void recursion(NodeId id) {
        model::LoopId loop = (*p_)[id].loop;
        std::string name(p_->loop_name(loop));
        auto open = [&] {
            return std::any_of(loops_.begin(), loops_.end(), [&](const auto& l) { return l.second == name; });
        };
        for (int i = 2; open(); ++i) name = fmt::format("{}_{}", p_->loop_name(loop), i);
        loops_.emplace_back(loop, name);
        blocks(id, fmt::format("rec {}", name), "");
        loops_.pop_back();
    }

    void step(NodeId id) {
        const Node& n = (*p_)[id];
        switch (n.kind) {
            case NodeKind::sequence:
                for (NodeId c : p_->children(id)) step(c);
                return;
            case NodeKind::interaction: return interaction(id);
            case NodeKind::choice:
                if (!n.role)
                    conversion_.refuse(n.span, "Scribble requires the role that makes this choice");
                else
                    blocks(id, fmt::format("choice at {}", role(n.role)), "or");
                return;
            case NodeKind::parallel: return blocks(id, "par", "and");
            case NodeKind::recursion: return recursion(id);
            case NodeKind::jump:
                for (const auto& [loop, name] : loops_)
                    if (loop == n.loop) return line(fmt::format("continue {};", name));
                return;
            case NodeKind::repeat:
                conversion_.refuse(n.span, "Scribble cannot express `repeat`, which ends without a message");
                return;
            case NodeKind::while_loop:
                conversion_.refuse(n.span, "Scribble cannot express `while`, which depends on data");
                return;
            case NodeKind::conditional:
                conversion_.refuse(n.span, "Scribble cannot express `if` and `match`, which depend on data");
                return;
            case NodeKind::interrupt:
                conversion_.refuse(n.span, "Scribble cannot express interrupts");
                return;
            case NodeKind::assign:
                conversion_.lose(n.span, "Scribble cannot express computed values");
                return;
            case NodeKind::signal:
            case NodeKind::wait:
                conversion_.refuse(n.span, "Scribble cannot express `signal` and `wait`");
                return;
        }
    }

    const model::Specification& spec_;
    Conversion& conversion_;
    const model::Protocol* p_ = nullptr;
    std::string out_;
    std::size_t depth_ = 0;
    std::vector<std::pair<model::LoopId, std::string>> loops_;  // those around this step, as they are written
};

}  // namespace

std::optional<std::string> write_scribble(const model::Specification& specification, Conversion& conversion) {
    std::string text = Writer(specification, conversion).run();
    if (!conversion.ok()) return std::nullopt;
    return text;
}

}  // namespace treaty::formats
