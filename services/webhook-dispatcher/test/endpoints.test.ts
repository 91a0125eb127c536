import { newIdSuffix } from '@app/contracts/ids';
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  putWebhookEndpoint,
  takesWebhookEvent,
} from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { harness, startService } from './set-up.ts';

startService({ WEBHOOKS_ALLOW_LOOPBACK: 'disabled' });

const url = 'https://example.com/hook';
const someAccount = () => harness.account();
const strict = getWebhookEndpoint.output;

test('only the response that created the endpoint contains the signing secret', async () => {
  const account = someAccount();
  const made = await harness.request(putWebhookEndpoint, account, { body: { url } });
  expect(made).toMatchObject({ url, events: null, active: true });
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const changed = await harness.request(putWebhookEndpoint, account, {
    body: { url: `${url}/2`, events: ['order.paid'] },
  });
  expect(changed).toEqual({ ...made, secret: undefined, url: `${url}/2`, events: ['order.paid'] });
  const read = await harness.request(getWebhookEndpoint, account, {});
  expect(read).toEqual(changed);
  expect(strict.parse(read)).toEqual(read);
});

test('fields left out of a change stay as they are', async () => {
  const account = someAccount();
  await harness.request(putWebhookEndpoint, account, { body: { url, events: ['order.paid'], active: false } });
  const changed = await harness.request(putWebhookEndpoint, account, { body: { url } });
  expect(changed).toMatchObject({ events: ['order.paid'], active: false });
  const opened = await harness.request(putWebhookEndpoint, account, { body: { url, events: null, active: true } });
  expect(opened).toMatchObject({ events: null, active: true });
});

test('a repeated command has one effect and the same response, secret included', async () => {
  const account = someAccount();
  const commandId = newIdSuffix(harness.clock.nowMs());
  const first = await harness.request(putWebhookEndpoint, account, { body: { url } }, commandId);
  await harness.request(putWebhookEndpoint, account, { body: { url: `${url}/2` } });
  expect(await harness.request(putWebhookEndpoint, account, { body: { url } }, commandId)).toEqual(first);
  expect(await harness.request(getWebhookEndpoint, account, {})).toMatchObject({ url: `${url}/2` });
});

test('concurrent first calls create one endpoint', async () => {
  const account = someAccount();
  const responses = await Promise.all(
    [1, 2, 3].map((n) => harness.request(putWebhookEndpoint, account, { body: { url: `${url}/${n}` } })),
  );
  expect(new Set(responses.map((response) => response.id)).size).toBe(1);
  expect(responses.filter((response) => response.secret !== undefined)).toHaveLength(1);
});

test('the secret is not stored in any readable form', async () => {
  const account = someAccount();
  const { secret } = await harness.request(putWebhookEndpoint, account, { body: { url } });
  const bytes = Buffer.from((secret as string).slice(6), 'base64');
  const stored = JSON.stringify([
    await harness.query('select * from endpoints'),
    await harness.query('select * from commands'),
  ]);
  for (const form of [bytes.toString('base64'), bytes.toString('hex'), secret as string])
    expect(stored).not.toContain(form);
});

test('addresses that are not public are refused with a code of their own', async () => {
  for (const refused of [
    'http://127.0.0.1/',
    'http://localhost:3000/',
    'http://169.254.169.254/',
    'http://2130706433/',
    'http://[::1]/',
  ]) {
    await expect(harness.request(putWebhookEndpoint, someAccount(), { body: { url: refused } })).rejects.toMatchObject({
      code: 'webhook_url_refused',
      errors: [{ field: 'url' }],
    });
  }
});

test('a URL with control characters or white space is refused, because it would read differently from what is requested', async () => {
  for (const odd of ['https://example.com/ho\tok', 'https://example.com/\u001b[2J', ' https://example.com/\n']) {
    await expect(harness.request(putWebhookEndpoint, someAccount(), { body: { url: odd } })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  }
});

test('an endpoint that does not exist, or belongs to another account, is not found', async () => {
  const [owner, other] = [someAccount(), someAccount()];
  await harness.request(putWebhookEndpoint, owner, { body: { url } });
  await expect(harness.request(getWebhookEndpoint, other, {})).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
  await expect(harness.request(deleteWebhookEndpoint, other, {})).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
  const commandId = newIdSuffix(harness.clock.nowMs());
  expect(await harness.request(deleteWebhookEndpoint, owner, {}, commandId)).toEqual({ ok: true });
  expect(await harness.request(deleteWebhookEndpoint, owner, {}, commandId)).toEqual({ ok: true });
  await expect(harness.request(getWebhookEndpoint, owner, {})).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
});

test('takes-event is true when an endpoint of the account, on or off, takes events of that name', async () => {
  const [account, other] = [someAccount(), someAccount()];
  const takes = async (of = account) =>
    (await harness.request(takesWebhookEvent, of, { event: 'funnel.email.sync' })).takes;
  expect(await takes()).toBe(false);
  await harness.request(putWebhookEndpoint, account, { body: { url } });
  expect([await takes(), await takes(other)]).toEqual([true, false]);
  await harness.request(putWebhookEndpoint, account, { body: { url, active: false } });
  expect(await takes()).toBe(true);
  await harness.request(putWebhookEndpoint, account, { body: { url, events: ['order.paid'] } });
  expect(await takes()).toBe(false);
  await harness.request(putWebhookEndpoint, account, { body: { url, events: ['order.paid', 'funnel.email.sync'] } });
  expect(await takes()).toBe(true);
  await harness.request(deleteWebhookEndpoint, account, {});
  expect(await takes()).toBe(false);
});

test('the service says that it is ready', async () => {
  await Promise.all(harness.running.service.checks.map((entry) => entry.check()));
});
