import type { CheckoutOutcome } from '@app/contracts/checkouts';
import { DomainError } from '@app/contracts/errors';
import { settleHold } from '@app/contracts/payments';
import type { RequestContext } from '@app/messaging/request-headers';
import { statement } from '@app/service-kit/database';
import { checkoutOutcomeOf } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { orderIdOf } from './checkout-order.ts';
import { type CheckoutRow, findCheckout, type OfBuyer, readAgain } from './checkout-row.ts';
import type { OutcomeOfAccount } from './pay-checkout.ts';
import { recordSettlement } from './record-settlement.ts';
import { billingDeadlineMs } from './request-payment.ts';

type Decision = 'accepted' | 'declined';

/**
 * Decides on the upsell of a held order. The hold is billing's: its `settleHold` captures it and charges the upsell, and
 * `recordSettlement` writes here what came of it, with `order.paid`. The first request decides, and a later one gets the outcome of the first.
 * `processing` while a payment of it is not known yet.
 * @throws DomainError checkout_not_found; invalid_transition where no upsell was offered; outcome_unknown when
 *   billing's answer was lost: the same decision may be sent again
 */
export async function decideUpsell(
  deps: CheckoutDeps,
  { body, ...buyer }: OfBuyer & { body: { accept: boolean } },
  context: RequestContext,
): Promise<OutcomeOfAccount> {
  const row = await findCheckout(deps.steps, buyer);
  if (row.upsell_status === null)
    throw new DomainError('invalid_transition', 'This checkout offers no upsell to accept or decline.');
  const decision = body.accept ? 'accepted' : 'declined';
  const outcome = row.status === 'authorized' ? await settle(deps, row, decision, context) : checkoutOutcomeOf(row);
  return { accountId: row.account_id, outcome };
}

async function settle(
  deps: CheckoutDeps,
  row: CheckoutRow,
  decision: Decision,
  context: RequestContext,
): Promise<CheckoutOutcome> {
  const { requestId, commandId } = context;
  const call = { accountId: row.account_id, requestId, commandId, deadlineMs: billingDeadlineMs(context) };
  const { status, ...result } = await deps.requester.request(settleHold, { orderId: orderIdOf(row), decision }, call);
  if (status === 'settling') return await markDecided(deps, row);
  const source = { requestId, nowMs: deps.clock.nowMs() };
  const settled = await recordSettlement(deps.database.pool, row, { ...result, status }, source);
  if (settled === undefined) return checkoutOutcomeOf(await readAgain(deps.database, row));
  deps.wakeRelay();
  return checkoutOutcomeOf(settled);
}

const decidedStatement = statement(
  'checkout-decided',
  `update checkouts set upsell_decided = true where account_id = $1 and id = $2 and status = 'authorized'`,
);

/** Stored so that a buyer who comes back gets no second offer; another decision gets the outcome of the first one. */
export async function markDecided({ database }: CheckoutDeps, row: CheckoutRow): Promise<CheckoutOutcome> {
  await database.pool.query(decidedStatement([row.account_id, row.id]));
  return checkoutOutcomeOf({ ...row, upsell_decided: true });
}
