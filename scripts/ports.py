"""Ports for programs that are started, claimed so that nobody takes one before the program listens there.

The kernel gives ports of its own range to programs that connect: one of them that is free now may be gone a moment later. So
these are outside of it, and other tests see the claim, a name that the kernel keeps until this process ends: the same one as
in src/net/port.cpp.
"""
import random
import socket

_claims = []  # open until the process ends


def _beside():
    try:
        with open('/proc/sys/net/ipv4/ip_local_port_range', encoding='ascii') as file:
            first, last = map(int, file.read().split())
    except (OSError, ValueError):
        first, last = 32768, 60999
    if first >= 10500:
        return 10000, first - 1
    return (max(10000, last + 1), 65535) if last <= 65035 else (max(10000, first), 65535)


def _is_free(port, kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        try:
            probe.bind(('', port))
            return True
        except OSError:
            return False


def _claim(port):
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f'\0treaty-port-{port}')
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def free_port():
    """A port that is this process's to give away, for as long as it runs."""
    first, last = _beside()
    for _ in range(1000):
        port = random.randint(first, last)
        if _claim(port) and _is_free(port, socket.SOCK_STREAM) and _is_free(port, socket.SOCK_DGRAM):
            return port
    raise OSError('no port is free')
