#include "model/system.h"

#include <map>

#include <fmt/format.h>

namespace treaty::model {

std::string_view to_string(Mode mode) {
    switch (mode) {
        case Mode::sync: return "sync";
        case Mode::fifo: return "fifo";
        case Mode::bag: return "bag";
        case Mode::mailbox: return "mailbox";
    }
    return "";
}

std::optional<Mode> parse_mode(std::string_view text) {
    for (Mode mode : {Mode::sync, Mode::fifo, Mode::bag, Mode::mailbox})
        if (to_string(mode) == text) return mode;
    return std::nullopt;
}

System System::copy() const {
    System result = *this;
    result.alphabet_ = std::make_shared<Alphabet>(*alphabet_);
    std::map<const expr::Pool*, std::shared_ptr<expr::Pool>> pools{{nullptr, nullptr}};
    for (Machine& machine : result.machines_) {
        auto [place, added] = pools.try_emplace(machine.pool().get());
        if (added) place->second = expr::copy_of(*machine.pool());
        machine = machine.over(result.alphabet_, place->second);
    }
    return result;
}

std::optional<std::size_t> System::machine_of(RoleId role) const {
    for (std::size_t i = 0; i < machines_.size(); ++i)
        if (machines_[i].role() == role) return i;
    return std::nullopt;
}

std::optional<System> make_system(std::string name, std::vector<Machine> machines, Channels channels,
                                  std::string* fault) {
    auto refuse = [&](std::string why) -> std::optional<System> {
        if (fault) *fault = std::move(why);
        return std::nullopt;
    };
    if (machines.empty()) return refuse("a system needs a machine");
    System system;
    system.alphabet_ = machines[0].alphabet_ptr();
    for (const Machine& m : machines) {
        if (m.alphabet_ptr() != system.alphabet_) return refuse("the machines have different alphabets");
        if (!m.role()) return refuse(fmt::format("machine {} has no role", m.name()));
        for (const Machine& other : machines)
            if (&other != &m && other.role() == m.role())
                return refuse(fmt::format("two machines of role {}", system.alphabet_->name(m.role())));
        for (std::size_t s = 0; s < m.state_count(); ++s)
            for (const Edge& e : m.out(StateId(s)))
                if (e.label.index != 0 && system.alphabet_->subject(e.label) != m.role())
                    return refuse(fmt::format("machine {} performs {}, which is not its own event", m.name(),
                                              system.alphabet_->print(e.label)));
    }
    system.name_ = std::move(name);
    system.machines_ = std::move(machines);
    system.channels_ = channels;
    return system;
}

}  // namespace treaty::model
