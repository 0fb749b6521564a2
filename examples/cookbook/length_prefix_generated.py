"""The server of length_prefix.treaty, made of generated code.

    treaty generate length_prefix.treaty --language python --codec -o gen
    PYTHONPATH=gen python3 length_prefix_generated.py PORT
"""
import socket
import sys

import length_prefix_codec as codec
import length_prefix_server as server
import treaty_runtime as rt
from treaty_streams import Streams


def serve(link: rt.Link) -> None:
    got = server.start(link).receive()
    while not isinstance(got, rt.Ended):
        got = got.next.send_echo(rt.upper(got.message.text)).receive()


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    connection, _ = listener.accept()
    try:
        serve(Streams(codec, {"client": connection}))
    except rt.Error as error:
        print(error, file=sys.stderr)
