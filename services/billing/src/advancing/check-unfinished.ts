import { forEachOrder } from '../charging/for-each-order.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { type DuePayment, listUnfinishedPayments } from '../charging/payment-store.ts';
import type { AccountRun } from '../runs/daily-step.ts';
import { mustEnd } from '../runs/refused-key.ts';
import { checkAndAdvance } from './advance-order.ts';

const pageMax = 100;
/** Younger ones may still be answered. */
const olderThanMs = 60_000;

/** A run looks up what was made by then. */
export const unfinishedBefore = (now: Date): Date => new Date(now.getTime() - olderThanMs);

/** Queries the processor for every payment of the account that has come to no end. */
export async function checkUnfinishedPayments(deps: PaymentDeps, run: AccountRun): Promise<void> {
  const { accountId, progress } = run;
  const isEnding = () => mustEnd(run);
  const madeBefore = unfinishedBefore(deps.clock.now());
  let page: DuePayment[];
  let after = '';
  do {
    page = await listUnfinishedPayments(deps.database, accountId, { madeBefore, after, limit: pageMax });
    progress.expect(page.length);
    const check = async ({ order_id, id, step }: DuePayment): Promise<void> => {
      await checkAndAdvance(deps, accountId, order_id, id, step);
      progress.done(1);
    };
    await forEachOrder(deps, page, check, isEnding);
    after = page.at(-1)?.id ?? after;
  } while (page.length === pageMax && !isEnding());
}
