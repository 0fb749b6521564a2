"""The payment service: charges customers, up to a limit."""
import datetime
import itertools

from service import Problem, Service, options, serve

LIMIT = 5000  # in cents
numbers = itertools.count(1)
bug = ''
token = ''


class Payment(Service):
    ROUTES = [('POST', r'/payments', 'charge')]

    def charge(self, payload):
        if self.headers.get('Authorization') != f'Bearer {token}':
            raise Problem(401, 'who are you?')
        amount = payload['amount_cents']
        if amount > LIMIT:
            raise Problem(402, f'more than {LIMIT} cents')
        return 201, {'payment_id': f'p-{next(numbers)}', 'reference': payload['reference'],
                     'amount_cents': str(amount) if bug == 'text' else amount, 'status': 'captured',
                     'created_at': datetime.datetime.now(datetime.timezone.utc).isoformat()}


if __name__ == '__main__':
    parser = options(__doc__)
    parser.add_argument('--token', default='shop-secret')
    args = parser.parse_args()
    bug, token = args.bug, args.token
    serve(Payment, args.port)
