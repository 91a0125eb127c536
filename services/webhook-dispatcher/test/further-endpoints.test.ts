import { newId, newIdSuffix } from '@app/contracts/ids';
import { upsellAccepted } from '@app/contracts/orders';
import * as contract from '@app/contracts/webhooks';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { attempted, type Harness, stored } from './harness.ts';
import { connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

startService();

const url = 'https://example.com/hook';
const create = (account: string, body: object = {}) =>
  harness.request(contract.createWebhookEndpoint, account, { body: { url, ...body } });
const list = async (account: string) => (await harness.request(contract.listWebhookEndpoints, account, {})).data;
const read = (account: string, endpointId: string) =>
  harness.request(contract.readWebhookEndpoint, account, { endpointId });
const update = (account: string, endpointId: string, body: object) =>
  harness.request(contract.updateWebhookEndpoint, account, { endpointId, body });
const notFound = { code: 'webhook_endpoint_not_found' };

test('each URL gets its own copy of the events that its filter takes, signed with its own secret', async () => {
  const seller = await connectedAccount(harness);
  const receiver = await startReceiver();
  const made = await create(seller.account, { url: receiver.url, events: ['order.paid'], description: 'CRM' });
  expect(made).toMatchObject({ role: 'additional', description: 'CRM', events: ['order.paid'], active: true });
  expect(made.secret).toMatch(/^whsec_/);
  expect(made.secret).not.toBe(seller.secret);
  const paid = await seller.publish();
  const accepted = await harness.publish(upsellAccepted, seller.account, {
    orderId: newId('order', harness.clock.nowMs()),
    productId: newId('product', harness.clock.nowMs()),
    productName: 'Course',
    customerEmail: 'ada@example.com',
    currency: 'eur',
    test: false,
    headline: 'Live sessions',
    amountCents: 900,
    acceptedAt: harness.clock.now().toISOString(),
  });
  // Kinds of events come in no order among each other.
  for (const id of [paid, accepted]) await stored(id);
  await attempted({ accountId: seller.account, delivered: true }, 3);
  expect(seller.received().toSorted()).toEqual([paid, accepted].toSorted());
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([paid]);
  const [theirs, ours] = [receiver, seller.receiver].map(({ requests }) =>
    requests.find(({ headers }) => headers['webhook-id'] === paid),
  );
  expect(ours).toBeDefined();
  expect(theirs?.body).toEqual(ours?.body);
  for (const one of [receiver, seller.receiver]) await one.close();
});

test('the list has the primary one first, then the others by age, without secrets', async () => {
  const account = harness.account();
  const [one, two] = [await create(account), await create(account, { url: `${url}/2` })];
  const primary = await harness.request(contract.putWebhookEndpoint, account, { body: { url } });
  const listed = await list(account);
  expect(listed.map(({ id, role }) => [id, role])).toEqual([
    [primary.id, 'primary'],
    [one.id, 'additional'],
    [two.id, 'additional'],
  ]);
  expect(JSON.stringify(listed)).not.toContain('whsec_');
  expect(contract.listWebhookEndpoints.output.parse({ data: listed }).data).toEqual(listed);
  expect(await list(harness.account())).toEqual([]);
});

test('an account has at most 20 URLs, whichever way they are connected', async () => {
  const account = harness.account();
  const made = await Promise.allSettled(Array.from({ length: 21 }, () => create(account)));
  const refused = made.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'limit_reached' } }]);
  const put = () => harness.request(contract.putWebhookEndpoint, account, { body: { url } });
  await expect(put()).rejects.toMatchObject({ code: 'limit_reached' });
  const [first] = await list(account);
  await harness.request(contract.removeWebhookEndpoint, account, { endpointId: first?.id as string });
  expect(await put()).toMatchObject({ role: 'primary' });
  expect(await list(account)).toHaveLength(20);
});

test('a change keeps every field that it leaves out, by PATCH and by PUT', async () => {
  const account = harness.account();
  const given = { events: ['order.paid' as const], description: 'Mine', headers: { 'X-Key': 'k' }, active: false };
  const primary = await harness.request(contract.putWebhookEndpoint, account, { body: { url, ...given } });
  const shown = { url, events: ['order.paid'], description: 'Mine', headers: ['X-Key'], active: false };
  expect(primary).toMatchObject(shown);
  for (const change of [
    () => harness.request(contract.putWebhookEndpoint, account, { body: { url } }),
    () => update(account, primary.id, {}),
  ])
    expect(await change()).toMatchObject({ ...shown, switched_off: primary.switched_off });
  expect(await update(account, primary.id, { url: `${url}/2` })).toMatchObject({ ...shown, url: `${url}/2` });
  expect(await update(account, primary.id, { events: null })).toMatchObject({ events: null, description: 'Mine' });
  expect(await update(account, primary.id, { description: '' })).toMatchObject({ description: '', headers: ['X-Key'] });
  expect(await update(account, primary.id, { headers: {} })).toMatchObject({ headers: [], active: false });
  expect(await update(account, primary.id, { active: true })).toMatchObject({ active: true, switched_off: null });
  const { secret } = await harness.request(contract.revealWebhookSecret, account, { endpointId: primary.id });
  expect(secret).toBe(primary.secret);
});

test('the primary URL is read, changed and removed by its id as well', async () => {
  const account = harness.account();
  const primary = await harness.request(contract.putWebhookEndpoint, account, { body: { url } });
  expect(await read(account, primary.id)).toEqual(await harness.request(contract.getWebhookEndpoint, account, {}));
  await update(account, primary.id, { description: 'x' });
  await harness.request(contract.removeWebhookEndpoint, account, { endpointId: primary.id });
  await expect(harness.request(contract.getWebhookEndpoint, account, {})).rejects.toMatchObject(notFound);
});

test('another account’s URL is as unknown as one that never was, to every request', async () => {
  const owner = harness.account();
  const { id } = await create(owner, { headers: { 'x-key': 'k' } });
  for (const endpointId of [id, newId('webhookEndpoint', harness.clock.nowMs())]) {
    const request = (definition: Parameters<Harness['request']>[0], more: object = {}) =>
      harness.request(definition, harness.account(), { endpointId, ...more });
    await expect(request(contract.readWebhookEndpoint)).rejects.toMatchObject(notFound);
    await expect(request(contract.updateWebhookEndpoint, { body: { active: false } })).rejects.toMatchObject(notFound);
    await expect(request(contract.removeWebhookEndpoint)).rejects.toMatchObject(notFound);
    await expect(request(contract.rotateWebhookSecret, { body: {} })).rejects.toMatchObject(notFound);
    await expect(request(contract.revealWebhookSecret)).rejects.toMatchObject(notFound);
  }
  expect(await read(owner, id)).toMatchObject({ active: true });
});

test('repeated commands have one effect and the same response, secrets included', async () => {
  const account = harness.account();
  const [creating, rotating] = [newIdSuffix(harness.clock.nowMs()), newIdSuffix(harness.clock.nowMs())];
  const createOnce = () => harness.request(contract.createWebhookEndpoint, account, { body: { url } }, creating);
  const made = await createOnce();
  expect(await createOnce()).toEqual(made);
  const rotateOnce = () =>
    harness.request(contract.rotateWebhookSecret, account, { endpointId: made.id, body: {} }, rotating);
  const rotated = await rotateOnce();
  expect(await rotateOnce()).toEqual(rotated);
  expect(rotated.secret).not.toBe(made.secret);
  expect(await list(account)).toHaveLength(1);
});

test('a URL that is refused changes nothing', async () => {
  const account = harness.account();
  const made = await create(account);
  const refused = { code: 'webhook_url_refused', errors: [{ field: 'url' }] };
  const bad = { url: 'http://169.254.169.254/', description: 'x' };
  await expect(update(account, made.id, bad)).rejects.toMatchObject(refused);
  await expect(create(account, bad)).rejects.toMatchObject(refused);
  expect(await list(account)).toEqual([{ ...made, secret: undefined }]);
});
