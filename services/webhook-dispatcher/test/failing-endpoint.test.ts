import { listActivity } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { eventually } from '@app/testing/eventually';
import { beforeEach, expect, test, vi } from 'vitest';
import { harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 60_000 });
const hourMs = 3_600_000;
beforeEach(async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  for (let n = 0; n < 3; n += 1) await seller.publish();
});

const isActive = async () => (await harness.ask(getWebhookEndpoint, seller.account, {})).active;
const notices = async () =>
  (await harness.ask(listActivity, seller.account, {})).data.filter((entry) => entry.kind === 'notice');
const attempts = async () =>
  (await harness.query('select from attempts where account_id = $1', [seller.account])).length;

/** Triggers the next try of each of the three deliveries, 30 hours later. A PUT makes the dispatcher poll at once. */
async function nextTries(round: number): Promise<void> {
  await eventually(async () => expect(await attempts()).toBe(3 * round));
  harness.clock.advance(30 * hourMs);
  await seller.put();
}

test('after five days of nothing but failures an endpoint is switched off, with a notice, and its events are held', async () => {
  for (let round = 1; round <= 6; round += 1) await nextTries(round);
  // The seventh round is the 21st try, 7.5 days after the first.
  await eventually(async () => expect(await isActive()).toBe(false));
  await eventually(async () => expect(await seller.statuses()).toEqual(['held', 'held', 'held']));
  expect((await notices()).map((notice) => notice.summary)).toEqual([
    expect.stringMatching(/was switched off: all 2[01] tries since .* failed/),
    expect.stringMatching(/^Nothing has reached the webhook endpoint/),
  ]);
  const { switched_off: off } = await harness.ask(getWebhookEndpoint, seller.account, {});
  expect(off).toMatchObject({ reason: 'failing' });
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.put({ active: true });
  await eventually(async () => expect(await seller.statuses()).toEqual(Array(3).fill('delivered')));
  expect(await notices()).toHaveLength(2);
});

test('after a day of nothing but failures the seller is told so once, and the endpoint stays on', async () => {
  await nextTries(1);
  await eventually(async () => expect(await attempts()).toBe(6));
  await eventually(async () => expect(await notices()).toHaveLength(1));
  await nextTries(2);
  await eventually(async () => expect(await attempts()).toBe(9));
  expect((await notices()).map((notice) => notice.summary)).toEqual([
    expect.stringMatching(/^Nothing has reached the webhook endpoint .* all [56] tries failed/),
  ]);
  const { failing_since: since, active } = await harness.ask(getWebhookEndpoint, seller.account, {});
  expect([active, Date.parse(since as string) < harness.clock.nowMs() - 24 * hourMs]).toEqual([true, true]);
});

test('a success among the failures, or a new URL, resets the count', async () => {
  const failing = () => harness.query('select attempts from failing_endpoints where account_id = $1', [seller.account]);
  await nextTries(1);
  await eventually(async () => expect(await attempts()).toBe(6));
  expect(await failing()).toEqual([{ attempts: 6 }]);
  seller.receiver.respondWith((_, n) => ({ status: n === 9 ? 200 : 500 }));
  await nextTries(2);
  await eventually(async () => expect(await seller.statuses()).toContain('delivered'));
  await eventually(async () => expect(await attempts()).toBe(9));
  seller.receiver.respondWith(() => ({ status: 500 }));
  harness.clock.advance(30 * hourMs);
  await seller.put();
  await eventually(async () => expect(await attempts()).toBe(11));
  const [counted] = (await failing()) as { attempts: number }[];
  expect(counted?.attempts).toBeLessThan(6);
  await seller.put({ url: `${seller.url}&new` });
  expect(await failing()).toEqual([]);
  expect(await isActive()).toBe(true);
});
