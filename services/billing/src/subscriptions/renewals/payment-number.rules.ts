import { requestRefused, requestRefusedAgain, undoneReasons } from '../../charging/payment.rules.ts';

/** The last payment that was made for a period, as a claim reads it; of none all are null. */
export interface LastAttempt {
  readonly last_attempt: number | null;
  readonly last_reason: string | null;
  readonly last_finished_at: Date | null;
  /** Since the day of it the processor charged another renewal of the account. */
  readonly charges_others: boolean;
  /** Since then it refused a renewal of another of the account's customers. */
  readonly refuses_others: boolean;
  /** Whether the processor takes payments for the account, as it was read last; null where that is not known. */
  readonly may_charge: boolean | null;
}

/** Which payment of a period is sent next. */
export interface NextAttempt {
  readonly attemptNo: number;
  /** It is one that the processor did nothing with: it is sent again, under its own key. */
  readonly resends: boolean;
}

/**
 * Whether the processor refused the period's last attempt on an earlier UTC day than `now`, and that was about this renewal: it charges
 * others, or it takes payments for the account and refuses no other customer's. What is refused of an account that may not charge, or of
 * all its customers alike, ends no subscription.
 */
export const isRefusedBefore = (
  { last_reason, last_finished_at, ...account }: Omit<LastAttempt, 'last_attempt'>,
  now: Date,
): boolean =>
  isAboutIt(account) &&
  (last_reason === requestRefused || last_reason === requestRefusedAgain) &&
  last_finished_at !== null &&
  dayOf(last_finished_at) < dayOf(now);

const isAboutIt = ({
  may_charge,
  charges_others,
  refuses_others,
}: Pick<LastAttempt, 'may_charge' | 'charges_others' | 'refuses_others'>): boolean =>
  may_charge !== false && (charges_others || (may_charge === true && !refuses_others));

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/**
 * The payment that is sent next for a period. One with which the processor did nothing is the next one still: should an earlier
 * sending of its key have arrived, which is not recorded here, another key would be charged anew.
 */
export function nextAttempt({
  last_attempt,
  last_reason,
}: Pick<LastAttempt, 'last_attempt' | 'last_reason'>): NextAttempt {
  if (last_attempt === null) return { attemptNo: 1, resends: false };
  const resends = last_reason !== null && undoneReasons.includes(last_reason);
  return { attemptNo: resends ? last_attempt : last_attempt + 1, resends };
}
