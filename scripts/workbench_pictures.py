#!/usr/bin/env python3
"""Takes the pictures of docs/workbench.md in Chromium.

    scripts/workbench_pictures.py --treaty build/release/treaty [--output docs/images]

Needs npm and Chromium. What is shown is in web/test/pictures.mjs.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import build_page
import golden
from check_html import chromium


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--output', type=pathlib.Path, default=golden.ROOT / 'docs/images')
    given = parser.parse_args()
    treaty = str(pathlib.Path(given.treaty).resolve())
    fault = build_page.build()
    if fault:
        print(f'workbench_pictures: {fault}')
        return 1
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, **golden.environment(treaty), 'TREATY': treaty, 'PAGE': str(build_page.WEB / 'out'), 'CHROMIUM': chromium(),
                       'FOLDER': f'{folder}/project', 'ROOT': str(golden.ROOT), 'PYTHON': 'python3', 'PICTURES': str(given.output.resolve())}
        return subprocess.run(['node', 'test/pictures.mjs'], cwd=build_page.WEB, env=environment, check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
