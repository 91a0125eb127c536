import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { dayMs, newAccount } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readRenewals, readStory, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

/** The last day of each month that is not longer, at 8 o'clock; months count from January 2028. */
const lastDayUpTo = (day: number, months: number): string => {
  const last = new Date(Date.UTC(2028, months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(2028, months, Math.min(day, last), 8)).toISOString();
};

/** Renewals are due on the last day of a month: without the long form only that day and the next one have runs. */
const isSkipped = (day: Date): boolean => new Date(day.getTime() + dayMs).getUTCDate() > volume(2, 31);

test('ten years of daily runs charge a month from 31 January and a year from 29 February on their days, each once', async () => {
  const account = newAccount();
  replicas.clock.set('2028-01-31T08:00:00.000Z');
  const monthly = await subscribe(replicas, account);
  replicas.clock.set('2028-02-29T08:00:00.000Z');
  const yearly = await subscribe(replicas, account, { billingInterval: 'year', priceCents: 9900 });
  const replica = replicas.start();
  const sum = { charged: 0, chargedCents: 0 };
  for (
    let time = Date.parse('2028-02-01T09:00:00.000Z');
    time < Date.parse('2038-03-01T00:00:00.000Z');
    time += dayMs
  ) {
    if (isSkipped(new Date(time))) continue;
    replicas.clock.set(new Date(time));
    const { charged, chargedCents, ...others } = await replica.renew(account);
    expect(others).toEqual({ retried: 0, canceled: 0 });
    sum.charged += charged;
    sum.chargedCents += chargedCents;
  }
  expect(sum).toEqual({ charged: 121 + 10, chargedCents: 121 * 1900 + 10 * 9900 });
  const periods = async ({ id }: { id: string }) =>
    (await readRenewals(replicas, id)).map(({ starts_at, ends_at }) =>
      [starts_at, ends_at].map((at) => at.toISOString()),
    );
  expect(await periods(monthly)).toEqual(
    Array.from({ length: 121 }, (_, index) => [lastDayUpTo(31, index + 1), lastDayUpTo(31, index + 2)]),
  );
  expect(await periods(yearly)).toEqual(
    Array.from({ length: 10 }, (_, index) => [lastDayUpTo(29, 12 * index + 13), lastDayUpTo(29, 12 * index + 25)]),
  );
  const story = await readStory(replicas, account, yearly.id);
  // The run of a day comes an hour after the period's end.
  expect(story.map(({ chargedAt }) => chargedAt)).toEqual(
    story.map(({ periodStart }) => String(periodStart).replace('T08:', 'T09:')),
  );
});
