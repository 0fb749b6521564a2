"""`treaty proxy`, between the services of a check."""
import subprocess

import golden
from running import Failed, process, until


def start_proxy(stack, treaty, folder, links, *arguments):
    """A proxy that runs until `stack` is left and records into folder/traffic.jsonl, and the addresses at which it listens, one per
    link. A link is a client, a server and the port of the server."""
    addresses = folder / 'addresses'
    options = []
    for client, server, port in links:
        options += ['--listen', '127.0.0.1:0', '--to', f'127.0.0.1:{port}', '--between', f'{client},{server}']
    running = stack.enter_context(process(treaty, 'proxy', *options, '-o', folder / 'traffic.jsonl', '--addresses', addresses,
                                          '--json', *arguments, env=golden.environment(treaty), stdout=subprocess.PIPE,
                                          stderr=subprocess.DEVNULL))
    until(lambda: addresses.exists() or running.poll() is not None, 'the start of the proxy')
    if running.poll() is not None:
        raise Failed(f'the proxy did not start: {running.stdout.read()}')
    return running, [line.split(' -> ')[0] for line in addresses.read_text(encoding='utf-8').splitlines()]
