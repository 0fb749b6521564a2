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
    'convert:from one notation to another'
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
      '2:: :' '*:topic:(check show project unfold explore convert fmt help codes)'
    ;;
  esac
}
_treaty "$@"
