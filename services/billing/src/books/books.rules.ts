import type { BooksComparison } from '@app/contracts/daily-runs';
import { formatAmount } from '@app/money/format';
import type { Payment } from '../payments/payment.types.ts';
import type { ProcessorRecord } from '../processors/payment-processor.ts';

/** What the comparison reads of a payment of ours. */
export type OwnPayment = Pick<
  Payment,
  'id' | 'order_id' | 'call' | 'status' | 'amount_cents' | 'currency' | 'decline_reason'
>;

export type MoneyKind = 'charge' | 'refund';

/** Money that one side does not know of, or knows otherwise. */
export type Orphan = BooksComparison['orphans'][number] & {
  /** Ours, where the order is known. */
  readonly orderId: string | null;
};

/** What a record of the processor says beside what the platform recorded. */
export type Verdict =
  /** No money moved, or it is not known yet how the payment stands. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'equal' }
  /** A refund that had been taken failed afterwards, and the platform does not know yet. */
  | { readonly kind: 'refund_failed' }
  | { readonly kind: 'orphan'; readonly orphan: Orphan };

const nothing: Verdict = { kind: 'nothing' };
const refundFailed = 'refund_failed';

/** Holds and releases move no money. */
function kindOfRecord({ kind }: ProcessorRecord): MoneyKind | null {
  if (kind === 'refund') return 'refund';
  return kind === 'charge' || kind === 'capture' ? 'charge' : null;
}

function kindOfPayment({ call }: OwnPayment): MoneyKind | null {
  if (call === 'refund') return 'refund';
  return call === 'authorize' || call === 'release' ? null : 'charge';
}

/** @param own our payment with the record's id or reference; undefined when there is none */
export function verdictOn(record: ProcessorRecord, own: OwnPayment | undefined): Verdict {
  const kind = kindOfRecord(record);
  if (kind === null) return nothing;
  if (record.status === 'failed') return verdictOnFailed(record, kind, own);
  // A declined one and one that waits for the buyer took nothing.
  if (record.status !== 'succeeded') return nothing;
  if (own === undefined) return atProcessor(record, kind, null, unknownHere[kind](record));
  if (own.status === 'declined') {
    return own.decline_reason === refundFailed
      ? nothing
      : atProcessor(record, kind, own, declinedHere[kind](record, own));
  }
  if (own.status !== 'succeeded') return nothing;
  const equal =
    kindOfPayment(own) === kind && own.amount_cents === record.amountCents && own.currency === record.currency;
  return equal ? { kind: 'equal' } : atProcessor(record, kind, own, otherwiseHere(record, own));
}

/** A failure takes back what the record said before: it is money again for what was a refund, and none for a charge. */
function verdictOnFailed(record: ProcessorRecord, kind: MoneyKind, own: OwnPayment | undefined): Verdict {
  if (own?.status !== 'succeeded') return nothing;
  if (kind === 'refund') return { kind: 'refund_failed' };
  return orphanOf('platform', kind, own.id, own, chargeFailedText(record, own));
}

/** What the platform recorded as moved and the processor does not know, also when it is asked for it by its id. */
export function notAtProcessor(kind: MoneyKind, own: OwnPayment & { readonly reference: string }): Orphan {
  return orphan('platform', kind, own.id, own, missingThere[kind](own));
}

type Money = Pick<OwnPayment, 'amount_cents' | 'currency'>;

function orphan(
  side: Orphan['side'],
  kind: MoneyKind,
  id: string,
  money: Money & { order_id: string | null },
  detail: string,
): Orphan {
  const { amount_cents, currency, order_id: orderId } = money;
  return { side, kind, id, amount_cents, currency, detail, orderId };
}

const orphanOf = (...of: Parameters<typeof orphan>): Verdict => ({ kind: 'orphan', orphan: orphan(...of) });

function atProcessor(record: ProcessorRecord, kind: MoneyKind, own: OwnPayment | null, detail: string): Verdict {
  const money = { amount_cents: record.amountCents, currency: record.currency, order_id: own?.order_id ?? null };
  return orphanOf('processor', kind, record.reference, money, detail);
}

/* What sellers read: what is there, and what to do. */

const amountOf = ({ amount_cents, currency }: Money): string => formatAmount(amount_cents, currency);
const theirs = ({ amountCents, currency, reference, recordedAt }: ProcessorRecord, noun: string): string =>
  `The payment processor shows a ${noun} of ${formatAmount(amountCents, currency)} of ${day(recordedAt)} (reference ${reference})`;
const ours = (own: OwnPayment, noun: string): string =>
  `The platform recorded a ${noun} of ${amountOf(own)} for order ${own.order_id} (payment ${own.id})`;
const day = (time: Date): string => time.toISOString().slice(0, 10);

const unknownHere: Record<MoneyKind, (record: ProcessorRecord) => string> = {
  charge: (record) =>
    `${theirs(record, 'charge')} that the platform does not know. Look it up there: if nobody bought anything for it, give it back there; if it was a sale of yours, record it here as an order.`,
  refund: (record) =>
    `${theirs(record, 'refund')} that was not made here. Look up there which charge it gives back: if that is of an order here, the order still counts as paid, so cancel its subscription if it has one, and do not refund it again.`,
};

const declinedHere: Record<MoneyKind, (record: ProcessorRecord, own: OwnPayment) => string> = {
  charge: (record, { order_id, id }) =>
    `${theirs(record, 'charge')} for order ${order_id}, which the platform recorded as declined (payment ${id}). Give it back there, or give the buyer what it was for.`,
  refund: (record, { order_id, id }) =>
    `${theirs(record, 'refund')} of order ${order_id}, which the platform recorded as refused (payment ${id}). The buyer has the money: do not refund the order again, and cancel its subscription if it has one.`,
};

const otherwiseHere = (record: ProcessorRecord, own: OwnPayment): string =>
  `${theirs(record, record.kind)} for order ${own.order_id}, which the platform recorded as ${nounOf(own)} of ${amountOf(own)} (payment ${own.id}). Compare it there with what the buyer agreed to, and give back there what was taken too much.`;

const nounOf = ({ call }: OwnPayment): string => {
  switch (call) {
    case 'authorize':
      return 'a hold';
    case 'refund':
    case 'release':
    case 'capture':
      return `a ${call}`;
    default:
      return 'a charge';
  }
};

const missingThere: Record<MoneyKind, (own: OwnPayment & { readonly reference: string }) => string> = {
  charge: (own) =>
    `${ours(own, 'charge')}, which the payment processor does not show. Ask the processor for the reference ${own.reference}: if the money never came, charge the buyer anew, or end what the order gives.`,
  refund: (own) =>
    `${ours(own, 'refund')}, which the payment processor does not show. Ask the processor for the reference ${own.reference}: if the money never went, give it back there.`,
};

const chargeFailedText = (record: ProcessorRecord, own: OwnPayment): string =>
  `${ours(own, 'charge')}, which failed at the payment processor on ${day(record.recordedAt)} (reference ${record.reference})${record.message === null ? '' : `: ${record.message}`}. The money is not with you: charge the buyer anew, or end what the order gives.`;
