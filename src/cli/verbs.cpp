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
  treaty project shop.treaty --role buyer,vendor -o both.svg

--smart adds the interactions without which roles that see only their own messages cannot play the protocol (values
they must know, an order they cannot keep, a branch they are not told), as few as possible, and shows them; --save
writes the protocol with them. --mode says when one interaction is bound to come after another.

  treaty project shop.treaty --role vendor --smart --mode sending)",
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
    {"step", "walk through a protocol, choosing each event by hand",
     R"(Shows where the conversation is and the events that can come next, with their lines; reads a number to take one, b to
go back, r to take one at random, c for a chart of what was taken, q to leave, ? for all of this. Data that an event
leaves open is asked for, with a proposal made from its conditions and --seed. It says when the conversation may end, is
over, or is stuck.

Without --role whole interactions are taken; with it the sends and receives of one role, as that role sees them. With
--mode or --bound all roles run over channels, sending and receiving apart, and data is left aside.

  treaty step shop.treaty
  treaty step shop.treaty --role vendor --seed 3
  treaty step shop.treaty --mode fifo
  printf '1\n\nr 5\nq\n' | treaty step shop.treaty --json)",
     verb_step},
    {"conform", "whether an implementation does exactly what a specification says, with all data",
     R"(Compares two descriptions event by event and value by value (branching bisimulation): every message that one
allows the other must allow, with the same data, and both may end in the same places. Messages of IMPL that SPEC does
not know are hidden first. The answer is for all values at once: it conforms; it does not, with a run; it conforms
exactly under a condition on values that are free; or it could not be decided.

  treaty conform mine.treaty shop.treaty
  treaty conform machines.fsa shop.treaty)",
     verb_conform},
    {"tests", "abstract tests of one role, made from the protocol",
     R"(Takes the machines of all other roles and fixes the choices they make, in every way: each way is a test case, which
plays those roles against a component. --count says how many there are without making any. Without -o the cases
are listed with the choices they fix; -o writes them, to one .json file or to a folder.

  treaty tests atm.treaty --cut A
  treaty tests atm.treaty --cut A,B,C --keep-all --check --against A=mine.fsa
  treaty tests atm.treaty --cut A --order --first 3 -o tests/)",
     verb_tests},
    {"comply", "does a component pass its tests",
     R"(Runs the machine of a component with each test case, in every possible order of events, and shows a shortest
run that goes wrong. TESTS is what treaty tests wrote, or a protocol (with --cut), of which the tests are then
made. By default all that the tester saw must together be part of one run of the protocol; --oracle local only asks
that every test machine gets to its end.

  treaty comply mine.fsa atm.treaty --cut A
  treaty comply mine.fsa tests/ --mode bag
  treaty comply mine.fsa tests.json --oracle local -o failure.svg)",
     verb_comply},
    {"mutate", "how good the tests of a role are: components that are wrong in one place",
     R"(Changes the role's machine, or the protocol, in one place, in every way that its operators know, and runs the tests
with each of these mutants. A mutant that no test kills is equivalent (it only does less of its own
choosing), unobservable (nobody could tell, which is proved), or it survived.

  treaty mutate atm.treaty --cut A
  treaty mutate atm.treaty --cut C --observe-final
  treaty mutate atm.treaty --cut A --oracle local --level machine -o survivors.svg)",
     verb_mutate},
    {"run", "the commands of a script",
     R"(Runs what a script asks for, as its own tool would. SChorA scripts (.schora): showTime, showStat, showSTG,
showReachableSTG, showRealizableSTG, projection and conformance. CSPM scripts (.csp): their assertions. The answer is the
worst one of its questions.

  treaty run shop.schora
  treaty run lift.csp)",
     verb_run},
    {"test", "test a real program that plays one role",
     R"(Plays all roles but one and talks to the program that plays that one: sends what the protocol allows, with data
made from its conditions, and judges every answer. A message that is not allowed, data that breaks a condition, bytes
that are no message, silence where an answer is due, a connection that is closed early and a crash are failures; the
failing run is drawn and kept, and tried first the next time.

  treaty test echo.treaty --cut server --run 'python3 server.py {port}' --via tcp://127.0.0.1:{port}
  treaty test book_shop.treaty --cut server --run 'python3 server.py' --via stdio: --sessions 1000 --seed 7
  treaty test smtp.treaty --cut client --run 'python3 client.py {port}' --via tcp-listen://127.0.0.1:{port})",
     verb_test},
    {"simulate", "play one role for a person or a program to talk to",
     R"(Plays a role as the protocol says and says at each step what the protocol allows; what comes and is not allowed is
refused, and the conversation goes on.

  treaty simulate smtp.treaty --role server --via tcp-listen://127.0.0.1:2525
  treaty simulate shop.treaty --role buyer --run './vendor {port}' --via tcp://127.0.0.1:{port})",
     verb_simulate},
    {"replay", "try a failing run again",
     R"(Sends the messages of a failing run to the component once more and says FIXED or FAILED: of all failures that
treaty test has kept, of one by its number, or of a run that was saved to a file.

  treaty replay
  treaty replay 3 --run './server-debug {port}'
  treaty replay failure.json)",
     verb_replay},
    {"watch", "judge recorded traffic, without disturbing it",
     R"(Follows the logs of the roles on their parts of the protocol, and all of them together on the protocol: what no
part allows is a deviation, and the first one is named; what is not over yet is incomplete. Messages that the protocol
does not have are filtered out. Properties of the file get a verdict each time they match. Logs are JSON lines, XML
messages, text with two lines an event, or packet captures; sessions are told apart by their `session` field, their
connection, an id or a field of the messages. Logs can be followed as they grow, and a watch that is killed goes on
where it was.

  treaty watch shop.treaty --from vendor.jsonl --from buyer.jsonl --from warehouse.jsonl
  treaty watch shop.treaty --from vendor=events.jsonl --json
  treaty watch shop.treaty --from all.jsonl --order sending
  treaty watch shop.treaty --from all.jsonl --follow --verdicts - --state shop.state --expire 10m
  treaty watch shop.treaty --from capture:lo --map 127.0.0.1:8080=vendor --map '->127.0.0.1:8080=buyer')",
     verb_watch},
    {"proxy", "forward bytes between services and record them",
     R"(Listens for each link at one address and connects whoever comes to the service at the other; what passes is forwarded
untouched and recorded, for `treaty watch`. Ends with a signal or after --limit-time.

  treaty proxy --listen 127.0.0.1:7001 --to 127.0.0.1:8001 --between buyer,vendor -o traffic.jsonl
  treaty proxy --listen :7443 --to shop.example:443 --cert proxy.pem --tls-to -o traffic.jsonl)",
     verb_proxy},
    {"mine", "a first protocol from traffic, as a guess",
     R"(Reads logs and writes a protocol that accepts every session in them, and probably more: states after which the same
goes on for a few steps are taken for one. It is a guess to begin with: read it, name the choices, add the data.

  treaty mine vendor.jsonl buyer.jsonl -o guess.treaty
  treaty mine all.jsonl --ahead 3)",
     verb_mine},
    {"refine", "whether one process does only what another allows",
     R"(SPEC and IMPL are files, or FILE:NAME for one process of a CSPM script, one role of a protocol, one machine of a
system. --in says what is compared: traces (what happens), failures (and what may be refused), failures-divergences
(and silent steps for ever). A counterexample is shortest, with what is refused and what should have been offered.

  treaty refine lift.csp:SPEC lift.csp:LIFT --in failures
  treaty refine shop.treaty:vendor vendor.aut)",
     verb_refine},
    {"complete", "test a system to a verdict, with a fault domain",
     R"(Tests are made from the specification while they are run, shortest first. Each verdict makes the domain smaller,
and when every process left in it is correct, so is the system. Tests that cannot say anything new are not run. It says
beforehand whether this is bound to end.

A program as the system under test reads "offer EVENT..." and answers "accept EVENT" or "refuse", a line each.

  treaty complete counter.csp --spec Counter --sut Two
  treaty complete counter.csp --spec Counter --domain mutants --sut './counter'
  treaty complete counter.csp --spec Counter --plan --domain FD)",
     verb_complete},
    {"convert", "from one notation to another",
     R"(The extensions of the two files say what is read and what is written. What the target cannot carry is named
and refused, unless --allow-loss.

  treaty convert atm.gc -o atm.treaty
  treaty convert atm.treaty -o atm.fsa)",
     verb_convert},
    {"data", "messages made from what the file says about them",
     R"(Makes values for the fields of a message that satisfy its types, its where, and what the wire needs; prints
each message and, if a wire carries it, its bytes. --invalid makes messages that break exactly one constraint
each, and names it. The same --seed gives the same messages.

  treaty data smtp.treaty --message mail --count 3
  treaty data bank.treaty --message transfer --invalid --json
  treaty data smtp.treaty --message mail -o lines.txt)",
     verb_data},
    {"decode", "explain bytes field by field",
     R"(Reads bytes as messages of a wire. Each message is shown with its place in the bytes, then its parts, each with
its place: 3..5 is the bytes 3 and 4, 0.4..1 the low four bits of byte 0. The first byte that does not fit is
pointed at, and why.

  treaty decode smtp.treaty --wire SmtpLines < session.txt
  treaty decode websocket.treaty --input frames.bin --json)",
     verb_decode},
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
