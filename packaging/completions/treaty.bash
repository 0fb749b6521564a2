# bash completion for treaty; written by scripts/completions.py from `treaty help`.
_treaty() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= files=yes
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="check show project unfold explore convert fmt help --version --help"
        files=
    else
        case "${COMP_WORDS[1]} $prev" in
        *" --bound" | *" --format" | *" --jobs" | *" --limit-memory" | *" --limit-states" | *" --limit-time" | *" --protocol" | *" --role" | *" --rounds" | *" --seed" | *" --times" | *" -b" | *" -n" | *" -p" | *" -r") return ;;
        *" --color") words="auto always never" files= ;;
        "show --as") words="msc graph net machine pomset space" files= ;;
        *" --mode" | *" -m") words="sync fifo bag mailbox" files= ;;
        "convert --as") words="protocol system machine net" files= ;;
        *)
            if [[ $cur == -* ]]; then
                files=
                case ${COMP_WORDS[1]} in
                check) words="-p --protocol --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                show) words="--as -r --role -p --protocol -o --output --format --rounds -m --mode -b --bound --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                project) words="-r --role -p --protocol -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                unfold) words="-n --times -p --protocol -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                explore) words="-p --protocol -m --mode -b --bound --replace --no-reduction --compress -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                convert) words="-o --output -p --protocol --as --allow-loss --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                fmt) words="--check -i --in-place --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                help) words="--json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                esac
            fi
            case ${COMP_WORDS[1]} in
            help) [[ $cur == -* ]] || words="check show project unfold explore convert fmt help codes"; files= ;;
            esac
            ;;
        esac
    fi
    [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [ -z "$files" ] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -o filenames -F _treaty treaty
