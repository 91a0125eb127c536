import { listActivity } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { beforeEach, expect, test, vi } from 'vitest';
import { judged } from './harness.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 60_000 });
const hourMs = 3_600_000;
beforeEach(async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  for (let n = 0; n < 3; n += 1) await seller.publish();
});

const isActive = async () => (await harness.request(getWebhookEndpoint, seller.account, {})).active;
const notices = async () =>
  (await harness.request(listActivity, seller.account, {})).data.filter((entry) => entry.kind === 'notice');

/** Triggers the next attempt of each of the three deliveries, 30 hours later. */
async function nextAttempts(round: number): Promise<void> {
  await seller.tried(3 * round);
  harness.clock.advance(30 * hourMs);
  harness.wake();
}

test('after five days of nothing but failures an endpoint is switched off, with a notice, and its events are held', async () => {
  for (let round = 1; round <= 6; round += 1) await nextAttempts(round);
  // The seventh round is the 21st attempt, 7.5 days after the first.
  await judged(endpointId, 'failing');
  expect(await isActive()).toBe(false);
  // One attempt may have been in flight still; the service ends after it.
  await harness.running.service.close();
  harness.running.service = await harness.start();
  await harness.afterRound('deliveries');
  expect(await seller.statuses()).toEqual(['held', 'held', 'held']);
  expect((await notices()).map((notice) => notice.summary)).toEqual([
    expect.stringMatching(/was switched off: all 2[01] attempts since .* failed/),
    expect.stringMatching(/^Nothing has reached the webhook endpoint/),
  ]);
  const { switched_off: off } = await harness.request(getWebhookEndpoint, seller.account, {});
  expect(off).toMatchObject({ reason: 'failing' });
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.put({ active: true });
  await seller.delivered(3);
  expect(await seller.statuses()).toEqual(Array(3).fill('delivered'));
  expect(await notices()).toHaveLength(2);
});

test('after a day of nothing but failures the seller is notified once, and the endpoint stays on', async () => {
  await nextAttempts(1);
  await seller.tried(6);
  await judged(endpointId, 'warned');
  expect(await notices()).toHaveLength(1);
  await nextAttempts(2);
  await seller.tried(9);
  expect((await notices()).map((notice) => notice.summary)).toEqual([
    expect.stringMatching(/^Nothing has reached the webhook endpoint .* all [56] attempts failed/),
  ]);
  const { failing_since: since, active } = await harness.request(getWebhookEndpoint, seller.account, {});
  expect([active, Date.parse(since as string) < harness.clock.nowMs() - 24 * hourMs]).toEqual([true, true]);
});

test('a success among the failures, or a new URL, resets the count', async () => {
  const failing = () => harness.query('select attempts from failing_endpoints where account_id = $1', [seller.account]);
  await nextAttempts(1);
  await seller.tried(6);
  expect(await failing()).toEqual([{ attempts: 6 }]);
  seller.receiver.respondWith((_, n) => ({ status: n === 9 ? 200 : 500 }));
  await nextAttempts(2);
  await seller.tried(9);
  expect(await seller.statuses()).toContain('delivered');
  seller.receiver.respondWith(() => ({ status: 500 }));
  harness.clock.advance(30 * hourMs);
  harness.wake();
  await seller.tried(11);
  const [counted] = (await failing()) as { attempts: number }[];
  expect(counted?.attempts).toBeLessThan(6);
  await seller.put({ url: `${seller.url}&new` });
  expect(await failing()).toEqual([]);
  expect(await isActive()).toBe(true);
});
