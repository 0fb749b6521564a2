#!/usr/bin/env python3
"""Books trips, as saga.treaty describes them."""
import json
import socket

import serving

options = serving.options(__doc__, 'keeps', flights='the port of the flights', hotels='the port of the hotels')


def connect(port):
    return socket.create_connection(('127.0.0.1', port)).makefile('rwb')


def call(service, name, **values):
    serving.send(service, json.dumps({'message': name, **values}) + '\n')
    return json.loads(service.readline())


flights, hotels = connect(options.flights), connect(options.hotels)


def book(days):
    flight = call(flights, 'book', days=days)
    if flight['message'] == 'full':
        return {'message': 'no_flight'}
    hotel = call(hotels, 'book', days=days)
    if hotel['message'] == 'full':
        if options.bug != 'keeps':
            call(flights, 'give_back', id=flight['id'])
        return {'message': 'no_hotel'}
    return {'message': 'confirmed', 'flight': flight['id'], 'hotel': hotel['id']}


def talk(stream):
    for line in stream:
        serving.send(stream, json.dumps(book(json.loads(line)['days'])) + '\n')


serving.serve(options.port, talk)
