import { openDatabase } from '@app/service-kit/database';
import { deleteExpired } from '@app/service-kit/retention';
import { type Listener, listen } from '@app/testing/points';
import { beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { retention } from '../src/db/retention.ts';
import { openingsBounded } from '../src/points/points.ts';
import { type Opened, plainCourse } from './checkout-harness.ts';
import { harness, harnessForEachTest } from './set-up.ts';

harnessForEachTest();

beforeEach(() => void harness.shop.set('acc_2/course', plainCourse));

const max = 100;
const email = 'ada@example.com';

let listener: Listener;
beforeEach(() => {
  listener = listen();
});
/** Each opening causes a check of the bound, since a hundredth of it is one. */
const allBounded = (openings: number) =>
  listener.announced(openingsBounded, ({ accountId }) => accountId === 'acc_1', openings);

async function flood(openings: number, body: { email?: string } = {}): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (let i = 0; i < openings; i += 50) {
    const part = Array.from({ length: Math.min(50, openings - i) }, () => harness.open(body));
    opened.push(...(await Promise.all(part)));
    harness.base.clock.advance(1_000);
  }
  return opened;
}
const idsOf = async (accountId: string): Promise<string[]> =>
  (await harness.query<{ id: string }>(`select id from checkouts where account_id = '${accountId}'`)).map(
    ({ id }) => id,
  );

test('a flood of openings leaves an account its bound: the oldest without an email go first', async () => {
  await harness.base.start({ OPEN_CHECKOUTS_PER_ACCOUNT: String(max) });
  const [anothers, wanted, bought, tried] = [
    await harness.open({}, { accountId: 'acc_2' }),
    await harness.open(),
    await harness.open({ email: 'bob@example.com' }),
    await harness.open({ email: 'eve@example.com' }),
  ];
  await harness.update(wanted, { email });
  await harness.pay(bought);
  await harness.pay(tried, 'declined');
  const opened = await flood(400);
  await allBounded(403);
  const left = new Set(await idsOf('acc_1'));
  // The one that was paid is open no longer.
  expect(left.size).toBe(max + 1);
  expect([wanted, bought, tried].every(({ id }) => left.has(id))).toBe(true);
  // The newest whole rounds of the flood are there, the first are not.
  expect(opened.slice(350).every(({ id }) => left.has(id))).toBe(true);
  expect(opened.slice(0, 300).some(({ id }) => left.has(id))).toBe(false);
  expect(await idsOf('acc_2')).toEqual([anothers.id]);
});

test('an email that came with the opening keeps no checkout of a flood, and evicts no fresh one', async () => {
  await harness.base.start({ OPEN_CHECKOUTS_PER_ACCOUNT: String(max) });
  await flood(150, { email: 'invented@example.com' });
  const fresh = await harness.open();
  await flood(50, { email: 'invented@example.com' });
  await allBounded(201);
  expect(await idsOf('acc_1')).toContain(fresh.id);
});

test('checkouts with an email are bounded too, the oldest first', async () => {
  await harness.base.start({ OPEN_CHECKOUTS_PER_ACCOUNT: String(max) });
  const without = await flood(50);
  const opened = await flood(200, { email });
  await allBounded(250);
  const left = new Set(await idsOf('acc_1'));
  expect(left.size).toBe(max);
  expect([...without, ...opened.slice(0, 100)].some(({ id }) => left.has(id))).toBe(false);
});

test('a checkout that was never touched is deleted after a day; one with an email, a choice or a payment stays', async () => {
  await harness.base.start();
  const [untouched, named, chosen, paid] = [
    await harness.open(),
    await harness.open({ email }),
    await harness.open(),
    await harness.open({ email: 'bob@example.com' }),
  ];
  await harness.update(chosen, { country: 'DE' });
  await harness.pay(paid);
  const database = await openDatabase(databaseOptions(harness.base.database.url));
  // The clock goes on while the test runs: hours on either side.
  harness.base.clock.advance(23 * 3_600_000);
  await deleteExpired(database, retention(harness.base.clock));
  expect(await idsOf('acc_1')).toHaveLength(4);
  harness.base.clock.advance(2 * 3_600_000);
  await deleteExpired(database, retention(harness.base.clock));
  await database.close();
  expect((await idsOf('acc_1')).toSorted()).toEqual([named, chosen, paid].map(({ id }) => id).toSorted());
  await expect(harness.get(untouched)).rejects.toMatchObject({ code: 'checkout_not_found' });
});
