#!/usr/bin/env python3
"""Fails for a diagnostic code that no golden test shows.

    scripts/check_codes.py [ROOT]

A code counts as shown when it is in the expected output of a command of tests/golden/**/*.test. The output of
`treaty help` does not count: it can print every code without reporting one. A code that is shown but defined nowhere
is a fault too.
"""
import pathlib
import re
import sys

import check_layers
import golden


def shown_codes(root):
    """The codes in the expected outputs: "T0312" -> the first file that shows it."""
    shown = {}
    for path in sorted((root / 'tests/golden').rglob('*.test')):
        try:
            test = golden.parse(path.read_text(encoding='utf-8'))
        except (golden.Malformed, ValueError):
            continue  # the golden runner reports it
        for command in test.commands():
            if re.match(r'treaty\s+(help|explain)\b', command.text):
                continue
            for code in re.findall(r'\bT\d{4}\b', '\n'.join(command.stdout + command.stderr)):
                shown.setdefault(code, path.relative_to(root))
    return shown


def faults(root):
    shown = shown_codes(root)
    defined = {f'T{number:04}': f'{folder}/{name}' for folder, name, number, _ in check_layers.codes(root)}
    for code, name in sorted(defined.items()):
        if code not in shown:
            yield f'{code} ({name}) is shown by no test of tests/golden'
    for code, path in sorted(shown.items()):
        if code not in defined:
            yield f'{path}: {code} is in no codes.def'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = list(faults(root))
    for fault in found:
        print(fault)
    print(f'check_codes: {len(found)} faults' if found else 'check_codes: every code is shown')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
