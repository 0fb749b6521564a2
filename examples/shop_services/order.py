"""The order service: reserves what a customer orders, charges for it, and gives it back if the charge is declined."""
import itertools
import threading
import urllib.parse

from service import Problem, Service, call, options, serve

lock = threading.Lock()
orders = {}
numbers = itertools.count(1)
args = None


class Orders(Service):
    ROUTES = [('POST', r'/orders', 'place'), ('GET', r'/orders/([^/]+)', 'show')]

    def place(self, payload):
        if len(payload['lines']) != 1:
            raise Problem(422, 'an order has one line')
        line, customer = payload['lines'][0], payload['customer']
        headers = {'X-Request-Id': self.headers.get('X-Request-Id', '')}
        sku = urllib.parse.quote(line['sku'], safe='')
        status, reply = call('POST', f'{args.stock}/items/{sku}/reservations', {'quantity': line['quantity']}, headers)
        if status != 201:
            raise Problem(409, 'out of stock', available=reply['available'])
        reservation = reply['reservation']['id']
        total = line['quantity'] * reply['unit_price_cents']
        if args.bug == 'total' and line['quantity'] > 5:
            total -= reply['unit_price_cents']
        with lock:
            number = f'o-{next(numbers)}'
        status, reply = call('POST', f'{args.payment}/payments',
                             {'customer': customer, 'amount_cents': total, 'reference': number},
                             headers | {'Authorization': f'Bearer {args.token}'})
        if status != 201:
            if args.bug != 'leak':
                call('DELETE', f'{args.stock}/reservations/{reservation}', headers=headers)
            raise Problem(402, reply['error'])
        order = {'order_id': number, 'state': 'confirmed', 'total_cents': total, 'payment_id': reply['payment_id'],
                 'note': payload.get('note')}
        with lock:
            orders[number] = order
        return 201, order

    def show(self, number, payload):
        if number not in orders:
            raise Problem(404, 'no such order')
        return 200, orders[number]


if __name__ == '__main__':
    parser = options(__doc__)
    parser.add_argument('--stock', required=True, help='where the stock service is: http://HOST:PORT')
    parser.add_argument('--payment', required=True)
    parser.add_argument('--token', default='shop-secret')
    args = parser.parse_args()
    serve(Orders, args.port)
