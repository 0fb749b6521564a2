#!/bin/bash
# A guided tour of Treaty on the bundled examples.
#
#   scripts/demo.sh PROGRAM
#
# Shows each command before it runs it. Pictures go to demo-output/. A command that fails ends the tour with one
# line that names it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
program=$(realpath "${1:-build/release/treaty}")
[ -x "$program" ] || { echo "demo: no program $program; run make build" >&2; exit 1; }
out=demo-output
mkdir -p "$out"

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
else
    bold='' dim='' plain=''
fi

stop=0
say() {
    stop=$((stop + 1))
    printf '\n%s%d. %s%s\n' "$bold" "$stop" "$1" "$plain"
    shift
    [ $# -eq 0 ] || printf '   %s\n' "$@"
    echo
}

# try EXIT COMMAND...: shows and runs a command that must end with that exit code.
try() {
    local wanted=$1 code=0
    shift
    printf '%s$ treaty %s%s\n' "$dim" "$*" "$plain"
    "$program" "$@" 2>&1 || code=$?
    if [ "$code" -ne "$wanted" ]; then
        echo "demo: stop $stop: 'treaty $*' ended with exit code $code instead of $wanted" >&2
        exit 1
    fi
}

show_file() {
    printf '%s$ cat %s%s\n' "$dim" "$1" "$plain"
    cat "$1"
}

echo "${bold}A short tour of Treaty.${plain} Everything shown here is in examples/; what is written goes to $out/."

say "A protocol" "A customer, a cash machine and a bank. The bank decides; the others learn it from the messages they receive."
show_file examples/withdraw/withdraw.treaty

say "Can it work?" "check finds errors without running anything."
try 0 check examples/withdraw/withdraw.treaty

say "Mistakes, explained" "A shop in which a role is misspelt, and another has to send a value that it never received."
cat >"$out/mistakes.treaty" <<'TREATY'
message req(amount: int)
message info(stock: int)

protocol Shop(buyer, vendor, warehouse) {
  buyer -> vendor: req(let amount)
  vendor -> warehouse: ask
  warehouse -> vendor: info(amount)
  vendor -> byuer: done
}
TREATY
try 2 check "$out/mistakes.treaty"

say "A protocol that cannot work" "Valid, but the machine sends the same message in both cases, so the customer cannot know whether to type a PIN." \
    "check finds the place and tells how to fix it; explore finds a shortest run that fails."
cat >"$out/guessing.treaty" <<'TREATY'
protocol Withdraw(C, A, B) {
  C -> A: withdraw
  A -> B: authW
  choice at B {
    B -> A: deny
    A -> C: thanks
  } or {
    B -> A: allow
    A -> C: thanks
    C -> A: pin
  }
}
TREATY
try 1 check "$out/guessing.treaty"
echo
try 1 explore "$out/guessing.treaty" -o "$out/guessing-run.svg"

say "What must one role do?" "The cash machine's part, cut out of the protocol: a machine that only sends and receives."
try 0 project examples/withdraw/withdraw.treaty --role A

say "Run all the parts together" "Every reachable configuration of the three parts, with queues between them."
try 0 explore examples/withdraw/withdraw.treaty

say "Pictures"
for kind in msc graph net; do
    try 0 show examples/withdraw/withdraw.treaty --as "$kind" -o "$out/withdraw-$kind.svg"
done
try 0 show examples/websocket/websocket.treaty --as net -o "$out/websocket-net.svg"

say "Other notations" "The same protocol as a g-choreography, for the tools that read those."
try 0 convert examples/withdraw/withdraw.treaty -o "$out/withdraw.gc"
show_file "$out/withdraw.gc"

say "Test a real program" "A mail server in Python, with a bug: it refuses RSET once a mail has begun. Treaty plays the client."
try 1 test examples/smtp/smtp.treaty --cut server --run 'python3 examples/smtp/server.py {port} --bug rset' \
    --via 'tcp://127.0.0.1:{port}' --silence 20s --save "$out/smtp-failure.json" -o "$out/smtp-failure.svg"

echo
echo "${bold}Where to look now${plain}"
for file in "$out"/*.svg; do
    echo "   $(realpath "$file")"
done
echo "   ${1:-build/release/treaty} serve examples --allow-run   opens the workbench: all of this in your browser"
echo "   README.md for the five-minute tour, docs/language.md for the language"
