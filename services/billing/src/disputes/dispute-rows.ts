import type { DisputeResource } from '@app/contracts/disputes';
import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import { chargeColumns, chargeTypes } from '../charging/charge-columns.ts';
import type { Charge, Dispute } from '../charging/payment.types.ts';
import type { ProcessorDispute } from '../processors/port.ts';
import { outcomeOfDispute } from './dispute.rules.ts';

/** Whose disputes: of one account at one processor, live or rehearsed. */
export interface DisputeScope {
  readonly accountId: string;
  readonly processor: string;
  readonly test: boolean;
}

/** A charge of an order, or of a renewal of its subscription. */
export interface DisputedCharge extends Charge {
  readonly orderId: string;
  /** Both null for the order's own charges. */
  readonly subscriptionId: string | null;
  readonly period: number | null;
}

const disputedTypes: ColumnsOf<DisputedCharge> = {
  ...chargeTypes,
  orderId: 'text',
  subscriptionId: 'text',
  period: 'int4',
};

const orderStatement = statement<{ order_id: string }>(
  'disputes-find-order',
  `select order_id from payments where account_id = $1 and id = $2
   union all
   select order_id from payments where account_id = $1 and order_id = $3
   limit 1`,
  { order_id: 'text' },
);

type Queryable = Pick<Client, 'query'>;

/** The order of a disputed payment; null where nothing here is of it. */
export async function findOrder(
  db: Queryable,
  accountId: string,
  { paymentId, orderId }: Pick<ProcessorDispute, 'paymentId' | 'orderId'>,
): Promise<string | null> {
  const { rows } = await db.query(orderStatement([accountId, paymentId, orderId]));
  return rows[0]?.order_id ?? null;
}

/** In the order in which statements of refunds lock them. */
const lockStatement = statement<DisputedCharge>(
  'disputes-lock-charges',
  `select ${chargeColumns('c')}, p.order_id as "orderId", p.period,
     case c.step when 'renewal' then (select id from subscriptions where account_id = $1 and order_id = $2 limit 1) end
       as "subscriptionId"
   from charges as c join payments as p on p.id = c.id
   where c.account_id = $1 and c.id = any (array(
     select id from charges where account_id = $1 and order_id = $2 and step <> 'renewal'
     union all
     select id from payments where account_id = $1 and order_id = $2 and step = 'renewal' and status = 'succeeded'))
   order by c.id for no key update of c`,
  disputedTypes,
);

/** All charges of an order and its renewals; they stay locked until the transaction ends. */
export async function lockCharges(client: Client, accountId: string, orderId: string): Promise<DisputedCharge[]> {
  return (await client.query(lockStatement([accountId, orderId]))).rows;
}

const disputeTypes: ColumnsOf<Dispute> = {
  processor: 'text',
  test: 'bool',
  reference: 'text',
  payment_id: 'text',
  order_id: 'text',
  amount_cents: 'int8',
  currency: 'text',
  reason: 'text',
  status: 'text',
  refundable: 'bool',
  evidence_due_by: 'timestamptz',
  opened_at: 'timestamptz',
  closed_at: 'timestamptz',
  lost_cents: 'int8',
  given_back_cents: 'int8',
};
const columns = namesOf(disputeTypes);

const readStatement = statement<Dispute>(
  'disputes-read',
  `select ${columns} from disputes where account_id = $1 and processor = $2 and test = $3 and reference = $4`,
  disputeTypes,
);

export async function readDispute(
  db: Queryable,
  { accountId, processor, test }: DisputeScope,
  reference: string,
): Promise<Dispute | undefined> {
  return (await db.query(readStatement([accountId, processor, test, reference]))).rows[0];
}

const writeStatement = statement(
  'disputes-write',
  `insert into disputes (account_id, ${columns})
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
   on conflict (account_id, processor, test, reference) do update set amount_cents = excluded.amount_cents,
     currency = excluded.currency, reason = excluded.reason, status = excluded.status,
     refundable = excluded.refundable, evidence_due_by = excluded.evidence_due_by, closed_at = excluded.closed_at,
     lost_cents = excluded.lost_cents, given_back_cents = excluded.given_back_cents`,
);

export async function writeDispute(client: Client, { accountId }: DisputeScope, row: Dispute): Promise<void> {
  const names = Object.keys(disputeTypes) as (keyof Dispute)[];
  await client.query(writeStatement([accountId, ...names.map((name) => row[name])]));
}

const openRefundStatement = statement(
  'disputes-open-refund',
  `select from payments where account_id = $1 and order_id = $2 and charge_id = $3 and finished_at is null limit 1`,
);

/** Whether a refund of the charge was sent and has no outcome. */
export async function hasOpenRefund(
  client: Client,
  accountId: string,
  { id, orderId }: DisputedCharge,
): Promise<boolean> {
  return (await client.query(openRefundStatement([accountId, orderId, id]))).rows.length > 0;
}

const lossStatement = statement(
  'disputes-write-loss',
  'update charges set lost_cents = lost_cents + $3 where account_id = $1 and id = $2',
);

/** @param cents below 0: it is taken back */
export async function writeLoss(client: Client, accountId: string, chargeId: string, cents: number): Promise<void> {
  await client.query(lossStatement([accountId, chargeId, cents]));
}

const othersStatement = statement<OtherLost>(
  'disputes-other-lost',
  `select reference, lost_cents from disputes
   where account_id = $1 and order_id = $2 and payment_id = $3 and reference <> $4 and lost_cents > 0
   order by closed_at desc`,
  { reference: 'text', lost_cents: 'int8' },
);

type OtherLost = Pick<Dispute, 'reference' | 'lost_cents'>;

/** Other disputes of the charge that are lost, the last one first. */
export async function readOtherLost(
  client: Client,
  accountId: string,
  { id, orderId }: DisputedCharge,
  reference: string,
): Promise<OtherLost[]> {
  return (await client.query(othersStatement([accountId, orderId, id, reference]))).rows;
}

const ofOrderStatement = statement<Dispute>(
  'disputes-of-order',
  `select ${columns} from disputes where account_id = $1 and order_id = $2 order by opened_at, reference limit $3`,
  disputeTypes,
);

/** Of an order's payments and its renewals', oldest first. */
export async function listOrderDisputes(
  { pool }: Database,
  accountId: string,
  orderId: string,
  max: number,
): Promise<DisputeResource[]> {
  const { rows } = await pool.query(ofOrderStatement([accountId, orderId, max]));
  return rows.map((row) => ({
    id: row.reference,
    payment_id: row.payment_id,
    status: row.status,
    reason: row.reason,
    amount_cents: row.amount_cents,
    currency: row.currency,
    evidence_due_by: row.evidence_due_by?.toISOString() ?? null,
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    outcome: row.closed_at === null ? null : outcomeOfDispute(row.status, row.lost_cents),
  }));
}

const openStatement = statement<Pick<Dispute, 'processor' | 'test' | 'reference'>>(
  'disputes-open',
  `select processor, test, reference from disputes
   where account_id = $1 and (closed_at is null or (lost_cents > 0 and closed_at > $6))
     and (processor, test, reference) > ($2, $3::boolean, $4)
   order by processor, test, reference limit $5`,
  { processor: 'text', test: 'bool', reference: 'text' },
);

const pageRows = 100;

/** Every dispute of an account that may go on, live and rehearsed: what is open, and what was lost since then. */
export async function* openDisputes({ pool }: Database, accountId: string, lostSince: Date) {
  let last = { processor: '', test: false, reference: '' };
  let page: (typeof last)[];
  do {
    const from = [last.processor, last.test, last.reference];
    page = (await pool.query(openStatement([accountId, ...from, pageRows, lostSince]))).rows;
    yield* page;
    last = page.at(-1) ?? last;
  } while (page.length === pageRows);
}
