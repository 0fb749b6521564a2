#!/usr/bin/env python3
"""Takes the pictures of docs/editors.md: Neovim in a terminal, and the preview of the extension in Chromium.

    scripts/editor_pictures.py --treaty build/release/treaty [--output docs/images]

Needs the packages of the group [pictures] and npm. Neovim runs in a terminal of its own, which python3-pyte plays; its screen
becomes an SVG. The page of the preview is the one of the extension.
"""
import argparse
import fcntl
import html
import json
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pyte

from check_html import browse
from check_vscode import install, page, picture

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, ROWS = 110, 24
CELL, LINE = 8.4, 18
# Of the sixteen colours that a terminal has by name.
COLOURS = {'default': '#d0d7de', 'black': '#0d1117', 'red': '#ff7b72', 'green': '#7ee787', 'brown': '#d29922', 'blue': '#79c0ff',
           'magenta': '#d2a8ff', 'cyan': '#76e3ea', 'white': '#f0f6fc', 'brightblack': '#6e7681', 'brightred': '#ffa198',
           'brightgreen': '#56d364', 'brightbrown': '#e3b341', 'brightblue': '#a5d6ff', 'brightmagenta': '#d2a8ff',
           'brightcyan': '#b3f0ff', 'brightwhite': '#ffffff'}
BROKEN = '''message pay(amount: int)
message refund(amount: int)

protocol Shop(buyer, seller, bank) {
  buyer -> seller: order
  choice at seller {
    seller -> buyer: pay(let price) where price > 0
    buyer -> bank: transfer
    bank -> selller: paid
  } or {
    seller -> buyer: no
  }
  bank -> buyer: refund(price)
}
'''


class Terminal:
    """A program on a screen of its own."""

    def __init__(self, command, environment, folder):
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLUMNS, 0, 0))

    def until(self, text, seconds=60):
        """Reads what the program draws until the text is on the screen and nothing more comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.5)[0]:
                self.stream.feed(os.read(self.master, 65536))
            elif any(text in line for line in self.screen.display):
                return
        raise SystemExit('not on the screen: ' + text + '\n' + '\n'.join(self.screen.display))

    def type(self, keys):
        os.write(self.master, keys.encode())

    def svg(self):
        width, height = COLUMNS * CELL + 20, ROWS * LINE + 20
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">',
               '<title>Neovim with a .treaty file</title>',
               f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#0d1117"/>',
               '<g font-family="DejaVu Sans Mono, monospace" font-size="14">']
        for row in range(ROWS):
            runs, line = [], self.screen.buffer[row]
            for column in range(COLUMNS):
                cell = line[column]
                look = (self.colour(cell.bg if cell.reverse else cell.fg), cell.bold, cell.underscore)
                if runs and runs[-1][0] == look:
                    runs[-1][2] += cell.data
                else:
                    runs.append([look, column, cell.data])
            for (colour, bold, underlined), column, text in runs:
                if text.strip():
                    # Blanks at the ends are not drawn, and those between words would be drawn as one.
                    column += len(text) - len(text.lstrip())
                    text = text.strip().replace(' ', '\u00a0')
                    extra = (' font-weight="bold"' if bold else '') + (' text-decoration="underline"' if underlined else '')
                    out.append(f'<text x="{10 + column * CELL:g}" y="{24 + row * LINE}" textLength="{len(text) * CELL:g}" '
                               f'fill="{colour}"{extra}>{html.escape(text)}</text>')
        return '\n'.join(out + ['</g>', '</svg>', ''])

    @staticmethod
    def colour(name):
        return COLOURS.get(name, '#' + name if len(name) == 6 else COLOURS['default'])


def neovim(treaty, folder):
    path = folder / 'shop.treaty'
    path.write_text(BROKEN)
    environment = {**os.environ, 'TERM': 'xterm-256color', 'XDG_STATE_HOME': str(folder), 'XDG_DATA_HOME': str(folder), 'XDG_CONFIG_HOME': str(folder)}
    setup = f"lua require('treaty').setup({{ cmd = {{ '{treaty}', 'lsp', '--pause', '20ms' }} }})"
    terminal = Terminal(['nvim', '--clean', '--cmd', f'set rtp+={ROOT}/editors/nvim', '-c', setup, '-c', 'syntax on', '-c', 'set number noswapfile',
                         '-c', 'edit shop.treaty'],
                        environment, folder)
    terminal.until('did you mean')
    made = terminal.svg()
    terminal.type(':quitall!\r')
    os.waitpid(terminal.child, 0)
    return made


SHOWING = '''<script nonce="test">
window.host = { postMessage: () => {} };
window.addEventListener('load', () => {
  window.postMessage(GIVEN, '*');
  setTimeout(() => window.postMessage({ type: 'mark', line: 5 }, '*'), 50);
});
</script>'''


def preview(treaty, folder, output):
    file = folder / 'page.html'
    file.write_text(page(SHOWING.replace('GIVEN', json.dumps(picture(treaty, folder)).replace('</', '<\\/'))))
    browse(file, folder, f'--screenshot={output}', '--window-size=640,560', '--hide-scrollbars')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--output', default=str(ROOT / 'docs/images'))
    arguments = parser.parse_args()
    treaty, output = str(pathlib.Path(arguments.treaty).resolve()), pathlib.Path(arguments.output).resolve()
    with tempfile.TemporaryDirectory() as name:
        (output / 'editor_neovim.svg').write_text(neovim(treaty, pathlib.Path(name).resolve()))
    code, message = install()
    if code != 0:
        sys.exit(message)
    with tempfile.TemporaryDirectory() as name:
        preview(treaty, pathlib.Path(name).resolve(), output / 'editor_preview.png')


if __name__ == '__main__':
    main()
