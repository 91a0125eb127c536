import { statement } from '@app/service-kit/database';
import { checkAndAdvance } from '../advancing/advance-order.ts';
import { lookUpDeclined } from '../charging/given-up-attempts.ts';
import { isReopenable } from '../charging/late-success.rules.ts';
import { hasEnded } from '../charging/payment.rules.ts';
import type { Payment } from '../charging/payment.types.ts';
import { decideHold } from '../holds/decide-hold.ts';
import type { EventDeps, EventHandling } from './event-deps.ts';
import type { ProcessorEvent } from './event-rows.ts';

type NamedPayment = Pick<Payment, 'id' | 'accountId' | 'orderId' | 'step' | 'status' | 'declineReason'> & {
  /** It holds money that is not decided on. */
  readonly is_held: boolean;
};

const paymentsStatement = statement<NamedPayment>(
  'processor-events-payments',
  `select id, account_id as "accountId", order_id as "orderId", step, status, decline_reason as "declineReason", exists (
     select from holds as h
     where h.account_id = p.account_id and h.order_id = p.order_id and h.payment_id = p.id and h.status = 'held') as is_held
   from payments as p where account_id = $1 and id = any ($2) and processor = $3 and test = $4`,
  {
    id: 'text',
    accountId: 'text',
    orderId: 'text',
    step: 'text',
    status: 'text',
    declineReason: 'text',
    is_held: 'bool',
  },
);

const paymentsOf = async ({ database }: EventDeps, event: ProcessorEvent): Promise<NamedPayment[]> => {
  const { account_id, payment_ids, processor, test } = event;
  return (await database.pool.query(paymentsStatement([account_id, payment_ids, processor, test]))).rows;
};

const successes = new Set([
  'payment_intent.amount_capturable_updated',
  'payment_intent.succeeded',
  'refund.created',
  'refund.updated',
  'setup_intent.succeeded',
]);

/** Events of a hold that was captured, released or ended. */
const endsHold = new Set(['payment_intent.canceled', 'payment_intent.succeeded']);

/**
 * Payments that the intent names, and that have no end, are looked up now, as they would be later without the event; so is one that
 * was declined here and succeeded there. A hold that the seller captured or canceled there is settled now, as it would be at the end of its
 * window: nothing is left to decide on.
 */
async function handleIntent(deps: EventDeps, event: ProcessorEvent): Promise<'done' | 'later'> {
  if (event.payment_ids.length === 0) return 'done';
  const caller = { accountId: event.account_id, requestId: null };
  let waits = false;
  for (const payment of await paymentsOf(deps, event)) {
    const { id, orderId, step } = payment;
    if (payment.is_held && endsHold.has(event.type)) {
      await decideHold(deps, caller, orderId, 'not_decided', { retryCapture: false });
    }
    if (!hasEnded(payment)) await checkAndAdvance(deps, event.account_id, orderId, id, step);
    else if (successes.has(event.type) && isReopenable(payment))
      waits = (await lookUpDeclined(deps, payment)) === 'later' || waits;
  }
  const after = await paymentsOf(deps, event);
  return !waits && after.every(hasEnded) ? 'done' : 'later';
}

export const paymentIntents: EventHandling = {
  objectKind: 'payment_intent',
  types: [
    'payment_intent.amount_capturable_updated',
    'payment_intent.canceled',
    'payment_intent.payment_failed',
    'payment_intent.succeeded',
  ],
  handle: handleIntent,
};

export const setupIntents: EventHandling = {
  objectKind: 'setup_intent',
  types: ['setup_intent.canceled', 'setup_intent.setup_failed', 'setup_intent.succeeded'],
  handle: handleIntent,
};
