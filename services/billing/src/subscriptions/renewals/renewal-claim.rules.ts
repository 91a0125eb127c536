import { requestRefused, requestRefusedAgain, undoneReasons } from '../../charging/payment.rules.ts';

/** The last payment that was made for a period; fields are named as the columns. */
export interface LastAttempt {
  readonly attempt_no: number;
  readonly decline_reason: string | null;
  readonly finished_at: Date | null;
}

/** What an account's processor does with its others, where it refused a renewal. */
export interface RefusingProcessor {
  /** Since the day of the refusal it charged another renewal of the account. */
  readonly charges_others: boolean;
  /** Since then it refused a renewal of another of the account's customers. */
  readonly refuses_others: boolean;
  /** Whether it takes payments for the account, as it was read last; null where that is not known. */
  readonly may_charge: boolean | null;
}

/** What was read of a renewal while its subscription is locked. */
export interface ReadForClaim {
  /** Undefined where none was made for the period. */
  readonly last: LastAttempt | undefined;
  /** Read where the last one was refused (`isRefusal`). */
  readonly refusing: RefusingProcessor | undefined;
  /** Read where the last one is sent again (`isUndone`): another payment of the order is open. */
  readonly isTaken: boolean;
}

/** The payment of a renewal that is sent next. */
export interface RenewalClaim {
  readonly attemptNo: number;
  /** It is one that the processor did nothing with: it is sent again, under its own key. */
  readonly resends: boolean;
  /** The processor refused the renewal on an earlier day too, and that is about this renewal (`isRefusedBefore`). */
  readonly refusedBefore: boolean;
}

/**
 * The payment that is sent next for a period. One with which the processor did nothing is the next one still: should an earlier
 * sending of its key have arrived, which is not recorded here, another key would be charged anew.
 * @param now of the run
 * @returns undefined where the order has no room for it: what is written anew the indexes of payments keep out
 */
export function decideClaim({ last, refusing, isTaken }: ReadForClaim, now: Date): RenewalClaim | undefined {
  if (last === undefined) return { attemptNo: 1, resends: false, refusedBefore: false };
  const refusedBefore = refusing !== undefined && isRefusedBefore(last, refusing, now);
  if (!isUndone(last)) return { attemptNo: last.attempt_no + 1, resends: false, refusedBefore };
  return isTaken ? undefined : { attemptNo: last.attempt_no, resends: true, refusedBefore };
}

/** Whether the processor did nothing with it. */
export const isUndone = ({ decline_reason: reason }: LastAttempt): boolean =>
  reason !== null && undoneReasons.includes(reason);

export const isRefusal = ({ decline_reason: reason }: LastAttempt): boolean =>
  reason === requestRefused || reason === requestRefusedAgain;

/**
 * Whether the processor refused the period's last attempt on an earlier UTC day than `now`, and that was about this renewal: it charges
 * others, or it takes payments for the account and refuses no other customer's. What is refused of an account that may not charge, or of
 * all its customers alike, ends no subscription.
 */
const isRefusedBefore = (last: LastAttempt, refusing: RefusingProcessor, now: Date): boolean =>
  isRefusal(last) && isAboutIt(refusing) && last.finished_at !== null && dayOf(last.finished_at) < dayOf(now);

const isAboutIt = ({ may_charge, charges_others, refuses_others }: RefusingProcessor): boolean =>
  may_charge !== false && (charges_others || (may_charge === true && !refuses_others));

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
