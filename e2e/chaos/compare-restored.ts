import { query } from '@app/testing/sql';
import type { Answers } from './answers.ts';
import { type Books, type Comparing, type Comparison, comparing, readBooks } from './books.ts';
import type { Compared } from './compare-books.ts';
import { compareHeldOrders, compareOrders } from './compare-orders.ts';
import { compareCharges, compareHolds, comparePayments } from './compare-processor.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import type { Entry } from './payment-rows.ts';
import type { Lost } from './restored-backup.ts';
import { endedThere } from './stripe-books.ts';
import type { World } from './world.ts';

/**
 * After billing's database was restored and its sellers confirmed: the books of all orders that the backup had as they were agree line by line. Of the
 * others nothing was taken twice, and each amount that the processor has and billing lacks is named to the seller. The books of affiliates, metrics
 * and receivers are not compared: they keep what billing forgot.
 * @param problems of the last daily jobs, which sellers read
 */
export async function compareRestored(
  world: World,
  answers: Answers,
  { before, orders, wrong }: Lost,
  problems: readonly string[],
): Promise<Compared> {
  const books = await readBooks(world);
  const kept = withoutOrders(books, orders);
  const stopped = comparing('charges between a restore and its confirmation');
  for (const each of wrong) stopped.wrong('charged', each);
  const compared = [
    ...[comparePayments(kept), compareCharges(kept), compareHolds(kept, answers), compareOrders(kept)],
    ...[compareHeldOrders(kept), compareSubscriptions(world, kept)],
  ];
  const named = [...(await readNamed(world)), ...problems];
  const all = [
    ...compared.map((comparison) => ({ ...comparison, name: `after a restore: ${comparison.name}` })),
    ...[stopped, compareNamed(books, orders, named), compareTakenOnce(books, before, orders)],
  ];
  return { compared: all, books };
}

function withoutOrders(books: Books, lost: ReadonlySet<string>): Books {
  const ofOther = <Row extends { readonly order_id: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ order_id }) => !lost.has(order_id));
  const gone = new Set(books.subscriptions.filter(({ order_id }) => lost.has(order_id)).map(({ id }) => id));
  return {
    ...books,
    ...{ entries: ofOther(books.entries), payments: ofOther(books.payments), charges: ofOther(books.charges) },
    ...{ holds: ofOther(books.holds), subscriptions: ofOther(books.subscriptions) },
    renewals: books.renewals.filter(({ subscription_id }) => !gone.has(subscription_id)),
    orders: books.orders.filter(({ id }) => !lost.has(id)),
  };
}

/** What sellers are told, and what waits for them. */
async function readNamed({ cluster }: World): Promise<string[]> {
  const url = cluster.databaseUrl('billing');
  const unmatched = await query<{ text: string }>(
    url,
    `select reference as text from processor_facts where lacked
     union select reference from unmatched_payments`,
  );
  const noticed = await query<{ text: string }>(
    url,
    `select payload as text from outbox where subject in ('evt.billing.daily-run.noticed.v1', 'evt.billing.payment.noticed.v1')`,
  );
  return [...unmatched, ...noticed].map(({ text }) => text);
}

/** Rehearsals move none. */
const movesMoney = ({ kind, status, released, test }: Entry): boolean =>
  status === 'succeeded' && !test && !released && kind !== 'release' && kind !== 'method';

/** Each amount at the processor is a payment of billing, or is named by its reference or its order. */
function compareNamed({ entries, payments }: Books, lost: ReadonlySet<string>, named: readonly string[]): Comparison {
  const comparison = comparing('what a restored database lacks, what its sellers were told');
  const known = new Set(payments.map(({ id }) => id));
  const captured = new Set(entries.filter(({ kind }) => kind === 'capture').map(({ about }) => about));
  for (const entry of entries) {
    const { payment_id, order_id, reference, kind } = entry;
    // A hold that was captured is named by its capture.
    if (!lost.has(order_id) || !movesMoney(entry) || (kind === 'hold' && captured.has(reference))) continue;
    comparison.lines += 1;
    if (known.has(payment_id) || payment_id === endedThere) continue;
    const isNamed = named.some((text) => text.includes(reference) || text.includes(order_id));
    if (!isNamed) comparison.wrong('money of which nobody is told', entry);
  }
  return comparison;
}

const isMain = new Set(['main', 'capture', 'recharge']);

/** However much was forgotten, each order, its upsell and each of its periods were charged once at most. */
function compareTakenOnce(books: Books, before: Books, lost: ReadonlySet<string>): Comparison {
  const comparison = comparing('orders of which a backup lacked something: nothing is taken twice');
  const payments = new Map([...before.payments, ...books.payments].map((payment) => [payment.id, payment]));
  const reversed = new Set(
    [...payments.values()].filter(({ reason }) => reason === 'reversed').map((payment) => payment.id),
  );
  const took = books.entries.filter(
    ({ kind, status, payment_id }) =>
      status === 'succeeded' && (kind === 'charge' || kind === 'capture') && !reversed.has(payment_id),
  );
  const byOrder = Map.groupBy(took, ({ order_id }) => order_id);
  for (const orderId of lost) {
    const taken = (byOrder.get(orderId) ?? []).map((entry) => ({ entry, payment: payments.get(entry.payment_id) }));
    const steps = taken.map(({ payment }) => payment?.step);
    checkOnce(comparison, `main charges of ${orderId}`, steps.filter((step) => isMain.has(step ?? '')).length, taken);
    checkOnce(comparison, `upsells of ${orderId}`, steps.filter((step) => step === 'upsell').length, taken);
    const renewals = taken.filter(({ payment }) => payment?.step === 'renewal');
    for (const [period, all] of Map.groupBy(renewals, ({ payment }) => payment?.period))
      checkOnce(comparison, `period ${period} of ${orderId}`, all.length, all);
  }
  return comparison;
}

function checkOnce(comparison: Comparing, what: string, times: number, evidence: unknown): void {
  comparison.lines += 1;
  if (times > 1) comparison.wrong(what, evidence);
}
