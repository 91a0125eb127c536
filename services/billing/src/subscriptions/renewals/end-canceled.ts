import { subscriptionCanceled } from '@app/contracts/subscriptions';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { renewalUnderWay } from '../../charging/wanted-renewal.ts';
import type { DailyStep } from '../../runs/daily-step.ts';
import type { ActBy } from '../subscription-change.rules.ts';
import { canceledData, type SubscriptionIdentity } from '../subscription-event.rules.ts';
import { identityTypes } from '../subscription-rows.ts';
import type { DueScope } from './due-subscriptions.ts';

/** Canceled for the end of their period, which is over. A renewal without an outcome may still pay the next one. */
const isOver = `account_id = $1 and test = $2 and next_charge_at <= $3 and cancel_requested_by is not null
  and order_id not in (
    select p.order_id from payments as p where p.account_id = $1 and p.next_check_at is not null and p.step = 'renewal')`;

const pageMax = 256;

const overTypes: ColumnsOf<OverRow> = { ...identityTypes, cancel_requested_by: 'text' };

/**
 * The lock orders this and an action: what was kept, ended or claimed meanwhile is left out. In the order of their orders, as claims of
 * renewals lock them, so that neither waits for the other in a circle.
 */
const lockStatement = statement<OverRow>(
  'subscriptions-over-lock',
  `select ${namesOf(overTypes)}
   from subscriptions where ${isOver} and id = any ($4) order by order_id for no key update`,
  overTypes,
);

/** A statement of its own, after the lock: it sees a renewal that was claimed while the lock was waited for. */
const endStatement = statement<{ id: string }>(
  'subscriptions-over-end',
  `update subscriptions as s set status = 'canceled', canceled_at = $2, next_charge_at = null, free_attempt = false,
     cancel_requested_by = null
   from unnest($3::text[], $4::text[]) as o(id, order_id)
   where s.id = o.id and s.account_id = $1 and not ${renewalUnderWay('$1', 'o.order_id')}
   returning s.id`,
  { id: 'text' },
);

interface OverRow extends SubscriptionIdentity {
  readonly cancel_requested_by: ActBy;
}

/**
 * The step that ends what was canceled for the end of its period. It follows the charges, whose look-ups and comparisons may
 * find that a period was paid: then the end moves with it. No result counts these ends, because the seller's act or the
 * buyer's is not the run's.
 */
export function endCanceled(deps: PaymentDeps): DailyStep {
  return async (_, run) => {
    const scope = { accountId: run.accountId, test: run.test, now: run.now() };
    let page: readonly Over[];
    let after = '';
    do {
      page = await readOver(deps.database, scope, after, pageMax);
      const last = page.at(-1);
      if (last === undefined) return;
      const ids = page.map(({ id }) => id);
      await deps.database.transaction((client) => endAll(client, scope, ids, deps.clock.nowMs()));
      deps.wakeRelay();
      after = last.id;
    } while (page.length === pageMax && !run.isClosing());
  };
}

async function endAll(client: Client, scope: DueScope, ids: readonly string[], nowMs: number): Promise<void> {
  const { accountId, test, now: canceled_at } = scope;
  const { rows } = await client.query(lockStatement([accountId, test, canceled_at, ids]));
  const locked = [rows.map(({ id }) => id), rows.map(({ order_id }) => order_id)];
  const ended = await client.query(endStatement([accountId, canceled_at, ...locked]));
  const isEnded = new Set(ended.rows.map(({ id }) => id));
  const events = rows
    .filter(({ id }) => isEnded.has(id))
    .map((row) => {
      const data = canceledData({ ...row, canceled_at, status_before: 'active' }, row.cancel_requested_by);
      return outboxRow(subscriptionCanceled, data, { accountId, requestId: null, nowMs });
    });
  await client.query(insertOutboxSql, [JSON.stringify(events)]);
}

const sumStatement = statement<{ count: number }>(
  'subscriptions-over-sum',
  `select count(*)::int as count from subscriptions where ${isOver}`,
  { count: 'int4' },
);

/** How many would end now. */
export async function countOver({ pool }: Pick<Database, 'pool'>, { accountId, test, now }: DueScope): Promise<number> {
  const { rows } = await pool.query(sumStatement([accountId, test, now]));
  return rows[0]?.count ?? 0;
}

const readStatement = statement<Over>(
  'subscriptions-over',
  `select id, customer_email, product_name, currency, current_period_end
   from subscriptions where ${isOver} and id > $4 order by id limit $5`,
  { id: 'text', customer_email: 'text', product_name: 'text', currency: 'text', current_period_end: 'timestamptz' },
);

/** One that would end now. */
interface Over {
  readonly id: string;
  readonly customer_email: string;
  readonly product_name: string;
  readonly currency: string;
  readonly current_period_end: Date;
}

/** What would end now, in the order of ids. */
export async function readOver(
  { pool }: Pick<Database, 'pool'>,
  { accountId, test, now }: DueScope,
  after: string,
  limit: number,
): Promise<Over[]> {
  return (await pool.query(readStatement([accountId, test, now, after, limit]))).rows;
}
