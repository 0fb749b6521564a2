#!/usr/bin/env python3
"""Checks how documents and code cite papers.

    scripts/check_references.py

docs/references.md defines a short name per paper as a heading: "## Coto 2023". A citation is a link to that heading in
documents, and the bare short name in code. Reported are: a link to a heading that does not exist or whose text differs
from it, a short name that is not defined, and a paper cited by a number that only its author can resolve ("001").
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ('README.md', 'CHANGELOG.md', 'docs/*.md', 'examples/*/README.md')
CODE = ('src/**/*.h', 'src/**/*.cpp', 'bench/*', 'tests/*.cpp', 'tests/*.h', 'tests/verdicts/*', 'tests/golden/**/*.test', 'fuzz/*.cpp',
        'examples/**/*.treaty', 'library/*.treaty', 'scripts/*.sh', 'scripts/check_[!r]*.py')

LINK = re.compile(r'\[([^\]]*)\]\([\w./]*references\.md#([^)]*)\)')
# A name and a year, followed by a part of a text or ending a parenthesis: "Coto 2023, definition 3.5".
PART = r'(?:section|chapter|definition|table|figure|theorem|lemma|algorithm|example|listing|appendix|equation)s?\b'
CITED = re.compile(r'\b([A-Z][a-z]+ (?:19|20)\d\d)(?=\'s\b|\)|,? ' + PART + ')')
NUMBERED = re.compile(r'\b00\d(?:\'s\b|,? ' + PART + r')|\b(?:of|in) 00\d\b(?!\.?\d)')


def defined(root):
    """The short names, by the anchors of their headings."""
    text = (root / 'docs/references.md').read_text(encoding='utf-8')
    return {name.lower().replace(' ', '-'): name for name in re.findall(r'^## (.+)$', text, re.M)}


def files(root, patterns):
    return sorted({p for pattern in patterns for p in root.glob(pattern) if p.is_file()})


def faults(root):
    """Every wrong citation below the folder, as "file:line: what is wrong"."""
    names = defined(root)
    documents = files(root, DOCUMENTS)
    for path in documents + files(root, CODE):
        try:
            lines = path.read_text(encoding='utf-8').splitlines()
        except UnicodeDecodeError:  # not a text
            continue
        for number, line in enumerate(lines, 1):
            place = f'{path.relative_to(root)}:{number}'
            for text, anchor in LINK.findall(line) if path in documents else ():
                if anchor not in names:
                    yield f'{place}: docs/references.md has no heading for #{anchor}'
                elif text != names[anchor]:
                    yield f'{place}: the link "{text}" should read "{names[anchor]}"'
            for name in CITED.findall(line):
                if name not in names.values():
                    yield f'{place}: "{name}" is not defined in docs/references.md'
            for found in NUMBERED.findall(line):
                yield f'{place}: "{found}" names a paper by a number; use its short name from docs/references.md'


def main():
    found = list(faults(ROOT))
    for fault in found:
        print(fault)
    print(f'check_references: {len(defined(ROOT))} papers, {len(found)} faults')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
