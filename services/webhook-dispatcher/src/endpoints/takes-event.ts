import type { WebhookEventName } from '@app/contracts/webhooks';
import { type Database, statement } from '@app/service-kit/database';

/** Switched-off endpoints count: what is made for them is held. */
const takesStatement = statement(
  'endpoints-take-event',
  `select exists (
     select from endpoints where account_id = $1 and (events is null or $2 = any (events))) as takes`,
);

export async function takesEvent(
  database: Database,
  accountId: string,
  event: WebhookEventName,
): Promise<{ takes: boolean }> {
  const { rows } = await database.pool.query<{ takes: boolean }>(takesStatement([accountId, event]));
  return { takes: rows[0]?.takes === true };
}
