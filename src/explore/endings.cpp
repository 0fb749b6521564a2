// Pearce's variant of Tarjan's algorithm, without recursion: index_ holds the depth-first number of a state,
// then the least one it can reach within its component, and in the end the component's number. The future of
// a component is gathered on the way back: a state hands what it saw to the one it was reached from.

#include "explore/endings.h"

#include <algorithm>

#include "base/check.h"

namespace treaty::explore {

using base::StopReason;

FutureBits::FutureBits(const SystemProgram& program) : program_(program) {
    std::size_t bit = program.machines.size();
    const SystemLayout& layout = program.layout();
    auto group_of = [&](std::uint32_t number) {
        for (std::size_t g = 0; g < program.groups.size(); ++g)
            if (layout.semantics().groups()[layout.machines()[program.groups[g].first]] == number) return g;
        return std::size_t(0);
    };
    for (std::uint32_t position : layout.machines())
        machine_groups_.push_back(group_of(layout.semantics().groups()[position]));
    for (const ChannelLayout& c : layout.channels()) {
        channel_groups_.push_back(group_of(layout.semantics().channel_groups()[c.channel]));
        channel_bits_.push_back(bit);
        bit += c.bag ? c.symbols.size() : 1;
    }
    first_group_ = bit;
    words_ = (bit + program.groups.size() + 63) / 64;
}

void FutureBits::add_move(std::uint64_t* mask, MoveEdges taken) const {
    const ProgramEdge& edge = program_.edges[taken.edge];
    set(mask, edge.machine);
    if (taken.partner != no_edge) set(mask, program_.edges[taken.partner].machine);
    if (edge.kind != model::EventKind::receive || !edge.channel) return;
    auto channel = static_cast<std::size_t>(edge.channel - program_.layout().channels().data());
    set(mask, channel_bits_[channel] + (edge.channel->bag ? edge.symbol : 0));
}

bool FutureBits::is_stuck(const std::uint64_t* state, const std::uint64_t* mask, std::size_t machine) const {
    if (has(mask, machine) || has(mask, first_group_ + machine_groups_[machine])) return false;
    const ProgramMachine& m = program_.machines[machine];
    return !program_.locals[m.locals + read_field(state, m.field)].rests;
}

bool FutureBits::is_orphaned(const std::uint64_t* state, const std::uint64_t* mask,
                             std::size_t channel) const {
    if (has(mask, first_group_ + channel_groups_[channel])) return false;
    const ChannelLayout& c = program_.layout().channels()[channel];
    if (!c.bag) return !has(mask, channel_bits_[channel]) && c.length(state) > 0;
    auto content = c.content(state);
    return std::any_of(content.begin(), content.end(),
                       [&](std::uint32_t s) { return !has(mask, channel_bits_[channel] + s); });
}

Parcel FutureBits::orphan(const std::uint64_t* state, const std::uint64_t* mask, std::size_t channel) const {
    const ChannelLayout& c = program_.layout().channels()[channel];
    for (std::uint32_t s : c.content(state))
        if (!c.bag || !has(mask, channel_bits_[channel] + s)) return c.symbols[s];
    return {};
}

std::uint32_t FutureBits::judge(const std::uint64_t* state, const std::uint64_t* mask) const {
    std::uint32_t flags = 0;
    for (std::size_t m = 0; m < machine_groups_.size(); ++m)
        if (is_stuck(state, mask, m)) flags |= flag::stuck;
    for (std::size_t c = 0; c < channel_groups_.size(); ++c)
        if (is_orphaned(state, mask, c)) flags |= flag::endless_orphan;
    return flags;
}

bool FutureBits::suspicious(const std::uint64_t* mask) const {
    for (std::size_t m = 0; m < machine_groups_.size(); ++m)
        if (!has(mask, m) && !has(mask, first_group_ + machine_groups_[m])) return true;
    for (std::size_t c = 0; c < channel_groups_.size(); ++c) {
        if (has(mask, first_group_ + channel_groups_[c])) continue;
        const ChannelLayout& layout = program_.layout().channels()[c];
        std::size_t count = layout.bag ? layout.symbols.size() : 1;
        for (std::size_t i = 0; i < count; ++i)
            if (!has(mask, channel_bits_[c] + i)) return true;
    }
    return false;
}

template <int W>
Endings<W>::Endings(const StepSpace<W>& space, const SystemSpace<W>& system, const Table<W>& table,
                    Budget& budget)
    : space_(space),
      system_(system),
      table_(table),
      budget_(budget),
      bits_(system.program()),
      batch_(space.max_successors()) {}

template <int W>
StopReason Endings<W>::run(const Limits& limits) {
    pages_ = Pages::allocate(budget_, table_.positions() * sizeof(std::uint32_t));
    if (!pages_) return StopReason::memory;
    index_ = pages_.template as<std::uint32_t>();
    std::size_t start = table_.find(space_.initial());
    TREATY_CHECK(start != Table<W>::nowhere);
    if (!push(start)) return StopReason::memory;
    for (std::uint64_t steps = 0; !frames_.empty(); ++steps) {
        if (steps % 4096 == 0) {
            if (limits.time.passed()) return limits.time.reason();
            std::size_t bytes = (frame_masks_.size() + component_masks_.size() + successors_.size()) * 16 +
                                frames_.size() * 2 * sizeof(Frame) + waiting_.size() * 16;
            if (bytes > budget_.limit() - std::min(budget_.limit(), budget_.used()))
                return StopReason::memory;
        }
        Frame& frame = frames_.back();
        if (frame.next == successors_.size()) {
            pop();
            continue;
        }
        std::size_t successor = successors_[frame.next];
        if (index_[successor] == 0) {
            push(successor);
            continue;
        }
        look_at_successor(frame);
        ++frame.next;
    }
    return StopReason::none;
}

template <int W>
bool Endings<W>::push(std::size_t position) {
    Frame frame{position, successors_.size(), successors_.size(), true, false};
    index_[position] = next_index_++;
    State<W> state = table_.at(position);
    batch_.clear();
    space_.expand({&state, 1}, batch_);
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        std::size_t successor = table_.find(batch_.states()[i]);
        TREATY_CHECK(successor != Table<W>::nowhere);
        successors_.push_back(successor);
    }
    frames_.push_back(frame);
    frame_masks_.resize(frames_.size() * bits_.words(), 0);
    std::uint64_t* mask = mask_of_frame(frames_.size() - 1);
    const SystemProgram& program = system_.program();
    std::vector<bool> steps(program.groups.size(), false);
    for (MoveEdges taken : space_.moves(state)) {
        bits_.add_move(mask, taken);
        steps[bits_.group_of(taken)] = true;
    }
    // A group has ended if the system, not only the space, has no step of it.
    for (std::size_t g = 0; g < program.groups.size(); ++g) {
        const ProgramGroup& group = program.groups[g];
        for (std::uint32_t m = group.first; m < group.first + group.count && !steps[g]; ++m)
            system_.for_each_move(state, m, [&](const State<W>&, MoveEdges) { steps[g] = true; });
        if (!steps[g]) bits_.add_end(mask, g);
    }
    return true;
}

// The frame's current successor has been visited: it is below on the stack, just completed, or elsewhere.
template <int W>
void Endings<W>::look_at_successor(Frame& frame) {
    std::uint32_t theirs = index_[successors_[frame.next]];
    std::uint32_t& mine = index_[frame.position];
    if (theirs > component_) {
        const std::uint64_t* mask = mask_of_component(theirs);
        std::uint64_t* here = mask_of_frame(frames_.size() - 1);
        for (std::size_t i = 0; i < bits_.words(); ++i) here[i] |= mask[i];
        frame.exits = true;
    } else if (theirs < mine) {
        mine = theirs;
        frame.root = false;
    }
}

template <int W>
void Endings<W>::pop() {
    Frame frame = frames_.back();
    if (frame.root) {
        complete(frame);
    } else {
        waiting_.push_back(frame.position);
        TREATY_CHECK(frames_.size() > 1);
        std::uint64_t* above = mask_of_frame(frames_.size() - 2);
        const std::uint64_t* here = mask_of_frame(frames_.size() - 1);
        for (std::size_t i = 0; i < bits_.words(); ++i) above[i] |= here[i];
        frames_[frames_.size() - 2].exits |= frame.exits;
    }
    successors_.resize(frame.first);
    frames_.pop_back();
    frame_masks_.resize(frames_.size() * bits_.words());
}

template <int W>
void Endings<W>::complete(const Frame& frame) {
    const std::uint64_t* here = mask_of_frame(frames_.size() - 1);
    component_masks_.insert(component_masks_.end(), here, here + bits_.words());
    const std::uint64_t* mask = component_masks_.data() + component_masks_.size() - bits_.words();
    bool look = bits_.suspicious(mask), ignored = false;
    --next_index_;
    while (!waiting_.empty() && index_[frame.position] <= index_[waiting_.back()]) {
        std::size_t member = waiting_.back();
        waiting_.pop_back();
        if (look) inspect(member, mask, !frame.exits, ignored);
        index_[member] = component_;
        --next_index_;
    }
    if (look) inspect(frame.position, mask, !frame.exits, ignored);
    index_[frame.position] = component_;
    --component_;
    if (ignored) ignoring_.push_back(table_.at(frame.position));
}

template <int W>
void Endings<W>::inspect(std::size_t position, const std::uint64_t* mask, bool bottom, bool& ignored) {
    State<W> state = table_.at(position);
    std::uint32_t flags = bits_.judge(state.data(), mask);
    if (flags & ~flags_ & flag::stuck) stuck_path_ = path();
    if (flags & ~flags_ & flag::endless_orphan) orphan_path_ = path();
    flags_ |= flags;
    if (!bottom || ignored) return;
    for (std::uint32_t m = 0; m < system_.program().machines.size() && !ignored; ++m)
        if (!bits_.moves(mask, m))
            system_.for_each_move(state, m, [&](const State<W>&, MoveEdges) { ignored = true; });
}

// To the root of the component that is being completed. Every state of it has the same future, and what is
// wrong with one is wrong with all of them unless it is in a state that a member has left: then it is never
// left, because the machine does not move and the channel is not read in this component.
template <int W>
std::vector<std::uint32_t> Endings<W>::path() const {
    std::vector<std::uint32_t> choices;
    for (std::size_t i = 0; i + 1 < frames_.size(); ++i)
        choices.push_back(static_cast<std::uint32_t>(frames_[i].next - frames_[i].first));
    return choices;
}

template <int W>
const std::uint64_t* Endings<W>::future(const State<W>& state) const {
    std::size_t position = table_.find(state);
    TREATY_CHECK(position != Table<W>::nowhere && index_[position] > component_);
    return mask_of_component(index_[position]);
}

#define TREATY_WIDTH(W) template class Endings<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
