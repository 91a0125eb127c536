import { newId } from '@app/contracts/ids';
import type { EndpointOffPayload, KeyRefusedPayload } from '@app/contracts/triggers';
import { keyRefused } from '@app/contracts/webhooks';
import { type Client, statement, unnamed } from '@app/service-kit/database';
import type { DeliverySender } from '../deliveries/delivery-sender.ts';
import { priorities } from '../deliveries/priority.rules.ts';
import type { StoreKeyNotices } from '../events/consumers.ts';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import { type StoreDeps, storeEventFor } from '../events/store-events.ts';
import { builtInId, builtInRows, materialiseStatement } from './automation-row.ts';
import { type BuiltInKey, keyHeadline } from './built-in.rules.ts';

export type NoticeDeps = Pick<StoreDeps, 'clock' | 'partitions'> & { readonly emailsAvailable: boolean };

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
  { emailsAvailable }: Pick<NoticeDeps, 'emailsAvailable'>,
  client: Client,
  accountId: string,
): Promise<void> {
  if (emailsAvailable) await client.query(materialiseStatement([builtInRows([accountId])]));
}

const shareAutomationStatement = statement(
  'endpoint-notices-share-automation',
  'select from endpoints where account_id = $1 and id = $2 and active for share',
);

export interface SellerNotice {
  readonly accountId: string;
  /** The automation that sends it. */
  readonly builtIn: BuiltInKey;
  readonly payload: EndpointOffPayload | KeyRefusedPayload;
}

/**
 * Stores, in the transaction of what happened, the email that notifies the seller. Where no emails are sent, and while the seller has
 * switched these notices off, it stores nothing. `writeNoticeAutomation` comes first.
 */
export async function storeNotice(
  deps: NoticeDeps,
  client: Client,
  { accountId, builtIn, payload }: SellerNotice,
): Promise<void> {
  if (!deps.emailsAvailable) return;
  const automationId = builtInId(accountId, builtIn);
  const { rowCount } = await client.query(unnamed(shareAutomationStatement([accountId, automationId])));
  if (rowCount === 0) return;
  const event: OutgoingEvent = {
    id: newId('event', deps.clock.nowMs()),
    accountId,
    name: payload.event,
    body: JSON.stringify(payload),
    orderId: null,
    email: null,
    productId: null,
    test: false,
    priority: priorities.other,
    traceparent: null,
    occurredAt: payload.sentAt,
  };
  await storeEventFor({ ...deps, dispatcher: noSender }, event, [automationId], client, () => undefined);
}

/** Billing says it once a day. Accounts in the order of their ids, so that no two batches wait for each other. */
export const storingKeyNotices =
  (deps: NoticeDeps): StoreKeyNotices =>
  async (client, notices) => {
    for (const { accountId, summary, occurredAt, lacksPermission } of notices.toSorted((a, b) =>
      a.accountId < b.accountId ? -1 : 1,
    )) {
      await writeNoticeAutomation(deps, client, accountId);
      const headline = keyHeadline(lacksPermission);
      const payload: KeyRefusedPayload = { event: keyRefused, headline, summary, sentAt: occurredAt };
      await storeNotice(deps, client, { accountId, builtIn: 'key_refused_notice', payload });
    }
  };
