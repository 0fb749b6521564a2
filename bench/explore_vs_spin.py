#!/usr/bin/env python3
"""The search engine against SPIN, on the same systems, in one run, alternating.

    bench/explore_vs_spin.py --bench build/bench/bench/explore_bench [--rounds N] [--check] [FAMILY...]

For each family: the state and transition counts without reduction are compared with explore_expected.tsv and
with SPIN's; then both run in turn and the least CPU time of each counts (a whole process each). Prints one
table: ratios to SPIN, bytes per state plain and compressed, what a second core brings, states with reduction.
Without SPIN the columns that need it are empty. --check ends with 1 if a target is missed.
"""
import argparse
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT = ["pairs9", "ring14", "atm4", "buyer4", "pipe4"]


def expected():
    """instance -> (states, transitions, the better of the reduced counts or None)."""
    table = {}
    for line in (HERE / "explore_expected.tsv").read_text().splitlines()[1:]:
        name, _, states, transitions, *reduced = line.split("\t")
        known = [int(x) for x in reduced if x != "-"]
        table[name] = (int(states), int(transitions), min(known) if known else None)
    return table


def timed(command, **kwargs):
    """Output and CPU seconds of one process."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, **kwargs)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        text = out.read()
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{text}")
    return text, usage.ru_utime + usage.ru_stime


def fields(text):
    return dict(part.split("=", 1) for part in text.split())


class Spin:
    """SPIN's verifiers for one family, with and without its reduction."""

    def __init__(self, folder, bench, family):
        folder.mkdir()
        (folder / "model.pml").write_text(subprocess.run([bench, family, "promela"], check=True, capture_output=True,
                                                         text=True).stdout)
        subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
        for name, extra in (("full", ["-DNOREDUCE"]), ("reduced", [])):
            subprocess.run(["gcc", "-O3", "-march=native", "-DSAFETY", "-w", *extra, "-o", name, "pan.c"], cwd=folder,
                           check=True)
        self.folder = folder

    def run(self, name):
        text, cpu = timed([f"./{name}", "-m4000000", "-w24"], cwd=self.folder)
        for bad in ("max search depth too small", "out of memory"):
            if bad in text:
                sys.exit(f"SPIN: {bad}")
        stored = next(int(float(line.split()[0])) for line in text.splitlines() if "states, stored" in line)
        return stored, cpu


def measure(family, args, spin, want):
    bench = args.bench
    row = {"family": family}
    plain = fields(timed([bench, family])[0])
    row["states"] = int(plain["states"])
    if want and (row["states"], int(plain["transitions"])) != want[:2]:
        sys.exit(f"{family}: {plain['states']} states and {plain['transitions']} transitions, expected {want[:2]}")
    if spin and spin.run("full")[0] != row["states"]:
        sys.exit(f"{family}: SPIN stores a different number of states")
    ours, theirs, one, two = [], [], [], []
    for _ in range(args.rounds):
        if spin:
            theirs.append(spin.run("full")[1])
        text, cpu = timed([bench, family])
        ours.append(cpu)
        one.append(float(fields(text)["wall"]))
        two.append(float(fields(timed([bench, family, "jobs=2"])[0])["wall"]))
    row["ours"] = min(ours)
    row["spin"] = min(theirs) if theirs else None
    row["ratio"] = row["spin"] / row["ours"] if spin else None
    row["rate"] = row["states"] / row["ours"] / 1e6
    row["bytes"] = float(plain["bytes_per_state"])
    row["compressed"] = float(fields(timed([bench, family, "compress"])[0])["bytes_per_state"])
    row["cores"] = min(one) / min(two)
    row["reduced"] = int(fields(timed([bench, family, "reduce"])[0])["states"])
    row["reduced_spin"] = spin.run("reduced")[0] if spin else None
    row["reduced_most"] = want[2] if want else None
    return row


def show(rows):
    def number(value, digits):
        return "-" if value is None else f"{value:,.{digits}f}"

    heads = ["family", "states", "SPIN s", "treaty s", "ratio", "M states/s", "bytes/state", "compressed", "2 cores",
             "reduced", "SPIN reduced", "at most"]
    keys = [("family", None), ("states", 0), ("spin", 2), ("ours", 2), ("ratio", 1), ("rate", 1), ("bytes", 1),
            ("compressed", 1), ("cores", 2), ("reduced", 0), ("reduced_spin", 0), ("reduced_most", 0)]
    lines = [heads] + [[row[k] if d is None else number(row[k], d) for k, d in keys] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))))


def missed(rows):
    """Targets that a row, or all together, do not reach."""
    for row in rows:
        if row["ratio"] is not None and row["ratio"] < 5:
            yield f"{row['family']}: {row['ratio']:.1f} times SPIN, wanted 5"
        if row["bytes"] > 40 or row["compressed"] > 12:
            yield f"{row['family']}: {row['bytes']:.1f} and {row['compressed']:.1f} bytes per state, wanted 40 and 12"
        if row["cores"] < 1.6:
            yield f"{row['family']}: two cores bring {row['cores']:.2f}, wanted 1.6"
        if row["reduced_most"] is not None and row["reduced"] > row["reduced_most"]:
            yield f"{row['family']}: {row['reduced']} states with reduction, wanted {row['reduced_most']}"
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if ratios:
        mean = math.prod(ratios) ** (1 / len(ratios))
        print(f"geometric mean of the ratios to SPIN: {mean:.1f}")
        if mean < 8:
            yield f"geometric mean {mean:.1f}, wanted 8"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="the explore_bench program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("families", nargs="*", default=DEFAULT)
    args = parser.parse_args()
    args.bench = str(pathlib.Path(args.bench).resolve())
    have_spin = shutil.which("spin") and shutil.which("gcc")
    if not have_spin:
        print("SPIN (Debian package spin) or gcc is not here: its columns are left out")
    want = expected()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(f, args, Spin(pathlib.Path(folder) / f, args.bench, f) if have_spin else None, want.get(f))
                for f in args.families]
    show(rows)
    faults = list(missed(rows))
    for fault in faults:
        print("missed:", fault)
    return 1 if args.check and faults else 0


if __name__ == "__main__":
    sys.exit(main())
