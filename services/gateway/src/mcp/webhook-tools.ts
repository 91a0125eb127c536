import { annotations, operation, shortPage, type Tool } from './tool.ts';

const { reads, adds, changes, replaces, sends, ends } = annotations;

/** Tools about events on their way to receivers, and about what else events start. */
export const webhookTools: readonly Tool[] = [
  {
    name: 'get_webhook_endpoint',
    description: 'The URL that was connected first.',
    operation: operation('getWebhookEndpoint'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'set_webhook_endpoint',
    description:
      'Connects or replaces that URL. The answer that first connects one holds the signing secret, this once.',
    operation: operation('putWebhookEndpoint'),
    unsaid: ['description', 'headers', 'held'],
    annotations: changes,
  },
  {
    name: 'list_webhook_endpoints',
    description: 'Every URL that gets events, and how much is held for it.',
    operation: operation('listWebhookEndpoints'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'create_webhook_endpoint',
    description: 'A further URL. The answer holds its signing secret, this once.',
    operation: operation('createWebhookEndpoint'),
    unsaid: ['active', 'held'],
    annotations: adds,
  },
  {
    name: 'update_webhook_endpoint',
    description: 'Changes the fields given. `active: true` sends what was held, unless `held` says otherwise.',
    operation: operation('updateWebhookEndpoint'),
    words: { held: '`send`, `orders` or `discard`' },
    annotations: changes,
  },
  {
    name: 'delete_webhook_endpoint',
    description: 'What waits for it is canceled.',
    operation: operation('removeWebhookEndpoint'),
    annotations: ends,
  },
  {
    name: 'rotate_webhook_secret',
    description: 'The new secret is not shown here: the seller logs in for it.',
    operation: operation('rotateWebhookSecret'),
    words: { overlapHours: 'The previous one signs too; 24.' },
    hides: ['secret', 'secret_notice'],
    annotations: replaces,
  },
  {
    name: 'send_test_webhook',
    description: 'Sends a sample of the event, marked as a test.',
    operation: operation('sendTestWebhook'),
    annotations: sends,
  },
  {
    name: 'self_test_webhook',
    description: 'Says whether the receiver refuses forged and old copies.',
    operation: operation('selfTestWebhook'),
    annotations: sends,
  },
  {
    name: 'list_activity',
    description: 'Delivery attempts, runs of automations and notices, newest first.',
    operation: operation('listActivity'),
    unsaid: ['eventId', 'endpointId', 'from', 'to'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_webhook_deliveries',
    description: 'Events on their way to endpoints, newest first; `reason` says why nothing was sent.',
    operation: operation('listWebhookDeliveries'),
    unsaid: ['eventId', 'from', 'to'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_webhook_delivery',
    description: 'Every attempt of a delivery: what is wrong and what to do.',
    operation: operation('getWebhookDelivery'),
    annotations: reads,
  },
  {
    name: 'redeliver_webhook',
    description: 'Sends a delivery again under its `event_id`.',
    operation: operation('redeliverWebhook'),
    annotations: sends,
  },
  {
    name: 'recover_webhooks',
    description: 'Sends what failed, or all, since a time again.',
    operation: operation('recoverWebhooks'),
    words: { since: 'At most 30 days ago.', which: '`failed` or `all`' },
    annotations: sends,
  },
  {
    name: 'get_webhook_recovery',
    description: 'How far a recovery is.',
    operation: operation('getWebhookRecovery'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'cancel_webhook_recovery',
    description: 'What it has not come to stays as it is.',
    operation: operation('cancelWebhookRecovery'),
    annotations: ends,
  },
  {
    name: 'list_events',
    description: 'The account’s events with their payloads, oldest first.',
    operation: operation('listEvents'),
    words: { after: 'Id of the last event you have.' },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_automations',
    description: 'What events start: emails and POSTs. Built-in ones first.',
    operation: operation('listAutomations'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'create_automation',
    description: 'Runs the action for each such event, of one product or of all.',
    operation: operation('createAutomation'),
    words: {
      action:
        '`{type: "email", to: "buyer" or "seller", subject, body}`, both with `{{field}}` of the payload, or `{type: "post", url}`.',
    },
    annotations: adds,
  },
  {
    name: 'update_automation',
    description: 'Changes the fields given; of a built-in one `active` and its email’s words.',
    operation: operation('updateAutomation'),
    words: { action: 'As in create_automation.' },
    annotations: changes,
  },
  {
    name: 'preview_automation',
    description: 'The email that a template makes of sample data.',
    operation: operation('previewAutomation'),
    words: { action: 'The email, as in create_automation.' },
    annotations: reads,
  },
  {
    name: 'test_automation',
    description: 'Runs it once with sample data.',
    operation: operation('testAutomation'),
    annotations: sends,
  },
];
