import { expect } from 'vitest';
import type { OrderMoney, Payment } from '../src/payments/payment.types.ts';
import type { BookEntry } from '../src/processors/simulated-books.ts';
import type { Replicas, WrittenEvent } from './payment-replicas.ts';

/** What must hold of an order once nothing is on its way any more. */
export async function expectBooksEqual(replicas: Replicas, account: string, orderId: string): Promise<void> {
  const [money, books, events] = await Promise.all([
    replicas.money(account, orderId),
    replicas.books(account),
    replicas.events(account),
  ]);
  expectEnded(money);
  expectEqualBooks(money, books);
  expectTakenOnce(money);
  expectEachEventOnce(money, books, events);
}

function expectEnded({ payments, hold, charges }: OrderMoney): void {
  expect(payments.filter(({ finished_at }) => finished_at === null)).toEqual([]);
  expect(['settled', 'lost', undefined]).toContain(hold?.status);
  expect(charges.filter(({ refund_due_at }) => refund_due_at !== null)).toEqual([]);
}

/** What a release ended, or may end, is neither held nor paid here. */
export async function expectNothingReleasedStands(replicas: Replicas, account: string, orderId: string): Promise<void> {
  const { payments } = await replicas.money(account, orderId);
  const released = payments.filter(({ step, status }) => step === 'release' && status !== 'declined');
  const stands = payments.filter(({ id, status }) => status === 'succeeded' && released.some((r) => r.subject === id));
  expect(stands).toEqual([]);
}

/** The request of a buyer's payment arrived after the payment was declined as lost: a charge that the books show as unmatched. */
const isStray = ({ payments }: OrderMoney, { paymentId }: BookEntry): boolean =>
  payments.some(
    ({ id, step, decline_reason }) => id === paymentId && step === 'main' && decline_reason === 'not_received',
  );

/**
 * Each entry of the processor is a payment of ours with the same end, and each success of ours is an entry. A hold that was
 * released is a decline: nothing can be captured of it.
 */
function expectEqualBooks(money: OrderMoney, all: readonly BookEntry[]): void {
  const { payments, charges } = money;
  const released = new Set(
    all.filter(({ kind, status }) => kind === 'release' && status === 'succeeded').map(({ about }) => about),
  );
  const books = all.filter((entry) => !isStray(money, entry));
  for (const entry of books) {
    const ours = payments.find(({ id }) => id === entry.paymentId);
    const theirs = entry.kind === 'hold' && released.has(entry.reference) ? 'declined' : entry.status;
    expect([entry.paymentId, ours?.status]).toEqual([entry.paymentId, theirs]);
    expect(ours).toMatchObject({ amount_cents: entry.amountCents, currency: entry.currency });
  }
  const arrived = new Set(all.map(({ paymentId }) => paymentId));
  expect(payments.filter(({ id, status }) => status === 'succeeded' && !arrived.has(id))).toEqual([]);
  const sum = (kinds: readonly string[]): number =>
    books
      .filter(({ kind, status }) => status === 'succeeded' && kinds.includes(kind))
      .reduce((total, { amountCents }) => total + amountCents, 0);
  expect(charges.reduce((total, charge) => total + charge.amount_cents, 0)).toBe(sum(['charge', 'capture']));
  expect(charges.reduce((total, charge) => total + charge.refunded_cents, 0)).toBe(sum(['refund']));
}

const succeeded = (payments: readonly Payment[], ...steps: readonly Payment['step'][]): Payment[] =>
  payments.filter(({ step, status }) => status === 'succeeded' && steps.includes(step));

function expectTakenOnce({ payments, hold, charges }: OrderMoney): void {
  // The processor would refuse more than was charged: we must not even ask for it.
  expect(payments.filter(({ decline_reason }) => decline_reason === 'amount_too_large')).toEqual([]);
  expect(succeeded(payments, 'main').length).toBeLessThanOrEqual(1);
  expect(succeeded(payments, 'capture', 'recharge').length).toBe(hold?.status === 'settled' ? 1 : 0);
  expect(succeeded(payments, 'upsell').length).toBeLessThanOrEqual(1);
  if (hold !== null) expect(hold.captured_cents).toBe(hold.status === 'settled' ? hold.amount_cents : 0);
  const paid = succeeded(payments, 'main').length === 1 && hold?.status !== 'lost';
  const due = hold === null || hold.upsell_declined || hold.decision !== 'accepted' ? 4900 : 4900 + 1500;
  expect(charges.reduce((total, charge) => total + charge.amount_cents, 0)).toBe(paid ? due : 0);
}

function expectEachEventOnce(money: OrderMoney, books: readonly BookEntry[], events: readonly WrittenEvent[]): void {
  const { payments, hold, charges } = money;
  const of = (name: string) => events.filter(({ subject }) => subject === `evt.billing.${name}.v1`);
  const mains = payments.filter(({ step }) => step === 'main');
  expect(
    of('payment.completed')
      .map(({ data }) => data.paymentId)
      .toSorted(),
  ).toEqual(mains.map(({ id }) => id).toSorted());
  expect(of('hold.settled').map(({ data }) => data.status)).toEqual(hold === null ? [] : [hold.status]);
  // The daily runs compared the books with the processor's meanwhile: what arrived too late is all that they could not explain.
  const strays = books.filter((entry) => entry.status === 'succeeded' && isStray(money, entry));
  expect(of('daily-run.noticed').map(({ data }) => String(data.summary).match(/\(reference (\w+)\)/)?.[1])).toEqual(
    strays.map(({ reference }) => reference),
  );
  expect(of('charge.refunded')).toHaveLength(succeeded(payments, 'refund').length);
  const whole = charges.length > 0 && charges.every((charge) => charge.refunded_cents === charge.amount_cents);
  expect(of('charges.refunded')).toHaveLength(whole ? 1 : 0);
}
