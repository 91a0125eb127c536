import { newId } from '@app/contracts/ids';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import { onRequest } from '@app/messaging/serve-requests';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { serveAs } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway({ TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '600' });

const received: { accountId: string; bytes: Buffer; signature: string }[] = [];
let isTaken = true;
let closeBilling: () => Promise<void>;
beforeAll(async () => {
  const handlers = [
    onRequest(receiveProcessorEvent, async ({ body, signature }, { accountId }) => {
      received.push({ accountId, bytes: Buffer.from(body, 'base64'), signature });
      return { accepted: isTaken };
    }),
  ];
  const link = await serveAs(harness.nats, 'billing', handlers);
  closeBilling = () => link.close();
});
afterAll(() => closeBilling());
beforeEach(() => {
  received.length = 0;
  isTaken = true;
});

const account = newId('account', Date.now());
let addresses = 0;
const post = (raw: Buffer | string, over: { to?: string; headers?: Record<string, string>; from?: string } = {}) => {
  addresses += 1;
  const { to = account, from = `10.9.${addresses >> 8}.${addresses & 255}` } = over;
  const headers = { 'stripe-signature': 't=1,v1=ab', 'x-forwarded-for': from, ...over.headers };
  return send(url, 'POST', `/api/processors/stripe/${to}`, { raw, headers });
};

test('billing gets the very bytes, whatever they are, with the signature', async () => {
  const bytes = Buffer.from([0x7b, 0x20, 0xff, 0x00, 0x0a, 0x7d]);
  for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain']) {
    const answer = await post(bytes, { headers: { 'content-type': type } });
    expect([answer.status, answer.json]).toEqual([200, { received: true }]);
  }
  expect(received).toEqual(Array(3).fill({ accountId: account, bytes, signature: 't=1,v1=ab' }));
});

test('what is not taken, an account that there is not and what is no account are answered alike', async () => {
  isTaken = false;
  const answers = [
    await post('{}'),
    await post('{}', { to: 'acc_nobody' }),
    await post('{}', { headers: { 'stripe-signature': '' } }),
    await post('{}', { headers: { 'stripe-signature': 'x'.repeat(3_000) } }),
    await post(''),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  const details = answers.map(({ json }) => [json.code, json.detail]);
  expect(new Set(details.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(new Set(received.map(({ accountId }) => accountId))).toEqual(new Set([account]));
});

test('300 KB are refused before they reach billing', async () => {
  const answer = await post(Buffer.alloc(300_000, 'x'));
  expect([answer.status, answer.json.code]).toEqual([413, 'payload_too_large']);
  expect(received).toEqual([]);
});

test('an address that is refused often waits; what Stripe sends from elsewhere is taken meanwhile', async () => {
  isTaken = false;
  const from = '10.8.0.1';
  for (let sent = 0; sent < 120; sent += 40) {
    const answers = await Promise.all(Array.from({ length: 40 }, () => post('{}', { from })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  }
  const requested = received.length;
  const refused = await post('{}', { from });
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited']);
  expect(received).toHaveLength(requested);
  isTaken = true;
  expect((await post('{}', { from: '10.8.0.2' })).status).toBe(200);
});
