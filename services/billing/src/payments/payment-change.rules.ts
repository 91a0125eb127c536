import type { EventData } from '@app/contracts/define';
import type { paymentCompleted } from '@app/contracts/payments';
import type { ProcessorOutcome } from '../processors/payment-processor.ts';
import {
  buyerReason,
  decideBy,
  givenUp,
  keyUnreadable,
  nextCheckAt,
  noProcessor,
  notReceived,
} from './payment.rules.ts';
import type { Payment } from './payment.types.ts';

/** What one statement writes of a processor's answer; fields are named as the columns. */
export interface PaymentChange {
  readonly payment: PaymentUpdate;
  readonly charge: ChargeRow | null;
  readonly hold: HoldRow | null;
  readonly method: MethodRow | null;
  /** Cents that were captured of the order's hold, or charged in its place. */
  readonly captured_cents: number | null;
  /** The charge that a refund gave back, whole or a part. */
  readonly refunded: { readonly id: string; readonly cents: number } | null;
}

export interface PaymentUpdate {
  readonly status: Payment['status'];
  /** Any other status means that somebody else recorded an end before. */
  readonly from: readonly Payment['status'][];
  readonly decline_kind: 'soft' | 'hard' | null;
  readonly decline_reason: string | null;
  readonly decline_message: string | null;
  readonly processor_reference: string | null;
  readonly action_url: string | null;
  readonly last_four: string | null;
  readonly finished_at: Date | null;
  readonly next_check_at: Date | null;
}

interface ChargeRow {
  readonly step: string;
  readonly amount_cents: number;
  readonly reference: string;
}

interface HoldRow {
  readonly reference: string;
  readonly amount_cents: number;
  readonly capture_before: Date;
  readonly decide_by: Date;
  readonly upsell: unknown;
  readonly due_at: Date;
}

interface MethodRow {
  readonly method: string;
  readonly last_four: string | null;
}

const hourMs = 3_600_000;
const beforeExpiryMs = hourMs;
/** Where a processor does not say how long a hold lives: card networks give 4 days and 18 hours at least. */
const shortestHoldMs = 4 * 24 * hourMs;

/**
 * When a hold that its buyer has not decided on is settled by the payments loop: at the end of its window, so that a buyer who
 * closed the page has what was bought, and at the latest an hour before the hold expires.
 */
function holdDueAt(decideBy: Date, captureBefore: Date): Date {
  return new Date(Math.min(decideBy.getTime(), captureBefore.getTime() - beforeExpiryMs));
}

const open = ['created', 'sent', 'unknown', 'requires_action'] as const;
const unchanged = {
  decline_kind: null,
  decline_reason: null,
  decline_message: null,
  processor_reference: null,
  action_url: null,
  last_four: null,
  finished_at: null,
  next_check_at: null,
} as const;
const nothingElse = { charge: null, hold: null, method: null, captured_cents: null, refunded: null };

/**
 * What the processor's answer to a payment changes.
 * @throws Error for an answer that the port rules out: then the payment is unknown
 */
export function changeBy(payment: Payment, outcome: ProcessorOutcome, nowMs: number): PaymentChange {
  if (outcome.status === 'succeeded') return succeededChange(payment, outcome, nowMs);
  if (outcome.status === 'declined') return declinedChange(outcome, nowMs);
  if (payment.step !== 'main') throw new Error(`a ${payment.step} cannot be confirmed by the buyer`);
  const isWaiting = payment.status === 'requires_action';
  const update: PaymentUpdate = {
    ...unchanged,
    status: 'requires_action',
    from: open,
    processor_reference: outcome.reference,
    action_url: outcome.url,
    // The bank gives the buyer some time: only what waited before keeps the time of its next look-up.
    next_check_at: (isWaiting ? payment.next_check_at : null) ?? nextCheckAt(payment.checks, nowMs),
  };
  return { ...nothingElse, payment: update };
}

type Declined = Extract<ProcessorOutcome, { status: 'declined' }>;

function declinedChange(outcome: Declined, nowMs: number): PaymentChange {
  const { kind, reason, message, lastFour } = outcome;
  const decline = { decline_kind: kind, decline_reason: reason, decline_message: message, last_four: lastFour ?? null };
  const update = { ...unchanged, ...decline, status: 'declined', from: open, finished_at: new Date(nowMs) } as const;
  return { ...nothingElse, payment: update };
}

/** The end of a payment that the processor never got and that may not be sent again. */
export function notReceivedChange(nowMs: number): PaymentChange {
  const message = 'The payment processor never got it.';
  return declinedChange({ status: 'declined', kind: 'soft', reason: notReceived, message }, nowMs);
}

/** The end of a payment that could not be sent at all. */
export function keyUnreadableChange(nowMs: number): PaymentChange {
  const message = 'Nothing was sent: the stored API key of the payment processor cannot be opened.';
  return declinedChange({ status: 'declined', kind: 'soft', reason: keyUnreadable, message }, nowMs);
}

/** The end of a payment of an account that has chosen no payment processor. */
export function noProcessorChange(nowMs: number): PaymentChange {
  const message = 'Nothing was sent: the account has chosen no payment processor.';
  return declinedChange({ status: 'declined', kind: 'soft', reason: noProcessor, message }, nowMs);
}

/** Nobody knows how it stands: the deadline passed, or the answer could not be read. */
export function unknownChange(payment: Payment, nowMs: number): PaymentChange {
  const isMain = payment.step === 'main';
  const next_check_at = (isMain ? payment.next_check_at : null) ?? nextCheckAt(payment.checks, nowMs);
  return { ...nothingElse, payment: { ...unchanged, status: 'unknown', from: ['created', 'sent'], next_check_at } };
}

type Succeeded = Extract<ProcessorOutcome, { status: 'succeeded' }>;

function succeededChange(payment: Payment, outcome: Succeeded, nowMs: number): PaymentChange {
  const { reference, lastFour = null, savedMethod } = outcome;
  const update: PaymentUpdate = {
    ...unchanged,
    status: 'succeeded',
    from: open,
    processor_reference: reference,
    last_four: lastFour,
    finished_at: new Date(nowMs),
  };
  const change = { ...nothingElse, payment: update };
  const method = savedMethod === undefined ? null : { method: savedMethod, last_four: lastFour };
  const charge = { step: payment.step, amount_cents: payment.amount_cents, reference };
  switch (payment.call) {
    case 'authorize':
      return { ...change, method, hold: holdOf(payment, outcome, nowMs) };
    case 'charge':
      return { ...change, method, charge };
    case 'chargeSaved':
      return { ...change, charge, captured_cents: payment.step === 'recharge' ? payment.amount_cents : null };
    case 'capture':
      return { ...change, charge, captured_cents: payment.amount_cents };
    case 'refund':
      return { ...change, refunded: { id: payment.subject, cents: payment.amount_cents } };
    case 'release':
      return change;
  }
}

function holdOf(payment: Payment, outcome: Succeeded, nowMs: number): HoldRow {
  const { hold_terms: terms, amount_cents } = payment;
  const decide_by = decideBy(payment, new Date(nowMs));
  if (terms === null || decide_by === null) {
    throw new Error(`payment ${payment.id} holds an amount without the terms of a hold`);
  }
  const capture_before = outcome.captureBefore ?? new Date(nowMs + shortestHoldMs);
  const due_at = holdDueAt(decide_by, capture_before);
  return { reference: outcome.reference, amount_cents, capture_before, decide_by, upsell: terms.upsell, due_at };
}

/** What checkout hears of the end of a main payment; null for one that has no end yet, and for other steps. */
export function completedBy(payment: Payment, update: PaymentUpdate): EventData<typeof paymentCompleted> | null {
  const { status, finished_at } = update;
  if (payment.step !== 'main' || finished_at === null) return null;
  if (status !== 'succeeded' && status !== 'declined') return null;
  const held = status === 'succeeded' && payment.call === 'authorize';
  return {
    orderId: payment.order_id,
    paymentId: payment.id,
    tryNo: payment.try_no,
    status: held ? 'held' : status,
    amountCents: payment.amount_cents,
    currency: payment.currency,
    reason: status === 'declined' ? buyerReason(update.decline_reason) : null,
    lastFour: update.last_four ?? payment.last_four,
    decideBy: held ? (decideBy(payment, finished_at)?.toISOString() ?? null) : null,
    test: payment.test,
    completedAt: finished_at.toISOString(),
  };
}

/**
 * What the end of a release changes of the payment that it is about: null while the release has none. A payment that could
 * not be released succeeded meanwhile, most likely: it is looked up at once.
 */
export function afterRelease(waiting: Payment, { status }: PaymentUpdate, nowMs: number): PaymentUpdate | null {
  if (status === 'declined') {
    const { action_url } = waiting;
    return { ...unchanged, status: 'requires_action', from: open, action_url, next_check_at: new Date(nowMs) };
  }
  if (status !== 'succeeded') return null;
  return {
    ...unchanged,
    status: 'declined',
    from: open,
    decline_kind: 'soft',
    decline_reason: givenUp,
    decline_message: 'The buyer did not confirm it; it was given up.',
    finished_at: new Date(nowMs),
  };
}
