import { expect } from 'vitest';
import { isNoAttempt } from '../src/charging/payment.rules.ts';
import type { Payment } from '../src/charging/payment.types.ts';
import type { BookEntry } from '../src/processors/simulated/simulated-books.ts';
import type { Backups } from './backups.ts';
import type { Replicas } from './payment-replicas.ts';
import { type RenewalState, readRenewals, readStory, readSubscription } from './subscriptions-of-tests.ts';

type Story = Awaited<ReturnType<typeof readStory>>;

type Lost = Backups['lost'];

/** What happened to the subscription beside what its rows say. */
interface History {
  /** What a restored database did not know, by the payments' ids. */
  readonly lost: Lost;
  /** How often it was canceled for the end of its period. */
  readonly canceledAtEnd: number;
  /** Its order was given back at the processor itself. */
  readonly refundedThere: boolean;
}

/**
 * What must hold of a subscription once nothing is on its way any more.
 * @param cents what a period costs
 */
export async function expectRenewedOnce(
  replicas: Replicas,
  account: string,
  { id, orderId }: { readonly id: string; readonly orderId: string },
  cents: number,
  { lost, canceledAtEnd, refundedThere }: History,
): Promise<void> {
  const [subscription, renewals, story, allBooks] = await Promise.all([
    readSubscription(replicas, id),
    readRenewals(replicas, id),
    readStory(replicas, account, id),
    replicas.books(account),
  ]);
  const { payments: all } = await replicas.money(account, orderId);
  const reversed = reversedOf(all);
  const payments = all.filter(({ id, step }) => step === 'renewal' && !reversed.has(id));
  await expectNewestCard(replicas, id, all);
  const isSale = ({ paymentId }: BookEntry): boolean =>
    all.some(({ id, step }) => id === paymentId && step === 'main') || lost.get(paymentId)?.step === 'main';
  const ofOrder = allBooks.filter(
    (entry) => entry.orderId === orderId && entry.kind === 'charge' && !isSale(entry) && !reversed.has(entry.paymentId),
  );
  const known = new Set(payments.map((payment) => payment.id));
  const isMissing = ({ paymentId }: BookEntry) => lost.has(paymentId) && !known.has(paymentId);
  // The same attempt after a restore is made under the same id: a decline before it was lost.
  const isMadeAnew = ({ paymentId, status }: BookEntry, index: number) =>
    status === 'declined' &&
    lost.has(paymentId) &&
    ofOrder.slice(index + 1).some((later) => later.paymentId === paymentId);
  const books = ofOrder.filter((entry, index) => !isMissing(entry) && !isMadeAnew(entry, index));
  expectChargedOnce(ofOrder, payments, lost);
  // A decline that was lost is of no consequence; what was taken is recorded as soon as something is due.
  if (subscription.status === 'active' || subscription.status === 'past_due') {
    expect(ofOrder.filter((entry) => isMissing(entry) && entry.status === 'succeeded')).toEqual([]);
  }
  expect(all.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  expectEqualBooks(replicas, payments, books, cents);
  await expectChargesEqual(replicas, account, orderId, payments);
  expectPeriods(renewals, payments, subscription.period);
  expectEventsOfPayments(story, payments, renewals, canceledAtEnd);
  expect(expectStory(story)).toBe(subscription.status);
  const { canceled_at } = subscription;
  if (refundedThere) expect(subscription.status).toBe('canceled');
  if (canceled_at !== null) {
    // One that was made at the processor itself counts from then on, and is found later.
    if (!refundedThere) expect(payments.filter(({ createdAt }) => createdAt > canceled_at)).toEqual([]);
    expect(subscription.next_charge_at).toBeNull();
  }
}

/** Renewals that the processor took after they were given up, and that paid for nothing: each went back. */
function reversedOf(all: readonly Payment[]): ReadonlySet<string> {
  const reversed = all.filter(({ declineReason }) => declineReason === 'reversed').map(({ id }) => id);
  const back = all.filter(({ step, status }) => step === 'reversal' && status === 'succeeded');
  expect(back.map(({ chargeId }) => chargeId).toSorted()).toEqual(reversed.toSorted());
  return new Set(reversed);
}

/**
 * The card that was given last of those that were saved, and none that was not. A card that is given twice at once is saved
 * twice: both tokens are of the same card, and the subscription keeps the one that it had first. One in between that is
 * saved later still changes nothing.
 */
async function expectNewestCard(
  { database, outside }: Replicas,
  id: string,
  payments: readonly Payment[],
): Promise<void> {
  const saved = payments.filter(({ step, status }) => step === 'card' && status === 'succeeded');
  const newestFirst = saved.toSorted((a, b) => b.attemptNo - a.attemptNo);
  const cardOf = (payment: Payment | undefined) => payment?.call === 'saveMethod' && payment.request.paymentMethod;
  const [last] = newestFirst;
  if (last === undefined) return;
  const inTime = newestFirst.filter(({ finishedAt }) => Number(finishedAt) <= Number(last.finishedAt));
  const earlier = inTime.findIndex((payment) => cardOf(payment) !== cardOf(last));
  const newest = inTime.slice(0, earlier === -1 ? undefined : earlier);
  const { rows } = await database.pool.query<{ account_id: string; status: string; payment_method: string }>(
    'select account_id, status, payment_method from subscriptions where id = $1',
    [id],
  );
  const [row] = rows;
  // One that is saved after the end changes nothing.
  if (row === undefined || row.status === 'canceled') return;
  const ids = newest.map((payment) => payment.id);
  expect(await outside.savedBy(row.account_id, ids)).toContain(row.payment_method);
}

/** However often the database was restored, the processor took each period once. */
function expectChargedOnce(books: readonly BookEntry[], payments: readonly Payment[], lost: Lost): void {
  const own = new Map(payments.map(({ id, period }) => [id, period]));
  const periods = books
    .filter(({ status }) => status === 'succeeded')
    .map(({ paymentId }) => own.get(paymentId) ?? lost.get(paymentId)?.period);
  expect(new Set(periods).size).toBe(periods.length);
}

/** A card that is saved moves no money, nor does a release, which ends its confirmation. */
const movesMoney = ({ kind }: BookEntry): boolean => kind !== 'method' && kind !== 'release';

/** All money that a restored database lacks for good is named to the seller. */
export async function expectLostNamed(replicas: Replicas, account: string, lost: Lost): Promise<void> {
  if (lost.size === 0) return;
  const { rows } = await replicas.database.pool.query<{ id: string }>('select id from payments where account_id = $1', [
    account,
  ]);
  const known = new Set(rows.map(({ id }) => id));
  const missing = (await replicas.books(account)).filter(
    (entry) =>
      entry.status === 'succeeded' && movesMoney(entry) && lost.has(entry.paymentId) && !known.has(entry.paymentId),
  );
  const named = (await replicas.events(account)).flatMap(({ data }) =>
    data.code === 'orphan' ? [String(data.summary).match(/\(reference ([\w/]+)\)/)?.[1]] : [],
  );
  expect(named).toEqual(expect.arrayContaining(missing.map(({ reference }) => reference)));
}

/** The processor's entries are our payments with the same ends, one success for each period. */
function expectEqualBooks(
  { outside }: Replicas,
  payments: readonly Payment[],
  books: readonly BookEntry[],
  cents: number,
): void {
  const ours = new Map(payments.map((payment) => [payment.id, payment]));
  const outcome = ({ paymentId, status }: BookEntry) => [paymentId, status];
  expect(books.map(outcome).toSorted()).toEqual(
    books.map(({ paymentId }) => [paymentId, ours.get(paymentId)?.status]).toSorted(),
  );
  expect(new Set(books.map(({ amountCents }) => amountCents))).toEqual(new Set(books.length === 0 ? [] : [cents]));
  const charged = books.filter(({ status }) => status === 'succeeded');
  const periods = charged.map(({ paymentId }) => ours.get(paymentId)?.period);
  expect(new Set(periods).size).toBe(periods.length);
  const arrived = new Set(books.map(({ paymentId }) => paymentId));
  const notInBooks = payments.filter((payment) => !arrived.has(payment.id));
  const recorded = notInBooks.filter((payment) => payment.status !== 'declined' || outside.records(payment));
  expect(recorded.filter(({ declineReason: why }) => why === null || !isNoAttempt(why))).toEqual([]);
}

async function expectChargesEqual(
  { database }: Replicas,
  account: string,
  orderId: string,
  payments: readonly Payment[],
): Promise<void> {
  const { rows } = await database.pool.query<{ id: string; step: string }>(
    `select id, step from charges where account_id = $1 and order_id = $2 and step = 'renewal' order by id`,
    [account, orderId],
  );
  const succeeded = payments.filter(({ status }) => status === 'succeeded').map(({ id }) => ({ id, step: 'renewal' }));
  expect(rows).toEqual(succeeded.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}

/** Paid periods follow each other without a gap, and each one's payment is the success of its number. */
function expectPeriods(renewals: readonly RenewalState[], payments: readonly Payment[], period: number): void {
  const paid = renewals.filter(({ status }) => status === 'paid');
  expect(paid.map((each) => each.period)).toEqual(Array.from({ length: period - 1 }, (_, index) => index + 2));
  expect(renewals.filter(({ status }) => status === 'processing')).toEqual([]);
  for (const { period: number, payment_id, starts_at, ends_at } of paid) {
    const payment = payments.find(({ id }) => id === payment_id);
    expect(payment).toMatchObject({ status: 'succeeded', period: number });
    expect(ends_at.getTime()).toBeGreaterThan(starts_at.getTime());
  }
  for (const [index, { starts_at }] of paid.entries()) {
    expect(starts_at.getTime()).toBeGreaterThanOrEqual(paid[index - 1]?.ends_at.getTime() ?? 0);
  }
}

/** Each paid period is reported once, and each decline of a living subscription. */
function expectEventsOfPayments(
  story: Story,
  payments: readonly Payment[],
  renewals: readonly RenewalState[],
  canceledAtEnd: number,
): void {
  const of = (name: string) => story.filter(({ event }) => event === name);
  const paid = renewals.filter(({ status }) => status === 'paid');
  expect(of('rebilled').map(({ period, paymentId }) => [period, paymentId])).toEqual(
    paid.map(({ period, payment_id }) => [period, payment_id]),
  );
  const reported = of('payment-failed').flatMap(({ paymentId }) => (paymentId === null ? [] : [paymentId]));
  expect(new Set(reported).size).toBe(reported.length);
  const declined = payments.filter(
    ({ status, declineReason: why }) => status === 'declined' && why !== null && !isNoAttempt(why),
  );
  expect(declined.map(({ id }) => id)).toEqual(expect.arrayContaining(reported));
  const unreported = declined.filter(({ id }) => !reported.includes(id));
  // At most the one that was under way each time it was canceled.
  const canceled = story.some(({ event }) => event === 'canceled') ? 1 : 0;
  expect(unreported.length).toBeLessThanOrEqual(canceled + canceledAtEnd);
}

/** Each event begins in the state in which the one before it ended; returns the last state. */
function expectStory(story: Story): unknown {
  let state: Reported = { status: 'active', attempts: 0 };
  for (const event of story) state = next(state, event);
  expect(story.filter(({ event }) => event === 'canceled').length).toBeLessThanOrEqual(1);
  return state.status;
}

interface Reported {
  readonly status: unknown;
  readonly attempts: number;
}

function next({ status, attempts }: Reported, reported: Story[number]): Reported {
  const { event, attempt, statusBefore, statusAfter, nextTryDays } = reported;
  // What was past due when it was paused is so again, with its attempts.
  if (event === 'resumed') {
    expect(statusAfter).toBe(attempts > 0 ? 'past_due' : 'active');
    return { status: statusAfter, attempts };
  }
  // A charge that was under way when it was canceled names what it left then.
  expect([event, status]).toEqual(status === 'canceled' ? ['rebilled', status] : [event, statusBefore]);
  if (event === 'paused' || event === 'canceled') return { status: event, attempts };
  // An attempt that is free has the number of the last one again.
  expect([attempts + 1, Math.max(1, attempts)]).toContain(attempt);
  if (event === 'rebilled') return { status: statusAfter, attempts: 0 };
  expect(attempt === 4).toBe(statusAfter === 'canceled');
  expect(nextTryDays === 0).toBe(statusAfter !== 'past_due');
  // The event that reports the end follows at once.
  return { status: statusAfter === 'canceled' ? statusBefore : statusAfter, attempts: Number(attempt) };
}
