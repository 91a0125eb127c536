import { orderPaid } from '@app/contracts/orders';
import { getWebhookEndpoint, putWebhookEndpoint, updateWebhookEndpoint } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { anOrder, connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

startService();

const value = 'a-key-of-the-receiver';
const publish = (account: string) => harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()));

test('own headers go out with every delivery, a replaced set with the next one, and only their names are shown', async () => {
  const seller = await connectedAccount(harness);
  const put = (headers: Record<string, string>) => seller.put({ headers });
  const shown = await put({ 'X-Api-Key': value, Authorization: 'Bearer of-the-receiver' });
  expect(shown.headers).toEqual(['X-Api-Key', 'Authorization']);
  expect(JSON.stringify(shown)).not.toContain('of-the-receiver');
  await publish(seller.account);
  await seller.delivered();
  expect(seller.receiver.requests).toHaveLength(1);
  const first = seller.receiver.requests[0]?.headers;
  expect(first).toMatchObject({ 'x-api-key': value, authorization: 'Bearer of-the-receiver' });
  expect(first).toMatchObject({ 'content-type': 'application/json', 'webhook-id': expect.stringMatching(/^evt_/) });
  await put({ 'x-other': '1' });
  await publish(seller.account);
  await seller.delivered(2);
  expect(seller.receiver.requests).toHaveLength(2);
  expect(seller.receiver.requests[1]?.headers).toMatchObject({ 'x-other': '1' });
  expect(seller.receiver.requests[1]?.headers['x-api-key']).toBeUndefined();
});

test('a retry carries the headers of now', async () => {
  const seller = await connectedAccount(harness);
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 401 : 200 }));
  await publish(seller.account);
  await seller.tried(1);
  expect(await seller.statuses()).toEqual(['pending']);
  const { id } = await harness.request(getWebhookEndpoint, seller.account, {});
  await harness.request(updateWebhookEndpoint, seller.account, {
    endpointId: id,
    body: { headers: { 'x-api-key': value } },
  });
  harness.clock.advance(10_000);
  harness.wake();
  await seller.delivered();
  expect(seller.receiver.requests.map(({ headers }) => headers['x-api-key'])).toEqual([undefined, value]);
});

test('values are in the database in no readable form, and open for their endpoint alone', async () => {
  const [seller, other] = [await connectedAccount(harness), await connectedAccount(harness)];
  for (const { account, url } of [seller, other])
    await harness.request(putWebhookEndpoint, account, { body: { url, headers: { 'x-api-key': value } } });
  const stored = JSON.stringify([
    await harness.query('select * from endpoints'),
    await harness.query('select * from commands'),
  ]);
  expect(stored).not.toContain(value);
  expect(stored).not.toContain(Buffer.from(value).toString('base64'));
  await harness.query(
    `update endpoints set headers = (select headers from endpoints where account_id = $2) where account_id = $1`,
    [seller.account, other.account],
  );
  expect(await harness.request(getWebhookEndpoint, seller.account, {})).toMatchObject({ headers: [] });
});

test('a reserved name, a line break and a name given twice are refused, and the error names the field', async () => {
  const account = harness.account();
  const refusal = async (headers: Record<string, string>) =>
    await harness.request(putWebhookEndpoint, account, { body: { url: 'https://example.com', headers } }).then(
      () => 'taken',
      (err: { code: string; errors: { field: string }[] }) => [err.code, err.errors.map(({ field }) => field)],
    );
  expect(await refusal({ 'Webhook-Signature': 'v1,x' })).toEqual([
    'validation_failed',
    ['body.headers.Webhook-Signature'],
  ]);
  expect(await refusal({ 'x-key': 'a\r\nhost: b' })).toEqual(['validation_failed', ['body.headers.x-key']]);
  expect(await refusal({ 'X-Key': 'a', 'x-key': 'b' })).toEqual(['validation_failed', ['body.headers']]);
  await expect(harness.request(getWebhookEndpoint, account, {})).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
});
