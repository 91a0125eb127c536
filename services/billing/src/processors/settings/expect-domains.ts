import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { Transaction } from './transaction.ts';
import type { WebhookOf } from './webhook-secrets.ts';

const expectStatement = statement(
  'processor-domains-expect',
  `insert into processor_domains as d (account_id, processor, test, at_processor, status, next_attempt_at)
   values ($1, $2, $3, $4, 'pending', $5)
   on conflict (account_id, processor, test, at_processor) do update set attempts = 0,
     status = case when d.status = 'not_permitted' then 'pending' else d.status end,
     next_attempt_at = greatest($5, d.claimed_until)`,
);

/** Lets the platform register domains with a key that was just stored. */
export async function expectDomains(tx: Transaction, of: WebhookOf, now: Date): Promise<void> {
  const { accountId, processor, test, atProcessor } = of;
  await executeBound(tx, expectStatement([accountId, processor, test, atProcessor, now]));
}
