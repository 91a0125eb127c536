import { join } from 'node:path';
import { spawnNode } from '@app/testing/child-service';
import { untilBlocked } from '@app/testing/poll-system';
import { expect, test } from 'vitest';
import { attempted } from './harness.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();
const main = join(import.meta.dirname, '../src/main.ts');
const database = { query: async (text: string) => ({ rows: await harness.query(text) }) };

/** A failure cannot be recorded beyond a statement that needs the table; it goes on after `meanwhile`. */
const holdUp = (lock: string, meanwhile: () => Promise<unknown>, fail: () => Promise<unknown>) =>
  harness.transaction(async (client) => {
    await client.query(`lock table ${lock} mode`);
    await fail();
    await untilBlocked(database);
    await meanwhile();
  });

/** The endpoint is read and it is decided what becomes of the delivery. */
const beforeTheWrite = (meanwhile: () => Promise<unknown>, fail: () => Promise<unknown>) =>
  holdUp('attempt_responses in exclusive', meanwhile, fail);

const outcomes = async () =>
  (
    await harness.query<{ outcome: string }>('select outcome from attempts where account_id = $1', [seller.account])
  ).map(({ outcome }) => outcome);

/** Publishes an event whose receiver answers 500 once it is let. */
async function sending() {
  const answered = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await answered.promise;
    return { status: 500 };
  });
  const id = await seller.publish();
  await seller.receiver.received(1);
  return { id, fail: async () => answered.resolve() };
}

test('an endpoint that is switched on between the decision to hold its delivery and the write gets the delivery', async () => {
  const { id, fail } = await sending();
  await seller.put({ active: false });
  await beforeTheWrite(() => seller.put({ active: true }), fail);
  await seller.tried(1);
  expect(await seller.statuses()).toEqual(['pending']);
  expect(await outcomes()).toEqual(['pending']);
  seller.receiver.respondWith(() => ({ status: 200 }));
  harness.clock.advance(10_000);
  harness.wake();
  await seller.delivered();
  expect(seller.received()).toEqual([id, id]);
});

test('an endpoint that is switched off between the decision to try again and the write has its delivery held', async () => {
  const { fail } = await sending();
  await beforeTheWrite(() => seller.put({ active: false }), fail);
  await seller.tried(1);
  expect(await outcomes()).toEqual(['pending']);
  harness.clock.advance(10_000);
  await harness.afterRound('deliveries');
  expect(await seller.statuses()).toEqual(['held']);
});

test('a delivery whose endpoint another transaction is changing waits for its next attempt, and is held after the change', async () => {
  const { fail } = await sending();
  await harness.transaction(async (client) => {
    await client.query('update endpoints set active = false where id = $1', [endpointId]);
    await fail();
    await seller.tried(1);
    expect(await seller.statuses()).toEqual(['pending']);
  });
  harness.clock.advance(10_000);
  await harness.afterRound('deliveries');
  expect(await seller.statuses()).toEqual(['held']);
});

test('a process that is killed while it reads what the decision needs leaves a delivery that is sent again', async () => {
  // The child runs in real time.
  harness.clock.set(new Date());
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const { id, fail } = await sending();
  await holdUp('failing_endpoints in access exclusive', () => child.kill('SIGKILL'), fail);
  expect(await outcomes()).toEqual([]);
  seller.receiver.respondWith(() => ({ status: 200 }));
  harness.clock.set(new Date());
  await harness.ageLeases();
  harness.running.service = await harness.start();
  await attempted({ accountId: seller.account, delivered: true });
  expect(seller.received()).toEqual([id, id]);
  expect(await outcomes()).toEqual(['delivered']);
});
