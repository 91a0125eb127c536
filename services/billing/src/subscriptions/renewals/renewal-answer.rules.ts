import type { CardWallet } from '@app/contracts/card-wallets';
import type { PaymentUpdate } from '../../charging/decide-answer.rules.ts';
import { isNoAttempt } from '../../charging/payment.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import { effectOf, type RenewalEffect, type RenewalOutcome, type RenewedSubscription } from './renewal.rules.ts';

/** A renewal's result, with what was found out of the card. */
export interface DecidedRenewal<Subscription extends RenewedSubscription> {
  readonly subscription: Subscription;
  /** Null when the processor was not called. */
  readonly paymentId: string | null;
  /** What its payment is over; 0 when there was none. */
  readonly cents: number;
  readonly outcome: RenewalOutcome;
  readonly effect: RenewalEffect;
  /** As the processor shows it. */
  readonly chargedCard: Pick<Payment, 'lastFour' | 'wallet'>;
  /** Null: nothing is kept of it. */
  readonly card: {
    readonly processor: string;
    readonly last_four: string | null;
    readonly wallet: CardWallet | null;
  } | null;
}

/**
 * What the answer to a renewal's payment does to its subscription, as it stands when the answer is written; its events:
 * `renewalEvents`.
 * @param update what `decideAnswer` made of the answer
 * @returns undefined while the outcome is not known
 */
export function decideRenewal<Subscription extends RenewedSubscription>(
  payment: Payment,
  update: PaymentUpdate,
  subscription: Subscription,
): DecidedRenewal<Subscription> | undefined {
  const { finishedAt, lastFour, wallet } = update;
  if (finishedAt === null) return undefined;
  const { id: paymentId, processor, amountCents: cents } = payment;
  const outcome = renewalOutcomeOf(payment, update, finishedAt);
  const effect = effectOf(subscription, outcome);
  // Of another card than the one it has now nothing is kept.
  const card = outcome.method === subscription.payment_method ? { processor, last_four: lastFour, wallet } : null;
  const chargedCard = { lastFour: lastFour ?? payment.lastFour, wallet: wallet ?? payment.wallet };
  return { subscription, paymentId, cents, outcome, effect, chargedCard, card };
}

/** A rehearsal is ahead of the clock: its payments are made at its time, and end then or later. */
function renewalOutcomeOf(payment: Payment, update: PaymentUpdate, finishedAt: Date): RenewalOutcome {
  const { period } = payment;
  if (payment.call !== 'chargeSaved' || period === null) throw new Error(`payment ${payment.id} renews no period`);
  const at = new Date(Math.max(finishedAt.getTime(), payment.createdAt.getTime()));
  const about = { period, at, method: payment.request.savedMethod };
  const { status, declineKind, declineReason: reason } = update;
  if (status === 'succeeded') return { ...about, kind: 'paid' };
  if (reason === null || isNoAttempt(reason)) return { ...about, kind: 'not_received' };
  return { ...about, kind: 'declined', hard: declineKind === 'hard', reason };
}
