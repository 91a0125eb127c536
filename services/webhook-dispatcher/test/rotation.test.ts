import { getWebhookEndpoint, revealWebhookSecret, rotateWebhookSecret } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { stored } from './harness.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { signersOf } from './signers.ts';

startService();
sellerForEachTest();
const hourMs = 3_600_000;

const rotate = async (body?: { overlapHours: number }) =>
  await harness.request(rotateWebhookSecret, seller.account, { endpointId, ...(body && { body }) });
const reveal = () => harness.request(revealWebhookSecret, seller.account, { endpointId });

/** Which of the secrets have signed the n-th request. */
async function signersOfRequest(n: number, secrets: Record<string, string | undefined>): Promise<string[]> {
  await seller.receiver.received(n + 1);
  return signersOf(seller.receiver.requests[n], secrets);
}

test('for 24 hours both secrets sign, the new one first; after that only the new one', async () => {
  const rotated = await rotate();
  const until = new Date(harness.clock.nowMs() + 24 * hourMs).toISOString();
  expect(rotated).toMatchObject({ id: endpointId, previous_secret_expires_at: until });
  const secrets = { old: seller.secret, new: rotated.secret };
  await seller.publish();
  expect(await signersOfRequest(0, secrets)).toEqual(['new', 'old']);
  harness.clock.advance(24 * hourMs - 1);
  await seller.publish();
  expect(await signersOfRequest(1, secrets)).toEqual(['new', 'old']);
  harness.clock.advance(1);
  await seller.publish();
  expect(await signersOfRequest(2, secrets)).toEqual(['new']);
  const after = await harness.request(getWebhookEndpoint, seller.account, {});
  expect(after).toMatchObject({ previous_secret_expires_at: null });
  expect(after.secret).toBeUndefined();
});

test('the overlap is what the seller says, and without one the previous secret ends at once', async () => {
  const first = await rotate({ overlapHours: 168 });
  const week = new Date(harness.clock.nowMs() + 168 * hourMs).toISOString();
  expect(first.previous_secret_expires_at).toBe(week);
  expect(await reveal()).toEqual({ secret: first.secret, previous_secret: seller.secret });
  const second = await rotate({ overlapHours: 0 });
  expect(second.previous_secret_expires_at).toBeNull();
  expect(await reveal()).toEqual({ secret: second.secret, previous_secret: null });
  await seller.publish();
  expect(await signersOfRequest(0, { old: seller.secret, first: first.secret, second: second.secret })).toEqual([
    'second',
  ]);
  for (const overlapHours of [-1, 169])
    await expect(rotate({ overlapHours })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a second rotation within the overlap is refused and ends no secret; after it, the latest two sign', async () => {
  const first = await rotate();
  await expect(rotate()).rejects.toMatchObject({
    code: 'invalid_transition',
    message: expect.stringContaining(`signs until ${first.previous_secret_expires_at}`),
  });
  await seller.publish();
  expect(await signersOfRequest(0, { old: seller.secret, first: first.secret })).toEqual(['first', 'old']);
  harness.clock.advance(24 * hourMs);
  const second = await rotate();
  await seller.publish();
  const secrets = { old: seller.secret, first: first.secret, second: second.secret };
  expect(await signersOfRequest(1, secrets)).toEqual(['second', 'first']);
});

test('a delivery that waited in memory while the secret was rotated is signed with the new one', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  // More than the slots of an endpoint, so that some wait behind those in flight.
  const events = await Promise.all(Array.from({ length: 40 }, () => seller.publish()));
  await Promise.all(events.map(stored));
  await seller.receiver.received(1);
  const rotated = await rotate();
  const inFlight = seller.receiver.requests.length;
  gate.resolve();
  await seller.delivered(events.length);
  expect(new Set(seller.received())).toEqual(new Set(events));
  expect(inFlight).toBeLessThan(events.length);
  const last = seller.receiver.requests.length - 1;
  expect(await signersOfRequest(last, { old: seller.secret, new: rotated.secret })).toEqual(['new', 'old']);
});

test('a second process signs with the new secret, too, and neither secret is stored in a readable form', async () => {
  const other = await harness.start();
  const rotated = await rotate();
  await harness.running.service.close();
  await seller.publish();
  expect(await signersOfRequest(0, { old: seller.secret, new: rotated.secret })).toEqual(['new', 'old']);
  const stored = JSON.stringify([
    await harness.query('select * from endpoints'),
    await harness.query('select * from commands'),
  ]);
  for (const secret of [seller.secret, rotated.secret as string]) expect(stored).not.toContain(secret.slice(6));
  harness.running.service = other;
});
