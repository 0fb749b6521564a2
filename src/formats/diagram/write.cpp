#include <fmt/format.h>

#include "formats/diagram/diagram.h"
#include "formats/diagram/lines.h"

namespace treaty::formats {
namespace {

using diagram::Dialect;
using model::Node;
using model::NodeId;
using model::NodeKind;

class Writer {
public:
    Writer(const model::Specification& spec, const model::Protocol& protocol, Dialect dialect,
           Conversion& conversion)
        : spec_(spec), p_(protocol), mermaid_(dialect == Dialect::mermaid), conversion_(conversion) {}

    std::string run() {
        for (const model::Protocol& other : spec_.protocols)
            if (&other != &p_)
                conversion_.lose(
                    other.span(),
                    fmt::format("a diagram shows one protocol; `{}` would be left out", other.name()));
        if (!spec_.wires.empty())
            conversion_.lose(spec_.wires[0].span, "a sequence diagram cannot express wires");
        if (!spec_.properties.empty())
            conversion_.lose(spec_.properties[0].span, "a sequence diagram cannot express properties");
        line(mermaid_ ? "sequenceDiagram" : "@startuml");
        depth_ = mermaid_ ? 1 : 0;
        for (model::RoleId r : p_.roles()) line(fmt::format("participant {}", role(r)));
        step(p_.root());
        depth_ = 0;
        if (!mermaid_) line("@enduml");
        return std::move(out_);
    }

private:
    void line(std::string_view text) {
        out_.append(depth_ * 2, ' ');
        out_ += text;
        out_ += '\n';
    }

    std::string name(std::string_view text, std::string_view what) {
        std::string written = diagram::name_of(text);
        if (written != text)
            conversion_.refuse(p_.span(),
                               fmt::format("{} `{}` is not a valid name in a sequence diagram", what, text));
        return written;
    }
    std::string role(model::RoleId r) { return name(spec_.alphabet->name(r), "role"); }

    void interaction(NodeId id) {
        const Node& n = p_[id];
        if (!spec_.message(n.message).fields.empty())
            conversion_.lose(n.span, "a sequence diagram cannot express the data of messages");
        if (n.guard || spec_.message(n.message).where)
            conversion_.lose(n.span, "a sequence diagram cannot express conditions on data");
        if (n.within_ns >= 0) conversion_.lose(n.span, "a sequence diagram cannot express time limits");
        line(fmt::format("{}{}{}: {}", role(n.role), mermaid_ ? "->>" : " -> ",
                         role(n.to) + (mermaid_ ? "" : " "),
                         name(spec_.alphabet->name(n.message), "message")));
    }

    bool empty(NodeId id) const { return p_[id].kind == NodeKind::sequence && p_.children(id).empty(); }

    void blocks(NodeId id, std::string_view head, std::string_view separator, std::size_t count) {
        auto children = p_.children(id);
        for (std::size_t i = 0; i < count; ++i) {
            line(i == 0 ? head : separator);
            ++depth_;
            step(children[i]);
            --depth_;
        }
        line("end");
    }

    void choice(NodeId id) {
        auto children = p_.children(id);
        std::string decider = p_[id].role ? fmt::format(" {} decides", role(p_[id].role)) : std::string();
        bool optional = children.size() == 2 && empty(children[1]) && !empty(children[0]);
        blocks(id, (optional ? "opt" : "alt") + decider, "else", optional ? 1 : children.size());
    }

    void step(NodeId id) {
        const Node& n = p_[id];
        switch (n.kind) {
            case NodeKind::sequence:
                for (NodeId c : p_.children(id)) step(c);
                return;
            case NodeKind::interaction: return interaction(id);
            case NodeKind::choice: return choice(id);
            case NodeKind::parallel:
                return blocks(id, "par", mermaid_ ? "and" : "else", p_.children(id).size());
            case NodeKind::repeat:
                return blocks(id, n.role ? fmt::format("loop {} decides", role(n.role)) : std::string("loop"),
                              "", 1);
            case NodeKind::recursion:
            case NodeKind::jump:
                conversion_.refuse(n.span, "a sequence diagram cannot express `rec` and `continue`");
                return;
            case NodeKind::while_loop:
                conversion_.refuse(n.span,
                                   "a sequence diagram cannot express `while`, which depends on data");
                return;
            case NodeKind::conditional:
                conversion_.refuse(n.span, "a sequence diagram cannot express `if`, which depends on data");
                return;
            case NodeKind::interrupt:
                conversion_.refuse(n.span, "a sequence diagram cannot express interrupts");
                return;
            case NodeKind::assign:
                conversion_.lose(n.span, "a sequence diagram cannot express computed values");
                return;
            case NodeKind::signal:
            case NodeKind::wait:
                conversion_.refuse(n.span, "a sequence diagram cannot express `signal` and `wait`");
                return;
        }
    }

    const model::Specification& spec_;
    const model::Protocol& p_;
    bool mermaid_;
    Conversion& conversion_;
    std::string out_;
    std::size_t depth_ = 0;
};

std::optional<std::string> write(const model::Specification& specification, Dialect dialect,
                                 Conversion& conversion) {
    if (!specification.main_protocol()) {
        conversion.refuse({}, "the file has no protocol");
        return std::nullopt;
    }
    std::string text = Writer(specification, *specification.main_protocol(), dialect, conversion).run();
    if (!conversion.ok()) return std::nullopt;
    return text;
}

}  // namespace

std::optional<std::string> write_mermaid(const model::Specification& specification, Conversion& conversion) {
    return write(specification, Dialect::mermaid, conversion);
}
std::optional<std::string> write_plantuml(const model::Specification& specification, Conversion& conversion) {
    return write(specification, Dialect::plantuml, conversion);
}

}  // namespace treaty::formats
