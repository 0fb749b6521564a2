#!/usr/bin/env python3
"""A file server with two connections, as ftp.treaty describes it."""
import socket

import serving

options = serving.options(__doc__, 'control', data='the port of the data connection')
FILES = {'motd': 'welcome'}
listener = socket.create_server(('127.0.0.1', options.data))


def talk(stream):
    def reply(text):
        serving.send(stream, text + '\r\n')

    reply('220 ready')
    for line in stream:
        word, *rest = line.decode().split()
        if word == 'PASV':
            high, low = divmod(options.data, 256)
            reply(f'227 Entering Passive Mode (127,0,0,1,{high},{low})')
            connection, _ = listener.accept()
            data = connection.makefile('wb')
        elif word == 'RETR' and rest[0] in FILES:
            reply('150 here it comes')
            serving.send(stream if options.bug == 'control' else data, FILES[rest[0]] + '\r\n')
            reply('226 done')
        elif word == 'RETR':
            reply('550 no such file')
        else:
            reply('221 bye')
            return


serving.serve(options.port, talk)
