import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { forEachOrder } from '../charging/for-each-order.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import {
  claimDueHolds,
  claimDuePayments,
  claimDueRefunds,
  type DueOrder,
  type DuePayment,
} from '../charging/payment-store.ts';
import { decideHold } from '../holds/decide-hold.ts';
import { advanceRefund } from '../refunds/refund-charges.ts';
import { checkAndAdvance } from './advance-order.ts';

/** Nothing announces that the time of a payment has come, so the database is polled. */
const pollIntervalMs = 1_000;
const outagePauseMaxMs = 30_000;

/**
 * Advances, in the background of each replica, what no caller waits for: payments whose outcome is unknown, what a process
 * that died left half done, and holds without a decision. A round takes a bounded number of rows.
 */
export function startPaymentsLoop(deps: PaymentDeps): BackgroundLoop {
  let failures = 0;
  return startLoop({
    name: 'billing.payments',
    held: () => deps.processorCalls.isHeld(),
    round: async (isClosing) => {
      failures += 1;
      await runRound(deps, isClosing);
      failures = 0;
    },
    // An outage meets every round: rounds are rarer the longer it lasts.
    pauseMs: () => Math.min(outagePauseMaxMs, pollIntervalMs * 2 ** Math.min(failures, 5)),
    onFailure: (err) => deps.logger.warn({ err }, 'due payments could not be advanced; retrying'),
  });
}

/** One round: what is due of each kind, a few orders at a time. @throws Error when the database does not answer */
export async function runRound(deps: PaymentDeps, isClosing: () => boolean = () => false): Promise<void> {
  const { database, clock } = deps;
  const byItself = (accountId: string) => ({ accountId, requestId: null });
  const payments = await claimDuePayments(database, clock.now());
  const check = ({ account_id, order_id, id, step }: DuePayment) =>
    checkAndAdvance(deps, account_id, order_id, id, step);
  await forEachOrder(deps, payments, check, isClosing);
  const holds = await claimDueHolds(database, clock.now());
  // Where a decision is stored, it stays, and this goes on with it.
  const settle = async ({ account_id, order_id }: DueOrder): Promise<void> => {
    await decideHold(deps, byItself(account_id), order_id, 'not_decided', { retryCapture: true });
  };
  await forEachOrder(deps, holds, settle, isClosing);
  const refunds = distinct(await claimDueRefunds(database, clock.now()));
  const refund = async ({ account_id, order_id }: DueOrder): Promise<void> => {
    await advanceRefund(deps, byItself(account_id), order_id);
  };
  await forEachOrder(deps, refunds, refund, isClosing);
}

/** An order with two charges is due twice. */
const distinct = (due: readonly DueOrder[]): DueOrder[] => [
  ...new Map(due.map((order) => [`${order.account_id}/${order.order_id}`, order])).values(),
];
