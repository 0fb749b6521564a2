"""The stock service: reserves items and takes reservations back."""
import itertools
import threading
import urllib.parse

from service import Problem, Service, options, serve

PRICES = {'apple': 30, 'pear': 45, 'plum': 1200}  # in cents
lock = threading.Lock()
shelves = {sku: 12 for sku in PRICES}
reservations = {}
numbers = itertools.count(1)
bug = ''


class Stock(Service):
    ROUTES = [
        ('POST', r'/items/([^/]+)/reservations', 'reserve'),
        ('DELETE', r'/reservations/([^/]+)', 'release'),
        ('GET', r'/items/([^/]+)', 'show'),
    ]

    def reserve(self, sku, payload):
        sku, quantity = urllib.parse.unquote(sku), payload['quantity']
        if sku not in PRICES:
            raise Problem(404, 'no such item')
        with lock:
            left = shelves[sku]
            too_few = left <= quantity if bug == 'last' else left < quantity
            if too_few:
                raise Problem(409, 'out of stock', available=left)
            shelves[sku] -= quantity
            number = f'r-{next(numbers)}'
            reservations[number] = (sku, quantity)
            return 201, {'reservation': {'id': number, 'sku': sku}, 'unit_price_cents': PRICES[sku],
                         'available': shelves[sku]}

    def release(self, number, payload):
        with lock:
            if number not in reservations:
                raise Problem(404, 'no such reservation')
            sku, quantity = reservations.pop(number)
            shelves[sku] += 1 if bug == 'release' else quantity
            return 200, {'sku': sku, 'available': shelves[sku]}

    def show(self, sku, payload):
        if sku not in PRICES:
            raise Problem(404, 'no such item')
        return 200, {'sku': sku, 'available': shelves[sku], 'unit_price_cents': PRICES[sku]}


if __name__ == '__main__':
    args = options(__doc__).parse_args()
    bug = args.bug
    serve(Stock, args.port)
