import { newId } from '@app/contracts/ids';
import type { EndpointOffPayload } from '@app/contracts/triggers';
import { endpointOff } from '@app/contracts/webhooks';
import { type Client, statement, unnamed } from '@app/service-kit/database';
import { builtInId, builtInRows, materialiseStatement } from '../automations/automation-row.ts';
import type { DeliverySender } from '../deliveries/delivery-sender.ts';
import { priorities } from '../deliveries/priority.rules.ts';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import { type StoreDeps, storeEventFor } from '../events/store-events.ts';

export interface EndpointNotice {
  readonly accountId: string;
  readonly endpointId: string;
  readonly url: string;
  /** `gone`, `failing` or `warned`. */
  readonly reason: string;
  /** What happened, in one sentence without its full stop. */
  readonly summary: string;
  readonly at: Date;
}

/** Takes no delivery, so that each waits in the database for the next poll, and nothing is to be done after the commit. */
const noSender: DeliverySender = {
  newLease: () => ({ token: '', owner: 0, seconds: 0, endsMs: 0 }),
  freeCapacityOf: () => 0,
  hostRateOf: () => null,
  registerLease: () => undefined,
  queueCommitted: () => undefined,
};

/**
 * Writes the automation that sends the email, before the transaction locks an endpoint: an account's first event writes
 * the automations and locks the endpoints, too, in this order, and otherwise each could wait for the other.
 */
export async function writeNoticeAutomation(
  { emailsAvailable }: { readonly emailsAvailable: boolean },
  client: Client,
  accountId: string,
): Promise<void> {
  if (emailsAvailable) await client.query(materialiseStatement([builtInRows([accountId])]));
}

const shareAutomationStatement = statement(
  'endpoint-notices-share-automation',
  'select from endpoints where account_id = $1 and id = $2 and active for share',
);

/**
 * Stores, in the transaction that switches an endpoint off, the email that notifies its seller. Without a mail server, and
 * while the seller has switched these notices off, it stores nothing. `writeNoticeAutomation` comes first.
 */
export async function storeEndpointNotice(
  deps: Pick<StoreDeps, 'clock' | 'partitions'> & { readonly emailsAvailable: boolean },
  client: Client,
  notice: EndpointNotice,
): Promise<void> {
  const { accountId, endpointId, url, reason, summary, at } = notice;
  if (!deps.emailsAvailable) return;
  const automationId = builtInId(accountId, 'endpoint_off_notice');
  const { rowCount } = await client.query(unnamed(shareAutomationStatement([accountId, automationId])));
  if (rowCount === 0) return;
  const sentAt = at.toISOString();
  const payload: EndpointOffPayload = { event: endpointOff, endpointId, url, reason, summary, sentAt };
  const event: OutgoingEvent = {
    id: newId('event', deps.clock.nowMs()),
    accountId,
    name: endpointOff,
    body: JSON.stringify(payload),
    orderId: null,
    email: null,
    productId: null,
    test: false,
    priority: priorities.other,
    traceparent: null,
    occurredAt: sentAt,
  };
  await storeEventFor({ ...deps, dispatcher: noSender }, event, [automationId], client, () => undefined);
}
