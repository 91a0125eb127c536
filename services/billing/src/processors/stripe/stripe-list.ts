import { daySeconds } from '@app/contracts/durations';
import { fromStripeAmount } from '@app/money/stripe-amounts';
import type Stripe from 'stripe';
import type { ProcessorCall, ProcessorRecord } from '../port.ts';
import { disputeOf } from './stripe-disputes.ts';
import { NotPermittedError } from './stripe-errors.ts';
import { feesOf, feesOfCharge } from './stripe-fees.ts';
import { eachOf } from './stripe-intents.ts';
import type { StripeLink } from './stripe-link.ts';
import { statusOf } from './stripe-look-up.ts';
import {
  captureReference,
  chargeOf,
  isHold,
  markOf,
  moneyReference,
  type OurMark,
  releaseReference,
} from './stripe-objects.ts';
import { lastNo } from './stripe-outcomes.ts';

/** Entries of one of Stripe's lists that are in memory at once: a few kilobytes each. */
const portionMax = 1_000;
/** A range of a day, whose ends are within seconds, is one portion. */
const widest = daySeconds + 1;

/** A portion of time, in whole seconds: Stripe's times have no parts of one. `to` is excluded. */
interface Portion {
  readonly from: number;
  readonly to: number;
}

/**
 * What Stripe has of the account's payments, oldest first. Stripe lists newest first, so a portion of time is read whole; one that
 * has too much is halved.
 */
export async function* listRecords(
  link: StripeLink,
  range: { readonly from: Date; readonly to: Date },
  call: ProcessorCall,
): AsyncGenerator<ProcessorRecord> {
  const end = Math.ceil(range.to.getTime() / 1_000);
  let from = Math.floor(range.from.getTime() / 1_000);
  let width = widest;
  while (from < end) {
    const portion = { from, to: Math.min(from + width, end) };
    const found = await readPortion(link, portion, call);
    if (found === 'too much') {
      width = Math.max(1, Math.floor((portion.to - portion.from) / 2));
      continue;
    }
    for (const record of found) if (record.recordedAt >= range.from && record.recordedAt < range.to) yield record;
    from = portion.to;
    width = Math.min(width * 2, widest);
  }
}

/** Records of one second in the order in which they follow from one another. */
const ranks: Readonly<Record<ProcessorRecord['kind'], number>> = {
  hold: 0,
  charge: 0,
  method: 0,
  capture: 1,
  release: 1,
  refund: 2,
  dispute: 2,
};

async function readPortion(
  link: StripeLink,
  portion: Portion,
  call: ProcessorCall,
): Promise<readonly ProcessorRecord[] | 'too much'> {
  const records: ProcessorRecord[] = [];
  const isSecond = portion.to - portion.from <= 1;
  for (const readKind of [readPayments, readMethods, readCaptures, readRefunds, readDisputes, readEnds]) {
    let read = 0;
    for await (const found of asPermitted(readKind)(link, portion, call)) {
      read += 1;
      if (read > portionMax && !isSecond) return 'too much';
      if (found !== undefined) records.push(found);
    }
  }
  const rank = ({ kind, status }: ProcessorRecord) => ranks[kind] + (status === 'failed' ? 3 : 0);
  // Stripe lists newest first, those of one second too.
  return records.toReversed().toSorted((a, b) => a.recordedAt.getTime() - b.recordedAt.getTime() || rank(a) - rank(b));
}

type ReadKind = (link: StripeLink, portion: Portion, call: ProcessorCall) => Records;

/** What shows no payment that a restored database may lack. */
const dispensable = new Set<ReadKind>([readCaptures, readDisputes, readEnds]);

/** Where the caller can do without: what the key may not read is left out. */
const asPermitted = (readKind: ReadKind): ReadKind =>
  async function* (link, portion, call) {
    try {
      yield* readKind(link, portion, call);
    } catch (err) {
      if (!(err instanceof NotPermittedError) || !dispensable.has(readKind) || !call.onNotPermitted) throw err;
      call.onNotPermitted(err.message);
    }
  };

/** Undefined for what is not the account's. */
type Records = AsyncGenerator<ProcessorRecord | undefined>;

const createdIn = ({ from, to }: Portion) => ({ gte: from, lt: to });
const at = (seconds: number): Date => new Date(seconds * 1_000);

/** Holds and charges, of the time when they were begun. Of a key that may not read balance transactions they have no fees. */
async function* readPayments(link: StripeLink, portion: Portion, call: ProcessorCall): Records {
  try {
    yield* paymentsWith(link, portion, call, 'data.latest_charge.balance_transaction');
  } catch (err) {
    if (!(err instanceof NotPermittedError)) throw err;
    yield* paymentsWith(link, portion, call, 'data.latest_charge');
  }
}

async function* paymentsWith(link: StripeLink, portion: Portion, call: ProcessorCall, expand: string): Records {
  const found = eachOf(link.readPatiently, call, (stripe, page, options) =>
    stripe.paymentIntents.list({ ...page, created: createdIn(portion), expand: [expand] }, options),
  );
  for await (const intent of found) {
    const mark = markOf(call, intent.metadata);
    yield mark && paymentRecord(intent, mark);
  }
}

function paymentRecord(intent: Stripe.PaymentIntent, { paymentId, orderId }: OurMark): ProcessorRecord {
  const status = statusOf(intent);
  return {
    reference: intent.id,
    paymentId,
    orderId,
    about: null,
    kind: isHold(intent) ? 'hold' : 'charge',
    status,
    ...moneyOf(intent.amount, intent.currency),
    recordedAt: at(intent.created),
    message: status === 'declined' ? (lastNo(intent)?.message ?? 'The payment was given up.') : null,
    // Those of a hold are of its capture.
    ...(isHold(intent) ? {} : feesOfCharge(chargeOf(intent))),
  };
}

const moneyOf = (amount: number, currency: string) => ({ amountCents: fromStripeAmount(amount, currency), currency });

async function* readMethods(link: StripeLink, portion: Portion, call: ProcessorCall): Records {
  const found = eachOf(link.readPatiently, call, (stripe, page, options) =>
    stripe.setupIntents.list({ ...page, created: createdIn(portion) }, options),
  );
  for await (const intent of found) {
    const mark = markOf(call, intent.metadata);
    const no = intent.status === 'requires_payment_method' || intent.status === 'canceled';
    yield mark && {
      reference: intent.id,
      paymentId: mark.paymentId,
      orderId: mark.orderId,
      about: null,
      kind: 'method',
      status: intent.status === 'succeeded' ? 'succeeded' : no ? 'declined' : 'requires_action',
      // Saving a card has no currency at Stripe.
      amountCents: 0,
      currency: '',
      recordedAt: at(intent.created),
      message: no ? (lastNo(intent)?.message ?? 'The card was given up.') : null,
    };
  }
}

/** By the balance: its transaction has the time of the capture. Its money is in the settlement currency, so it is the charge's that counts. */
async function* readCaptures(link: StripeLink, portion: Portion, call: ProcessorCall): Records {
  const found = eachOf(link.readPatiently, call, (stripe, page, options) =>
    stripe.balanceTransactions.list(
      { ...page, type: 'charge', created: createdIn(portion), expand: ['data.source.payment_intent'] },
      options,
    ),
  );
  for await (const moved of found) yield captureRecord(moved, call);
}

function captureRecord(
  { source, created, ...moved }: Stripe.BalanceTransaction,
  call: ProcessorCall,
): ProcessorRecord | undefined {
  if (source === null || typeof source === 'string' || source.object !== 'charge') return undefined;
  const intent = source.payment_intent;
  if (intent === null || typeof intent === 'string' || !isHold(intent)) return undefined;
  const mark = markOf(call, intent.metadata);
  return (
    mark && {
      reference: captureReference(intent),
      paymentId: mark.captureId,
      orderId: mark.orderId,
      about: intent.id,
      kind: 'capture',
      status: 'succeeded',
      ...moneyOf(intent.amount_received, intent.currency),
      recordedAt: at(created),
      message: null,
      fees: feesOf([moved]),
    }
  );
}

/** As taken; one that failed later is listed at that time too. */
async function* readRefunds(link: StripeLink, portion: Portion, call: ProcessorCall): Records {
  const found = eachOf(link.readPatiently, call, (stripe, page, options) =>
    stripe.refunds.list({ ...page, created: createdIn(portion), expand: ['data.payment_intent'] }, options),
  );
  for await (const refund of found) yield refundRecord(refund, call);
}

function refundRecord(refund: Stripe.Refund, call: ProcessorCall, failedS?: number): ProcessorRecord | undefined {
  const { payment_intent: intent, metadata, id, amount, currency, created } = refund;
  if (intent === null || typeof intent === 'string') return undefined;
  // Of a hold that was never captured there is nothing to give back: its end is a release.
  if (intent.amount_received === 0) return undefined;
  // One that the seller made at Stripe has no metadata of ours, but what it is of has.
  const about = markOf(call, intent.metadata);
  if (about === undefined) return undefined;
  // Some integrations copy the metadata of what it is of: that names no refund.
  const mark = markOf(call, metadata);
  const isOurs = mark?.call === 'refund' && mark.paymentId !== about.paymentId && mark.paymentId !== about.captureId;
  const paymentId = isOurs ? mark.paymentId : null;
  // One of the seller's that failed before billing knew of it was never taken.
  const hasFailed = failedS !== undefined || (paymentId === null && isFailed(refund));
  return {
    reference: id,
    paymentId,
    orderId: about.orderId,
    about: moneyReference(intent),
    kind: 'refund',
    status: hasFailed ? 'failed' : 'succeeded',
    ...moneyOf(amount, currency),
    recordedAt: at(failedS ?? created),
    message: hasFailed ? whyFailed(refund) : null,
  };
}

const isFailed = ({ status }: Pick<Stripe.Refund, 'status'>): boolean => status === 'failed' || status === 'canceled';

const whyFailed = ({ status, failure_reason: reason }: Stripe.Refund): string =>
  status === 'canceled' ? 'The refund was canceled.' : `The bank sent the refund back${reason ? ` (${reason})` : ''}.`;

/** As opened; how each stands now is with it. */
async function* readDisputes(link: StripeLink, portion: Portion, call: ProcessorCall): Records {
  const found = eachOf(link.readPatiently, call, (stripe, page, options) =>
    stripe.disputes.list({ ...page, created: createdIn(portion), expand: ['data.payment_intent'] }, options),
  );
  for await (const one of found) {
    const dispute = disputeOf(one, call);
    yield dispute && {
      reference: dispute.reference,
      paymentId: dispute.paymentId,
      orderId: dispute.orderId,
      about: dispute.about,
      kind: 'dispute',
      status: 'succeeded',
      amountCents: dispute.amountCents,
      currency: dispute.currency,
      recordedAt: dispute.openedAt,
      message: null,
      dispute,
    };
  }
}

/**
 * Releases, and refunds that failed or were canceled, by Stripe's events, which go back 30 days. Objects in events have the shape of the account's
 * own API version. Of a release that says enough, so that those of others through the same account cost no call; a refund that failed, which
 * is rare, is read: its payment says whose it is.
 */
async function* readEnds(link: StripeLink, portion: Portion, call: ProcessorCall): Records {
  const types = ['payment_intent.canceled', 'refund.failed', 'refund.updated'];
  const found = eachOf(link.readPatiently, call, (stripe, page, options) =>
    stripe.events.list({ ...page, types, created: createdIn(portion) }, options),
  );
  for await (const { type, created, data } of found) {
    const { id, status } = data.object as { readonly id: string; readonly status: string };
    if (type === 'payment_intent.canceled') yield releaseRecord(data.object as CanceledIntent, created, call);
    // That one was canceled, as it may be while it waits for the seller's balance, is an update alone.
    else if (type === 'refund.failed' || status === 'canceled') yield await failedRefund(link, id, created, call);
    else yield undefined;
  }
}

/** A refund as it stands; undefined for one of what is not the account's. */
export async function readRefund(link: StripeLink, id: string, call: ProcessorCall) {
  const expand = ['payment_intent'];
  const refund = await link.read(call, (stripe, options) => stripe.refunds.retrieve(id, { expand }, options));
  return refundRecord(refund, call, isFailed(refund) ? refund.created : undefined);
}

async function failedRefund(link: StripeLink, id: string, created: number, call: ProcessorCall) {
  const expand = ['payment_intent'];
  const refund = await link.readPatiently(call, (stripe, options) => stripe.refunds.retrieve(id, { expand }, options));
  call.onProgress?.();
  return refundRecord(refund, call, created);
}

/** What all versions of Stripe's API have of it. */
type CanceledIntent = Pick<Stripe.PaymentIntent, 'id' | 'metadata' | 'amount' | 'currency'>;

function releaseRecord(
  { id, metadata, amount, currency }: CanceledIntent,
  created: number,
  call: ProcessorCall,
): ProcessorRecord | undefined {
  const mark = markOf(call, metadata);
  return (
    mark && {
      reference: releaseReference(id),
      // Cancelling takes no metadata: billing knows its own by the reference.
      paymentId: null,
      orderId: mark.orderId,
      about: id,
      kind: 'release',
      status: 'succeeded',
      ...moneyOf(amount, currency),
      recordedAt: at(created),
      message: null,
    }
  );
}
