import { orderPaid } from '@app/contracts/orders';
import { recover } from '@app/contracts/webhook-deliveries';
import { deleteWebhookEndpoint, putWebhookEndpoint } from '@app/contracts/webhooks';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { timeoutMs, volume } from '@app/testing/long';
import { announced, listen } from '@app/testing/points';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { conservationProved } from '../src/points/points.ts';
import { proveConservation } from '../src/repair/prove-conservation.ts';
import { finished, type Harness, startHarness } from './harness.ts';
import { allDeliveries, anOrder, connectedAccount } from './orders.ts';
import type { Seller } from './set-up.ts';

guardLeaks();
vi.setConfig({ testTimeout: timeoutMs(120_000) });
let harness: Harness;
let database: Database;
beforeAll(async () => {
  harness = await startHarness({ CONSERVATION_SECONDS: '3600' });
  database = await openDatabase(databaseOptions(harness.env.DATABASE_URL));
});
afterAll(async () => {
  await database.close();
  await harness.close();
});

/**
 * Proves without a pause until stopped: two provers that take runs from each other, then one alone, because of two that
 * take every run from each other none may be complete. Answers how often.
 */
function proveAllTheTime() {
  let stopped = false;
  const { partitions, clock } = harness;
  const deps = { database, partitions, clock, logger: silentLogger(), intervalSeconds: 0 };
  const prove = () => proveConservation(deps, () => stopped);
  const all = async () => {
    let runs = 0;
    while (!stopped) runs += [...(await Promise.all([prove(), prove()])), await prove()].filter(Boolean).length;
    return runs;
  };
  const running = all();
  return async () => {
    stopped = true;
    return await running;
  };
}

const publish = async (account: string, count: number) => {
  for (let n = 0; n < count; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, () => harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()))),
    );
};

/** Events of each seller; a recovery sends fifty at once. */
const each = volume(40, 200);

const put = (seller: Seller, active: boolean) =>
  harness.request(putWebhookEndpoint, seller.account, { body: { url: seller.url, active } });

test('while events are stored, sent, held, released, sent again and canceled, every proof finds a gap of 0', async () => {
  await harness.query('update conservation set next_run_at = now()');
  const stop = proveAllTheTime();
  const sellers: Seller[] = [];
  for (let n = 0; n < 4; n += 1) sellers.push(await connectedAccount(harness));
  const [works, fails, switched, removed] = sellers as [Seller, Seller, Seller, Seller];
  fails.receiver.respondWith(() => ({ status: fails.receiver.requests.length % 2 === 0 ? 200 : 500 }));
  await Promise.all([
    ...sellers.map((seller) => publish(seller.account, each)),
    (async () => {
      for (let n = 0; n < 10; n += 1) await put(switched, n % 2 === 1);
    })(),
    (async () => {
      await removed.receiver.received(each / 4);
      await harness.request(deleteWebhookEndpoint, removed.account, {});
    })(),
  ]);
  for (const seller of [works, switched]) {
    await seller.delivered(each);
    expect(new Set(await seller.statuses())).toEqual(new Set(['delivered']));
  }
  const [endpoint] = await harness.query<{ id: string }>('select id from endpoints where account_id = $1', [
    works.account,
  ]);
  const since = new Date(harness.clock.nowMs() - 60_000).toISOString();
  const recovery = await harness.request(recover, works.account, {
    endpointId: endpoint?.id ?? '',
    body: { since, which: 'all' },
  });
  await finished(recovery.id);
  await works.delivered(2 * each);
  expect(works.receiver.requests).toHaveLength(2 * each);
  const events = 4 * each;
  const logged = `select sum(last_sequence)::int as events from account_logs`;
  const proved = 'select sum(sequence)::int as events from proved_accounts';
  // The first may have been under way.
  await listen().announced(conservationProved, ({ isComplete }) => isComplete, 3);
  expect(await harness.query(proved)).toEqual([{ events }]);
  // Also on a machine that is done with all of it in a few.
  await announced(conservationProved, () => true, 12);
  expect(await stop()).toBeGreaterThan(10);
  expect(await harness.query(logged)).toEqual([{ events }]);
  expect((await harness.query(`select from ${allDeliveries}`)).length).toBeGreaterThanOrEqual(events);
  const sums = `select sum(gap)::int as gap, sum(lost_events)::int as lost_events, sum(repaired)::int as repaired,
    sum(events)::int as events, sum(older_events) > ${events} as proved_again,
    sum(deliveries) = sum(pending + sending + held + delivered + filtered + failed + canceled) as adds_up
    from conservation_runs`;
  expect(await harness.query(sums)).toEqual([
    { gap: 0, lost_events: 0, repaired: 0, events, proved_again: true, adds_up: true },
  ]);
});
