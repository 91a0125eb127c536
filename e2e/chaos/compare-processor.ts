import { type Books, type Charge, type Comparison, centsOf, comparing, type Entry, type Payment } from './books.ts';

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
export function comparePayments({ entries, payments }: Books): Comparison {
  const comparison = comparing('entries of the processor, payments of billing');
  const ours = new Map(payments.map((payment) => [payment.id, payment]));
  for (const entry of entries) {
    const payment = ours.get(entry.payment_id);
    if (payment === undefined) comparison.wrong('an entry without a payment', entry);
    else comparison.equal(`payment ${payment.id}, ${payment.step}`, theirSide(entry), ourSide(payment, entry));
  }
  const arrived = new Set(entries.map(({ payment_id }) => payment_id));
  for (const payment of payments) {
    if (arrived.has(payment.id)) continue;
    comparison.equal(`payment ${payment.id}, ${payment.step}, without an entry`, payment.status, 'declined');
    if (!declinedWithoutEntry.has(payment.reason ?? '')) comparison.wrong('a payment without an entry', payment);
  }
  return comparison;
}

const theirSide = (entry: Entry) => ({
  ...{ kind: entry.kind, cents: entry.amount_cents, currency: entry.currency, test: entry.test },
  ...{ account: entry.account_id, order: entry.order_id, succeeded: entry.status === 'succeeded' },
  reference: entry.status === 'succeeded' ? entry.reference : null,
});

function ourSide(payment: Payment, entry: Entry) {
  // The processor keeps the end that a hold had before it was released; for us it is declined, as nothing can be captured.
  const isReleased = payment.status === 'declined' && entry.kind === 'hold' && entry.released;
  const succeeded = payment.status === 'succeeded' || (isReleased && entry.status === 'succeeded');
  const reference = isReleased ? entry.reference : payment.reference;
  return {
    ...{ kind: kindOf[payment.call], cents: payment.amount_cents, currency: payment.currency, test: payment.test },
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
  const took = entries.filter(
    ({ kind, status }) => (kind === 'charge' || kind === 'capture') && status === 'succeeded',
  );
  for (const entry of took) {
    const charge = byReference.get(entry.reference);
    const back = centsOf(refunds.get(entry.reference) ?? []);
    const theirs = [entry.payment_id, entry.order_id, entry.amount_cents, back];
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

const lineOf = (charge: Charge) => [charge.id, charge.order_id, charge.amount_cents, charge.refunded_cents];

/** A hold is at the processor as billing has it: captured once with what billing says, and never released. */
export function compareHolds({ entries, payments, holds }: Books): Comparison {
  const comparison = comparing('holds at the processor, holds of billing');
  const byReference = new Map(entries.map((entry) => [entry.reference, entry]));
  for (const hold of holds) {
    const entry = byReference.get(hold.reference);
    const steps = payments.filter(({ order_id, status }) => order_id === hold.order_id && status === 'succeeded');
    const captured = centsOf(steps.filter(({ step }) => step === 'capture'));
    const recharged = centsOf(steps.filter(({ step }) => step === 'recharge'));
    // An expired hold is charged once on the saved card: then nothing was captured of it.
    const ours = [hold.payment_id, hold.amount_cents, captured, false];
    comparison.equal(`hold of ${hold.order_id}`, entryOf(entry), ours);
    const due = hold.status === 'settled' ? hold.amount_cents : 0;
    comparison.equal(`captured of ${hold.order_id}, ${hold.status}`, captured + recharged, due);
    comparison.equal(`captured of ${hold.order_id} by its row`, hold.captured_cents, due);
  }
  const ours = new Set(holds.map(({ reference }) => reference));
  for (const entry of entries) {
    if (entry.kind !== 'hold' || entry.status !== 'succeeded' || entry.released || ours.has(entry.reference)) continue;
    comparison.wrong('a hold that billing does not have', entry);
  }
  return comparison;
}

const entryOf = (entry: Entry | undefined) =>
  entry === undefined ? undefined : [entry.payment_id, entry.amount_cents, entry.taken_cents, entry.released];
