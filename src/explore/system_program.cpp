// Tables are filled by doing: for each machine state, port and value of the port's field, an otherwise empty
// state is given that machine state and that field, each edge is tried on it, and the bits that changed are
// the move. This is right because whether an edge is possible, and what it changes, depends on those two
// alone.

#include "explore/system_program.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"

namespace treaty::explore {

using model::Event;
using model::EventKind;
using model::Machine;
using model::Mode;
using model::StateId;

namespace {
constexpr std::size_t most_ranges = std::size_t(1) << 22;
constexpr std::size_t most_moves = std::size_t(1) << 22;
}  // namespace

SystemProgram::SystemProgram(const SystemLayout& layout, std::vector<bool> bounded)
    : layout_(layout),
      bounded_(std::move(bounded)),
      sync_(layout.semantics().system().channels().mode == Mode::sync) {
    const Semantics& semantics = layout.semantics();
    std::uint32_t last_group = no_edge;
    for (std::size_t i = 0; i < layout.machines().size(); ++i) {
        std::uint32_t group = semantics.groups()[layout.machines()[i]];
        if (group != last_group) groups.push_back({static_cast<std::uint32_t>(i), 0, {}});
        ++groups.back().count;
        last_group = group;
        ProgramMachine m;
        m.field = layout.machine(i);
        machines.push_back(m);
    }
    for (ProgramGroup& g : groups) {
        g.channel_bits.assign(layout.words(), 0);
        std::uint32_t number = semantics.groups()[layout.machines()[g.first]];
        for (const ChannelLayout& c : layout.channels()) {
            if (semantics.channel_groups()[c.channel] != number) continue;
            for (std::uint32_t done = 0; done < c.field.bits; done += 64)
                g.channel_bits[c.field.word + done / 64] |=
                    c.field.bits > 62 ? ~std::uint64_t(0) : c.field.mask << c.field.shift;
        }
    }
    add_edges();
    for (std::uint32_t m = 0; m < machines.size(); ++m) {
        const Machine& machine = semantics.system().machines()[layout.machines()[m]];
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            add_local(m, StateId(s), machines[m].locals + static_cast<std::uint32_t>(s));
    }
    moves.resize(moves.size() + 2);
}

void SystemProgram::add_edges() {
    const Semantics& semantics = layout_.semantics();
    const model::System& system = semantics.system();
    std::vector<std::uint32_t> place(system.machines().size(), no_edge);
    for (std::uint32_t i = 0; i < machines.size(); ++i) place[layout_.machines()[i]] = i;
    for (std::uint32_t i = 0; i < machines.size(); ++i) {
        std::uint32_t position = layout_.machines()[i];
        const Machine& machine = system.machines()[position];
        machines[i].locals = static_cast<std::uint32_t>(edge_starts.size());
        machines[i].states = static_cast<std::uint32_t>(machine.state_count());
        for (std::size_t s = 0; s < machine.state_count(); ++s) {
            edge_starts.push_back(static_cast<std::uint32_t>(edges.size()));
            for (const model::Edge& e : machine.out(StateId(s))) {
                const Event& event = system.alphabet().event(e.label);
                ProgramEdge edge;
                edge.step = {e.label, position, e.target};
                edge.machine = i;
                edge.kind = event.kind;
                if (event.kind == EventKind::send) {
                    Event answer = event;
                    answer.kind = EventKind::receive;
                    if (auto label = system.alphabet().find_label(answer)) edge.answer = *label;
                }
                if (event.kind != EventKind::silent) {
                    auto peer = system.machine_of(event.kind == EventKind::send ? event.to : event.from);
                    if (peer && *peer != position) edge.peer = place[*peer];
                    edge.channel = layout_.channel_of(event);
                    if (edge.channel) edge.symbol = edge.channel->symbol({event.from, event.message});
                }
                edges.push_back(edge);
            }
        }
    }
    locals.resize(edge_starts.size());
    edge_starts.push_back(static_cast<std::uint32_t>(edges.size()));
}

bool SystemProgram::take(std::uint64_t* state, const ProgramEdge& edge) const {
    if (edge.kind != EventKind::silent) {
        if (sync_ || edge.symbol == ChannelCode::none) return false;
        bool done = edge.kind == EventKind::send ? edge.channel->push(state, edge.symbol)
                                                 : edge.channel->take(state, edge.symbol);
        if (!done) return false;
    }
    write_field(state, machines[edge.machine].field, edge.step.target.index);
    return true;
}

bool SystemProgram::overflows(const std::uint64_t* state, const ProgramEdge& edge) const {
    return edge.kind == EventKind::send && edge.channel && !bounded_[edge.channel->channel] &&
           edge.channel->length(state) >= edge.channel->capacity;
}

bool SystemProgram::blocked(const std::uint64_t* state, const ProgramEdge& edge) const {
    if (edge.kind != EventKind::receive || !edge.channel || edge.channel->bag) return false;
    auto content = edge.channel->content(state);
    return !content.empty() && content.front() != edge.symbol;
}

// Splits the edges of a state by what decides them.
void SystemProgram::add_local(std::uint32_t machine, StateId s, std::uint32_t local) {
    const Semantics& semantics = layout_.semantics();
    LocalState& here = locals[local];
    here.rests = semantics.rests(layout_.machines()[machine], s);
    here.only_receives = !here.rests;
    here.first_port = static_cast<std::uint32_t>(ports.size());
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::pair<Field, std::vector<std::uint32_t>>>
        by_field;
    for (std::uint32_t e = edge_starts[local]; e < edge_starts[local + 1]; ++e) {
        const ProgramEdge& edge = edges[e];
        if (edge.kind != EventKind::receive) here.only_receives = false;
        Field field;
        int kind = 0;
        if (edge.channel) {
            field = edge.channel->field;
            kind = 1 + static_cast<int>(edge.channel - layout_.channels().data());
        } else if (edge.kind != EventKind::silent) {
            if (edge.kind == EventKind::receive || edge.peer == no_edge)
                continue;  // the sender's port has it
            field = machines[edge.peer].field;
            kind = 1 + static_cast<int>(edge.peer);
        }
        auto& [known, list] = by_field[{kind, field.word, field.shift}];
        known = field;
        list.push_back(e);
    }
    // A state without a port gets an empty one, so that every state has its flags in a range.
    if (by_field.empty()) by_field[{0, 0, 0}] = {};
    std::uint32_t most = 0;
    for (auto& [key, entry] : by_field) most += add_port(local, entry.first, entry.second);
    machines[machine].max_moves = std::max(machines[machine].max_moves, most);
    here.port_count = static_cast<std::uint32_t>(ports.size()) - here.first_port;
}

// Returns how many moves it can have at one time.
std::uint32_t SystemProgram::add_port(std::uint32_t local, const Field& field,
                                      const std::vector<std::uint32_t>& list) {
    Port port;
    port.field = field;
    port.first_edge = static_cast<std::uint32_t>(edge_lists.size());
    port.edge_count = static_cast<std::uint32_t>(list.size());
    edge_lists.insert(edge_lists.end(), list.begin(), list.end());
    bool coded = list.empty() || !edges[list[0]].channel || edges[list[0]].channel->code;
    bool small = coded && field.bits <= 12 && ranges.size() + (std::size_t(1) << field.bits) <= most_ranges &&
                 moves.size() <= most_moves && list.size() < 256;
    std::uint32_t most = 0;
    if (small) {
        port.ranges = static_cast<std::uint32_t>(ranges.size());
        for (std::uint64_t value = 0; small && value <= field.mask; ++value) {
            MoveRange range = make_range(local, field, value, list);
            most = std::max<std::uint32_t>(most, range.count);
            ranges.push_back(range);
        }
    } else {
        for (std::uint32_t e : list) {
            std::uint32_t partners = 1;
            if (sync_)
                for (std::uint32_t f = 0; f < machines[edges[e].peer].states; ++f)
                    partners = std::max(partners, edge_starts[machines[edges[e].peer].locals + f + 1] -
                                                      edge_starts[machines[edges[e].peer].locals + f]);
            most += partners;
        }
    }
    ports.push_back(port);
    return most;
}

MoveRange SystemProgram::make_range(std::uint32_t local, const Field& field, std::uint64_t value,
                                    const std::vector<std::uint32_t>& list) {
    MoveRange range;
    range.first = static_cast<std::uint32_t>(moves.size());
    range.flags = static_cast<std::uint16_t>(locals[local].rests ? 0 : flag::restless);
    if (list.empty()) return range;
    const ProgramEdge& any = edges[list[0]];
    std::uint64_t values = any.channel                     ? any.channel->code->size()
                           : any.kind == EventKind::silent ? 1
                                                           : machines[any.peer].states;
    if (value >= values) return range;  // the field's bits can say more than it needs

    std::vector<std::uint64_t> before(layout_.words(), 0);
    const ProgramMachine& machine = machines[any.machine];
    write_field(before.data(), machine.field, local - machine.locals);
    // In sync mode the field is the partner's state; it may be next to the machine's in the same word.
    if (field.bits > 0) write_field(before.data(), field, value);
    bool all_blocked = locals[local].only_receives;
    for (std::uint32_t e : list) {
        std::vector<std::uint64_t> after = before;
        if (sync_ && edges[e].kind == EventKind::send) {
            for_each_partner(edges[e], static_cast<std::uint32_t>(value), [&](std::uint32_t f) {
                after = before;
                take_both(after.data(), edges[e], edges[f]);
                add_move(before, after, {e, f});
            });
            continue;
        }
        if (take(after.data(), edges[e])) add_move(before, after, {e, no_edge});
        if (overflows(before.data(), edges[e])) range.flags |= flag::overflow;
        all_blocked = all_blocked && blocked(before.data(), edges[e]);
    }
    if (all_blocked) range.flags |= flag::unspecified;
    range.count = static_cast<std::uint16_t>(moves.size() - range.first);
    return range;
}

void SystemProgram::take_both(std::uint64_t* state, const ProgramEdge& edge,
                              const ProgramEdge& partner) const {
    write_field(state, machines[edge.machine].field, edge.step.target.index);
    write_field(state, machines[partner.machine].field, partner.step.target.index);
}

void SystemProgram::add_move(const std::vector<std::uint64_t>& before,
                             const std::vector<std::uint64_t>& after, MoveEdges taken) {
    Move move;
    int changed = 0;
    for (std::uint32_t w = 0; w < before.size(); ++w) {
        if (before[w] == after[w]) continue;
        TREATY_CHECK(changed < 2);
        (changed == 0 ? move.flip_a : move.flip_b) = before[w] ^ after[w];
        (changed == 0 ? move.word_a : move.word_b) = w;
        ++changed;
    }
    moves.push_back(move);
    move_edges.push_back(taken);
}

std::size_t SystemProgram::max_successors() const {
    std::size_t sum = 0;
    for (const ProgramMachine& m : machines) sum += m.max_moves;
    return sum;
}

}  // namespace treaty::explore
