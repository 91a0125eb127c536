import { nothingDone } from '../../charging/payment.rules.ts';

/** The last payment that was made for a period, as a claim reads it; of none both are null. */
export interface LastAttempt {
  readonly last_attempt: number | null;
  readonly last_reason: string | null;
}

/** Which payment of a period is sent next. */
export interface NextAttempt {
  readonly attemptNo: number;
  /** It is one that the processor did nothing with: it is sent again, under its own key. */
  readonly resends: boolean;
}

/**
 * The payment that is sent next for a period. One with which the processor did nothing is the next one still: should an earlier
 * sending of its key have arrived, which a restored database does not know, another key would be charged anew.
 */
export function nextAttempt({ last_attempt, last_reason }: LastAttempt): NextAttempt {
  if (last_attempt === null) return { attemptNo: 1, resends: false };
  const resends = last_reason === nothingDone;
  return { attemptNo: resends ? last_attempt : last_attempt + 1, resends };
}
