import { endsUnpaid, type RenewalEffect, type RenewedSubscription } from './renewal.rules.ts';

/** The outcome of a renewal, as it is counted. */
interface CountedOutcome {
  /** As it stood before. */
  readonly subscription: Pick<RenewedSubscription, 'failed_tries'> & {
    readonly account_id: string;
    readonly test: boolean;
    readonly currency: string;
  };
  readonly effect: Pick<RenewalEffect, 'paid' | 'event' | 'after'>;
  /** What its payment is over, in minor units; 0 when there was none. */
  readonly cents: number;
}

/** Sums of one account in one currency; fields are named as the columns. */
export interface RenewalCounts {
  readonly account_id: string;
  readonly test: boolean;
  readonly currency: string;
  readonly charged: number;
  readonly charged_cents: number;
  /** Attempts after a failed one, whatever became of them. */
  readonly retried: number;
  /** Attempts that failed, first ones and later ones. */
  readonly declined: number;
  /** Ended by an attempt that failed. */
  readonly canceled: number;
}

/** What outcomes of renewals add to the results of runs. An outcome without an event adds nothing: no attempt was made. */
export function countOutcomes(outcomes: readonly CountedOutcome[]): RenewalCounts[] {
  const sums = new Map<string, RenewalCounts>();
  for (const { subscription, effect, cents } of outcomes) {
    if (effect.event === null) continue;
    const { account_id, test, currency, failed_tries } = subscription;
    const key = JSON.stringify([account_id, test, currency]);
    const none = { account_id, test, currency, charged: 0, charged_cents: 0, retried: 0, declined: 0, canceled: 0 };
    const sum = sums.get(key) ?? none;
    sums.set(key, {
      ...sum,
      charged: sum.charged + (effect.paid ? 1 : 0),
      charged_cents: sum.charged_cents + (effect.paid ? cents : 0),
      retried: sum.retried + (failed_tries > 0 ? 1 : 0),
      declined: sum.declined + (effect.paid ? 0 : 1),
      canceled: sum.canceled + (endsUnpaid(effect) ? 1 : 0),
    });
  }
  return [...sums.values()];
}
