#!/usr/bin/env python3
"""Makes the list and the sections of docs/notations.md, which users read, from the notations themselves.

    scripts/notations.py --treaty build/test/treaty [--update]

The list is what `treaty convert --list --json` gives; the sections are src/formats/*/page.md, in the order of the list. Without
--update it fails if the document differs, if a notation names a section that no page has, if a page is not named by a notation, or if a
notation that is read has no corpus for its fuzz target.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import golden

ROOT = golden.ROOT
DOCUMENT = ROOT / 'docs/notations.md'
MARK = '<!-- The rest is made by scripts/notations.py'


def known_notations(treaty):
    done = subprocess.run([treaty, 'convert', '--list', '--json'], capture_output=True, text=True, check=True,
                          env=golden.environment(treaty))
    return json.loads(done.stdout)['notations']


def table(notations):
    """The list, as a table of Markdown."""
    lines = ['| notation | extension | read | written | can express |', '| --- | --- | --- | --- | --- |']
    for one in notations:
        extensions = ', '.join('.' + e for e in one['extensions'])
        read = f'by {one["read_by"]}' if 'read_by' in one else 'yes' if one['read'] else 'no'
        title = f'[{one["title"]}]({one["page"].removeprefix("docs/notations.md")})'
        lines.append(f'| {title} | {extensions} | {read} | {"yes" if one["written"] else "no"} | {one["carries"]} |')
    return '\n'.join(lines) + '\n'


def anchor(heading):
    """The address of a heading, as Markdown viewers make it."""
    return ''.join(c for c in heading.lower().replace(' ', '-') if c.isalnum() or c in '-_')


def pages():
    """The sections by their addresses."""
    found = {}
    for path in sorted((ROOT / 'src/formats').glob('*/page.md')):
        text = path.read_text(encoding='utf-8').replace('](../../../docs/', '](').replace('](../../../', '](../')
        found[anchor(text.split('\n', 1)[0].removeprefix('## '))] = text
    return found


def faults(notations, sections):
    named = {one['page'].split('#')[1] for one in notations}
    for address in sorted(named - set(sections)):
        yield f'no src/formats/*/page.md has the section #{address}'
    for address in sorted(set(sections) - named):
        yield f'no notation has the section #{address}'
    corpora = {p.name for p in (ROOT / 'src/formats').glob('*/corpus/*') if any(p.iterdir())}
    corpora |= {p.name for p in (ROOT / 'fuzz/corpus').iterdir() if any(p.iterdir())}
    for one in notations:
        if one['read'] and one['extensions'][0] not in corpora:
            yield f'.{one["extensions"][0]} has no corpus: src/formats/*/corpus/{one["extensions"][0]}'


def main():
    arguments = argparse.ArgumentParser(description='the list of notations in the documents')
    arguments.add_argument('--treaty', default=str(ROOT / 'build/test/treaty'))
    arguments.add_argument('--update', action='store_true')
    options = arguments.parse_args()
    notations = known_notations(str(pathlib.Path(options.treaty).resolve()))
    sections = pages()
    found = list(faults(notations, sections))
    before = DOCUMENT.read_text(encoding='utf-8')
    head = before[:before.index('\n', before.index(MARK)) + 1]
    order = dict.fromkeys(one['page'].split('#')[1] for one in notations)
    after = head + '\n' + table(notations) + ''.join('\n' + sections[a] for a in order if a in sections)
    if options.update:
        DOCUMENT.write_text(after, encoding='utf-8')
    elif before != after:
        found.append('docs/notations.md is out of date: scripts/notations.py --update')
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
