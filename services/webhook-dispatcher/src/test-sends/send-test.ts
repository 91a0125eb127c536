import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { sendTestWebhook } from '@app/contracts/webhook-tests';
import type { WebhookEventName } from '@app/contracts/webhooks';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { currentTraceparent } from '@app/service-kit/tracing';
import { priorities } from '../deliveries/priority.rules.ts';
import { isUrl } from '../destinations/destination-kind-sql.ts';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import type { StoreDeps } from '../events/store-events.ts';
import { storeTestOnce } from '../events/store-test-once.ts';
import { readDelivery } from '../history/read-delivery.ts';
import { unknownEndpoint } from '../texts/endpoint-errors.ts';
import { freshSample } from './fresh-sample.ts';

export type SendTestDeps = StoreDeps & { readonly database: Database };

const endpointStatement = statement<{ active: boolean; url: string | null }>(
  'send-test-endpoint',
  `select active, url from endpoints
   where id = $2 and account_id = $1 and ${isUrl()} for share`,
  { active: 'bool', url: 'text' },
);

/**
 * Stores a sample of the event with a delivery to this endpoint, which the dispatcher sends as any other. The event's id
 * has the command's suffix, so that a repeated command finds its delivery.
 * @throws DomainError webhook_endpoint_not_found; invalid_transition when the endpoint is off
 */
export async function sendTest(
  deps: SendTestDeps,
  accountId: string,
  commandId: string,
  { endpointId, event }: { readonly endpointId: string; readonly event: WebhookEventName },
): Promise<RequestOutput<typeof sendTestWebhook>> {
  const id = idOfCommand('event', commandId);
  const outgoing = testEvent(deps.clock.nowMs(), { id, accountId, name: event });
  const deliveryId = await storeTestOnce(deps, commandId, { event: outgoing, endpointId }, (client) =>
    checkEndpoint(client, accountId, endpointId),
  );
  if (deliveryId === undefined) throw new Error(`the test event ${id} vanished`);
  return await readDelivery(deps.database, accountId, deliveryId);
}

async function checkEndpoint(client: Client, accountId: string, endpointId: string): Promise<void> {
  const { rows } = await client.query(endpointStatement([accountId, endpointId]));
  const [endpoint] = rows;
  if (endpoint === undefined) throw unknownEndpoint();
  if (endpoint.url === null) throw notPossible('No URL is connected. Connect one first.');
  if (!endpoint.active)
    throw notPossible('The endpoint is switched off, so nothing is sent to it. Switch it on first.');
}

const notPossible = (detail: string): DomainError => new DomainError('invalid_transition', detail);

function testEvent(
  nowMs: number,
  about: { readonly id: string; readonly accountId: string; readonly name: WebhookEventName },
): OutgoingEvent {
  const payload = freshSample(about.name, nowMs);
  const text = (name: string): string | null => (payload[name] === undefined ? null : String(payload[name]));
  return {
    ...about,
    orderId: text('orderId'),
    email: text('email'),
    productId: text('productId'),
    test: true,
    priority: priorities.resent,
    body: JSON.stringify(payload),
    traceparent: currentTraceparent() ?? null,
    occurredAt: String(payload.sentAt),
  };
}
