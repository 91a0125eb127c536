import { createPayout, getAffiliate, getStatement, listOrderCommissions } from '@app/contracts/affiliates';
import { getAutomation, listAutomations } from '@app/contracts/automations';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { refundOrder } from '@app/contracts/orders';
import { listOrderPayments } from '@app/contracts/payments';
import { listRefundable } from '@app/contracts/refundable-charges';
import { readWebhookEndpoint, removeWebhookEndpoint, updateWebhookEndpoint } from '@app/contracts/webhooks';
import type { NatsClient } from '@app/messaging/connect';
import { onRequest, Serialized } from '@app/messaging/serve-requests';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { operations } from '../src/api/operations/all-operations.ts';
import { previewOf } from '../src/mcp/previews/all-previews.ts';
import { createSeller, serveAs } from './harness.ts';
import { send } from './http.ts';
import { type Answer, messageOf, modernRpc } from './mcp-client.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let key: string;
let otherKey: string;
let moneyKey: string;
let writingKey: string;
const orderId = newId('order', Date.now());
const endpointId = newId('webhookEndpoint', Date.now());
const automationId = newId('automation', Date.now());

const order = {
  ...{ id: orderId, product_id: newId('product', Date.now()), customer_email: 'ada@example.com' },
  ...{ customer_name: 'Ada', total_cents: 1_900, refunded_cents: 0, currency: 'usd', status: 'paid', dispute: null },
  items: [{ kind: 'main', label: 'Course', amount_cents: 1_900 }],
  test: false,
};
const charge = (step: 'main' | 'renewal', refundedCents = 0) => ({
  ...{ paymentId: newId('payment', Date.now()), step, amountCents: 1_900, refundedCents, currency: 'usd' },
  ...{ period: null, disputed: false },
});

/** An endpoint that is on and has nothing held. */
const connected = {
  ...{ url: 'https://example.com/hook', description: '', events: null, active: true, switched_off: null },
  held: { count: 0, more: false },
};

/** What the services have, for one test. */
const fresh = () => ({
  charges: [charge('main'), charge('renewal')],
  waits: false,
  /** Whatever is done ends once this does. */
  doing: (): Promise<void> => Promise.resolve(),
  dueCents: 5_000,
  endpoint: null as Record<string, unknown> | null,
  automation: { id: automationId, active: true, action: { type: 'email', to: 'buyer', subject: 'Thanks', body: 'Hi' } },
});
let have = fresh();
const done: { readonly subject: string; readonly input: unknown }[] = [];
const links: NatsClient[] = [];

beforeAll(async () => {
  const seller = await createSeller(url);
  ({ key } = seller);
  const keyWith = async (body: object): Promise<string> =>
    (await send(url, 'POST', '/api/v1/api-keys', { session: seller.session, body: { name: 'x', ...body } })).json.key;
  otherKey = await keyWith({});
  moneyKey = await keyWith({ scopes: ['money'] });
  writingKey = await keyWith({ scopes: ['write'] });
  const doing =
    <Input>(subject: string, answer: object) =>
    async (input: Input) => {
      done.push({ subject, input });
      await have.doing();
      return new Serialized(JSON.stringify(answer));
    };
  const endpoint = () => {
    if (have.endpoint === null) throw new DomainError('webhook_endpoint_not_found', 'There is none.');
    return new Serialized(JSON.stringify({ ...connected, ...have.endpoint }));
  };
  links.push(
    await serveAs(harness.nats, 'checkout', [
      onRequest(refundOrder, doing('refund', { ok: true, orderId, status: 'refunded', refundedCents: 1_900 })),
    ]),
    await serveAs(harness.nats, 'billing', [
      onRequest(listRefundable, async ({ renewals }) => ({
        charges: have.charges,
        subscription: null,
        waits: have.waits && renewals !== undefined,
      })),
      onRequest(listOrderPayments, async () => ({ data: [], disputes: [], fees: [] })),
    ]),
    await serveAs(harness.nats, 'affiliate', [
      onRequest(listOrderCommissions, async () => ({ data: [] })),
      // No page of a list: an affiliate of many is shown by name and address too.
      onRequest(
        getAffiliate,
        async () => new Serialized('{"code":"ANNA","name":"Anna","email":"a@example.com","balances":[]}'),
      ),
      onRequest(getStatement, async () => ({
        balances: [{ currency: 'usd', pending_cents: 700, due_cents: have.dueCents, paid_cents: 0 }],
        data: [],
        has_more: false,
      })),
      onRequest(createPayout, doing('payout', { id: 'pay_1' })),
    ]),
    await serveAs(harness.nats, 'webhook-dispatcher', [
      onRequest(listAutomations, async () => ({ data: [] })),
      onRequest(getAutomation, async () => new Serialized(JSON.stringify(have.automation))),
      onRequest(readWebhookEndpoint, async () => endpoint()),
      onRequest(removeWebhookEndpoint, doing('remove', { ok: true })),
      onRequest(updateWebhookEndpoint, doing('update', { id: endpointId })),
    ]),
  );
});
afterAll(async () => {
  for (const link of links) await link.close();
});
beforeEach(() => {
  have = fresh();
  done.length = 0;
  harness.forget();
  harness.books.order = JSON.stringify(order);
});

const call = async (name: string, args: object = {}, bearer = key): Promise<Answer> =>
  messageOf((await modernRpc(url, bearer, 'tools/call', { name, arguments: args })).text).result;

test('a preview takes the call’s own arguments, and the same amount goes back', async () => {
  const without = await call('refund_order', { orderId });
  expect(without).toMatchObject({
    structuredContent: {
      ...{ code: 'confirmation_required', expectedCents: 1_900, currency: 'usd' },
      detail: expect.stringMatching(/^\$19\.00 goes back .* one charge\. Renewals of \$19\.00 stay with the seller/),
      preview: { buyer: { name: 'Ada', email: 'ada@example.com' }, items: order.items },
    },
  });
  expect(without.isError).toBeFalsy();
  const whole = await call('refund_order', { orderId, renewals: true, confirm: false });
  expect(whole.structuredContent).toMatchObject({
    expectedCents: 3_800,
    detail: expect.stringMatching(/^\$38\.00 goes back .* 2 charges\./),
    next: expect.stringContaining('confirm: true and expectedCents: 3800'),
  });
  expect(done).toEqual([]);
  expect((await call('refund_order', { orderId, renewals: true, confirm: true })).structuredContent).toMatchObject({
    status: 'refunded',
  });
  expect(done).toMatchObject([{ subject: 'refund', input: { orderId, body: { renewals: true } } }]);
});

test('a sale that was only recorded says that no money moves', async () => {
  have.charges = [];
  expect((await call('refund_order', { orderId })).structuredContent).toMatchObject({
    expectedCents: 0,
    detail: expect.stringMatching(/^No money moves/),
  });
});

test.each([
  ['is held', { status: 'authorized' }, 'invalid_transition'],
  ['has ended', { status: 'expired' }, 'invalid_transition'],
  ['is disputed', { dispute: 'open' }, 'payment_disputed'],
])('of an order that %s the refusal is the answer, not a question', async (_, change, code) => {
  harness.books.order = JSON.stringify({ ...order, ...change });
  if (code === 'payment_disputed') have.charges = [{ ...charge('main'), disputed: true }];
  expect(await call('refund_order', { orderId })).toMatchObject({ isError: true, structuredContent: { code } });
  expect(await call('refund_order', { orderId: 'ord_unknown' })).toMatchObject({
    isError: true,
    structuredContent: { code: 'order_not_found' },
  });
});

test('a first call is made at once with the amount, and not with another one or without', async () => {
  expect((await call('pay_affiliate', { code: 'ANNA', confirm: true })).structuredContent).toMatchObject({
    code: 'confirmation_required',
    expectedCents: 5_000,
    preview: { affiliate: { name: 'Anna', email: 'a@example.com' } },
  });
  const other = { code: 'ANNA', includePending: true };
  const wrong = await call('pay_affiliate', { ...other, confirm: true, expectedCents: 5_000 });
  expect(wrong).toMatchObject({
    isError: true,
    structuredContent: { code: 'amount_changed', detail: expect.stringContaining('is $57.00 (5700) now') },
  });
  expect(done).toEqual([]);
  expect((await call('pay_affiliate', { ...other, confirm: true, expectedCents: 5_700 })).isError).toBeFalsy();
  // Compared once more where it is paid.
  expect(done).toMatchObject([
    { subject: 'payout', input: { code: 'ANNA', includePending: true, body: { expectedCents: 5_700 } } },
  ]);
});

test('an amount that changed after the preview is refused', async () => {
  await call('pay_affiliate', { code: 'ANNA' });
  have.dueCents = 6_000;
  const changed = await call('pay_affiliate', { code: 'ANNA', confirm: true });
  expect(changed).toMatchObject({ isError: true, structuredContent: { code: 'amount_changed' } });
  expect(done).toEqual([]);
});

test('a preview is agreed to once: the same call again is asked about again', async () => {
  await call('pay_affiliate', { code: 'ANNA' });
  const both = await Promise.all([1, 2].map(() => call('pay_affiliate', { code: 'ANNA', confirm: true })));
  expect(both.filter(({ structuredContent }) => structuredContent?.code === 'confirmation_required')).toHaveLength(1);
  expect(done).toHaveLength(1);
});

test.each([
  ['comes twice at once', [{ confirm: true }, { confirm: true }]],
  ['comes beside its preview', [{ confirm: false }, { confirm: true }]],
])('consent that %s is to a preview that nobody has seen: nothing is done', async (_, consents) => {
  const args = { code: 'ANNA', includePending: true };
  const body = consents.map((consent, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'pay_affiliate', arguments: { ...args, ...consent } },
  }));
  const { json } = await send(url, 'POST', '/api/mcp', { key, body });
  const codes = json.map(({ result }: { result: Answer }) => result.structuredContent?.code);
  expect(codes).toEqual(['confirmation_required', 'confirmation_required']);
  expect(done).toEqual([]);
  expect((await call('pay_affiliate', { ...args, confirm: true })).isError).toBeFalsy();
  expect(done).toHaveLength(1);
});

test('a preview is its caller’s own, of its own arguments, for fifteen minutes', async () => {
  await call('pay_affiliate', { code: 'ANNA' });
  for (const answer of [
    await call('pay_affiliate', { code: 'ANNA', confirm: true }, otherKey),
    await call('pay_affiliate', { code: 'ANNA', currency: 'usd', confirm: true }),
  ])
    expect(answer.structuredContent?.code).toBe('confirmation_required');
  harness.clock.moveTo(new Date(harness.clock.nowMs() + 15 * 60_000 + 1));
  expect((await call('pay_affiliate', { code: 'ANNA', confirm: true })).structuredContent?.code).toBe(
    'confirmation_required',
  );
  expect(done).toEqual([]);
  expect((await call('pay_affiliate', { code: 'ANNA', confirm: true })).isError).toBeFalsy();
  expect(done).toHaveLength(1);
});

test('a call repeated under its key has the first answer, although its preview would be another', async () => {
  const args = { orderId, confirm: true, expectedCents: 1_900, idempotencyKey: 'refund-once' };
  const first = await call('refund_order', args);
  have.charges = [charge('main', 1_900)];
  expect(await call('refund_order', args)).toEqual(first);
  expect(done).toHaveLength(1);
});

test('the daily job names its charges, and its parts that cost nothing', async () => {
  const preview = await harness.daily.preview({});
  harness.daily.preview = async () => ({
    ...preview,
    totals: {
      ...preview.totals,
      renewals: { count: 2, amounts: [{ currency: 'usd', cents: 3_800 }] },
      cancellations: 1,
    },
  });
  const asked = await call('run_daily_job');
  expect(asked.structuredContent).toMatchObject({
    code: 'confirmation_required',
    expectedCents: 3_800,
    detail: expect.stringMatching(/^At most \$38\.00 is charged: 2 renewals, 0 retries/),
  });
  expect(harness.requested).toEqual([]);
  expect((await call('run_daily_job', { confirm: true })).structuredContent).toMatchObject({ ok: true });
  expect(harness.requested).toHaveLength(1);
  harness.daily.preview = async () => preview;
});

test('a new URL says that buyers’ names and emails will go there, and the secret is not shown', async () => {
  const connect = { url: 'https://example.com/hook' };
  const asked = await call('set_webhook_endpoint', connect);
  expect(asked.structuredContent).toMatchObject({
    code: 'confirmation_required',
    detail: expect.stringContaining('Buyers’ names and emails will go to https://example.com/hook'),
  });
  const connected = await call('set_webhook_endpoint', { ...connect, confirm: true, idempotencyKey: 'connect' });
  const again = await call('set_webhook_endpoint', { ...connect, confirm: true, idempotencyKey: 'connect' });
  for (const answer of [connected, again]) {
    expect(answer.structuredContent).toEqual({ id: 'whe_1', secret_notice: expect.stringContaining('dashboard') });
    expect(JSON.stringify(answer)).not.toContain('whsec_');
  }
});

test('buyers are charged again, and more than before, once the seller has agreed; test mode is on at the first word', async () => {
  expect((await call('update_settings', { testMode: true })).structuredContent).toMatchObject({ testMode: true });
  const settings = { testMode: false, dailyChargeLimit: 0 };
  const asked = await call('update_settings', settings);
  expect(asked.structuredContent).toMatchObject({
    code: 'confirmation_required',
    detail: expect.stringMatching(
      /^Test mode is switched off: .* buyers are charged\. The daily job charges without a limit/,
    ),
    preview: { testMode: false, dailyChargeLimit: 0, formerDailyChargeLimit: 3 },
  });
  expect((await call('get_settings')).structuredContent).toMatchObject({ testMode: true, dailyChargeLimit: 3 });
  expect((await call('update_settings', { ...settings, confirm: true })).structuredContent).toMatchObject(settings);
  // What they are already is no change.
  expect((await call('update_settings', settings)).structuredContent).toMatchObject(settings);
  const back = await call('update_settings', { dailyChargeLimit: 3 });
  expect(back.structuredContent?.code).toBe('confirmation_required');
  const agreed = await call('update_settings', { dailyChargeLimit: 3, confirm: true });
  expect(agreed.structuredContent).toMatchObject({ testMode: false, dailyChargeLimit: 3 });
});

test('a change that sends nothing anywhere new is made at once', async () => {
  harness.books.endpoint = JSON.stringify(connected);
  const same = await call('set_webhook_endpoint', { url: 'https://example.com/hook', description: 'Mine' });
  delete harness.books.endpoint;
  expect(same.structuredContent).toMatchObject({ id: 'whe_1' });
  expect((await call('update_settings', { checkoutUrl: null, nudgeAfterMinutes: 90 })).isError).toBeFalsy();
  expect((await call('update_automation', { automationId, active: false })).structuredContent).toMatchObject({
    id: 'aut_1',
  });
});

test.each([
  ['update_automation', { automationId, action: { type: 'post', url: 'https://other.example.com/x' } }],
  ['update_automation', { automationId, action: { type: 'email', to: 'buyer', subject: 'New', body: 'Hi' } }],
  [
    'create_automation',
    { name: 'x', event: 'order.paid', action: { type: 'email', to: 'buyer', subject: 'x', body: 'x' } },
  ],
  ['create_webhook_endpoint', { url: 'https://other.example.com/x' }],
  ['delete_webhook_endpoint', { endpointId }],
  ['update_settings', { checkoutUrl: 'https://other.example.com/pay' }],
  ['update_settings', { supportEmail: 'other@example.com' }],
  ['update_settings', { dailyChargeLimit: 0 }],
  ['update_settings', { businessName: 'Maya', dailyChargeLimit: 1_000 }],
  ['write', { operation: 'updateSettings', arguments: { dailyChargeLimit: 0 } }],
  ['recover_webhooks', { endpointId, since: new Date().toISOString(), which: 'all' }],
])('%s is asked first', async (name, args) => {
  have.endpoint = { url: 'https://example.com/hook' };
  const { structuredContent } = await call(name, args);
  expect(structuredContent).toMatchObject({ code: 'confirmation_required', detail: expect.any(String) });
  expect(done).toEqual([]);
  expect(harness.requested).toEqual([]);
});

test.each([
  ['is switched on', { active: false }, { active: true }, /All that is held for it is sent/],
  ['is switched on with a choice', { active: false }, { active: true, held: 'discard' }, /is dropped/],
  ['gets more events', { events: ['order.paid'] }, { events: ['order.paid', 'order.refunded'] }, /order\.refunded/],
  ['gets every event', { events: ['order.paid'] }, { events: null }, /of every event/],
  [
    'is switched on by a new URL',
    { active: false, switched_off: { reason: 'gone' } },
    { url: 'https://example.com/new' },
    /All that is held for it is sent/,
  ],
])('an endpoint that %s is asked about first', async (_, before, change, words) => {
  have.endpoint = { ...before, held: { count: 12, more: false } };
  const asked = await call('update_webhook_endpoint', { endpointId, ...change });
  expect(asked.structuredContent).toMatchObject({
    code: 'confirmation_required',
    detail: expect.stringMatching(words),
    preview: { before: { held: { count: 12 } } },
  });
  expect(done).toEqual([]);
  have.endpoint.held = { count: 13, more: false };
  const changed = await call('update_webhook_endpoint', { endpointId, ...change, confirm: true });
  expect(changed.structuredContent).toEqual({ id: endpointId });
});

test.each([
  ['fewer events', {}, { events: ['order.paid'] }],
  ['a switch that is off already', { active: false }, { active: false }],
  ['a switch that is on already', {}, { active: true }],
  ['a new description', { active: false }, { description: 'Mine' }],
])('%s of an endpoint sends nothing new, and is made at once', async (_, before, change) => {
  have.endpoint = before;
  expect((await call('update_webhook_endpoint', { endpointId, ...change })).structuredContent).toEqual({
    id: endpointId,
  });
});

test('an automation that begins to write to buyers is asked about first', async () => {
  have.automation.active = false;
  const asked = await call('update_automation', { automationId, active: true });
  expect(asked.structuredContent).toMatchObject({ code: 'confirmation_required', preview: { body: 'Hi' } });
});

test('content that changed after it was shown is shown again before anything is done', async () => {
  const removal = { endpointId };
  have.endpoint = {};
  const first = await call('delete_webhook_endpoint', removal);
  expect(first.structuredContent?.next).toContain('idempotencyKey');
  have.endpoint = { url: 'https://other.example.com/hook' };
  const again = await call('delete_webhook_endpoint', { ...removal, confirm: true });
  expect(again.structuredContent).toMatchObject({
    code: 'confirmation_required',
    preview: { url: 'https://other.example.com/hook' },
    next: expect.stringContaining('has changed since it was shown'),
  });
  expect(done).toEqual([]);
  expect((await call('delete_webhook_endpoint', { ...removal, confirm: true })).structuredContent).toEqual({
    ok: true,
  });
});

test('the amount of another buyer is not what was agreed to', async () => {
  await call('refund_order', { orderId });
  harness.books.order = JSON.stringify({ ...order, customer_email: 'eve@example.com' });
  const given = { orderId, confirm: true, expectedCents: 1_900 };
  expect((await call('refund_order', given)).structuredContent).toMatchObject({
    code: 'confirmation_required',
    preview: { buyer: { email: 'eve@example.com' } },
  });
  expect(done).toEqual([]);
});

test('of two calls at once with the amount one is made', async () => {
  const given = { code: 'ANNA', confirm: true, expectedCents: 5_000 };
  const ends = Promise.withResolvers<void>();
  // The one that is made waits: what ends first is the other.
  have.doing = () => ends.promise;
  const both = [1, 2].map(() => call('pay_affiliate', given));
  const other = await Promise.race(both).finally(ends.resolve);
  expect(other.structuredContent).toMatchObject({ code: 'confirmation_required' });
  const answers = await Promise.all(both);
  expect(answers.filter(({ structuredContent }) => structuredContent?.id === 'pay_1')).toHaveLength(1);
  expect(done).toHaveLength(1);
});

test('a key without the scope read is asked without a stored URL', async () => {
  have.endpoint = { url: 'https://stored.example.com/hook' };
  const since = new Date().toISOString();
  const asked = await call('recover_webhooks', { endpointId, since, which: 'all' }, writingKey);
  expect(asked.structuredContent).toMatchObject({ code: 'confirmation_required' });
  expect(JSON.stringify(asked)).not.toContain('stored.example.com');
  for (const [name, args] of [
    ['update_automation', { automationId, active: true }],
    ['update_webhook_endpoint', { endpointId, active: true }],
  ] as const)
    expect(await call(name, args, writingKey)).toMatchObject({ structuredContent: { code: 'insufficient_scope' } });
});

test('an automation that writes to the seller alone is made at once', async () => {
  const action = { type: 'email', to: 'seller', subject: 'x', body: 'x' };
  const made = await call('create_automation', { name: 'x', event: 'order.paid', action });
  expect(made.structuredContent).toMatchObject({ id: 'aut_1' });
});

test('a key without `read` sees the amount and no buyer', async () => {
  const asked = await call('refund_order', { orderId }, moneyKey);
  expect(asked.structuredContent).toMatchObject({ code: 'confirmation_required', expectedCents: 1_900 });
  expect(JSON.stringify(asked)).not.toContain('ada@example.com');
});

const asking = { elicitation: { form: {} } };
const askedCall = async (params: object): Promise<Answer> =>
  messageOf((await modernRpc(url, key, 'tools/call', { name: 'refund_order', ...params }, asking)).text).result;

test('a client that declares it is asked by an input request, and its answer counts for that call and amount', async () => {
  const args = { arguments: { orderId } };
  const asked = await askedCall(args);
  expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  const question = asked.inputRequests?.confirm;
  expect(question).toMatchObject({ method: 'elicitation/create' });
  expect(question?.params.message).toMatch(/^\$19\.00 goes back[\s\S]*ada@example\.com/);
  const { requestState } = asked;
  const answered = (action: string, more: object = {}) =>
    askedCall({
      ...args,
      requestState,
      inputResponses: { confirm: { action, ...(action === 'accept' && { content: { confirm: true } }) } },
      ...more,
    });
  expect((await answered('decline')).structuredContent).toMatchObject({ code: 'confirmation_declined' });
  const forOther = await answered('accept', { arguments: { orderId, renewals: true } });
  expect(forOther.resultType).toBe('input_required');
  const { charges } = have;
  have.charges = [charge('main', 900)];
  expect((await answered('accept')).inputRequests?.confirm?.params.message).toMatch(/^\$10\.00/);
  have.charges = charges;
  expect(done).toEqual([]);
  expect((await answered('accept')).structuredContent).toMatchObject({ status: 'refunded' });
  expect(done).toHaveLength(1);
});

test('an answer that comes twice has one effect, and content that changed is asked about again', async () => {
  const args = { arguments: { orderId } };
  const answer = (asked: Answer) =>
    askedCall({
      ...args,
      requestState: asked.requestState,
      inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
    });
  const first = await askedCall(args);
  harness.books.order = JSON.stringify({ ...order, customer_email: 'eve@example.com' });
  const other = await answer(first);
  expect(other.inputRequests?.confirm?.params.message).toContain('eve@example.com');
  expect(done).toEqual([]);
  const [once, twice] = await Promise.all([answer(other), answer(other)]);
  expect(done).toHaveLength(1);
  for (const result of [once, twice])
    expect(result?.structuredContent?.status ?? result?.structuredContent?.code ?? result?.resultType).toMatch(
      /^(?:refunded|idempotency_key_in_use|input_required)$/,
    );
  expect((await answer(other)).structuredContent).toMatchObject({ status: 'refunded' });
  expect(done).toHaveLength(1);
});

test('a model cannot answer in place of the user who is asked', async () => {
  const forged = await askedCall({
    arguments: { orderId, confirm: true },
    inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
  });
  expect(forged.resultType).toBe('input_required');
  const sealed = await modernRpc(
    url,
    key,
    'tools/call',
    {
      name: 'refund_order',
      arguments: { orderId },
      requestState: 'v1.e30.AAAA',
      inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
    },
    asking,
  );
  expect(messageOf(sealed.text).error).toMatchObject({ code: -32602 });
  expect(done).toEqual([]);
});

test('the SDK’s client shows its user the question and the call is made', async () => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
  );
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { confirm: true } };
  });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }));
  const refunded = await client.callTool({ name: 'refund_order', arguments: { orderId } });
  expect(refunded.structuredContent).toMatchObject({ status: 'refunded' });
  expect(questions).toEqual([expect.stringContaining('$19.00')]);
  await client.close();
});

test('all faults of a call are told at once', async () => {
  const { structuredContent } = await call('create_order', {
    ...{ productSlug: 'Not a slug', email: 'nobody', bumpIds: 7, discount: 'X' },
    ...{ country: 'Atlantis', idempotencyKey: 5 },
  });
  const fields = structuredContent?.fields.map(({ field }: { field: string }) => field);
  expect(fields.toSorted()).toEqual(['bumpIds', 'country', 'discount', 'email', 'idempotencyKey', 'productSlug']);
  const offer = await call('create_offer', { kind: 'gift', productId: 'x', headline: '', price: 5 });
  const told = offer.structuredContent?.fields.map(({ field }: { field: string }) => field);
  expect(told.toSorted()).toEqual(['headline', 'kind', 'price', 'priceCents', 'productId']);
});

test('a key that is older than a page of the list is asked about and revoked too', async () => {
  const owner = await createSeller(url);
  const makeKey = async (name: string) =>
    (await send(url, 'POST', '/api/v1/api-keys', { session: owner.session, body: { name } })).json;
  const oldest = await makeKey('Oldest');
  for (let made = 0; made < 100; made++) await makeKey('Newer');
  const args = { operation: 'revokeApiKey', arguments: { keyId: oldest.id } };
  expect((await call('write', args, owner.key)).structuredContent).toMatchObject({
    code: 'confirmation_required',
    preview: { name: 'Oldest' },
  });
  expect((await call('write', { ...args, confirm: true }, owner.key)).structuredContent).toEqual({ ok: true });
});

test('whatever an account’s key deletes is asked about first', () => {
  const deletes = operations.filter(({ method, auth }) => method === 'DELETE' && auth === 'account');
  const unasked = deletes.filter((operation) => previewOf(operation) === undefined);
  expect(unasked.map(({ id }) => id)).toEqual([]);
});
