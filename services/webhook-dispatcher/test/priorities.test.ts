import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { priorities, priorityOrder } from '../src/deliveries/priority.rules.ts';
import { stored } from './harness.ts';
import { connectedAccount } from './orders.ts';
import { harness, type Seller, startService } from './set-up.ts';
import { addStored } from './stored.ts';

startService();

/** Publishes events, and resolves when they are stored. */
async function publish(seller: Seller, count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => seller.publish()));
  await Promise.all(ids.map(stored));
  return ids;
}

/** Stores deliveries of a priority that wait, as if they had been given up and were sent again. Returns their events. */
async function addWaiting(seller: Seller, count: number, priority: number): Promise<string[]> {
  const endpointId = seller.endpointId;
  const eventIds = await addStored(harness, seller.account, Array(count).fill({ endpointId }));
  await harness.query(
    `with again as (delete from finished_deliveries where account_id = $1 and event_id = any ($2) returning *)
     insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, priority, status, attempts,
       attempts_before_schedule, due, next_attempt_at, created_at)
     select id, event_id, endpoint_id, account_id, event_name, test, $3, 'pending', attempts, attempts, false,
       created_at + interval '1 day', created_at
     from again`,
    [seller.account, eventIds, priority],
  );
  return eventIds;
}

async function comeDue(sellers: readonly Seller[]): Promise<void> {
  await harness.query(
    'update deliveries set due = true, next_attempt_at = created_at where account_id = any ($1) and not due',
    [sellers.map(({ account }) => account)],
  );
  harness.wake();
}

/** How many of the flood have arrived before the last of the others. */
function arrivedBefore(received: readonly string[], others: readonly string[]): number {
  const of = new Set(others);
  const last = received.findLastIndex((id) => of.has(id));
  return received.slice(0, last).filter((id) => !of.has(id)).length;
}

test('fresh events overtake hundreds of recovered deliveries of their own endpoint, in the database and in memory', async () => {
  const seller = await connectedAccount(harness);
  const flood = volume(300, 2_000);
  const gate = Promise.withResolvers<void>();
  const recovered = new Set(await addWaiting(seller, flood, priorities.resent));
  // After some quick answers, dozens wait in memory and the others in the database.
  seller.receiver.respondWith(async ({ headers }, n) => {
    if (n > 20 && recovered.has(headers['webhook-id'] as string)) await gate.promise;
    return { status: 200 };
  });
  await comeDue([seller]);
  await seller.receiver.received(24);
  const floodBefore = seller.receiver.requests.length;
  const fresh = await publish(seller, 20);
  gate.resolve();
  await seller.delivered(flood + 20);
  // Stored as `pending`, they would wait behind all of the flood, as they did when there were no priorities.
  expect(arrivedBefore(seller.received(), fresh) - floodBefore).toBeLessThan(flood / 2);
  expect(new Set(seller.received()).size).toBe(flood + 20);
  expect(seller.received()).toHaveLength(flood + 20);
});

test('fresh events of another account overtake a flood that more endpoints recover than there are slots', async () => {
  const calm = await connectedAccount(harness);
  const flooded = await connectedAccount(harness);
  // Recovered deliveries to quick endpoints have 32 slots.
  const [endpoints, each, slots] = [34, volume(4, 40), 32];
  const others: Seller[] = [];
  for (let n = 0; n < endpoints; n += 1) others.push(await connectedAccount(harness, flooded.receiver));
  for (const seller of [calm, ...others]) await publish(seller, 1);
  for (const seller of [calm, ...others]) await seller.delivered();
  const gate = Promise.withResolvers<void>();
  flooded.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  for (const other of others) await addWaiting(other, each, priorities.resent);
  await comeDue(others);
  await flooded.receiver.received(endpoints + slots);
  const fresh = await publish(calm, 20);
  await calm.delivered(1 + fresh.length);
  expect(calm.received().slice(1).toSorted()).toEqual(fresh.toSorted());
  expect(flooded.receiver.requests.length).toBeLessThan(endpoints * (1 + each));
  gate.resolve();
  for (const other of others) await other.delivered(1 + each);
  expect(flooded.receiver.requests).toHaveLength(endpoints * (1 + each));
});

test('what is due is claimed by priority, and each priority gets its part', async () => {
  const seller = await connectedAccount(harness);
  await publish(seller, 1);
  await seller.delivered();
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 20 }));
  const count = volume(90, 300);
  const waiting: string[][] = [[], [], []];
  for (const priority of priorityOrder.toReversed()) waiting[priority] = await addWaiting(seller, count, priority);
  await comeDue([seller]);
  await seller.delivered(1 + 3 * count);
  expect(await seller.statuses()).toEqual(Array(1 + 3 * count).fill('delivered'));
  const received = seller.received();
  const [first, second, third] = waiting as [string[], string[], string[]];
  const countOf = (ids: string[], part: readonly string[]) => part.filter((id) => ids.includes(id)).length;
  const untilFirstIsDone = received.slice(
    0,
    received.findLastIndex((id) => first.includes(id)),
  );
  expect(countOf(second, untilFirstIsDone)).toBeLessThan(count / 3);
  expect(countOf(third, untilFirstIsDone)).toBeLessThan(count / 3);
  const untilSecondIsDone = received.slice(
    0,
    received.findLastIndex((id) => second.includes(id)),
  );
  expect(countOf(third, untilSecondIsDone)).toBeLessThan((2 * count) / 3);
});
