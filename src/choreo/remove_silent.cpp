// Each state takes over the edges of the states it reaches silently, and is final if one of them is.
#include "choreo/remove_silent.h"

#include "base/check.h"
#include "choreo/edge_symbols.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::StateId;

class Remover {
public:
    explicit Remover(const Machine& machine)
        : machine_(machine),
          symbols_(machine),
          new_id_(machine.state_count(), none),
          seen_(machine.state_count(), none),
          builder_(machine.name(), machine.alphabet_ptr(), machine.role(), machine.pool()) {}

    Machine run() {
        number(machine_.initial());
        for (std::size_t i = 0; i < order_.size(); ++i) expand(order_[i]);
        auto result = builder_.finish();
        TREATY_CHECK(result.has_value());
        return std::move(*result);
    }

private:
    static constexpr std::uint32_t none = ~0u;

    StateId number(StateId s) {
        if (new_id_[s.index] == none) {
            new_id_[s.index] = builder_.state(false, std::string(machine_.state_name(s))).index;
            order_.push_back(s);
        }
        return StateId(new_id_[s.index]);
    }

    void expand(StateId s) {
        StateId id(new_id_[s.index]);
        std::vector<StateId> stack{s};
        seen_[s.index] = id.index;
        while (!stack.empty()) {
            StateId at = stack.back();
            stack.pop_back();
            if (machine_.final(at)) builder_.set_final(id);
            auto edges = machine_.out(at);
            for (std::size_t i = 0; i < edges.size(); ++i) {
                std::uint32_t symbol = symbols_.at(at, i);
                if (symbol != 0) {
                    builder_.edge(id, edges[i].label, number(edges[i].target), machine_.node(at, i),
                                  symbols_.data(symbol));
                } else if (seen_[edges[i].target.index] != id.index) {
                    seen_[edges[i].target.index] = id.index;
                    stack.push_back(edges[i].target);
                }
            }
        }
    }

    const Machine& machine_;
    EdgeSymbols symbols_;
    std::vector<std::uint32_t> new_id_;
    std::vector<std::uint32_t> seen_;  // by state: the new state whose expansion saw it last
    std::vector<StateId> order_;
    model::MachineBuilder builder_;
};

}  // namespace

Machine remove_silent(const Machine& machine) {
    return Remover(machine).run();
}

}  // namespace treaty::choreo
