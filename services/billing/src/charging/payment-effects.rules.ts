import type { CardWallet } from '@app/contracts/card-wallets';
import { dayMs, hourMs } from '@app/contracts/durations';
import type { ProcessorOutcome } from '../processors/port.ts';
import { decideBy } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';

/** What a success brings about beside the payment's own row. Fields are named as the columns. */
export interface Effects {
  readonly charge: ChargeRow | null;
  readonly hold: HoldRow | null;
  readonly method: MethodRow | null;
  /** Cents that were captured of the order's hold, or charged instead. */
  readonly captured_cents: number | null;
  /** The charge that a refund gave back, whole or a part. */
  readonly refunded: { readonly id: string; readonly cents: number } | null;
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
  readonly wallet: CardWallet | null;
}

const beforeExpiryMs = hourMs;
/** Where a processor does not say how long a hold lives: card networks give 4 days and 18 hours at least. */
const shortestHoldMs = 4 * dayMs;

/**
 * When a hold that its buyer has not decided on is settled by the payments loop: at the end of its window, so that a buyer who
 * closed the page has what was bought, and at the latest an hour before the hold expires.
 */
function holdDueAt(decideBy: Date, captureBefore: Date): Date {
  return new Date(Math.min(decideBy.getTime(), captureBefore.getTime() - beforeExpiryMs));
}

export const noEffects: Effects = { charge: null, hold: null, method: null, captured_cents: null, refunded: null };

export type SucceededOutcome = Extract<ProcessorOutcome, { status: 'succeeded' }>;

/** @throws Error for a refund without its charge, and for a hold without its terms */
export function effectsOf(payment: Payment, outcome: SucceededOutcome, nowMs: number): Effects {
  const { reference, lastFour = null, wallet = null, savedMethod } = outcome;
  const method = savedMethod === undefined ? null : { method: savedMethod, last_four: lastFour, wallet };
  const charge = { step: payment.step, amount_cents: payment.amountCents, reference };
  switch (payment.call) {
    case 'authorize':
      return { ...noEffects, method, hold: holdOf(payment, outcome, nowMs) };
    case 'charge':
      return { ...noEffects, method, charge };
    case 'saveMethod':
      return { ...noEffects, method };
    case 'chargeSaved':
      return { ...noEffects, charge, captured_cents: payment.step === 'recharge' ? payment.amountCents : null };
    case 'capture':
      return { ...noEffects, charge, captured_cents: payment.amountCents };
    case 'refund':
      // What a reversal gives back was never counted as charged.
      return payment.step === 'reversal' ? noEffects : { ...noEffects, refunded: givenBackBy(payment) };
    case 'release':
      return noEffects;
  }
}

function givenBackBy({ id, chargeId, amountCents }: Payment): NonNullable<Effects['refunded']> {
  if (chargeId === null) throw new Error(`refund ${id} gives back no charge`);
  return { id: chargeId, cents: amountCents };
}

function holdOf(payment: Payment, outcome: SucceededOutcome, nowMs: number): HoldRow {
  const { holdTerms: terms, amountCents } = payment;
  const decide_by = decideBy(payment, new Date(nowMs));
  if (terms === null || decide_by === null) {
    throw new Error(`payment ${payment.id} holds an amount without the terms of a hold`);
  }
  const capture_before = outcome.captureBefore ?? new Date(nowMs + shortestHoldMs);
  const due_at = holdDueAt(decide_by, capture_before);
  return {
    reference: outcome.reference,
    amount_cents: amountCents,
    capture_before,
    decide_by,
    upsell: terms.upsell,
    due_at,
  };
}
