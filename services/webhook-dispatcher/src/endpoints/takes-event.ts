import type { WebhookEventName } from '@app/contracts/webhooks';
import { type Database, statement } from '@app/service-kit/database';
import { isUrl } from '../destinations/destination-kind-sql.ts';

/** Endpoints that are off count too, because their events are held. The one without a URL does not (destinations/url-kind.rules.ts). */
const takesStatement = statement<{ takes: boolean }>(
  'endpoints-take-event',
  `select exists (
     select from endpoints
     where account_id = $1 and url is not null and ${isUrl()} and (events is null or $2 = any (events))) as takes`,
  { takes: 'bool' },
);

/** Whether an endpoint of the account with a URL, on or off, takes events of that name. */
export async function takesEvent(
  database: Database,
  accountId: string,
  event: WebhookEventName,
): Promise<{ takes: boolean }> {
  const { rows } = await database.pool.query(takesStatement([accountId, event]));
  return { takes: rows[0]?.takes === true };
}
