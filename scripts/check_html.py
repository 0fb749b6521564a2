#!/usr/bin/env python3
"""Opens the HTML report of a failing campaign from disk in headless Chromium.

    scripts/check_html.py --treaty build/dev/treaty [--pictures FOLDER]

No error on the console, no request that leaves the file, and everything that belongs into the report is there and has a
size: verdict, chart, machine, curve, text of the protocol, the component's last words, the command to try it again. At
the width of a phone nothing sticks out. --pictures keeps what it looks like: light, dark, phone and paper.
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
    width: document.documentElement.scrollWidth, window: innerWidth,
    background: getComputedStyle(document.body).backgroundColor};
  const out = document.createElement("pre"); out.id = "probe"; out.textContent = JSON.stringify(found);
  document.body.append(out);
});
</script>'''


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
    for _ in range(3):  # it is a large program, and not always well on a small machine
        shutil.rmtree(f'{folder}/profile', ignore_errors=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode == 0:
                return done.stdout, done.stderr
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


def check(treaty, folder, pictures):
    page = make_report(treaty, folder)
    text = page.read_text(encoding='utf-8')
    expect('treaty replay 1' in text, 'the command to try it again', text[-500:])
    _, errors = browse(page, folder, '--dump-dom')
    expect(not console(errors), 'nothing on the console', console(errors))
    expect(not requests(folder), 'no request but for the file', requests(folder))
    wide = measure(page, folder, '--window-size=1200,900')
    for part in ('badge', 'card', 'chart', 'machine', 'curve', 'source', 'log'):
        expect(wide[part] and all(w > 0 and h > 0 for w, h in wide[part]), f'{part} is there and can be seen', wide)
    expect(len(wide['source']) > 40, 'the whole text of the protocol', len(wide['source']))
    narrow = measure(page, folder, '--window-size=500,800')  # the least that it does
    expect(narrow['width'] <= narrow['window'] + 1, 'nothing sticks out on a phone', narrow)
    dark = measure(page, folder, '--window-size=1200,900', '--blink-settings=preferredColorScheme=0')
    expect(dark['background'] != wide['background'], 'dark is dark', [dark['background'], wide['background']])
    # The check itself: what it looks for would be found.
    broken = pathlib.Path(folder, 'broken.html')
    broken.write_text(text.replace('</body>', '<script>nothing.there()</script></body>'), encoding='utf-8')
    expect(console(browse(broken, folder, '--dump-dom')[1]), 'an error on the console is noticed', '')
    asking = pathlib.Path(folder, 'asking.html')
    asking.write_text(text.replace('</body>', '<img src="http://example.org/x.png"></body>'), encoding='utf-8')
    browse(asking, folder, '--dump-dom')
    expect(requests(folder), 'a request is noticed', '')
    if pictures:
        for name, flags in {'light': ['--window-size=1200,2400'], 'phone': ['--window-size=500,2400'],
                            'dark': ['--window-size=1200,2400', '--blink-settings=preferredColorScheme=0']}.items():
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
