#include "cli/verbs.h"

#include <array>

#include <fmt/format.h>

namespace treaty::cli {
namespace {

constexpr auto all = std::to_array<Verb>({
    {"check", "check a protocol for errors, without running it",
     R"(Reads each file and reports every error in it: syntax, names, types, values that a role cannot know, choices that
a role cannot follow, runs in which the roles get stuck. FILE can be in any notation that Treaty reads.

  treaty check shop.treaty
  treaty check shop.treaty atm.gc --json)",
     verb_check},
    {"show", "draw a protocol, its net, its machines, or its state space",
     R"(--as selects what is drawn:
  msc      the protocol as a sequence chart
  graph    the protocol as a graph of its steps
  net      the Petri net that conversations are tracked on
  machine  the machine of one role (--role), or of the whole protocol
  pomset   the events of each branch and the order between them
  space    every configuration of the roles' machines

The extension of -o selects the format: .svg, .dot, and for charts also .txt, .mmd (Mermaid) and .puml (PlantUML).
Without -o, the picture goes to standard output in the format of --format.

  treaty show shop.treaty --as msc -o shop.svg
  treaty show shop.treaty --as machine --role vendor --format dot)",
     verb_show},
    {"project", "show what one role, or a group of roles, must do",
     R"(Prints the machine of the role: each state with what it may send (!) or receive (?), and the next state. For a group
of roles (--role A,B) it prints the machine of all of them together.

The extension of -o selects the format: .fsa, .json, .aut, .dot or .svg.

  treaty project shop.treaty --role vendor
  treaty project shop.treaty --role buyer,vendor -o both.svg

--smart adds the interactions that roles need because they see only their own messages: to learn a value, to keep an
order, or to learn which branch was taken. It adds as few as possible and shows them; --save writes the protocol with
them. --mode defines when one interaction is certain to come after another.

  treaty project shop.treaty --role vendor --smart --mode sending)",
     verb_project},
    {"unfold", "unroll the loops of a protocol",
     R"(Replaces every loop by at most N rounds of its body. The result is again a protocol.

  treaty unfold shop.treaty --times 2
  treaty unfold shop.treaty --times 2 -o unfolded.treaty)",
     verb_unfold},
    {"explore", "search all configurations of a system for deadlocks and other faults",
     R"(Runs the machines of all roles together, over channels, and visits every configuration they can reach. It finds
deadlocks, messages that no role receives, messages that arrive where no step receives them, roles that can never move
again, and channels that grow for ever, each with a shortest run that leads there.

  treaty explore shop.treaty
  treaty explore machines.fsa --mode bag --bound 4
  treaty explore shop.treaty --replace vendor=mine.fsa -o fault.svg)",
     verb_explore},
    {"step", "walk through a protocol, choosing each event by hand",
     R"(Shows where the conversation is and the events that can come next, with their lines. Type a number to take an event,
b to go back, r to take an event at random, c for a chart of the events so far, q to quit, ? for help. If an event
leaves data open, you are asked for it; the proposed value satisfies the conditions and depends on --seed. The output
shows when the conversation may end, is over, or is stuck.

Without --role an event is a whole interaction; with it, a send or receive of that role, as the role sees it. With
--mode or --bound all roles run over channels, sends and receives are separate events, and data is ignored.

  treaty step shop.treaty
  treaty step shop.treaty --role vendor --seed 3
  treaty step shop.treaty --mode fifo
  printf '1\n\nr 5\nq\n' | treaty step shop.treaty --json)",
     verb_step},
    {"conform", "check that an implementation does exactly what a specification allows, for all data",
     R"(Compares two descriptions event by event and value by value (branching bisimulation): every message that one side
allows, the other must allow too, with the same data, and both may end in the same places. Messages of IMPL that SPEC
does not have are hidden first. The answer is for all values at once: it conforms; it does not, with a run; it conforms
exactly under a condition on free values; or it is undecided.

  treaty conform mine.treaty shop.treaty
  treaty conform machines.fsa shop.treaty)",
     verb_conform},
    {"diff", "show what changed between two versions of a protocol, and which roles it concerns",
     R"(Lists the declarations that were added, removed or changed, and for each role whether its part is the same: the
events it may send and receive, their order and data, where it may end, and its time limits. If the part changed, shows
a run that only one version allows the role. Layout, comments, and steps moved into a protocol that is called do not
count. The answer holds if the change concerns no role; with --role, if it does not concern that role.

  treaty diff old.treaty new.treaty
  treaty diff old.treaty new.treaty --role vendor)",
     verb_diff},
    {"tests", "make abstract tests of one role from the protocol",
     R"(Takes the machines of all other roles and fixes their choices in every possible way. Each way is a test case, which
plays those roles against a component. --count counts the cases without making them. Without -o the cases are listed
with the choices they fix; -o writes them, to one .json file or to a folder.

  treaty tests atm.treaty --cut A
  treaty tests atm.treaty --cut A,B,C --keep-all --check --against A=mine.fsa
  treaty tests atm.treaty --cut A --order --first 3 -o tests/)",
     verb_tests},
    {"generate", "write code for a role: one type per state, checked by the compiler",
     R"(Writes code for one role, several (--role A,B), or all roles, in C++20, Python or TypeScript. Each state of the role is
a type that has only the operations that the protocol allows there; each operation returns the next state. Conditions on
data are checked at run time, with errors that name the line of the protocol. The files need a runtime, which is written
beside them, and nothing else.

  treaty generate atm.treaty --role A --language c++ -o gen/
  treaty generate atm.treaty --language python -o gen/ --check)",
     verb_generate},
    {"comply", "check whether a component passes its tests",
     R"(Runs the machine of a component with each test case, in every possible order of events, and shows a shortest failing
run. TESTS is the output of treaty tests, or a protocol (with --cut) from which the tests are made. By default
everything that the tester saw must together be part of one run of the protocol; --oracle local requires only that
every test machine reaches its end.

  treaty comply mine.fsa atm.treaty --cut A
  treaty comply mine.fsa tests/ --mode bag
  treaty comply mine.fsa tests.json --oracle local -o failure.svg)",
     verb_comply},
    {"mutate", "mutation-test the tests of a role",
     R"(Changes the role's machine, or the protocol, in one place, with every mutation operator, and runs the tests with each
of these mutants. A mutant that no test kills is equivalent (it only makes fewer of its own choices), unobservable
(proved: no tester could notice), or it survived.

  treaty mutate atm.treaty --cut A
  treaty mutate atm.treaty --cut C --observe-final
  treaty mutate atm.treaty --cut A --oracle local --level machine -o survivors.svg)",
     verb_mutate},
    {"run", "run the commands of a script",
     R"(Runs a script as its own tool would. SChorA scripts (.schora): the commands showTime, showStat, showSTG,
showReachableSTG, showRealizableSTG, projection and conformance. CSPM scripts (.csp): the assertions. The answer is the
worst answer of all commands or assertions.

  treaty run shop.schora
  treaty run lift.csp)",
     verb_run},
    {"test", "test a real program that plays one role",
     R"(Plays all other roles against the program: sends what the protocol allows, with data made from its conditions, and
judges every answer. Failures are: a message that is not allowed, data that breaks a condition, bytes that match no
message, silence where an answer is expected, a connection that is closed early, and a crash. The failing run is drawn
and kept, and repeated first the next time.

  treaty test echo.treaty --cut server --run 'python3 server.py {port}' --via tcp://127.0.0.1:{port}
  treaty test book_shop.treaty --cut server --run 'python3 server.py' --via stdio: --sessions 1000 --seed 7
  treaty test smtp.treaty --cut client --run 'python3 client.py {port}' --via tcp-listen://127.0.0.1:{port}

Without FILE it runs the campaigns of treaty.toml in this folder: [[campaign]] tables, each with a name, the protocol (file)
and the options above without their dashes; [defaults] has what all share.

  treaty test
  treaty test --campaign stock --sessions 1000)",
     verb_test},
    {"simulate", "play one role for a person or a program to talk to",
     R"(Plays a role of the protocol and prints at each step what the protocol allows. A message that is not allowed is
refused, and the conversation continues.

  treaty simulate smtp.treaty --role server --via tcp-listen://127.0.0.1:2525
  treaty simulate shop.treaty --role buyer --run './vendor {port}' --via tcp://127.0.0.1:{port})",
     verb_simulate},
    {"replay", "repeat failing runs",
     R"(Sends the messages of a failing run to the component once more and reports FIXED or FAILED: for all failures that
treaty test has kept, for one of them by its number, or for a run that was saved to a file.

  treaty replay
  treaty replay 3 --run './server-debug {port}'
  treaty replay failure.json)",
     verb_replay},
    {"watch", "judge recorded traffic, without disturbing it",
     R"(Checks the log of each role against its part of the protocol, and all logs together against the whole protocol. An
event that is not allowed is a deviation; the report names the first one. A session that has not ended is incomplete.
Messages that the protocol does not have are ignored. Properties of the file get a verdict each time they match. Logs
are JSON lines, XML messages, text with two lines per event, or packet captures. Sessions are told apart by their
`session` field, their connection, an id or a field of the messages. Logs can be followed as they grow, and a watch
that was killed continues where it was.

  treaty watch shop.treaty --from vendor.jsonl --from buyer.jsonl --from warehouse.jsonl
  treaty watch shop.treaty --from vendor=events.jsonl --json
  treaty watch shop.treaty --from all.jsonl --order sending
  treaty watch shop.treaty --from all.jsonl --follow --verdicts - --state shop.state --expire 10m
  treaty watch shop.treaty --from capture:lo --map 127.0.0.1:8080=vendor --map '->127.0.0.1:8080=buyer')",
     verb_watch},
    {"proxy", "forward bytes between services and record them",
     R"(For each link, listens at one address and connects each client to the service at the other. Bytes are forwarded
unchanged and recorded for `treaty watch`. Ends on a signal or after --limit-time.

  treaty proxy --listen 127.0.0.1:7001 --to 127.0.0.1:8001 --between buyer,vendor -o traffic.jsonl
  treaty proxy --listen :7443 --to shop.example:443 --cert proxy.pem --tls-to -o traffic.jsonl)",
     verb_proxy},
    {"mine", "guess a first protocol from traffic",
     R"(Reads logs and writes a protocol that accepts every session in them, and probably more: it merges states after which
the next few steps are the same. The result is a starting point: read it, name the choices, add the data.

  treaty mine vendor.jsonl buyer.jsonl -o guess.treaty
  treaty mine all.jsonl --ahead 3)",
     verb_mine},
    {"refine", "check that one process does only what another allows",
     R"(SPEC and IMPL are files, or FILE:NAME for one process of a CSPM script, one role of a protocol, or one machine of a
system. --in selects what is compared: traces (what happens), failures (also what may be refused), failures-divergences
(also endless silent steps). A counterexample is a shortest one; it shows what is refused and what must be offered.

  treaty refine lift.csp:SPEC lift.csp:LIFT --in failures
  treaty refine shop.treaty:vendor vendor.aut)",
     verb_refine},
    {"complete", "test a system until it is refuted or proved correct",
     R"(Makes tests from the specification while running them, shortest first. The fault domain is the set of processes that
the system might be. Each verdict makes it smaller; when every process left in it is correct, so is the system. Tests
that cannot show anything new are not run. The output first states whether testing is certain to end.

A program as the system under test reads "offer EVENT..." and answers "accept EVENT" or "refuse", one line each.

  treaty complete counter.csp --spec Counter --sut Two
  treaty complete counter.csp --spec Counter --domain mutants --sut './counter'
  treaty complete counter.csp --spec Counter --plan --domain FD)",
     verb_complete},
    {"convert", "convert between notations",
     R"(The extensions of the two files select the notations. Anything that the target cannot express is reported, and the
conversion refused unless --allow-loss is given.

  treaty convert atm.gc -o atm.treaty
  treaty convert atm.treaty -o atm.fsa
  treaty convert --list)",
     verb_convert},
    {"data", "make messages that satisfy, or break, their conditions",
     R"(Makes values for the fields of a message that satisfy its types, its where condition and its wire; prints each
message and, if a wire carries it, its bytes. --invalid makes messages that break exactly one constraint each, and
names the constraint. The same --seed gives the same messages.

  treaty data smtp.treaty --message mail --count 3
  treaty data bank.treaty --message transfer --invalid --json
  treaty data smtp.treaty --message mail -o lines.txt)",
     verb_data},
    {"decode", "explain bytes field by field",
     R"(Reads bytes as messages of a wire. Shows the position of each message and of each of its parts: 3..5 means bytes 3
and 4, 0.4..1 the low four bits of byte 0. Points at the first byte that does not match, with the reason.

  treaty decode smtp.treaty --wire SmtpLines < session.txt
  treaty decode websocket.treaty --input frames.bin --json)",
     verb_decode},
    {"fmt", "format Treaty files",
     R"(Prints the file in canonical form; comments stay. A file with errors is left alone. - is standard input.

  treaty fmt shop.treaty
  treaty fmt --in-place *.treaty
  treaty fmt --check *.treaty)",
     verb_fmt},
    {"lsp", "serve an editor: diagnostics, completion, navigation (Language Server Protocol)",
     R"(Speaks the Language Server Protocol 3.17 on standard input and output. Editors start it; docs/editors.md shows how to
set up Visual Studio Code, Neovim and others. Errors of reading a file are shown at once, those that check finds when
typing pauses.

  treaty lsp
  treaty lsp --pause 1s)",
     verb_lsp},
    {"serve", "open the workbench: write, draw, ask, walk, test and watch in the browser",
     R"(Serves a page on 127.0.0.1 and prints its address, which contains a token that is new each time. The page shows the
files of DIR, and nothing outside of it: an editor with everything that treaty lsp offers, pictures that follow the
text, every question with its options, walks, tests of programs, and logs that are followed. It works offline.

Commands of the page are run only with --allow-run. Other machines can reach it only with --cert and --key. --read-only
is for a public demonstration: it writes and runs nothing, and limits what each visitor can use.

  treaty serve
  treaty serve examples --allow-run
  treaty serve demo --read-only --listen 0.0.0.0:8443 --cert cert.pem --key key.pem --host demo.example)",
     verb_serve},
    {"help", "explain a verb, or a diagnostic",
     R"(  treaty help              all verbs
  treaty help explore      one verb
  treaty help T0202        one diagnostic
  treaty help codes        all diagnostics
  treaty help .gc          one notation
  treaty help notations    all notations)",
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
        "\ntreaty help VERB explains one of them, treaty help T0202 a diagnostic, treaty help .gc a "
        "notation.\n"
        "Exit codes: 0 holds, 1 fails, 2 bad usage or input (also an input that cannot be read), 3 "
        "undecided,\n"
        "4 environment error (an output that cannot be written, network, process).\n";
    return out;
}

}  // namespace treaty::cli
