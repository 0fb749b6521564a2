# bash completion for treaty; written by scripts/completions.py from `treaty help`.
_treaty() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= files=yes
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="check show project unfold explore step conform diff tests generate comply mutate run test simulate replay watch proxy mine refine complete convert data decode fmt lsp serve help --version --help"
        files=
    else
        case "${COMP_WORDS[1]} $prev" in
        *" --ahead" | *" --alphabet" | *" --as" | *" --between" | *" --bound" | *" --campaign" | *" --corrupt-means" | *" --count" | *" --cut" | *" --dir" | *" --domain" | *" --empty" | *" --ends" | *" --env" | *" --event" | *" --expect" | *" --expire" | *" --first" | *" --forget" | *" --format" | *" --from" | *" --host" | *" --idle" | *" --impl" | *" --in" | *" --input" | *" --jobs" | *" --language" | *" --length" | *" --level" | *" --limit-bytes" | *" --limit-memory" | *" --limit-sessions" | *" --limit-states" | *" --limit-time" | *" --linger" | *" --listen" | *" --map" | *" --message" | *" --metrics" | *" --name" | *" --oracle" | *" --order" | *" --output" | *" --page" | *" --parallel" | *" --patience" | *" --pause" | *" --play" | *" --probe" | *" --protocol" | *" --ready" | *" --reject" | *" --reset" | *" --role" | *" --rounds" | *" --run" | *" --sample" | *" --seed" | *" --session" | *" --sessions" | *" --silence" | *" --spec" | *" --startup" | *" --strategy" | *" --success" | *" --sut" | *" --tests" | *" --think" | *" --times" | *" --to" | *" --token" | *" --until-coverage" | *" --via" | *" --websocket" | *" --wire" | *" --with" | *" -b" | *" -d" | *" -e" | *" -i" | *" -k" | *" -l" | *" -m" | *" -n" | *" -o" | *" -p" | *" -r" | *" -s" | *" -w") return ;;
        *" --color") words="auto always never" files= ;;
        "show --as") words="msc graph net machine pomset space" files= ;;
        *" --mode" | *" -m") words="sync fifo bag mailbox" files= ;;
        "project --mode") words="sync sending reception disjoint" files= ;;
        "convert --as") words="protocol system machine net" files= ;;
        *)
            if [[ $cur == -* ]]; then
                files=
                case ${COMP_WORDS[1]} in
                check) words="-p --protocol --strict --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                show) words="--as -r --role -p --protocol -o --output --format --rounds -m --mode -b --bound --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                project) words="-r --role -p --protocol -o --output --smart --mode --save --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                unfold) words="-n --times -p --protocol -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                explore) words="-p --protocol -m --mode -b --bound --replace --no-reduction --compress -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                step) words="-p --protocol --role -m --mode -b --bound -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                conform) words="-p --protocol --impl --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                diff) words="-r --role -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                tests) words="--cut -p --protocol --times --keep-all --success --wait --dual --count --first --sample --order --check --adherence --against -m --mode -b --bound --oracle --empty --observe-final -o --output --format --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                generate) words="-l --language -r --role -p --protocol -o --output --monitor --handlers --codec -w --wire --scaffold --check --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                comply) words="--cut -p --protocol --times --keep-all --success --wait --dual --first --sample -m --mode -b --bound --oracle --empty --observe-final -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                mutate) words="--cut --tests --sample --level --list --compare -p --protocol --times --keep-all --success --wait --dual -m --mode -b --bound --oracle --empty --observe-final -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                run) words="--json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                test) words="--cut --run --env --dir --with --ready --via --play -p --protocol --wire --sessions --length --silence --startup --linger --keep --reset --strategy --reject --corrupt-means --profile --keep-going --until-coverage --parallel --html --junit --values --no-shrink --store --save -o --output --project --campaign --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                simulate) words="--role --via --run --env --dir -p --protocol --wire --sessions --think --silence -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                replay) words="--store --run --env --dir --forget -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                watch) words="--from --as --map --order --session --wire --no-data --check-properties --complete --follow --idle --verdicts --state --live --metrics --expire --limit-sessions -p --protocol --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                proxy) words="--listen --to --between -o --output --addresses --cert --key --tls-to --ca --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                mine) words="--as -o --output --session --name -k --ahead --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                refine) words="--in --no-antichain --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                complete) words="-s --spec -d --domain --sut --via --env --dir --in --ends --alphabet --event --probe --tests --length --times --patience --silence-refuses --keep --sharp --plan -o --output --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                convert) words="-o --output -p --protocol --as --allow-loss --list --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                data) words="-m --message -n --count -w --wire -o --output --profile --invalid --corrupt --hex --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                decode) words="-w --wire -i --input --hex -e --expect --limit-bytes --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                fmt) words="--check -i --in-place --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                lsp) words="--pause --websocket --stdio --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                serve) words="--listen --cert --key --host --token --allow-run --read-only --no-browser --page --json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                help) words="--json --color --limit-time --limit-states --limit-memory --jobs --seed -h --help" ;;
                esac
            fi
            case ${COMP_WORDS[1]} in
            help) [[ $cur == -* ]] || words="check show project unfold explore step conform diff tests generate comply mutate run test simulate replay watch proxy mine refine complete convert data decode fmt lsp serve help codes"; files= ;;
            proxy | lsp) files= ;;
            esac
            ;;
        esac
    fi
    [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [ -z "$files" ] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -o filenames -F _treaty treaty
