import type { DisputeStatus } from '@app/contracts/disputes';
import { fromStripeAmount } from '@app/money/stripe-amounts';
import type Stripe from 'stripe';
import type { ProcessorCall, ProcessorDispute } from '../port.ts';
import { feesOf } from './stripe-fees.ts';
import type { StripeLink } from './stripe-link.ts';
import { isHold, markOf, moneyReference } from './stripe-objects.ts';

/** A dispute as it stands now; null where its payment is not the account's. */
export async function readDispute(link: StripeLink, id: string, call: ProcessorCall): Promise<ProcessorDispute | null> {
  const expand = ['payment_intent'];
  const dispute = await link.readPatiently(call, (stripe, options) =>
    stripe.disputes.retrieve(id, { expand }, options),
  );
  return disputeOf(dispute, call) ?? null;
}

/** Undefined for one of other money of the same Stripe account. @param dispute with its PaymentIntent */
export function disputeOf(dispute: Stripe.Dispute, call: ProcessorCall): ProcessorDispute | undefined {
  const { payment_intent: intent, amount, currency, evidence_details } = dispute;
  if (intent === null || typeof intent === 'string') return undefined;
  const mark = markOf(call, intent.metadata);
  if (mark === undefined) return undefined;
  return {
    reference: dispute.id,
    paymentId: isHold(intent) ? mark.captureId : mark.paymentId,
    orderId: mark.orderId,
    about: moneyReference(intent),
    amountCents: fromStripeAmount(amount, currency),
    currency,
    reason: dispute.reason,
    status: statusOf(dispute.status),
    refundable: dispute.is_charge_refundable,
    evidenceDueBy: evidence_details.due_by === null ? null : new Date(evidence_details.due_by * 1_000),
    openedAt: new Date(dispute.created * 1_000),
    takenCents: fromStripeAmount(takenOf(dispute), currency),
    fees: feesOf(dispute.balance_transactions),
  };
}

/**
 * By the net of its balance transactions, fees left out: what was withdrawn and not reinstated. They are in the settlement
 * currency, so it is their share of the disputed amount that counts.
 */
function takenOf({ amount, balance_transactions }: Stripe.Dispute): number {
  const moved = balance_transactions.map((transaction) => transaction.amount);
  const withdrawn = -moved.reduce((sum, each) => sum + Math.min(each, 0), 0);
  const net = -moved.reduce((sum, each) => sum + each, 0);
  return net <= 0 ? 0 : Math.round((amount * net) / withdrawn);
}

/** A status that later versions of Stripe add is open until it is one of these. */
const statuses: Readonly<Record<string, DisputeStatus>> = {
  needs_response: 'needs_response',
  under_review: 'under_review',
  appeal_needs_response: 'needs_response',
  appeal_under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  prevented: 'prevented',
  warning_needs_response: 'warning_needs_response',
  warning_under_review: 'warning_under_review',
  warning_closed: 'warning_closed',
};

const statusOf = (status: string): DisputeStatus => statuses[status] ?? 'under_review';
