import { expect } from 'vitest';
import type { OrderMoney, Payment } from '../src/charging/payment.types.ts';
import type { BookEntry } from '../src/processors/simulated/simulated-books.ts';
import type { LostPayment } from './backups.ts';
import type { Replicas, WrittenEvent } from './payment-replicas.ts';

type Lost = ReadonlyMap<string, LostPayment>;

/**
 * What must hold of an order once nothing is on its way any more.
 * @param lost what a restored database did not know, by the payments' ids
 */
export async function expectBooksEqual(
  replicas: Replicas,
  account: string,
  orderId: string,
  lost: Lost = new Map(),
): Promise<void> {
  const [money, books, events] = await Promise.all([
    replicas.money(account, orderId),
    replicas.books(account),
    replicas.events(account),
  ]);
  const known = new Set(money.payments.map(({ id }) => id));
  const lacked = books.filter(({ paymentId }) => lost.has(paymentId) && !known.has(paymentId));
  // What the seller gave back there of a charge that is not known here is not known either.
  const isOfLacked = (entry: BookEntry) => isMadeThere(entry) && lacked.some((each) => each.reference === entry.about);
  const missing = [...lacked, ...books.filter(isOfLacked)];
  const found = books.filter((entry) => !missing.includes(entry));
  // Only a restored database gives a key to another amount.
  const others = money.payments.filter(({ declineReason }) => declineReason === 'other_payment');
  expect(others.filter(({ id }) => !lost.has(id))).toEqual([]);
  // Of what the seller gave back at the processor itself billing learns later.
  const mayRefuse = books.some(
    (entry) => isMoney(entry, 'refund') && (lost.has(entry.paymentId) || isMadeThere(entry)),
  );
  expectEnded(money, mayRefuse);
  expectEqualBooks(money, found, books);
  expectTakenOnce(money, books, mayRefuse);
  expectTakenOnceThere(money, books, lost);
  expectEachEventOnce(money, events);
  expectNamed(money, books, events, { missing, lost });
}

/** By the seller, at the processor itself: it names no payment of ours. */
const isMadeThere = ({ paymentId }: BookEntry): boolean => paymentId === '';
/** To end a hold takes no metadata, so its books do not say who did: nobody here. */
const isEndedThere = ({ kind, paymentId }: BookEntry): boolean => kind === 'release' && paymentId === 'unknown';

const isMoney = (entry: BookEntry, ...kinds: readonly BookEntry['kind'][]): boolean =>
  entry.status === 'succeeded' && kinds.includes(entry.kind);

/** @param mayRefuse a restored database lacks a refund: the processor refuses what is more than is left, and that waits for the seller */
function expectEnded({ payments, hold, charges }: OrderMoney, mayRefuse: boolean): void {
  expect(payments.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  expect(['settled', 'lost', undefined]).toContain(hold?.status);
  if (mayRefuse) return;
  expect(charges.filter(({ refundDueAt }) => refundDueAt !== null)).toEqual([]);
}

/** What a release of a waiting payment ended, or may end, is neither held nor paid here. */
export async function expectNothingReleasedStands(replicas: Replicas, account: string, orderId: string): Promise<void> {
  const { payments, hold } = await replicas.money(account, orderId);
  const ends = ({ step, status }: Payment) => step === 'release' && status !== 'declined';
  const released = hold?.decision === 'released' ? [] : payments.filter(ends);
  const stands = payments.filter(
    ({ id, status }) => status === 'succeeded' && released.some((r) => r.releasedPaymentId === id),
  );
  expect(stands).toEqual([]);
}

/**
 * What the books show as unmatched: a database that was restored since requested a refund of another amount under the same key, as
 * the rest of a charge of whose other refunds it lacks one. The processor keeps to what it did first, and the seller reads both sides.
 */
const isStray = ({ payments }: OrderMoney, { paymentId, amountCents }: BookEntry): boolean =>
  payments.some(
    ({ id, step, declineReason: why, amountCents: cents }) =>
      id === paymentId && step === 'refund' && why === 'other_payment' && cents !== amountCents,
  );

/** What was taken or held beside another payment for the same, and what gave it back. */
const reversedOf = ({ payments }: OrderMoney): ReadonlySet<string> =>
  new Set(
    payments
      .filter(({ step, declineReason }) => step === 'reversal' || declineReason === 'reversed')
      .map(({ id }) => id),
  );

/** All of it went back. */
function expectReversed({ payments }: OrderMoney, books: readonly BookEntry[]): void {
  const reversed = payments.filter(({ declineReason }) => declineReason === 'reversed');
  const back = payments.filter(({ step, status }) => step === 'reversal' && status === 'succeeded');
  expect(back.map(({ chargeId }) => chargeId).toSorted()).toEqual(reversed.map(({ id }) => id).toSorted());
  const there = books.filter(
    ({ paymentId, status }) => status === 'succeeded' && back.some(({ id }) => id === paymentId),
  );
  expect(there).toHaveLength(reversed.length);
}

/**
 * Each entry of the processor is a payment of ours with the same end, and each success of ours is an entry. A hold that was
 * released is a decline: nothing can be captured of it.
 * @param found those of all that the database knows
 */
function expectEqualBooks(money: OrderMoney, found: readonly BookEntry[], all: readonly BookEntry[]): void {
  const { payments, charges } = money;
  const released = new Set(all.filter((entry) => isMoney(entry, 'release')).map(({ about }) => about));
  expectReversed(money, all);
  const reversed = reversedOf(money);
  const books = found.filter((entry) => !isStray(money, entry) && !reversed.has(entry.paymentId));
  // Where a payment had its hold when that was ended there.
  for (const { about } of books.filter(isEndedThere))
    if (money.hold?.reference === about) expect(money.hold.lostBecause).toBe('released');
  for (const entry of books.filter((each) => !isEndedThere(each))) {
    const ours = payments.find(({ id, processorReference }) =>
      isMadeThere(entry) ? processorReference === entry.reference : id === entry.paymentId,
    );
    // A hold that was released stands here as one that succeeded, beside its release.
    const isOver = entry.kind === 'hold' && released.has(entry.reference) && ours?.id !== money.hold?.paymentId;
    const theirs = isOver ? 'declined' : entry.status;
    expect([entry.paymentId, entry.reference, ours?.status]).toEqual([entry.paymentId, entry.reference, theirs]);
    expect(ours).toMatchObject({ amountCents: entry.amountCents, currency: entry.currency });
  }
  const arrived = new Set(all.flatMap(({ paymentId, reference }) => [paymentId, reference]));
  const isThere = ({ id, processorReference }: Payment): boolean =>
    arrived.has(id) || arrived.has(processorReference ?? '');
  expect(payments.filter((payment) => payment.status === 'succeeded' && !isThere(payment))).toEqual([]);
  const sum = (kinds: readonly string[]): number =>
    books
      .filter(({ kind, status }) => status === 'succeeded' && kinds.includes(kind))
      .reduce((total, { amountCents }) => total + amountCents, 0);
  expect(charges.reduce((total, charge) => total + charge.amountCents, 0)).toBe(sum(['charge', 'capture']));
  expect(charges.reduce((total, charge) => total + charge.refundedCents, 0)).toBe(sum(['refund']));
}

const succeeded = (payments: readonly Payment[], ...steps: readonly Payment['step'][]): Payment[] =>
  payments.filter(({ step, status }) => status === 'succeeded' && steps.includes(step));

function expectTakenOnce(
  { payments, hold, charges }: OrderMoney,
  books: readonly BookEntry[],
  mayRefuse: boolean,
): void {
  // The processor would refuse more than was charged: we must not even request it, unless we cannot know what went back.
  if (!mayRefuse) {
    expect(payments.filter(({ declineReason }) => declineReason === 'amount_too_large')).toEqual([]);
  }
  expect(succeeded(payments, 'main').length).toBeLessThanOrEqual(1);
  expect(succeeded(payments, 'capture', 'recharge').length).toBe(hold?.status === 'settled' ? 1 : 0);
  expect(succeeded(payments, 'upsell').length).toBeLessThanOrEqual(1);
  // The seller may have captured a part there: then that is what the order costs.
  const there = books.find((entry) => entry.kind === 'capture' && isMadeThere(entry));
  const taken = there?.amountCents ?? 4900;
  if (hold !== null) expect(hold.capturedCents).toBe(hold.status === 'settled' ? taken : 0);
  if (hold?.lostBecause === 'released') expect(charges).toEqual([]);
  const paid = succeeded(payments, 'main').length === 1 && (hold === null || hold.status === 'settled');
  const due = hold === null || hold.upsellDeclined || hold.decision !== 'accepted' ? taken : taken + 1500;
  expect(charges.reduce((total, charge) => total + charge.amountCents, 0)).toBe(paid ? due : 0);
}

/** However often the database was restored, the processor took each of an order's payments once. */
function expectTakenOnceThere(money: OrderMoney, books: readonly BookEntry[], lost: Lost): void {
  const own = new Map(money.payments.map(({ id, step }) => [id, step]));
  const reversed = reversedOf(money);
  // What arrived after billing had given it up, or had forgotten it, is found and named.
  const taken = books
    .filter((entry) => isMoney(entry, 'charge', 'capture') && !isStray(money, entry) && !reversed.has(entry.paymentId))
    .filter(({ paymentId }) => own.has(paymentId) || lost.get(paymentId)?.arrived !== false)
    .map(({ paymentId }) => own.get(paymentId) ?? lost.get(paymentId)?.step);
  expect(taken.filter((step) => step === 'upsell').length).toBeLessThanOrEqual(1);
  expect(taken.filter((step) => step !== 'upsell').length).toBeLessThanOrEqual(1);
}

function expectEachEventOnce({ payments, hold, charges }: OrderMoney, events: readonly WrittenEvent[]): void {
  const of = (name: string) => events.filter(({ subject }) => subject === `evt.billing.${name}.v1`);
  const mains = payments.filter(({ step }) => step === 'main');
  const completed = Map.groupBy(of('payment.completed'), ({ data }) => data.paymentId);
  expect([...completed.keys()].toSorted()).toEqual(mains.map(({ id }) => id).toSorted());
  for (const { id, status, call } of mains) {
    const said = completed.get(id)?.map(({ data }) => data.status) ?? [];
    const end = status === 'succeeded' && call === 'authorize' ? 'held' : status;
    // A success may follow declines of what was given up; nothing follows a success.
    expect([id, said.at(-1), said.slice(0, -1).filter((each) => each !== 'declined')]).toEqual([id, end, []]);
  }
  const ended = hold === null || hold.status === 'settling' ? [] : [hold.status];
  expect(of('hold.settled').map(({ data }) => data.status)).toEqual(ended);
  expect(of('charge.refunded')).toHaveLength(succeeded(payments, 'refund').length);
  const whole = charges.length > 0 && charges.every((charge) => charge.refundedCents === charge.amountCents);
  expect(of('charges.refunded')).toHaveLength(whole ? 1 : 0);
}

/**
 * The daily runs compared the books with the processor's meanwhile: what arrived too late, and what a restored database lacks,
 * is all that they could not explain. A hold is named by its capture, if it has one.
 */
function expectNamed(
  money: OrderMoney,
  books: readonly BookEntry[],
  events: readonly WrittenEvent[],
  { missing, lost }: { readonly missing: readonly BookEntry[]; readonly lost: Lost },
): void {
  const named = events
    .filter(({ subject }) => subject === 'evt.billing.daily-run.noticed.v1')
    .map(({ data }) => String(data.summary).match(/\(reference ([\w/]+)\)/)?.[1]);
  expect(new Set(named).size).toBe(named.length);
  const ended = new Set(books.filter((entry) => isMoney(entry, 'capture', 'release')).map(({ about }) => about));
  // A hold that the processor ended holds nothing: what was charged instead is named.
  const isOver = ({ reference, kind, reason }: BookEntry) =>
    ended.has(reference) || (kind === 'hold' && reason === 'hold_expired');
  const unknown = [...missing, ...books.filter((entry) => isStray(money, entry))];
  const mustBe = unknown
    .filter((entry) => isMoney(entry, 'charge', 'capture', 'refund', 'hold') && !isOver(entry))
    .map(({ reference }) => reference);
  expect(named).toEqual(expect.arrayContaining(mustBe));
  // A hold that the seller captured there stands alone until its buyer decides; one that was ended there, until it is settled.
  const wasLost = books.filter(
    (entry) => lost.has(entry.paymentId) || (entry.kind === 'capture' && isMadeThere(entry)) || isEndedThere(entry),
  );
  expect([...unknown, ...wasLost].map(({ reference }) => reference)).toEqual(expect.arrayContaining(named));
}
