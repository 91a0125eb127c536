import type { BooksComparison } from '@app/contracts/daily-runs';
import { formatAmount } from '@app/money/format';
import { failedLater, reversed } from '../../charging/payment.rules.ts';
import type { Hold, Payment } from '../../charging/payment.types.ts';
import { type Fact, namesPayment } from '../../ledger/facts.rules.ts';

/** A fact that a list showed: with the processor's time. */
export type ListedFact = Fact & { readonly recordedAt: Date };

/** What the comparison reads of a payment of ours. */
export type OwnPayment = Pick<
  Payment,
  | 'id'
  | 'accountId'
  | 'orderId'
  | 'call'
  | 'status'
  | 'amountCents'
  | 'currency'
  | 'declineReason'
  | 'processorReference'
  | 'test'
>;

/** What the comparison reads of a hold of ours: its payment, and how the hold stands now. */
export interface OwnHold extends OwnPayment {
  readonly hold_status: Hold['status'];
}

/** Money that the platform recorded as moved, or as held. */
export interface OwnMoney extends OwnPayment {
  readonly at: Date;
  /** Nothing depends on it any more: a hold that was captured, or lost. */
  readonly is_over: boolean;
}

/** What a list showed and no payment here explains. */
export interface UnexplainedFact {
  readonly fact: ListedFact;
  /** Ours that has its reference, or that it names. */
  readonly own: OwnPayment | undefined;
  /** Ours that a capture or release is of. */
  readonly hold: OwnHold | undefined;
  /** Of a hold: it was captured or released since. */
  readonly ended: boolean;
}

export type MoneyKind = 'charge' | 'refund' | 'hold';

/** Money, or a hold of it, that one side does not know of, or knows otherwise. */
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

/** Releases are judged by what they end: see `heldNoMore`. */
function kindOfRecord({ kind }: ListedFact): MoneyKind | null {
  if (kind === 'release') return null;
  return kind === 'capture' ? 'charge' : kind;
}

/** Null for what moves no money. */
function kindOfPayment({ call }: Pick<OwnPayment, 'call'>): MoneyKind | null {
  if (call === 'release' || call === 'saveMethod') return null;
  if (call === 'refund') return 'refund';
  return call === 'authorize' ? 'hold' : 'charge';
}

/** One payment moves money once: two records of it with different references are two charges. */
const isRecordOf = (record: ListedFact, own: OwnPayment): boolean => own.processorReference === record.reference;

/** @param own our payment with the record's reference or, failing that, with its id; undefined when there is none */
export function verdictOn(record: ListedFact, own: OwnPayment | undefined): Verdict {
  const kind = kindOfRecord(record);
  if (kind === null) return nothing;
  if (record.status === 'failed') return verdictOnFailed(record, kind, own);
  // A declined one and one that waits for the buyer took nothing.
  if (record.status !== 'succeeded') return nothing;
  if (own === undefined) return atProcessor(record, kind, null, unknownHere[kind](record));
  if (own.status === 'declined') {
    return (own.declineReason === failedLater || own.declineReason === reversed) && isRecordOf(record, own)
      ? nothing
      : atProcessor(record, kind, own, declinedHere[kind](record, own));
  }
  if (own.status !== 'succeeded') return nothing;
  if (!isRecordOf(record, own)) return atProcessor(record, kind, own, besideAnother[kind](record, own));
  const equal =
    kindOfPayment(own) === kind && own.amountCents === record.amountCents && own.currency === record.currency;
  return equal ? { kind: 'equal' } : atProcessor(record, kind, own, otherwiseHere(record, own));
}

/** A failure takes back what the record said before: it is money again for what was a refund, and none for a charge. */
function verdictOnFailed(record: ListedFact, kind: MoneyKind, own: OwnPayment | undefined): Verdict {
  if (own?.status !== 'succeeded' || kind === 'hold' || !isRecordOf(record, own)) return nothing;
  if (kind === 'refund') return { kind: 'refund_failed' };
  return verdictOf('platform', kind, own.id, own, chargeFailedText(record, own));
}

/**
 * A release at the processor of what is recorded as held here, or a capture of a hold that was not made here. A hold that
 * is being settled is left alone: its own capture meets the release or finds that capture, and its end is reported.
 * @param hold ours that the record is about
 */
function heldNoMore(record: ListedFact, hold: OwnHold): Orphan | undefined {
  const { hold_status: status, orderId } = hold;
  if (record.kind === 'release') {
    return status === 'held' ? orphan('platform', 'hold', hold.id, hold, releasedText(record, hold)) : undefined;
  }
  if (status === 'settling') return undefined;
  const money = { amountCents: record.amountCents, currency: record.currency, orderId };
  return orphan('processor', 'charge', record.reference, money, capturedText(record, hold));
}

/** What the platform recorded as moved and the processor does not know, also when looked up by its id. */
export function notAtProcessor(kind: MoneyKind, own: OwnPayment): Orphan {
  return orphan('platform', kind, own.id, own, missingThere[kind](own));
}

/**
 * What is done about a fact that nothing here explains, before it is reported:
 *
 *   follow     it is recorded as it happened: the seller's own refund, and a renewal or refund of ours that this database lacks
 *   look up    it was declined here: what the processor says of it now counts, or goes back where another payment took the same
 *   reopen     a refund that had been taken failed: its charge is open again
 *   report     nothing: the seller is notified, as of whatever is still unexplained afterwards
 *
 * What this database lacks of ours stops the charges of the account besides, whatever is done about it: see `unmatched-payments.ts`.
 */
export type Policy = 'follow' | 'look up' | 'reopen' | 'report';

export function policyOf({ fact, own }: UnexplainedFact): Policy {
  const { kind, status } = fact;
  if (kind === 'refund' && status === 'failed') return 'reopen';
  if (own === undefined) {
    const isFollowed = kind === 'refund' ? status === 'succeeded' : kind === 'charge' && status !== 'failed';
    return isFollowed && (kind === 'refund' || namesPayment(fact)) ? 'follow' : 'report';
  }
  return own.status === 'declined' && status === 'succeeded' && kind !== 'release' ? 'look up' : 'report';
}

/**
 * What is reported of a fact that is unexplained still; `later` where a hold is being settled: its own capture meets that one, and the next
 * comparison reads it again.
 */
export function orphanOf({ fact, own, hold, ended }: UnexplainedFact): Orphan | 'later' | undefined {
  const endsHold =
    fact.status === 'succeeded' && (fact.kind === 'release' || (fact.kind === 'capture' && own === undefined));
  if (endsHold && hold !== undefined) {
    const orphan = heldNoMore(fact, hold);
    return orphan ?? (fact.kind === 'capture' ? 'later' : undefined);
  }
  if (ended) return undefined;
  const verdict = verdictOn(fact, own);
  return verdict.kind === 'orphan' ? verdict.orphan : undefined;
}

type Money = Pick<OwnPayment, 'amountCents' | 'currency'>;

function orphan(
  side: Orphan['side'],
  kind: MoneyKind,
  id: string,
  money: Money & { orderId: string | null },
  detail: string,
): Orphan {
  const { amountCents, currency, orderId } = money;
  return { side, kind, id, amount_cents: amountCents, currency, detail, orderId };
}

const verdictOf = (...of: Parameters<typeof orphan>): Verdict => ({ kind: 'orphan', orphan: orphan(...of) });

function atProcessor(record: ListedFact, kind: MoneyKind, own: OwnPayment | null, detail: string): Verdict {
  const money = { amountCents: record.amountCents, currency: record.currency, orderId: own?.orderId ?? null };
  return verdictOf('processor', kind, record.reference, money, detail);
}

/* What sellers read: what is there, and what to do. */

const amountOf = ({ amountCents, currency }: Money): string => formatAmount(amountCents, currency);
const theirs = ({ amountCents, currency, reference, recordedAt }: ListedFact, noun: string): string =>
  `The payment processor shows a ${noun} of ${formatAmount(amountCents, currency)} of ${day(recordedAt)} (reference ${reference})`;
const ours = (own: OwnPayment, noun: string): string =>
  `The platform recorded a ${noun} of ${amountOf(own)} for order ${own.orderId} (payment ${own.id})`;
const day = (time: Date): string => time.toISOString().slice(0, 10);

/** @param first of those that could not be followed, and the order that it is of */
export function notFollowedText(
  { fact, orderId }: { readonly fact: ListedFact; readonly orderId: string },
  count: number,
): string {
  const others = count === 1 ? '' : ` The same holds for ${count - 1} more.`;
  return `${theirs(fact, fact.kind)} of order ${orderId}, which could not be recorded here. Renewals of that order are not charged until it is; the next run tries again. If this stays, write to the operator of the platform, whose log has the reason.${others}`;
}

const unknownHere: Record<MoneyKind, (record: ListedFact) => string> = {
  charge: (record) =>
    `${theirs(record, 'charge')} that the platform does not know. Look it up there: if no buyer bought anything for it, give it back there; if it was a sale of yours, record it here as an order.`,
  refund: (record) =>
    `${theirs(record, 'refund')} that was not made here. Look up there which charge it gives back: if that is of an order here, the order does not count it: do not give that amount back again, and where it was all of the order, cancel its subscription if it has one.`,
  hold: (record) =>
    `${theirs(record, 'hold')} that the platform does not know. Unless an order here waits for it, which takes it up by itself, nothing will be captured of it: release it there, so that the buyer has the money back at once.`,
};

const declinedHere: Record<MoneyKind, (record: ListedFact, own: OwnPayment) => string> = {
  charge: (record, { orderId, id }) =>
    `${theirs(record, 'charge')} for order ${orderId}, which the platform recorded as declined (payment ${id}). Give it back there, or give the buyer what it was for.`,
  refund: (record, { orderId, id }) =>
    `${theirs(record, 'refund')} of order ${orderId}, which the platform recorded as refused (payment ${id}). The buyer has that amount: do not give it back again, and where it was all of the order, cancel its subscription if it has one.`,
  hold: (record, { orderId, id }) =>
    `${theirs(record, 'hold')} for order ${orderId}, which the platform recorded as declined (payment ${id}). Nothing will be captured of it: release it there, so that the buyer has the money back at once.`,
};

const another = (own: OwnPayment): string =>
  `beside another (reference ${own.processorReference}) that the platform recorded for the same payment ${own.id}`;

const besideAnother: Record<MoneyKind, (record: ListedFact, own: OwnPayment) => string> = {
  charge: (record, own) =>
    `${theirs(record, 'charge')} for order ${own.orderId}, ${another(own)}. If both were taken, the buyer paid twice: give this one back there.`,
  refund: (record, own) =>
    `${theirs(record, 'refund')} of order ${own.orderId}, ${another(own)}. If both went out, the buyer has the money twice: ask the processor to take this one back.`,
  hold: (record, own) =>
    `${theirs(record, 'hold')} for order ${own.orderId}, ${another(own)}. If both stand, the buyer's money is held twice: release this one there.`,
};

const otherwiseHere = (record: ListedFact, own: OwnPayment): string =>
  `${theirs(record, record.kind)} for order ${own.orderId}, which the platform recorded as ${nounOf(own)} of ${amountOf(own)} (payment ${own.id}). Compare it there with what the buyer agreed to, and give back there what was taken too much.`;

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

/* Of a hold that is still to be settled: the platform goes on by itself, and what the seller does beside it is done twice. */
const countedLater =
  'the order counts it once the buyer has decided on the upsell or the time for that is over: leave it there. If the buyer is not to pay, refund the order then.';

const missingThere: Record<MoneyKind, (own: OwnPayment) => string> = {
  charge: (own) =>
    `${ours(own, 'charge')}, which the payment processor does not show. Ask the processor for the reference ${own.processorReference}: if the money never came, charge the buyer anew, or end what the order gives.`,
  refund: (own) =>
    `${ours(own, 'refund')}, which the payment processor does not show. Ask the processor for the reference ${own.processorReference}: if the money never went, give it back there.`,
  hold: (own) =>
    `${ours(own, 'hold')}, which the payment processor does not show. Ask the processor for the reference ${own.processorReference}: if nothing is held there, nothing can be captured. Charge the buyer only after you were notified that the held money is lost: until then the platform may charge the saved card.`,
};

const releasedText = (record: ListedFact, hold: OwnHold): string =>
  `${ours(hold, 'hold')}, which was released at the payment processor on ${day(record.recordedAt)}, or expired there (reference ${record.reference}). When the buyer has decided on the upsell, or the time for that is over, the order of a released one ends and nothing is charged; for one that expired the saved card is charged.`;

const capturedText = (record: ListedFact, hold: OwnHold): string =>
  `${theirs(record, 'capture')} of the hold of order ${hold.orderId}, which the platform did not make (payment ${hold.id}). The buyer paid, and ${hold.hold_status === 'held' ? countedLater : 'the order does not count it: give it back there, or give the buyer what it was for.'}`;

const chargeFailedText = (record: ListedFact, own: OwnPayment): string =>
  `${ours(own, 'charge')}, which failed at the payment processor on ${day(record.recordedAt)} (reference ${record.reference})${record.message === null ? '' : `: ${record.message}`}. The money is not with you: charge the buyer anew, or end what the order gives.`;
