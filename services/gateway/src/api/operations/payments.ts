import type { RequestInput } from '@app/contracts/define';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { getPayment, listPayments, refundPayment } from '@app/contracts/payments';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { type AnyCall, sensitive } from '../sensitive-changes.ts';

const params = z.object({ paymentId: pathId('payment', 'payment_not_found') });

export const paymentOperations = tagged('Payments', [
  forwardOperation(listPayments, {
    id: 'listPayments',
    method: 'GET',
    path: '/api/v1/payments',
    summary: 'List every attempt to move money, newest first',
    description:
      'What was tried for which order, what the processor said to it, and what happens next. The latest 100. With ' +
      '`limit` or `before` it pages back, and says whether more follow.',
    errors: [],
  }),
  forwardOperation(getPayment, {
    id: 'getPayment',
    method: 'GET',
    path: '/api/v1/payments/{paymentId}',
    summary: 'Read one attempt to move money',
    description: 'With what the processor said and what happens next.',
    params,
    errors: ['payment_not_found'],
  }),
  forwardOperation(refundPayment, {
    id: 'refundPayment',
    audit: 'refund',
    method: 'POST',
    path: '/api/v1/payments/{paymentId}/refund',
    summary: 'Refund one payment, whole or in part',
    description:
      'Gives back what a payment took, of an order or of a renewal: the whole rest of it, or `amountCents`, never more ' +
      'than is left. Fires `payment.refunded`. Once every payment of the order itself has gone back, the order is ' +
      'refunded; a part leaves it `paid`, with `refunded_cents`. The subscription of a renewal goes on. Of a payment that ' +
      'went back whole, a request without `amountCents` answers that nothing is left; with it, `already_refunded`.',
    scope: 'money',
    params,
    // It waits up to 8 s for a payment processor without a connection in its hands.
    unlimitedConcurrency: true,
    errors: ['payment_not_found', 'invalid_transition', 'already_refunded', 'refund_failed', 'payment_disputed'],
    isUnderWay: ({ status }) => status === 'processing',
  }),
  forwardOperation(getPaymentProcessor, {
    id: 'getPaymentProcessor',
    method: 'GET',
    path: '/api/v1/payment-processor',
    summary: 'Which processor charges buyers',
    description: 'And of which account there, whether it takes payments, and what it lacks. Secrets are never shown.',
    scope: 'money',
    hasVersion: true,
    errors: [],
  }),
  sensitive(
    forwardOperation(putPaymentProcessor, {
      id: 'putPaymentProcessor',
      audit: 'processor',
      method: 'PUT',
      path: '/api/v1/payment-processor',
      summary: 'Choose the processor',
      description:
        'An account takes live payments only through a processor that it chose. Secrets are stored sealed and never shown ' +
        'again. With `stripe` come the keys of your own Stripe account: `live` for live payments, `test` for rehearsals, ' +
        'which are simulated without them. Stripe is queried whose they are. Keys of another Stripe account are refused while ' +
        'holds, payments without an outcome or renewing subscriptions are open at the one before. Once live payments went ' +
        'through Stripe, `simulated` is refused. `none` takes no new live payments.',
      scope: 'money',
      hasVersion: true,
      errors: ['invalid_transition'],
    }),
    changedProcessor,
  ),
]);

/** A choice without keys of the one that is chosen changes nothing. */
async function changedProcessor({ app, body, context }: AnyCall): Promise<'payment_processor' | null> {
  const { processor, ...keys } = body as RequestInput<typeof putPaymentProcessor>['body'];
  if (Object.keys(keys).length > 0) return 'payment_processor';
  const stored = await app.requester.request(getPaymentProcessor, {}, context);
  return stored.processor === processor ? null : 'payment_processor';
}
