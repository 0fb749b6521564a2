// From a protocol to a choreography diagram. Each step has a size; it is placed once the size of what it is
// in is known, from left to right, with branches below each other.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "formats/bpmn/bpmn.h"
#include "formats/bpmn/diagram.h"
#include "formats/xml.h"

namespace treaty::formats {
namespace {

using bpmn::Diagram;
using bpmn::Element;
using model::NodeId;
using model::NodeKind;

constexpr std::size_t nothing = static_cast<std::size_t>(-1);
constexpr double gap = 40, task_width = 100, task_height = 80, gateway = 50, event = 36;

struct Size {
    double width = 0, height = 0;
};

class Writer {
public:
    Writer(const model::Specification& specification, const model::Protocol& protocol, std::size_t number,
           Conversion& conversion)
        : s_(specification),
          p_(protocol),
          number_(number),
          conversion_(conversion),
          heads_(protocol.loop_count()) {}

    Diagram write() {
        made_.name = p_.name();
        for (model::RoleId role : p_.roles()) made_.roles.emplace_back(s_.alphabet->name(role));
        check();
        if (!conversion_.ok()) return std::move(made_);
        Size all = size_of(p_.root());
        double middle = 40 + all.height / 2;
        std::size_t last = place("startEvent", "", 40, middle, event, event);
        double x = 40 + event + gap;
        last = part(p_.root(), x, middle, last);
        if (last != nothing) join(last, place("endEvent", "", x, middle, event, event));
        return std::move(made_);
    }

private:
    void check() {
        for (std::size_t i = 0; i < p_.size(); ++i) {
            const model::Node& n = p_[NodeId(i)];
            switch (n.kind) {
                case NodeKind::sequence:
                case NodeKind::choice:
                case NodeKind::parallel:
                case NodeKind::repeat:
                case NodeKind::recursion:
                case NodeKind::jump: break;
                case NodeKind::interaction: check_interaction(n, NodeId(i)); break;
                case NodeKind::assign:
                    conversion_.lose(n.span, "a choreography diagram cannot express computed values");
                    break;
                case NodeKind::while_loop:
                case NodeKind::conditional:
                    conversion_.refuse(n.span, "a choreography diagram cannot express conditions");
                    break;
                case NodeKind::interrupt:
                    conversion_.refuse(n.span, "a choreography diagram cannot express interrupts");
                    break;
                case NodeKind::signal:
                case NodeKind::wait:
                    conversion_.refuse(n.span, "a choreography diagram cannot express signals");
                    break;
            }
        }
        for (const std::string& role : made_.roles)
            if (!xml::writable(role))
                conversion_.refuse({}, "the name of a role has characters that XML does not allow");
    }

    void check_interaction(const model::Node& n, NodeId id) {
        std::string_view name = s_.alphabet->name(n.message);
        if (!xml::writable(name))
            conversion_.refuse(n.span, "the name of a message has characters that XML does not allow");
        const model::Message& message = s_.message(n.message);
        if (!p_.arguments(id).empty() || n.guard || message.where)
            conversion_.lose(
                n.span, fmt::format("a choreography diagram cannot express the data of message `{}`", name));
        else if (!message.fields.empty())
            conversion_.lose(
                n.span,
                fmt::format("a choreography diagram cannot express the fields of message `{}`", name));
        if (n.within_ns >= 0) conversion_.lose(n.span, "a choreography diagram cannot express `within`");
    }

    // --- sizes

    // A gateway, what is between two gateways, a gateway.
    Size between(Size inner) const {
        return {inner.width + 2 * (gateway + gap), std::max(inner.height, gateway)};
    }

    Size size_of(NodeId id) const {
        const model::Node& n = p_[id];
        Size all;
        switch (n.kind) {
            case NodeKind::interaction: return {task_width + gap, task_height};
            case NodeKind::sequence:
                for (NodeId child : p_.children(id)) {
                    Size one = size_of(child);
                    all = {all.width + one.width, std::max(all.height, one.height)};
                }
                return {all.width, std::max(all.height, 20.0)};
            case NodeKind::choice:
            case NodeKind::parallel:
                for (NodeId child : p_.children(id)) {
                    Size one = size_of(child);
                    all = {std::max(all.width, one.width), all.height + one.height + gap};
                }
                return between(all);
            case NodeKind::repeat: {
                // The round is below the line that leaves the loop.
                Size body = size_of(p_.children(id)[0]);
                return between({body.width, 2 * (body.height + gap)});
            }
            case NodeKind::recursion: {
                Size body = size_of(p_.children(id)[0]);
                return {body.width + gateway + gap, std::max(body.height, gateway)};
            }
            default: return {};
        }
    }

    // --- places

    std::size_t place(std::string kind, std::string name, double x, double middle, double width,
                      double height) {
        Element e;
        e.id = fmt::format("C{}_N{}", number_, made_.elements.size());
        e.kind = std::move(kind);
        e.name = std::move(name);
        e.x = x;
        e.y = middle - height / 2;
        e.width = width;
        e.height = height;
        return made_.add(std::move(e));
    }
    void join(std::size_t from, std::size_t to) { made_.connect(from, to); }

    // Places a step around the middle, moves x to its right, and connects it to what comes before. Gives its
    // last element; nothing if the flow does not go on.
    std::size_t part(NodeId id, double& x, double middle, std::size_t before) {
        const model::Node& n = p_[id];
        switch (n.kind) {
            case NodeKind::sequence:
                for (NodeId child : p_.children(id)) {
                    if (before == nothing) {
                        conversion_.refuse(
                            p_[child].span,
                            "a choreography diagram cannot express a step beside an endless loop");
                        break;
                    }
                    before = part(child, x, middle, before);
                }
                return before;
            case NodeKind::interaction: return task(n, x, middle, before);
            case NodeKind::choice:
            case NodeKind::parallel: return branches(id, x, middle, before);
            case NodeKind::repeat: return repeat(id, x, middle, before);
            case NodeKind::recursion: {
                std::size_t head =
                    place("exclusiveGateway", std::string(p_.loop_name(n.loop)), x, middle, gateway, gateway);
                join(before, head);
                heads_[n.loop.index] = head;
                x += gateway + gap;
                return part(p_.children(id)[0], x, middle, head);
            }
            case NodeKind::jump: join(before, heads_[n.loop.index]); return nothing;
            default: return before;
        }
    }

    std::size_t task(const model::Node& n, double& x, double middle, std::size_t before) {
        std::string message(s_.alphabet->name(n.message));
        std::size_t made = place("choreographyTask", message, x, middle, task_width, task_height);
        made_.elements[made].from = s_.alphabet->name(n.role);
        made_.elements[made].to = s_.alphabet->name(n.to);
        made_.elements[made].message = message;
        join(before, made);
        x += task_width + gap;
        return made;
    }

    std::size_t branches(NodeId id, double& x, double middle, std::size_t before) {
        const model::Node& n = p_[id];
        auto children = p_.children(id);
        if (children.size() == 1) return part(children[0], x, middle, before);
        const char* kind = n.kind == NodeKind::choice ? "exclusiveGateway" : "parallelGateway";
        Size all = size_of(id);
        double right = x + all.width - gateway - gap;
        std::size_t split = place(kind, "", x, middle, gateway, gateway);
        join(before, split);
        std::vector<std::size_t> ends;
        double top = middle - all.height / 2;
        for (NodeId child : children) {
            Size one = size_of(child);
            double inside = x + gateway + gap;
            ends.push_back(part(child, inside, top + one.height / 2, split));
            top += one.height + gap;
        }
        x += all.width;
        std::erase(ends, nothing);
        if (ends.empty()) return nothing;
        if (ends.size() == 1 && ends.front() != split) return ends.front();
        std::size_t meet = place(kind, "", right, middle, gateway, gateway);
        for (std::size_t end : ends) join(end, meet);
        return meet;
    }

    std::size_t repeat(NodeId id, double& x, double middle, std::size_t before) {
        Size all = size_of(id), body = size_of(p_.children(id)[0]);
        std::size_t head = place("exclusiveGateway", "", x, middle, gateway, gateway);
        join(before, head);
        double inside = x + gateway + gap;
        std::size_t last = part(p_.children(id)[0], inside, middle + gap + body.height / 2, head);
        if (last == head)
            conversion_.refuse(p_[id].span, "a choreography diagram cannot express a loop without a message");
        else if (last != nothing)
            join(last, head);
        std::size_t leave =
            place("exclusiveGateway", "", x + all.width - gateway - gap, middle, gateway, gateway);
        join(head, leave);
        x += all.width;
        return leave;
    }

    const model::Specification& s_;
    const model::Protocol& p_;
    std::size_t number_;
    Conversion& conversion_;
    Diagram made_;
    std::vector<std::size_t> heads_;  // by loop: where it begins
};

}  // namespace

std::optional<std::string> write_bpmn(const model::Specification& specification, Conversion& conversion) {
    std::vector<Diagram> diagrams;
    for (const model::Protocol& protocol : specification.protocols)
        diagrams.push_back(Writer(specification, protocol, diagrams.size(), conversion).write());
    if (diagrams.empty()) conversion.refuse({}, "there is no protocol to write");
    if (!specification.wires.empty())
        conversion.lose(specification.wires[0].span, "a choreography diagram cannot express wires");
    if (!specification.properties.empty())
        conversion.lose(specification.properties[0].span, "a choreography diagram cannot express properties");
    if (!conversion.ok()) return std::nullopt;
    return bpmn::to_xml(diagrams);
}

}  // namespace treaty::formats
