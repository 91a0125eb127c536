import { listActivity } from '@app/contracts/webhook-deliveries';
import * as webhookPayloads from '@app/contracts/webhook-payloads';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { webhookEventNames } from '@app/contracts/webhooks';
import type { ReceivedRequest } from '@app/testing/http-receiver';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { attempted } from './harness.ts';
import { connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

startService();

async function connectedSeller() {
  const seller = await connectedAccount(harness);
  const { account, endpointId } = seller;
  const sendTest = (event: (typeof webhookEventNames)[number], commandId?: string) =>
    harness.request(sendTestWebhook, account, { endpointId, body: { event } }, commandId);
  return { ...seller, sendTest };
}

test('a test of each event arrives with its published payload, new ids and the time of now, signed and marked', async () => {
  const { receiver, secret, sendTest, account, tried } = await connectedSeller();
  const schemas = new Map(Object.values(webhookPayloads).map((each) => [each.shape.event.value, each]));
  for (const event of webhookEventNames) {
    const delivery = sendTestWebhook.output.parse(await sendTest(event));
    expect(delivery).toMatchObject({ event, test: true });
    const isIt = ({ headers }: ReceivedRequest) => headers['webhook-id'] === delivery.event_id;
    const [request] = (await receiver.received(1, isIt)) as [ReceivedRequest];
    expect(request.headers).toMatchObject({ 'x-service-event': event, 'x-service-test': '1' });
    const payload = new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    expect(schemas.get(event)?.parse(payload)).toEqual(payload);
    expect(payload).toMatchObject({ sentAt: harness.clock.now().toISOString() });
  }
  expect(receiver.requests).toHaveLength(webhookEventNames.length);
  await tried(webhookEventNames.length);
  const { data } = await harness.request(listActivity, account, {});
  expect(data).toHaveLength(webhookEventNames.length);
  expect(data.map(({ test, status }) => [test, status])).toEqual(data.map(() => [true, 'delivered']));
});

test('a test has no number among the account’s events, is sent last, and goes past the endpoint’s filter', async () => {
  const { receiver, put, sendTest, account } = await connectedSeller();
  await put({ events: ['affiliate.paid'] });
  const { event_id: eventId } = await sendTest('order.paid');
  await receiver.received(1);
  const stored = 'select sequence, test, stored_at is not null as kept from events where account_id = $1 and id = $2';
  expect(await harness.query(stored, [account, eventId])).toEqual([{ sequence: null, test: true, kept: true }]);
  receiver.respondWith(() => ({ status: 500 }));
  const { id: deliveryId } = await sendTest('order.paid');
  await attempted({ deliveryId });
  const waiting = `select priority from deliveries where account_id = $1 and status = 'pending'`;
  expect(await harness.query(waiting, [account])).toEqual([{ priority: 2 }]);
});

test('a command that is repeated because its answer got lost sends one test', async () => {
  const { receiver, sendTest, account, delivered } = await connectedSeller();
  const commandId = '01kahv7w3xe5m8q2r6t9y0b4ce';
  const answers = await Promise.all([sendTest('order.paid', commandId), sendTest('order.paid', commandId)]);
  const again = await sendTest('order.paid', commandId);
  expect(new Set([...answers, again].map(({ id }) => id)).size).toBe(1);
  await delivered();
  expect(receiver.requests).toHaveLength(1);
  expect(await harness.query('select id from events where account_id = $1', [account])).toHaveLength(1);
});

test('a test is refused where nothing would be sent, and for an endpoint of another account', async () => {
  const { put, endpointId, sendTest, account } = await connectedSeller();
  await put({ active: false });
  await expect(sendTest('order.paid')).rejects.toMatchObject({
    code: 'invalid_transition',
    message: expect.stringContaining('switched off'),
  });
  const theirs = { endpointId, body: { event: 'order.paid' as const } };
  await expect(harness.request(sendTestWebhook, harness.account(), theirs)).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
  expect(await harness.query('select id from events where account_id = $1', [account])).toEqual([]);
});
