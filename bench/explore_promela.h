// A System with bounded fifo channels as Promela, one SPIN state for each of its configurations.
//
// A machine is a process that never ends, a local state is a label, and taking an edge is one statement;
// final states are SPIN's valid end states. xs and xr tell SPIN's own reduction that a channel has one writer
// and one reader.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/system.h"

namespace treaty::bench {

inline std::string to_promela(const model::System& system) {
    const model::Alphabet& alphabet = system.alphabet();
    std::set<std::string> messages;
    std::map<std::string, std::pair<model::RoleId, model::RoleId>> channels;
    auto channel = [&](const model::Event& e) {
        return fmt::format("from_{}_to_{}", alphabet.name(e.from), alphabet.name(e.to));
    };
    std::string processes;
    for (const model::Machine& m : system.machines()) {
        std::string body;
        std::set<std::string> reads, writes;
        std::vector<bool> entered(m.state_count(), false);
        entered[0] = true;
        for (std::size_t s = 0; s < m.state_count(); ++s)
            for (const model::Edge& e : m.out(model::StateId(s))) entered[e.target.index] = true;
        auto label = [&](std::size_t s) {
            return fmt::format("{}{}", m.final(model::StateId(s)) ? "end_" : "at_", s);
        };
        for (std::size_t s = 0; s < m.state_count(); ++s) {
            if (!entered[s]) continue;
            body += label(s) + ":\n";
            if (m.out(model::StateId(s)).empty()) {
                body += "  false;\n";
                continue;
            }
            body += "  if\n";
            for (const model::Edge& e : m.out(model::StateId(s))) {
                const model::Event& event = alphabet.event(e.label);
                bool send = event.kind == model::EventKind::send;
                std::string name = channel(event);
                (send ? writes : reads).insert(name);
                channels[name] = {event.from, event.to};
                messages.insert(fmt::format("msg_{}", alphabet.name(event.message)));
                body += fmt::format("  :: {}{}msg_{} -> goto {}\n", name, send ? '!' : '?',
                                    alphabet.name(event.message), label(e.target.index));
            }
            body += "  fi;\n";
        }
        processes += fmt::format("\nactive proctype role_{}() {{\n", alphabet.name(m.role()));
        for (const std::string& name : reads) processes += fmt::format("  xr {};\n", name);
        for (const std::string& name : writes) processes += fmt::format("  xs {};\n", name);
        processes += body + "}\n";
    }
    std::string text = fmt::format("mtype = {{ {} }};\n", fmt::join(messages, ", "));
    for (const auto& [name, roles] : channels)
        text += fmt::format("chan {} = [{}] of {{ mtype }};\n", name, system.channels().bound.value_or(1));
    return text + processes;
}

}  // namespace treaty::bench
