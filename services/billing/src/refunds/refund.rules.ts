import type { RequestOutput } from '@app/contracts/define';
import type { refundCharges } from '@app/contracts/payments';
import { hasEnded, openPayment } from '../charging/payment.rules.ts';
import type { Charge, OrderMoney, Payment } from '../charging/payment.types.ts';
import { refundsOf } from '../charging/refunded-parts.rules.ts';
import { disputedText, disputedThereText, disputeOf, isDisputedThere, lostText } from './disputed.rules.ts';

export type RefundResult = RequestOutput<typeof refundCharges>;

/** Charges are given back one after the other, the oldest first and the order's own before its renewals'. */
export type RefundStep =
  | { readonly kind: 'send'; readonly charge: Charge; readonly attemptNo: number }
  | { readonly kind: 'end'; readonly result: RefundResult };

/**
 * The payment without an outcome that a refund of the order waits for. A renewal keeps back what is to be refunded: nothing, where
 * the order has no charges or they went back before, and its renewals are not requested.
 */
export function refundWaitsFor(money: OrderMoney, renewals: boolean): Payment | undefined {
  const open = openPayment(money.payments);
  const keepsNothingBack =
    open?.step === 'renewal' && !renewals && money.charges.every((charge) => restOf(charge) === 0);
  return keepsNothingBack ? undefined : open;
}

/**
 * What comes next of the refund that was requested of an order: charges that it marked go back whole.
 * @param renewals whether those of the renewals were requested too
 */
export function nextRefundStep(money: OrderMoney, renewals: boolean): RefundStep {
  const wanted = renewals ? [...money.charges, ...money.renewals] : money.charges;
  const renewalUnderWay = money.payments.some((payment) => payment.step === 'renewal' && !hasEnded(payment));
  const end = (
    status: RefundResult['status'],
    refused?: readonly RefusedCharge[],
  ): Extract<RefundStep, { kind: 'end' }> => ({
    kind: 'end',
    result: { ...resultOf(money, wanted, status, refused), ...(renewalUnderWay && { renewalUnderWay }) },
  });
  const waitsFor = refundWaitsFor(money, renewals);
  if (waitsFor === undefined && openPayment(money.payments) !== undefined) return end('refunded');
  if (waitsFor !== undefined) {
    const waiting = end('processing');
    // An order without charges is refunded when its last renewal can be: until then checkout requests it again.
    return renewals && renewalUnderWay && money.charges.length === 0
      ? { ...waiting, result: { ...waiting.result, orderRefunded: false } }
      : waiting;
  }
  const isDue = ({ refundDueAt }: Charge): boolean => refundDueAt !== null;
  const left = [...money.charges, ...money.renewals].filter(
    (charge) => restOf(charge) > 0 && (isDue(charge) || wanted.some(({ id }) => id === charge.id)),
  );
  const next = left.find(
    (charge) => isDue(charge) && !isRefused(money, charge) && disputeOf(money, charge) === undefined,
  );
  if (next !== undefined) return { kind: 'send', charge: next, attemptNo: attemptsOf(money, next).length + 1 };
  if (left.length === 0) return isLost(wanted) ? end('failed', wanted.map(lostOf)) : end('refunded');
  return end(
    'failed',
    left.map((charge) => refusedOf(money, charge)),
  );
}

/** All of it that went back was lost to disputes: there is nothing that a refund could have done. */
const isLost = (charges: readonly Charge[]): boolean =>
  charges.some(({ lostCents }) => lostCents > 0) && charges.every(({ refundedCents }) => refundedCents === 0);

interface RefusedCharge {
  readonly paymentId: string;
  readonly amountCents: number;
  readonly detail: string | null;
  readonly disputed: boolean;
}

const lostOf = (charge: Charge): RefusedCharge => ({
  paymentId: charge.id,
  amountCents: charge.lostCents,
  detail: lostText(charge),
  disputed: true,
});

/** Why a charge was not given back: it is disputed, or what the processor said last. */
function refusedOf(money: OrderMoney, charge: Charge): RefusedCharge {
  const last = attemptsOf(money, charge).findLast(({ status }) => status === 'declined');
  const dispute = disputeOf(money, charge);
  const about = { paymentId: charge.id, amountCents: restOf(charge) };
  if (dispute !== undefined) return { ...about, detail: disputedText(dispute), disputed: true };
  const disputed = last !== undefined && isDisputedThere(last);
  return { ...about, detail: disputed ? disputedThereText : (last?.declineMessage ?? null), disputed };
}

/** Whether the processor refused it since the refund was requested: then it keeps no other charge back. */
function isRefused(money: OrderMoney, charge: Charge): boolean {
  const last = attemptsOf(money, charge).at(-1);
  return last?.status === 'declined' && last.attemptNo >= (charge.refundFromAttempt ?? 1);
}

type Cents = Pick<Charge, 'amountCents' | 'refundedCents' | 'lostCents'>;

/** What may still go back of a charge, in minor units; refunds and disputes at the same time may have given back more. */
export const restOf = ({ amountCents, refundedCents, lostCents }: Cents): number =>
  Math.max(0, amountCents - refundedCents - lostCents);

/** What a refund changes of a charge, and reads of the others of its order. */
export type GivenBack = Cents & Pick<Charge, 'id'>;

/**
 * Whether all of an order's own money is back once a refund is counted: then the order is refunded and its subscription ends.
 * @param own charges of the order without its renewals', as they were before the refund
 */
export const givesBackOrder = (own: readonly GivenBack[], refunded: { readonly id: string; readonly cents: number }) =>
  own.some(({ id }) => id === refunded.id) &&
  own.every((charge) => restOf(charge) <= (charge.id === refunded.id ? refunded.cents : 0));

/**
 * What lost disputes take in place of a refund that failed: together with refunds that stand they give the buyer the charge once.
 * @param charge as it was before the failure
 * @param takenCents of all of its lost disputes
 */
export const lostInstead = (charge: Cents, refundCents: number, takenCents: number): number =>
  Math.max(0, Math.min(takenCents - charge.lostCents, restOf(charge) + refundCents));

/** Attempts to give back the charge, oldest first. */
export const attemptsOf = ({ payments }: OrderMoney, charge: Charge): Payment[] =>
  payments.filter(({ chargeId }) => chargeId === charge.id).toSorted((a, b) => a.attemptNo - b.attemptNo);

function resultOf(
  money: OrderMoney,
  wanted: readonly Charge[],
  status: RefundResult['status'],
  refused: readonly RefusedCharge[] | undefined,
): RefundResult {
  const refundedCents = wanted.reduce((sum, { refundedCents }) => sum + refundedCents, 0);
  const orderRefunded = money.charges.every((charge) => restOf(charge) === 0) && !isLost(money.charges);
  const reasons = new Set(refused?.flatMap(({ detail }) => detail ?? []));
  const detail = reasons.size === 0 ? null : [...reasons].join(' ');
  const answer = { status, refundedCents, detail, orderRefunded, refunds: refundsOf(money) };
  if (refused === undefined) return answer;
  const named = refused.map(({ disputed: _, ...charge }) => charge);
  return { ...answer, refused: named, ...(refused.some(({ disputed }) => disputed) && { disputed: true as const }) };
}
