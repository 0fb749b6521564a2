#!/usr/bin/env python3
"""How long after a keystroke an editor has the diagnostics: p50 and p99, for files of 100, 2,000 and 20,000 lines.

    bench/editor_keystrokes.py --treaty build/release/treaty [--strokes 200]

Each keystroke types one letter of the name of a message in the middle of the file, or removes it. "quick" is the time until the
diagnostics of reading the new text are there, "exact" the time until those of `treaty check` are, without the pause in typing
that the server waits for.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))
from editor_client import Client  # noqa: E402  (the folder is known only here)

PAUSE = 0.25
BLOCK = '''message order{i}(amount: int in 0..999, note: string) where amount > 0

// A customer orders, and the shop answers.
protocol Shop{i}(buyer, seller) {{
  buyer -> seller: order{i}(let a, _)
  choice at seller {{
    seller -> buyer: accept{i}
    buyer -> seller: pay{i}
  }} or {{
    seller -> buyer: refuse{i}
  }}
}}

'''


def text_of(lines):
    return ''.join(BLOCK.format(i=i) for i in range(max(1, lines // BLOCK.count('\n'))))


def measure(treaty, lines, strokes):
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name).resolve() / 'shop.treaty'
        client = Client(treaty, path.parent, pause=f'{PAUSE * 1000:.0f}ms')
        client.begin()
        text = text_of(lines)
        client.open(path, text)
        client.diagnostics(path, 1, wait=600)
        middle = text.count('\n') // BLOCK.count('\n') // 2
        line = text[:text.index(f'pay{middle}\n')].count('\n')
        column = len(f'    buyer -> seller: pay{middle}')
        quick, exact = [], []
        for stroke in range(strokes):
            begin = {'line': line, 'character': column}
            end = {'line': line, 'character': column + stroke % 2}
            start = time.perf_counter()
            client.change(path, stroke + 2, [{'range': {'start': begin, 'end': end}, 'text': '' if stroke % 2 else 'x'}])
            client.diagnostics(path, stroke + 2, wait=600)
            quick.append(time.perf_counter() - start)
            try:
                client.diagnostics(path, stroke + 2, wait=600 if lines <= 2000 else 0.001)
                exact.append(time.perf_counter() - start - PAUSE)
            except Exception:  # not waited for in long files
                pass
        client.server.kill()
        client.server.wait()
    return quick, exact


def shown(times):
    if not times:
        return '-'
    ordered = sorted(times)
    return f'{statistics.median(ordered) * 1000:.1f} / {ordered[int(len(ordered) * 0.99) - 1] * 1000:.1f}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--strokes', type=int, default=200)
    arguments = parser.parse_args()
    print('| lines | quick, p50 / p99 in ms | exact, p50 / p99 in ms |\n| --- | --- | --- |')
    for lines in (100, 2000, 20000):
        quick, exact = measure(arguments.treaty, lines, arguments.strokes if lines <= 2000 else max(20, arguments.strokes // 5))
        print(f'| {lines:,} | {shown(quick)} | {shown(exact)} |', flush=True)


if __name__ == '__main__':
    main()
