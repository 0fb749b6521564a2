#include "api/show.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/models/derive.h"
#include "choreo/pomset.h"
#include "explore/judge_safety.h"
#include "formats/dot/dot.h"
#include "formats/dot/text.h"
#include "formats/load.h"

namespace treaty::api {
namespace {

constexpr std::uint64_t largest_space = 2000;
constexpr std::uint64_t most_rounds = 1000;
constexpr std::array<std::string_view, 6> kind_names = {"msc", "graph", "net", "machine", "pomset", "space"};

// Pomsets as a picture: one cluster for each branch, an arrow where one event is directly before another.
std::string pomset_dot(const model::Specification& specification, const model::Protocol& protocol,
                       const choreo::PomsetFamily& family) {
    formats::dot::Graph graph(protocol.name(), formats::dot::Direction::down);
    for (std::size_t b = 0; b < family.branches.size(); ++b) {
        const choreo::Pomset& pomset = family.branches[b];
        graph.open_cluster(family.branches.size() == 1 ? "" : fmt::format("branch {}", b + 1));
        if (pomset.events.empty()) graph.node(fmt::format("b{}", b), "shape=plaintext, label=\"nothing\"");
        for (std::size_t i = 0; i < pomset.events.size(); ++i) {
            std::string label = specification.alphabet->print(pomset.events[i].label);
            graph.node(fmt::format("b{}e{}", b, i), "shape=plaintext, label=" + formats::dot::quote(label));
        }
        graph.close_cluster();
        for (auto [before, after] : pomset.order) {
            // The two halves of one message are told apart from the order of one role.
            bool message =
                pomset.events[before].node == pomset.events[after].node &&
                specification.alphabet->event(pomset.events[before].label).kind == model::EventKind::send;
            graph.edge(fmt::format("b{}e{}", b, before), fmt::format("b{}e{}", b, after),
                       message ? "style=bold" : "color=gray40");
        }
    }
    return graph.finish();
}

class Shower {
public:
    Shower(const Inquiry& inquiry, const ShowQuestion& question, ShowAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer) {}

    void run() {
        Loaded loaded = load(inquiry_, question_.file);
        if (!loaded) return;
        bool shown = false;
        if (loaded.get<model::Specification>()) {
            auto input = protocol_of(inquiry_, std::move(loaded), question_.file, question_.protocol);
            shown = input && show(std::move(*input));
        } else if (auto* system = loaded.get<model::System>(); system && question_.kind == ShowKind::space) {
            shown = show_space(*system);
        } else {
            shown = show(loaded);
        }
        if (shown) inquiry_.holds();
    }

private:
    bool graph(std::string dot) {
        answer_.dot = std::move(dot);
        return true;
    }

    // The models that are not protocols: there is one natural picture of each.
    bool show(const Loaded& loaded) {
        auto* net = loaded.get<model::Net>();
        if (net && question_.kind == ShowKind::net) return graph(formats::write_dot(*net));
        if (!net && question_.kind == ShowKind::machine) {
            auto* machine = loaded.get<model::Machine>();
            return machine ? graph(formats::write_dot(*machine)) : show(*loaded.get<model::System>());
        }
        inquiry_.report(codes::wrong_content,
                        fmt::format("{} contains {}, which cannot be shown as {}", question_.file,
                                    formats::describe(loaded), to_string(question_.kind)));
        return false;
    }

    bool show(const model::System& system) {
        if (question_.role.empty()) return graph(formats::write_dot(system));
        model::RoleId role = system.alphabet().find_role(question_.role);
        auto position = role ? system.machine_of(role) : std::nullopt;
        if (position) return graph(formats::write_dot(system.machines()[*position]));
        inquiry_.report(codes::no_such_role,
                        fmt::format("{} has no machine of {}", question_.file, question_.role));
        return false;
    }

    model::Channels channels(model::Channels given) const {
        if (question_.mode) given.mode = *question_.mode;
        if (question_.bound) given.bound = question_.bound;
        return given;
    }

    bool show_space(const model::System& system) {
        auto space = derive_space(inquiry_, explore::with_channels(system, channels(system.channels())),
                                  largest_space);
        return space && graph(formats::write_dot(*space));
    }

    bool show(ProtocolInput input) {
        std::vector<model::RoleId> roles;
        if (!question_.role.empty()) {
            auto chosen = choose_roles(inquiry_, input.specification, *input.protocol, question_.role);
            if (!chosen) return false;
            roles = std::move(*chosen);
        }
        formats::PartLines lines = lines_of(input);
        switch (question_.kind) {
            case ShowKind::msc:
                answer_.lines = std::move(lines.nodes);
                answer_.chart = std::make_shared<ProtocolInput>(std::move(input));
                return true;
            case ShowKind::graph:
                return graph(formats::write_dot(input.specification, *input.protocol, lines));
            case ShowKind::pomset: return show_pomsets(input);
            case ShowKind::net: {
                auto net = derive_net(inquiry_, input, roles);
                return net && graph(formats::write_dot(*net, lines));
            }
            case ShowKind::machine: {
                auto machine = derive_machine(inquiry_, input, roles);
                if (!machine) return false;
                add_labels(lines, input, *machine);
                return graph(formats::write_dot(*machine, lines));
            }
            case ShowKind::space: break;
        }
        auto system = derive_system(inquiry_, input, channels({}), inquiry_.context.machine_limits());
        return system && show_space(*system);
    }

    // Of the nodes of the protocol; none unless they are asked for.
    formats::PartLines lines_of(const ProtocolInput& input) const {
        formats::PartLines lines;
        if (!question_.lines) return lines;
        lines.nodes.resize(input.protocol->size(), 0);
        for (std::size_t i = 0; i < lines.nodes.size(); ++i) {
            base::Span span = (*input.protocol)[model::NodeId(i)].span;
            bool own = span.valid() && inquiry_.sources().path(span.file) == question_.file;
            if (own) lines.nodes[i] = inquiry_.sources().line_number(span.file, span.begin);
        }
        return lines;
    }

    // An edge of a machine comes from every interaction that has its message.
    static void add_labels(formats::PartLines& lines, const ProtocolInput& input,
                           const model::Machine& machine) {
        for (std::size_t i = 0; i < lines.nodes.size(); ++i) {
            const model::Node& node = (*input.protocol)[model::NodeId(i)];
            if (node.kind != model::NodeKind::interaction || lines.nodes[i] == 0) continue;
            using model::EventKind;
            for (EventKind kind : {EventKind::interaction, EventKind::send, EventKind::receive})
                if (auto label = machine.alphabet().find_label({kind, node.role, node.to, node.message}))
                    lines.labels[*label].insert(lines.nodes[i]);
        }
    }

    bool show_pomsets(const ProtocolInput& input) {
        choreo::PomsetLimits limits;
        if (question_.rounds)
            limits.rounds = static_cast<std::uint32_t>(std::min(*question_.rounds, most_rounds));
        auto family = choreo::enumerate_pomsets(input.specification, *input.protocol, limits);
        if (family.branches.empty()) {
            inquiry_.report(codes::no_meaning,
                            fmt::format("{} has no pomsets: {}", input.protocol->name(), family.reason));
            return false;
        }
        answer_.branches = family.branches.size();
        answer_.incomplete = family.reason;
        return graph(pomset_dot(input.specification, *input.protocol, family));
    }

    const Inquiry& inquiry_;
    const ShowQuestion& question_;
    ShowAnswer& answer_;
};

}  // namespace

std::string_view to_string(ShowKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<ShowKind> parse_show_kind(std::string_view text) {
    auto found = std::find(kind_names.begin(), kind_names.end(), text);
    if (found == kind_names.end()) return std::nullopt;
    return static_cast<ShowKind>(found - kind_names.begin());
}

ShowAnswer show(const Workspace& workspace, const ShowQuestion& question, const Context& context) {
    ShowAnswer answer;
    answer.inputs = {question.file};
    answer.kind = question.kind;
    Inquiry inquiry(workspace, context, answer);
    Shower(inquiry, question, answer).run();
    return answer;
}

}  // namespace treaty::api
