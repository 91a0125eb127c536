import { DomainError } from '@app/contracts/errors';
import { continuePayment } from '@app/contracts/payments';
import type { RequestContext } from '@app/messaging/request-headers';
import { checkoutOutcomeOf } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { orderIdOf } from './checkout-order.ts';
import { type CheckoutRow, findCheckout, type OfBuyer } from './checkout-row.ts';
import type { OutcomeOfAccount } from './pay-checkout.ts';
import { billingDeadlineMs, lookUpAttempt, outcomeRecorded, unlessOutage } from './request-payment.ts';

/**
 * How the payment stands, after the buyer confirmed it at the bank or when its answer was lost.
 * @throws DomainError checkout_not_found; invalid_transition before the first attempt to pay
 */
export async function continueCheckout(
  deps: CheckoutDeps,
  buyer: OfBuyer,
  context: RequestContext,
): Promise<OutcomeOfAccount> {
  const row = await findCheckout(deps.steps, buyer);
  if (row.attempt_no === 0)
    throw new DomainError(
      'invalid_transition',
      'The checkout has no payment yet that could be continued: pay it first.',
    );
  const waits = row.status === 'requires_action' || row.status === 'processing';
  return {
    accountId: row.account_id,
    outcome: waits ? await requestAgain(deps, row, context) : checkoutOutcomeOf(row),
  };
}

async function requestAgain(deps: CheckoutDeps, row: CheckoutRow, context: RequestContext) {
  const { requestId, commandId } = context;
  const call = { accountId: row.account_id, requestId, commandId, deadlineMs: billingDeadlineMs(context) };
  const input = { orderId: orderIdOf(row) };
  const outcome = await deps.requester.request(continuePayment, input, call).catch(async (err: unknown) => {
    if (row.status !== 'requires_action' || !isNotStarted(err)) return unlessNotKnown(err);
    // Billing has answered before that the bank asks the buyer: its database was restored since.
    return await lookUpAttempt(deps, row, call).catch(unlessOutage);
  });
  if (outcome === undefined) return checkoutOutcomeOf(row);
  const recorded = await outcomeRecorded(deps, row, outcome, requestId);
  const { clientSecret, attemptNo } = outcome;
  // It goes on to the buyer, and is not recorded.
  const isOfBuyer = clientSecret !== undefined && recorded.status === 'requires_action' && attemptNo === row.attempt_no;
  return isOfBuyer ? { ...recorded, clientSecret } : recorded;
}

/** Billing may not have got the attempt yet: it is under way all the same. */
function unlessNotKnown(err: unknown): undefined {
  if (!isNotStarted(err)) unlessOutage(err);
}

const isNotStarted = (err: unknown): boolean => err instanceof DomainError && err.code === 'invalid_transition';
