import type { CardWallet } from '@app/contracts/card-wallets';
import { buyerReason } from '@app/contracts/decline-reasons';
import type { EventData } from '@app/contracts/define';
import { chargeRefunded, chargesRefunded, paymentCompleted, paymentNoticed } from '@app/contracts/payments';
import type { NotDone, OtherPayment, SentOutcome } from '../processors/port.ts';
import {
  checkOfWaiting,
  decideBy,
  givenUp,
  hasEnded,
  isAskingRenewal,
  isOfBuyer,
  keyUnreadable,
  nextCheckAt,
  noAnswer,
  noProcessor,
  nothingDone,
  notReceived,
  otherPayment,
  requestRefused,
  requestRefusedAgain,
} from './payment.rules.ts';
import type { OrderMoney, Payment } from './payment.types.ts';
import { type Effects, effectsOf, noEffects, type SucceededOutcome } from './payment-effects.rules.ts';
import {
  captureFailedText,
  isAlreadyCaptured,
  isHoldOver,
  otherPaymentMessage,
  otherPaymentText,
  otherRefundText,
  refundRefusedText,
  reversalRefusedText,
} from './payment-notices.rules.ts';
import { refundedPart, refundsOf } from './refunded-parts.rules.ts';

/**
 * An answer to a payment, or what is known without one. Of those that are no result:
 *
 *   not_done       the processor said so. A decline of a buyer's payment and of a renewal (`undoneReason`); others stay open
 *   not_received   a look-up found nothing, and it is not sent again. A decline `not_received`
 *   not_sent       it could not be sent. A decline `processor_key_unreadable` or `no_payment_processor`
 *   other_payment  a look-up found another payment under its key. A decline `other_payment`, or open
 *   unknown        there is no answer, and money may have moved. It stays open, and is looked up
 *
 * Where this was not the first sending of its key, `not_done` and `not_sent` leave it open too.
 */
export type Answered =
  | SentOutcome
  /** The processor never got it, and it is not sent again. */
  | { readonly status: 'not_received' }
  /** It could not be sent at all. */
  | { readonly status: 'not_sent'; readonly why: 'key_unreadable' | 'no_processor' }
  /** A look-up found another payment under its key. */
  | { readonly status: 'other_payment'; readonly found: OtherPayment }
  /** The deadline passed, or the answer could not be read. */
  | { readonly status: 'unknown' };

/** What a decision needs beside the payment and its outcome. */
export interface AnswerContext {
  /** All that is known of the order's money; only a refund needs it. */
  readonly money?: OrderMoney;
  /** The payment that a release is about. */
  readonly released?: Payment;
  /** Its row was written for this sending, and no earlier one of its key can have arrived. */
  readonly isFirst?: boolean;
  /** Of a renewal: the processor refused it on an earlier day too, and charges others of the account. */
  readonly refusedBefore?: boolean;
}

/** All that an answer changes: what one transaction writes. */
export interface Decision {
  readonly update: PaymentUpdate;
  readonly effects: Effects;
  /** What becomes of the payment that a release is about. */
  readonly released: PaymentUpdate | null;
  readonly events: readonly DecidedEvent[];
}

/** Written if the payment `of` was changed; with `if_whole`, only if every own charge of the order is given back then. */
export type DecidedEvent = { readonly of: string; readonly if_whole?: true } & (
  | { readonly definition: typeof paymentCompleted; readonly data: EventData<typeof paymentCompleted> }
  | { readonly definition: typeof paymentNoticed; readonly data: EventData<typeof paymentNoticed> }
  | { readonly definition: typeof chargeRefunded; readonly data: EventData<typeof chargeRefunded> }
  | { readonly definition: typeof chargesRefunded; readonly data: EventData<typeof chargesRefunded> }
);

/** What is written of a payment: `rowOfUpdate` names it as the columns. */
export interface PaymentUpdate {
  readonly status: Payment['status'];
  /** Any other status means that another process recorded an end before. */
  readonly from: readonly Payment['status'][];
  readonly declineKind: 'soft' | 'hard' | null;
  readonly declineReason: string | null;
  readonly declineMessage: string | null;
  readonly processorReference: string | null;
  readonly actionUrl: string | null;
  readonly lastFour: string | null;
  readonly wallet: CardWallet | null;
  readonly finishedAt: Date | null;
  readonly nextCheckAt: Date | null;
}

const open = ['created', 'sent', 'unknown', 'requires_action'] as const;
const unchanged = { ...noAnswer, nextCheckAt: null } as const;

/**
 * What a processor's answer to a payment brings about of the payment and of its order's money: it alone decides, for answers in
 * time, late ones and look-ups. What becomes of a subscription depends on its state when the answer is written: `decideRenewal`
 * decides that for a renewal, with `renewalEvents`, and `decideCard` for a card.
 * @param nowMs when it is recorded
 */
export function decideAnswer(
  payment: Payment,
  outcome: Answered,
  nowMs: number,
  context: AnswerContext = {},
): Decision {
  const { update, effects } = changeOf(payment, outcome, nowMs, context);
  const waiting = context.released;
  // One that holds money has ended: what its release means is the hold's.
  const released = waiting === undefined || hasEnded(waiting) ? null : afterRelease(waiting, update, nowMs);
  const events = [
    ...completedEvent(payment, update),
    ...(update.status === 'declined' ? declineNotices(payment, update, context.money) : []),
    ...refundEvents(payment, effects, context.money, nowMs),
    ...(waiting === undefined || released === null ? [] : completedEvent(waiting, released)),
  ];
  return { update, effects, released, events };
}

type Change = Pick<Decision, 'update' | 'effects'>;

function changeOf(
  payment: Payment,
  outcome: Answered,
  nowMs: number,
  { isFirst = false, refusedBefore = false }: AnswerContext,
): Change {
  switch (outcome.status) {
    case 'succeeded':
      return succeededChange(payment, outcome, nowMs);
    case 'declined':
      return declinedChange(outcome, nowMs);
    case 'requires_action':
      return waitingChange(payment, outcome, nowMs);
    case 'not_received':
      return notReceivedChange(nowMs);
    case 'not_sent':
      if (!isFirst) return unknownChange(payment, nowMs);
      return outcome.why === 'no_processor'
        ? softDecline(noProcessor, noProcessorMessage, nowMs)
        : softDecline(keyUnreadable, keyUnreadableMessage, nowMs);
    case 'other_payment':
      return otherPaymentChange(payment, outcome.found, nowMs);
    case 'not_done':
      return isFirst && endsUndone(payment)
        ? softDecline(undoneReason(payment, outcome, refusedBefore), `Nothing was done. ${outcome.message}`, nowMs)
        : unknownChange(payment, nowMs);
    case 'unknown':
      return unknownChange(payment, nowMs);
  }
}

const keyUnreadableMessage = 'Nothing was sent: the stored API key of the payment processor cannot be opened.';
const noProcessorMessage = 'Nothing was sent: the account has chosen no payment processor.';

/**
 * A buyer's payment ends. Where the other one took money, or may still, no later attempt of the order is charged. A refund ends
 * too: the rest of a charge is another amount where earlier refunds are not recorded here, and an open refund would keep
 * everything else of the order out for good. Others have amounts of their own making: their seller is notified that they are unknown.
 */
function otherPaymentChange(payment: Payment, found: OtherPayment, nowMs: number): Change {
  if (payment.step === 'refund') return softDecline(otherPayment, otherPaymentMessage(found), nowMs);
  if (payment.step !== 'main') return unknownChange(payment, nowMs);
  const ended = found.status === 'declined' || found.status === 'failed';
  return softDecline(ended ? notReceived : otherPayment, otherPaymentMessage(found), nowMs);
}

/**
 * Whether a payment of which nothing was done ends with that: its buyer tries again later, and the daily run charges a renewal
 * anew. Only these are begun anew by themselves; all others are sent again under their keys.
 */
const endsUndone = ({ step }: Payment): boolean => isOfBuyer({ step }) || step === 'renewal';

/** A renewal that is refused for good would never end; one that is refused with all others of its account waits. */
function undoneReason({ step }: Payment, { why }: NotDone, refusedBefore: boolean): string {
  if (step !== 'renewal' || why !== 'request_refused') return nothingDone;
  return refusedBefore ? requestRefusedAgain : requestRefused;
}

/**
 * Buyers confirm their own payments, and renewals. A renewal of a buyer who is away waits too where its key was sent before while they
 * were there: it is given up at once. For any other payment the port rules this answer out, and nothing is known. No event tells of it: who
 * shows the page asks (`continuePayment`).
 */
function waitingChange(
  payment: Payment,
  { reference, url }: Extract<Answered, { status: 'requires_action' }>,
  nowMs: number,
): Change {
  if (!isOfBuyer(payment) && payment.step !== 'renewal') return unknownChange(payment, nowMs);
  const update: PaymentUpdate = {
    ...unchanged,
    status: 'requires_action',
    from: open,
    processorReference: reference,
    actionUrl: url,
    nextCheckAt: checkOfWaiting(payment, nowMs),
  };
  return { update, effects: noEffects };
}

type Declined = Extract<Answered, { status: 'declined' }>;

function declinedChange({ kind, reason, message, lastFour }: Omit<Declined, 'status'>, nowMs: number): Change {
  const decline = { declineKind: kind, declineReason: reason, declineMessage: message, lastFour: lastFour ?? null };
  const update = { ...unchanged, ...decline, status: 'declined', from: open, finishedAt: new Date(nowMs) } as const;
  return { update, effects: noEffects };
}

/** What waits for its buyer was received: a look-up that does not find it began before, or is wrong. */
function notReceivedChange(nowMs: number): Change {
  const { update, effects } = softDecline(notReceived, 'The payment processor never got it.', nowMs);
  return { update: { ...update, from: open.filter((status) => status !== 'requires_action') }, effects };
}

/** An end that says nothing of the card. */
const softDecline = (reason: string, message: string, nowMs: number): Change =>
  declinedChange({ kind: 'soft', reason, message }, nowMs);

/** What is looked up all along keeps the time of its next look-up, however many there were. */
function unknownChange(payment: Payment, nowMs: number): Change {
  const keepsTime = isOfBuyer(payment) || isAskingRenewal(payment) || payment.step === 'release';
  const checkAt = (keepsTime ? payment.nextCheckAt : null) ?? nextCheckAt(payment.checks, nowMs);
  return {
    update: { ...unchanged, status: 'unknown', from: ['created', 'sent'], nextCheckAt: checkAt },
    effects: noEffects,
  };
}

function succeededChange(payment: Payment, outcome: SucceededOutcome, nowMs: number): Change {
  const { reference, lastFour = null, wallet = null } = outcome;
  const update: PaymentUpdate = {
    ...unchanged,
    status: 'succeeded',
    from: open,
    processorReference: reference,
    lastFour,
    wallet,
    finishedAt: new Date(nowMs),
  };
  return { update, effects: effectsOf(payment, outcome, nowMs) };
}

type Completing = Pick<PaymentUpdate, 'status' | 'finishedAt' | 'declineReason' | 'lastFour' | 'wallet'>;

/** What checkout is notified of at the end of a main payment; null for one that has no end yet, and for other steps. */
export function completedBy(payment: Payment, update: Completing): EventData<typeof paymentCompleted> | null {
  const { status, finishedAt } = update;
  if (payment.step !== 'main' || finishedAt === null) return null;
  if (status !== 'succeeded' && status !== 'declined') return null;
  const held = status === 'succeeded' && payment.call === 'authorize';
  return {
    orderId: payment.orderId,
    paymentId: payment.id,
    attemptNo: payment.attemptNo,
    status: held ? 'held' : status,
    amountCents: payment.amountCents,
    currency: payment.currency,
    reason: status === 'declined' ? buyerReason(update.declineReason) : null,
    lastFour: update.lastFour ?? payment.lastFour,
    wallet: update.wallet ?? payment.wallet,
    decideBy: held ? (decideBy(payment, finishedAt)?.toISOString() ?? null) : null,
    processor: payment.processor,
    test: payment.test,
    completedAt: finishedAt.toISOString(),
  };
}

/**
 * What the end of a release changes of the payment that it is about: null while the release has none. A payment that could
 * not be released succeeded meanwhile, most likely: it is looked up at once. So is a renewal, whose end its subscription follows.
 */
function afterRelease(waiting: Payment, { status }: PaymentUpdate, nowMs: number): PaymentUpdate | null {
  const isRenewal = waiting.step === 'renewal';
  if (status === 'declined' || (status === 'succeeded' && isRenewal)) {
    const actionUrl = isRenewal ? null : waiting.actionUrl;
    return { ...unchanged, status: 'requires_action', from: open, actionUrl, nextCheckAt: new Date(nowMs) };
  }
  if (status !== 'succeeded') return null;
  return {
    ...unchanged,
    status: 'declined',
    from: open,
    declineKind: 'soft',
    declineReason: givenUp,
    declineMessage: 'The buyer did not confirm it; it was given up.',
    finishedAt: new Date(nowMs),
  };
}

const completedEvent = (payment: Payment, update: PaymentUpdate): DecidedEvent[] => {
  const data = completedBy(payment, update);
  return data === null ? [] : [{ of: payment.id, definition: paymentCompleted, data }];
};

/** @param money all of the order's, as it was before: what changed since is decided by the transaction that records the end */
function refundEvents(
  payment: Payment,
  { refunded }: Effects,
  money: OrderMoney | undefined,
  nowMs: number,
): DecidedEvent[] {
  if (refunded === null) return [];
  if (money === undefined) throw new Error(`refund ${payment.id} ends without the charges of its order`);
  const { id: of, orderId, currency, test } = payment;
  const refundedAt = new Date(nowMs);
  const about = { orderId, currency, test, refundedAt: refundedAt.toISOString() };
  const refund = refundedPart(money, { ...payment, finishedAt: refundedAt });
  const events: DecidedEvent[] = [{ of, definition: chargeRefunded, data: { ...about, refund } }];
  if (!money.charges.some(({ id }) => id === refunded.id)) return events;
  const refundedCents = money.charges.reduce((sum, charge) => sum + charge.amountCents - charge.lostCents, 0);
  const data = { ...about, refundedCents, refunds: [...refundsOf(money), refund] };
  return [...events, { of, if_whole: true, definition: chargesRefunded, data }];
}

/** What the seller has to know of a refused capture or refund. */
function declineNotices(
  payment: Payment,
  { declineReason: reason, declineMessage: message }: PaymentUpdate,
  money: OrderMoney | undefined,
): DecidedEvent[] {
  const notice = (summary: string): DecidedEvent[] => [
    {
      of: payment.id,
      definition: paymentNoticed,
      data: { orderId: payment.orderId, summary, test: payment.test },
    },
  ];
  if (reason === otherPayment) {
    return notice((payment.step === 'refund' ? otherRefundText : otherPaymentText)(payment, message));
  }
  if (payment.step === 'capture') {
    // The seller is notified once, not each day that it fails again, and of the end of the hold.
    const isNews = payment.attemptNo === 1 && !isHoldOver(reason) && !isAlreadyCaptured(reason);
    return isNews ? notice(captureFailedText(payment, message)) : [];
  }
  if (payment.step === 'reversal') return notice(reversalRefusedText(payment, message));
  if (payment.step !== 'refund') return [];
  const charges = money?.charges ?? [];
  const refundedCents = charges.reduce((sum, { refundedCents }) => sum + refundedCents, 0);
  const chargedCents = charges.reduce((sum, { amountCents }) => sum + amountCents, 0);
  return notice(refundRefusedText(payment, message, { refundedCents, chargedCents }));
}
