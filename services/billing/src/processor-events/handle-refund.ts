import { statement } from '@app/service-kit/database';
import { factOf, namesPayment } from '../ledger/facts.rules.ts';
import { writeFacts } from '../ledger/write-facts.ts';
import type { ProcessorRecord } from '../processors/port.ts';
import { recordFoundRefund } from '../reconciliation/unmatched-payments/record-found-refund.ts';
import { type FailedRefund, reopenCharges } from '../refunds/reopen-charges.ts';
import type { EventDeps, EventHandling } from './event-deps.ts';
import type { ProcessorEvent } from './event-rows.ts';
import { paymentIntents } from './handle-intent.ts';

/** Reads the refund and records what is new of it: ours is looked up, one of the seller's is recorded, a failed one reopens its charge. */
async function handleRefund(deps: EventDeps, event: ProcessorEvent): Promise<'done' | 'later'> {
  const { account_id: accountId, processor, test, object_id } = event;
  const { processor: _, ...keys } = await deps.processors.named(processor, accountId, test);
  const call = { accountId, ...keys, test, isBackground: true };
  const record = await deps.processorCalls.make((signal, untimed) =>
    deps.stripe.readRefund(object_id, { ...call, signal, untimed }),
  );
  if (record === undefined) return 'done';
  await keep(deps, event, record);
  if (event.payment_ids.length > 0 && (await paymentIntents.handle(deps, event)) === 'later') return 'later';
  if (record.status === 'failed') return await reopen(deps, event, record);
  if (namesPayment(record)) return 'done';
  return (await recordFoundRefund(deps, { accountId, processor }, record)) === 'later' ? 'later' : 'done';
}

/** Before anything is done about it, which may have to wait. */
async function keep({ database, clock }: EventDeps, event: ProcessorEvent, record: ProcessorRecord): Promise<void> {
  const { account_id: accountId, processor, test } = event;
  const fact = factOf(record);
  const seen = { by: 'webhook', at: clock.now() } as const;
  if (fact !== undefined) await writeFacts(database, { accountId, processor, test }, [fact], seen);
}

const takenStatement = statement<Omit<FailedRefund, 'message'>>(
  'processor-events-taken-refund',
  `select id, account_id as "accountId", order_id as "orderId", amount_cents as "amountCents", currency, test from payments
   where account_id = $1 and order_id = $2 and step in ('refund', 'reversal') and status = 'succeeded' and processor_reference = $3`,
  { accountId: 'text', amountCents: 'int8', currency: 'text', id: 'text', orderId: 'text', test: 'bool' },
);

async function reopen(deps: EventDeps, { account_id }: ProcessorEvent, record: ProcessorRecord): Promise<'done'> {
  const values = [account_id, record.orderId, record.reference];
  const [taken] = (await deps.database.pool.query(takenStatement(values))).rows;
  if (taken !== undefined) await reopenCharges(deps, { ...taken, message: record.message });
  return 'done';
}

export const refunds: EventHandling = {
  objectKind: 'refund',
  types: ['refund.created', 'refund.failed', 'refund.updated'],
  handle: handleRefund,
};
