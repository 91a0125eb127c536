import { statement } from '@app/service-kit/database';
import { forEachOrder } from '../charging/for-each-order.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { DueOrder } from '../charging/payment-store.ts';
import type { AccountRun } from '../runs/daily-step.ts';
import { mustEnd } from '../runs/refused-key.ts';
import { decideHold } from './decide-hold.ts';
import { holdIsDue } from './holds-due.ts';

const pageMax = 100;

/** Of a rehearsal its own alone. */
const dueStatement = statement<DueOrder>(
  'holds-due-of-account',
  `select account_id, order_id from holds as h
   where account_id = $1 and order_id > $3 and ${holdIsDue('h', '$2')} and (test or not $5)
   order by order_id limit $4`,
  { account_id: 'text', order_id: 'text' },
);

/**
 * Settles the account's holds without a decision in time, and tries again those whose capture was declined.
 * @returns how many it settled, without rehearsals and without those that a look-up or the payments loop ended
 */
export async function settleDueHolds(deps: PaymentDeps, run: AccountRun): Promise<number> {
  const { database } = deps;
  const { accountId, progress, test } = run;
  const now = run.now();
  const isEnding = () => mustEnd(run);
  let settled = 0;
  let page: DueOrder[];
  let after = '';
  do {
    page = (await database.pool.query(dueStatement([accountId, now, after, pageMax, test]))).rows;
    progress.expect(page.length);
    const settle = async ({ order_id }: DueOrder): Promise<void> => {
      const advanced = await decideHold(deps, { accountId, requestId: null }, order_id, 'not_decided', {
        retryCapture: true,
      });
      if (advanced?.finished && advanced.hold.status === 'settled' && !advanced.hold.test) settled += 1;
      progress.done(1);
    };
    await forEachOrder(deps, page, settle, isEnding);
    after = page.at(-1)?.order_id ?? after;
  } while (page.length === pageMax && !isEnding());
  return settled;
}
