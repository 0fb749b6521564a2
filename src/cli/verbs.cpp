#include "cli/verbs.h"

#include <array>

#include <fmt/format.h>

namespace treaty::cli {
namespace {

constexpr auto all = std::to_array<Verb>({
    {"check", "everything that can be said about a protocol without running it",
     R"(Reads each file and reports every fault in it: words, names, types, values that a role cannot know, choices
that someone cannot follow. Any notation that Treaty reads is welcome.

  treaty check shop.treaty
  treaty check shop.treaty atm.gc --json)",
     verb_check},
    {"show", "draw a protocol, its net, its machines, or its state space",
     R"(--as says what is drawn:
  msc      the protocol as a sequence chart
  graph    the protocol as a graph of its steps
  net      the Petri net that conversations are tracked on
  machine  the machine of one role (--role), or of the whole protocol
  pomset   the events of each branch and the order between them
  space    every configuration of the roles' machines

The extension of -o says how: .svg, .dot, and for charts also .txt. Without -o, --format says how and the
picture goes to standard output.

  treaty show shop.treaty --as msc -o shop.svg
  treaty show shop.treaty --as machine --role vendor --format dot)",
     verb_show},
    {"project", "what one role, or a group of roles, must do",
     R"(Prints the machine of the role: each state with what it may send (!) or receive (?) and where that leads. A
group of roles (--role A,B) gives the machine of all of them together.

The extension of -o says what is written: .fsa, .json, .aut, .dot or .svg.

  treaty project shop.treaty --role vendor
  treaty project shop.treaty --role buyer,vendor -o both.svg)",
     verb_project},
    {"unfold", "a protocol with its loops unrolled",
     R"(Every loop is replaced by at most N rounds of its body, written out; the result is a protocol again.

  treaty unfold shop.treaty --times 2
  treaty unfold shop.treaty --times 2 -o unfolded.treaty)",
     verb_unfold},
    {"explore", "search every configuration of a system for what can go wrong",
     R"(Runs the machines of all roles together, over channels, and visits every configuration they can reach. It
finds deadlocks, messages that no one receives, receptions that are not foreseen, roles that can never move
again, and channels that grow for ever; each with a shortest run that leads there.

  treaty explore shop.treaty
  treaty explore machines.fsa --mode bag --bound 4
  treaty explore shop.treaty --replace vendor=mine.fsa -o fault.svg)",
     verb_explore},
    {"convert", "from one notation to another",
     R"(The extensions of the two files say what is read and what is written. What the target cannot carry is named
and refused, unless --allow-loss.

  treaty convert atm.gc -o atm.treaty
  treaty convert atm.treaty -o atm.fsa)",
     verb_convert},
    {"fmt", "the canonical form of Treaty files",
     R"(Prints the file as it should look; comments stay. A file with faults is left alone. - is standard input.

  treaty fmt shop.treaty
  treaty fmt --in-place *.treaty
  treaty fmt --check *.treaty)",
     verb_fmt},
    {"help", "explain a verb, or a diagnostic",
     R"(  treaty help              all verbs
  treaty help explore      one verb
  treaty help T0202        one diagnostic
  treaty help codes        all diagnostics)",
     verb_help},
});

}  // namespace

std::span<const Verb> verbs() {
    return all;
}

const Verb* find_verb(std::string_view name) {
    for (const Verb& verb : all)
        if (verb.name == name) return &verb;
    return nullptr;
}

std::string overview() {
    std::string out = "usage: treaty VERB ...\n\n";
    for (const Verb& verb : all) out += fmt::format("  treaty {:<8}  {}\n", verb.name, verb.summary);
    out +=
        "\ntreaty help VERB says more about one of them, treaty help T0202 about a diagnostic.\n"
        "Exit codes: 0 it holds, 1 it does not, 2 bad usage or input, 3 undecided, 4 the world failed.\n";
    return out;
}

}  // namespace treaty::cli
