import { samplePayloads } from '@app/contracts/webhook-samples';
import { webhookEventNames } from '@app/contracts/webhooks';
import { activityPage } from '../../src/dashboard/activity/activity-page.ts';
import { deliveriesPage } from '../../src/dashboard/activity/deliveries-page.ts';
import { deliveryPage } from '../../src/dashboard/activity/delivery-page.ts';
import { eventsPage } from '../../src/dashboard/activity/events-page.ts';
import { dailyJobPage } from '../../src/dashboard/daily-job/daily-job-page.ts';
import { progressOf as progressOfRun, runPage } from '../../src/dashboard/daily-job/run-page.ts';
import { waiting } from '../../src/dashboard/frame/waiting.ts';
import { endpointPage } from '../../src/dashboard/integrations/endpoint-page.ts';
import { heldPage } from '../../src/dashboard/integrations/endpoint-switch.ts';
import { selfTestPage } from '../../src/dashboard/integrations/endpoint-tests.ts';
import { addedPage, newEndpointPage } from '../../src/dashboard/integrations/endpoints.ts';
import { endpointsPage } from '../../src/dashboard/integrations/endpoints-page.ts';
import { type Key, keyMadePage, keyPage, keysPage, newKeyPage } from '../../src/dashboard/integrations/keys-page.ts';
import { mcpMadePage, mcpPage } from '../../src/dashboard/integrations/mcp-page.ts';
import { recoverPage } from '../../src/dashboard/integrations/recoveries.ts';
import { progressOf, recoveryPage } from '../../src/dashboard/integrations/recoveries-page.ts';
import { secretPage } from '../../src/dashboard/integrations/signing-secret.ts';
import { type Html, html } from '../../src/html.ts';
import { formats, inFrame, stateOf, visitAt } from './dashboard-samples.ts';
import { deliveryOf, endpointOf, entryOf, preview, recovery, run } from './dashboard-tools-samples.ts';
import { arabicName, longName } from './samples.ts';

const integrations = '/app/integrations';
const webhook = visitAt(`${integrations}/webhooks/whe_1`);
const long = endpointOf({
  url: `https://example.com/${'x'.repeat(300)}`,
  description: longName,
  events: ['order.paid', 'order.refunded'],
});
const at = '2026-10-23T12:00:00.000Z';
const failing = endpointOf({
  description: arabicName,
  failing_since: at,
  held: { count: 10_000, more: true, oldest_at: at },
  headers: ['authorization'],
  previous_secret_expires_at: at,
});
const off = endpointOf({
  active: false,
  switched_off: { reason: 'gone', at },
  held: { count: 3, more: false, oldest_at: at },
});
const shown = { deliveries: [deliveryOf(), deliveryOf({ status: 'delivered' })], formats, done: null };
const selfTest = {
  ok: false,
  summary: 'A wrong signature was accepted: anyone who knows the URL could fake a sale.',
  results: (['good', 'bad_signature', 'stale', 'doubled'] as const).map((copy) => ({
    copy,
    expected: 'accept' as const,
    status_code: copy === 'stale' ? null : 200,
    error: copy === 'stale' ? 'The receiver hung up' : null,
    duration_ms: 40,
    ok: copy === 'good',
    explanation: 'The receiver answered as it should, or it did not.',
  })),
};
const refusedEndpoint = stateOf(
  { url: 'atelier', description: longName, events: 'order.paid', headers: 'authorization' },
  { url: 'URL must be an http or https URL.', headers: 'Headers must have a name, a colon and a value on each line.' },
);
const key: Key = {
  id: 'key_1',
  name: arabicName,
  prefix: 'fnl_AbCd',
  last_four: 'wXyZ',
  scopes: ['read', 'write', 'money'],
  created_at: at,
  expires_at: null,
  last_used_at: at,
  revoked_at: null,
};
const keys = [
  key,
  Object.assign({}, key, { id: 'key_2', name: longName, scopes: ['read'], revoked_at: at, last_used_at: null }),
];
const entries = [
  entryOf(),
  entryOf({ status: 'delivered', status_code: 200, diagnosis: null, test: true, attempt: 1 }),
  entryOf({
    kind: 'notice',
    status: 'notice',
    event: null,
    delivery_id: null,
    order_id: null,
    summary: longName,
    diagnosis: null,
  }),
  entryOf({
    kind: 'automation_attempt',
    url: `mailto:${'a'.repeat(64)}@example.com`,
    error: arabicName,
    diagnosis: null,
  }),
];
const activity = visitAt('/app/activity', 'status=failed');
const badFilter = {
  type: '',
  title: '',
  status: 422,
  detail: '',
  code: 'validation_failed',
  requestId: '',
  errors: [{ field: 'email', code: 'invalid_format', message: 'must be an email address' }],
} as const;
const delivery = visitAt('/app/activity/deliveries/dlv_1');
const daily = visitAt('/app/daily-job');
const limited = Object.assign({}, preview, {
  unmatched_payments: 2,
  charge_limit: {
    exceeded: true,
    always_allowed_count: 100,
    currencies: [
      {
        currency: 'usd',
        due_count: 900,
        due_cents: 2_610_000,
        normal_cents: 87_000,
        limit_cents: 261_000,
        exceeded: true,
        waiting_count: 810,
        waiting_cents: 2_349_000,
      },
    ],
  },
});
const failedRun = Object.assign({}, run, {
  result: Object.assign({}, run.result, {
    ok: false,
    problems: [
      { code: 'orphans_found', detail: 'One charge stands on one side only. Look it up at the payment processor.' },
    ],
  }),
  books: Object.assign({}, run.books, {
    orphan_count: 1,
    orphans: [
      { side: 'processor', kind: 'charge', id: 'sim_charge_1', amount_cents: 2_900, currency: 'usd', detail: longName },
    ],
  }),
});
const running = Object.assign({}, run, {
  status: 'running',
  finished_at: null,
  result: null,
  books: null,
  progress: { done: 40, left: 160, per_second: 6 },
});

/** Pages of integrations, activity and the daily job. */
export const dashboardToolsStates: Readonly<Record<string, () => Html>> = {
  webhooks: () => inFrame(integrations, endpointsPage({ endpoints: [endpointOf(), failing, off, long], formats })),
  'webhooks-empty': () => inFrame(integrations, endpointsPage({ endpoints: [], formats })),
  'webhook-failing': () => inFrame(integrations, endpointPage(Object.assign({ endpoint: failing }, shown))),
  'webhook-off-long': () =>
    inFrame(
      integrations,
      endpointPage({
        endpoint: Object.assign({}, off, { description: longName }),
        deliveries: [],
        formats,
        done: 'Saved.',
      }),
    ),
  'webhook-new-refused': () =>
    inFrame(integrations, newEndpointPage(webhook, refusedEndpoint, { isFirst: true, hasHeld: true })),
  'webhook-added': () =>
    inFrame(integrations, addedPage({ id: 'whe_1', secret: `whsec_${'A'.repeat(44)}`, secret_notice: undefined })),
  'webhook-secret': () =>
    inFrame(
      integrations,
      secretPage(
        webhook,
        { name: 'members.atelier.example', path: '/app/integrations', previousUntil: at, email: 'seller@example.com' },
        stateOf({}, { password: 'The password is wrong.' }),
      ),
    ),
  'webhook-held': () => inFrame(integrations, heldPage(webhook, off, stateOf({ held: 'orders' }))),
  'webhook-self-test': () => inFrame(integrations, selfTestPage(webhook, endpointOf(), stateOf({}), selfTest)),
  'webhook-recover': () =>
    inFrame(
      integrations,
      recoverPage(webhook, long, stateOf({ since: '2026-10-23T12:00' }, { since: 'The beginning must be a time.' })),
    ),
  'webhook-recovery': () =>
    inFrame(
      integrations,
      waiting(
        webhook,
        recoveryPage(webhook, { recovery, endpoint: endpointOf(), problem: null }),
        progressOf(recovery, formats),
      ),
    ),
  keys: () => inFrame(integrations, keysPage({ keys, now: at, formats, pager: html`` })),
  'key-new-refused': () =>
    inFrame(integrations, newKeyPage(webhook, stateOf({ name: longName }, { scopes: 'Choose what the key may do.' }))),
  'key-made': () => inFrame(integrations, keyMadePage({ key: `fnl_${'A'.repeat(38)}` })),
  key: () => inFrame(integrations, keyPage(webhook, key, stateOf({ overlapHours: '24' }))),
  mcp: () => inFrame(integrations, mcpPage(webhook, stateOf({ client: 'cursor', scopes: 'read' }))),
  'mcp-made': () =>
    inFrame(
      integrations,
      mcpMadePage({
        client: 'claude-desktop',
        key: `fnl_${'A'.repeat(38)}`,
        notice: undefined,
        baseUrl: 'https://shop.example',
      }),
    ),
  activity: () => inFrame('/app/activity', activityPage(activity, { items: entries, problem: null, pager: html`` })),
  'activity-events': () => {
    const events = webhookEventNames.map((event, index) => {
      const payload = { ...samplePayloads[event] };
      return { id: `evt_${event}`, sequence: index + 1, event, occurred_at: at, test: index === 1, payload };
    });
    return inFrame('/app/activity/events', eventsPage({ events, formats, pager: html`` }));
  },
  'activity-events-empty': () => inFrame('/app/activity/events', eventsPage({ events: [], formats, pager: html`` })),
  'activity-refused': () => inFrame('/app/activity', activityPage(activity, { items: [], problem: badFilter })),
  'deliveries-empty': () =>
    inFrame('/app/activity', deliveriesPage(visitAt('/app/activity/deliveries'), { items: [], problem: null })),
  delivery: () => inFrame('/app/activity', deliveryPage(delivery, { delivery: deliveryOf(), problem: null })),
  'delivery-email-old': () =>
    inFrame(
      '/app/activity',
      deliveryPage(delivery, {
        delivery: deliveryOf({ url: 'mailto:ada@example.com', payload: null, status: 'delivered' }),
        problem: null,
      }),
    ),
  'daily-job': () =>
    inFrame(
      '/app/daily-job',
      dailyJobPage(daily, { preview, runs: [run], nextStartAt: '2026-10-24T03:00:00.500Z', problem: null }),
    ),
  'daily-job-limited': () =>
    inFrame('/app/daily-job', dailyJobPage(daily, { preview: limited, runs: [], nextStartAt: null, problem: null })),
  'daily-run': () => inFrame('/app/daily-job', runPage(failedRun as typeof run, formats)),
  'daily-run-running': () =>
    inFrame('/app/daily-job', waiting(daily, runPage(running as typeof run, formats), progressOfRun(running, formats))),
};
