import type { Answers } from './answers.ts';
import { type Books, type Charge, type Comparing, type Comparison, centsOf, comparing, type Hold } from './books.ts';
import type { Entry, Payment } from './payment-rows.ts';
import { endedThere } from './stripe-books.ts';

const kindOf: Record<Payment['call'], Entry['kind']> = {
  ...{ authorize: 'hold', charge: 'charge', chargeSaved: 'charge' },
  ...{ capture: 'capture', refund: 'refund', release: 'release', saveMethod: 'method' },
};

/**
 * A payment that was declined without an entry, and why that is right:
 * - not_received: the processor certainly never got it.
 * - lost_card and expired_card of renewals: such a card fails each attempt without a call.
 */
const declinedWithoutEntry = new Set(['not_received', 'lost_card', 'expired_card']);

/** Every entry of the processor is a payment of billing with the same end, and every payment that was answered is an entry. */
export function comparePayments({ entries, payments, holds }: Books): Comparison {
  const comparison = comparing('entries of the processor, payments of billing');
  const ours = new Map(payments.map((payment) => [payment.id, payment]));
  const held = new Map(holds.map((hold) => [hold.reference, hold]));
  for (const entry of entries.filter((each) => !failedThere(each))) {
    const payment = ours.get(entry.payment_id);
    if (entry.payment_id === endedThere)
      comparison.equal(`hold ${entry.about}, released there`, lostBecause(held.get(entry.about ?? '')), 'released');
    else if (payment === undefined) comparison.wrong('an entry without a payment', entry);
    else comparison.equal(`payment ${payment.id}, ${payment.step}`, theirSide(entry), ourSide(payment, entry));
  }
  const arrived = new Set(entries.map(({ payment_id }) => payment_id));
  for (const payment of payments) {
    if (arrived.has(payment.id)) continue;
    comparison.equal(`payment ${payment.id}, ${payment.step}, without an entry`, payment.status, 'declined');
    // Stripe makes no object of what it refuses at once.
    if (payment.processor === 'stripe' || declinedWithoutEntry.has(payment.reason ?? '')) continue;
    comparison.wrong('a payment without an entry', payment);
  }
  compareReversals(comparison, payments);
  return comparison;
}

/** Of a payment that was given up before billing knew that it held anything there is no hold here. */
const lostBecause = (hold: Hold | undefined): Hold['lost_because'] =>
  hold === undefined ? 'released' : hold.lost_because;

/** A refund of Stripe's Dashboard that failed before anybody read it moved nothing. */
const failedThere = ({ payment_id, kind, status }: Entry): boolean =>
  payment_id === '' && kind === 'refund' && status === 'failed';

/** What was taken or held beside another payment for the same went back. */
function compareReversals(comparison: Comparing, payments: readonly Payment[]): void {
  const back = payments.filter(({ step, status }) => step === 'reversal' && status === 'succeeded');
  comparison.equal(
    'what was taken beside another payment, what gave it back',
    payments.filter(isReversed).map(({ id }) => id),
    back.map(({ charge_id }) => charge_id).toSorted(),
  );
}

const isReversed = ({ status, reason }: Payment): boolean => status === 'declined' && reason === 'reversed';

const theirSide = (entry: Entry) => ({
  ...{ kind: entry.kind, cents: entry.amount_cents, currency: entry.currency, test: entry.test },
  ...{ account: entry.account_id, order: entry.order_id, succeeded: entry.status === 'succeeded' },
  reference: entry.status === 'succeeded' ? entry.reference : null,
});

function ourSide(payment: Payment, entry: Entry) {
  // The processor keeps the end that a hold had before it was released; for us it is declined, as nothing can be captured.
  const isReleased = payment.status === 'declined' && entry.kind === 'hold' && entry.released;
  const isBack = isReversed(payment);
  const succeeded = payment.status === 'succeeded' || ((isReleased || isBack) && entry.status === 'succeeded');
  const reference = isReleased || isBack ? entry.reference : payment.reference;
  return {
    ...{ kind: kindOf[payment.call], cents: payment.amount_cents },
    ...{ currency: entry.currency === null ? null : payment.currency, test: payment.test },
    ...{ account: payment.account_id, order: payment.order_id, succeeded },
    reference: succeeded ? reference : null,
  };
}

const taking: readonly Payment['call'][] = ['charge', 'chargeSaved', 'capture'];

/** By reference: each charge of billing is one that succeeded at the processor, and has gone back as far there as here. */
export function compareCharges({ entries, payments, charges }: Books): Comparison {
  const comparison = comparing('charges and refunds at the processor, charges of billing');
  const byReference = new Map(charges.map((charge) => [charge.reference, charge]));
  const refunds = Map.groupBy(
    entries.filter(({ kind, status }) => kind === 'refund' && status === 'succeeded'),
    ({ about }) => about,
  );
  const reversed = new Set(payments.filter(isReversed).map(({ id }) => id));
  const took = entries.filter(
    ({ kind, status, payment_id }) =>
      (kind === 'charge' || kind === 'capture') && status === 'succeeded' && !reversed.has(payment_id),
  );
  for (const entry of took) {
    const charge = byReference.get(entry.reference);
    const back = centsOf(refunds.get(entry.reference) ?? []);
    // Refunds count first.
    const kept = Math.min(entry.lost_cents, entry.amount_cents - back);
    const theirs = [entry.payment_id, entry.order_id, entry.amount_cents, back, kept];
    comparison.equal(`charge ${entry.reference}`, theirs, charge === undefined ? undefined : lineOf(charge));
  }
  const known = new Set(took.map(({ reference }) => reference));
  for (const charge of charges)
    if (!known.has(charge.reference)) comparison.wrong('a charge that took nothing', charge);
  const succeeded = payments.filter(({ status, call }) => status === 'succeeded' && taking.includes(call));
  comparison.equal(
    'payments that took money',
    succeeded.map(({ id }) => id).toSorted(),
    charges.map(({ id }) => id).toSorted(),
  );
  for (const charge of charges) {
    const back = payments.filter(
      ({ step, status, charge_id }) => step === 'refund' && status === 'succeeded' && charge_id === charge.id,
    );
    comparison.equal(`refunds of ${charge.id}`, centsOf(back), charge.refunded_cents);
  }
  return comparison;
}

const lineOf = (charge: Charge) => [
  ...[charge.id, charge.order_id, charge.amount_cents],
  ...[charge.refunded_cents, charge.lost_cents],
];

/** A hold is at the processor as billing has it: captured once with what billing says, or released where it says so. */
export function compareHolds(
  { entries, payments, holds }: Books,
  { capturedThere }: Pick<Answers, 'capturedThere'>,
): Comparison {
  const comparison = comparing('holds at the processor, holds of billing');
  const byReference = new Map(entries.map((entry) => [entry.reference, entry]));
  for (const hold of holds) {
    const entry = byReference.get(hold.reference);
    const steps = payments.filter(({ order_id, status }) => order_id === hold.order_id && status === 'succeeded');
    const captured = centsOf(steps.filter(({ step }) => step === 'capture'));
    const recharged = centsOf(steps.filter(({ step }) => step === 'recharge'));
    // An expired hold is charged once on the saved card: then nothing was captured of it. It may have expired before its release.
    const isReleased = hold.lost_because === 'released' && entry?.released === true;
    const ours = [hold.payment_id, hold.amount_cents, captured, isReleased];
    comparison.equal(`hold of ${hold.order_id}`, entryOf(entry), ours);
    const whole = capturedThere.get(hold.reference) ?? hold.amount_cents;
    const due = hold.status === 'settled' ? whole : 0;
    comparison.equal(`captured of ${hold.order_id}, ${hold.status}`, captured + recharged, due);
    comparison.equal(`captured of ${hold.order_id} by its row`, hold.captured_cents, due);
  }
  const ours = new Set(holds.map(({ reference }) => reference));
  const reversed = new Set(payments.filter(isReversed).map(({ id }) => id));
  for (const entry of entries) {
    if (entry.kind !== 'hold' || entry.status !== 'succeeded' || entry.released || ours.has(entry.reference)) continue;
    if (reversed.has(entry.payment_id)) continue;
    comparison.wrong('a hold that billing does not have', entry);
  }
  return comparison;
}

const entryOf = (entry: Entry | undefined) =>
  entry === undefined ? undefined : [entry.payment_id, entry.amount_cents, entry.taken_cents, entry.released];
