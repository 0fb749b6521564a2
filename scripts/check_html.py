#!/usr/bin/env python3
"""Opens the HTML report of a failing campaign from disk in headless Chromium.

    scripts/check_html.py --treaty build/test/treaty [--pictures FOLDER]

No error on the console, no request that leaves the file, and everything that belongs into the report is there and has a
size: verdict, chart, machine, curve, text of the protocol, the last line of the component's standard error, the command to try it again. At
the width of a phone nothing sticks out. Then machines of 5, 50 and 300 states, on a light and on a dark screen: all of
what is drawn is inside the window, its first state can be seen, and every text of it has enough contrast (WCAG: 4.5)
and is not too small. --pictures keeps what it looks like: light, dark, phone and paper, and the three machines.
Without Chromium it ends with 77: skipped.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import golden

EXAMPLES = golden.ROOT / 'examples'
# What is measured on the page; it writes what it finds into the document.
PROBE = '''<script>
addEventListener("load", () => {
  const size = selector => [...document.querySelectorAll(selector)].map(e => {
    const r = e.getBoundingClientRect(); return [Math.round(r.width), Math.round(r.height)]; });
  const found = {badge: size(".badge"), card: size(".card"), chart: size(".card .chart svg"), machine: size(".machine svg"),
    curve: size("svg.curve"), source: size(".source tr"), unseen: size(".source tr.unseen"), log: size("details pre"),
    sessions: size(".sessions tbody tr"), width: document.documentElement.scrollWidth, window: innerWidth,
    background: getComputedStyle(document.documentElement).backgroundColor};
  const parts = colour => (colour.match(/[0-9.]+/g) || [0, 0, 0]).map(Number);
  const light = colour => { const [r, g, b] = parts(colour).slice(0, 3).map(c => { c /= 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground_of = e => { for (; e; e = e.parentElement) {
    const shape = e.classList.contains("node") && e.querySelector("ellipse, polygon");
    const colour = shape ? getComputedStyle(shape).fill : getComputedStyle(e).backgroundColor;
    if (colour.startsWith("rgb") && parts(colour)[3] !== 0) return colour; } return "rgb(255, 255, 255)"; };
  const seen = selector => [...document.querySelectorAll(selector)].map(e => {
    const r = e.getBoundingClientRect(), s = getComputedStyle(e), own = light(e.tagName === "text" ? s.fill : s.color);
    const ground = light(ground_of(e)), frame = e.closest(".machine, .states").getBoundingClientRect();
    return {text: e.textContent, left: r.left, right: r.right, height: r.height, from: frame.left, to: frame.right,
      contrast: (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05)}; });
  found.texts = seen(".machine text, .states th, .states .edge");
  found.frames = [...document.querySelectorAll(".machine, .states")].map(e => {
    const r = e.getBoundingClientRect(); return {left: r.left, right: r.right, height: r.height, hidden: e.scrollWidth - e.clientWidth}; });
  // Texts of charts and curves: no picture may change the colours of another, or of the page.
  found.pale = [...document.querySelectorAll(".curve text, .chart .label, .chart .title, .chart .number")].filter(e => {
    const ground = e.closest("svg").querySelector(".ground");
    const own = light(getComputedStyle(e).fill), other = light(ground ? getComputedStyle(ground).fill : ground_of(e));
    return (Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05) < (e.matches(".number") ? 3 : 4.5); }).map(e => e.textContent);
  found.filters = [...document.querySelectorAll(".machine .graph")].map(e => getComputedStyle(e).filter);
  const out = document.createElement("pre"); out.id = "probe"; out.textContent = JSON.stringify(found);
  document.body.append(out);
});
</script>'''


BROWSER_RESTARTS = 2
DARK = '--blink-settings=preferredColorScheme=0'
LOOKS = {'light': ['--window-size=1200,900'], 'dark': ['--window-size=1200,900', DARK], 'phone': ['--window-size=500,800']}
DRAWN = {5: True, 50: True, 300: False}  # machines by their states; large ones are lists


class Failed(Exception):
    pass


def chromium():
    return shutil.which('chromium') or shutil.which('chromium-browser')


def browse(page, folder, *flags):
    """Standard output and errors of one look at a page; nothing can be reached but the file."""
    command = [chromium(), '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
               '--disable-extensions', '--disable-background-networking', '--disable-component-update',
               '--host-resolver-rules=MAP * ~NOTFOUND', '--enable-logging=stderr', f'--user-data-dir={folder}/profile',
               f'--log-net-log={folder}/net.json', '--virtual-time-budget=2000', *flags, page.as_uri()]
    # Only the browser itself is started again, and not for what a page looks like: it is a large program, and does not
    # always start on a small machine.
    for attempt in range(1 + BROWSER_RESTARTS):
        shutil.rmtree(f'{folder}/profile', ignore_errors=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode == 0:
                return done.stdout, done.stderr
        print(f'html: chromium did not start ({attempt + 1} of at most {1 + BROWSER_RESTARTS} times)', flush=True)
    raise Failed('chromium did not show the page')


def console(errors):
    return [line for line in errors.splitlines() if ':CONSOLE' in line]


def requests(folder):
    """The addresses that were asked for, other than files."""
    text = pathlib.Path(folder, 'net.json').read_text(encoding='utf-8', errors='replace')
    urls = re.findall(r'"url":"((?:https?|wss?|ftp)://[^"]*)"', text)
    return sorted({url for url in urls if not re.search(r'google|gvt1|chrome', url)})


def measure(page, folder, *flags):
    probe = pathlib.Path(folder, 'probe.html')
    probe.write_text(page.read_text(encoding='utf-8').replace('</body>', PROBE + '</body>'), encoding='utf-8')
    dom, errors = browse(probe, folder, '--dump-dom', *flags)
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    if not found:
        raise Failed(f'the page was not measured:\n{errors[-2000:]}')
    return json.loads(found.group(1).replace('&quot;', '"').replace('&gt;', '>').replace('&amp;', '&'))


def expect(condition, what, got):
    if not condition:
        raise Failed(f'{what}: {got}')


def make_report(treaty, folder):
    page = pathlib.Path(folder, 'report.html')
    command = f'{sys.executable} {EXAMPLES}/smtp/server.py {{port}} --bug exception --at 3'
    done = subprocess.run([treaty, 'test', str(EXAMPLES / 'smtp/smtp.treaty'), '--cut', 'server', '--run', command, '--via',
                           'tcp://127.0.0.1:{port}', '--silence', '20s', '--keep-going', '--sessions', '8', '--no-shrink',
                           '--html', str(page)], cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                          env=golden.environment(treaty))
    expect(done.returncode == 1 and page.exists(), 'a failing campaign with a report', done.stdout + done.stderr)
    return page


# Answers every message m1, m2, ... with r1, r2, ...
ECHO = """import json, sys
for line in sys.stdin:
    print(json.dumps({'message': 'r' + json.loads(line)['message'][1:]}), flush=True)
"""


def machine_report(treaty, folder, states):
    """A report with a machine of about so many states: rounds of one choice of two questions, and the answer to it."""
    rounds = max(1, (states - 1) // 3)
    steps = ''.join(f'  choice at A {{\n    A -> B: m{2 * i}\n    B -> A: r{2 * i}\n  }} or {{\n    A -> B: m{2 * i + 1}\n'
                    f'    B -> A: r{2 * i + 1}\n  }}\n' for i in range(rounds))
    here = pathlib.Path(folder, str(states))
    here.mkdir()
    (here / 'rounds.treaty').write_text(f'protocol Rounds(A, B) {{\n{steps}}}\n', encoding='utf-8')
    (here / 'echo.py').write_text(ECHO, encoding='utf-8')
    done = subprocess.run([treaty, 'test', 'rounds.treaty', '--cut', 'B', '--run', f'{sys.executable} echo.py', '--via', 'stdio:',
                           '--silence', '20s', '--sessions', '1', '--length', '1000', '--html', 'report.html'], cwd=here,
                          capture_output=True, text=True, timeout=300, check=False, env=golden.environment(treaty))
    expect(done.returncode == 0, f'a report with a machine of {states} states', done.stdout + done.stderr)
    return here / 'report.html'


def check_machine(page, folder, states, drawn):
    """All of it is in the window and can be read, on light and dark screens and on a phone."""
    for look, flags in LOOKS.items():
        got = measure(page, folder, *flags)
        what = f'the machine of {states} states, {look}'
        expect(bool(got['machine']) == drawn, f'{what} is {"drawn" if drawn else "a list"}', got['frames'])
        expect(len(got['frames']) == 1 and got['frames'][0]['height'] > 50, f'{what} is there', got['frames'])
        expect(got['filters'] in ([], ['none']), f'{what} has the colours of the page', got['filters'])
        texts = got['texts']
        expect(len(texts) >= states, f'{what} has all its labels', len(texts))
        outside = [t for t in texts if t['left'] < max(0, t['from'] - 1) or t['right'] > min(got['window'], t['to'] + 1)]
        expect(not outside, f'{what} is inside the window', outside[:3])
        pale = [t for t in texts if t['contrast'] < 4.5]
        expect(not pale, f'{what} has labels with contrast', pale[:3])
        small = [t for t in texts if t['height'] < 8]
        expect(look == 'phone' or not small, f'{what} has labels that can be read', small[:3])


def check(treaty, folder, pictures):
    page = make_report(treaty, folder)
    text = page.read_text(encoding='utf-8')
    expect('treaty replay 1' in text, 'the command to try it again', text[-500:])
    _, errors = browse(page, folder, '--dump-dom')
    expect(not console(errors), 'nothing on the console', console(errors))
    expect(not requests(folder), 'no request but for the file', requests(folder))
    wide = measure(page, folder, '--window-size=1200,900')
    for part in ('badge', 'card', 'chart', 'machine', 'curve', 'sessions', 'source', 'log'):
        expect(wide[part] and all(w > 0 and h > 0 for w, h in wide[part]), f'{part} is there and can be seen', wide)
    expect(len(wide['source']) > 40, 'the whole text of the protocol', len(wide['source']))
    narrow = measure(page, folder, '--window-size=500,800')  # the least that it does
    expect(narrow['width'] <= narrow['window'] + 1, 'nothing sticks out on a phone', narrow)
    dark = measure(page, folder, '--window-size=1200,900', DARK)
    for name, got in (('light', wide), ('dark', dark)):
        expect(not got['pale'], f'labels with contrast, {name}', got['pale'][:3])
    expect(dark['background'] != wide['background'], 'dark is dark', [dark['background'], wide['background']])
    # The check itself: what it looks for would be found.
    broken = pathlib.Path(folder, 'broken.html')
    broken.write_text(text.replace('</body>', '<script>nothing.there()</script></body>'), encoding='utf-8')
    expect(console(browse(broken, folder, '--dump-dom')[1]), 'an error on the console is noticed', '')
    asking = pathlib.Path(folder, 'asking.html')
    asking.write_text(text.replace('</body>', '<img src="http://example.org/x.png"></body>'), encoding='utf-8')
    browse(asking, folder, '--dump-dom')
    expect(requests(folder), 'a request is noticed', '')
    machines = {states: machine_report(treaty, folder, states) for states in DRAWN}
    for states, drawn in DRAWN.items():
        check_machine(machines[states], folder, states, drawn)
        for name, flags in LOOKS.items() if pictures else ():
            browse(machines[states], folder, f'--screenshot={os.path.abspath(pictures)}/machine-{states}-{name}.png', *flags)
    # The check itself: what is outside, and what cannot be distinguished from its background, would be found.
    for broken_style in ('.machine svg { width: 3000px !important; max-width: none !important; }', '.machine text { fill: #888 !important; }'):
        spoilt = pathlib.Path(folder, 'spoilt.html')
        spoilt.write_text(machines[5].read_text(encoding='utf-8').replace('</head>', f'<style>{broken_style}</style></head>'), encoding='utf-8')
        try:
            check_machine(spoilt, folder, 5, True)
        except Failed:
            continue
        raise Failed(f'not noticed: {broken_style}')
    if pictures:
        for name, flags in {'light': ['--window-size=1200,2400'], 'phone': ['--window-size=500,2400'],
                            'dark': ['--window-size=1200,2400', DARK]}.items():
            browse(page, folder, f'--screenshot={os.path.abspath(pictures)}/{name}.png', *flags)
        browse(page, folder, f'--print-to-pdf={os.path.abspath(pictures)}/paper.pdf')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--pictures')
    args = parser.parse_args()
    if not chromium():
        print('html: left out (no chromium)')
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            check(os.path.abspath(args.treaty), folder, args.pictures)
        except Failed as fault:
            print(f'html: {fault}')
            return 1
    print('html: the report opens from disk, without errors and without a network')
    return 0


if __name__ == '__main__':
    sys.exit(main())
