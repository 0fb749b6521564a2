#!/usr/bin/env python3
"""Writes the shell completions from what `treaty help` prints, so that they cannot go stale.

    scripts/completions.py --treaty build/test/treaty --update     write packaging/completions/
    scripts/completions.py --treaty build/test/treaty              fail if they differ from what would be written

An option's values are completed where the help calls them FILE (files) or where CHOICES below lists them.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'packaging/completions'
HEAD = 'completion for treaty; written by scripts/completions.py from `treaty help`'

# Values an option takes, of every verb or of one, where they are a fixed few. Each must occur in the option's help.
CHOICES = {
    'show --as': ['msc', 'graph', 'net', 'machine', 'pomset', 'space'],
    'convert --as': ['protocol', 'system', 'machine', 'net'],
    'project --mode': ['sync', 'sending', 'reception', 'disjoint'],
    '--mode': ['sync', 'fifo', 'bag', 'mailbox'],
    '--color': ['auto', 'always', 'never'],
}


class Option:
    """One option of a verb: its names, what its value is called (or nothing), what it is about."""

    def __init__(self, verb, names, value, about):
        self.names = names
        self.value = value
        self.about = about
        self.own = f'{verb} {names[-1]}' in CHOICES  # another verb may mean something else by it
        self.choices = CHOICES.get(f'{verb} {names[-1]}', CHOICES.get(names[-1], []))


def ask(treaty, *arguments):
    return subprocess.run([treaty, *arguments], capture_output=True, text=True, check=True).stdout


def verbs(treaty):
    """The verbs with their one-line summaries."""
    return [(v['name'], v['summary']) for v in json.loads(ask(treaty, 'help', '--json'))['verbs']]


def options(treaty, verb):
    """The options of a verb, as its help lists them."""
    found = []
    for line in ask(treaty, 'help', verb).splitlines():
        match = re.match(r'^  ((?:-\w, )?--[\w-]+)(?: (\S+))?  +(\S.*)$', line)
        if match:
            found.append(Option(verb, match.group(1).split(', '), match.group(2), match.group(3)))
    return found


def takes(treaty, verb):
    """What follows the verb, besides options: files, a topic, or nothing."""
    usage = ask(treaty, 'help', verb).split('\n', 1)[0]
    words = usage.split(verb, 1)[1].replace('[OPTION...]', '')
    return 'topics' if 'TOPIC' in words else 'files' if words.strip() else ''


def bash(table):
    lines = [f'# bash {HEAD}.', '_treaty() {',
             '    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= files=yes',
             '    COMPREPLY=()', '    if [ "$COMP_CWORD" -eq 1 ]; then',
             f'        words="{" ".join(v for v, _, _, _ in table)} --version --help"', '        files=', '    else',
             '        case "${COMP_WORDS[1]} $prev" in']
    valued = {}
    for verb, _, opts, _ in table:
        for option in opts:
            patterns = {f'"{verb} {n}"' if option.own else f'*" {n}"' for n in option.names}
            if option.choices:
                valued.setdefault(f'words="{" ".join(option.choices)}" files=', set()).update(patterns)
            elif option.value and 'FILE' not in option.value:
                valued.setdefault('return', set()).update(patterns)
    lines += [f'        {" | ".join(sorted(names))}) {action} ;;' for action, names in valued.items()]
    lines += ['        *)', '            if [[ $cur == -* ]]; then', '                files=',
              '                case ${COMP_WORDS[1]} in']
    for verb, _, opts, _ in table:
        lines.append(f'                {verb}) words="{" ".join(n for o in opts for n in o.names)}" ;;')
    lines += ['                esac', '            fi']
    topics = ' | '.join(v for v, _, _, what in table if what == 'topics')
    nothing = ' | '.join(v for v, _, _, what in table if not what)
    lines.append('            case ${COMP_WORDS[1]} in')
    if topics:
        names = ' '.join(v for v, _, _, _ in table)
        lines.append(f'            {topics}) [[ $cur == -* ]] || words="{names} codes"; files= ;;')
    if nothing:
        lines.append(f'            {nothing}) files= ;;')
    lines.append('            esac')
    lines += ['            ;;', '        esac', '    fi',
              '    [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")',
              '    [ -z "$files" ] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")', '}',
              'complete -o filenames -F _treaty treaty']
    return '\n'.join(lines) + '\n'


def zsh_quote(text):
    return text.replace("'", "'\\''").replace('[', '\\[').replace(']', '\\]').replace(':', '\\:')


def zsh(table):
    lines = ['#compdef treaty', f'# zsh {HEAD}.', '_treaty() {', '  local -a verbs', '  verbs=(']
    lines += [f"    '{verb}:{zsh_quote(about)}'" for verb, about, _, _ in table]
    lines += ['  )', '  if (( CURRENT == 2 )); then', "    _describe 'verb' verbs", '    return', '  fi',
              '  case $words[2] in']
    for verb, _, opts, what in table:
        lines.append(f'  {verb})')
        lines.append('    _arguments -S \\')
        for option in opts:
            action = ''
            if option.choices:
                action = f':{option.value}:({" ".join(option.choices)})'
            elif option.value:
                action = f':{option.value}:' + ('_files' if 'FILE' in option.value else '')
            for name in option.names:
                lines.append(f"      '{name}[{zsh_quote(option.about)}]{action}' \\")
        names = ' '.join(v for v, _, _, _ in table)
        rest = {'files': " '*:file:_files'", 'topics': f" '*:topic:({names} codes)'", '': ''}[what]
        lines.append(f"      '2:: :'{rest}")
        lines.append('    ;;')
    lines += ['  esac', '}', '_treaty "$@"']
    return '\n'.join(lines) + '\n'


def fish_quote(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish(table):
    lines = [f'# fish {HEAD}.', 'complete -c treaty -n __fish_use_subcommand -f',
             "complete -c treaty -n __fish_use_subcommand -l version -d 'the version'"]
    for verb, about, _, _ in table:
        lines.append(f'complete -c treaty -n __fish_use_subcommand -a {verb} -d {fish_quote(about)}')
    for verb, _, opts, what in table:
        when = f"-n '__fish_seen_subcommand_from {verb}'"
        if what == 'topics':
            lines.append(f'complete -c treaty {when} -f -a {fish_quote(" ".join(v for v, _, _, _ in table) + " codes")}')
        elif not what:
            lines.append(f'complete -c treaty {when} -f')
        for option in opts:
            names = ' '.join(f'-l {n[2:]}' if n.startswith('--') else f'-s {n[1:]}' for n in option.names)
            value = f' -x -a {fish_quote(" ".join(option.choices))}' if option.choices else ''
            if option.value and not option.choices:
                value = ' -r' if 'FILE' in option.value else ' -x'
            lines.append(f'complete -c treaty {when} {names}{value} -d {fish_quote(option.about)}')
    return '\n'.join(lines) + '\n'


def written(treaty):
    """What the files should hold: name -> text."""
    table = [(verb, about, options(treaty, verb), takes(treaty, verb)) for verb, about in verbs(treaty)]
    for verb, _, opts, _ in table:
        for option in opts:
            stale = [c for c in option.choices if c not in f'{option.value} {option.about}']
            if stale:
                sys.exit(f'completions: the help of {verb} {option.names[-1]} does not speak of {", ".join(stale)}')
    return {'treaty.bash': bash(table), 'treaty.zsh': zsh(table), 'treaty.fish': fish(table)}


def main():
    arguments = argparse.ArgumentParser(description='write or check the shell completions')
    arguments.add_argument('--treaty', default=str(ROOT / 'build/test/treaty'))
    arguments.add_argument('--update', action='store_true')
    chosen = arguments.parse_args()
    stale = []
    for name, text in written(chosen.treaty).items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding='utf-8') != text:
            stale.append(name)
            if chosen.update:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding='utf-8')
    if stale and not chosen.update:
        print(f'completions: {", ".join(stale)} differ from what treaty help prints; run scripts/completions.py --update')
    return 1 if stale and not chosen.update else 0


if __name__ == '__main__':
    sys.exit(main())
