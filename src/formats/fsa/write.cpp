// States are written in the order in which a search from the initial state meets them, edges in the order of
// their text. That order does not depend on how the machine numbers its states or labels, and reading the
// text numbers the states in just that order: so a second round of writing gives the same bytes. States that
// the search does not meet take part in no run and are left out.

#include <algorithm>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/fsa/fsa.h"

namespace treaty::formats {
namespace {

using model::Edge;
using model::StateId;

bool one_word(std::string_view text) {
    return !text.empty() && text.find_first_of(" \t\n\r\v\f") == std::string_view::npos;
}

struct Arrow {
    std::string text;  // between the two states
    StateId target;
};

class MachineWriter {
public:
    using Positions = absl::flat_hash_map<model::RoleId, std::size_t>;

    MachineWriter(const model::System& system, const Positions& positions, const model::Machine& machine,
                  Conversion& conversion)
        : system_(system),
          positions_(positions),
          machine_(machine),
          conversion_(conversion),
          number_(machine.state_count()) {}

    void write(std::string& out) {
        report_losses();
        meet(machine_.initial());
        for (std::size_t i = 0; i < order_.size(); ++i) meet_targets(order_[i]);
        choose_names();
        out += fmt::format(".outputs {}\n.state graph\n", system_.alphabet().name(machine_.role()));
        for (StateId s : order_) {
            std::vector<Arrow> arrows = arrows_of(s);
            std::sort(arrows.begin(), arrows.end(), [&](const Arrow& a, const Arrow& b) {
                return std::tie(a.text, number_[a.target.index]) < std::tie(b.text, number_[b.target.index]);
            });
            for (const Arrow& a : arrows) out += fmt::format("{} {} {}\n", name(s), a.text, name(a.target));
        }
        out += fmt::format(".marking {}\n.end\n", name(machine_.initial()));
    }

private:
    void report_losses() {
        std::string_view role = system_.alphabet().name(machine_.role());
        if (!one_word(role))
            conversion_.refuse({}, fmt::format("role `{}` is not one word, as .fsa requires", role));
        if (machine_.has_data())
            conversion_.refuse({},
                               fmt::format("the machine of `{}` has data, which .fsa cannot express", role));
        std::size_t ends = 0, stuck = 0;
        absl::flat_hash_set<model::MessageId> told;
        for (std::size_t i = 0; i < machine_.state_count(); ++i) {
            StateId s(i);
            auto edges = machine_.out(s);
            if (machine_.final(s) && !edges.empty()) ++ends;
            if (!machine_.final(s) && edges.empty()) ++stuck;
            for (const Edge& e : edges) check_label(e.label, told);
        }
        if (ends > 0)
            conversion_.lose({}, fmt::format(".fsa has no final states: {} of the machine of `{}` may end or "
                                             "go on, and could no longer end",
                                             ends, role));
        if (stuck > 0)
            conversion_.lose(
                {}, fmt::format("a state of .fsa without transitions is final: {} of the machine of `{}` "
                                "would become final",
                                stuck, role));
    }

    void check_label(model::LabelId label, absl::flat_hash_set<model::MessageId>& told) {
        const model::Event& e = system_.alphabet().event(label);
        if (e.kind == model::EventKind::silent || told.contains(e.message)) return;
        std::string_view message = system_.alphabet().name(e.message);
        model::RoleId partner = e.from == machine_.role() ? e.to : e.from;
        if (!one_word(message)) {
            conversion_.refuse({}, fmt::format("message `{}` is not one word, as .fsa requires", message));
            told.insert(e.message);
        }
        if (!positions_.contains(partner) || partner == machine_.role()) {
            conversion_.refuse(
                {}, fmt::format("`{}` talks to `{}`, which has no machine of its own here",
                                system_.alphabet().name(machine_.role()), system_.alphabet().name(partner)));
            told.insert(e.message);
        }
    }

    std::vector<Arrow> arrows_of(StateId s) const {
        std::vector<Arrow> arrows;
        for (const Edge& edge : machine_.out(s)) {
            const model::Event& e = system_.alphabet().event(edge.label);
            if (e.kind == model::EventKind::silent) {
                arrows.push_back({"tau", edge.target});
                continue;
            }
            bool send = e.kind == model::EventKind::send;
            auto found = positions_.find(send ? e.to : e.from);
            std::size_t partner = found == positions_.end() ? 0 : found->second;
            arrows.push_back(
                {fmt::format("{} {} {}", partner, send ? '!' : '?', system_.alphabet().name(e.message)),
                 edge.target});
        }
        return arrows;
    }

    void meet(StateId s) {
        if (number_[s.index]) return;
        number_[s.index] = StateId(order_.size());
        order_.push_back(s);
    }

    // Among equal texts, targets met before come first; that is how the text will be sorted, too.
    void meet_targets(StateId s) {
        std::vector<Arrow> arrows = arrows_of(s);
        std::stable_sort(arrows.begin(), arrows.end(),
                         [](const Arrow& a, const Arrow& b) { return a.text < b.text; });
        for (const Arrow& a : arrows) meet(a.target);
    }

    void choose_names() {
        absl::flat_hash_set<std::string_view> seen;
        keep_names_ = true;
        for (StateId s : order_) {
            std::string_view text = machine_.state_name(s);
            bool usable =
                one_word(text) && text[0] != '.' && !text.starts_with("--") && seen.insert(text).second;
            keep_names_ = keep_names_ && usable;
        }
    }

    std::string name(StateId s) const {
        return keep_names_ ? std::string(machine_.state_name(s)) : fmt::format("q{}", number_[s.index].index);
    }

    const model::System& system_;
    const Positions& positions_;
    const model::Machine& machine_;
    Conversion& conversion_;
    std::vector<StateId> number_;  // by state, in the order of the text; none before it is met
    std::vector<StateId> order_;
    bool keep_names_ = false;
};

}  // namespace

std::optional<std::string> write_fsa(const model::System& system, Conversion& conversion) {
    const model::Channels& channels = system.channels();
    if (channels.mode != model::Mode::fifo || channels.bound)
        conversion.lose({}, "channels of .fsa are unbounded fifo queues; the system has other channels");
    MachineWriter::Positions positions;
    for (const model::Machine& machine : system.machines())
        positions.emplace(machine.role(), positions.size());
    std::string out;
    for (const model::Machine& machine : system.machines())
        MachineWriter(system, positions, machine, conversion).write(out);
    if (!conversion.ok()) return std::nullopt;
    return out;
}

}  // namespace treaty::formats
