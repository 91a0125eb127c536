import type { previewDailyRun as contract, PlannedAction } from '@app/contracts/daily-runs';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { unfinishedBefore } from '../advancing/check-unfinished.ts';
import { readHoldsDue, sumHoldsDue, upsellLeftCents } from '../holds/holds-due.ts';
import { readUnmatched } from '../reconciliation/unmatched-payments/unmatched-payments.ts';
import {
  type DueScope,
  type DueSubscription,
  type DueSum,
  readDue,
} from '../subscriptions/renewals/due-subscriptions.ts';
import { countOver, readOver } from '../subscriptions/renewals/end-canceled.ts';
import { type DueInCurrency, fewCharges, type LimitInCurrency } from './charge-limit.rules.ts';
import { readChargePlan } from './charge-plan.ts';
import { type Cursor, cursorOf, firstCursor, writeCursor } from './preview-cursor.rules.ts';

interface PreviewDeps {
  readonly database: Database;
  readonly clock: Clock;
}

interface Page {
  readonly actions: readonly PlannedAction[];
  /** After the last action. */
  readonly next: Cursor;
}

const limitDefault = 50;

/**
 * What the account's next run would do now: the reads of the run itself, in its order, without rehearsals. It claims
 * nothing.
 * @throws DomainError validation_failed for an `after` that no page gave
 */
export async function previewDailyRun(
  deps: PreviewDeps,
  accountId: string,
  { limit = limitDefault, after }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const scope = { accountId, test: false, now: deps.clock.now() };
  const [settlements, lookUps, plan, cancellations, unmatched] = await Promise.all([
    sumHoldsDue(deps.database, scope),
    sumLookUps(deps.database, scope),
    readChargePlan(deps.database, scope),
    countOver(deps.database, scope),
    readUnmatched(deps.database, accountId),
  ]);
  const charges = unmatched === undefined ? plan : { ...plan, charged: [], scope: null };
  const { charged, limit: chargeLimit, waiting } = charges;
  const { actions, next } = await readActions(
    deps.database,
    { ...scope, charges: charges.scope },
    cursorOf(after),
    limit,
  );
  return {
    at: scope.now.toISOString(),
    totals: {
      renewals: moneyCount(charged.filter(({ retry }) => !retry)),
      retries: moneyCount(charged.filter(({ retry }) => retry)),
      cancellations,
      settlements: moneyCount(settlements),
      look_ups: lookUps.count,
      look_up_amounts: lookUps.amounts.filter(({ cents }) => cents > 0),
      reminders: 0,
    },
    charge_limit: {
      exceeded: chargeLimit.exceeded,
      always_allowed_count: fewCharges,
      currencies: chargeLimit.currencies.map((limited) => limitShown(limited, waiting)),
    },
    unmatched_payments: unmatched?.count ?? 0,
    data: [...actions],
    next: writeCursor(next),
  };
}

function limitShown(
  { currency, count, dueCents, normalCents, limitCents, exceeded }: LimitInCurrency,
  waiting: readonly DueInCurrency[],
) {
  const left = waiting.find((each) => each.currency === currency);
  return {
    currency,
    due_count: count,
    due_cents: dueCents,
    normal_cents: normalCents,
    limit_cents: limitCents,
    exceeded,
    waiting_count: left?.count ?? 0,
    waiting_cents: left?.cents ?? 0,
  };
}

function moneyCount(sums: readonly Pick<DueSum, 'currency' | 'count' | 'cents'>[]) {
  return {
    count: sums.reduce((sum, { count }) => sum + count, 0),
    amounts: sums.map(({ currency, cents }) => ({ currency, cents })),
  };
}

interface Scope extends DueScope {
  /** Null: nothing is due. */
  readonly charges: DueScope | null;
}

/** One kind after the other, until the page is full. */
async function readActions(database: Database, scope: Scope, from: Cursor, limit: number): Promise<Page> {
  const actions: PlannedAction[] = [];
  let cursor = from;
  while (cursor.kind !== 'end') {
    const room = limit - actions.length;
    if (room === 0) break;
    const page = await readKind(database, scope, cursor, room);
    actions.push(...page.actions);
    cursor = page.actions.length < room ? firstCursor(cursor.kind) : page.next;
  }
  return { actions, next: cursor };
}

async function readKind(database: Database, scope: Scope, cursor: Cursor, limit: number): Promise<Page> {
  switch (cursor.kind) {
    case 'look_up':
      return await readLookUps(database, scope, cursor.id, limit);
    case 'settlement':
      return await readSettlements(database, scope, cursor.id, limit);
    case 'charge':
      return await readCharges(database, scope, cursor, limit);
    case 'cancellation':
      return await readCancellations(database, scope, cursor.id, limit);
    default:
      return { actions: [], next: cursor };
  }
}

const lookUpsWhere = 'account_id = $1 and next_check_at is not null and created_at <= $2 and not test';
/**
 * What a look-up may charge: what the processor never got is sent again, but for a buyer's own payment, and a renewal later than
 * that is charged anew. A hold whose money it finds goes on to its upsell.
 */
const atMostCents = `case when call in ('chargeSaved', 'capture') then amount_cents else 0 end
  + case when step in ('capture', 'recharge') then coalesce((
      select ${upsellLeftCents} from holds as h where h.account_id = p.account_id and h.order_id = p.order_id), 0) else 0 end`;
const lookUpsStatement = statement<LookUpRow>(
  'payments-preview-look-ups',
  `select id, customer_email, product_name, ${atMostCents} as amount_cents, currency, next_check_at as due_at
   from payments as p where ${lookUpsWhere} and id > $3 order by id limit $4`,
  {
    amount_cents: 'int8',
    currency: 'text',
    customer_email: 'text',
    due_at: 'timestamptz',
    id: 'text',
    product_name: 'text',
  },
);
const sumLookUpsStatement = statement<Pick<DueSum, 'currency' | 'count' | 'cents'>>(
  'payments-preview-sum-look-ups',
  `select currency, count(*) as count, sum(${atMostCents})::bigint as cents
   from payments as p where ${lookUpsWhere} group by currency order by currency`,
  { cents: 'int8', count: 'int8', currency: 'text' },
);

async function sumLookUps({ pool }: Database, { accountId, now }: DueScope) {
  const { rows } = await pool.query(sumLookUpsStatement([accountId, unfinishedBefore(now)]));
  return moneyCount(rows);
}

type LookUpRow = Omit<PlannedAction, 'kind' | 'due_at' | 'attempt'> & { due_at: Date };

async function readLookUps({ pool }: Database, { accountId, now }: Scope, id: string, limit: number): Promise<Page> {
  const { rows } = await pool.query(lookUpsStatement([accountId, unfinishedBefore(now), id, limit]));
  const actions = rows.map((row) => {
    return { ...row, kind: 'look_up' as const, due_at: row.due_at.toISOString(), attempt: null };
  });
  return { actions, next: { kind: 'look_up', id: rows.at(-1)?.id ?? id } };
}

async function readSettlements(database: Database, scope: Scope, id: string, limit: number): Promise<Page> {
  const rows = await readHoldsDue(database, scope, id, limit);
  const actions = rows.map(({ order_id, due_at, ...row }) => ({
    ...row,
    kind: 'settlement' as const,
    id: order_id,
    due_at: due_at.toISOString(),
    attempt: null,
  }));
  return { actions, next: { kind: 'settlement', id: rows.at(-1)?.order_id ?? id } };
}

async function readCharges(
  database: Database,
  { charges }: Scope,
  { id, dueAt }: { id: string; dueAt: Date | null },
  limit: number,
): Promise<Page> {
  if (charges === null) return { actions: [], next: { kind: 'charge', id, dueAt } };
  const after = dueAt === null ? null : { next_charge_at: dueAt, id };
  const rows = await readDue(database, charges, { after, limit });
  const last = rows.at(-1);
  const next = { kind: 'charge' as const, id: last?.id ?? id, dueAt: last?.next_charge_at ?? dueAt };
  return { actions: rows.map(plannedCharge), next };
}

async function readCancellations(database: Database, scope: Scope, id: string, limit: number): Promise<Page> {
  const rows = await readOver(database, scope, id, limit);
  const actions = rows.map(({ current_period_end, ...row }) => ({
    ...row,
    kind: 'cancellation' as const,
    amount_cents: 0,
    due_at: current_period_end.toISOString(),
    attempt: null,
  }));
  return { actions, next: { kind: 'cancellation', id: rows.at(-1)?.id ?? id } };
}

function plannedCharge(due: DueSubscription): PlannedAction {
  const { id, status, free_attempt, failed_tries, hard_declined, next_charge_at } = due;
  return {
    kind: status === 'past_due' ? 'retry' : 'renewal',
    id,
    customer_email: due.customer_email,
    product_name: due.product_name,
    // The processor is not called to charge a card that is lost; the attempt counts all the same.
    amount_cents: hard_declined && !free_attempt ? 0 : due.amount_cents,
    currency: due.currency,
    due_at: next_charge_at.toISOString(),
    attempt: free_attempt ? Math.max(1, failed_tries) : failed_tries + 1,
  };
}
