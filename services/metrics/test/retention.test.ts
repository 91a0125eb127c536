import { type Retention, retention, retentionMonths } from '@app/contracts/retention';
import { fakeClock } from '@app/testing/fake-clock';
import { randomRuns, volume } from '@app/testing/long';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import * as facts from '../src/facts/fact.rules.ts';
import { getRetention, startedSince } from '../src/retention/get-retention.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { accounts, arrivalsOf, factOf, histories, type RawEvent } from './histories.ts';
import { activeAt } from './recomputation.ts';
import { cancellationEvent, renewalEvent, subscriptionEvent } from './samples.ts';
import { database, deleteAllFacts, deliver, openStorage } from './set-up.ts';

openStorage();

const clock = fakeClock('2025-06-15T12:00:00.000Z');
beforeEach(deleteAllFacts);

const read = async (accountId: string, months?: number): Promise<Retention['data']> =>
  retention.strict().parse(await getRetention({ database, clock }, accountId, { months })).data;

const after = (month: string): string => {
  const next = new Date(`${month}-01T00:00:00.000Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
};
const endOf = (month: string): number => Date.parse(`${after(month)}-01T00:00:00.000Z`);

/** The account's months of start, from the states that each subscription went through. */
function recount(history: readonly RawEvent[], accountId: string, months: readonly string[]): Retention['data'] {
  const own = history.filter((event) => event.accountId === accountId && !event.data.test);
  return months.map((month, index) => {
    const started = own.filter((event) => event.kind === 'started' && event.data.startedAt.startsWith(month));
    const ids = new Set(started.map(({ data }) => 'subscriptionId' in data && data.subscriptionId));
    const theirs = own.filter(({ data }) => 'subscriptionId' in data && ids.has(data.subscriptionId));
    const active = months.slice(index).map((end) => activeAt(endOf(end), theirs).length);
    return { month, started: started.length, active };
  });
}

test('whatever happened, however events arrive, retention is a recount of the states of subscriptions', async () => {
  const cases = histories.chain((history) =>
    fc.record({ history: fc.constant(history), arrivals: arrivalsOf(history) }),
  );
  const property = fc.asyncProperty(cases, async ({ history, arrivals }) => {
    await deleteAllFacts();
    for (const each of arrivals) await deliver([factOf(each)]);
    await rebuildRollups(database, null);
    for (const accountId of accounts) {
      const found = await read(accountId, retentionMonths.max);
      expect(found).toEqual(
        recount(
          history,
          accountId,
          found.map(({ month }) => month),
        ),
      );
    }
  });
  await fc.assert(property, randomRuns(12, 500));
});

test('left out, the months are the last twelve; an account without subscriptions has zeros', async () => {
  const found = await read('acc_a');
  expect(found.map(({ month }) => month)).toEqual([
    ...['2024-07', '2024-08', '2024-09', '2024-10', '2024-11', '2024-12'],
    ...['2025-01', '2025-02', '2025-03', '2025-04', '2025-05', '2025-06'],
  ]);
  expect(found.map(({ started, active }) => [started, active.length])).toEqual(found.map((_, n) => [0, 12 - n]));
  expect(found.flatMap(({ active }) => active).every((count) => count === 0)).toBe(true);
});

test('retention reads the changes of active subscriptions by index, and neither orders nor renewals', async () => {
  const many = volume(2_000, 20_000);
  const startedAt = '2025-03-10T12:00:00.000Z';
  const started = Array.from({ length: many }, () => subscriptionEvent('acc_a', 'prd_1', { startedAt }));
  await deliver(started.map(facts.factOfSubscription));
  const renewals = started.flatMap(({ data: { subscriptionId } }) =>
    [2, 3, 4, 5, 6, 7].map((period) =>
      facts.factOfRenewal(
        renewalEvent('acc_a', 'prd_1', { subscriptionId, period, chargedAt: `2025-0${period + 2}-10T12:00:00.000Z` }),
      ),
    ),
  );
  await deliver(renewals);
  const [first] = started;
  const canceled = { subscriptionId: first?.data.subscriptionId ?? '', canceledAt: '2025-05-01T00:00:00.000Z' };
  await deliver([facts.factOfCancellation(cancellationEvent('acc_a', 'prd_1', canceled))]);
  expect((await read('acc_a', 4)).at(0)).toEqual({
    ...{ month: '2025-03', started: many },
    active: [many, many, many - 1, many - 1],
  });
  await database.pool.query('vacuum analyze facts');
  const { text, values } = startedSince(['acc_a', '2024-07-01T00:00:00.000Z']);
  const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, values);
  const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
  expect(plan.match(/"Index Name":"[a-z_]+"/g)).toEqual(
    Array.from({ length: 2 }, () => '"Index Name":"facts_active_changes"'),
  );
  expect(plan).not.toContain('Seq Scan');
});
