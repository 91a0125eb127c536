const endpoint = {
  id: 'whe_01kaf2m4v1x3z5b7d9f1h3j5km',
  role: 'primary',
  url: 'https://hooks.mayapaints.example/funnelry',
  description: 'Course access',
  events: null,
  headers: ['x-api-key'],
  active: true,
  switched_off: null,
  failing_since: null,
  held: { count: 0, more: false, oldest_at: null },
  recovery_id: null,
  previous_secret_expires_at: null,
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwXcK0Z1vY5hQ=';
const crm = {
  ...endpoint,
  id: 'whe_01kaf2m4w3z5b7d9f1h3j5k7mp',
  role: 'additional',
  url: 'https://crm.example/in',
  description: 'CRM',
  events: ['order.paid', 'order.refunded'],
  headers: [],
};

/** Of webhook endpoints, by operation. */
export const endpointExamples = {
  getWebhookEndpoint: { response: endpoint },
  putWebhookEndpoint: {
    body: { url: endpoint.url, description: endpoint.description, headers: { 'x-api-key': 'a key of the receiver' } },
    response: { ...endpoint, secret },
  },
  listWebhookEndpoints: { response: { data: [endpoint, crm] } },
  createWebhookEndpoint: {
    body: { url: crm.url, description: crm.description, events: crm.events },
    response: { ...crm, secret },
  },
  readWebhookEndpoint: {
    response: {
      ...crm,
      active: false,
      switched_off: { reason: 'gone', at: '2026-11-28T16:20:00.000Z' },
      held: { count: 17, more: false, oldest_at: '2026-11-28T16:20:00.000Z' },
    },
  },
  updateWebhookEndpoint: {
    body: { active: true, held: 'orders' },
    response: { ...crm, recovery_id: 'rcv_01kb5q7s9v1x3z5b7d9f1h3j5k' },
  },
  rotateWebhookSecret: {
    body: { overlapHours: 24 },
    response: { ...crm, previous_secret_expires_at: '2026-11-29T09:00:00.000Z', secret },
  },
  revealWebhookSecret: { body: { password: 'the password' }, response: { secret, previous_secret: null } },
};
