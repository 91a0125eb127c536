import { statement } from '@app/service-kit/database';
import { checkAndAdvance } from '../advancing/advance-order.ts';
import type { EventDeps, EventHandling } from './event-deps.ts';
import type { ProcessorEvent } from './event-rows.ts';

interface NamedPayment {
  readonly id: string;
  readonly order_id: string;
  readonly step: string;
  readonly has_ended: boolean;
}

const paymentsStatement = statement<NamedPayment>(
  'processor-events-payments',
  `select id, order_id, step, status in ('succeeded', 'declined') as has_ended from payments
   where account_id = $1 and id = any ($2) and processor = $3 and test = $4`,
  { has_ended: 'bool', id: 'text', order_id: 'text', step: 'text' },
);

const paymentsOf = async ({ database }: EventDeps, event: ProcessorEvent): Promise<NamedPayment[]> => {
  const { account_id, payment_ids, processor, test } = event;
  return (await database.pool.query(paymentsStatement([account_id, payment_ids, processor, test]))).rows;
};

/** Payments that the intent names, and that have no end, are looked up now, as they would be later without the event. */
async function handleIntent(deps: EventDeps, event: ProcessorEvent): Promise<'done' | 'later'> {
  if (event.payment_ids.length === 0) return 'done';
  for (const { id, order_id, step, has_ended } of await paymentsOf(deps, event)) {
    if (!has_ended) await checkAndAdvance(deps, event.account_id, order_id, id, step);
  }
  const after = await paymentsOf(deps, event);
  return after.every(({ has_ended }) => has_ended) ? 'done' : 'later';
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
