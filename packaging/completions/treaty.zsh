#compdef treaty
# zsh completion for treaty; written by scripts/completions.py from `treaty help`.
_treaty() {
  local -a verbs
  verbs=(
    'check:check a protocol for errors, without running it'
    'show:draw a protocol, its net, its machines, or its state space'
    'project:show what one role, or a group of roles, must do'
    'unfold:unroll the loops of a protocol'
    'explore:search all configurations of a system for deadlocks and other faults'
    'step:walk through a protocol, choosing each event by hand'
    'conform:check that an implementation does exactly what a specification allows, for all data'
    'diff:show what changed between two versions of a protocol, and which roles it concerns'
    'tests:make abstract tests of one role from the protocol'
    'generate:write code for a role\: one type per state, checked by the compiler'
    'comply:check whether a component passes its tests'
    'mutate:mutation-test the tests of a role'
    'run:run the commands of a script'
    'test:test a real program that plays one role'
    'simulate:play one role for a person or a program to talk to'
    'replay:repeat failing runs'
    'watch:judge recorded traffic, without disturbing it'
    'proxy:forward bytes between services and record them'
    'mine:guess a first protocol from traffic'
    'refine:check that one process does only what another allows'
    'complete:test a system until it is refuted or proved correct'
    'convert:convert between notations'
    'data:make messages that satisfy, or break, their conditions'
    'decode:explain bytes field by field'
    'fmt:format Treaty files'
    'lsp:serve an editor\: diagnostics, completion, navigation (Language Server Protocol)'
    'serve:open the workbench\: write, draw, ask, walk, test and watch in the browser'
    'help:explain a verb, or a diagnostic'
  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  case $words[2] in
  check)
    _arguments -S \
      '-p[only this protocol of the file]:NAME:' \
      '--protocol[only this protocol of the file]:NAME:' \
      '--strict[report every choice that a role is not told of, even if it does no harm]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  show)
    _arguments -S \
      '--as[msc, graph, net, machine, pomset or space]:KIND:(msc graph net machine pomset space)' \
      '-r[net, machine\: the part of this role, or of several (A,B)]:ROLE:' \
      '--role[net, machine\: the part of this role, or of several (A,B)]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[the file to write\: .svg, .dot; charts also .txt, .mmd, .puml]:FILE:_files' \
      '--output[the file to write\: .svg, .dot; charts also .txt, .mmd, .puml]:FILE:_files' \
      '--format[svg, dot, txt, mmd or puml, whatever the name of the file]:FORMAT:' \
      '--rounds[pomset\: at most this many rounds of each loop (default\: 2)]:N:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[capacity of each channel (default\: no limit)]:N:' \
      '--bound[capacity of each channel (default\: no limit)]:N:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  project)
    _arguments -S \
      '-r[the role; several, separated by commas, for a group]:ROLE:' \
      '--role[the role; several, separated by commas, for a group]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[write the machine\: .fsa, .json, .aut, .dot, .svg or .txt]:FILE:_files' \
      '--output[write the machine\: .fsa, .json, .aut, .dot, .svg or .txt]:FILE:_files' \
      '--smart[add the interactions that make the protocol realizable]' \
      '--mode[with --smart\: sync (default), sending, reception or disjoint]:MODE:(sync sending reception disjoint)' \
      '--save[with --smart\: write the protocol with the additions]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  unfold)
    _arguments -S \
      '-n[at most this many rounds of each loop (default\: 1)]:N:' \
      '--times[at most this many rounds of each loop (default\: 1)]:N:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[write the result\: .treaty, .gc or .json]:FILE:_files' \
      '--output[write the result\: .treaty, .gc or .json]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  explore)
    _arguments -S \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[capacity of each channel (default\: no limit)]:N:' \
      '--bound[capacity of each channel (default\: no limit)]:N:' \
      '--replace[use the machine in this file for the role]:ROLE=FILE:_files' \
      '--no-reduction[visit every interleaving]' \
      '--compress[slower, with a third of the memory]' \
      '-o[draw the run that leads to the fault\: .svg or .txt]:FILE:_files' \
      '--output[draw the run that leads to the fault\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  step)
    _arguments -S \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--role[only the part of this role]:ROLE:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[capacity of each channel (default\: no limit)]:N:' \
      '--bound[capacity of each channel (default\: no limit)]:N:' \
      '-o[draw the run\: .svg or .txt]:FILE:_files' \
      '--output[draw the run\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  conform)
    _arguments -S \
      '-p[which protocol of SPEC (default\: the last)]:NAME:' \
      '--protocol[which protocol of SPEC (default\: the last)]:NAME:' \
      '--impl[which protocol of IMPL (default\: the last)]:NAME:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  diff)
    _arguments -S \
      '-r[only ask whether the change concerns this role]:ROLE:' \
      '--role[only ask whether the change concerns this role]:ROLE:' \
      '-o[draw the run of the first role that is concerned\: .svg or .txt]:FILE:_files' \
      '--output[draw the run of the first role that is concerned\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  tests)
    _arguments -S \
      '--cut[the role to test; several, separated by commas]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--times[rounds of each loop at most (default\: 2)]:N:' \
      '--keep-all[also keep states that other choices make unreachable, and cases that differ only there]' \
      '--success[a test has succeeded after this step\: LINE, LINE\:COLUMN or the name of a rec block]:STEP:' \
      '--wait[add cases in which a role that could send waits for a message first]' \
      '--dual[one test machine that mirrors the component, instead of one per other role]' \
      '--count[only count the cases]' \
      '--first[take the first N cases]:N:' \
      '--sample[take N cases, drawn at random (--seed)]:N:' \
      '--order[sort the cases so that the first ones cover most transitions of the role]' \
      '--check[check that the role'\''s projection passes every case]' \
      '--adherence[decide instead whether every component that passes follows the protocol]' \
      '--against[also run them with this machine]:ROLE=FILE:_files' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[capacity of each channel (default\: no limit)]:N:' \
      '--bound[capacity of each channel (default\: no limit)]:N:' \
      '--oracle[global (default)\: what all roles saw must be one run; local\: judge each role by itself]:KIND:' \
      '--empty[channels that must be empty, as in A->B,B->A (default\: all)]:CHANNELS:' \
      '--observe-final[also observe whether the component itself has ended]' \
      '-o[write the cases\: FILE.json, or a folder; with --adherence, the component]:PATH:' \
      '--output[write the cases\: FILE.json, or a folder; with --adherence, the component]:PATH:' \
      '--format[format of the cases in a folder\: fsa (default) or json]:EXT:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  generate)
    _arguments -S \
      '-l[c++, python or typescript]:LANGUAGE:' \
      '--language[c++, python or typescript]:LANGUAGE:' \
      '-r[the role; several, separated by commas (default\: all)]:ROLE:' \
      '--role[the role; several, separated by commas (default\: all)]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[where the files are written]:FOLDER:' \
      '--output[where the files are written]:FOLDER:' \
      '--monitor[also a monitor for each role]' \
      '--handlers[also a class with a handler per message for each role]' \
      '--codec[also a codec\: messages as bytes, as a wire of the file describes them]' \
      '-w[which wire the codec is of (default\: the last)]:NAME:' \
      '--wire[which wire the codec is of (default\: the last)]:NAME:' \
      '--scaffold[also an implementation of each role to fill in; one that is there is not overwritten]' \
      '--check[write nothing; fail if a file is missing or out of date]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  comply)
    _arguments -S \
      '--cut[the role that is tested, if TESTS is a protocol]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--times[rounds of each loop at most (default\: 2)]:N:' \
      '--keep-all[also keep states that other choices make unreachable, and cases that differ only there]' \
      '--success[a test has succeeded after this step\: LINE, LINE\:COLUMN or the name of a rec block]:STEP:' \
      '--wait[add cases in which a role that could send waits for a message first]' \
      '--dual[one test machine that mirrors the component, instead of one per other role]' \
      '--first[run the first N cases of a protocol]:N:' \
      '--sample[run N cases of a protocol, drawn at random (--seed)]:N:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[capacity of each channel (default\: no limit)]:N:' \
      '--bound[capacity of each channel (default\: no limit)]:N:' \
      '--oracle[global (default)\: what all roles saw must be one run; local\: judge each role by itself]:KIND:' \
      '--empty[channels that must be empty, as in A->B,B->A (default\: all)]:CHANNELS:' \
      '--observe-final[also observe whether the component itself has ended]' \
      '-o[draw the shortest failure\: .svg or .txt]:FILE:_files' \
      '--output[draw the shortest failure\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  mutate)
    _arguments -S \
      '--cut[the role whose component is changed]:ROLE:' \
      '--tests[tests written by treaty tests (default\: all tests of the protocol)]:PATH:' \
      '--sample[use N cases, drawn at random (--seed), if there are more]:N:' \
      '--level[what is changed\: machine, protocol or both (default)]:WHERE:' \
      '--list[also list the killed mutants]' \
      '--compare[compare both kinds of tests and both verdicts in one table]' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--times[rounds of each loop at most (default\: 2)]:N:' \
      '--keep-all[also keep states that other choices make unreachable, and cases that differ only there]' \
      '--success[a test has succeeded after this step\: LINE, LINE\:COLUMN or the name of a rec block]:STEP:' \
      '--wait[add cases in which a role that could send waits for a message first]' \
      '--dual[one test machine that mirrors the component, instead of one per other role]' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[capacity of each channel (default\: no limit)]:N:' \
      '--bound[capacity of each channel (default\: no limit)]:N:' \
      '--oracle[global (default)\: what all roles saw must be one run; local\: judge each role by itself]:KIND:' \
      '--empty[channels that must be empty, as in A->B,B->A (default\: all)]:CHANNELS:' \
      '--observe-final[also observe whether the component itself has ended]' \
      '-o[draw the machine and mark the mutants that no test killed\: .svg or .dot]:FILE:_files' \
      '--output[draw the machine and mark the mutants that no test killed\: .svg or .dot]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  run)
    _arguments -S \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  test)
    _arguments -S \
      '--cut[the role that the component under test plays]:ROLE:' \
      '--run[start the component; {port} is a free port, {port\:NAME} another, {tmp} a temporary folder, {tty} the terminal of pty\:]:COMMAND:' \
      '--env[an environment variable of the component; repeatable]:NAME=VALUE:' \
      '--dir[the working directory of the component]:FOLDER:' \
      '--with[also start this program, before the component; repeatable]:NAME=COMMAND:' \
      '--ready[what shows that the component, or a program of --with, is ready\: port\:N, log\:TEXT or http\://HOST\:PORT/PATH]:[NAME=]WHAT:' \
      '--via[its address\: tcp\://HOST\:PORT, also tls, udp, ws, wss, http and https, unix\:PATH, stdio\: or pty\:; with -listen (tcp-listen\://...) it connects to Treaty]:[ROLE=]ADDRESS:' \
      '--play[the roles that Treaty plays; others play the rest (default\: all)]:ROLES:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--wire[which wire of the file (default\: the last; JSON if there is none)]:NAME:' \
      '--sessions[maximum number of conversations (default\: 100)]:N:' \
      '--length[after N messages, steer the conversation to its end (default\: 20)]:N:' \
      '--silence[how long an expected message may take (default\: 2s)]:TIME:' \
      '--startup[how long the component may take to be ready (default\: 60s; 5s without --run)]:TIME:' \
      '--linger[how long the component may take to end after the last message (default\: a moment)]:TIME:' \
      '--keep[use one component for all sessions]' \
      '--reset[with --keep\: run before each session to reset the component]:COMMAND:' \
      '--strategy[random; coverage\: prefer what was not seen yet; tests\: the abstract tests of the role; profile\: by weights; negative\: one message that is not allowed; corrupt\: one message whose bytes are damaged; pairs, triples\: combinations of field values (default\: random)]:NAME:' \
      '--reject[messages that count as a refusal (for --strategy negative and corrupt)]:MESSAGES:' \
      '--corrupt-means[what the component may do with damaged bytes\: refused, ignored, closed (default\: all three)]:WORDS:' \
      '--profile[an operational profile\: weights of messages and values]:FILE:_files' \
      '--keep-going[continue after a failure; failures with the same cause are one finding]' \
      '--until-coverage[stop when this share of the steps was seen]:PERCENT:' \
      '--parallel[number of sessions at the same time (default\: 1)]:N:' \
      '--html[write an HTML report; one per campaign]:FILE:_files' \
      '--junit[write a report for CI systems (JUnit XML)]:FILE:_files' \
      '--values[list the classes of field values that were never seen]' \
      '--no-shrink[report the failing run as it was found]' \
      '--store[where failures are kept, to be repeated first next time (default\: treaty-failures.db)]:FILE:_files' \
      '--save[also write the failing run to this file]:FILE:_files' \
      '-o[draw the failing run\: .svg or .txt]:FILE:_files' \
      '--output[draw the failing run\: .svg or .txt]:FILE:_files' \
      '--project[the project file (default\: treaty.toml)]:FILE:_files' \
      '--campaign[run this campaign of the project file; repeatable]:NAME:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  simulate)
    _arguments -S \
      '--role[the role to play]:ROLE:' \
      '--via[the address\: tcp-listen\://HOST\:PORT, or any other that treaty test supports]:[ROLE=]ADDRESS:' \
      '--run[start the other side; {port} is a free port, {tmp} a temporary folder]:COMMAND:' \
      '--env[an environment variable of the command; repeatable]:NAME=VALUE:' \
      '--dir[the working directory of the command]:FOLDER:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--wire[which wire of the file (default\: the last; JSON if there is none)]:NAME:' \
      '--sessions[number of conversations; 0\: until stopped (default\: 1)]:N:' \
      '--think[how long to wait for the others before sending (default\: 200ms)]:TIME:' \
      '--silence[end after this long without a message (default\: never)]:TIME:' \
      '-o[draw the last conversation\: .svg or .txt]:FILE:_files' \
      '--output[draw the last conversation\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  replay)
    _arguments -S \
      '--store[where failures are kept (default\: treaty-failures.db)]:FILE:_files' \
      '--run[start the component with this command instead]:COMMAND:' \
      '--env[an environment variable of the component; repeatable]:NAME=VALUE:' \
      '--dir[the working directory of the component]:FOLDER:' \
      '--forget[drop failure N]:N:' \
      '-o[draw the run\: .svg or .txt]:FILE:_files' \
      '--output[draw the run\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  watch)
    _arguments -S \
      '--from[a log, or ROLE=LOG for the log of one role; - is standard input. Repeat it for each log]:LOG:' \
      '--as[how lines become messages\: a file, or access_log, otlp; LOG=MAPPING for one log only]:MAPPING:' \
      '--map[which role an address in the logs belongs to]:ADDRESS=ROLE:' \
      '--order[order of interactions\: causal (default), or by a common clock\: sending, reception, both, disjoint, overlap]:ORDER:' \
      '--session[how to tell sessions apart\: session (default; else the connection), id, or field\:NAME]:RULE:' \
      '--wire[the wire that decodes bytes (default\: the last)]:NAME:' \
      '--no-data[judge only the messages, not their data]' \
      '--check-properties[without logs\: whether the protocol guarantees, violates or never triggers each property]' \
      '--complete[the logs hold whole sessions\: a message that is still expected at the end is missing]' \
      '--follow[continue as the logs grow]' \
      '--idle[with --follow\: end after this long without a record]:TIME:' \
      '--verdicts[write each verdict as soon as it is reached, as JSON lines; - is standard output]:FILE:_files' \
      '--state[save the state here, to continue after a restart]:FILE:_files' \
      '--live[show progress on standard error]' \
      '--metrics[serve counters in Prometheus text format at this local HOST\:PORT]:ADDRESS:' \
      '--expire[end sessions that were silent for this long]:TIME:' \
      '--limit-sessions[maximum number of live sessions; the one silent for longest ends first]:N:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  proxy)
    _arguments -S \
      '--listen[where clients connect, HOST\:PORT (port 0\: a free one). Repeat it for each link]:ADDRESS:' \
      '--to[where the service of the link listens, HOST\:PORT]:ADDRESS:' \
      '--between[the roles at the two ends of the link, for the records]:CLIENT,SERVICE:' \
      '-o[the log, JSON lines, appended to (default\: standard output)]:FILE:_files' \
      '--output[the log, JSON lines, appended to (default\: standard output)]:FILE:_files' \
      '--addresses[write the addresses it listens at, one line per link]:FILE:_files' \
      '--cert[end TLS here, with this certificate (PEM)]:FILE:_files' \
      '--key[its key (default\: in the same file)]:FILE:_files' \
      '--tls-to[use TLS towards the services]' \
      '--ca[check the services'\'' certificates and host names against these authorities]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :'
    ;;
  mine)
    _arguments -S \
      '--as[how lines become messages\: a file, or access_log, otlp; LOG=MAPPING for one log only]:MAPPING:' \
      '-o[write the protocol here (default\: standard output)]:FILE:_files' \
      '--output[write the protocol here (default\: standard output)]:FILE:_files' \
      '--session[how to tell sessions apart\: session (default; else the connection) or id]:RULE:' \
      '--name[name of the protocol (default\: Guess)]:NAME:' \
      '-k[merge states that agree for this many steps (default\: 2)]:N:' \
      '--ahead[merge states that agree for this many steps (default\: 2)]:N:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  refine)
    _arguments -S \
      '--in[traces (default), failures or failures-divergences]:MODEL:' \
      '--no-antichain[also search pairs that a stricter pair covers]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  complete)
    _arguments -S \
      '-s[the specification\: a process of the script, or a role]:NAME:' \
      '--spec[the specification\: a process of the script, or a role]:NAME:' \
      '-d[the fault domain\: a process, a file, or mutants (default\: any process over the alphabet)]:NAME:' \
      '--domain[the fault domain\: a process, a file, or mutants (default\: any process over the alphabet)]:NAME:' \
      '--sut[what is tested\: a process, a model'\''s file, a command, or an address such as tcp\://host\:port]:SUT:' \
      '--via[where the command is reached (default\: its standard input and output)]:ADDRESS:' \
      '--env[an environment variable of the command; repeatable]:NAME=VALUE:' \
      '--dir[the working directory of the command]:FOLDER:' \
      '--in[traces (default), or failures\: also test what may be refused]:MODEL:' \
      '--ends[test successful ends\: auto (default\: if a model can end), always or never]:WHEN:' \
      '--alphabet[events of the script to test, besides those of the models (default\: all)]:SET:' \
      '--event[add an event to the alphabet]:EVENT:' \
      '--probe[add an unused event, so that testing ends]:EVENT:' \
      '--tests[stop after this many tests]:N:' \
      '--length[with --plan\: traces of at most this many events]:N:' \
      '--times[run each test this often and combine the verdicts]:N:' \
      '--patience[how long a program may take to answer (default\: 10s; 2s with --silence-refuses)]:TIME:' \
      '--silence-refuses[a program that does not answer in time has refused]' \
      '--keep[reset the program between tests instead of starting it again]' \
      '--sharp[exclude the shortest refused prefix\: fewer tests]' \
      '--plan[write out the complete test set instead of running it]' \
      '-o[with --plan\: write the tests\: .txt, .json or .csp]:FILE:_files' \
      '--output[with --plan\: write the tests\: .txt, .json or .csp]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  convert)
    _arguments -S \
      '-o[what to write; its extension selects the notation]:FILE:_files' \
      '--output[what to write; its extension selects the notation]:FILE:_files' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--as[write a protocol as\: protocol, system, machine or net]:KIND:(protocol system machine net)' \
      '--allow-loss[write even if something is lost, and report what]' \
      '--list[list all notations\: extensions, read or written, what they express]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  data)
    _arguments -S \
      '-m[which message (with --profile\: any, by weight)]:NAME:' \
      '--message[which message (with --profile\: any, by weight)]:NAME:' \
      '-n[how many (default\: 10)]:N:' \
      '--count[how many (default\: 10)]:N:' \
      '-w[the wire that encodes it (default\: the last one that carries it)]:NAME:' \
      '--wire[the wire that encodes it (default\: the last one that carries it)]:NAME:' \
      '-o[write the bytes, one message after the other]:FILE:_files' \
      '--output[write the bytes, one message after the other]:FILE:_files' \
      '--profile[an operational profile\: weights of messages and values]:FILE:_files' \
      '--invalid[messages that break exactly one constraint each]' \
      '--corrupt[also its bytes damaged in many ways, each with what the wire makes of it (default count\: 1)]' \
      '--hex[show bytes as a dump\: offset, hexadecimal digits, text]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  decode)
    _arguments -S \
      '-w[which wire of the file (default\: the last)]:NAME:' \
      '--wire[which wire of the file (default\: the last)]:NAME:' \
      '-i[the file with the bytes (default\: standard input)]:BYTES:' \
      '--input[the file with the bytes (default\: standard input)]:BYTES:' \
      '--hex[the input is hexadecimal text, or a dump of xxd or hexdump -C]' \
      '-e[only these messages may come; separated by commas]:MESSAGES:' \
      '--expect[only these messages may come; separated by commas]:MESSAGES:' \
      '--limit-bytes[maximum size of a message (default\: 16M)]:N:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  fmt)
    _arguments -S \
      '--check[change nothing; exit with 1 if a file would change]' \
      '-i[rewrite the files]' \
      '--in-place[rewrite the files]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  lsp)
    _arguments -S \
      '--pause[check a file once it has not changed for this long (default\: 250ms)]:TIME:' \
      '--websocket[serve clients over WebSocket there instead; port 0\: a free one]:HOST:PORT:' \
      '--stdio[use standard input and output, as always; some editors add this]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :'
    ;;
  serve)
    _arguments -S \
      '--listen[where to listen (default\: 127.0.0.1 and a free port)]:HOST:PORT:' \
      '--cert[certificate, for addresses that other machines can reach]:FILE:_files' \
      '--key[the key of the certificate]:FILE:_files' \
      '--host[another name under which the server is known; repeatable]:NAME:' \
      '--token[the token of the address (default\: a new one each time)]:TEXT:' \
      '--allow-run[allow the page to run commands\: programs under test]' \
      '--read-only[write nothing and run nothing, with limits for each visitor]' \
      '--no-browser[do not open a browser]' \
      '--page[take the files of the page from this folder]:DIR:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:file:_files'
    ;;
  help)
    _arguments -S \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[seed of all random choices (default\: 0)]:N:' \
      '-h[show this help]' \
      '--help[show this help]' \
      '2:: :' '*:topic:(check show project unfold explore step conform diff tests generate comply mutate run test simulate replay watch proxy mine refine complete convert data decode fmt lsp serve help codes)'
    ;;
  esac
}
_treaty "$@"
