import { dayMs } from '@app/contracts/durations';
import { newIdSuffix } from '@app/contracts/ids';
import { continuePayment, listPayments } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import { claimDue, claimSql, type SweepRun, sweepDue } from '../sweeps/sweep-due.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { orderIdOf } from './checkout-order.ts';
import { type CheckoutRow, checkoutColumns, checkoutFields, checkoutTypes } from './checkout-row.ts';
import { free, lookUpAttempt, outcomeRecorded } from './request-payment.ts';

/**
 * A request to start a payment is repeated for as long as a buyer waits for `checkouts.pay`: after two minutes none is on its way.
 * Should one arrive later all the same, its payment is recorded with the sale of its own attempt.
 */
const recheckAfterMs = 120_000;
/**
 * A buyer has a day to confirm a payment, and billing says how it ended. Who waits longer waits for a payment that billing lacks, as
 * after a backup was restored.
 */
const recheckWaitingAfterMs = 2 * dayMs;
const requestId = 'checkout-sweep';

const claimOf = (name: string, status: 'processing' | 'requires_action') =>
  statement<CheckoutRow>(
    name,
    `with claimed as (
     ${claimSql('checkouts', status, checkoutFields)}
   )
   select ${checkoutColumns} from claimed as c
   join checkout_attempts as t on t.account_id = c.account_id and t.checkout_id = c.id and t.attempt_no = c.attempt_no`,
    checkoutTypes,
  );
const checkedStatement = statement(
  'checkouts-checked',
  `update checkouts set checked_at = $3 where account_id = $1 and id = $2 and status = 'requires_action'`,
);

const claimProcessing = claimOf('checkouts-claim', 'processing');
const claimWaiting = claimOf('checkouts-claim-waiting', 'requires_action');

/** Queries billing about attempts that have been under way for long: their process died, or billing's answer was lost. */
export async function sweepCheckouts(deps: CheckoutDeps & SweepRun): Promise<void> {
  const work = (row: CheckoutRow): Promise<void> => resumeAttempt(deps, row);
  const failed = (err: unknown, { id }: CheckoutRow): void =>
    deps.logger.warn({ err, checkoutId: id }, 'a payment could not be checked with billing; the next sweep retries');
  await sweepDue(deps, () => claimDue(deps, claimProcessing, recheckAfterMs), work, failed);
  // Billing's answer counts as a check: where it failed, or this process dies before it, another one is not two days away.
  const checked = async (row: CheckoutRow): Promise<void> => {
    await work(row);
    await deps.database.pool.query(checkedStatement([row.account_id, row.id, deps.clock.now()]));
  };
  await sweepDue(deps, () => claimDue(deps, claimWaiting, recheckWaitingAfterMs, recheckAfterMs), checked, failed);
}

/**
 * An attempt that billing has no payment for is looked up: billing never got it, and the buyer may try again, or has lost it. Not
 * while an earlier payment is still open. One that it has and knows the end of is recorded; one that it does not know the end of is billing's to find out.
 */
async function resumeAttempt(deps: CheckoutDeps, row: CheckoutRow): Promise<void> {
  if (row.sale?.totalCents === 0) {
    await outcomeRecorded(deps, row, free, requestId);
    return;
  }
  const orderId = orderIdOf(row);
  const call = { accountId: row.account_id, requestId };
  const { data } = await deps.requester.request(listPayments, { orderId, limit: 100 }, call);
  const main = data.filter(({ step }) => step === 'main');
  const own = main.find(({ try_no }) => try_no === row.attempt_no);
  const commandId = newIdSuffix(deps.clock.nowMs());
  if (own === undefined && main.every(({ status }) => status === 'declined')) {
    await outcomeRecorded(deps, row, await lookUpAttempt(deps, row, { ...call, commandId }), requestId);
    return;
  }
  const known = main.some(({ status }) => status === 'succeeded') || own?.status === 'declined';
  if (!known && own?.status !== 'requires_action') return;
  await outcomeRecorded(
    deps,
    row,
    await deps.requester.request(continuePayment, { orderId }, { ...call, commandId }),
    requestId,
  );
}
