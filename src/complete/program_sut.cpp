#include "complete/program_sut.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::complete {
namespace {

// What a program wrote, safe to show: short, and without control characters.
std::string shown(std::string_view line) {
    std::string out;
    for (char c : line.substr(0, 60)) out += c >= ' ' && c < 127 ? c : '?';
    return line.size() > 60 ? out + "..." : out;
}

}  // namespace

ProgramSut::Answered ProgramSut::fault(WorldFault kind, std::string why, Verdicts& into) {
    into.fault = kind;
    into.why = std::move(why);
    channel_.close();
    return Answered::fault;
}

Verdicts ProgramSut::run(const Test& test) {
    Verdicts seen;
    for (std::uint64_t i = 0; i < options_.times && seen.fault == WorldFault::none && !seen.fail; ++i)
        once(test, seen);
    return seen;
}

bool ProgramSut::begin(Verdicts& into) {
    bool kept = lasting() && channel_.is_open();
    if (!kept) {
        if (auto opened = channel_.open(options_.patience); !opened) {
            fault(WorldFault::start, opened.error(), into);
            return false;
        }
        if (channel_.place().calls && !ready("it calls", into)) return false;
    }
    if (!kept && channel_.place().bound) return true;
    channel_.write("reset");
    return ready("asked to reset", into);
}

// Reads that it is ready; `asked` is the occasion, for the message of a fault.
bool ProgramSut::ready(std::string_view asked, Verdicts& into) {
    std::string line;
    switch (channel_.read(line, options_.patience)) {
        case LineChannel::ReadResult::closed:
            fault(WorldFault::gone, fmt::format("when {}, {}", asked, ending()), into);
            return false;
        case LineChannel::ReadResult::silence:
            fault(WorldFault::silent, fmt::format("when {}, it does not answer `ready`", asked), into);
            return false;
        case LineChannel::ReadResult::line:
            if (line == "ready") return true;
            [[fallthrough]];
        case LineChannel::ReadResult::too_long: break;
    }
    fault(WorldFault::nonsense, fmt::format("when {}, it answers `{}`, not `ready`", asked, shown(line)),
          into);
    return false;
}

// How it ended, and its last line on standard error.
std::string ProgramSut::ending() {
    std::string how = channel_.ending(), words = channel_.last_words();
    return words.empty() ? how : fmt::format("{}, and wrote: {}", how, shown(words));
}

void ProgramSut::once(const Test& test, Verdicts& into) {
    if (!begin(into)) return;
    std::size_t done = 0;
    for (model::LabelId event : test.trace) {
        Answered answer = offer(std::span(&event, 1), into);
        if (answer == Answered::fault) return;
        if (answer != Answered::accepted) {
            into.inconclusive = true;
            break;
        }
        into.done = std::max(into.done, ++done);
    }
    if (done == test.trace.size()) {
        Answered answer = offer(test.offer, into);
        if (answer == Answered::fault) return;
        bool end_offered = test.offer.front().index == 0;
        bool taken = answer == Answered::accepted || (answer == Answered::ended && end_offered);
        bool wrong = taken == (test.kind == TestKind::trace);
        (wrong ? into.fail : into.pass) = true;
    }
    if (!lasting()) channel_.close();
}

ProgramSut::Answered ProgramSut::offer(std::span<const model::LabelId> events, Verdicts& into) {
    std::string line = "offer";
    for (model::LabelId e : events)
        if (e.index != 0) line += ' ' + names_.print(e);
    // A program that has ended may have answered before: its answer is read in any case.
    channel_.write(line);
    return read_answer(events, into);
}

ProgramSut::Answered ProgramSut::read_answer(std::span<const model::LabelId> events, Verdicts& into) {
    std::string line, offered;
    for (model::LabelId e : events)
        if (e.index != 0) offered += (offered.empty() ? "" : ", ") + names_.print(e);
    if (offered.empty()) offered = "nothing";
    switch (channel_.read(line, options_.patience)) {
        case LineChannel::ReadResult::silence:
            if (options_.silence_refuses) return Answered::refused;
            return fault(WorldFault::silent,
                         fmt::format("it did not answer to an offer of {} within {} ms", offered,
                                     options_.patience.count()),
                         into);
        case LineChannel::ReadResult::closed:
            return fault(WorldFault::gone, fmt::format("when offered {}, {}", offered, ending()), into);
        case LineChannel::ReadResult::too_long:
            return fault(WorldFault::nonsense, "it answers with a line that does not end", into);
        case LineChannel::ReadResult::line: break;
    }
    if (line == "refuse") return Answered::refused;
    if (line == "end" && options_.ends) return Answered::ended;
    if (line == "end")
        return fault(WorldFault::nonsense,
                     fmt::format("when offered {}, it ends, but ends are not in the alphabet", offered),
                     into);
    if (!line.starts_with("accept "))
        return fault(WorldFault::nonsense,
                     fmt::format("it answers `{}` to an offer of {}", shown(line), offered), into);
    std::string event = line.substr(7);
    for (model::LabelId e : events)
        if (e.index != 0 && names_.print(e) == event) return Answered::accepted;
    bool known = false;
    for (std::size_t i = 1; i < names_.label_count(); ++i)
        known = known || names_.print(model::LabelId(i)) == event;
    return fault(WorldFault::nonsense,
                 known ? fmt::format("it accepts {}, which was not offered: {} was", shown(event), offered)
                       : fmt::format("it accepts {}, which is not an event of the alphabet", shown(event)),
                 into);
}

}  // namespace treaty::complete
