import type { EventHandler } from '@app/messaging/event-handler';
import type { RequestHandler } from '@app/messaging/serve-requests';
import { activityRequests } from './activity/requests.ts';
import { createWriteBuiltIns } from './automations/built-in-writer.ts';
import { automationRequests } from './automations/requests.ts';
import { storingKeyNotices } from './automations/store-notice.ts';
import type { GuardedAgent } from './deliveries/guarded-agent.ts';
import { endpointRequests } from './endpoints/requests.ts';
import { onTakenBack } from './endpoints/revoke-endpoints.ts';
import { webhookEventHandlers } from './events/consumers.ts';
import { historyRequests } from './history/requests.ts';
import type { Sending } from './open-sending.ts';
import type { Storage } from './open-storage.ts';
import { repairRequests } from './repair/requests.ts';
import { testSendRequests } from './test-sends/requests.ts';

export function consumedEvents({ clock, partitions }: Storage, sending: Sending): EventHandler[] {
  const { dispatcher, emails } = sending;
  const emailsAvailable = emails.available;
  const writeBuiltIns = createWriteBuiltIns(emailsAvailable);
  const storeKeyNotices = storingKeyNotices({ clock, partitions, emailsAvailable });
  const deps = { clock, dispatcher, partitions, emailsAvailable, writeBuiltIns, storeKeyNotices };
  return [...webhookEventHandlers(deps), onTakenBack(sending)];
}

/** @param agent of the self-tests */
export function answeredRequests(storage: Storage, sending: Sending, agent: GuardedAgent): RequestHandler[] {
  const { database, clock, partitions } = storage;
  const { dispatcher, emails, secrets, announce, attemptTimeoutMs } = sending;
  const emailsAvailable = emails.available;
  return [
    ...endpointRequests(sending),
    ...automationRequests({ ...sending, partitions, emailsAvailable, publicUrl: emails.publicUrl }),
    ...activityRequests(database),
    ...repairRequests({ database, clock, announce, released: () => dispatcher.wake() }),
    ...historyRequests(database),
    ...testSendRequests({ ...storage, dispatcher, agent, secrets, attemptTimeoutMs }),
  ];
}
