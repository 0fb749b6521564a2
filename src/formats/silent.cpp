#include "formats/silent.h"

#include <vector>

#include "base/check.h"

namespace treaty::formats {
namespace {

using model::Edge;
using model::StateId;

class Remover {
public:
    Remover(const model::Machine& machine, std::size_t budget)
        : machine_(machine),
          budget_(budget),
          new_id_(machine.state_count()),
          stamp_(machine.state_count(), 0),
          builder_(machine.name(), machine.alphabet_ptr(), machine.role()) {}

    std::optional<model::Machine> run() {
        reach(machine_.initial());
        for (std::size_t i = 0; i < order_.size(); ++i)
            if (!expand(order_[i])) return std::nullopt;
        auto result = builder_.finish();
        TREATY_CHECK(result.has_value());
        return result;
    }

private:
    StateId reach(StateId old) {
        if (!new_id_[old.index]) {
            new_id_[old.index] = builder_.state(false, std::string(machine_.state_name(old)));
            order_.push_back(old);
        }
        return new_id_[old.index];
    }

    // Gives a state the edges of all that it reaches silently.
    bool expand(StateId start) {
        ++round_;
        StateId from = new_id_[start.index];
        bool final = false;
        std::vector<StateId> pending{start};
        stamp_[start.index] = round_;
        while (!pending.empty()) {
            StateId s = pending.back();
            pending.pop_back();
            final = final || machine_.final(s);
            for (const Edge& e : machine_.out(s)) {
                if (++work_ > budget_) return false;
                if (e.label != machine_.alphabet().silent()) {
                    builder_.edge(from, e.label, reach(e.target));
                } else if (stamp_[e.target.index] != round_) {
                    stamp_[e.target.index] = round_;
                    pending.push_back(e.target);
                }
            }
        }
        builder_.set_final(from, final);
        return true;
    }

    const model::Machine& machine_;
    std::size_t budget_;
    std::size_t work_ = 0;
    std::vector<StateId> new_id_;
    std::vector<StateId> order_;
    std::vector<std::uint32_t> stamp_;
    std::uint32_t round_ = 0;
    model::MachineBuilder builder_;
};

}  // namespace

bool has_silent_step(const model::Machine& machine) {
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const Edge& e : machine.out(StateId(s)))
            if (e.label == machine.alphabet().silent()) return true;
    return false;
}

std::optional<model::Machine> without_silent_steps(const model::Machine& machine, std::size_t budget) {
    return Remover(machine, budget).run();
}

}  // namespace treaty::formats
