import { readSettingsOf } from '@app/account-settings/read-settings';
import { withoutDailyRunMs } from '@app/contracts/daily-runs';
import { reminderNoticed } from '@app/contracts/reminders';
import { notifyOnce } from '@app/messaging/notify-once';
import { outboxRow } from '@app/messaging/outbox';
import { type OverdueWatch, overdueAdvice, startOverdueWatch } from '@app/runs/overdue-watch';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { CheckoutDeps } from '../checkouts/checkout-deps.ts';
import { reminderRunKeepDays } from '../db/retention.ts';
import { overdueNotified } from '../points/points.ts';
import { countStalled, findOldestStalled } from './find-stalled.ts';
import { liveProducts } from './preview-reminders.ts';
import { onlyRecipient, type ReminderBounds, stalledBounds } from './reminder.rules.ts';

export interface OverdueDeps extends Pick<CheckoutDeps, 'database' | 'clock' | 'steps' | 'wakeRelay'> {
  readonly logger: Logger;
  readonly closing: () => boolean;
  /** How many reminders an account may send in 24 hours. */
  readonly bounds: ReminderBounds;
  /** When the deployment runs the daily job next by itself, in epoch milliseconds. */
  readonly nextDailyRunMs?: () => number | undefined;
}

/** Whether the runs are started that remind buyers: billing sees only accounts with charges or holds. */
export const watchOverdue = (deps: Omit<OverdueDeps, 'closing'>): OverdueWatch =>
  startOverdueWatch({
    logger: deps.logger,
    check: (closing) => notifyAllOverdue({ ...deps, closing }),
    waiting: 'buyers to remind',
  });

/**
 * Notifies each account whose buyers were to be reminded 26 hours ago, are to be reminded still, and had no run since: once
 * for each lapse.
 * @returns how many accounts that are
 */
export async function notifyAllOverdue(deps: OverdueDeps): Promise<number> {
  const { database, clock, bounds, closing } = deps;
  if (bounds.perDay === 0) return 0;
  const dueByMs = clock.nowMs() - withoutDailyRunMs;
  const accountIds: string[] = [];
  for await (const accountId of accountsWithoutRun(database, new Date(dueByMs))) {
    if (closing()) break;
    const checkoutId = await findWaiting(deps, accountId, dueByMs);
    if (checkoutId === null) continue;
    accountIds.push(accountId);
    await notifyOverdue(deps, accountId, checkoutId);
  }
  overdueNotified.announce(() => ({ accountIds }));
  return accountIds.length;
}

/** Products that are looked up together: buyers who pay wait in the same line. */
const productsAtOnce = 50;

/** A checkout whose buyer was to be reminded by then and would be now; null when the account has none. */
async function findWaiting(deps: OverdueDeps, accountId: string, dueByMs: number): Promise<string | null> {
  const { database, clock } = deps;
  const settings = await readSettingsOf(database.pool, accountId);
  const { nudgeAfterMinutes } = settings;
  const only = onlyRecipient(settings);
  const { openedAfter } = stalledBounds(clock.nowMs(), nudgeAfterMinutes);
  const bounds = { ...stalledBounds(dueByMs, nudgeAfterMinutes), openedAfter };
  const stalled = await countStalled(database, accountId, bounds, only);
  for (let from = 0; from < stalled.length; from += productsAtOnce) {
    const live = await liveProducts(deps, accountId, stalled.slice(from, from + productsAtOnce));
    if (live.length === 0) continue;
    const productIds = live.map(({ product_id }) => product_id);
    const page = { productIds, room: deps.bounds.perDay, afterId: '', limit: 1, only };
    const [oldest] = await findOldestStalled(database, accountId, bounds, page);
    if (oldest !== undefined) return oldest.id;
  }
  return null;
}

/** Accounts that one statement passes. */
const pageSize = 2_000;
const isOpen = `c.status = 'open' and c.email is not null and not c.test`;

/**
 * From one account with open checkouts to the next by index. A run that began since then has seen what was due before it;
 * one without a result, which was interrupted, is none.
 */
const accountsStatement = statement<Walked>(
  'reminders-accounts-without-run',
  `with recursive walked (account_id, position) as (
     (select c.account_id, 1 from checkouts as c where c.account_id > $1 and ${isOpen} order by c.account_id limit 1)
     union all
     select (
       select c.account_id from checkouts as c where c.account_id > w.account_id and ${isOpen} order by c.account_id limit 1
     ), position + 1
     from walked as w where w.account_id is not null and position < ${pageSize}
   )
   select w.account_id, exists (
     select from reminder_runs as r where r.account_id = w.account_id and r.result is not null and r.started_at > $2) as ran
   from walked as w where w.account_id is not null order by w.account_id`,
  { account_id: 'text', ran: 'bool' },
);

interface Walked {
  readonly account_id: string;
  /** Whether it had a run. */
  readonly ran: boolean;
}

async function* accountsWithoutRun({ pool }: Database, since: Date): AsyncGenerator<string> {
  let last: string | undefined = '';
  while (last !== undefined) {
    const { rows }: { rows: Walked[] } = await pool.query(accountsStatement([last, since]));
    for (const { account_id, ran } of rows) if (!ran) yield account_id;
    last = rows.length < pageSize ? undefined : rows.at(-1)?.account_id;
  }
}

const lastRunStatement = statement<{ id: string; started_at: Date }>(
  'reminder-runs-last',
  `select id, started_at from reminder_runs where account_id = $1 and result is not null order by started_at desc limit 1`,
  { id: 'text', started_at: 'timestamptz' },
);

async function notifyOverdue(
  { database, clock, wakeRelay, nextDailyRunMs }: OverdueDeps,
  accountId: string,
  checkoutId: string,
): Promise<void> {
  const { rows } = await database.pool.query(lastRunStatement([accountId]));
  const [last] = rows;
  const summary =
    `The daily run is overdue: ${last === undefined ? `none ran in the last ${reminderRunKeepDays} days` : `the last one began at ${last.started_at.toISOString()}`}, ` +
    `and buyers wait for reminders. ${overdueAdvice(nextDailyRunMs?.())}`;
  const source = { accountId, requestId: null, nowMs: clock.nowMs() };
  const event = outboxRow(reminderNoticed, { checkoutId, summary, test: false }, source);
  const key = `reminders overdue ${last?.id ?? 'first'}`;
  if ((await notifyOnce(database.pool, [{ accountId, key, event }], { now: clock.now() })) > 0) wakeRelay();
}
