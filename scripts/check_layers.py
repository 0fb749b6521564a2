#!/usr/bin/env python3
"""Holds the sources to the layers that CMakeLists.txt declares, and to the house's few rules.

    scripts/check_layers.py [ROOT]

Fails for
- an #include of a folder that the including folder's treaty_layer() does not name;
- a layer that uses one declared after it, or one that it includes nothing of, and two folders that include each other;
- a folder of src/ without a treaty_layer();
- test support in the product: an #include of `*/testing/*` outside tests, or a header elsewhere that only tests include;
- a picture in docs/architecture.md that is not what CMakeLists.txt builds (see check_picture);
- a file of more than 800 lines without a line `// Long because: ...`;
- a path of somebody's machine in a file, a word that marks unfinished work;
- a document that names or links a file that is not there: a path from the root, `folder/file.h` of src/, or a bare `file.h`;
- two diagnostic codes with one number, or one outside its folder's range.
"""
import pathlib
import re
import sys

MAX_LINES = 800
CODE_RANGES = {'lang': (100, 599), 'formats': (600, 899), 'report': (900, 999), 'api': (900, 999),
               'choreo': (1000, 1199), 'explore': (1200, 1399), 'csp': (1600, 1799), 'complete': (1800, 1849)}
OUTSIDE = {'build', '.git', 'node_modules', 'demo-output', '__pycache__', 'corpus'}
TEXTS = {'.h', '.cpp', '.def', '.py', '.sh', '.md', '.cmake', '.txt', '.treaty', '.json', '.gc', '.fsa', '.1', '.test',
         '.bash', '.zsh', '.fish', ''}
MACHINE_PATH = re.compile(r'(?<![\w.\-{}$/])/(?:work|root|home/\w+|tmp|Users/\w+)(?:/|\b)')
UNFINISHED = re.compile(r'\b(' + '|'.join(['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK']) + r')\b')
LAYER = re.compile(r'^\s*treaty_layer\(([^)]*)\)', re.M)
NAMED_FILE = re.compile(r'(?<![\w/.\-])((?:src|scripts|tests|fuzz|packaging|cmake|bench|docs|examples|library)/'
                        r'[A-Za-z0-9_/\-]+\.[a-z0-9]+)(?![\w*])')
NAMED_SOURCE = re.compile(r'`((?:[a-z_]+/)*[A-Za-z_0-9]+\.(?:h|cpp|def|cmake|py|sh))`')
PICTURE = re.compile(r'^## The picture\n+```text\n(.*?)^```', re.M | re.S)
LINK = re.compile(r'\]\(([^)#\s][^)\s]*)\)')
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
CODE = re.compile(r'^\s*TREATY_CODE\(\s*(\w+)\s*,\s*(\d+)\s*,\s*(\w+)\s*,', re.M)


def layers(cmake):
    """The declared layers in order: name -> the names it uses."""
    found = {}
    for call in LAYER.findall(cmake):
        words = call.split()
        name, uses = words[0], []
        if 'USES' in words:
            for word in words[words.index('USES') + 1:]:
                if word == 'LINK':
                    break
                uses.append(word)
        found[name] = uses
    return found


def check_order(declared):
    """Faults of the declarations themselves."""
    seen = []
    for name, uses in declared.items():
        for used in uses:
            if used not in declared:
                yield f'CMakeLists.txt: layer {name} uses {used}, which is not a layer'
            elif used not in seen:
                yield f'CMakeLists.txt: layer {name} uses {used}, which is not below it'
        seen.append(name)


def check_includes(root, declared):
    """Faults of the #include lines of src/."""
    pairs = {}
    for folder in sorted(p for p in (root / 'src').iterdir() if p.is_dir()):
        name = folder.name
        if name not in declared:
            yield f'src/{name}: there is no treaty_layer({name} ...) in CMakeLists.txt'
            continue
        allowed = {name, *declared[name]}
        for path in sorted([*folder.rglob('*.h'), *folder.rglob('*.cpp'), *folder.rglob('*.def')]):
            shown = path.relative_to(root)
            text = path.read_text(encoding='utf-8')
            for match in INCLUDE.finditer(text):
                line = text.count('\n', 0, match.start(1)) + 1
                target, slash, _ = match.group(1).partition('/')
                if not slash or target == '..' or target == '.':
                    yield f'{shown}:{line}: write "{name}/{match.group(1).split("/")[-1]}", from src/'
                elif target not in allowed:
                    yield f'{shown}:{line}: {name} includes {match.group(1)}, but its layer does not use {target}'
                elif target != name:
                    pairs.setdefault((name, target), f'{shown}:{line}')
    for name, uses in declared.items():
        for used in uses:
            if (name, used) not in pairs and (root / 'src' / name).is_dir():
                yield f'CMakeLists.txt: layer {name} uses {used}, but includes nothing of it'
    for (one, other), place in sorted(pairs.items()):
        if one < other and (other, one) in pairs:
            yield f'{place}: {one} and {other} include each other ({pairs[(other, one)]})'


def is_test(path):
    """Whether a file of src/ is not part of the product."""
    return path.name.endswith('_test.cpp') or 'testing' in path.parent.parts


def check_test_support(root):
    """Faults of the border between product and test support, which is in the folders src/*/testing/."""
    used, tested = set(), set()  # headers, by who includes them
    for path in sorted([*(root / 'src').rglob('*.h'), *(root / 'src').rglob('*.cpp')]):
        shown = path.relative_to(root)
        text = path.read_text(encoding='utf-8')
        for match in INCLUDE.finditer(text):
            header = pathlib.PurePosixPath(match.group(1))
            if is_test(shown):
                tested.add(header)
            elif 'testing' in header.parent.parts:
                yield f'{shown}:{text.count(chr(10), 0, match.start(1)) + 1}: the product includes {header}, which is test support'
            elif shown.relative_to('src').with_suffix('.h') != header:
                used.add(header)
    for header in sorted(tested - used):
        if 'testing' not in header.parent.parts and (root / 'src' / header).exists():
            yield f'src/{header}: only tests include it; it belongs in src/{header.parts[0]}/testing/'


def picture_rows(document, declared):
    """The rows of the picture: (folders from left to right, whether an arrow leads to the row below)."""
    match = PICTURE.search(document)
    rows = []
    for line in match.group(1).splitlines() if match else []:
        if line.strip() == '|':
            if rows:
                rows[-1][1] = True
        elif line.strip():
            # A label, the folders, an explanation; three blanks or more between them, two between folders.
            columns = re.split(r' {3,}', line.strip())
            folders = next((c.split() for c in columns if set(c.split()) & set(declared)), [])
            rows.append([folders, False])
    return rows


def check_picture(root, declared):
    """Faults of the picture in docs/architecture.md. Each folder is in it once. A folder uses those to its left in its row and
    those in rows below; an arrow means that the row uses the one under it."""
    document = root / 'docs/architecture.md'
    if not document.exists():
        return
    rows = picture_rows(document.read_text(encoding='utf-8'), declared)
    shown = 'docs/architecture.md: the picture'
    drawn = [folder for folders, _ in rows for folder in folders]
    for folder in sorted(set(declared) - set(drawn)):
        yield f'{shown} lacks {folder}'
    for folder in drawn:
        if folder not in declared:
            yield f'{shown} has {folder}, which is not a layer'
        elif drawn.count(folder) > 1:
            yield f'{shown} has {folder} twice'
    for number, (folders, arrow) in enumerate(rows):
        below = {folder for lower, _ in rows[number + 1:] for folder in lower}
        for place, folder in enumerate(folders):
            for used in declared.get(folder, []):
                if used in drawn and used not in below and used not in folders[:place]:
                    yield f'{shown} has {used} neither below {folder} nor left of it, but {folder} uses it'
        if number + 1 < len(rows):
            direct = {used for folder in folders for used in declared.get(folder, [])} & set(rows[number + 1][0])
            if arrow != bool(direct):
                row = ', '.join(folders)
                yield f'{shown} has {"an" if arrow else "no"} arrow under {row}, but they use {", ".join(sorted(direct)) or "nothing"} there'


def texts(root):
    """The files of the project that people write."""
    for path in sorted(root.rglob('*')):
        parts = path.relative_to(root).parts
        if path.is_file() and path.suffix in TEXTS and not OUTSIDE & set(parts):
            yield path


def check_texts(root):
    """Faults of single files: length, machine paths, unfinished work."""
    for path in texts(root):
        shown = path.relative_to(root)
        try:
            lines = path.read_text(encoding='utf-8').splitlines()
        except UnicodeDecodeError:
            yield f'{shown}: not UTF-8'
            continue
        if path.suffix in ('.h', '.cpp', '.py', '.sh', '.def') and len(lines) > MAX_LINES:
            if not any(re.match(r'\s*(//|#) Long because: \S', line) for line in lines):
                yield f'{shown}: {len(lines)} lines; split it, or say why in a line "// Long because: ..."'
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                yield f'{shown}:{number}: a path of one machine: {line.strip()[:80]}'
            if path.parts[len(root.parts)] == 'src' and UNFINISHED.search(line):
                yield f'{shown}:{number}: unfinished: {line.strip()[:80]}'


def check_documents(root):
    """Files that documents name (`src/lang/read.h`) or link to ([text](language.md)) must be there."""
    files = {path.name for path in texts(root)}
    for path in texts(root):
        if path.suffix != '.md':
            continue
        shown = path.relative_to(root)
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            for name in sorted({*NAMED_FILE.findall(line), *NAMED_SOURCE.findall(line)}):
                places = [root / name, root / 'src' / name, path.parent / name]
                if not any(place.exists() for place in places) and name not in files and 'NAME' not in name:
                    yield f'{shown}:{number}: names {name}, which is not there'
            for link in LINK.findall(line):
                if not re.match(r'[a-z]+:', link) and not (path.parent / link.split('#')[0]).exists():
                    yield f'{shown}:{number}: links to {link}, which is not there'


def codes(root):
    """All diagnostic codes: (folder, name, number, severity)."""
    for path in sorted((root / 'src').glob('*/codes.def')):
        for name, number, severity in CODE.findall(path.read_text(encoding='utf-8')):
            yield path.parent.name, name, int(number), severity


def check_codes(root):
    taken = {}
    for folder, name, number, severity in codes(root):
        low, high = CODE_RANGES.get(folder, (0, 9999))
        if not low <= number <= high:
            yield f'src/{folder}/codes.def: {name} has number {number}; {folder} has {low} to {high}'
        if severity not in ('note', 'warning', 'error'):
            yield f'src/{folder}/codes.def: {name} has the severity {severity}'
        if number in taken:
            yield f'src/{folder}/codes.def: {name} and {taken[number]} both have the number {number}'
        taken[number] = f'{folder}/{name}'


def faults(root):
    declared = layers((root / 'CMakeLists.txt').read_text(encoding='utf-8'))
    if not declared:
        yield 'CMakeLists.txt: no treaty_layer() found'
    yield from check_order(declared)
    yield from check_includes(root, declared)
    yield from check_test_support(root)
    yield from check_picture(root, declared)
    yield from check_texts(root)
    yield from check_documents(root)
    yield from check_codes(root)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = list(faults(root))
    for fault in found:
        print(fault)
    print(f'check_layers: {len(found)} faults' if found else 'check_layers: no fault')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
