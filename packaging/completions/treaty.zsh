#compdef treaty
# zsh completion for treaty; written by scripts/completions.py from `treaty help`.
_treaty() {
  local -a verbs
  verbs=(
    'check:everything that can be said about a protocol without running it'
    'show:draw a protocol, its net, its machines, or its state space'
    'project:what one role, or a group of roles, must do'
    'unfold:a protocol with its loops unrolled'
    'explore:search every configuration of a system for what can go wrong'
    'step:walk through a protocol, choosing each event by hand'
    'conform:whether an implementation does exactly what a specification says, with all data'
    'tests:abstract tests of one role, made from the protocol'
    'comply:does a component pass its tests'
    'mutate:how good the tests of a role are\: components that are wrong in one place'
    'run:the commands of a script'
    'test:test a real program that plays one role'
    'simulate:play one role for a person or a program to talk to'
    'replay:try a failing run again'
    'watch:judge recorded traffic, without disturbing it'
    'proxy:forward bytes between services and record them'
    'mine:a first protocol from traffic, as a guess'
    'refine:whether one process does only what another allows'
    'complete:test a system to a verdict, with a fault domain'
    'convert:from one notation to another'
    'data:messages made from what the file says about them'
    'decode:explain bytes field by field'
    'fmt:the canonical form of Treaty files'
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
      '--strict[report every choice that a role is not told of, even if nothing goes wrong]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  show)
    _arguments -S \
      '--as[msc, graph, net, machine, pomset or space]:KIND:(msc graph net machine pomset space)' \
      '-r[net, machine\: the part of this role, or of these (A,B)]:ROLE:' \
      '--role[net, machine\: the part of this role, or of these (A,B)]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[where to\: .svg, .dot; charts also .txt]:FILE:_files' \
      '--output[where to\: .svg, .dot; charts also .txt]:FILE:_files' \
      '--format[svg, dot or txt, whatever the name of the file]:FORMAT:' \
      '--rounds[pomset\: at most so many rounds of each loop (default\: 2)]:N:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[messages that a channel holds at most (default\: no limit)]:N:' \
      '--bound[messages that a channel holds at most (default\: no limit)]:N:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  project)
    _arguments -S \
      '-r[whose part; several, separated by commas, for a group]:ROLE:' \
      '--role[whose part; several, separated by commas, for a group]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[write the machine\: .fsa, .json, .aut, .dot, .svg or .txt]:FILE:_files' \
      '--output[write the machine\: .fsa, .json, .aut, .dot, .svg or .txt]:FILE:_files' \
      '--smart[add the interactions that the protocol lacks to be realizable]' \
      '--mode[with --smart\: sync (default), sending, reception or disjoint]:MODE:(sync sending reception disjoint)' \
      '--save[with --smart\: write the protocol with what was added]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  unfold)
    _arguments -S \
      '-n[rounds of each loop, at most (default\: 1)]:N:' \
      '--times[rounds of each loop, at most (default\: 1)]:N:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-o[write it here\: .treaty, .gc or .json]:FILE:_files' \
      '--output[write it here\: .treaty, .gc or .json]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  explore)
    _arguments -S \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[messages that a channel holds at most (default\: no limit)]:N:' \
      '--bound[messages that a channel holds at most (default\: no limit)]:N:' \
      '--replace[use the role'\''s machine from this file instead]:ROLE=FILE:_files' \
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
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  step)
    _arguments -S \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--role[only the part of this role]:ROLE:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[messages that a channel holds at most (default\: no limit)]:N:' \
      '--bound[messages that a channel holds at most (default\: no limit)]:N:' \
      '-o[draw the run that was taken\: .svg or .txt]:FILE:_files' \
      '--output[draw the run that was taken\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
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
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  tests)
    _arguments -S \
      '--cut[the role to be tested; several, separated by commas]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--times[rounds of each loop at most (default\: 2)]:N:' \
      '--keep-all[also keep what other choices made unreachable, and cases that differ only there]' \
      '--success[a test has succeeded after this step\: LINE, LINE\:COLUMN or the name of a rec block]:STEP:' \
      '--wait[also cases in which a role that could send waits for a message first]' \
      '--dual[tests that mirror the component, instead of those that play the other roles]' \
      '--count[only say how many there are]' \
      '--first[take the first N]:N:' \
      '--sample[take N, drawn at random (--seed)]:N:' \
      '--order[those first that cover most transitions of the role]' \
      '--check[run every case with the role'\''s projection\: is it suitable?]' \
      '--adherence[instead\: does passing mean keeping to the protocol?]' \
      '--against[run them with this machine, too]:ROLE=FILE:_files' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[messages that a channel holds at most (default\: no limit)]:N:' \
      '--bound[messages that a channel holds at most (default\: no limit)]:N:' \
      '--oracle[global (default)\: what all roles saw must be one run; local\: each by itself]:KIND:' \
      '--empty[channels that must be empty, as in A->B,B->A (default\: all)]:CHANNELS:' \
      '--observe-final[see whether the component itself has ended, too]' \
      '-o[write the cases\: FILE.json, or a folder; with --adherence the component]:PATH:' \
      '--output[write the cases\: FILE.json, or a folder; with --adherence the component]:PATH:' \
      '--format[of the cases in a folder\: fsa (default) or json]:EXT:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  comply)
    _arguments -S \
      '--cut[the role that is tested, if TESTS is a protocol]:ROLE:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--times[rounds of each loop at most (default\: 2)]:N:' \
      '--keep-all[also keep what other choices made unreachable, and cases that differ only there]' \
      '--success[a test has succeeded after this step\: LINE, LINE\:COLUMN or the name of a rec block]:STEP:' \
      '--wait[also cases in which a role that could send waits for a message first]' \
      '--dual[tests that mirror the component, instead of those that play the other roles]' \
      '--first[run the first N cases of a protocol]:N:' \
      '--sample[run N of its cases, drawn at random (--seed)]:N:' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[messages that a channel holds at most (default\: no limit)]:N:' \
      '--bound[messages that a channel holds at most (default\: no limit)]:N:' \
      '--oracle[global (default)\: what all roles saw must be one run; local\: each by itself]:KIND:' \
      '--empty[channels that must be empty, as in A->B,B->A (default\: all)]:CHANNELS:' \
      '--observe-final[see whether the component itself has ended, too]' \
      '-o[draw the shortest failure\: .svg or .txt]:FILE:_files' \
      '--output[draw the shortest failure\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  mutate)
    _arguments -S \
      '--cut[the role whose component is changed]:ROLE:' \
      '--tests[the tests, as treaty tests wrote them (default\: all of the protocol)]:PATH:' \
      '--sample[N cases drawn at random (--seed) if there are more]:N:' \
      '--level[what is changed\: machine, protocol or both (default)]:WHERE:' \
      '--list[show the killed ones, too]' \
      '--compare[instead\: both kinds of tests, by both verdicts, in one table]' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--times[rounds of each loop at most (default\: 2)]:N:' \
      '--keep-all[also keep what other choices made unreachable, and cases that differ only there]' \
      '--success[a test has succeeded after this step\: LINE, LINE\:COLUMN or the name of a rec block]:STEP:' \
      '--wait[also cases in which a role that could send waits for a message first]' \
      '--dual[tests that mirror the component, instead of those that play the other roles]' \
      '-m[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '--mode[how channels behave\: sync, fifo (default), bag or mailbox]:MODE:(sync fifo bag mailbox)' \
      '-b[messages that a channel holds at most (default\: no limit)]:N:' \
      '--bound[messages that a channel holds at most (default\: no limit)]:N:' \
      '--oracle[global (default)\: what all roles saw must be one run; local\: each by itself]:KIND:' \
      '--empty[channels that must be empty, as in A->B,B->A (default\: all)]:CHANNELS:' \
      '--observe-final[see whether the component itself has ended, too]' \
      '-o[draw the machine, with what no test killed marked\: .svg or .dot]:FILE:_files' \
      '--output[draw the machine, with what no test killed marked\: .svg or .dot]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
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
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  test)
    _arguments -S \
      '--cut[the role that the component under test plays]:ROLE:' \
      '--run[starts the component; {port} is a free port, {tmp} a folder of its own]:COMMAND:' \
      '--via[where it is reached\: tcp\://HOST\:PORT, also tls, udp, ws, wss, http and https, unix\:PATH or stdio\:; with -listen (tcp-listen\://...) it connects to us]:[ROLE=]ADDRESS:' \
      '--play[the roles that are played; the others are somewhere else (default\: all)]:ROLES:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--wire[which wire of the file (default\: the last; JSON if there is none)]:NAME:' \
      '--sessions[conversations, at most (default\: 100)]:N:' \
      '--length[after N messages, steer the conversation to its end (default\: 20)]:N:' \
      '--silence[how long a message that is due may take (default\: 2s)]:TIME:' \
      '--startup[how long the component may take to be ready (default\: 60s; 5s where it should run already)]:TIME:' \
      '--linger[how long the component may take to end after the last message (default\: a moment)]:TIME:' \
      '--keep[one component for all sessions]' \
      '--reset[run before each session of a kept component, to put it back]:COMMAND:' \
      '--strategy[random; coverage\: prefer what was not seen yet; tests\: the abstract tests of the role; profile\: by weights; negative\: one message that is not allowed; pairs, triples\: combinations of field values (default\: random)]:NAME:' \
      '--reject[messages that count as a refusal (for --strategy negative)]:MESSAGES:' \
      '--profile[an operational profile\: weights of messages and values]:FILE:_files' \
      '--keep-going[go on after a failure; failures with the same cause are one finding]' \
      '--until-coverage[end when so much of the steps has been seen]:PERCENT:' \
      '--parallel[sessions at once (default\: 1)]:N:' \
      '--html[write a report for people here]:FILE:_files' \
      '--junit[write a report for CI systems here (JUnit XML)]:FILE:_files' \
      '--no-shrink[report the failing run as it was found]' \
      '--store[where failures are kept and tried first next time (default\: treaty-failures.db)]:FILE:_files' \
      '--save[write the failing run to a file of its own, too]:FILE:_files' \
      '-o[draw the failing run here\: .svg or .txt]:FILE:_files' \
      '--output[draw the failing run here\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  simulate)
    _arguments -S \
      '--role[the role that is played]:ROLE:' \
      '--via[where the others are met\: tcp-listen\://HOST\:PORT and all that treaty test knows]:[ROLE=]ADDRESS:' \
      '--run[starts the other side; {port} is a free port, {tmp} a folder of its own]:COMMAND:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--wire[which wire of the file (default\: the last; JSON if there is none)]:NAME:' \
      '--sessions[conversations one after the other; 0\: until stopped (default\: 1)]:N:' \
      '--think[how long it gives the others before it sends (default\: 200ms)]:TIME:' \
      '--silence[ends when nobody has spoken for so long (default\: never)]:TIME:' \
      '-o[draw the last conversation here\: .svg or .txt]:FILE:_files' \
      '--output[draw the last conversation here\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  replay)
    _arguments -S \
      '--store[where failures are kept (default\: treaty-failures.db)]:FILE:_files' \
      '--run[start the component with this instead]:COMMAND:' \
      '--forget[keep failure N no longer]:N:' \
      '-o[draw the run here\: .svg or .txt]:FILE:_files' \
      '--output[draw the run here\: .svg or .txt]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  watch)
    _arguments -S \
      '--from[a log, or ROLE=LOG for the log of one role; - is standard input. Repeat it for each log]:LOG:' \
      '--map[which role an address in the logs belongs to]:ADDRESS=ROLE:' \
      '--order[of the whole\: causal (default), or by a common clock\: sending, reception, both, disjoint, overlap]:ORDER:' \
      '--session[what tells sessions apart\: session (default; else the connection), id, or field\:NAME]:RULE:' \
      '--wire[which wire bytes are decoded by (default\: the last)]:NAME:' \
      '--no-data[look at the messages only, not at their data]' \
      '--check-properties[no logs\: whether the protocol allows, breaks or never decides each property]' \
      '--complete[the logs hold whole sessions\: a message that is due at the end never came]' \
      '--follow[go on as the logs grow]' \
      '--idle[end following after so long without a record]:TIME:' \
      '--verdicts[write each verdict as it falls, a JSON line each; - is standard output]:FILE:_files' \
      '--state[keep what was judged, to go on after a restart]:FILE:_files' \
      '--live[show how it goes on standard error]' \
      '--metrics[serve counters in Prometheus text format at this local HOST\:PORT]:ADDRESS:' \
      '--expire[end sessions that were silent for so long]:TIME:' \
      '--limit-sessions[live sessions at most; the one that was silent for longest ends first]:N:' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  proxy)
    _arguments -S \
      '--listen[where clients connect, HOST\:PORT (port 0\: a free one). Repeat it for each link]:ADDRESS:' \
      '--to[where the service of the link listens, HOST\:PORT]:ADDRESS:' \
      '--between[what the records call the two sides of the link\: the roles]:CLIENT,SERVICE:' \
      '-o[the log, JSON lines, appended to (default\: standard output)]:FILE:_files' \
      '--output[the log, JSON lines, appended to (default\: standard output)]:FILE:_files' \
      '--addresses[write where it listens, a line a link]:FILE:_files' \
      '--cert[end TLS here, with this certificate (PEM)]:FILE:_files' \
      '--key[its key (default\: in the same file)]:FILE:_files' \
      '--tls-to[speak TLS to the services]' \
      '--ca[check the services'\'' certificates against these, and the host'\''s name in them]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :'
    ;;
  mine)
    _arguments -S \
      '-o[where the protocol goes (default\: standard output)]:FILE:_files' \
      '--output[where the protocol goes (default\: standard output)]:FILE:_files' \
      '--session[what tells sessions apart\: session (default; else the connection) or id]:RULE:' \
      '--name[what the protocol is called (default\: Guess)]:NAME:' \
      '-k[how many steps ahead states must agree to be taken for one (default\: 2)]:N:' \
      '--ahead[how many steps ahead states must agree to be taken for one (default\: 2)]:N:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  refine)
    _arguments -S \
      '--in[traces (default), failures or failures-divergences]:MODEL:' \
      '--no-antichain[search pairs that a stricter one covers too]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
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
      '--in[traces (default), or failures\: conf tests too]:MODEL:' \
      '--ends[test successful ends\: auto (default\: if a model can end), always or never]:WHEN:' \
      '--alphabet[events of the script that are tested beside those of the models (default\: all)]:SET:' \
      '--event[one more event of the alphabet]:EVENT:' \
      '--probe[add an event that nobody has, so that testing ends]:EVENT:' \
      '--tests[stop after this many tests]:N:' \
      '--length[with --plan\: traces of at most this many events]:N:' \
      '--times[run each test this often\: the verdicts are taken together]:N:' \
      '--patience[how long a program may take to answer (default\: 10s; 2s with --silence-refuses)]:TIME:' \
      '--silence-refuses[a program that does not answer in time refuses]' \
      '--keep[reset the program between tests instead of starting it again]' \
      '--sharp[exclude the shortest prefix that was refused\: fewer tests]' \
      '--plan[write out the complete test set instead of running it]' \
      '-o[with --plan\: write the tests\: .txt, .json or .csp]:FILE:_files' \
      '--output[with --plan\: write the tests\: .txt, .json or .csp]:FILE:_files' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  convert)
    _arguments -S \
      '-o[what to write; its extension says in which notation]:FILE:_files' \
      '--output[what to write; its extension says in which notation]:FILE:_files' \
      '-p[which protocol of the file (default\: the last)]:NAME:' \
      '--protocol[which protocol of the file (default\: the last)]:NAME:' \
      '--as[what a protocol is written as\: protocol, system, machine or net]:KIND:(protocol system machine net)' \
      '--allow-loss[write even if something is lost; what, is said]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  data)
    _arguments -S \
      '-m[which message (with --profile\: any, by weight)]:NAME:' \
      '--message[which message (with --profile\: any, by weight)]:NAME:' \
      '-n[how many (default\: 10)]:N:' \
      '--count[how many (default\: 10)]:N:' \
      '-w[how it looks as bytes (default\: the last wire that carries it)]:NAME:' \
      '--wire[how it looks as bytes (default\: the last wire that carries it)]:NAME:' \
      '-o[write the bytes, one message after the other]:FILE:_files' \
      '--output[write the bytes, one message after the other]:FILE:_files' \
      '--profile[an operational profile\: weights of messages and values]:FILE:_files' \
      '--invalid[messages that break exactly one constraint each]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  decode)
    _arguments -S \
      '-w[which wire of the file (default\: the last)]:NAME:' \
      '--wire[which wire of the file (default\: the last)]:NAME:' \
      '-i[the file with the bytes (default\: standard input)]:BYTES:' \
      '--input[the file with the bytes (default\: standard input)]:BYTES:' \
      '-e[only these messages may come; separated by commas]:MESSAGES:' \
      '--expect[only these messages may come; separated by commas]:MESSAGES:' \
      '--limit-bytes[how long one message may be (default\: 16M)]:N:' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:file:_files'
    ;;
  fmt)
    _arguments -S \
      '--check[change nothing, exit 1 if a file would change]' \
      '-i[rewrite the files]' \
      '--in-place[rewrite the files]' \
      '--json[print the whole result as JSON, and nothing else]' \
      '--color[auto (on a terminal), always or never]:WHEN:(auto always never)' \
      '--limit-time[stop after this long\: 250ms, 3s, 5m, 2h]:TIME:' \
      '--limit-states[stop after this many states]:N:' \
      '--limit-memory[stop at this much memory\: 64k, 512M, 2G]:BYTES:' \
      '--jobs[threads (default\: all cores)]:N:' \
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
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
      '--seed[for whatever is chosen at random]:N:' \
      '-h[show this]' \
      '--help[show this]' \
      '2:: :' '*:topic:(check show project unfold explore step conform tests comply mutate run test simulate replay watch proxy mine refine complete convert data decode fmt help codes)'
    ;;
  esac
}
_treaty "$@"
