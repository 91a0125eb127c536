import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import * as contract from '@app/contracts/fees';
import { overviewDaysMax } from '@app/contracts/overview';
import { invalidField } from '@app/contracts/validation';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { FeeRow } from './record-fees.ts';

const ofOrders = statement<FeeRow & { readonly order_id: string }>(
  'fees-of-orders',
  `select c.order_id, f.charge_id, f.kind, f.amount_cents, f.currency, f.incurred_at, f.account_id, f.reference
   from charges as c join fees as f on f.account_id = c.account_id and f.charge_id = c.id
   where c.account_id = $1 and c.order_id = any ($2) and c.step <> 'renewal'
   order by array_position($2, c.order_id), f.kind, f.incurred_at, f.charge_id, f.reference, f.currency`,
  {
    order_id: 'text',
    charge_id: 'text',
    kind: 'text',
    amount_cents: 'int8',
    currency: 'text',
    incurred_at: 'timestamptz',
    account_id: 'text',
    reference: 'text',
  },
);

/** Fees of the orders' own payments, in the order of `orderIds`. */
export async function listOrderFees(
  { pool }: Database,
  accountId: string,
  orderIds: readonly string[],
): Promise<(contract.Fee & { order_id: string })[]> {
  if (orderIds.length === 0) return [];
  const { rows } = await pool.query(ofOrders([accountId, orderIds]));
  return rows.map(({ order_id, charge_id, kind, amount_cents, currency, incurred_at }) => ({
    order_id,
    kind,
    payment_id: charge_id,
    amount_cents,
    currency,
    incurred_at: incurred_at.toISOString(),
  }));
}

const sums = statement<contract.FeeSum>(
  'fees-sum',
  `select c.currency, f.currency as fee_currency,
     coalesce(sum(f.amount_cents) filter (where f.kind = 'charge'), 0)::bigint as charges_cents,
     coalesce(sum(f.amount_cents) filter (where f.kind = 'dispute'), 0)::bigint as disputes_cents
   from fees as f join charges as c on c.account_id = f.account_id and c.id = f.charge_id
   where f.account_id = $1 and f.incurred_at >= $2 and f.incurred_at < $3
   group by c.currency, f.currency order by c.currency, f.currency`,
  { currency: 'text', fee_currency: 'text', charges_cents: 'int8', disputes_cents: 'int8' },
);

const daysUnlessGiven = 30;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** @throws DomainError validation_failed for a span that ends before it begins, or is too long */
async function sumFees(
  { database, clock }: Deps,
  accountId: string,
  { from, to = dayOf(clock.nowMs()) }: RequestInput<typeof contract.getFees>,
): Promise<RequestOutput<typeof contract.getFees>> {
  const endMs = Date.parse(to) + dayMs;
  const startMs = from === undefined ? endMs - daysUnlessGiven * dayMs : Date.parse(from);
  if (endMs <= startMs) throw invalidField('from', 'must not be after `to`', 'too_big');
  if (endMs - startMs > overviewDaysMax * dayMs)
    throw invalidField('from', `must be at most ${overviewDaysMax - 1} days before \`to\``, 'too_small');
  const { rows } = await database.pool.query(sums([accountId, new Date(startMs), new Date(endMs)]));
  return { from: dayOf(startMs), to, data: rows };
}

type Deps = Pick<PaymentDeps, 'database' | 'clock'>;

export const feeRequests = (deps: Deps): RequestHandler[] => [
  onRequest(contract.listOrderFees, async ({ orderIds }, { accountId }) => ({
    data: await listOrderFees(deps.database, accountId, orderIds),
  })),
  onRequest(contract.getFees, (span, { accountId }) => sumFees(deps, accountId, span)),
];
