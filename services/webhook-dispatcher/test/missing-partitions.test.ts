import { newId } from '@app/contracts/ids';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import { roundEnded } from '@app/service-kit/background-loop';
import { silentLogger } from '@app/service-kit/logger';
import { announced } from '@app/testing/points';
import { beforeAll, expect, test } from 'vitest';
import { applyRetention } from '../src/retention/apply-retention.ts';
import { changesApplied } from './harness.ts';
import { anEvent } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
// The service's own would give up what the tests let wait.
beforeAll(() => announced(roundEnded, ({ loop }) => loop === 'webhook-dispatcher.retention'));
sellerForEachTest();

let monthsAgo = 0;
/** Two months of a test's own, whose records are not expired. */
const twoTimes = () => {
  const now = harness.clock.now();
  monthsAgo += 2;
  return [1, 0].map((ago) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo - ago, 15));
};

/** Adds a delivery of each of two months of which no delivery was finished, so that no partition is there. */
async function addWaiting(status: 'pending' | 'held', of?: string, gone = false): Promise<void> {
  const eventId = gone ? newId('event', harness.clock.nowMs()) : await anEvent(harness, seller.account);
  for (const ms of twoTimes())
    await harness.query(
      `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, due, created_at)
       select $1, $2, coalesce($3, id), account_id, 'order.paid', false, $4, $5, true, $5
       from endpoints where account_id = $6`,
      [newId('delivery', ms), eventId, of ?? null, status, new Date(ms), seller.account],
    );
}
const are = async (...statuses: string[]) => expect(await seller.statuses()).toEqual(statuses);
const retain = (database = harness.database) => applyRetention({ ...harness, database, logger: silentLogger() });

test('deliveries of months without a partition are canceled with their endpoint', async () => {
  await addWaiting('held');
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  await changesApplied(endpointId);
  await are('canceled', 'canceled');
});

test('deliveries of months without a partition are discarded when the endpoint is switched on without them', async () => {
  await seller.put({ active: false });
  await addWaiting('held');
  await seller.put({ active: true, held: 'discard' });
  await changesApplied(endpointId, 2);
  await are('canceled', 'canceled');
});

test('a claim cancels deliveries of months without a partition whose endpoint is removed', async () => {
  await addWaiting('pending', newId('webhookEndpoint', harness.clock.nowMs()));
  await harness.afterRound('deliveries');
  await are('canceled', 'canceled');
});

test('deliveries of months without a partition whose body is gone are given up when they are claimed', async () => {
  await addWaiting('pending', undefined, true);
  await harness.afterRound('deliveries');
  await are('failed', 'failed');
});

test('deliveries of months without a partition are given up after 30 days', async () => {
  await seller.put({ active: false });
  await addWaiting('held');
  await retain();
  expect(await seller.statuses()).toEqual(['failed', 'failed']);
});

test('a step of the retention that fails keeps no other step from running', async () => {
  const expired = 'notices_200803';
  await harness.partitions.cover([newId('notice', Date.UTC(2008, 2, 15))]);
  const failing = { ...harness.database, transaction: () => Promise.reject(new Error('giving up fails')) };
  await expect(retain(failing)).rejects.toThrow('giving up fails');
  expect(await harness.query('select to_regclass($1)::text as name', [expired])).toEqual([{ name: null }]);
});
