// A real program as the system under test, with an event a line.
//
//     tester: offer [EVENT...]      program: accept EVENT, refuse, or end
//     tester: reset                 program: ready
//
// A program that has ended successfully answers `end` to every offer; to an empty offer it answers whether
// it has. Each test has a program, or a connection, of its own. It is reset in between only if keep asks for
// that, or where neither program nor connection begins anew: one that runs already, over datagrams or HTTP. A
// program that calls the tester sends `ready` when it has.
// A test is repeated `times`, and all verdicts count. Silence beyond `patience` is an environment error, or a
// refusal if silence_refuses. Whatever the program does, run() returns, and no process of it is left.
#pragma once

#include <memory>

#include "complete/line_channel.h"
#include "complete/sut.h"

namespace treaty::complete {

struct ProgramOptions {
    std::chrono::milliseconds patience{10000};
    std::uint64_t times = 1;
    bool silence_refuses = false;
    bool keep = false;
    bool ends = false;  // whether `end` is among the answers
};

class ProgramSut final : public Sut {
public:
    ProgramSut(Place place, const model::Alphabet& names, ProgramOptions options)
        : channel_(std::move(place)), names_(names), options_(options) {}
    Verdicts run(const Test& test) override;

private:
    enum class Answered : std::uint8_t { accepted, refused, ended, fault };

    // A program that runs already and calls, over datagrams or HTTP, calls only once.
    bool lasting() const { return options_.keep || (channel_.place().calls && !channel_.place().bound); }
    bool begin(Verdicts& into);
    bool ready(std::string_view asked, Verdicts& into);
    std::string ending();
    void once(const Test& test, Verdicts& into);
    Answered offer(std::span<const model::LabelId> events, Verdicts& into);
    Answered fault(WorldFault kind, std::string why, Verdicts& into);
    Answered read_answer(std::span<const model::LabelId> events, Verdicts& into);

    LineChannel channel_;
    const model::Alphabet& names_;
    ProgramOptions options_;
};

}  // namespace treaty::complete
