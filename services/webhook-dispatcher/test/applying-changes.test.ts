import { fileURLToPath } from 'node:url';
import { orderPaid } from '@app/contracts/orders';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import { spawnNode } from '@app/testing/child-service';
import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { allDeliveries, anEvent, anOrder, connectedAccount } from './orders.ts';
import { actAs, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 120_000 });
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Seldom, because each look counts hundreds of thousands of rows and takes the time of what is waited for. */
const patience = { withinMs: 80_000, everyMs: 250 };

const many = 200_000;
/** Of one statement: all of them would take longer than a statement may, where much else runs. */
const portion = 10_000;
/** Adds deliveries of one event that wait for their next try, as after an outage of the receiver. */
async function addWaiting(count: number, nextAttemptAt = '2099-01-01T00:00:00Z'): Promise<void> {
  const eventId = await anEvent(harness, seller.account);
  for (let added = 0; added < count; added += portion) {
    await harness.query(
      `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, due, created_at)
       select 'dlv_' || substr($1, 5, 18) || lpad(n::text, 8, '0'), $1, id, account_id, 'order.paid', false, 'pending', $4,
         $4 <= now(), now()
       from endpoints, generate_series($5::int + 1, least($3::int, $5::int + ${portion})) as n where account_id = $2`,
      [eventId, seller.account, count, nextAttemptAt, added],
    );
  }
}

async function count(status: string): Promise<number> {
  const text = `select count(*)::int as count from ${allDeliveries} where account_id = $1 and status = $2`;
  const [row] = await harness.query<{ count: number }>(text, [seller.account, status]);
  return row?.count ?? 0;
}

/**
 * Locks the last of the account's deliveries of that status, which a change of the endpoint comes to last: until what
 * this resolves with is called, the change is not done, however long the test takes.
 */
async function holdUpLast(status: 'pending' | 'held'): Promise<() => Promise<void>> {
  const client = await harness.database.pool.connect();
  await client.query('begin');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  await client.query(
    `select from deliveries where account_id = $1 and status = $2 order by id desc limit 1 for update`,
    [seller.account, status],
  );
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

test('an endpoint with 200,000 waiting deliveries is switched off before they are held, and new events of all accounts are processed meanwhile', async () => {
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
  await eventually(() => expect(other.received()).toEqual([otherId]), patience);
  const own = () => harness.query('select status from deliveries where event_id = $1', [ownId]);
  await eventually(async () => expect(await own()).toEqual([{ status: 'held' }]), patience);
  expect(await count('pending')).toBeGreaterThan(0);
  await goOn();
  await eventually(async () => expect(await count('held')).toBe(many + 1), patience);
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
       insert into unsettled_endpoints (endpoint_id, account_id, url, changed_at) select id, account_id, url, $2 from off`,
      [account, at],
    );
  await eventually(async () => expect(await good.statuses()).toEqual(['held']), patience);
  expect(await bad.statuses()).toEqual(['pending']);
  await harness.query('drop trigger refuse on deliveries; drop function refuse()');
  await eventually(async () => expect(await bad.statuses()).toEqual(['held']), patience);
});

test('the next process applies a change to the deliveries that a killed one has left', async () => {
  // The child runs in real time: by it, deliveries of the test's clock have waited for more than 30 days, and are given up.
  harness.clock.set(new Date());
  await addWaiting(30_000);
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const goOn = await holdUpLast('pending');
  await seller.put({ active: false });
  await child.kill('SIGKILL');
  expect(await count('pending')).toBeGreaterThan(0);
  await goOn();
  harness.running.service = await harness.start();
  await eventually(async () => expect(await count('held')).toBe(30_000), patience);
});

/** Lets what was held go out faster than it usually does. */
const hurry = () => harness.query('update recoveries set per_second = 10000 where account_id = $1', [seller.account]);

test('an endpoint that is switched on again while it is being switched off gets everything, once', async () => {
  await addWaiting(3_100);
  const goOn = await holdUpLast('pending');
  await seller.put({ active: false });
  expect(await count('pending')).toBeGreaterThan(0);
  const on = seller.put({ active: true });
  await goOn();
  await on;
  await seller.put({ active: false });
  await seller.put({ active: true });
  await hurry();
  // Deliveries that were not held yet keep waiting for their next try; the others are sent.
  await eventually(
    async () => {
      const [delivered, pending] = [await count('delivered'), await count('pending')];
      expect(delivered).toBeGreaterThan(0);
      expect(delivered + pending).toBe(3_100);
      expect(seller.receiver.requests).toHaveLength(delivered);
      return true;
    },
    { ...patience, withinMs: 90_000 },
  );
  expect(await harness.query('select * from unsettled_endpoints')).toEqual([]);
});

test('deliveries of an endpoint that is switched off and on repeatedly are due oldest first, whichever switch released them', async () => {
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 2_000 }));
  await addWaiting(2_000, '2026-01-01T00:00:00Z');
  await harness.query(`update deliveries set created_at = '2026-01-01' where account_id = $1`, [seller.account]);
  await seller.put({ active: false });
  // A few were sent before the switch; all others are held.
  const left = async () => (await count('pending')) + (await count('sending'));
  await eventually(async () => expect(await left()).toBe(0), patience);
  for (const active of [true, false, true]) {
    harness.clock.advance(60_000);
    const held = await count('held');
    await seller.put({ active });
    await hurry();
    if (active) await eventually(async () => expect(await count('held')).toBeLessThan(held));
  }
  const text = `select id from deliveries where account_id = $1 and status = 'pending' order by next_attempt_at, id`;
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
  await addWaiting(30_000);
  await seller.put({ active: false });
  await eventually(async () => expect(await count('held')).toBe(30_000), patience);
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const goOn = await holdUpLast('held');
  await seller.put({ held: 'discard' });
  await child.kill('SIGKILL');
  // In one statement: the last commit of the killed process may still be under way.
  const [left] = await harness.query<{ held: number; all: number }>(
    `select count(*) filter (where status = 'held')::int as held, count(*)::int as all from ${allDeliveries}
     where account_id = $1 and status in ('held', 'canceled')`,
    [seller.account],
  );
  expect(left).toEqual({ held: expect.toSatisfy((n: number) => n > 0), all: 30_000 });
  await goOn();
  harness.running.service = await harness.start();
  const id = await seller.publish();
  await eventually(async () => expect(await count('canceled')).toBe(30_000), patience);
  const own = () => harness.query('select status from deliveries where event_id = $1', [id]);
  await eventually(async () => expect(await own()).toEqual([{ status: 'held' }]));
});

test('the removal of an endpoint that is being switched off is shown once in Recent activity, with all canceled deliveries, and the next endpoint is a new one', async () => {
  await addWaiting(10_000);
  await seller.put({ active: false });
  await harness.ask(deleteWebhookEndpoint, seller.account, {});
  const again = await seller.put({ active: true });
  expect(again.secret).not.toBe(seller.secret);
  const id = await seller.publish();
  await eventually(() => expect(seller.received()).toEqual([id]));
  await eventually(async () => expect(await count('canceled')).toBe(10_000), patience);
  const notices = await eventually(async () => {
    const { data } = await harness.ask(listActivity, seller.account, {});
    const found = data.filter((entry) => entry.kind === 'notice');
    return found.length > 0 && found;
  });
  expect(notices.map((notice) => notice.summary)).toEqual([
    expect.stringContaining('10000 deliveries that waited are canceled'),
  ]);
});
