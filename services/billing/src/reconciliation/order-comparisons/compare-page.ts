import { newIdSuffix } from '@app/contracts/ids';
import { type ComparedOrder, followPayments, ordersToCompare } from '@app/contracts/order-comparisons';
import type { CallContext, Requester } from '@app/messaging/requester';
import { completedBy } from '../../charging/decide-answer.rules.ts';
import { mainPayment } from '../../charging/payment.rules.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { readMoney } from '../../charging/payment-store.ts';
import { settledData } from '../../holds/advance-hold.ts';
import type { AccountRun } from '../../runs/daily-step.ts';
import { mustEnd } from '../../runs/refused-key.ts';
import { type SoldSubscription, startSubscriptions } from '../../subscriptions/start-subscriptions.ts';
import { lookUpAttempt } from '../lost-attempts.ts';
import { compareOrder, notFollowed, notHeld, type OrderPayments } from './order-comparison.rules.ts';
import { type OrderDifference, writeDifferences } from './order-differences.ts';
import { readOrderPayments } from './order-payments.ts';

export interface ComparisonDeps extends PaymentDeps {
  readonly requester: Pick<Requester, 'request'>;
}

/** A comparison of one account. */
export interface Comparison {
  readonly deps: ComparisonDeps;
  readonly run: AccountRun;
  /** What moved since then is compared by the next run: its event may be on its way. */
  readonly quietSince: Date;
}

const callOf = ({ run, deps }: Comparison): CallContext & { readonly commandId: string } => ({
  accountId: run.accountId,
  requestId: run.runId,
  commandId: newIdSuffix(deps.clock.nowMs()),
});

/** A page of checkout's orders: those that are named, or those of a range of ids. */
export async function fetchOrders(
  comparison: Comparison,
  which: Parameters<typeof ordersToCompare.input.parse>[0] & object,
): Promise<readonly ComparedOrder[]> {
  const input = ordersToCompare.input.parse(which);
  return (await comparison.deps.requester.request(ordersToCompare, input, callOf(comparison))).orders;
}

/**
 * Compares orders with their payments and subscriptions, mends what has one right answer, and keeps what else differs.
 * @param orderIds of `comparedOrdersMax` orders at most
 * @param orders as checkout has them; those that it does not have are left out
 */
export async function comparePage(
  comparison: Comparison,
  orderIds: readonly string[],
  orders: readonly ComparedOrder[],
): Promise<void> {
  const { deps, run, quietSince } = comparison;
  const own = await readOrderPayments(deps.database, run.accountId, orderIds, quietSince);
  const first = judge(own, orders, quietSince);
  await startMissing(comparison, first.start);
  const again = first.follow.length === 0 ? none : await follow(comparison, first.follow);
  const found = await lookUpHeld(comparison, first.lookUp);
  const ended = [...first.equal, ...again.equal, ...found.equal, ...first.start.map(({ orderId }) => orderId)];
  await writeDifferences(deps, run.accountId, [...first.differing, ...again.differing, ...found.differing], ended);
}

interface Judged {
  readonly equal: string[];
  readonly differing: OrderDifference[];
  readonly follow: OrderPayments[];
  readonly start: ComparedOrder[];
  readonly lookUp: ComparedOrder[];
}
const none: Pick<Judged, 'equal' | 'differing'> = { equal: [], differing: [] };

function judge(own: readonly OrderPayments[], orders: readonly ComparedOrder[], quietSince: Date): Judged {
  const judged: Judged = { equal: [], differing: [], follow: [], start: [], lookUp: [] };
  const byId = new Map(orders.map((order) => [order.orderId, order]));
  for (const each of own) {
    const order = byId.get(each.orderId);
    if (order !== undefined && new Date(order.changedAt) > quietSince) continue;
    const verdict = compareOrder(order, each);
    if (verdict.kind === 'equal') judged.equal.push(each.orderId);
    else if (verdict.kind === 'follow') judged.follow.push(each);
    else if (verdict.kind === 'differs') judged.differing.push({ orderId: each.orderId, detail: verdict.detail });
    else if ((verdict.kind === 'start' || verdict.kind === 'lookUp') && order !== undefined)
      judged[verdict.kind].push(order);
  }
  return judged;
}

/** Says again what the events of these orders said, and compares once more: what still does not follow differs. */
async function follow(
  comparison: Comparison,
  lagging: readonly OrderPayments[],
): Promise<Pick<Judged, 'equal' | 'differing'>> {
  const { deps, run } = comparison;
  const said = [];
  for (const { orderId } of lagging) said.push(await saidOf(deps, run.accountId, orderId));
  const input = {
    completed: said.flatMap(({ completed }) => completed ?? []),
    settled: said.flatMap(({ settled }) => settled ?? []),
  };
  const orderIds = lagging.map(({ orderId }) => orderId);
  deps.logger.warn({ accountId: run.accountId, orderIds }, 'orders had not followed their payments');
  await deps.requester.request(followPayments, input, callOf(comparison));
  const orders = new Map((await fetchOrders(comparison, { orderIds })).map((order) => [order.orderId, order]));
  const ends: Pick<Judged, 'equal' | 'differing'> = { equal: [], differing: [] };
  for (const own of lagging) {
    const order = orders.get(own.orderId);
    const verdict = compareOrder(order, own);
    if (verdict.kind === 'equal' || verdict.kind === 'start') ends.equal.push(own.orderId);
    else {
      const detail = verdict.kind === 'differs' ? verdict.detail : notFollowed(order, own);
      ends.differing.push({ orderId: own.orderId, detail });
    }
  }
  return ends;
}

/** What billing's last event of the order's main payment, or of its hold, said. */
async function saidOf(deps: PaymentDeps, accountId: string, orderId: string) {
  const { payments, hold } = await readMoney(deps.database, accountId, orderId);
  const endedMs = Math.max(...payments.map(({ finishedAt }) => finishedAt?.getTime() ?? 0));
  if (hold?.status === 'settled' || hold?.status === 'lost') return { settled: settledData(hold, payments, endedMs) };
  const main = mainPayment(payments);
  if (main === undefined) return { completed: null };
  const { status, finishedAt, declineReason, lastFour, wallet } = main;
  return { completed: completedBy(main, { status, finishedAt, declineReason, lastFour, wallet }) };
}

/**
 * A backup that billing was restored from lacks the payments of these orders. Each attempt is looked up at the processor under its own key and
 * recorded as it stands there: a hold is settled at the end of its window, as any other. Nothing is sent. What the processor does not hold differs.
 */
async function lookUpHeld(
  { deps, run }: Comparison,
  orders: readonly ComparedOrder[],
): Promise<Pick<Judged, 'equal' | 'differing'>> {
  const found: Pick<Judged, 'equal' | 'differing'> = { equal: [], differing: [] };
  const caller = { accountId: run.accountId, requestId: run.runId };
  for (const order of orders) {
    if (order.attempt === undefined || mustEnd(run)) continue;
    const { status } = await lookUpAttempt(deps, caller, order.attempt);
    deps.logger.warn({ ...caller, orderId: order.orderId, status }, 'a held order without a payment was looked up');
    if (status === 'declined') found.differing.push({ orderId: order.orderId, detail: notHeld(order) });
    // What is not known yet is compared by the next run.
    else if (status === 'held' || status === 'succeeded') found.equal.push(order.orderId);
  }
  return found;
}

/** As the event of the paid order would have made them. */
async function startMissing({ deps, run }: Comparison, orders: readonly ComparedOrder[]): Promise<void> {
  const sold = orders.flatMap(({ orderId, currency, subscription }) => {
    if (subscription === null) return [];
    const { affiliateNamed, ...sale } = subscription;
    const data: SoldSubscription = {
      ...sale,
      orderId,
      currency,
      affiliateCode: affiliateNamed ? 'named' : null,
      paymentMethod: null,
      source: 'checkout',
      test: false,
    };
    return [{ accountId: run.accountId, requestId: null, traceparent: undefined, data }];
  });
  if (sold.length === 0) return;
  const orderIds = sold.map(({ data }) => data.orderId);
  deps.logger.warn({ accountId: run.accountId, orderIds }, 'sold subscriptions were missing');
  await deps.database.transaction((client) => startSubscriptions(client, sold));
  deps.wakeRelay();
}
