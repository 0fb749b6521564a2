#include "testgen/composition.h"

#include <algorithm>
#include <map>

namespace treaty::testgen {

using model::EventKind;

Composition::Composition(std::vector<const model::Machine*> machines, model::Channels channels)
    : machines_(std::move(machines)), channels_(channels) {
    compile();
}

void Composition::compile() {
    std::map<explore::Channel, std::uint32_t> channels;
    std::map<model::Event, std::uint32_t> symbols;
    bool sync = channels_.mode == model::Mode::sync;
    for (const model::Machine* machine : machines_) {
        CompiledMachine compiled;
        for (std::size_t s = 0; s < machine->state_count(); ++s) {
            compiled.rows.push_back(static_cast<std::uint32_t>(compiled.edges.size()));
            for (const model::Edge& e : machine->out(model::StateId(s))) {
                model::Event event = machine->alphabet().event(e.label);
                CompiledEdge edge{event.kind, none, none, e.target.index};
                if (event.kind == EventKind::send || event.kind == EventKind::receive) {
                    explore::Channel channel{event.from, event.to};
                    if (channels_.mode == model::Mode::mailbox) channel.from = {};
                    event.kind = EventKind::send;
                    edge.symbol = symbols.try_emplace(event, symbols.size()).first->second;
                    if (!sync) edge.channel = channels.try_emplace(channel, channels.size()).first->second;
                }
                compiled.edges.push_back(edge);
            }
        }
        compiled.rows.push_back(static_cast<std::uint32_t>(compiled.edges.size()));
        compiled_.push_back(std::move(compiled));
    }
    list_.resize(channels.size());
    for (const auto& [channel, i] : channels) list_[i] = channel;
    symbols_.resize(symbols.size());
    for (const auto& [event, i] : symbols) symbols_[i] = event;
}

Position Composition::initial() const {
    return Position(machines_.size() + list_.size(), 0);
}

const Composition::CompiledEdge& Composition::edge(const Position& at, std::uint32_t machine,
                                                   std::uint32_t i) const {
    const CompiledMachine& m = compiled_[machine];
    return m.edges[m.rows[at[machine]] + i];
}

std::size_t Composition::start_of(const Position& at, std::uint32_t channel) const {
    std::size_t start = machines_.size();
    for (; channel > 0; --channel) start += at[start] + 1;
    return start;
}

bool Composition::empty(const Position& at, std::size_t channel) const {
    return at[start_of(at, static_cast<std::uint32_t>(channel))] == 0;
}

bool Composition::possible(const Position& at, const CompiledEdge& edge) const {
    if (edge.channel == none) return edge.kind == EventKind::silent;
    std::size_t start = start_of(at, edge.channel);
    std::uint32_t length = at[start];
    if (edge.kind == EventKind::send) return !channels_.bound || length < *channels_.bound;
    if (length == 0) return false;
    if (channels_.mode != model::Mode::bag) return at[start + 1] == edge.symbol;
    auto first = at.begin() + static_cast<std::ptrdiff_t>(start) + 1;
    return std::binary_search(first, first + length, edge.symbol);
}

void Composition::sync_moves(const Position& at, std::uint32_t machine, std::uint32_t i,
                             std::vector<Move>& out) const {
    const CompiledEdge& send = edge(at, machine, i);
    for (std::uint32_t other = 0; other < compiled_.size(); ++other) {
        if (other == machine) continue;
        const CompiledMachine& m = compiled_[other];
        for (std::uint32_t j = m.rows[at[other]]; j < m.rows[at[other] + 1]; ++j)
            if (m.edges[j].kind == EventKind::receive && m.edges[j].symbol == send.symbol)
                out.push_back({machine, i, other, j - m.rows[at[other]]});
    }
}

void Composition::moves(const Position& at, std::vector<Move>& out) const {
    out.clear();
    bool sync = channels_.mode == model::Mode::sync;
    for (std::uint32_t machine = 0; machine < compiled_.size(); ++machine) {
        const CompiledMachine& m = compiled_[machine];
        std::uint32_t count = m.rows[at[machine] + 1] - m.rows[at[machine]];
        for (std::uint32_t i = 0; i < count; ++i) {
            const CompiledEdge& e = m.edges[m.rows[at[machine]] + i];
            if (sync && e.kind == EventKind::send)
                sync_moves(at, machine, i, out);
            else if (possible(at, e))
                out.push_back({machine, i, none, 0});
        }
    }
}

Position Composition::after(const Position& at, const Move& move) const {
    Position next = at;
    const CompiledEdge& taken = edge(at, move.machine, move.edge);
    next[move.machine] = taken.target;
    if (move.partner != none) next[move.partner] = edge(at, move.partner, move.partner_edge).target;
    if (taken.channel == none) return next;
    auto start = next.begin() + static_cast<std::ptrdiff_t>(start_of(at, taken.channel));
    auto first = start + 1, last = first + *start;
    if (taken.kind == EventKind::send) {
        auto place = channels_.mode == model::Mode::bag ? std::upper_bound(first, last, taken.symbol) : last;
        ++*start;
        next.insert(place, taken.symbol);
    } else {
        auto place = channels_.mode == model::Mode::bag ? std::lower_bound(first, last, taken.symbol) : first;
        --*start;
        next.erase(place);
    }
    return next;
}

model::LabelId Composition::label(const Position& at, const Move& move) const {
    return machines_[move.machine]->out(state(at, move.machine))[move.edge].label;
}

explore::Run Composition::events(const Position& at, const Move& move) const {
    const model::Edge& e = machines_[move.machine]->out(state(at, move.machine))[move.edge];
    explore::Run run{{e.label, move.machine, e.target}};
    if (move.partner == none) return run;
    const model::Edge& r = machines_[move.partner]->out(state(at, move.partner))[move.partner_edge];
    run.push_back({r.label, move.partner, r.target});
    return run;
}

bool Composition::rests(const Position& at, std::size_t machine) const {
    return machines_[machine]->final(state(at, machine)) ||
           machines_[machine]->out(state(at, machine)).empty();
}

std::vector<explore::Parcel> Composition::contents(const Position& at, std::size_t channel) const {
    std::vector<explore::Parcel> parcels;
    std::size_t start = start_of(at, static_cast<std::uint32_t>(channel));
    for (std::uint32_t i = 1; i <= at[start]; ++i) {
        const model::Event& event = symbols_[at[start + i]];
        parcels.push_back({event.from, event.message});
    }
    return parcels;
}

std::vector<std::uint32_t> most_receives(const model::Machine& machine, const explore::Channel& channel) {
    std::vector<std::uint32_t> most(machine.state_count(), 0);
    for (std::size_t round = 0, changed = 1; changed > 0 && round < most.size(); ++round) {
        changed = 0;
        for (std::size_t s = most.size(); s-- > 0;)
            for (const model::Edge& edge : machine.out(model::StateId(s))) {
                const model::Event& event = machine.alphabet().event(edge.label);
                bool counts = event.kind == EventKind::receive && event.to == channel.to &&
                              (!channel.from || event.from == channel.from);
                std::uint32_t here = most[edge.target.index] + (counts ? 1 : 0);
                if (here <= most[s]) continue;
                most[s] = here;
                ++changed;
            }
    }
    return most;
}

}  // namespace treaty::testgen
