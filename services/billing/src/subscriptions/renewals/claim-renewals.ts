import { emailKey } from '@app/contracts/email-key';
import { createBatcher } from '@app/service-kit/batcher';
import type { Client } from '@app/service-kit/database';
import { together } from '@app/service-kit/together';
import { nextCheckAt, unanswered } from '../../charging/payment.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { renewalsClaimed } from '../../points/points.ts';
import type { SavedMethodRequest } from '../../processors/port.ts';
import { type ClaimTimes, lockDue, periodWrites, writeClaims } from './claim-statements.ts';
import type { ChargeScope, PayableSubscription } from './due-subscriptions.ts';
import { decideClaim, type RenewalClaim } from './renewal-claim.rules.ts';
import { renewalKey } from './renewal-key.ts';

/** A payment that may be sent now. */
export interface ClaimedRenewal extends Pick<RenewalClaim, 'resends' | 'refusedBefore'> {
  /** One that `resends` was sent before: it is looked up first. */
  readonly payment: Payment;
}

/** Resolves with the payment to send now, or undefined where the renewal is not wanted any more. */
export type ClaimRenewal = (due: PayableSubscription) => Promise<ClaimedRenewal | undefined>;

/** As answers are gathered before they are recorded: each batch is a commit and four round trips, and no caller waits for one renewal. */
const lingerMs = 5;

/**
 * Claims renewals right before their calls: what the seller canceled, paused or gave back while they waited is not charged,
 * and a later process finds their payments. Those whose calls may begin at the same time share one transaction; should that fail, each
 * is claimed by itself.
 * @param max renewals of one transaction
 */
export function createClaimRenewal(
  { database, clock }: Pick<PaymentDeps, 'database' | 'clock'>,
  scope: ChargeScope,
  max: number,
): ClaimRenewal {
  const { accountId, runId, now } = scope;
  const claims = createBatcher<PayableSubscription, ClaimedRenewal | undefined>({
    maxSize: max,
    lingerMs,
    run: together(async (due) => {
      const nowMs = clock.nowMs();
      const times = { now, sentAt: new Date(nowMs), checkAt: nextCheckAt(0, nowMs) };
      const claimed = await database.transaction(
        (client) => claimRenewals(client, scope, due, times),
        (sent) => periodWrites(scope, sent),
      );
      renewalsClaimed.announce(() => ({ accountId, runId, paymentIds: claimed.map(({ payment }) => payment.id) }));
      const byOrder = new Map(claimed.map((each) => [each.payment.orderId, each]));
      return due.map(({ order_id }) => byOrder.get(order_id));
    }),
  });
  return claims.add;
}

/**
 * Locks and reads, decides, writes: the payments of renewals that are sent next.
 * @param due of one account, each on its own card at its `processor`
 * @returns those that may be sent now; the others are not due any more, or another payment of theirs is open
 */
async function claimRenewals(
  client: Client,
  scope: ChargeScope,
  due: readonly PayableSubscription[],
  times: ClaimTimes,
): Promise<(ClaimedRenewal & { readonly due: PayableSubscription })[]> {
  const locked = await lockDue(client, scope, due);
  const claims = locked.flatMap(({ due: each, read }) => {
    const claim = decideClaim(read, scope.now);
    return claim === undefined ? [] : [{ ...claim, due: each, payment: renewalPayment(scope, each, claim, times) }];
  });
  return await writeClaims(client, scope, claims, times);
}

function renewalPayment(
  { accountId, confirmation, statementSuffix }: ChargeScope,
  due: PayableSubscription,
  { attemptNo }: RenewalClaim,
  { now: createdAt, sentAt, checkAt: nextCheckAt }: ClaimTimes,
): Payment {
  const { order_id, amount_cents, currency, customer_email, product_name, test } = due;
  const id = renewalKey(due, due.period + 1, attemptNo);
  const request: SavedMethodRequest = {
    paymentId: id,
    amountCents: amount_cents,
    currency,
    savedMethod: due.payment_method as string,
    customerEmail: customer_email,
    orderId: order_id,
    description: product_name,
    ...(statementSuffix !== undefined && { statementSuffix }),
    ...(confirmation && { confirmation }),
  };
  return {
    ...unanswered,
    id,
    accountId,
    orderId: order_id,
    step: 'renewal',
    chargeId: null,
    releasedPaymentId: null,
    period: due.period + 1,
    attemptNo,
    call: 'chargeSaved',
    request,
    holdTerms: null,
    amountCents: amount_cents,
    currency,
    processor: due.processor,
    customerEmail: customer_email,
    emailKey: emailKey(customer_email),
    productName: product_name,
    test,
    createdAt,
    sentAt,
    nextCheckAt,
  };
}
