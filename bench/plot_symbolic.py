#!/usr/bin/env python3
"""Draws what symbolic_bench --tsv prints: the effect of each parameter on what has to be added, and the time.

    build/bench/bench/symbolic_bench --tsv | bench/plot_symbolic.py docs/images/smart_growth.svg
"""
import sys

PANELS = ('states', 'branches', 'roles', 'operations', 'data', 'time')
TITLES = {'states': 'states', 'branches': 'branches of a state', 'roles': 'roles', 'operations': 'operations',
          'data': 'data level', 'time': 'states: milliseconds'}
KINDS = (('branching', '#4878a8'), ('order', '#e0a040'), ('data', '#a84848'))
WIDTH, HEIGHT, LEFT, TOP, ACROSS, DOWN = 360, 250, 64, 34, 280, 170


def read(lines):
    rows = {}
    for line in lines:
        name, value, data, order, branching, total, ms, solver, queries, remembered = line.rstrip('\n').split('\t')
        rows.setdefault(name, []).append({'value': int(value), 'data': float(data), 'order': float(order),
                                          'branching': float(branching), 'ms': float(ms), 'solver': float(solver)})
    rows['time'] = rows['states']
    return rows


def nice(most):
    """A round number that is not much greater."""
    step = 1.0
    while step * 10 <= most:
        step *= 10
    for factor in (1, 1.5, 2, 3, 4, 5, 6, 8, 10):
        if step * factor >= most:
            return step * factor
    return most


def text(x, y, words, anchor='middle', size=11, weight='normal'):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">'
            f'{words}</text>')


def axes(title, top):
    out = [text(LEFT + ACROSS / 2, 18, title, size=13, weight='bold')]
    for i in range(5):
        y = TOP + DOWN - DOWN * i / 4
        out.append(f'<path d="M{LEFT} {y:.1f}h{ACROSS}" stroke="#ddd"/>')
        out.append(text(LEFT - 6, y + 4, f'{top * i / 4:,.0f}' if top >= 4 else f'{top * i / 4:.1f}', 'end'))
    return out


def bars(name, rows):
    top = nice(max(sum(row[kind] for kind, _ in KINDS) for row in rows))
    out = axes(TITLES[name], top)
    slot = ACROSS / len(rows)
    for i, row in enumerate(rows):
        y = TOP + DOWN
        for kind, colour in KINDS:
            height = DOWN * row[kind] / top
            y -= height
            out.append(f'<rect x="{LEFT + slot * i + slot * 0.15:.1f}" y="{y:.1f}" width="{slot * 0.7:.1f}" '
                       f'height="{height:.1f}" fill="{colour}"/>')
        out.append(text(LEFT + slot * (i + 0.5), TOP + DOWN + 14, short(row['value']), size=10))
    return out


def short(value):
    return f'{value // 1000}k' if value >= 1000 else str(value)


def lines(name, rows):
    top = nice(max(row['ms'] for row in rows))
    out = axes(TITLES[name], top)
    most = max(row['value'] for row in rows)
    for key, colour, label in (('ms', '#4878a8', 'all'), ('solver', '#a84848', 'in the solver')):
        points = [(LEFT + ACROSS * row['value'] / most, TOP + DOWN - DOWN * row[key] / top) for row in rows]
        path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(text(points[-1][0] - 4, points[-1][1] - 7, label, 'end'))
    for row in rows:
        out.append(text(LEFT + ACROSS * row['value'] / most, TOP + DOWN + 14, short(row['value']), size=10))
    return out


def legend(y):
    out, x = [], LEFT
    for kind, colour in KINDS:
        out.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>')
        out.append(text(x + 18, y, f'interactions added for {kind}', 'start', 12))
        x += 230
    return out


def draw(rows):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * 3} {HEIGHT * 2 + 30}" '
           f'font-family="sans-serif" fill="#222">',
           f'<rect width="{WIDTH * 3}" height="{HEIGHT * 2 + 30}" fill="white"/>']
    for i, name in enumerate(PANELS):
        out.append(f'<g transform="translate({WIDTH * (i % 3)} {HEIGHT * (i // 3)})">')
        out += lines(name, rows[name]) if name == 'time' else bars(name, rows[name])
        out.append('</g>')
    return '\n'.join(out + legend(HEIGHT * 2 + 14) + ['</svg>', ''])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    picture = draw(read(sys.stdin))
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write(picture)


if __name__ == '__main__':
    main()
