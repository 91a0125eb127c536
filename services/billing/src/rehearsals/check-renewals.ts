import { statement } from '@app/service-kit/database';
import { checkAndAdvance } from '../advancing/advance-order.ts';
import { forEachOrder } from '../charging/for-each-order.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { DuePayment } from '../charging/payment-store.ts';
import type { AccountRun } from '../runs/daily-step.ts';

const pageMax = 100;

const unfinishedStatement = statement<DuePayment>(
  'rehearsals-unfinished',
  `select id, account_id, order_id, step from payments
   where account_id = $1 and next_check_at is not null and test and step = 'renewal' and id > $2 order by id limit $3`,
  { account_id: 'text', id: 'text', order_id: 'text', step: 'text' },
);

/**
 * Queries the processor for the rehearsal's renewals without an end, however young: their next day comes in a moment, and each
 * keeps its subscription from its next renewal. None is on its way, because one process at a time rehearses.
 */
export async function checkRehearsedRenewals(
  deps: PaymentDeps,
  { accountId, isClosing }: Pick<AccountRun, 'accountId' | 'isClosing'>,
): Promise<void> {
  let page: DuePayment[];
  let after = '';
  do {
    page = (await deps.database.pool.query(unfinishedStatement([accountId, after, pageMax]))).rows;
    const check = ({ order_id, id, step }: DuePayment) => checkAndAdvance(deps, accountId, order_id, id, step);
    await forEachOrder(deps, page, check, isClosing);
    after = page.at(-1)?.id ?? after;
  } while (page.length === pageMax && !isClosing());
}
