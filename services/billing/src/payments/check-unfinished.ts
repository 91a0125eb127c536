import { type DuePayment, listUnfinishedPayments } from './claim-due.ts';
import { forEachOrder } from './for-each-order.ts';
import { checkAndGoOn } from './go-on-with-order.ts';
import type { PaymentDeps } from './payment-deps.ts';

const pageMax = 100;
/** Younger ones may still be answered. */
const olderThanMs = 60_000;

/** Asks the processor for every payment of the account that has come to no end. */
export async function checkUnfinishedPayments(deps: PaymentDeps, accountId: string): Promise<void> {
  const madeBefore = new Date(deps.clock.nowMs() - olderThanMs);
  let page: DuePayment[];
  let after = '';
  do {
    page = await listUnfinishedPayments(deps.database, accountId, { madeBefore, after, limit: pageMax });
    await forEachOrder(deps, page, ({ order_id, id, step }) => checkAndGoOn(deps, accountId, order_id, id, step));
    after = page.at(-1)?.id ?? after;
  } while (page.length === pageMax);
}
