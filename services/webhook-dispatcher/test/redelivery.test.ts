import { redeliver } from '@app/contracts/webhook-deliveries';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { attempted, stored } from './harness.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { addStored, deliveriesOf, type StoredDelivery } from './stored.ts';

startService();
sellerForEachTest();

const only = async (): Promise<StoredDelivery> => {
  const [delivery, ...others] = await deliveriesOf(harness, seller.account);
  expect(others).toEqual([]);
  return delivery as StoredDelivery;
};
const again = (deliveryId: string, accountId = seller.account) => harness.request(redeliver, accountId, { deliveryId });
/** So many attempts of the only delivery were recorded; then it has this status. */
async function is(status: string, attempts: number): Promise<void> {
  const { id: deliveryId } = await only();
  await attempted({ deliveryId, number: attempts });
  expect(await only()).toMatchObject({ status, attempts });
}

test('a delivered event is sent again under its webhook-id with the same bytes, and its attempts count on', async () => {
  const id = await seller.publish();
  await seller.tried(1);
  await is('delivered', 1);
  const answer = await again((await only()).id);
  expect(answer).toMatchObject({ event_id: id, event: 'order.paid' });
  await is('delivered', 2);
  expect(seller.received()).toEqual([id, id]);
  const [first, second] = seller.receiver.requests;
  expect(second?.body).toBe(first?.body);
});

test('a delivery that was given up is tried by the whole schedule again', async () => {
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  const [id] = await addStored(harness, seller.account, [{ endpointId }]);
  await again((await only()).id);
  await is('pending', 13);
  // The first wait of the schedule is five seconds, and the wait after a twelfth attempt would be none.
  harness.clock.advance(6_001);
  harness.wake();
  await is('delivered', 14);
  expect(seller.received()).toEqual([id, id]);
});

test('what was filtered or canceled is sent all the same', async () => {
  const ids = await addStored(harness, seller.account, [
    { endpointId, status: 'filtered' },
    { endpointId, status: 'canceled' },
  ]);
  for (const { id } of await deliveriesOf(harness, seller.account)) await again(id);
  await seller.delivered(2);
  expect(await seller.statuses()).toEqual(['delivered', 'delivered']);
  expect(seller.received().sort()).toEqual(ids);
});

test('two redeliveries at once make one', async () => {
  const [id] = await addStored(harness, seller.account, [{ endpointId }]);
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const { id: deliveryId } = await only();
  await Promise.all([again(deliveryId), again(deliveryId), again(deliveryId)]);
  gate.resolve();
  await is('delivered', 13);
  expect(seller.received()).toEqual([id]);
});

test('a redelivery that is repeated under its command id is sent once', async () => {
  const [id] = await addStored(harness, seller.account, [{ endpointId }]);
  const { id: deliveryId } = await only();
  const commandId = deliveryId.slice(4);
  await harness.request(redeliver, seller.account, { deliveryId }, commandId);
  await is('delivered', 13);
  await harness.request(redeliver, seller.account, { deliveryId }, commandId);
  const other = await seller.publish();
  await seller.delivered(2);
  expect(seller.received()).toEqual([id, other]);
});

test('a delivery that waits for its next attempt is sent now', async () => {
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  const id = await seller.publish();
  await seller.tried(1);
  await is('pending', 1);
  await again((await only()).id);
  await is('delivered', 2);
  expect(seller.received()).toEqual([id, id]);
});

test('while its endpoint is off nothing is sent: what is held stays held, and what is finished stays so', async () => {
  const [failed] = await addStored(harness, seller.account, [{ endpointId }]);
  await seller.put({ active: false });
  const held = await seller.publish();
  await stored(held);
  expect(await seller.statuses()).toEqual(['failed', 'held']);
  for (const { id } of await deliveriesOf(harness, seller.account))
    await expect(again(id)).rejects.toMatchObject({
      code: 'invalid_transition',
      message: 'The endpoint of this delivery is off. Switch it on first.',
    });
  const after = await deliveriesOf(harness, seller.account);
  expect(after.map(({ event_id, status }) => [event_id, status])).toEqual([
    [failed, 'failed'],
    [held, 'held'],
  ]);
  expect(seller.received()).toEqual([]);
});

test('refused for an endpoint that was removed, for a body that is gone, and for another account', async () => {
  const [id] = await addStored(harness, seller.account, [{ endpointId, status: 'delivered' }]);
  const { id: deliveryId } = await only();
  await expect(again(deliveryId, harness.account())).rejects.toMatchObject({ code: 'delivery_not_found' });
  await harness.query('delete from event_bodies where event_id = $1', [id]);
  await expect(again(deliveryId)).rejects.toMatchObject({ code: 'body_expired' });
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  await expect(again(deliveryId)).rejects.toMatchObject({
    code: 'invalid_transition',
    message: 'The endpoint of this delivery was removed, so nothing can be sent.',
  });
  expect(await only()).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('what is held because no URL is connected is refused with these words', async () => {
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  await stored(await seller.publish());
  expect(await only()).toMatchObject({ status: 'held', attempts: 0 });
  await expect(again((await only()).id)).rejects.toMatchObject({
    code: 'invalid_transition',
    message: expect.stringContaining('No URL is connected'),
  });
});
