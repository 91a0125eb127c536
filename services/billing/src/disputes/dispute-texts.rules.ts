import type { DisputeOutcome } from '@app/contracts/disputes';
import { formatAmount } from '@app/money/format';
import type { ProcessorDispute } from '../processors/port.ts';
import type { DisputedCharge } from './dispute-rows.ts';

/** What sellers read of disputes in Recent activity. Cards and buyers are not named. */

type Read = Pick<ProcessorDispute, 'reference' | 'amountCents' | 'currency' | 'reason' | 'status' | 'evidenceDueBy'>;
type Of = Pick<DisputedCharge, 'orderId' | 'step'>;

const chargeText = ({ amountCents, currency }: Read, { orderId, step }: Of): string =>
  `${formatAmount(amountCents, currency)} of ${step === 'renewal' ? 'a renewal of ' : ''}order ${orderId}`;

const lastDay = ({ evidenceDueBy }: Read): string =>
  evidenceDueBy === null ? '' : ` by ${evidenceDueBy.toISOString().slice(0, 10)}`;

const isInquiry = ({ status }: Read): boolean => status.startsWith('warning');

export const openedText = (read: Read, of: Of): string =>
  isInquiry(read)
    ? `The buyer’s bank inquires about ${chargeText(read, of)}. Reason: ${read.reason}. No money was taken. Answer it at the payment processor${lastDay(read)} (dispute ${read.reference}), or refund the payment.`
    : `The buyer’s bank disputes ${chargeText(read, of)}. Reason: ${read.reason}. Give evidence at the payment processor${lastDay(read)} (dispute ${read.reference}), or the dispute is lost. The payment cannot be refunded meanwhile.`;

export const escalatedText = (read: Read, of: Of): string =>
  `The bank’s inquiry about ${chargeText(read, of)} has become a dispute. Reason: ${read.reason}. Give evidence at the payment processor${lastDay(read)} (dispute ${read.reference}), or the dispute is lost.`;

/** @param cents that the seller has again */
export const reversedText = (read: Read, of: Of & Pick<DisputedCharge, 'currency'>, cents: number): string =>
  `The bank has reversed the lost dispute of ${chargeText(read, of)} (dispute ${read.reference}): ${formatAmount(cents, of.currency)} is yours again. A subscription that it ended stays ended.`;

export function closedText(read: Read, of: Of, outcome: DisputeOutcome): string {
  const dispute = `The dispute of ${chargeText(read, of)} (reason ${read.reason}, evidence due${lastDay(read) || ' never'}, dispute ${read.reference})`;
  switch (outcome) {
    case 'lost':
      return `${dispute} is lost: the buyer has the money, which counts as given back. Where the order began a subscription, that has ended.`;
    case 'won':
      return `${dispute} is won: the money stays with you.`;
    case 'prevented':
      return `${dispute} was prevented: nothing is lost by it.`;
    case 'warning_closed':
      return `${dispute} was an inquiry, and ended without a dispute: nothing is lost by it.`;
  }
}
