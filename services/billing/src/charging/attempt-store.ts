import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { together } from '@app/service-kit/together';
import type { KnownProcessors } from '../processors/processor-registry.ts';
import { columnsFrom, insertPayments, sentAheadMs } from './insert-payments.ts';
import { otherPayment } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import { paymentColumns, paymentOf, sentTypes } from './payment-store.ts';

/** Writes the row of an attempt to pay: resolves with `written`, or with the order's attempts that were made before, in their order. */
export type AttemptWriter = Pick<Batcher<AttemptToWrite, 'written' | readonly Payment[]>, 'add' | 'close'>;

/** `was_lost`: it is not the next attempt, but an earlier one that a restored database lacks. */
type AttemptToWrite = Payment & { readonly was_lost?: boolean };

const incomingTypes = { ...sentTypes, was_lost: 'bool' };
const incomingValues = {
  ...columnsFrom('i', ...(Object.keys(sentTypes) as (keyof typeof sentTypes)[])),
  sent_ahead_ms: sentAheadMs('$2'),
};

/**
 * What keeps an attempt from being made: a guard that repeats `decideStart`, because another replica may write an attempt until this
 * statement runs. One that a restored database lacks may come after later ones that were declined.
 */
const stops = `p.status <> 'declined' or p.decline_reason = '${otherPayment}' or (p.attempt_no >= i.attempt_no and i.was_lost is not true)`;

const ofItsOrder = `p.account_id = i.account_id and p.order_id = i.order_id and p.step = 'main'`;

/**
 * Writes each attempt that may be made, and returns for each other one the attempts before it. The indexes keep out a second one
 * that is written at the same time, by this statement or by another replica: it waits for that one, and writes nothing.
 * Subqueries look up order by order; for a join the planner may choose to read the whole table. All replicas write orders
 * in one order, so that none waits for another that waits for it. $2 the system's time here
 */
const startStatement = statement<StartedRow>(
  'payments-start',
  `with incoming as materialized (
     select ${namesOf(incomingTypes)} from json_to_recordset($1::json) as i(${recordOf(incomingTypes)})
   ), written as (
     ${insertPayments(
       incomingValues,
       `from incoming as i
     where (select true from payments as p where ${ofItsOrder} and (${stops}) limit 1) is null
     order by account_id, order_id, attempt_no`,
     )}
     returning id, account_id
   )
   select i.id, (
     select json_agg(t order by t.attempt_no) from (select ${paymentColumns} from payments as p where ${ofItsOrder}) as t
   ) as tried, null as account, null::integer as version
   from incoming as i where i.id <> all (array(select id from written))
   union all
   select null, null, account_id, processor_version(account_id) from (select distinct account_id from written) as of`,
  { account: 'text', id: 'text', tried: 'json', version: 'int4' },
);

/** An attempt that may not be made, or an account whose attempts were written, with the version of its processor's settings. */
type StartedRow =
  | { readonly id: string; readonly tried: Payment[] | null; readonly account: null; readonly version: null }
  | { readonly id: null; readonly tried: null; readonly account: string; readonly version: number | null };

/**
 * @param processors what is written goes to the account at the processor whose keys are stored then: another one can be stored only
 * while no payment is open, and a payment is open once it is written
 */
export function createAttemptWriter(database: Database, processors: Pick<KnownProcessors, 'follow'>): AttemptWriter {
  return createBatcher<AttemptToWrite, 'written' | readonly Payment[]>({
    span: { service: 'billing', one: 'write payment', many: 'write payments', count: 'app.payments' },
    concurrency: 2,
    keysOf: ({ account_id, order_id }) => [`${account_id}/${order_id}`],
    run: together(async (payments) => {
      const { rows } = await database.pool.query(startStatement([JSON.stringify(payments), new Date(Date.now())]));
      for (const { account, version } of rows) {
        if (account !== null && version !== null) await processors.follow(account, version);
      }
      const stopped = new Map(rows.map(({ id, tried }) => [id, (tried ?? []).map(paymentOf)]));
      return payments.map(({ id }) => stopped.get(id) ?? 'written');
    }),
  });
}
