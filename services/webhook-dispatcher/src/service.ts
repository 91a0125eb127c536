import { defineService } from '@app/service-host/define-service';
import type { WebhookDispatcherConfig } from './config.ts';
import { emailKeys } from './db/email-keys.ts';
import { databaseOptions } from './db/migrate.ts';
import { createGuardedAgent } from './deliveries/guarded-agent.ts';
import { answeredRequests, consumedEvents } from './handlers.ts';
import { openSending } from './open-sending.ts';
import { openStorage } from './open-storage.ts';

export const createWebhookDispatcher = defineService<WebhookDispatcherConfig>({
  name: 'webhook-dispatcher',
  description: 'Webhook endpoints, deliveries and activity',
  database: databaseOptions,
  emailKeys,
  start: async (context) => {
    const storage = await openStorage(context);
    const sending = await openSending(context, storage);
    const agent = context.resources.add('self-tests', createGuardedAgent(sending), (opened) => opened.destroy());
    return {
      events: consumedEvents(storage, sending),
      requests: answeredRequests(storage, sending, agent),
    };
  },
});
