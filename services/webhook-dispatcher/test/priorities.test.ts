import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { priorities, priorityOrder } from '../src/deliveries/priority.rules.ts';
import { connectedAccount } from './orders.ts';
import { harness, type Seller, startService } from './set-up.ts';
import { addStored } from './stored.ts';

startService();
vi.setConfig({ testTimeout: 120_000 });

const publish = (seller: Seller, count: number) => Promise.all(Array.from({ length: count }, () => seller.publish()));

/** Stores deliveries of a priority that wait, as if they had been given up and were sent again. Returns their events. */
async function addWaiting(seller: Seller, count: number, priority: number): Promise<string[]> {
  const endpointId = seller.endpointId;
  const eventIds = await addStored(harness, seller.account, Array(count).fill({ endpointId }));
  await harness.query(
    `with again as (delete from finished_deliveries where account_id = $1 and event_id = any ($2) returning *)
     insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, priority, status, attempts,
       schedule_from, due, next_attempt_at, created_at)
     select id, event_id, endpoint_id, account_id, event_name, test, $3, 'pending', attempts, attempts, false,
       created_at + interval '1 day', created_at
     from again`,
    [seller.account, eventIds, priority],
  );
  return eventIds;
}

const comeDue = (sellers: readonly Seller[]) =>
  harness.query(
    'update deliveries set due = true, next_attempt_at = created_at where account_id = any ($1) and not due',
    [sellers.map(({ account }) => account)],
  );

/** How many of the flood have arrived before the last of the others. */
function arrivedBefore(received: readonly string[], others: readonly string[]): number {
  const of = new Set(others);
  const last = received.findLastIndex((id) => of.has(id));
  return received.slice(0, last).filter((id) => !of.has(id)).length;
}

test('fresh events overtake thousands of recovered deliveries of their own endpoint, in the database and in memory', async () => {
  const seller = await connectedAccount(harness);
  // Slow enough for what is on its way to the service: 1,000 take it more than ten seconds.
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 50 }));
  await addWaiting(seller, 2_000, priorities.resent);
  await comeDue([seller]);
  await eventually(() => expect(seller.receiver.requests.length).toBeGreaterThan(100), { withinMs: 20_000 });
  const floodBefore = seller.receiver.requests.length;
  const fresh = await publish(seller, 20);
  await eventually(() => expect(seller.received()).toEqual(expect.arrayContaining(fresh)), { withinMs: 20_000 });
  // Stored as `pending`, they would wait behind all of the flood, as they did when there were no priorities.
  expect(arrivedBefore(seller.received(), fresh) - floodBefore).toBeLessThan(1_000);
  seller.receiver.respondWith(() => ({ status: 200 }));
  await eventually(() => expect(new Set(seller.received()).size).toBe(2_020), { withinMs: 90_000 });
  expect(seller.received()).toHaveLength(2_020);
});

test('fresh events of another account overtake a flood that more endpoints recover than there are slots', async () => {
  const flooded = await connectedAccount(harness);
  flooded.receiver.respondWith(() => ({ status: 200, delayMs: 300 }));
  const others: Seller[] = [];
  for (let n = 0; n < 40; n += 1) others.push(await connectedAccount(harness, flooded.receiver));
  for (const other of others) await publish(other, 1);
  await eventually(() => expect(flooded.receiver.requests).toHaveLength(40), { withinMs: 20_000 });
  for (const other of others) await addWaiting(other, 40, priorities.resent);
  await comeDue(others);
  await eventually(() => expect(flooded.receiver.requests.length).toBeGreaterThan(140), { withinMs: 20_000 });
  const calm = await connectedAccount(harness);
  const fresh = await publish(calm, 20);
  await eventually(() => expect(calm.received().toSorted()).toEqual(fresh.toSorted()), { withinMs: 20_000 });
  expect(flooded.receiver.requests.length).toBeLessThan(1_640);
  flooded.receiver.respondWith(() => ({ status: 200 }));
  await eventually(() => expect(flooded.receiver.requests).toHaveLength(1_640), { withinMs: 60_000 });
});

test('what is due is claimed by priority, and each priority gets its part', async () => {
  const seller = await connectedAccount(harness);
  await publish(seller, 1);
  await eventually(async () => expect(await seller.statuses()).toEqual(['delivered']));
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 20 }));
  const waiting: string[][] = [[], [], []];
  for (const priority of priorityOrder.toReversed()) waiting[priority] = await addWaiting(seller, 300, priority);
  await comeDue([seller]);
  await eventually(async () => expect(await seller.statuses()).toEqual(Array(901).fill('delivered')), {
    ...{ withinMs: 90_000, everyMs: 200 },
  });
  const received = seller.received();
  const [first, second, third] = waiting as [string[], string[], string[]];
  const countOf = (ids: string[], part: readonly string[]) => part.filter((id) => ids.includes(id)).length;
  const untilFirstIsDone = received.slice(
    0,
    received.findLastIndex((id) => first.includes(id)),
  );
  expect(countOf(second, untilFirstIsDone)).toBeLessThan(100);
  expect(countOf(third, untilFirstIsDone)).toBeLessThan(100);
  const untilSecondIsDone = received.slice(
    0,
    received.findLastIndex((id) => second.includes(id)),
  );
  expect(countOf(third, untilSecondIsDone)).toBeLessThan(200);
});
