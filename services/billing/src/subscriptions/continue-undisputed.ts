import { type Client, statement } from '@app/service-kit/database';
import { isDisputed, renewalUnderWay } from '../charging/wanted-renewal.ts';
import { readAheadDays, rehearsalTime } from '../runs/rehearsal-time.ts';
import { lockSubscription } from './lock-subscription.ts';
import { dueAnew } from './subscription-change.rules.ts';
import { stateColumns, stateValues } from './subscription-rows.ts';

// A statement of its own, after the lock: it sees a renewal that was claimed while the lock was waited for.
const aroundStatement = statement<Around>(
  'subscriptions-around-disputed',
  `select ${renewalUnderWay('$1', '$2')} as charging,
     (select paid_at from renewals where account_id = $1 and subscription_id = $3 and period = $4) as "paidAt",
     exists (select from disputes as d where d.order_id = $2 and ${isDisputed}) as disputed`,
  { charging: 'bool', paidAt: 'timestamptz', disputed: 'bool' },
);

interface Around {
  readonly charging: boolean;
  readonly paidAt: Date | null;
  readonly disputed: boolean;
}

const updateStatement = statement(
  'subscriptions-continue-undisputed',
  `update subscriptions set ${stateColumns} where account_id = $1 and id = $2`,
);

/**
 * Lets charges of an order's subscription go on after the end of its last open dispute, in the transaction that records that: what
 * fell due meanwhile is due now, and the time of the dispute is not billed.
 */
export async function continueUndisputed(
  client: Client,
  { accountId, orderId }: { readonly accountId: string; readonly orderId: string },
  now: Date,
): Promise<void> {
  const row = await lockSubscription(client, accountId, orderId);
  if (row === undefined) return;
  const [around] = (await client.query(aroundStatement([accountId, orderId, row.id, row.period]))).rows;
  if (around === undefined || around.disputed) return;
  const aheadDays = row.test ? ((await readAheadDays(client, [accountId])).get(accountId) ?? 0) : 0;
  const change = dueAnew(row, rehearsalTime(now, aheadDays), around);
  if (change !== null) await client.query(updateStatement(stateValues(accountId, row.id, { ...row, ...change })));
}
