"""Processes that a check starts and waits for: whatever happens, none is left running."""
import contextlib
import subprocess
import time

LIMIT = 120  # seconds that anything may take on a busy machine


class Failed(Exception):
    pass


@contextlib.contextmanager
def process(*command, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    running = subprocess.Popen([str(c) for c in command], text=True, **options)
    try:
        yield running
    finally:
        if running.poll() is None:
            running.kill()
        running.wait()
        for pipe in (running.stdin, running.stdout, running.stderr):
            if pipe:
                pipe.close()


def until(condition, what):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise Failed(f'{what} did not happen')
