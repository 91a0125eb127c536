import { fileURLToPath } from 'node:url';
import { orderPaid } from '@app/contracts/orders';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import { spawnNode } from '@app/testing/child-service';
import { timeoutMs, volume } from '@app/testing/long';
import { announced, sofar } from '@app/testing/points';
import { untilBlocked } from '@app/testing/poll-system';
import { expect, test, vi } from 'vitest';
import { deliveriesClaimed, deliveriesReleased, recoveryEnqueued } from '../src/points/points.ts';
import { attempted, changesApplied, finished, stored } from './harness.ts';
import { allDeliveries, anEvent, anOrder, connectedAccount } from './orders.ts';
import { actAs, harness, seller, sellerForEachTest, startService } from './set-up.ts';

// A change is applied to ten deliveries at a time, twenty while its caller waits, and to the others in the background.
startService({}, { changeBatchMax: 10 });
sellerForEachTest();
vi.setConfig({ testTimeout: timeoutMs(120_000) });
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Of a process of its own, whose batches are of a thousand. */
const beyondAWait = 2_100;
const many = volume(500, 5_000);
/**
 * Adds deliveries of one event that wait for their next attempt, as after an outage of the receiver.
 * @returns how their ids begin
 */
async function addWaiting(count: number, nextAttemptAt = '2099-01-01T00:00:00Z'): Promise<string> {
  const eventId = await anEvent(harness, seller.account);
  await harness.query(
    `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, due, created_at)
     select 'dlv_' || substr($1, 5, 18) || lpad(n::text, 8, '0'), $1, id, account_id, 'order.paid', false, 'pending', $4,
       $4 <= now(), now()
     from endpoints, generate_series(1, $3::int) as n where account_id = $2`,
    [eventId, seller.account, count, nextAttemptAt],
  );
  return `dlv_${eventId.slice(4, 22)}`;
}

async function count(status: string): Promise<number> {
  const text = `select count(*)::int as count from ${allDeliveries} where account_id = $1 and status = $2`;
  const [row] = await harness.query<{ count: number }>(text, [seller.account, status]);
  return row?.count ?? 0;
}

/**
 * Locks one of the account's deliveries of that status: until what this resolves with is called, the change of the
 * endpoint is not done, however long the test takes.
 * @param position from the oldest, which a change comes to first
 */
async function holdUp(status: 'pending' | 'held', position: number): Promise<() => Promise<void>> {
  const client = await harness.database.pool.connect();
  await client.query('begin');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  await client.query(
    `select from deliveries where id = (
       select id from deliveries where account_id = $1 and status = $2 order by id offset $3 limit 1) for update`,
    [seller.account, status, position - 1],
  );
  return async () => {
    await client.query('rollback');
    client.release();
  };
}
/** The one that a change comes to last. */
const holdUpLast = async (status: 'pending' | 'held') => await holdUp(status, await count(status));

test('an endpoint with many waiting deliveries is switched off before they are held, and new events of all accounts are processed meanwhile', async () => {
  const other = await connectedAccount(harness);
  await addWaiting(many);
  const goOn = await holdUpLast('pending');
  const off = await seller.put({ active: false });
  expect(off.active).toBe(false);
  const order = () => anOrder(harness.clock.nowMs());
  const published = [
    harness.publish(orderPaid, seller.account, order()),
    harness.publish(orderPaid, other.account, order()),
  ];
  const [ownId, otherId] = await Promise.all(published);
  await other.delivered();
  expect(other.received()).toEqual([otherId]);
  await stored(ownId as string);
  expect(await harness.query('select status from deliveries where event_id = $1', [ownId])).toEqual([
    { status: 'held' },
  ]);
  expect(await count('pending')).toBeGreaterThan(0);
  await goOn();
  await changesApplied(seller.endpointId);
  expect(await count('held')).toBe(many + 1);
});

test('an endpoint whose change cannot be applied holds up no other, and it is applied once it can be', async () => {
  const [bad, good] = [seller, await connectedAccount(harness)];
  for (const each of [bad, good]) {
    actAs(each);
    await addWaiting(1);
  }
  await harness.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before update on deliveries for each row
      when (old.account_id = '${bad.account}') execute function refuse()`);
  for (const [{ account }, at] of [
    [bad, '2020-01-01T00:00:00Z'],
    [good, '2021-01-01T00:00:00Z'],
  ] as const)
    await harness.query(
      `with off as (update endpoints set active = false where account_id = $1 returning id, account_id, url)
       insert into endpoint_changes (endpoint_id, account_id, url, changed_at) select id, account_id, url, $2 from off`,
      [account, at],
    );
  harness.wake();
  await changesApplied(good.endpointId);
  expect(await good.statuses()).toEqual(['held']);
  expect(await bad.statuses()).toEqual(['pending']);
  await harness.query('drop trigger refuse on deliveries; drop function refuse()');
  harness.wake();
  await changesApplied(bad.endpointId);
  expect(await bad.statuses()).toEqual(['held']);
});

test('the next process applies a change to the deliveries that a killed one has left', async () => {
  // The child runs in real time: by it, deliveries of the test's clock have waited for more than 30 days, and are given up.
  harness.clock.set(new Date());
  await addWaiting(beyondAWait);
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const goOn = await holdUpLast('pending');
  await seller.put({ active: false });
  await child.kill('SIGKILL');
  expect(await count('pending')).toBeGreaterThan(0);
  await goOn();
  harness.running.service = await harness.start();
  await changesApplied(seller.endpointId);
  expect(await count('held')).toBe(beyondAWait);
});

test('an endpoint that is switched on again while it is being switched off gets everything, once', async () => {
  await addWaiting(45);
  const goOn = await holdUp('pending', 25);
  await seller.put({ active: false });
  await untilBlocked(harness.database.pool);
  const on = seller.put({ active: true });
  await untilBlocked(harness.database.pool, 2);
  await goOn();
  await on;
  await seller.put({ active: false });
  const { recovery_id: recoveryId } = await seller.put({ active: true });
  if (recoveryId !== null) await finished(recoveryId);
  await harness.afterRound('endpoint-changes');
  // Deliveries that were not held yet keep waiting for their next attempt; the others are sent.
  const [left] = await harness.query<{ count: number }>(
    'select count(*)::int as count from deliveries where account_id = $1 and not due',
    [seller.account],
  );
  const sent = 45 - (left?.count ?? 0);
  expect(sent).toBeGreaterThan(0);
  await seller.delivered(sent);
  expect(await count('delivered')).toBe(sent);
  expect(await count('pending')).toBe(45 - sent);
  expect(seller.receiver.requests).toHaveLength(sent);
  expect(await harness.query('select * from endpoint_changes')).toEqual([]);
});

test('deliveries of an endpoint that is switched off and on repeatedly are due oldest first, whichever switch released them', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const beginning = await addWaiting(150, '2026-01-01T00:00:00Z');
  await harness.query(`update deliveries set created_at = '2026-01-01' where account_id = $1`, [seller.account]);
  harness.wake();
  const sent = (await seller.receiver.received(4)).length;
  await seller.put({ active: false });
  await changesApplied(seller.endpointId);
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 60_000 }));
  gate.resolve();
  await seller.delivered(sent);
  // What the dispatcher had claimed and not sent is given back, and held by the next claim.
  const own = (ids: readonly string[]) => ids.filter((id) => id.startsWith(beginning)).length;
  let waiting = sofar(deliveriesClaimed).reduce((sum, { deliveryIds }) => sum + own(deliveryIds), -sent);
  await announced(deliveriesReleased, ({ deliveryIds }) => {
    waiting -= own(deliveryIds);
    return waiting <= 0;
  });
  await harness.afterRound('deliveries');
  expect(await count('held')).toBe(150 - sent);
  for (const active of [true, false, true]) {
    harness.clock.advance(60_000);
    const { recovery_id: recoveryId } = await seller.put({ active });
    // A second's worth is released at once.
    if (active) await announced(recoveryEnqueued, (one) => one.recoveryId === recoveryId && one.due);
  }
  // The dispatcher may have claimed them all by now: that leaves their times as they are.
  const text = `select id from deliveries where account_id = $1 and status in ('pending', 'sending')
    order by next_attempt_at, id`;
  const due = (await harness.query<{ id: string }>(text, [seller.account])).map(({ id }) => id);
  expect(due.length).toBeGreaterThan(0);
  expect(due).toEqual(due.toSorted());
  const [first] = await harness.query<{ id: string }>(
    `select min(id) as id from deliveries where account_id = $1 and status = 'held'`,
    [seller.account],
  );
  expect((due.at(-1) as string) < (first?.id as string)).toBe(true);
});

test('the next process drops what a killed one was to drop, and nothing else', async () => {
  harness.clock.set(new Date());
  await addWaiting(beyondAWait);
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  await seller.put({ active: false });
  await changesApplied(seller.endpointId);
  expect(await count('held')).toBe(beyondAWait);
  const goOn = await holdUpLast('held');
  await seller.put({ held: 'discard' });
  await child.kill('SIGKILL');
  // In one statement: the last commit of the killed process may still be under way.
  const [left] = await harness.query<{ held: number; all: number }>(
    `select count(*) filter (where status = 'held')::int as held, count(*)::int as all from ${allDeliveries}
     where account_id = $1 and status in ('held', 'canceled')`,
    [seller.account],
  );
  expect(left).toEqual({ held: expect.toSatisfy((n: number) => n > 0), all: beyondAWait });
  await goOn();
  harness.running.service = await harness.start();
  const id = await seller.publish();
  await stored(id);
  await changesApplied(seller.endpointId, 2);
  expect(await count('canceled')).toBe(beyondAWait);
  expect(await harness.query('select status from deliveries where event_id = $1', [id])).toEqual([{ status: 'held' }]);
});

test('the removal of an endpoint that is being switched off is shown once in Recent activity, with all canceled deliveries, and the next endpoint is a new one', async () => {
  await addWaiting(100);
  const goOn = await holdUp('pending', 25);
  await seller.put({ active: false });
  await untilBlocked(harness.database.pool);
  const removed = harness.request(deleteWebhookEndpoint, seller.account, {});
  await untilBlocked(harness.database.pool, 2);
  await goOn();
  await removed;
  const again = await seller.put({ active: true });
  expect(again.secret).not.toBe(seller.secret);
  const id = await seller.publish();
  await attempted({ endpointId: again.id });
  expect(seller.received()).toEqual([id]);
  await harness.afterRound('endpoint-changes');
  expect(await count('canceled')).toBe(100);
  const { data } = await harness.request(listActivity, seller.account, {});
  expect(data.filter((entry) => entry.kind === 'notice').map((notice) => notice.summary)).toEqual([
    expect.stringContaining('100 deliveries that waited are canceled'),
  ]);
});
