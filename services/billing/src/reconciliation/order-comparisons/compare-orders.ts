import { dayMs, hourMs, minuteMs } from '@app/contracts/durations';
import { idFloor } from '@app/contracts/ids';
import { comparedOrdersMax } from '@app/contracts/order-comparisons';
import { statement } from '@app/service-kit/database';
import type { DailyStep } from '../../runs/daily-step.ts';
import { type Comparison, type ComparisonDeps, comparePage, fetchOrders } from './compare-page.ts';
import { startMissedSales } from './missed-sales.ts';
import { countDifferences, ordersThatDiffered } from './order-differences.ts';
import { ordersSubscribed, ordersThatMoved } from './order-payments.ts';

/** An event that takes longer is late: what its order lacks is mended as if it had been lost. */
const quietMs = 15 * minuteMs;
/** What was compared stays compared, should the rest of a long time take too long. The orders of a portion are in memory. */
const portionMs = 7 * dayMs;
/** The first comparison of an account. */
const firstMs = 3 * dayMs;

const lastStatement = statement<{ compared_until: Date }>(
  'order-comparisons-last',
  'select compared_until from order_comparisons where account_id = $1',
  { compared_until: 'timestamptz' },
);
const comparedStatement = statement(
  'order-comparisons-compared',
  `insert into order_comparisons (account_id, compared_until) values ($1, $2)
   on conflict (account_id) do update set compared_until = excluded.compared_until`,
);

/**
 * The step that compares checkout's orders with billing's payments and subscriptions: what is younger than the last comparison, what is
 * authorized, and what differed. An order that did not follow its payment or its hold follows, a sold subscription that is
 * missing is made. What else differs is reported once and makes the run not `ok` until both sides agree.
 */
export function compareOrders(deps: ComparisonDeps): DailyStep {
  return async (_, run, counts) => {
    // A rehearsal's orders are compared with nothing.
    if (run.test) return;
    try {
      await compareAll({ deps, run, quietSince: new Date(deps.clock.nowMs() - quietMs) });
    } catch (err) {
      deps.logger.warn({ err, accountId: run.accountId }, 'orders could not be compared with their payments');
      counts.problems.push({ code: 'orders_not_compared', detail: notComparedText });
    }
    const count = await countDifferences(deps.database, run.accountId);
    if (count > 0) counts.problems.push({ code: 'orders_differ', detail: differText(count) });
  };
}

const notComparedText = 'Orders could not be compared with their payments. The next run compares these as well.';
const differText = (count: number): string =>
  `${count === 1 ? '1 order differs from its payments or its subscription' : `${count} orders differ from their payments or their subscriptions`}. Recent activity says of each what both sides are and what to do.`;

async function compareAll(comparison: Comparison): Promise<void> {
  const { deps, run, quietSince } = comparison;
  const { pool } = deps.database;
  const untilMs = quietSince.getTime();
  const { rows } = await pool.query(lastStatement([run.accountId]));
  await startMissedSales(comparison);
  for await (const page of ordersThatDiffered(deps.database, run.accountId)) await compareNamed(comparison, page);
  await compareRange(comparison, { fromMs: 0, untilMs, open: true }, new Set());
  for (let fromMs = startOf(rows[0]?.compared_until, untilMs); fromMs < untilMs; fromMs += portionMs) {
    if (run.isClosing()) return;
    const portion = { fromMs, untilMs: Math.min(fromMs + portionMs, untilMs) };
    await comparePortion(comparison, portion);
    if (run.isClosing()) return;
    await pool.query(comparedStatement([run.accountId, new Date(portion.untilMs)]));
  }
}

/**
 * Orders have the time of their attempt in their ids, and are recorded later: the first comparison of a UTC day covers a
 * day, later ones an hour.
 */
function startOf(comparedUntil: Date | undefined, untilMs: number): number {
  if (comparedUntil === undefined || comparedUntil.getTime() > untilMs) return untilMs - firstMs;
  const isSameDay = comparedUntil.toISOString().slice(0, 10) === new Date(untilMs).toISOString().slice(0, 10);
  return comparedUntil.getTime() - (isSameDay ? hourMs : dayMs);
}

interface Portion {
  readonly fromMs: number;
  readonly untilMs: number;
}

async function comparePortion(comparison: Comparison, { fromMs, untilMs }: Portion): Promise<void> {
  const { deps, run } = comparison;
  const seen = new Set<string>();
  await compareRange(comparison, { fromMs, untilMs, open: false }, seen);
  const [from, until] = [idFloor('subscription', fromMs), idFloor('subscription', untilMs)];
  const sources = [
    ordersThatMoved(deps.database, run.accountId, new Date(fromMs), new Date(untilMs)),
    ordersSubscribed(deps.database, run.accountId, from, until),
  ];
  for (const source of sources) {
    for await (const page of source) {
      const fresh = [...new Set(page)].filter((orderId) => !seen.has(orderId));
      for (const orderId of fresh) seen.add(orderId);
      await compareNamed(comparison, fresh);
      if (run.isClosing()) return;
    }
  }
}

/** Checkout's orders of a time, by their ids. @param seen gets them */
async function compareRange(
  comparison: Comparison,
  { fromMs, untilMs, open }: Portion & { readonly open: boolean },
  seen: Set<string>,
): Promise<void> {
  const until = idFloor('order', untilMs);
  let after = idFloor('order', fromMs);
  let isLast = false;
  while (!isLast && !comparison.run.isClosing()) {
    const orders = await fetchOrders(comparison, { after, until, open });
    const orderIds = orders.map(({ orderId }) => orderId);
    for (const orderId of orderIds) seen.add(orderId);
    if (orderIds.length > 0) await comparePage(comparison, orderIds, orders);
    after = orderIds.at(-1) ?? after;
    isLast = orderIds.length < comparedOrdersMax;
  }
}

async function compareNamed(comparison: Comparison, named: readonly string[]): Promise<void> {
  for (let first = 0; first < named.length; first += comparedOrdersMax) {
    if (comparison.run.isClosing()) return;
    const orderIds = named.slice(first, first + comparedOrdersMax);
    await comparePage(comparison, orderIds, await fetchOrders(comparison, { orderIds }));
  }
}
